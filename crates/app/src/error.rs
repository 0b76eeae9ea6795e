use std::path::PathBuf;

use engine::{CheckpointRole, size};

use crate::Suite;
use crate::models::word;

/// Why a use case did not do what was asked: one sentence for the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The models did not do it.
    #[error(transparent)]
    Engine(#[from] engine::Error),
    /// The database did not do it.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The Hub, or the folder of downloads, did not do it.
    #[error(transparent)]
    Hub(#[from] hub::Error),
    /// The system names no place for data.
    #[error("this system has no folder for application data; set SLIPSTREAM_HOME")]
    NoHome,
    /// The data folder cannot be made.
    #[error("the data folder {} cannot be used: {source}", path.display())]
    Home {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that was to be written.
    #[error("the file {} cannot be written: {source}; choose another place", path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// An id that is not, or no longer, in the list.
    #[error("there is no model “{0}” in the list")]
    NoSuchModel(String),
    /// A model that was removed for good, or never was there.
    #[error("there is no model “{0}” in the trash")]
    NotInTrash(String),
    /// A repo that no other program has.
    #[error("“{0}” is no folder, and no other program has a repo of that name that can be used")]
    NotFound(String),
    /// A download that failed, of what another one brings by now.
    #[error("another download brings {0} by now; forget this one")]
    OnItsWay(String),
    /// A download that was taken off the list, or never was.
    #[error("there is no download {0}")]
    NoSuchDownload(i64),
    /// The keychain keeps a token that was to be forgotten.
    #[error("the token is still in the keychain: {0}; remove “slipstream” with the system's own program for it")]
    Keychain(String),
    /// A link in another program's cache that is not followed.
    #[error("the link {} leads nowhere, or out of its repo's folder, so this checkpoint is not used; let the program that made it fetch it again", link.display())]
    Astray {
        /// The link.
        link: PathBuf,
    },
    /// Files that the app did not download.
    #[error("the files in {} are another program's or your own, and are only read here; get a copy of the repo (“models get --copy”) to have one that can be repaired", folder.display())]
    NotOurs {
        /// The folder.
        folder: PathBuf,
    },
    /// A name that stands for neither.
    #[error("“{0}” is neither a model in the list nor a folder")]
    NoSuchName(String),
    /// A path that the database cannot hold.
    #[error("the folder {} cannot be registered: its path is not valid Unicode", .0.display())]
    NotUnicode(PathBuf),
    /// A folder was added as something else than it is.
    #[error("{} holds a {}, not a {}", folder.display(), word(*found), word(*wanted))]
    WrongRole {
        /// The folder.
        folder: PathBuf,
        /// What it holds.
        found: CheckpointRole,
        /// What was asked for.
        wanted: CheckpointRole,
    },
    /// A chosen model cannot answer.
    #[error("the {} “{id}” cannot be used: {why}", word(*role))]
    Unusable {
        /// What it was chosen as.
        role: CheckpointRole,
        /// Its id.
        id: String,
        /// Why.
        why: String,
    },
    /// One answer at a time.
    #[error("an answer is being written; wait for it or stop it first")]
    Busy,
    /// Nothing was said.
    #[error("the message is empty")]
    Empty,
    /// It was removed, or never was.
    #[error("there is no conversation {0}")]
    NoSuchConversation(i64),
    /// It is in the list, was deleted for good, or never was.
    #[error("there is no conversation {0} among those that were removed")]
    NotRemoved(i64),
    /// A file that cannot go with a question.
    #[error("“{name}” cannot be attached: {reason}")]
    Attachment {
        /// The file's name.
        name: String,
        /// Why.
        reason: String,
    },
    /// Nothing, or more than a menu can show.
    #[error("a preset needs a name of at most {most} letters")]
    PresetName {
        /// The most letters of one.
        most: usize,
    },
    /// It was deleted, or never was.
    #[error("there is no message {0}")]
    NoSuchMessage(i64),
    /// More than a list can show.
    #[error("the tag “{tag}” is too long: at most {most} letters, please")]
    LongTag {
        /// The tag.
        tag: String,
        /// The most letters of one.
        most: usize,
    },
    /// It was removed, or never was.
    #[error("there is no such answer")]
    NoSuchAnswer,
    /// It was removed, or never was.
    #[error("there is no training {0}")]
    NoSuchTraining(i64),
    /// A name that another training holds.
    #[error("training {id} makes “{name}” already, by another order; stop it, or choose another name")]
    OrderedOtherwise {
        /// The training.
        id: i64,
        /// The name.
        name: String,
    },
    /// A file of prompts that has changed since.
    #[error(
        "training {id} makes “{name}” already, from what this file held then; resume it, or stop it to train on what the file holds now"
    )]
    OtherPrompts {
        /// The training.
        id: i64,
        /// The name.
        name: String,
    },
    /// Its files may not be touched.
    #[error("training {0} runs; pause or stop it first")]
    TrainingRuns(i64),
    /// Another process has it.
    #[error("training {0} runs in another window or terminal; pause or stop it there")]
    TrainedElsewhere(i64),
    /// It has come to its end.
    #[error("training {0} is over, so it cannot go on; start a new one")]
    TrainingOver(i64),
    /// Only one that never did better is trained for longer.
    #[error(
        "training {0} has not ended without a better drafter, so there is nothing to train for longer; resume it, or start a new one"
    )]
    NothingToLearn(i64),
    /// Its row cannot be read.
    #[error("the record of training {0} is damaged; remove it, and start a new one")]
    DamagedTraining(i64),
    /// Its best drafter is not there yet.
    #[error(
        "training {0} did better than at its start, and was cut short before that drafter was written; resume it, then stop it"
    )]
    NotKept(i64),
    /// A disk that a training would fill.
    #[error("this training needs up to {} of disk while it lasts, and {} are free; make some room first", size(*need), size(*free))]
    NoDisk {
        /// What it needs, bytes, with what the rest of the app needs meanwhile.
        need: u64,
        /// What is free, bytes.
        free: u64,
    },
    /// It was removed, or never was.
    #[error("there is no calibration {0}")]
    NoSuchCalibration(i64),
    /// It has nothing to show yet.
    #[error("calibration {0} is not done; resume it first")]
    CalibrationNotDone(i64),
    /// It has come to its end.
    #[error("calibration {0} is over, so it cannot go on; start a new one")]
    CalibrationOver(i64),
    /// What it records may not be touched.
    #[error("calibration {0} runs; pause it first")]
    CalibrationRuns(i64),
    /// Another process has it.
    #[error("calibration {0} runs in another window or terminal; pause it there")]
    CalibratedElsewhere(i64),
    /// Its rows cannot be read.
    #[error("the record of calibration {0} is damaged; remove it, and start a new one")]
    DamagedCalibration(i64),
    /// What it holds for has changed.
    #[error("calibration {id} does not hold any more: {why}; calibrate again")]
    StaleCalibration {
        /// The calibration.
        id: i64,
        /// Why.
        why: String,
    },
    /// Files of another format, or another program's.
    #[error(
        "the files of the drafter “{0}” are of another format, or kept as they were published, so a calibration stays in the app; it is in force there all the same"
    )]
    KeepsNoCalibration(String),
    /// There is nothing to take out of a drafter's files.
    #[error("calibration {0} is not in the files of its drafter, so there is nothing to take back")]
    CalibrationNotWritten(i64),
    /// A drafter that says nothing of how sure it is.
    #[error("the drafter “{0}” has no confidence in its tokens, so there is nothing to calibrate; choose another one")]
    NothingToCalibrate(String),
    /// A target that answers at once.
    #[error("the target “{0}” cannot think before it answers; leave thinking off")]
    NoThinking(String),
    /// Nothing would be left to judge by.
    #[error(
        "a calibration needs two prompts of one kind at least, or questions of two conversations: one to fit and one to judge by; choose more"
    )]
    TooFewPrompts,
    /// Answers without a draft.
    #[error("nothing was drafted in these answers, so there is nothing to fit; choose other prompts, or more tokens")]
    NothingRecorded,
    /// Too little, or more than a window shows side by side.
    #[error("two to four drafters, or ways of drafting, are compared with plain decoding, not {0}; choose others")]
    Contenders(usize),
    /// Two columns that would be one.
    #[error("“{0}” is chosen twice in the same way of drafting; choose another drafter, or another way")]
    SameContender(String),
    /// A drafter cannot do it.
    #[error("the drafter “{drafter}” cannot draft so: {why}; choose another way of drafting")]
    NoSuchWay {
        /// The drafter.
        drafter: String,
        /// Why.
        why: String,
    },
    /// Neither a prompt nor a suite.
    #[error("nothing is asked; write a prompt, or choose a suite")]
    NothingToCompare,
    /// It was removed, or never was.
    #[error("there is no comparison {0}")]
    NoSuchComparison(i64),
    /// It has come to its end.
    #[error("comparison {0} is over, so it cannot go on; start a new one")]
    ComparisonOver(i64),
    /// What it measures may not be touched.
    #[error("comparison {0} runs; pause it first")]
    ComparisonRuns(i64),
    /// Another process has it.
    #[error("comparison {0} runs in another window or terminal; pause it there")]
    ComparedElsewhere(i64),
    /// Its rows cannot be read.
    #[error("the record of comparison {0} is damaged; remove it, and start a new one")]
    DamagedComparison(i64),
    /// Its columns would not be of the same models any more.
    #[error("comparison {0} cannot go on: its models or this machine are not what they were; start a new one")]
    StaleComparison(i64),
    /// Nothing was ever asked.
    #[error("there are no questions in your conversations yet; choose the built-in suites or a file of prompts")]
    NoQuestions,
    /// A suite that is not built in.
    #[error("there is no suite “{0}”; there are: {all}", all = Suite::ids().join(", "))]
    NoSuchSuite(String),
    /// A file of prompts, or of a training.
    #[error("the file {} cannot be used: {reason}", path.display())]
    Prompts {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A question, an answer without an end, or one of another release.
    #[error("this message has no record of how it was made, so it can be neither verified nor run again")]
    NoRecord,
    /// A whole answer, or one with something said behind it.
    #[error("this answer cannot go on: it came to its own end, or something was said behind it")]
    Over,
}

/// What the window can do about an error besides showing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Code {
    /// Let the user pick another target.
    PickTarget,
    /// Let the user pick another drafter, or none.
    PickDrafter,
    /// Let the user insist: there is not enough memory.
    Insist,
    /// Lead the user to the page where the licence is accepted, and let a token be typed.
    AcceptLicence,
    /// Let the user type a token.
    EnterToken,
    /// Say how much room is needed.
    FreeSpace,
    /// Let the user switch the network on.
    GoOnline,
    /// Let the user write over what is there.
    Overwrite,
}

impl Code {
    const ALL: [Self; 8] = [
        Self::PickTarget,
        Self::PickDrafter,
        Self::Insist,
        Self::AcceptLicence,
        Self::EnterToken,
        Self::FreeSpace,
        Self::GoOnline,
        Self::Overwrite,
    ];

    /// What it is called where it is stored, and on the way to the window.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PickTarget => "pickTarget",
            Self::PickDrafter => "pickDrafter",
            Self::Insist => "insist",
            Self::AcceptLicence => "acceptLicence",
            Self::EnterToken => "enterToken",
            Self::FreeSpace => "freeSpace",
            Self::GoOnline => "goOnline",
            Self::Overwrite => "overwrite",
        }
    }

    /// The code of this name; `None` of a name that another release gave.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }
}

impl Error {
    /// What the window can do about it; `None` if it can only say so.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Unusable { role: CheckpointRole::Target, .. } | Self::Engine(engine::Error::Target(_)) => {
                Some(Code::PickTarget)
            }
            Self::Unusable { role: CheckpointRole::Drafter, .. } | Self::Engine(engine::Error::Drafter(_)) => {
                Some(Code::PickDrafter)
            }
            Self::Engine(engine::Error::NoRoom(_)) => Some(Code::Insist),
            Self::Engine(engine::Error::Calibrated(_)) => Some(Code::Overwrite),
            Self::Hub(hub::Error::Gated { .. }) => Some(Code::AcceptLicence),
            Self::Hub(hub::Error::Unauthorized { .. } | hub::Error::BadToken) => Some(Code::EnterToken),
            Self::Hub(hub::Error::DiskFull { .. }) => Some(Code::FreeSpace),
            Self::Hub(hub::Error::Offline { .. }) => Some(Code::GoOnline),
            _ => None,
        }
    }
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
