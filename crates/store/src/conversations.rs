//! Table `conversations`.

use sqlx::types::Json;

use crate::{Result, Store};

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Conversation {
    /// Its number.
    pub id: i64,
    /// What the list calls it.
    pub title: String,
    /// Whether it stands before those that are not.
    pub pinned: bool,
    /// Short texts to find it by.
    #[sqlx(json)]
    pub tags: Vec<String>,
    /// What the models are told before anything is said; often nothing.
    pub system: String,
    /// The target that answered last, while its model is registered.
    pub target_id: Option<String>,
    /// The drafter used last, while its model is registered: its id, or [`LOOKUP`](crate::LOOKUP).
    pub drafter: Option<String>,
    /// The newest message of the branch that it shows; `None` before anything was said.
    pub leaf_id: Option<i64>,
    /// When it left the list, from which it can come back; milliseconds since 1970.
    pub removed_at: Option<i64>,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// When something was said last; milliseconds since 1970.
    pub updated_at: i64,
}

impl Store {
    /// The conversations in the list: those that are pinned, then the others, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn conversations(&self) -> Result<Vec<Conversation>> {
        let all = sqlx::query_as(
            "SELECT * FROM conversations WHERE removed_at IS NULL ORDER BY pinned DESC, updated_at DESC, id DESC",
        );
        Ok(all.fetch_all(&self.pool).await?)
    }

    /// The conversations that left the list and can come back, the last that left first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn removed_conversations(&self) -> Result<Vec<Conversation>> {
        let all = sqlx::query_as(
            "SELECT * FROM conversations WHERE removed_at IS NOT NULL ORDER BY removed_at DESC, id DESC",
        );
        Ok(all.fetch_all(&self.pool).await?)
    }

    /// One conversation of the list.
    ///
    /// # Errors
    /// The database fails.
    pub async fn conversation(&self, id: i64) -> Result<Option<Conversation>> {
        let one = sqlx::query_as("SELECT * FROM conversations WHERE id = ? AND removed_at IS NULL").bind(id);
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

    /// Gives a conversation of the list another title and returns whether it is there.
    ///
    /// # Errors
    /// The database fails.
    pub async fn rename_conversation(&self, id: i64, title: &str) -> Result<bool> {
        let rename = sqlx::query("UPDATE conversations SET title = ? WHERE id = ? AND removed_at IS NULL");
        Ok(rename.bind(title).bind(id).execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Pins a conversation of the list, or does not any more, and returns whether it is there.
    ///
    /// # Errors
    /// The database fails.
    pub async fn pin_conversation(&self, id: i64, pinned: bool) -> Result<bool> {
        let pin = sqlx::query("UPDATE conversations SET pinned = ? WHERE id = ? AND removed_at IS NULL");
        Ok(pin.bind(pinned).bind(id).execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Gives a conversation of the list other tags and returns whether it is there.
    ///
    /// # Errors
    /// The database fails.
    pub async fn tag_conversation(&self, id: i64, tags: &[String]) -> Result<bool> {
        let tag = sqlx::query("UPDATE conversations SET tags = ? WHERE id = ? AND removed_at IS NULL");
        Ok(tag.bind(Json(tags)).bind(id).execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Tells the models of a conversation of the list something else before anything is said, and returns whether it is
    /// there.
    ///
    /// # Errors
    /// The database fails.
    pub async fn set_system(&self, id: i64, system: &str) -> Result<bool> {
        let set = sqlx::query("UPDATE conversations SET system = ? WHERE id = ? AND removed_at IS NULL");
        Ok(set.bind(system).bind(id).execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Takes a conversation off the list.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_conversation(&self, id: i64) -> Result<()> {
        let remove = sqlx::query(
            "UPDATE conversations SET removed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
             WHERE id = ? AND removed_at IS NULL",
        );
        remove.bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// Brings a conversation back that left the list; `None` if it is not among those.
    ///
    /// # Errors
    /// The database fails.
    pub async fn restore_conversation(&self, id: i64) -> Result<Option<Conversation>> {
        let restore = sqlx::query_as(
            "UPDATE conversations SET removed_at = NULL WHERE id = ? AND removed_at IS NOT NULL RETURNING *",
        );
        Ok(restore.bind(id).fetch_optional(&self.pool).await?)
    }

    /// Deletes a conversation that left the list, with all that was said in it, and returns whether it was among those.
    ///
    /// # Errors
    /// The database fails.
    pub async fn forget_conversation(&self, id: i64) -> Result<bool> {
        let forget = sqlx::query("DELETE FROM conversations WHERE id = ? AND removed_at IS NOT NULL").bind(id);
        Ok(forget.execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Deletes the conversations that left the list before `time`, milliseconds since 1970.
    ///
    /// # Errors
    /// The database fails.
    pub async fn forget_removed_before(&self, time: i64) -> Result<()> {
        sqlx::query("DELETE FROM conversations WHERE removed_at < ?").bind(time).execute(&self.pool).await?;
        Ok(())
    }
}
