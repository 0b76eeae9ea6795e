//! Table `rounds`: what an answer's rounds did.

use crate::{Result, Store};

impl Store {
    /// Keeps what the rounds of a message did, a list in JSON.
    ///
    /// # Errors
    /// There is no such message, this is no list, or the database fails.
    pub async fn keep_rounds(&self, message: i64, rounds: &str) -> Result<()> {
        let keep = sqlx::query("INSERT OR REPLACE INTO rounds (message_id, rounds) VALUES (?, ?)");
        keep.bind(message).bind(rounds).execute(&self.pool).await?;
        Ok(())
    }

    /// What the rounds of a message did; `None` if that was not kept.
    ///
    /// # Errors
    /// The database fails.
    pub async fn rounds(&self, message: i64) -> Result<Option<String>> {
        let rounds = sqlx::query_scalar("SELECT rounds FROM rounds WHERE message_id = ?");
        Ok(rounds.bind(message).fetch_optional(&self.pool).await?)
    }
}
