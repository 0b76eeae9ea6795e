//! Somebody who chats with the tiny models.

use app::{App, Controls, Phase, Precision, Question, Said, Sampling, Say, StoredMessage};
use tempfile::TempDir;

use crate::{Outcome, tiny};

/// A home with the tiny models in its list.
pub struct Home {
    /// The home's folder.
    pub home: TempDir,
    _models: TempDir,
}

impl Home {
    /// Makes one.
    ///
    /// # Errors
    /// When the models cannot be made.
    pub async fn new() -> Outcome<Self> {
        let (home, models) = (tempfile::tempdir()?, tiny::models().await?);
        tiny::register(home.path(), models.path(), 16).await?;
        Ok(Self { home, _models: models })
    }

    /// The app, as a new process opens it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn app(&self) -> Outcome<App> {
        Ok(App::open(self.home.path()).await?)
    }
}

/// The first question of a new conversation.
#[must_use]
pub fn first(text: &str) -> Question {
    Question::First { text: text.into(), attachments: vec![], system: String::new() }
}

/// Something to say to the tiny models, which answer with so many tokens: the same ones each time.
#[must_use]
pub fn say(question: Question, max_tokens: usize) -> Say {
    let sampling = Sampling { temperature: 1.0, ..Sampling::default() };
    Say {
        question,
        target: tiny::TARGET.into(),
        drafter: Some(tiny::DRAFTER.into()),
        precision: Precision::Float32,
        controls: Controls { sampling, max_tokens, ..Controls::default() },
        insist: false,
        observe: false,
    }
}

/// Waits for the end of an answer and returns it.
///
/// # Errors
/// When it fails.
pub async fn end(app: &App, said: &Said) -> Outcome<StoredMessage> {
    let mut reader = said.answering.reader();
    while let Some(frame) = reader.next().await {
        if let Phase::Ended(Err(error)) = frame.phase {
            return Err(error.to_string().into());
        }
    }
    Ok(app.message(said.answer.id).await?)
}

/// Asks something and waits for the answer: the question's message and that of the answer.
///
/// # Errors
/// When there is no answer.
pub async fn ask(app: &App, question: Question) -> Outcome<(StoredMessage, StoredMessage)> {
    let said = app.say(say(question, 16)).await?;
    let answer = end(app, &said).await?;
    Ok((said.question, answer))
}
