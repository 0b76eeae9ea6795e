//! Running an answer again from its record: the same models, settings and seed, on the same branch.

use std::fmt;

use engine::{Answer, Finish};
use serde::{Deserialize, Serialize};

use crate::going_on::Earlier;
use crate::{App, Error, Question, Result, Said, Say};

/// What an answer has in common with the one that it was to be again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rerun {
    /// The message of the other one.
    pub of: i64,
    /// How alike they are.
    pub likeness: Likeness,
}

/// How alike two answers are, by their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "likeness", rename_all = "snake_case")]
pub enum Likeness {
    /// They are the same, as far as neither was stopped before.
    Same {
        /// How many tokens were compared.
        tokens: usize,
    },
    /// They are not.
    Until {
        /// How many tokens are the same before the first that is not.
        tokens: usize,
    },
    /// Their prompts are not, so nothing follows from the answers.
    OtherPrompt,
}

/// An answer that is to be run again.
#[derive(Debug)]
pub(crate) struct Original {
    pub(crate) message: i64,
    pub(crate) answer: Answer,
}

impl App {
    /// Begins to write an answer again, beside it, as its record says. The end says what became of it. Whoever observes it
    /// is told how probable its tokens were.
    ///
    /// # Errors
    /// Another answer is running, the message has no record, or a model or the conversation is not there.
    pub async fn rerun(&self, message: i64, insist: bool, observe: bool) -> Result<Said> {
        let record = self.message(message).await?.record.ok_or(Error::NoRecord)?;
        let say = Say {
            question: Question::Again { message },
            target: record.target,
            drafter: record.drafter,
            precision: record.precision,
            controls: record.answer.controls.clone(),
            insist,
            observe,
        };
        self.begin(say, Earlier::Again(Box::new(Original { message, answer: record.answer }))).await
    }
}

impl Likeness {
    /// How alike these are.
    pub(crate) fn of(one: &Answer, other: &Answer) -> Self {
        let tokens = one.ids.iter().zip(&other.ids).take_while(|(id, other)| id == other).count();
        // One that was stopped might have gone on like the other.
        let is_whole = |answer: &Answer| tokens == answer.ids.len();
        let is_end = |answer: &Answer| is_whole(answer) && answer.finish == Finish::Cancelled;
        if one.prompt_ids != other.prompt_ids {
            Self::OtherPrompt
        } else if is_whole(one) && is_whole(other) || is_end(one) || is_end(other) {
            Self::Same { tokens }
        } else {
            Self::Until { tokens }
        }
    }
}

impl Original {
    pub(crate) fn compared_with(&self, again: &Answer) -> Rerun {
        Rerun { of: self.message, likeness: Likeness::of(&self.answer, again) }
    }
}

/// What to say of the answer.
impl fmt::Display for Likeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same { tokens } => write!(f, "run again: the same {tokens} tokens"),
            Self::Until { tokens } => write!(
                f,
                "run again: another answer after {tokens} tokens that are the same; verify both to see which of them \
                 plain decoding writes"
            ),
            Self::OtherPrompt => f.write_str(
                "run again, on another prompt: the system prompt, what was answered before, or the model's chat template \
                 is not what it was",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answering::testing::answer;

    #[test]
    fn answers_are_compared_by_their_ids_as_far_as_both_go() {
        let of = |ids: &[u32], finish| Answer { ids: ids.into(), finish, ..answer("") };
        let (whole, stopped) = (Finish::Eos, Finish::Cancelled);
        for (one, other, likeness) in [
            (of(&[1, 2, 3], whole), of(&[1, 2, 3], whole), Likeness::Same { tokens: 3 }),
            (of(&[1, 2, 3], whole), of(&[1, 4, 3], whole), Likeness::Until { tokens: 1 }),
            (of(&[1, 2], whole), of(&[1, 2, 3], whole), Likeness::Until { tokens: 2 }),
            (of(&[1, 2], stopped), of(&[1, 2, 3], whole), Likeness::Same { tokens: 2 }),
            (of(&[1, 2, 3], whole), of(&[1, 2], stopped), Likeness::Same { tokens: 2 }),
            (of(&[1, 2], stopped), of(&[1, 3, 3], whole), Likeness::Until { tokens: 1 }),
            (Answer { prompt_ids: vec![9], ..of(&[1], whole) }, of(&[1], whole), Likeness::OtherPrompt),
        ] {
            let original = Original { message: 7, answer: one };
            assert_eq!(original.compared_with(&other), Rerun { of: 7, likeness });
        }
    }
}
