use std::path::PathBuf;

/// Why the database did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened, or is no database.
    #[error("the database {} cannot be opened: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the database driver says.
        source: sqlx::Error,
    },
    /// A later release has been here.
    #[error(
        "the database was written by a newer version of Slipstream (schema {found}, this one knows {known}); update Slipstream to open it"
    )]
    Newer {
        /// The schema found.
        found: i64,
        /// The newest schema that this release knows.
        known: i64,
    },
    /// The schema cannot be brought up to date.
    #[error("the database cannot be brought up to date: {0}")]
    Migrate(sqlx::migrate::MigrateError),
    /// Ids are part of commands and paths, so they follow a strict grammar.
    #[error("“{0}” cannot be an id: use letters, digits, '.', '-' and '_', at most 80, the first a letter or digit")]
    BadId(String),
    /// Ids that differ in case only are the same id, and one is kept for what is no model.
    #[error("the id “{0}” is taken already")]
    IdTaken(String),
    /// A folder is registered once.
    #[error("the folder {folder} is in the list already, as “{id}”")]
    FolderTaken {
        /// The folder.
        folder: String,
        /// The model it belongs to.
        id: String,
    },
    /// A statement failed.
    #[error("the database failed: {0}")]
    Sql(#[from] sqlx::Error),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
