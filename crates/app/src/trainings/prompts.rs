//! What a target is asked so that a drafter can learn from its answers.

use std::fs;
use std::path::Path;

use engine::{Message, Prompt, Role, size};
use serde::{Deserialize, Serialize};
use store::Author;

use super::TrainingData;
use crate::history::history;
use crate::library::blocking;
use crate::{App, Error, Result, Suite};

/// The most bytes of a file of prompts: more of them than anybody waits for.
const MOST: u64 = 64 << 20;

/// A line of a file of JSON lines.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "it has neither a “prompt” nor “messages”")]
enum Line {
    Prompt { prompt: String },
    Messages { messages: Vec<Message> },
}

impl App {
    /// The prompts of `data`.
    pub(crate) async fn prompts(&self, data: &TrainingData) -> Result<Vec<Prompt>> {
        match data {
            TrainingData::Suites(ids) => {
                let suite = |id: &String| Suite::named(id).ok_or_else(|| Error::NoSuchSuite(id.clone()));
                let suites = ids.iter().map(suite).collect::<Result<Vec<_>>>()?;
                Ok(suites.iter().flat_map(Suite::prompts).map(question).collect())
            }
            TrainingData::Conversations => {
                Ok(self.questions().await?.into_iter().map(|(_, question)| question).collect())
            }
            TrainingData::File(path) => {
                let path = path.clone();
                blocking(move || chosen(&path)).await
            }
        }
    }

    /// Every question of the branches that the conversations of the list show, each with its conversation's number, and
    /// with what was said before it.
    pub(crate) async fn questions(&self) -> Result<Vec<(i64, Prompt)>> {
        let mut prompts = Vec::new();
        for conversation in self.store.conversations().await? {
            let messages = self.store.messages(conversation.id).await?;
            let asked = messages.iter().enumerate().filter(|(_, message)| message.author == Author::User);
            prompts.extend(asked.map(|(at, message)| {
                (conversation.id, Prompt::Chat(history(&conversation.system, &messages[..at], message)))
            }));
        }
        if prompts.is_empty() { Err(Error::NoQuestions) } else { Ok(prompts) }
    }
}

/// What `data` is, in a few words, if it has so many prompts.
pub(super) fn described(data: &TrainingData, prompts: usize) -> String {
    match data {
        TrainingData::Suites(ids) => {
            let titles = ids.iter().filter_map(|id| Suite::named(id)).map(|suite| suite.title).collect::<Vec<_>>();
            format!("{prompts} prompts: {}", titles.join(", "))
        }
        TrainingData::Conversations => format!("{prompts} questions of your own conversations"),
        TrainingData::File(path) => {
            format!("{prompts} prompts of {}", path.file_name().unwrap_or_default().to_string_lossy())
        }
    }
}

/// The prompts in a file that somebody chose.
fn chosen(path: &Path) -> Result<Vec<Prompt>> {
    let failed = |reason: String| Error::Prompts { path: path.to_owned(), reason };
    // Before it is opened: a pipe would wait for whoever writes into it.
    let found = fs::metadata(path).map_err(|error| failed(error.to_string()))?;
    match (found.is_file(), found.len()) {
        (false, _) => Err(failed("it is no file of text".into())),
        (true, bytes) if bytes > MOST => Err(failed(format!("it is larger than {}; use a part of it", size(MOST)))),
        (true, _) => read(path),
    }
}

/// The prompts in a file: of a `.jsonl`, a `{"prompt": …}` or `{"messages": […]}` in each line; of any other, a line each.
pub(super) fn read(path: &Path) -> Result<Vec<Prompt>> {
    let failed = |reason: String| Error::Prompts { path: path.to_owned(), reason };
    let bytes = fs::read(path).map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
        failed(format!("line {} is not UTF-8 text", 1 + before.matches('\n').count()))
    })?;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"));
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let prompts = lines.map(|(line, number)| {
        if !is_json {
            return Ok(question(line.trim()));
        }
        let prompt = match serde_json::from_str(line) {
            Ok(Line::Prompt { prompt }) => Ok(question(&prompt)),
            Ok(Line::Messages { messages }) if messages.is_empty() => Err("its “messages” are empty".to_owned()),
            Ok(Line::Messages { messages }) => Ok(Prompt::Chat(messages)),
            Err(error) => Err(error.to_string()),
        };
        prompt.map_err(|reason| failed(format!("line {number}: {reason}")))
    });
    let prompts = prompts.collect::<Result<Vec<_>>>()?;
    if prompts.is_empty() { Err(failed("it has no prompts; write one in each line".into())) } else { Ok(prompts) }
}

/// Writes prompts so that they can be read again, whatever becomes of where they came from.
pub(super) fn write(path: &Path, prompts: &[Prompt]) -> Result<()> {
    let line = |prompt: &Prompt| {
        serde_json::to_string(&match prompt {
            Prompt::Raw(text) => Line::Prompt { prompt: text.clone() },
            Prompt::Chat(messages) => Line::Messages { messages: messages.clone() },
        })
    };
    let failed = |error: std::io::Error| Error::Prompts { path: path.to_owned(), reason: error.to_string() };
    let lines = prompts.iter().map(line).collect::<Result<Vec<_>, _>>().map_err(|error| failed(error.into()))?;
    let unfinished = path.with_extension("unfinished");
    fs::write(&unfinished, lines.join("\n")).map_err(failed)?;
    fs::rename(&unfinished, path).map_err(failed)
}

fn question(text: &str) -> Prompt {
    Prompt::Chat(vec![Message::new(Role::User, text)])
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use store::{Ask, Asked, State, Written};

    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn each_question_of_a_conversation_is_a_prompt_with_what_was_said_before() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        assert!(matches!(app.prompts(&TrainingData::Conversations).await, Err(Error::NoQuestions)));
        let conversation = app.store.add_conversation("One?").await.unwrap().id;
        let Asked { question: asked, answer, .. } =
            app.store.ask(Ask::Next { conversation, text: "One?", attachments: &[] }, "t", None).await.unwrap();
        let written = Written { thought: "", text: "1" };
        app.store.end_message(answer.id, written, State::Complete, None, None).await.unwrap();
        app.store.ask(Ask::Next { conversation, text: "Two?", attachments: &[] }, "t", None).await.unwrap();
        let turns =
            [Message::new(Role::User, "One?"), Message::new(Role::Assistant, "1"), Message::new(Role::User, "Two?")];
        let prompts = app.prompts(&TrainingData::Conversations).await.unwrap();
        assert_eq!(prompts, [question("One?"), Prompt::Chat(turns.into())]);
        app.store.ask(Ask::Beside { question: asked.id, text: "1?" }, "t", None).await.unwrap();
        assert_eq!(app.prompts(&TrainingData::Conversations).await.unwrap(), [question("1?")], "it is what is shown");
        app.remove_conversation(conversation).await.unwrap();
        assert!(matches!(app.prompts(&TrainingData::Conversations).await, Err(Error::NoQuestions)));
        assert_eq!(described(&TrainingData::Conversations, 2), "2 questions of your own conversations");
    }

    #[tokio::test]
    async fn a_suite_is_named_by_its_id() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let suites = TrainingData::Suites(vec!["chat".into(), "maths".into()]);
        let prompts = app.prompts(&suites).await.unwrap();
        assert_eq!((prompts.len(), described(&suites, 80).as_str()), (80, "80 prompts: Chat, Maths"));
        let refused = app.prompts(&TrainingData::Suites(vec!["poems".into()])).await.unwrap_err();
        assert!(refused.to_string().starts_with("there is no suite “poems”"), "{refused}");
    }

    fn file(name: &str, bytes: &[u8]) -> Result<Vec<Prompt>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        chosen(&path)
    }

    #[test]
    fn a_prompt_is_a_line_or_a_json_line() {
        assert_eq!(file("a.txt", b"One?\r\n\n {\"prompt\": 2} \n").unwrap(), ["One?", "{\"prompt\": 2}"].map(question));
        let lines = "{\"prompt\": \"One?\"}\n{\"messages\": [{\"role\": \"user\", \"content\": \"Two?\"}]}";
        assert_eq!(file("a.jsonl", lines.as_bytes()).unwrap(), ["One?", "Two?"].map(question));
    }

    #[test]
    fn a_bad_line_is_named_with_its_number() {
        let files: [(&str, &[u8], &str); 5] = [
            ("a.txt", b"One?\nTw\xff", "line 2 is not UTF-8 text"),
            ("a.txt", b" \n\n", "it has no prompts; write one in each line"),
            ("a.jsonl", b"{\"prompt\": \"One?\"}\n\n{\"question\": \"Two?\"}", "line 3: it has neither"),
            ("a.jsonl", b"{\"prompt\": \"One?\"", "line 1: EOF"),
            ("a.jsonl", b"{\"messages\": []}", "line 1: its “messages” are empty"),
        ];
        for (name, bytes, said) in files {
            let refused = file(name, bytes).unwrap_err().to_string();
            assert!(refused.contains(said), "{refused}");
        }
    }

    #[test]
    fn what_is_no_file_or_too_large_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        assert!(chosen(folder.path()).unwrap_err().to_string().contains("it is no file of text"));
        let large = folder.path().join("large.txt");
        fs::File::create(&large).unwrap().set_len(MOST + 1).unwrap();
        assert!(chosen(&large).unwrap_err().to_string().contains("it is larger than"));
    }

    #[test]
    fn prompts_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prompts.jsonl");
        let turns =
            [Message::new(Role::User, "One?"), Message::new(Role::Assistant, "1"), Message::new(Role::User, "2")];
        let prompts = [question("Line one\nand two"), Prompt::Chat(turns.to_vec())];
        write(&path, &prompts).unwrap();
        assert_eq!(read(&path).unwrap(), prompts);
    }
}
