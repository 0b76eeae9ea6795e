//! What outlives the app: models and where they came from, downloads, conversations, messages, trainings,
//! calibrations, comparisons and settings, in one database file. One source file per table.
//!
//! What this crate does **not** know: what a model is beyond its row, what an answer's record says, who asks. It
//! reads no checkpoint and touches no file but its own.

use std::fs;
use std::path::Path;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};

mod attachments;
mod calibrations;
mod comparisons;
mod conversations;
mod downloads;
mod error;
mod files;
mod messages;
mod models;
mod pairings;
mod repos;
mod revisions;
mod rounds;
mod rows;
mod search;
mod settings;
mod trainings;
mod unsent_messages;

pub use attachments::Attachment;
pub use calibrations::{
    Calibration, CalibrationKey, CalibrationPhase, CalibrationProgress, CalibrationPrompt, CalibrationState,
    NewCalibration,
};
pub use comparisons::{
    Comparison, ComparisonAnswer, ComparisonProgress, ComparisonPrompt, ComparisonState, NewComparison,
};
pub use conversations::Conversation;
pub use downloads::{Download, DownloadState, Reason};
pub use error::{Error, Result};
pub use files::File;
pub use messages::{Ask, Asked, Author, Message, State, Written};
pub use models::{Checkpoint, LOOKUP, Model, Role, Source};
pub use pairings::Pairing;
pub use repos::Gated;
pub use revisions::{NewRevision, Revision};
pub use search::{Found, Passage, Piece};
pub use trainings::{Training, TrainingPoint, TrainingProgress, TrainingState};
pub use unsent_messages::UnsentMessage;

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

/// The database. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Store {
    pool: SqlitePool,
}

impl Store {
    /// Opens the database, makes it if there is none, and brings its schema up to date.
    ///
    /// # Errors
    /// The file is no database, belongs to a newer release, or cannot be written.
    pub async fn open(path: &Path) -> Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .foreign_keys(true)
            // What somebody deletes for good is not to be read in the file afterwards.
            .pragma("secure_delete", "ON")
            // The window and the command line may be open at the same time.
            .busy_timeout(Duration::from_secs(10));
        // Before the first connection: nobody waits for whoever turns the write-ahead log on.
        let _alone = alone(path).await?;
        let pool = SqlitePoolOptions::new().max_connections(4).connect_with(options).await;
        let pool = pool.map_err(|source| Error::Open { path: path.to_owned(), source })?;
        Self::ready(pool).await
    }

    /// A database that lives as long as this value and its clones.
    ///
    /// # Errors
    /// The database fails.
    pub async fn in_memory() -> Result<Self> {
        let options = SqliteConnectOptions::new().in_memory(true).foreign_keys(true);
        // Every connection would be a database of its own, and a closed one takes its database along.
        let pool = SqlitePoolOptions::new().max_connections(1).idle_timeout(None).max_lifetime(None);
        Self::ready(pool.connect_with(options).await?).await
    }

    async fn ready(pool: SqlitePool) -> Result<Self> {
        MIGRATIONS.run(&pool).await.map_err(explain)?;
        Ok(Self { pool })
    }

    /// Closes the file once its statements are done.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

/// Waits until no other process opens or migrates the database at `path`. Ends when it is dropped.
async fn alone(path: &Path) -> Result<fs::File> {
    let lock = path.with_added_extension("lock");
    let wait = move || {
        let file = fs::File::options().create(true).append(true).open(lock)?;
        file.lock().map(|()| file)
    };
    // It ends without a value only with the program.
    let file = tokio::task::spawn_blocking(wait).await.unwrap_or_else(|error| Err(error.into()));
    file.map_err(|source| Error::Open { path: path.to_owned(), source: source.into() })
}

/// Migrations are append-only, so one that is applied but not known here comes from a later release.
fn explain(error: MigrateError) -> Error {
    match error {
        MigrateError::VersionMissing(found) => {
            let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0);
            Error::Newer { found, known }
        }
        other => Error::Migrate(other),
    }
}
