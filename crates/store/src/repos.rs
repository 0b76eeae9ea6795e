//! Table `repos`: where checkpoints came from.

use sqlx::SqliteConnection;

use crate::{Result, Store};

/// Who gets a repo's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "snake_case")]
pub enum Gated {
    /// Everybody.
    No,
    /// Whoever accepts the licence.
    Auto,
    /// Whomever the publisher lets in.
    Manual,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Repo {
    /// Its number.
    pub id: i64,
    /// `owner/name` as the Hub spells it; unique, whatever the case of its letters.
    pub name: String,
    /// The licence's identifier.
    pub licence: Option<String>,
    /// Who gets its files.
    pub gated: Gated,
}

impl Store {
    /// The repo called `name`, in any case.
    ///
    /// # Errors
    /// The database fails.
    pub async fn repo(&self, name: &str) -> Result<Option<Repo>> {
        Ok(sqlx::query_as("SELECT * FROM repos WHERE name = ?").bind(name).fetch_optional(&self.pool).await?)
    }
}

/// Writes down what is known of a repo by now, and returns its number. Its name is only spelt anew by the Hub itself.
pub(crate) async fn note(
    connection: &mut SqliteConnection,
    name: &str,
    licence: Option<&str>,
    gated: Gated,
    is_of_hub: bool,
) -> Result<i64> {
    let note = sqlx::query_scalar(
        "INSERT INTO repos (name, licence, gated) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE
         SET name = iif(?, excluded.name, name), licence = ifnull(excluded.licence, licence), gated = excluded.gated RETURNING id",
    );
    Ok(note.bind(name).bind(licence).bind(gated).bind(is_of_hub).fetch_one(connection).await?)
}
