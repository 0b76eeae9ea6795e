//! Table `conversations`.

use crate::{Result, Store};

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Conversation {
    /// Its number.
    pub id: i64,
    /// What the list calls it.
    pub title: String,
    /// The target that answered last, while its model is registered.
    pub target_id: Option<String>,
    /// The drafter used last, while its model is registered: its id, or [`LOOKUP`](crate::LOOKUP).
    pub drafter: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// When something was said last; milliseconds since 1970.
    pub updated_at: i64,
}

impl Store {
    /// Every conversation, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn conversations(&self) -> Result<Vec<Conversation>> {
        let all = sqlx::query_as("SELECT * FROM conversations ORDER BY updated_at DESC, id DESC");
        Ok(all.fetch_all(&self.pool).await?)
    }

    /// One conversation.
    ///
    /// # Errors
    /// The database fails.
    pub async fn conversation(&self, id: i64) -> Result<Option<Conversation>> {
        let one = sqlx::query_as("SELECT * FROM conversations WHERE id = ?").bind(id);
        Ok(one.fetch_optional(&self.pool).await?)
    }

    /// Begins a conversation.
    ///
    /// # Errors
    /// The database fails.
    pub async fn add_conversation(&self, title: &str) -> Result<Conversation> {
        let new = sqlx::query_as("INSERT INTO conversations (title) VALUES (?) RETURNING *").bind(title);
        Ok(new.fetch_one(&self.pool).await?)
    }

    /// Gives a conversation another title and returns whether it is there.
    ///
    /// # Errors
    /// The database fails.
    pub async fn rename_conversation(&self, id: i64, title: &str) -> Result<bool> {
        let rename = sqlx::query("UPDATE conversations SET title = ? WHERE id = ?").bind(title).bind(id);
        Ok(rename.execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Removes a conversation with its messages.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_conversation(&self, id: i64) -> Result<()> {
        sqlx::query("DELETE FROM conversations WHERE id = ?").bind(id).execute(&self.pool).await?;
        Ok(())
    }
}
