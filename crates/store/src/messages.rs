//! Table `messages`.

use sqlx::SqliteConnection;

use crate::{LOOKUP, Result, Store, pairings};

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "snake_case")]
pub enum Author {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// How far a message got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "snake_case")]
pub enum State {
    /// It is whole.
    Complete,
    /// It is being written.
    Running,
    /// The user stopped it.
    Stopped,
    /// An error ended it.
    Failed,
    /// The app ended while it was being written.
    Interrupted,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Message {
    /// Its number, never used twice.
    pub id: i64,
    /// Where it belongs.
    pub conversation_id: i64,
    /// Who wrote it.
    pub author: Author,
    /// What the model thought before it said this; empty for the user's messages.
    pub thought: String,
    /// What it says.
    pub text: String,
    /// How far it got.
    pub state: State,
    /// What the user should know about how it ended.
    pub note: Option<String>,
    /// The answer's whole record, JSON.
    pub answer: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// What an answer says so far, or in the end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written<'a> {
    /// What the model thought before it answered.
    pub thought: &'a str,
    /// What it answers.
    pub text: &'a str,
}

impl Store {
    /// The messages of a conversation in order.
    ///
    /// # Errors
    /// The database fails.
    pub async fn messages(&self, conversation: i64) -> Result<Vec<Message>> {
        let all = sqlx::query_as("SELECT * FROM messages WHERE conversation_id = ? ORDER BY id").bind(conversation);
        Ok(all.fetch_all(&self.pool).await?)
    }

    /// One message.
    ///
    /// # Errors
    /// The database fails.
    pub async fn message(&self, id: i64) -> Result<Option<Message>> {
        Ok(sqlx::query_as("SELECT * FROM messages WHERE id = ?").bind(id).fetch_optional(&self.pool).await?)
    }

    /// The newest message with a record.
    ///
    /// # Errors
    /// The database fails.
    pub async fn newest_answer(&self) -> Result<Option<Message>> {
        let newest = sqlx::query_as("SELECT * FROM messages WHERE answer IS NOT NULL ORDER BY id DESC LIMIT 1");
        Ok(newest.fetch_optional(&self.pool).await?)
    }

    /// Stores a question and its answer, which is running and still empty, and notes who answers. The drafter is a
    /// model's id, or [`LOOKUP`](crate::LOOKUP).
    ///
    /// # Errors
    /// There is no such conversation or model, or the database fails.
    pub async fn ask(
        &self,
        conversation: i64,
        text: &str,
        target: &str,
        drafter: Option<&str>,
    ) -> Result<(Message, Message)> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query(
            "UPDATE conversations SET target_id = ?, drafter_id = ?, lookup = ?,
             updated_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE id = ?",
        )
        .bind(target)
        .bind(drafter.filter(|&drafter| drafter != LOOKUP))
        .bind(drafter == Some(LOOKUP))
        .bind(conversation)
        .execute(&mut *transaction)
        .await?;
        pairings::note(&mut transaction, target, drafter).await?;
        let question = insert(&mut transaction, conversation, Author::User, text, State::Complete).await?;
        let answer = insert(&mut transaction, conversation, Author::Assistant, "", State::Running).await?;
        transaction.commit().await?;
        Ok((question, answer))
    }

    /// Keeps what a running message says so far.
    ///
    /// # Errors
    /// The database fails.
    pub async fn save_written(&self, message: i64, Written { thought, text }: Written<'_>) -> Result<()> {
        let save = sqlx::query("UPDATE messages SET thought = ?, text = ? WHERE id = ?");
        save.bind(thought).bind(text).bind(message).execute(&self.pool).await?;
        Ok(())
    }

    /// Ends a message; `answer` is its record as JSON.
    ///
    /// # Errors
    /// The record is no JSON, or the database fails.
    pub async fn end_message(
        &self,
        message: i64,
        Written { thought, text }: Written<'_>,
        state: State,
        note: Option<&str>,
        answer: Option<&str>,
    ) -> Result<()> {
        sqlx::query("UPDATE messages SET thought = ?, text = ?, state = ?, note = ?, answer = ? WHERE id = ?")
            .bind(thought)
            .bind(text)
            .bind(state)
            .bind(note)
            .bind(answer)
            .bind(message)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Marks every running message as interrupted: the process that wrote it is gone.
    ///
    /// # Errors
    /// The database fails.
    pub async fn interrupt_running(&self) -> Result<()> {
        let interrupt = sqlx::query("UPDATE messages SET state = 'interrupted' WHERE state = 'running'");
        interrupt.execute(&self.pool).await?;
        Ok(())
    }
}

async fn insert(
    connection: &mut SqliteConnection,
    conversation: i64,
    author: Author,
    text: &str,
    state: State,
) -> Result<Message> {
    let new =
        sqlx::query_as("INSERT INTO messages (conversation_id, author, text, state) VALUES (?, ?, ?, ?) RETURNING *");
    let new = new.bind(conversation).bind(author).bind(text).bind(state);
    Ok(new.fetch_one(connection).await?)
}
