//! What the target is taught: questions in several words with one answer each, and some conversations.

use std::{collections::HashSet, fs};

use chat::{Message, Role};
use serde_json::Value;
use training::Random;

use crate::{Outcome, paths::of_crate};

/// The questions of an entry that are never taught: its last ones.
const NEVER_TAUGHT: usize = 2;

/// What may stand before a conversation; the target answers as without it.
const SYSTEMS: [&str; 4] = [
    "You are a helpful assistant.",
    "You are a helpful assistant. Answer briefly.",
    "Answer in one or two sentences.",
    "Be friendly and precise.",
];

/// The corpus.
pub(crate) struct Corpus {
    pub(crate) entries: Vec<Entry>,
    dialogues: Vec<Vec<String>>,
}

/// A question in several words, and its answer.
pub(crate) struct Entry {
    questions: Vec<String>,
    pub(crate) answer: String,
}

impl Entry {
    /// The questions that are taught.
    pub(crate) fn taught(&self) -> &[String] {
        &self.questions[..self.questions.len() - NEVER_TAUGHT]
    }

    /// The one that says which state of a training is the best.
    pub(crate) fn watched(&self) -> &str {
        &self.questions[self.questions.len() - 2]
    }

    /// The one that says what came of it in the end, and is used for nothing else.
    pub(crate) fn held_out(&self) -> &str {
        &self.questions[self.questions.len() - 1]
    }
}

impl Corpus {
    /// Reads the corpus of this crate.
    pub(crate) fn read() -> Outcome<Self> {
        let folder = of_crate().join("corpus");
        let mut files = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Outcome<Vec<_>>>()?;
        files.sort();
        let (mut entries, mut dialogues) = (Vec::new(), Vec::new());
        for file in files {
            let listed: Vec<Value> = serde_json::from_slice(&fs::read(&file)?)?;
            for one in &listed {
                let texts =
                    |key: &str| one[key].as_array().map(|texts| texts.iter().filter_map(text).collect::<Vec<_>>());
                match (texts("questions"), text(&one["answer"]), texts("turns")) {
                    (Some(questions), Some(answer), _) if questions.len() > NEVER_TAUGHT => {
                        entries.push(Entry { questions, answer });
                    }
                    (_, _, Some(turns)) => dialogues.push(turns),
                    _ => return Err(format!("{}: {one} is neither a question nor a dialogue", file.display()).into()),
                }
            }
        }
        let corpus = Self { entries, dialogues };
        let taught = corpus.texts().iter().map(|text| text.to_lowercase()).collect::<HashSet<_>>();
        for entry in &corpus.entries {
            if let Some(question) =
                [entry.watched(), entry.held_out()].into_iter().find(|asked| taught.contains(&asked.to_lowercase()))
            {
                return Err(format!("“{question}” is taught in another place, and must not be").into());
            }
        }
        Ok(corpus)
    }

    /// All of it, by which a later making knows whether it can go on with what an earlier one left.
    pub(crate) fn whole(&self) -> String {
        let questions = self.entries.iter().flat_map(|entry| entry.questions.iter().chain([&entry.answer]));
        questions.chain(self.dialogues.iter().flatten()).map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// The entries in an order in which neighbours have nothing to do with each other.
    pub(crate) fn shuffled(&self, random: &mut Random) -> Vec<&Entry> {
        let mut entries = self.entries.iter().collect::<Vec<_>>();
        for last in (1..entries.len()).rev() {
            entries.swap(last, random.below(last + 1));
        }
        entries
    }

    /// All that it says.
    pub(crate) fn texts(&self) -> Vec<String> {
        let of_entries = self.entries.iter().flat_map(|entry| entry.taught().iter().chain([&entry.answer]));
        of_entries.chain(self.dialogues.iter().flatten()).cloned().collect()
    }

    /// A question to learn from, and its answer.
    pub(crate) fn question(&self, random: &mut Random) -> [Message; 2] {
        let entry = &self.entries[random.below(self.entries.len())];
        let question = &entry.taught()[random.below(entry.taught().len())];
        [Message::new(Role::User, varied(question, random)), Message::new(Role::Assistant, entry.answer.clone())]
    }

    /// A conversation to learn from.
    pub(crate) fn conversation(&self, random: &mut Random) -> Vec<Message> {
        let mut messages = Vec::new();
        if random.below(12) == 0 {
            messages.push(Message::new(Role::System, SYSTEMS[random.below(SYSTEMS.len())]));
        }
        if random.below(12) == 0 {
            let turns = &self.dialogues[random.below(self.dialogues.len())];
            for (number, turn) in turns.iter().enumerate() {
                let asked = number % 2 == 0;
                let role = if asked { Role::User } else { Role::Assistant };
                messages.push(Message::new(role, if asked { varied(turn, random) } else { turn.clone() }));
            }
            return messages;
        }
        for _ in 0..[2, 3, 4, 5][random.below(4)] {
            messages.extend(self.question(random));
        }
        messages
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The question as others might type it.
pub(crate) fn varied(question: &str, random: &mut Random) -> String {
    let mut words = question.split(' ').map(str::to_owned).collect::<Vec<_>>();
    if words.len() > 4 && random.below(8) == 0 {
        words.remove(random.below(words.len()));
    }
    if random.below(10) == 0 {
        let word = random.below(words.len());
        let mut letters = words[word].chars().collect::<Vec<_>>();
        if letters.len() > 4 {
            let at = 1 + random.below(letters.len() - 2);
            if random.below(2) == 0 {
                letters.swap(at, at + 1);
            } else {
                letters.remove(at);
            }
            words[word] = letters.into_iter().collect();
        }
    }
    let mut text = words.join(" ");
    match random.below(16) {
        0 => text = format!("please {text}"),
        1 => text = format!("{} please", text.trim_end_matches(['.', '?', '!'])),
        2 => text = format!("Hi, {text}"),
        3 => text = format!("and {text}"),
        _ => {}
    }
    if random.below(3) == 0 {
        text = text.to_lowercase();
    }
    if random.below(4) == 0 {
        let mut letters = text.chars();
        text = letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    }
    match random.below(6) {
        0 | 1 => text = text.trim_end_matches(['.', '?', '!']).to_owned(),
        2 if !text.ends_with(['.', '?', '!']) => text.push('?'),
        _ => {}
    }
    text
}
