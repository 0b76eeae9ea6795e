//! Letting an answer go on where it ended: the same models, settings and seed, in its own message.

use engine::{Begun, Finish};

use crate::rerun::Original;
use crate::{App, Error, Question, Record, Result, Said, Say, StoredMessage};

/// What an answer has to do with an earlier one.
#[derive(Debug)]
pub(crate) enum Earlier {
    /// Nothing.
    Nothing,
    /// It is to be that one again.
    Again(Box<Original>),
    /// It is the rest of that one, which is in this message and has this record.
    Rest(Box<StoredMessage>, Box<Record>),
}

impl App {
    /// Lets an answer go on where it ended, as if it had never stopped, by `more` tokens at most. Its record is replaced
    /// at the end; until then the old one is kept. The numbers of the new one are of the rest alone. Whoever observes it
    /// learns how probable its tokens were.
    ///
    /// # Errors
    /// Another answer is running, the message has no record, its answer came to its own end or something was said behind
    /// it, or a model or the conversation is not there.
    pub async fn go_on(&self, message: i64, more: usize, insist: bool, observe: bool) -> Result<Said> {
        let before = self.message(message).await?;
        let record = before.record.clone().ok_or(Error::NoRecord)?;
        let is_last = self.messages(before.conversation).await?.last().is_some_and(|last| last.id == message);
        if !is_last || !goes_on(record.answer.finish) {
            return Err(Error::Over);
        }
        let mut controls = record.answer.controls.clone();
        controls.max_tokens = record.answer.ids.len() + more;
        let say = Say {
            question: Question::Rest { message },
            target: record.target.clone(),
            drafter: record.drafter.clone(),
            precision: record.precision,
            controls,
            insist,
            observe,
        };
        self.begin(say, Earlier::Rest(Box::new(before), Box::new(record))).await
    }
}

/// Whether there is something behind such an end.
fn goes_on(finish: Finish) -> bool {
    matches!(finish, Finish::Length | Finish::Cancelled)
}

impl Earlier {
    /// What there is of the answer already. Whatever was changed since, it goes on behind what it was an answer to.
    pub(crate) fn begun(&self) -> Option<Begun> {
        let Self::Rest(_, record) = self else { return None };
        Some(Begun { prompt_ids: record.answer.prompt_ids.clone(), ids: record.answer.ids.clone() })
    }
}
