//! Why a drafter cannot be used.

use std::path::PathBuf;

/// This crate's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a drafter cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder holds no drafter.
    #[error(
        "{} holds no drafter that runs here{}; choose a folder with a dspark.json, or with a drafter's config.json",
        folder.display(),
        architecture.as_ref().map_or_else(String::new, |class| format!(", but a {class}"))
    )]
    NoDrafter {
        /// The folder.
        folder: PathBuf,
        /// The class that its `config.json` names.
        architecture: Option<String>,
    },

    /// The folder holds a drafter of a kind that is not read.
    #[error("{} holds {what}, which does not run here; choose a DSpark, DFlash or DFlash 2 drafter", folder.display())]
    OtherKind {
        /// The folder.
        folder: PathBuf,
        /// What it holds.
        what: String,
    },

    /// The folder's `config.json` promises a `dspark.json`.
    #[error("{} should hold a dspark.json beside its config.json, and does not; download it again", folder.display())]
    NoDocument {
        /// The folder.
        folder: PathBuf,
    },

    /// The description is no JSON.
    #[error("{} is damaged: {source}; download it again", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },

    /// The description has a setting that is not computed here.
    #[error("{} sets {key} to {value}, and only {wanted} runs here; choose another drafter", path.display())]
    Setting {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// The values that run.
        wanted: &'static str,
    },

    /// The description cannot be read or written.
    #[error("{} cannot be read or written: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },

    /// The description is not what such a file looks like.
    #[error("{} does not describe a drafter: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },

    /// The checkpoint is older than the format.
    #[error("the drafter in {} is of variant {variant:?}, an older kind that no longer runs; train it again", folder.display())]
    Variant {
        /// The folder.
        folder: PathBuf,
        /// What it says it is.
        variant: String,
    },

    /// The drafter was made for a target of other dimensions.
    #[error("the drafter was made for a target whose {what} is {drafter}, this one's is {target}")]
    Mismatch {
        /// What differs.
        what: &'static str,
        /// The drafter's number.
        drafter: usize,
        /// The target's.
        target: usize,
    },

    /// The drafter reads a layer that the target does not have.
    #[error("the drafter reads layer {tap}, the target has layers 0 to {} and {layers} for the final norm", layers - 1)]
    Tap {
        /// The layer.
        tap: usize,
        /// How many the target has.
        layers: usize,
    },

    /// The drafter names a layer that only formats with a word for the final norm could mean.
    #[error(
        "the drafter's {key} names layer {id}, but of the target's {layers} layers only {first} to {last} can be read"
    )]
    LayerId {
        /// The key of its `config.json`.
        key: &'static str,
        /// The number in its file.
        id: usize,
        /// How many layers the target has.
        layers: usize,
        /// The least number that can be read.
        first: usize,
        /// The largest.
        last: usize,
    },

    /// The drafter reads keys and values of a kind that the target does not have.
    #[error("the drafter reads the keys and values of {kind} layers, and the target has no such layers")]
    NoDonor {
        /// The kind.
        kind: &'static str,
    },

    /// The drafter was made for a target whose keys and values are others.
    #[error("the drafter was made for a target whose {what} is {drafter}, this one's is {target}")]
    Donor {
        /// What differs.
        what: String,
        /// The drafter's number.
        drafter: f64,
        /// The target's.
        target: f64,
    },

    /// A new drafter would be larger than any target.
    #[error("a drafter of {numbers} numbers is too large, {most} are allowed; choose a smaller width or fewer layers")]
    TooLarge {
        /// Numbers in it.
        numbers: u64,
        /// The most allowed.
        most: u64,
    },

    /// There is already something where a new drafter should go.
    #[error("{} is not empty; choose a new folder for the drafter", folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },

    /// There is already a calibration where another should go.
    #[error("{} holds a calibration already; write over it on purpose, or keep it", path.display())]
    Calibrated {
        /// The file.
        path: PathBuf,
    },

    /// What should be taken out is not there.
    #[error("{} does not hold this calibration any more; what it holds now stays", path.display())]
    OtherCalibration {
        /// The file.
        path: PathBuf,
    },

    /// Weights or arithmetic failed.
    #[error(transparent)]
    Nn(#[from] nn::Error),
}

impl From<mlx_rs::error::Exception> for Error {
    fn from(exception: mlx_rs::error::Exception) -> Self {
        Self::Nn(exception.into())
    }
}
