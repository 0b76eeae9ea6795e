//! Table `messages`.

use sqlx::SqliteConnection;

use crate::attachments::{attach, attach_those_of};
use crate::{Attachment, Conversation, LOOKUP, Result, Store, pairings};

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
    /// The message that it follows; `None` of one with which the conversation begins.
    pub parent_id: Option<i64>,
    /// All messages that follow the same one, itself among them, in the order in which they came.
    #[sqlx(json)]
    pub siblings: Vec<i64>,
    /// Who wrote it.
    pub author: Author,
    /// Text files that go with it.
    #[sqlx(json)]
    pub attachments: Vec<Attachment>,
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

/// What to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask<'a> {
    /// A new question behind the branch that a conversation shows.
    Next {
        /// The conversation.
        conversation: i64,
        /// The question.
        text: &'a str,
        /// Text files that go with it.
        attachments: &'a [Attachment],
    },
    /// A new question beside another one, with the same files.
    Beside {
        /// The other one's message.
        question: i64,
        /// The new one.
        text: &'a str,
    },
    /// A question that was asked before.
    Again {
        /// Its message.
        question: i64,
    },
    /// The rest of an answer, in its own message.
    Rest {
        /// The answer.
        answer: i64,
    },
}

/// A question, and the answer that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Where.
    pub conversation: Conversation,
    /// What was said before the question, in order.
    pub earlier: Vec<Message>,
    /// The question.
    pub question: Message,
    /// The answer, which is running; it is still empty unless it is to go on.
    pub answer: Message,
}

impl Store {
    /// The branch of a conversation that is shown, in order.
    ///
    /// # Errors
    /// The database fails.
    pub async fn messages(&self, conversation: i64) -> Result<Vec<Message>> {
        let leaf = sqlx::query_scalar("SELECT leaf_id FROM conversations WHERE id = ?").bind(conversation);
        let leaf: Option<i64> = leaf.fetch_optional(&self.pool).await?.flatten();
        match leaf {
            Some(leaf) => branch(&mut *self.pool.acquire().await?, leaf).await,
            None => Ok(Vec::new()),
        }
    }

    /// Every message of a conversation, on whatever branch, in the order in which they came.
    ///
    /// # Errors
    /// The database fails.
    pub async fn all_messages(&self, conversation: i64) -> Result<Vec<Message>> {
        let all = sqlx::query_as("SELECT * FROM whole_messages WHERE conversation_id = ? ORDER BY id");
        Ok(all.bind(conversation).fetch_all(&self.pool).await?)
    }

    /// One message.
    ///
    /// # Errors
    /// The database fails.
    pub async fn message(&self, id: i64) -> Result<Option<Message>> {
        let one = sqlx::query_as("SELECT * FROM whole_messages WHERE id = ?").bind(id);
        Ok(one.fetch_optional(&self.pool).await?)
    }

    /// The newest message with a record, of the conversations in the list.
    ///
    /// # Errors
    /// The database fails.
    pub async fn newest_answer(&self) -> Result<Option<Message>> {
        let newest = sqlx::query_as(
            "SELECT * FROM whole_messages WHERE answer IS NOT NULL
             AND conversation_id IN (SELECT id FROM conversations WHERE removed_at IS NULL) ORDER BY id DESC LIMIT 1",
        );
        Ok(newest.fetch_optional(&self.pool).await?)
    }

    /// When answers failed and why: the newest first, and no more than `most`.
    ///
    /// # Errors
    /// The database fails.
    pub async fn failures(&self, most: i64) -> Result<Vec<(i64, String)>> {
        let failed = sqlx::query_as(
            "SELECT created_at, note FROM messages WHERE state = 'failed' AND note IS NOT NULL ORDER BY id DESC LIMIT ?",
        );
        Ok(failed.bind(most).fetch_all(&self.pool).await?)
    }

    /// Shows the branch through a message to the newest one behind it, and returns its conversation; `None` if there is
    /// no such message.
    ///
    /// # Errors
    /// The database fails.
    pub async fn show_branch(&self, message: i64) -> Result<Option<i64>> {
        let show = sqlx::query_scalar(
            "WITH RECURSIVE behind (id) AS (
                 SELECT ?1 UNION ALL SELECT messages.id FROM behind JOIN messages ON messages.parent_id = behind.id
             )
             UPDATE conversations SET leaf_id = (SELECT max(id) FROM behind)
             WHERE id = (SELECT conversation_id FROM messages WHERE id = ?1) RETURNING id",
        );
        Ok(show.bind(message).fetch_optional(&self.pool).await?)
    }

    /// Stores what is asked with an answer that is running, shows the branch that ends with it, and notes
    /// who answers. The drafter is a model's id, or [`LOOKUP`](crate::LOOKUP).
    ///
    /// # Errors
    /// There is no such conversation, question or model, or the database fails.
    pub async fn ask(&self, ask: Ask<'_>, target: &str, drafter: Option<&str>) -> Result<Asked> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let question = place(&mut transaction, ask).await?;
        let answer = match ask {
            Ask::Rest { answer } => resumed(&mut transaction, answer).await?,
            _ => begun(&mut transaction, question).await?,
        };
        let conversation = sqlx::query_as(
            "UPDATE conversations SET leaf_id = ?1, target_id = ?2, drafter_id = ?3, lookup = ?4,
             updated_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
             WHERE id = (SELECT conversation_id FROM messages WHERE id = ?1) RETURNING *",
        )
        .bind(answer)
        .bind(target)
        .bind(drafter.filter(|&drafter| drafter != LOOKUP))
        .bind(drafter == Some(LOOKUP))
        .fetch_one(&mut *transaction)
        .await?;
        pairings::note(&mut transaction, target, drafter).await?;
        let mut earlier = branch(&mut transaction, answer).await?;
        let (Some(answer), Some(question)) = (earlier.pop(), earlier.pop()) else {
            return Err(sqlx::Error::RowNotFound.into());
        };
        transaction.commit().await?;
        Ok(Asked { conversation, earlier, question, answer })
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

/// The message of an answer that goes on. It keeps its record until it has another one.
async fn resumed(connection: &mut SqliteConnection, answer: i64) -> Result<i64> {
    let resumed = sqlx::query_scalar("UPDATE messages SET state = 'running', note = NULL WHERE id = ? RETURNING id");
    Ok(resumed.bind(answer).fetch_one(connection).await?)
}

/// The message of a new answer.
async fn begun(connection: &mut SqliteConnection, question: i64) -> Result<i64> {
    let begun = sqlx::query_scalar(
        "INSERT INTO messages (conversation_id, parent_id, author, text, state)
         SELECT conversation_id, id, 'assistant', '', 'running' FROM messages WHERE id = ? RETURNING id",
    );
    Ok(begun.bind(question).fetch_one(connection).await?)
}

/// The message of what is asked, which is new unless it was asked before.
async fn place(connection: &mut SqliteConnection, ask: Ask<'_>) -> Result<i64> {
    match ask {
        Ask::Next { conversation, text, attachments } => {
            let next = sqlx::query_scalar(
                "INSERT INTO messages (conversation_id, parent_id, author, text, state)
                 SELECT id, leaf_id, 'user', ?, 'complete' FROM conversations WHERE id = ? RETURNING id",
            );
            let message = next.bind(text).bind(conversation).fetch_one(&mut *connection).await?;
            attach(connection, message, attachments).await?;
            Ok(message)
        }
        Ask::Beside { question, text } => {
            let beside = sqlx::query_scalar(
                "INSERT INTO messages (conversation_id, parent_id, author, text, state)
                 SELECT conversation_id, parent_id, 'user', ?, 'complete' FROM messages WHERE id = ? RETURNING id",
            );
            let message = beside.bind(text).bind(question).fetch_one(&mut *connection).await?;
            attach_those_of(connection, message, question).await?;
            Ok(message)
        }
        Ask::Again { question } => Ok(question),
        Ask::Rest { answer } => {
            let question = sqlx::query_scalar("SELECT parent_id FROM messages WHERE id = ?");
            Ok(question.bind(answer).fetch_one(connection).await?)
        }
    }
}

/// The branch that ends with this message, in order.
async fn branch(connection: &mut SqliteConnection, end: i64) -> Result<Vec<Message>> {
    // What is said later has the larger id.
    let branch = sqlx::query_as(
        "WITH RECURSIVE branch (id) AS (
             SELECT ? UNION ALL SELECT parent_id FROM branch JOIN messages USING (id) WHERE parent_id IS NOT NULL
         )
         SELECT whole_messages.* FROM branch JOIN whole_messages USING (id) ORDER BY id",
    );
    Ok(branch.bind(end).fetch_all(connection).await?)
}
