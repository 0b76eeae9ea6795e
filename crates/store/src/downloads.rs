//! Table `downloads`: jobs that bring revisions here. A wish to pause or cancel one is a state of its row.

use sqlx::FromRow;

use crate::rows::{each, readable};
use crate::{Checkpoint, Model, Result, Store, models};

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "snake_case")]
pub enum DownloadState {
    /// It waits for its turn.
    Queued,
    /// It is on its way, or was when the app ended.
    Running,
    /// Somebody wants it to wait.
    Paused,
    /// Nobody wants it any more.
    Cancelled,
    /// It could not go on.
    Failed,
    /// All of it is here, verified.
    Done,
}

/// A row, with what it brings.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Download {
    /// Its number, never used twice.
    pub id: i64,
    /// What it brings.
    pub revision_id: i64,
    /// The repo of that, `owner/name`.
    pub repo: String,
    /// The commit of that, 40 hexadecimal digits.
    pub commit_hash: String,
    /// The size of its files, bytes.
    pub total: u64,
    /// The id of the model that it is, if it was downloaded and is not in the trash.
    pub model: Option<String>,
    /// How far it is.
    pub state: DownloadState,
    /// Why it stands, in a sentence.
    pub reason: Option<String>,
    /// What has arrived, as it was noted last, bytes.
    pub arrived: u64,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// When its state changed last; milliseconds since 1970.
    pub updated_at: i64,
    /// What can be done about the reason, by a name that the app gives.
    pub code: Option<String>,
}

/// Why a download stands.
#[derive(Debug, Clone, Copy)]
pub struct Reason<'a> {
    /// A sentence.
    pub sentence: &'a str,
    /// What can be done about it, by a name that the app gives.
    pub code: Option<&'a str>,
}

impl DownloadState {
    /// The states that it may follow, as a JSON list.
    fn before(self) -> &'static str {
        match self {
            // Whoever resumes what waits for its turn with a reason does not accept the reason any more.
            Self::Queued => r#"["queued", "paused", "failed"]"#,
            Self::Running | Self::Paused => r#"["queued", "running"]"#,
            Self::Cancelled => r#"["queued", "running", "paused", "failed"]"#,
            Self::Failed | Self::Done => r#"["running"]"#,
        }
    }
}

impl Store {
    /// A job that brings the revision: the one that is open already, or else a new one at the end of the queue.
    ///
    /// # Errors
    /// There is no such revision, or the database fails.
    pub async fn add_download(&self, revision: i64) -> Result<Download> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query("INSERT OR IGNORE INTO downloads (revision_id, state) VALUES (?, 'queued')")
            .bind(revision)
            .execute(&mut *transaction)
            .await?;
        let open = sqlx::query_as(
            "SELECT * FROM downloads_with_repo WHERE revision_id = ? AND state IN ('queued', 'running', 'paused')",
        );
        let open = open.bind(revision).fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(open)
    }

    /// One download.
    ///
    /// # Errors
    /// The database fails.
    pub async fn download(&self, id: i64) -> Result<Option<Download>> {
        Ok(sqlx::query_as("SELECT * FROM downloads_with_repo WHERE id = ?").bind(id).fetch_optional(&self.pool).await?)
    }

    /// The download of a revision that is open, or failed last.
    ///
    /// # Errors
    /// The database fails.
    pub async fn download_of(&self, revision: i64) -> Result<Option<Download>> {
        let latest = sqlx::query_as(
            "SELECT * FROM downloads_with_repo WHERE revision_id = ? AND state NOT IN ('done', 'cancelled')
             ORDER BY state = 'failed', id DESC LIMIT 1",
        );
        Ok(latest.bind(revision).fetch_optional(&self.pool).await?)
    }

    /// The downloads that are not over, or failed, in the order of their turns; then the ended ones, the latest first.
    /// Each is a download, or the number of one whose record cannot be read; it can still be
    /// [forgotten](Store::forget_download).
    ///
    /// # Errors
    /// The database fails.
    pub async fn downloads(&self) -> Result<Vec<std::result::Result<Download, i64>>> {
        let all = sqlx::query(
            "SELECT * FROM downloads_with_repo ORDER BY state IN ('done', 'cancelled'),
             CASE WHEN state IN ('done', 'cancelled') THEN -updated_at ELSE id END",
        );
        Ok(each(&all.fetch_all(&self.pool).await?))
    }

    /// Those whose turn it is, the first first: also such as ran when the app ended.
    ///
    /// # Errors
    /// The database fails.
    pub async fn due_downloads(&self) -> Result<Vec<Download>> {
        let due = sqlx::query("SELECT * FROM downloads_with_repo WHERE state IN ('queued', 'running') ORDER BY id");
        Ok(readable(&due.fetch_all(&self.pool).await?))
    }

    /// Brings a download into another state if that may follow the one it is in and no other job for the revision is
    /// open, and returns whether it did.
    ///
    /// # Errors
    /// The database fails.
    pub async fn set_download(&self, id: i64, state: DownloadState, reason: Option<Reason<'_>>) -> Result<bool> {
        let set = sqlx::query(
            "UPDATE OR IGNORE downloads SET state = ?, reason = ?, code = ?, updated_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
             WHERE id = ? AND state IN (SELECT value FROM json_each(?))",
        );
        let (sentence, code) = reason.map_or((None, None), |reason| (Some(reason.sentence), reason.code));
        let set = set.bind(state).bind(sentence).bind(code).bind(id).bind(state.before());
        Ok(set.execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Lets a download that runs wait for its turn again, and says why. Returns whether it ran.
    ///
    /// # Errors
    /// The database fails.
    pub async fn put_off_download(&self, id: i64, reason: Option<Reason<'_>>) -> Result<bool> {
        let wait = sqlx::query(
            "UPDATE downloads SET state = 'queued', reason = ?, code = ?,
             updated_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE id = ? AND state = 'running'",
        );
        let (sentence, code) = reason.map_or((None, None), |reason| (Some(reason.sentence), reason.code));
        Ok(wait.bind(sentence).bind(code).bind(id).execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Notes how many bytes have arrived.
    ///
    /// # Errors
    /// The database fails.
    pub async fn note_arrived(&self, id: i64, bytes: u64) -> Result<()> {
        let note = sqlx::query("UPDATE downloads SET arrived = ? WHERE id = ?");
        note.bind(i64::try_from(bytes).unwrap_or(i64::MAX)).bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// Ends a download: what it brought becomes a model, or is the model that was there. `None`, and no model, if
    /// somebody paused or cancelled it in the meantime.
    ///
    /// # Errors
    /// The database fails.
    pub async fn finish_download(&self, id: i64, checkpoint: &Checkpoint) -> Result<Option<Model>> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let end = sqlx::query(
            "UPDATE downloads SET state = 'done', reason = NULL, code = NULL,
             updated_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE id = ? AND state = 'running'",
        );
        if end.bind(id).execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(None);
        }
        let model = match models::owner(&mut transaction, &checkpoint.folder).await? {
            Some(owner) => models::renew(&mut transaction, &owner, None, checkpoint).await?,
            None => models::insert(&mut transaction, None, checkpoint).await?,
        };
        transaction.commit().await?;
        Ok(Some(model))
    }

    /// Takes a download off the list if it is over, or failed, or if its record cannot be read. Returns whether it was.
    ///
    /// # Errors
    /// The database fails.
    pub async fn forget_download(&self, id: i64) -> Result<bool> {
        let row = sqlx::query("SELECT * FROM downloads_with_repo WHERE id = ?").bind(id);
        let is_damaged = row.fetch_optional(&self.pool).await?.is_some_and(|row| Download::from_row(&row).is_err());
        let forget =
            sqlx::query("DELETE FROM downloads WHERE id = ? AND (? OR state IN ('cancelled', 'failed', 'done'))");
        Ok(forget.bind(id).bind(is_damaged).execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Takes the downloads off the list that were done or cancelled before `time`, in milliseconds since 1970.
    ///
    /// # Errors
    /// The database fails.
    pub async fn forget_downloads_before(&self, time: i64) -> Result<()> {
        let forget = sqlx::query("DELETE FROM downloads WHERE updated_at < ? AND state IN ('cancelled', 'done')");
        forget.bind(time).execute(&self.pool).await?;
        Ok(())
    }
}
