//! Conversations: the list, what was said in each, and finding it again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use store::{Attachment, Author, Conversation, Found, State, UnsentMessage};

use crate::{App, Error, Record, Result};

/// How long a conversation that left the list can come back.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// The most letters of a tag.
const TAG: usize = 40;

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// Its number.
    pub id: i64,
    /// Where it stands.
    pub conversation: i64,
    /// The message that it follows; `None` of one with which the conversation begins.
    pub parent: Option<i64>,
    /// All messages that follow the same one, itself among them, in the order in which they came.
    pub siblings: Vec<i64>,
    /// Who wrote it.
    pub author: Author,
    /// What the model thought before it said this.
    pub thought: String,
    /// What it says.
    pub text: String,
    /// Text files that go with it.
    pub attachments: Vec<Attachment>,
    /// How far it got.
    pub state: State,
    /// What the user should know about how it was read or how it ended.
    pub note: Option<String>,
    /// How it came about; `None` for the user's messages, answers without an end, and records that cannot be read.
    pub record: Option<Record>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

impl App {
    /// The conversations in the list: those that are pinned, then the others, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn conversations(&self) -> Result<Vec<Conversation>> {
        Ok(self.store.conversations().await?)
    }

    /// One conversation of the list.
    ///
    /// # Errors
    /// It is not there.
    pub async fn conversation(&self, id: i64) -> Result<Conversation> {
        self.store.conversation(id).await?.ok_or(Error::NoSuchConversation(id))
    }

    /// The branch of a conversation that is shown, in order.
    ///
    /// # Errors
    /// The database fails.
    pub async fn messages(&self, conversation: i64) -> Result<Vec<StoredMessage>> {
        Ok(self.store.messages(conversation).await?.into_iter().map(StoredMessage::from).collect())
    }

    /// One message, on whatever branch.
    ///
    /// # Errors
    /// It is not there.
    pub async fn message(&self, id: i64) -> Result<StoredMessage> {
        Ok(self.store.message(id).await?.ok_or(Error::NoSuchMessage(id))?.into())
    }

    /// Shows the branch through a message to the newest one behind it, and returns it.
    ///
    /// # Errors
    /// There is no such message.
    pub async fn show_branch(&self, message: i64) -> Result<Vec<StoredMessage>> {
        let conversation = self.store.show_branch(message).await?.ok_or(Error::NoSuchMessage(message))?;
        self.messages(conversation).await
    }

    /// The conversations in which a title or a message has all these words, the last of which may be a beginning: what
    /// suits best first, at most 50.
    ///
    /// # Errors
    /// The database fails.
    pub async fn search(&self, text: &str) -> Result<Vec<Found>> {
        Ok(self.store.search(text).await?)
    }

    /// Gives a conversation another title; an empty one changes nothing.
    ///
    /// # Errors
    /// It is not there.
    pub async fn rename_conversation(&self, id: i64, title: &str) -> Result<()> {
        let title = title.trim();
        let kept = title.is_empty() || self.store.rename_conversation(id, title).await?;
        if kept { Ok(()) } else { Err(Error::NoSuchConversation(id)) }
    }

    /// Pins a conversation, so that it stands before those that are not; or does not any more.
    ///
    /// # Errors
    /// It is not there.
    pub async fn pin_conversation(&self, id: i64, pinned: bool) -> Result<()> {
        if self.store.pin_conversation(id, pinned).await? { Ok(()) } else { Err(Error::NoSuchConversation(id)) }
    }

    /// Gives a conversation these tags and no others, and returns them as they are kept: in one line each, and once.
    ///
    /// # Errors
    /// A tag is too long, or the conversation is not there.
    pub async fn tag_conversation(&self, id: i64, tags: &[String]) -> Result<Vec<String>> {
        let tags = tidy(tags)?;
        if self.store.tag_conversation(id, &tags).await? { Ok(tags) } else { Err(Error::NoSuchConversation(id)) }
    }

    /// Tells the models of a conversation something else before anything is said; nothing if it is empty.
    ///
    /// # Errors
    /// It is not there.
    pub async fn set_system(&self, id: i64, system: &str) -> Result<()> {
        if self.store.set_system(id, system.trim()).await? { Ok(()) } else { Err(Error::NoSuchConversation(id)) }
    }

    /// What is typed and attached and not sent yet, of every conversation in which there is something.
    ///
    /// # Errors
    /// The database fails.
    pub async fn unsent_messages(&self) -> Result<Vec<UnsentMessage>> {
        Ok(self.store.unsent_messages().await?)
    }

    /// Keeps what is typed in a conversation, in place of what was there before. It goes with the conversation.
    ///
    /// # Errors
    /// There is no such conversation, or the database fails.
    pub async fn keep_unsent_message(&self, message: &UnsentMessage) -> Result<()> {
        Ok(self.store.keep_unsent_message(message).await?)
    }

    /// Takes a conversation off the list, and stops the answer that is being written in it. It can come back for 30 days.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_conversation(&self, id: i64) -> Result<()> {
        if let Some(running) = self.running().await.filter(|running| running.conversation == id) {
            running.answering.cancel();
        }
        Ok(self.store.remove_conversation(id).await?)
    }

    /// The conversations that left the list and can come back, the last that left first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn removed_conversations(&self) -> Result<Vec<Conversation>> {
        Ok(self.store.removed_conversations().await?)
    }

    /// Brings a conversation back that left the list.
    ///
    /// # Errors
    /// It is not among those.
    pub async fn restore_conversation(&self, id: i64) -> Result<Conversation> {
        self.store.restore_conversation(id).await?.ok_or(Error::NotRemoved(id))
    }

    /// Deletes a conversation that left the list for good, with all that was said in it.
    ///
    /// # Errors
    /// It is not among those.
    pub async fn forget_conversation(&self, id: i64) -> Result<()> {
        if self.store.forget_conversation(id).await? { Ok(()) } else { Err(Error::NotRemoved(id)) }
    }

    /// Deletes the conversations for good that can come back no more.
    pub(crate) async fn forget_old_conversations(&self) -> Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let before = i64::try_from(now.saturating_sub(KEPT).as_millis()).unwrap_or_default();
        Ok(self.store.forget_removed_before(before).await?)
    }
}

/// Tags in one line each, without those that say the same as one before.
fn tidy(tags: &[String]) -> Result<Vec<String>> {
    let mut tidied: Vec<String> = Vec::new();
    for tag in tags {
        let tag = tag.split_whitespace().collect::<Vec<_>>().join(" ");
        if tag.chars().count() > TAG {
            return Err(Error::LongTag { tag, most: TAG });
        }
        if !tag.is_empty() && !tidied.iter().any(|known| known.to_lowercase() == tag.to_lowercase()) {
            tidied.push(tag);
        }
    }
    Ok(tidied)
}

impl From<store::Message> for StoredMessage {
    fn from(row: store::Message) -> Self {
        let record = row.answer.and_then(|json| serde_json::from_str(&json).ok());
        let store::Message { id, siblings, author, thought, text, attachments, state, note, created_at, .. } = row;
        let (conversation, parent) = (row.conversation_id, row.parent_id);
        Self { id, conversation, parent, siblings, author, thought, text, attachments, state, note, record, created_at }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use store::{Ask, Asked, Written};

    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn a_record_that_cannot_be_read_does_not_hide_its_message() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let conversation = app.store.add_conversation("Why?").await.unwrap().id;
        let Asked { answer, .. } =
            app.store.ask(Ask::Next { conversation, text: "Why?", attachments: &[] }, "t", None).await.unwrap();
        let written = Written { thought: "Why?", text: "Because." };
        app.store.end_message(answer.id, written, State::Complete, None, Some("[]")).await.unwrap();
        let stored = app.messages(conversation).await.unwrap().pop().unwrap();
        assert_eq!((stored.text.as_str(), stored.record), ("Because.", None));
    }

    #[tokio::test]
    async fn what_is_removed_comes_back_for_a_month_even_if_the_app_ends_meanwhile() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let before = app.store.add_conversation("Why?").await.unwrap();
        let id = before.id;
        assert!(matches!(app.restore_conversation(id).await, Err(Error::NotRemoved(_))), "it is in the list");
        assert!(matches!(app.forget_conversation(id).await, Err(Error::NotRemoved(_))));
        app.remove_conversation(id).await.unwrap();
        for refused in [app.pin_conversation(id, true).await, app.rename_conversation(id, "What?").await] {
            assert!(matches!(refused, Err(Error::NoSuchConversation(_))));
        }
        let again = App::open(&home.path().join("home")).await.unwrap();
        assert_eq!(again.removed_conversations().await.unwrap()[0].id, id);
        assert_eq!(again.restore_conversation(id).await.unwrap(), before);

        app.remove_conversation(id).await.unwrap();
        app.forget_conversation(id).await.unwrap();
        assert!(matches!(app.restore_conversation(id).await, Err(Error::NotRemoved(_))));
    }

    #[tokio::test]
    async fn tags_are_short_lines_and_each_is_there_once() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let id = app.store.add_conversation("Why?").await.unwrap().id;
        let tags = ["  Big\n ideas", "Straße", "", "big ideas", "work"].map(String::from);
        let kept = app.tag_conversation(id, &tags).await.unwrap();
        assert_eq!(kept, ["Big ideas", "Straße", "work"]);
        assert_eq!(app.conversation(id).await.unwrap().tags, kept);
        let refused = app.tag_conversation(id, &["あ".repeat(41)]).await.unwrap_err();
        assert!(refused.to_string().ends_with("is too long: at most 40 letters, please"), "{refused}");
        assert_eq!(app.conversation(id).await.unwrap().tags, kept);
        assert!(matches!(app.tag_conversation(id + 1, &tags).await, Err(Error::NoSuchConversation(_))));
    }
}
