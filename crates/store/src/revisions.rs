//! Table `revisions`: repos at one commit.

use sqlx::SqliteConnection;

use crate::{File, Gated, Result, Store, files, repos};

/// A row, with its repo's.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Revision {
    /// Its number.
    pub id: i64,
    /// Its repo's name.
    pub repo: String,
    /// 40 hexadecimal digits.
    pub commit_hash: String,
    /// The licence's identifier.
    pub licence: Option<String>,
    /// Who gets its files.
    pub gated: Gated,
}

/// What is written down of a revision.
#[derive(Debug, Clone, Copy)]
pub struct NewRevision<'a> {
    /// `owner/name` as the Hub spells it.
    pub repo: &'a str,
    /// 40 hexadecimal digits.
    pub commit_hash: &'a str,
    /// The licence's identifier, if it is known.
    pub licence: Option<&'a str>,
    /// Who gets its files.
    pub gated: Gated,
    /// Whether the Hub listed it: then its repo's name is spelt right.
    pub is_listed: bool,
    /// The files that a checkpoint needs.
    pub files: &'a [File],
}

impl Store {
    /// Writes a revision down with its repo and files, or brings what is known of it up to date. Returns its number.
    ///
    /// # Errors
    /// A value breaks the schema, or the database fails.
    pub async fn note_revision(&self, new: NewRevision<'_>) -> Result<i64> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let revision = note(&mut transaction, new).await?;
        transaction.commit().await?;
        Ok(revision)
    }

    /// One revision.
    ///
    /// # Errors
    /// The database fails.
    pub async fn revision(&self, id: i64) -> Result<Option<Revision>> {
        let one = sqlx::query_as(
            "SELECT revisions.id, name AS repo, commit_hash, licence, gated
             FROM revisions JOIN repos ON repos.id = repo_id WHERE revisions.id = ?",
        );
        Ok(one.bind(id).fetch_optional(&self.pool).await?)
    }

    /// The revisions of the repo called `name`, in any case, the latest that was heard of first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn revisions(&self, name: &str) -> Result<Vec<Revision>> {
        let all = sqlx::query_as(
            "SELECT revisions.id, name AS repo, commit_hash, licence, gated
             FROM repos JOIN revisions ON repos.id = repo_id WHERE name = ? ORDER BY revisions.id DESC",
        );
        Ok(all.bind(name).fetch_all(&self.pool).await?)
    }

    /// The revisions that are needed here: by a model that was downloaded, in the trash or not, or by a download that is
    /// open or failed, for it may go on.
    ///
    /// # Errors
    /// The database fails.
    pub async fn needed_revisions(&self) -> Result<Vec<Revision>> {
        let needed = sqlx::query_as(
            "SELECT revisions.id, name AS repo, commit_hash, licence, gated
             FROM revisions JOIN repos ON repos.id = repo_id
             WHERE revisions.id IN (SELECT revision_id FROM models WHERE source = 'hub')
             OR revisions.id IN (SELECT revision_id FROM downloads WHERE state NOT IN ('cancelled', 'done'))",
        );
        Ok(needed.fetch_all(&self.pool).await?)
    }

    /// Forgets the revisions that neither a model nor a download is of, and the repos that are left with none.
    ///
    /// # Errors
    /// The database fails.
    pub async fn forget_unused_revisions(&self) -> Result<()> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query(
            "DELETE FROM revisions WHERE id NOT IN (SELECT revision_id FROM models WHERE revision_id IS NOT NULL)
             AND id NOT IN (SELECT revision_id FROM downloads)",
        )
        .execute(&mut *transaction)
        .await?;
        sqlx::query("DELETE FROM repos WHERE id NOT IN (SELECT repo_id FROM revisions)")
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }
}

async fn note(connection: &mut SqliteConnection, new: NewRevision<'_>) -> Result<i64> {
    let repo = repos::note(connection, new.repo, new.licence, new.gated, new.is_listed).await?;
    let revision = sqlx::query_scalar(
        "INSERT INTO revisions (repo_id, commit_hash) VALUES (?, ?) ON CONFLICT DO UPDATE
         SET commit_hash = excluded.commit_hash RETURNING id",
    );
    let revision = revision.bind(repo).bind(new.commit_hash).fetch_one(&mut *connection).await?;
    files::note(connection, revision, new.files).await?;
    Ok(revision)
}
