//! Why a drafter cannot be trained.

use std::path::PathBuf;

/// This crate's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a drafter cannot be trained.
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

    /// A file is not what its name promises.
    #[error("{} is damaged: {reason}; {advice}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        advice: &'static str,
    },

    /// There is nothing to learn from.
    #[error("{} holds no shard with a sequence; capture some answers of the target first", folder.display())]
    NoData {
        /// The folder.
        folder: PathBuf,
    },

    /// A target was given texts in which nothing is to be said.
    #[error("none of the texts of this step has a token that the target is to say; mark some")]
    NothingToSay,

    /// No sequence has room for a block.
    #[error(
        "none of the {what} sequences has {rows} tokens behind its prompt; use prompts with longer answers, or choose a smaller γ"
    )]
    TooShort {
        /// Which.
        what: &'static str,
        /// How many tokens a block needs.
        rows: usize,
    },

    /// The drafter reads a layer that was not captured.
    #[error("the drafter reads layer {tap}, and the shards hold the layers {captured:?}; capture the answers again")]
    Tap {
        /// The layer.
        tap: usize,
        /// Those that were captured; the last is the final norm.
        captured: Vec<usize>,
    },

    /// The shards are of another target.
    #[error("the shards hold rows of {shards} numbers, and the target's have {target}; capture the answers again")]
    Width {
        /// Width of a row in the shards.
        shards: usize,
        /// Width of the target's rows.
        target: usize,
    },

    /// A setting that trains nothing.
    #[error("{setting} is {value}; it must be {wanted}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// Its value.
        value: String,
        /// What it must be.
        wanted: &'static str,
    },

    /// Settings of another training.
    #[error("the training in this folder was started with other settings; go on with those, or choose a new folder")]
    OtherSettings,

    /// The numbers went to infinity, or nowhere.
    #[error(
        "the loss is {loss} at step {step}: training went astray; stop it to keep the best drafter so far, and train one of another size or γ"
    )]
    Diverged {
        /// The step.
        step: usize,
        /// The loss.
        loss: f32,
    },

    /// A prompt without a token.
    #[error(transparent)]
    Empty(#[from] decode::EmptyPrompt),

    /// The drafter failed.
    #[error(transparent)]
    Drafter(#[from] drafters::Error),

    /// The target failed.
    #[error(transparent)]
    Target(#[from] gemma4::Error),

    /// Weights or arithmetic failed.
    #[error(transparent)]
    Nn(#[from] nn::Error),
}

impl From<mlx_rs::error::Exception> for Error {
    fn from(exception: mlx_rs::error::Exception) -> Self {
        Self::Nn(exception.into())
    }
}
