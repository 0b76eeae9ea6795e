//! Table `repos`: where checkpoints came from.

use sqlx::SqliteConnection;

use crate::Result;

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
