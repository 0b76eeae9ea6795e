//! Why an answer came to nothing. Every message is one sentence for the user.

use std::{path::PathBuf, sync::Arc};

use crate::{Design, Room, Shortage, size};

/// This crate's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an answer came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder is not there.
    #[error("there is no folder {}; choose the folder that holds the checkpoint's files", .0.display())]
    NoFolder(PathBuf),

    /// The checkpoint's files cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unread {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },

    /// The target cannot be loaded, or failed.
    #[error(transparent)]
    Target(#[from] gemma4::Error),

    /// The drafter cannot be loaded, does not fit, or failed.
    #[error(transparent)]
    Drafter(#[from] drafters::Error),

    /// The drafter's files hold a calibration already.
    #[error(transparent)]
    Calibrated(drafters::Error),

    /// The tokenizer or the chat template cannot be used.
    #[error(transparent)]
    Text(#[from] chat::Error),

    /// There is nothing to continue.
    #[error(transparent)]
    Prompt(#[from] decode::EmptyPrompt),

    /// The tokenizer knows ids that the model does not.
    #[error(
        "the tokenizer gives the id {id}, the target's vocabulary ends at {vocabulary}; their files do not belong together"
    )]
    Vocabulary {
        /// The id.
        id: u32,
        /// The size of the target's vocabulary.
        vocabulary: usize,
    },

    /// A control is set to something that means nothing.
    #[error("{control} is {value}; it must be {wanted}")]
    Control {
        /// What it is called.
        control: &'static str,
        /// What it is set to.
        value: f32,
        /// What it must be.
        wanted: &'static str,
    },

    /// A choice needs what the drafter does not have.
    #[error(
        "{asked} needs a confidence in each token, and a drafter of the kind {kind} has none; choose another schedule and leave minConf unset, or another drafter"
    )]
    NoConfidence {
        /// The control or the schedule.
        asked: String,
        /// The drafter's kind.
        kind: &'static str,
    },

    /// A schedule has nothing to hold the confidences against.
    #[error("the schedule “{schedule}” needs a threshold, and the drafter's files name none for it; set minConf")]
    NoThreshold {
        /// The schedule's name.
        schedule: &'static str,
    },

    /// An answer of a batch asks for other models than the first.
    #[error("answers that are made at once need the same target, drafter and precision; ask for this one by itself")]
    OtherModels,

    /// A round that several answers shared failed.
    #[error("a round that this answer shared with others failed: {0}")]
    Batch(#[source] Arc<Error>),

    /// The context is larger than the target's.
    #[error("the context is set to {context} tokens; it must be at most {most}, which is all that the target can read")]
    Context {
        /// What it is set to.
        context: usize,
        /// The target's longest sequence.
        most: usize,
    },

    /// The prompt leaves no room for an answer.
    #[error(
        "the prompt has {prompt} tokens and the context holds {most}, {reserved} of which are kept for the answer; shorten the conversation, or enlarge the context if you made it smaller"
    )]
    TooLong {
        /// Tokens in the prompt.
        prompt: usize,
        /// The longest sequence that the user or the target allows.
        most: usize,
        /// Tokens kept free: a draft and one more.
        reserved: usize,
    },

    /// There is not enough memory; the user may insist.
    #[error("{0}")]
    NoRoom(Box<Shortage>),

    /// A drafter cannot be trained.
    #[error(transparent)]
    Training(#[from] training::Error),

    /// No drafter is designed like this.
    #[error("γ is {gamma}; it must be between {} and {}", Design::GAMMAS.start(), Design::GAMMAS.end())]
    Gamma {
        /// Tokens a round.
        gamma: usize,
    },

    /// Too little to learn from.
    #[error(
        "a training needs at least {fewest} prompts of up to {longest} tokens, and there are {found}; choose more, or shorter ones"
    )]
    FewPrompts {
        /// The fewest that are enough.
        fewest: usize,
        /// The most tokens of one.
        longest: usize,
        /// How many there are.
        found: usize,
    },

    /// Nothing to measure with.
    #[error(
        "every prompt is of one conversation, and a drafter is measured on another one than it learns from; choose more"
    )]
    OneConversation,

    /// Answers of two targets would be mixed.
    #[error(
        "{} is not what it was when this training began; put those files back, or stop it and start a new one",
        folder.display()
    )]
    AnotherTarget {
        /// The target's folder.
        folder: PathBuf,
    },

    /// There is not enough memory to train.
    #[error(
        "this training needs up to {} of memory, and {} can be had; close other programs, or choose a smaller drafter or target",
        size(*need), size(room.bytes())
    )]
    NoRoomToTeach {
        /// What it needs, bytes.
        need: u64,
        /// What may be taken.
        room: Room,
    },

    /// The user, or the end of the program, stopped it.
    #[error("the answer was not verified to its end: it was stopped")]
    Stopped,

    /// A programming error on the engine's thread. The models were dropped; the next request loads them again.
    #[error("the engine failed ({0}); its models were dropped and load again with the next message")]
    Panicked(String),

    /// The engine's thread is gone.
    #[error("the engine has stopped; start the program again")]
    Closed,
}

impl From<nn::Error> for Error {
    fn from(error: nn::Error) -> Self {
        Self::Target(error.into())
    }
}

impl From<mlx_rs::error::Exception> for Error {
    fn from(exception: mlx_rs::error::Exception) -> Self {
        nn::Error::from(exception).into()
    }
}
