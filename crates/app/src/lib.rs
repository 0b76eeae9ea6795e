//! The use cases: models, the library, chat, training, calibration, comparison, preferences. Windows and terminals are
//! shells around an [`App`].
//!
//! What this crate does **not** know: who asks (no window, no terminal), how rows are stored, what a tensor is. A
//! shell needs nothing but this crate: the engine's words that it speaks are re-exported here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use comparisons::Comparisons;
use engine::{Cancel, Engine};
use folders::Folders;
use jobs::Jobs;
use library::Library;
use store::Store;
use tokio::sync::Mutex;

mod answering;
mod attaching;
mod awake;
mod bandwidth_ceiling;
mod benchmark;
mod calendar;
mod calibrations;
mod chat;
mod comparisons;
mod conversations;
mod costs;
mod demo;
mod diagnostics;
mod error;
mod folders;
mod going_on;
mod history;
mod jobs;
mod keeping;
mod library;
mod measuring;
mod memory;
mod models;
mod preferences;
mod presets;
mod rerun;
mod rounds;
mod suites;
mod trainings;
mod transcript;
mod verify;

pub use answering::{Answering, Frame, Phase, Reader};
pub use bandwidth_ceiling::BandwidthCeiling;
pub use benchmark::{Benchmark, BenchmarkOrder, BenchmarkRow};
pub use calibrations::{
    CalibrationEstimate, CalibrationOrder, CalibrationPhase, CalibrationPosition, CalibrationReport, CalibrationRun,
    CalibrationStanding, CalibrationState, CalibrationWriting, Counts, MeasuredSuite,
};
pub use chat::{Question, Running, Said, Say};
pub use comparisons::{
    ComparedAnswer, ComparedPrompt, ComparisonEstimate, ComparisonOrder, ComparisonReport, ComparisonRun,
    ComparisonState, Conditions, Contender, Lane, MeasuredColumn, Race, Races, Stage, Workload,
};
pub use conversations::StoredMessage;
pub use error::{Code, Error, Result};
pub use keeping::Record;
pub use library::{
    CataloguePair, Checked, Checking, Discovered, Download, DownloadPhase, DownloadState, Fit, Gated, Got, Hit,
    HubStatus, HubToken, InPlace, Judgement, Keychain, Located, Missing, Offer, OfferedFile, Published, Shelf, Source,
    Storage, Surroundings, TokenSource, Trashed, Verdict, Verification, Wanted,
};
pub use models::{Details, Model, USUAL_CONTEXT};
pub use preferences::Preferences;
pub use presets::Preset;
pub use rerun::{Likeness, Rerun};
pub use rounds::Trace;
pub use suites::Suite;
pub use trainings::{Pedigree, Training, TrainingData, TrainingEstimate, TrainingLength, TrainingOrder, TrainingState};
pub use verify::Verified;

pub use calibration::{Advice, Bin, CalibrationError, CostRow, Interval, Measured, Mode, Reliability, Spread};
pub use engine::{
    Answer, Bound, Calibration, Candidate, Checkpoint, CheckpointRole, Claim, Controls, Cost, Course, Design,
    DesignKind, DesignSize, Divergence, DraftSource, Drafts, Event, Finish, Machine, Memory, Message, Need, NewDrafter,
    Penalties, Precision, Prompt, Proof, Provenance, Reach, Request, Reuse, Role, Round, Rule, Sampling, Scheduling,
    Skipped, Speculation, Standing, Stats, Turn, Unfinished, leave, lookup, processor, size,
};
pub use store::{Attachment, Author, Conversation, Found, LOOKUP, Passage, Piece, State, UnsentMessage};

/// The use cases, over one engine and one database. Clones are handles to the same.
#[derive(Debug, Clone)]
pub struct App {
    engine: Engine,
    store: Store,
    running: Arc<Mutex<Option<Running>>>,
    proving: Arc<Mutex<Cancel>>,
    library: Arc<Library>,
    folders: Arc<Folders>,
    trainings: Arc<Jobs<trainings::Stands>>,
    calibrations: Arc<Jobs<calibrations::Stands>>,
    comparisons: Arc<Comparisons>,
    /// Whether how fast memory is read was measured since the program was started.
    bandwidth_measured: Arc<tokio::sync::Mutex<bool>>,
}

impl App {
    /// Opens the data folder and makes it if there is none, for this user's eyes only.
    ///
    /// # Errors
    /// The folder cannot be made; its database is damaged, or of a newer release.
    pub async fn open(home: &Path) -> Result<Self> {
        Self::open_in(home, Surroundings::here()).await
    }

    /// The same in other surroundings.
    ///
    /// # Errors
    /// As for [`App::open`].
    pub async fn open_in(home: &Path, around: Surroundings) -> Result<Self> {
        let mut folder = std::fs::DirBuilder::new();
        folder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        folder.create(home).map_err(|source| Error::Home { path: home.to_owned(), source })?;
        let store = Store::open(&home.join("slipstream.sqlite3")).await?;
        let library = Arc::new(Library::new(home, around));
        let app = Self {
            engine: Engine::start(),
            store,
            running: Arc::default(),
            proving: Arc::default(),
            library,
            folders: Arc::default(),
            trainings: Arc::default(),
            calibrations: Arc::default(),
            comparisons: Arc::default(),
            bandwidth_measured: Arc::default(),
        };
        app.forget_old_conversations().await?;
        Ok(app)
    }

    /// Marks answers as interrupted that still count as running: the window that wrote them died. For a window to call
    /// as it starts, since only a window stores answers.
    ///
    /// # Errors
    /// The database fails.
    pub async fn interrupt_abandoned(&self) -> Result<()> {
        Ok(self.store.interrupt_running().await?)
    }
}

/// Where the data lies: `SLIPSTREAM_HOME`, or a folder of ours among the platform's application data.
///
/// # Errors
/// The variable is not set, and the platform names no such place.
pub fn home() -> Result<PathBuf> {
    match std::env::var_os("SLIPSTREAM_HOME") {
        Some(home) if !home.is_empty() => Ok(home.into()),
        _ => Ok(dirs::data_dir().ok_or(Error::NoHome)?.join("slipstream")),
    }
}

#[cfg(test)]
mod testing {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use std::path::Path;

    use store::{Checkpoint, Role, Source};

    use crate::App;

    /// An app with a new home, and two models in it whose folders are empty: a target `t` and a drafter `d`.
    pub(crate) async fn app(home: &Path) -> App {
        let app = App::open(&home.join("home")).await.unwrap();
        for (id, role) in [("t", Role::Target), ("d", Role::Drafter)] {
            let folder = home.join(id);
            std::fs::create_dir(&folder).unwrap();
            let folder = folder.to_str().unwrap().to_owned();
            let (kind, summary) = (String::new(), String::new());
            let row = Checkpoint {
                role,
                kind,
                folder,
                source: Source::Folder,
                revision_id: None,
                summary,
                bytes: 0,
                draft_limit: None,
                draft_usual: None,
                draft_confident: None,
                chat_template: None,
            };
            app.store.add_model(Some(id), &row).await.unwrap();
        }
        app
    }
}
