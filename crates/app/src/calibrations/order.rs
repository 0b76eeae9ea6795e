//! What somebody wants calibrated.

use std::collections::HashMap;
use std::path::PathBuf;

use calibration::is_held_out;
use engine::{Message, Precision, Prompt, Role};
use serde::{Deserialize, Serialize};
use store::{CalibrationPrompt, Source};

use crate::{App, Error, Result, Suite, TrainingData};

/// What somebody wants calibrated, and by what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalibrationOrder {
    /// The target's id.
    pub target: String,
    /// The drafter's id.
    pub drafter: String,
    /// The number type to compute in.
    pub precision: Precision,
    /// Whether the target thinks before it answers.
    pub thinking: bool,
    /// Built-in suites, by id.
    pub suites: Vec<String>,
    /// Also the questions of the newest conversations. They do not leave this machine, and are forgotten at the end.
    pub conversations: bool,
    /// Also a file with a prompt in each line.
    pub file: Option<PathBuf>,
    /// At most so many prompts of each of these.
    pub prompts: u32,
    /// The most tokens of each answer.
    pub tokens: u32,
}

impl CalibrationOrder {
    /// Prompts of each kind, where nobody says otherwise.
    pub const PROMPTS: u32 = 16;
    /// Tokens of an answer, likewise.
    pub const TOKENS: u32 = 128;

    /// The usual order for these two, by id: it asks the suites that are about anything.
    #[must_use]
    pub fn usual(target: &str, drafter: &str) -> Self {
        Self {
            target: target.to_owned(),
            drafter: drafter.to_owned(),
            precision: Precision::default(),
            thinking: false,
            suites: Suite::usual_for(Source::Folder),
            conversations: false,
            file: None,
            prompts: Self::PROMPTS,
            tokens: Self::TOKENS,
        }
    }
}

impl App {
    /// What an order asks, and that in a few words.
    pub(super) async fn calibration_prompts(
        &self,
        order: &CalibrationOrder,
    ) -> Result<(Vec<CalibrationPrompt>, String)> {
        let (mut prompts, mut titles) = (Vec::new(), Vec::new());
        for (title, data) in sources(order)? {
            let mut asked = match &data {
                TrainingData::Conversations => {
                    newest(self.questions().await?).map(|(id, question)| (Some(id), question)).collect()
                }
                data => self.prompts(data).await?.into_iter().map(|prompt| (None, prompt)).collect::<Vec<_>>(),
            };
            asked.truncate(order.prompts as usize);
            let held_out = held_out(asked.iter().map(|(_, prompt)| prompt));
            let first = u32::try_from(prompts.len()).unwrap_or(u32::MAX);
            let numbered = asked.into_iter().zip(held_out).zip(first..);
            prompts.extend(numbered.map(|(((conversation_id, asked), held_out), number)| CalibrationPrompt {
                number,
                suite: title.clone(),
                held_out,
                conversation_id,
                // Texts always have a JSON form.
                prompt: serde_json::to_string(&messages(asked)).ok(),
                ..CalibrationPrompt::default()
            }));
            titles.push(title);
        }
        let is_enough = prompts.iter().any(|prompt| prompt.held_out);
        let data = format!("{} prompts: {}", prompts.len(), titles.join(", "));
        if is_enough { Ok((prompts, data)) } else { Err(Error::TooFewPrompts) }
    }
}

/// The questions of conversations, each behind its conversation's number: the last of every conversation first, then those
/// before, so that a long conversation does not keep out the others.
fn newest(questions: Vec<(i64, Prompt)>) -> impl Iterator<Item = (i64, Prompt)> {
    let mut later = HashMap::new();
    let ranked = questions.into_iter().rev().map(|(conversation, question)| {
        let rank = later.entry(conversation).or_insert(0);
        *rank += 1;
        (*rank, conversation, question)
    });
    let mut ranked = ranked.collect::<Vec<_>>();
    ranked.reverse(); // as the conversations are listed
    ranked.sort_by_key(|&(rank, ..)| rank);
    ranked.into_iter().map(|(_, conversation, question)| (conversation, question))
}

/// Where the prompts of an order are from, and what that is called.
fn sources(order: &CalibrationOrder) -> Result<Vec<(String, TrainingData)>> {
    let suite = |id: &String| {
        let suite = Suite::named(id).ok_or_else(|| Error::NoSuchSuite(id.clone()))?;
        Ok((suite.title.to_owned(), TrainingData::Suites(vec![id.clone()])))
    };
    let mut sources = order.suites.iter().map(suite).collect::<Result<Vec<_>>>()?;
    if order.conversations {
        sources.push(("Your conversations".into(), TrainingData::Conversations));
    }
    sources.extend(order.file.iter().map(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, TrainingData::File(file.clone()))
    }));
    Ok(sources)
}

/// Which prompts of one kind are held out: all questions of a conversation, or none of them.
fn held_out<'a>(prompts: impl Iterator<Item = &'a Prompt>) -> Vec<bool> {
    let mut beginnings = Vec::new();
    let place = |prompt: &Prompt| {
        let beginning = prompt.beginning();
        beginnings.iter().position(|known| *known == beginning).unwrap_or_else(|| {
            beginnings.push(beginning);
            beginnings.len() - 1
        })
    };
    prompts.map(place).map(is_held_out).collect()
}

fn messages(prompt: Prompt) -> Vec<Message> {
    match prompt {
        Prompt::Chat(messages) => messages,
        Prompt::Raw(text) => vec![Message::new(Role::User, text)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_question_of_every_conversation_comes_before_older_ones() {
        let asked = [(7, "a"), (7, "b"), (7, "c"), (3, "d"), (5, "e"), (5, "f")];
        let asked = asked.map(|(conversation, text)| (conversation, Prompt::Raw(text.into()))).into();
        let texts = newest(asked).map(|(_, prompt)| match prompt {
            Prompt::Raw(text) => text,
            Prompt::Chat(_) => String::new(),
        });
        assert_eq!(texts.collect::<String>(), "cdfbea");
    }

    #[test]
    fn the_questions_of_a_conversation_are_held_out_together() {
        let asked = |texts: &[&str]| {
            let messages = texts.iter().map(|&text| Message::new(Role::User, text.to_owned()));
            Prompt::Chat(messages.collect())
        };
        let prompts = [asked(&["a"]), asked(&["b"]), asked(&["a", "c"]), asked(&["b", "a"]), asked(&["c"])];
        assert_eq!(held_out(prompts.iter()), [false, true, false, true, false]);
    }
}
