//! Table `attachments`: text files that go with a question.

use serde::{Deserialize, Serialize};
use sqlx::SqliteConnection;

use crate::Result;

/// A text file that goes with a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// What the file is called, without its folder.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// Gives a message its files.
pub(crate) async fn attach(connection: &mut SqliteConnection, message: i64, files: &[Attachment]) -> Result<()> {
    for (number, Attachment { name, text }) in (0_i64..).zip(files) {
        let attach = sqlx::query("INSERT INTO attachments (message_id, number, name, text) VALUES (?, ?, ?, ?)");
        attach.bind(message).bind(number).bind(name).bind(text).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Gives a message the same files as another has.
pub(crate) async fn attach_those_of(connection: &mut SqliteConnection, message: i64, other: i64) -> Result<()> {
    let attach = sqlx::query(
        "INSERT INTO attachments (message_id, number, name, text)
         SELECT ?, number, name, text FROM attachments WHERE message_id = ?",
    );
    attach.bind(message).bind(other).execute(connection).await?;
    Ok(())
}
