//! What can go wrong between a file and a number.

use std::path::PathBuf;

/// This crate's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong between a file and a number.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{} cannot be read or written: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },

    /// A file is not there.
    #[error("{} is missing; download it again", path.display())]
    MissingFile {
        /// The file.
        path: PathBuf,
    },

    /// A folder holds no weights.
    #[error("{} holds no model.safetensors and no shards of one; choose the folder that holds the checkpoint's files", folder.display())]
    NoWeights {
        /// The folder.
        folder: PathBuf,
    },

    /// A file is no safetensors file, or a damaged one.
    #[error("{} cannot be used: {reason}; download it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },

    /// A tensor that the model needs is not there.
    #[error("the tensor {name} is missing from {}", folder.display())]
    Missing {
        /// The tensor.
        name: String,
        /// The checkpoint.
        folder: PathBuf,
    },

    /// A tensor has another shape than the configuration says.
    #[error("the tensor {name} has shape {found:?}, the configuration asks for {wanted:?}")]
    Shape {
        /// The tensor.
        name: String,
        /// What the file holds.
        found: Vec<usize>,
        /// What the configuration asks for.
        wanted: Vec<i32>,
    },

    /// A tensor holds numbers of a type that a layer cannot use.
    #[error("the tensor {name} holds {found} values; only {wanted} are read here")]
    Dtype {
        /// The tensor.
        name: String,
        /// What the file holds.
        found: String,
        /// What can be used.
        wanted: &'static str,
    },

    /// The numbers of a tensor are laid out or packed in a way that cannot be used.
    #[error("{name} cannot be used: {reason}")]
    Layout {
        /// The tensor, matrix, or entry of the configuration.
        name: String,
        /// What is wrong with it, and what could be used.
        reason: String,
    },

    /// The weights were packed by a program whose format is not read.
    #[error("the weights are packed by the method {0:?}, which is not read; choose a bfloat16 or MLX checkpoint")]
    QuantizationMethod(String),

    /// Two tensors go by the same name.
    #[error("the tensors {first} and {second} are both {name}; only one of them can be meant")]
    Twice {
        /// What both are called here.
        name: String,
        /// What the files call one.
        first: String,
        /// What the files call the other.
        second: String,
    },

    /// Tensors are left over: the checkpoint is of another kind than its configuration says.
    #[error("{} holds tensors that this kind of model does not use: {}", folder.display(), list(names))]
    Unused {
        /// The checkpoint.
        folder: PathBuf,
        /// The tensors, sorted.
        names: Vec<String>,
    },

    /// More rows are to be kept than the last pass had.
    #[error("{rows} rows are to be kept of a pass of {pending}")]
    Commit {
        /// Rows asked for.
        rows: usize,
        /// Rows undecided.
        pending: usize,
    },

    /// A cache is to go back where it cannot: a fault in this program.
    #[error("a cache that can go back as far as position {floor} and ends at {end} is to go back to {position}")]
    Rewind {
        /// The position asked for.
        position: usize,
        /// The first position that can be gone back to.
        floor: usize,
        /// Where the cache ends.
        end: usize,
    },

    /// A drafter's context and the target's caches have come apart: a fault in this program.
    #[error("the drafter's context holds {rows} rows, the anchor stands at position {position}")]
    Context {
        /// Rows in the context.
        rows: usize,
        /// Where the anchor stands.
        position: usize,
    },

    /// A drafter reads keys and values that the target does not lend: a fault in this program.
    #[error("a drafter reads keys and values that the target does not lend")]
    NothingLent,

    /// A draft does not say what it was drawn from, and the ratio rule must know: a fault in this program.
    #[error("a draft for the ratio rule does not say what it was drawn from")]
    Unsaid,

    /// The text that penalties look back on is not the one that a token is chosen for: a fault in this program.
    #[error("penalties look back on {tokens} tokens, and the token at position {position} is to be chosen")]
    Text {
        /// Tokens in the text.
        tokens: usize,
        /// Where the token to choose stands.
        position: usize,
    },

    /// MLX failed.
    #[error("MLX failed: {0}")]
    Device(String),
}

impl From<mlx_rs::error::Exception> for Error {
    fn from(exception: mlx_rs::error::Exception) -> Self {
        Self::Device(exception.what().to_owned())
    }
}

/// The first few of `names`, and how many more there are.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
