//! Table `files`: what a revision consists of.

use sqlx::SqliteConnection;

use crate::{Result, Store};

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct File {
    /// Its path in the repo.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// 64 or 40 hexadecimal digits.
    pub hash: String,
}

impl Store {
    /// The files of a revision, by path.
    ///
    /// # Errors
    /// The database fails.
    pub async fn files(&self, revision: i64) -> Result<Vec<File>> {
        let all = sqlx::query_as("SELECT path, bytes, hash FROM files WHERE revision_id = ? ORDER BY path");
        Ok(all.bind(revision).fetch_all(&self.pool).await?)
    }

    /// The hashes of all contents that are needed, each once: by a model that was downloaded, in the trash or not, or by
    /// a download that is open or failed, for it may go on.
    ///
    /// # Errors
    /// The database fails.
    pub async fn needed_hashes(&self) -> Result<Vec<String>> {
        let needed = sqlx::query_scalar(
            "SELECT DISTINCT hash FROM files WHERE revision_id IN (SELECT revision_id FROM models WHERE source = 'hub')
             OR revision_id IN (SELECT revision_id FROM downloads WHERE state NOT IN ('cancelled', 'done'))",
        );
        Ok(needed.fetch_all(&self.pool).await?)
    }
}

/// Writes down the files of a revision in place of those that were known.
pub(crate) async fn note(connection: &mut SqliteConnection, revision: i64, files: &[File]) -> Result<()> {
    sqlx::query("DELETE FROM files WHERE revision_id = ?").bind(revision).execute(&mut *connection).await?;
    for File { path, bytes, hash } in files {
        sqlx::query("INSERT INTO files (revision_id, path, bytes, hash) VALUES (?, ?, ?, ?)")
            .bind(revision)
            .bind(path)
            .bind(i64::try_from(*bytes).unwrap_or(i64::MAX))
            .bind(hash)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
