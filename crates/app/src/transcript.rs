//! A conversation for people, as Markdown, and for programs, as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};
use store::{Author, Conversation, State};

use crate::calendar::date;
use crate::history::said;
use crate::{App, Record, Result, StoredMessage};

/// The form of the JSON; another number once it says something else by the same words.
const FORM: u32 = 1;

impl App {
    /// The branch of a conversation that is shown, as Markdown.
    ///
    /// # Errors
    /// It is not there.
    pub async fn conversation_markdown(&self, id: i64) -> Result<String> {
        let conversation = self.conversation(id).await?;
        Ok(markdown(&conversation, &self.messages(id).await?))
    }

    /// All of a conversation, as JSON: every branch, and how each answer came about.
    ///
    /// # Errors
    /// It is not there.
    pub async fn conversation_json(&self, id: i64) -> Result<String> {
        let conversation = self.conversation(id).await?;
        let messages = self.store.all_messages(id).await?.into_iter().map(StoredMessage::from);
        let json = json!({
            "form": FORM,
            "slipstream": env!("CARGO_PKG_VERSION"),
            "conversation": {
                "id": id,
                "title": conversation.title,
                "system": conversation.system,
                "tags": conversation.tags,
                "pinned": conversation.pinned,
                "created_at": conversation.created_at,
                "updated_at": conversation.updated_at,
                "shown": conversation.leaf_id,
            },
            "messages": messages.map(|message| value(&message)).collect::<Vec<_>>(),
        });
        // Numbers and texts always have a JSON form.
        Ok(serde_json::to_string_pretty(&json).unwrap_or_default())
    }
}

fn value(message: &StoredMessage) -> Value {
    let attachments = message.attachments.iter().map(|file| json!({ "name": file.name, "text": file.text }));
    json!({
        "id": message.id,
        "parent": message.parent,
        "author": author(message.author),
        "thought": message.thought,
        "text": message.text,
        "attachments": attachments.collect::<Vec<_>>(),
        "state": state(message.state),
        "note": message.note,
        "created_at": message.created_at,
        "record": message.record,
    })
}

fn author(author: Author) -> &'static str {
    match author {
        Author::User => "user",
        Author::Assistant => "assistant",
    }
}

fn state(state: State) -> &'static str {
    match state {
        State::Complete => "complete",
        State::Running => "running",
        State::Stopped => "stopped",
        State::Failed => "failed",
        State::Interrupted => "interrupted",
    }
}

fn markdown(conversation: &Conversation, messages: &[StoredMessage]) -> String {
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = format!("# {}\n\n{}", line(&conversation.title), date(conversation.created_at));
    // Writing into a text cannot fail.
    let _ = conversation.tags.iter().try_for_each(|tag| write!(text, " · {}", line(tag)));
    text += "\n";
    if !conversation.system.is_empty() {
        let _ = write!(text, "\n## System\n\n{}\n", conversation.system);
    }
    for message in messages {
        let who = match (message.author, &message.record) {
            (Author::User, _) => "You".into(),
            (Author::Assistant, Some(record)) => line(&record.target),
            (Author::Assistant, None) => "Answer".into(),
        };
        let _ = write!(text, "\n## {who}\n");
        if !message.thought.trim().is_empty() {
            let quoted = message.thought.trim().lines().map(|line| format!("> {line}").trim_end().to_owned());
            let _ = write!(text, "\n> **Thought**\n>\n{}\n", quoted.collect::<Vec<_>>().join("\n"));
        }
        let whole = said(message.text.trim(), &message.attachments);
        if !whole.is_empty() {
            let _ = write!(text, "\n{whole}\n");
        }
        if message.author == Author::Assistant {
            let _ = write!(text, "\n*{}*\n", line(&numbers(message)));
        }
    }
    text
}

/// How an answer came about, in a line.
fn numbers(message: &StoredMessage) -> String {
    let mut said = Vec::new();
    if let Some(Record { target, drafter, answer, .. }) = &message.record {
        said.push(match drafter {
            Some(drafter) => format!("{target} with {drafter}"),
            None => target.clone(),
        });
        let stats = &answer.stats;
        said.push(format!("{} tokens", stats.tokens));
        said.extend(stats.tokens_per_s.map(|rate| format!("{rate:.1} tokens/s")));
        said.extend(stats.tokens_per_round.map(|tau| format!("τ {tau:.2}")));
        let sampling = &answer.controls.sampling;
        said.push(format!("temperature {}, seed {}", sampling.temperature, sampling.seed));
    }
    if message.state != State::Complete {
        said.push(state(message.state).into());
    }
    said.extend(message.note.clone());
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use engine::{Answer, Precision, Stats};
    use store::Attachment;

    use super::*;
    use crate::answering::testing::answer;

    fn message(author: Author, thought: &str, text: &str) -> StoredMessage {
        StoredMessage {
            id: 2,
            conversation: 1,
            parent: Some(1),
            siblings: vec![2],
            author,
            thought: thought.into(),
            text: text.into(),
            attachments: vec![],
            state: State::Complete,
            note: None,
            record: None,
            created_at: 0,
        }
    }

    #[test]
    fn a_conversation_is_readable_markdown() {
        let conversation = Conversation {
            id: 1,
            title: "Why\nrivers bend".into(),
            pinned: false,
            tags: vec!["water".into(), "work".into()],
            system: "Be brief.".into(),
            target_id: None,
            drafter: None,
            leaf_id: None,
            removed_at: None,
            created_at: 951_782_400_000,
            updated_at: 0,
        };
        let stats = Stats { tokens: 24, tokens_per_s: Some(31.25), tokens_per_round: Some(2.4), ..Stats::default() };
        let record = Record {
            target: "t".into(),
            drafter: Some("d".into()),
            precision: Precision::Float32,
            answer: Answer { stats, ..answer("") },
            rerun: None,
        };
        let file = Attachment { name: "a.txt".into(), text: "Water.\n".into() };
        let messages = [
            message(Author::User, "", "Why do *rivers* bend?\n"),
            StoredMessage { record: Some(record), ..message(Author::Assistant, "Hm.\n\nWater.", "They erode.") },
            StoredMessage { attachments: vec![file], ..message(Author::User, "", "And?") },
            StoredMessage { state: State::Failed, note: Some("No room.".into()), ..message(Author::Assistant, "", "") },
        ];
        let temperature = engine::Sampling::default().temperature;
        let expected = format!(
            "# Why rivers bend\n\n2000-02-29 · water · work\n\n## System\n\nBe brief.\n\n## You\n\n\
             Why do *rivers* bend?\n\n## t\n\n> **Thought**\n>\n> Hm.\n>\n> Water.\n\nThey erode.\n\n\
             *t with d; 24 tokens; 31.2 tokens/s; τ 2.40; temperature {temperature}, seed 0*\n\n## You\n\n\
             a.txt:\n```\nWater.\n```\n\nAnd?\n\n\
             ## Answer\n\n*failed; No room.*\n"
        );
        assert_eq!(markdown(&conversation, &messages), expected);
    }
}
