//! Table `unsent_messages`: what is typed and not sent yet.

use sqlx::types::Json;

use crate::{Attachment, Result, Store};

/// What is typed and attached in a conversation, and not sent yet.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct UnsentMessage {
    /// The conversation; `None` is the new chat.
    pub conversation_id: Option<i64>,
    /// What is typed.
    pub text: String,
    /// Text files that are to go with it.
    #[sqlx(json)]
    pub attachments: Vec<Attachment>,
    /// What the models of the new chat are to be told before; empty for a conversation, which has its own.
    pub system: String,
}

impl Store {
    /// What is not sent yet, of every conversation in which there is something.
    ///
    /// # Errors
    /// The database fails.
    pub async fn unsent_messages(&self) -> Result<Vec<UnsentMessage>> {
        Ok(sqlx::query_as("SELECT * FROM unsent_messages").fetch_all(&self.pool).await?)
    }

    /// Keeps what is typed in a conversation in place of what was there before; nothing of it is no row.
    ///
    /// # Errors
    /// There is no such conversation, or the database fails.
    pub async fn keep_unsent_message(&self, message: &UnsentMessage) -> Result<()> {
        let UnsentMessage { conversation_id, text, attachments, system } = message;
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        // The new chat's has no number, and so no conflict that an upsert could name.
        let before = sqlx::query("DELETE FROM unsent_messages WHERE conversation_id IS ?").bind(conversation_id);
        before.execute(&mut *transaction).await?;
        if !(text.is_empty() && attachments.is_empty() && system.is_empty()) {
            let keep = sqlx::query(
                "INSERT INTO unsent_messages (conversation_id, text, attachments, system) VALUES (?, ?, ?, ?)",
            );
            let keep = keep.bind(conversation_id).bind(text).bind(Json(attachments)).bind(system);
            keep.execute(&mut *transaction).await?;
        }
        Ok(transaction.commit().await?)
    }
}
