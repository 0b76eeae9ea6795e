//! The proof of an answer: its target reads it once more, token by token and with no drafter, and tells the first one
//! that it would not have written.

use std::{fmt, ops::ControlFlow, path::PathBuf, rc::Rc};

use chat::Codec;
use decode::Token;
use drafters::Proposer;
use gemma4::Conversation;
use mlx_rs::{
    Array, Dtype,
    ops::{concatenate, indexing::argmax_axis},
};
use nn::{Sampler, Vocabulary, wait};
use serde::{Deserialize, Serialize};

use crate::{
    Answer, Cancel, Controls, Error, Memory, Precision, Prompt, Request, Result, Rule, Speculation,
    models::{Models, Target},
    reading::CHUNK,
};

/// An answer, and how it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The target's checkpoint folder.
    pub target: PathBuf,
    /// The type that it computed in.
    pub precision: Precision,
    /// The answer.
    pub answer: Answer,
    /// How much of the machine's memory the proof may take.
    pub memory: Memory,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "proof", rename_all = "snake_case")]
pub enum Proof {
    /// Plain decoding writes the same.
    Identical {
        /// How many tokens were compared.
        tokens: usize,
    },
    /// Under the ratio rule the text depends on the drafts too, so no other run is to give the same; but each token is
    /// one that the target may draw there.
    Possible {
        /// How many tokens were looked at.
        tokens: usize,
    },
    /// Plain decoding writes something else; under the ratio rule: the target never draws this token.
    Diverges(Divergence),
}

/// The first token that the target would not have written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Divergence {
    /// Where it stands in the answer, from 0.
    pub position: usize,
    /// What the answer has.
    pub stored: Candidate,
    /// What plain decoding writes.
    pub plain: Candidate,
    /// How much better the plain one is, in logits, penalties and noise included; `None` if the stored one is not to be
    /// chosen at all.
    pub margin: Option<f32>,
    /// The distance of neighbouring numbers at the larger of the two logits, in the type that they were computed in.
    pub step: f32,
}

/// A token that might follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its id.
    pub id: Token,
    /// What it says.
    pub text: String,
    /// What the target's head says of it, before penalties, filters and noise.
    pub logit: f32,
}

impl Proof {
    /// Whether the answer is not what it should be: what no near-tie explains.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Diverges(divergence) if !divergence.is_near_tie())
    }
}

/// What to say of the answer.
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identical { tokens } => write!(f, "identical to plain decoding: {tokens} tokens"),
            Self::Possible { tokens } => write!(
                f,
                "under the ratio rule the text depends on the drafts too, so no plain run is to be the same; the target \
                 may draw each of the {tokens} tokens where it stands"
            ),
            Self::Diverges(divergence) => divergence.fmt(f),
        }
    }
}

/// Both tokens, and what to think of their difference.
impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, stored, plain, margin, step } = self;
        write!(f, "token {} is {stored}, and plain decoding writes {plain}; ", position + 1)?;
        match margin {
            Some(margin) if self.is_near_tie() => write!(
                f,
                "the margin of {margin:.4} is not above one step of the numbers, {step:.4}: a near-tie, not a fault"
            ),
            Some(margin) => write!(
                f,
                "the margin of {margin:.4} is more than one step of the numbers, {step:.4}: something is wrong"
            ),
            None => write!(f, "the target never chooses that here: something is wrong"),
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, text, logit } = self;
        write!(f, "{text:?} (id {id}, logit {logit:.4})")
    }
}

impl Divergence {
    /// Whether the arithmetic explains it: a pass over several rows rounds otherwise than one over a single row, and
    /// numbers one step apart may change places (`vLLM` and `llama.cpp` differ from themselves in the same way).
    #[must_use]
    pub fn is_near_tie(&self) -> bool {
        self.margin.is_some_and(|margin| margin <= self.step)
    }
}

impl Claim {
    /// The plain request that stands for it.
    fn request(&self) -> Request {
        Request {
            precision: self.precision,
            controls: Controls { max_tokens: self.answer.ids.len(), context: None, ..self.answer.controls.clone() },
            memory: self.memory,
            ..Request::new(self.target.clone(), Prompt::Raw(String::new()))
        }
    }

    /// Whether the tokens depend on what was drafted.
    fn depends_on_drafts(&self) -> bool {
        let Answer { controls, speculation, .. } = &self.answer;
        controls.sampling.rule == Rule::Ratio
            && controls.sampling.temperature > 0.0
            && matches!(speculation, Speculation::On { .. })
    }

    /// Prompt and answer, if the target knows all of their tokens.
    fn text(&self, vocabulary: i32) -> Result<Vec<Token>> {
        let vocabulary = usize::try_from(vocabulary).unwrap_or(0);
        let text = [&*self.answer.prompt_ids, &*self.answer.ids].concat();
        match text.iter().find(|&&id| id as usize >= vocabulary) {
            Some(&id) => Err(Error::Vocabulary { id, vocabulary }),
            None => Ok(text),
        }
    }
}

/// Proves a claim. It costs what plain decoding costs.
pub(crate) fn prove(models: &mut Models, claim: &Claim, cancel: &Cancel) -> Result<Proof> {
    claim.answer.controls.check()?;
    let prompt = claim.answer.prompt_ids.len();
    models.admit(&claim.request(), 1, prompt)?;
    let target = models.target(&claim.target, claim.precision, |_| ())?;
    // The proof owes nothing to what an earlier answer left behind, and needs its room.
    drop(models.session(&target));
    let text = claim.text(target.model.size())?;
    let before = text[..prompt].split_last().ok_or(decode::EmptyPrompt)?.1;

    let sampling = claim.answer.controls.sampling;
    let sampler = Sampler::new(sampling).suppressing(target.codec.suppressed_ids(), target.model.size());
    let mut conversation = Conversation::new(Rc::clone(&target.model));
    read(&mut conversation, &sampler, before, cancel)?;
    let mut rerun = Rerun { target, conversation, sampler, temperature: sampling.temperature };
    for position in prompt..text.len() {
        if cancel.is_asked() {
            return Err(Error::Stopped);
        }
        match rerun.compare(&text, position)? {
            Some(Divergence { margin: Some(_), .. }) if claim.depends_on_drafts() => {}
            Some(divergence) => {
                return Ok(Proof::Diverges(Divergence { position: position - prompt, ..divergence }));
            }
            None => {}
        }
    }
    let tokens = claim.answer.ids.len();
    Ok(if claim.depends_on_drafts() { Proof::Possible { tokens } } else { Proof::Identical { tokens } })
}

/// Reads the prompt but for its last token.
fn read(conversation: &mut Conversation, sampler: &Sampler, rows: &[Token], cancel: &Cancel) -> Result<()> {
    let mut verifier = conversation.verifier(sampler.clone(), &[]);
    let mut progress = |_| {
        nn::release_memory();
        if cancel.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let drafter = None::<&mut Proposer<'_>>;
    let whole = decode::prefill(&mut verifier, drafter, rows, CHUNK, &mut progress)?;
    if whole { Ok(()) } else { Err(Error::Stopped) }
}

/// The target while it reads an answer again.
struct Rerun {
    target: Target,
    conversation: Conversation,
    sampler: Sampler,
    temperature: f32,
}

impl Rerun {
    /// Takes in the token before `position` of `text`. `None` if it would go on as the text does.
    fn compare(&mut self, text: &[Token], position: usize) -> Result<Option<Divergence>> {
        let logits = self.conversation.step(text[position - 1])?;
        let sampler = self.sampler.clone().following(&text[..position], self.target.model.size())?;
        let weights = sampler.weigh(&logits, position)?;
        let stored = text[position];
        let both = concatenate(&[&argmax_axis(&weights, -1, false)?, &Array::from_slice(&[stored], &[1])], 0)?;
        let of_both = |of: &Array| of.take_axis(&both, 1)?.as_dtype(Dtype::Float32);
        let (weights, found) = (of_both(&weights)?, of_both(&logits)?);
        wait([&both, &weights, &found])?;

        let plain = both.as_slice::<Token>()[0];
        if plain == stored {
            return Ok(None);
        }
        let (weights, found) = (weights.as_slice::<f32>(), found.as_slice::<f32>());
        // Weights are divided by the temperature, if there is one.
        let scale = if self.temperature > 0.0 { self.temperature } else { 1.0 };
        let margin = (weights[0] - weights[1]) * scale;
        Ok(Some(Divergence {
            position,
            stored: Candidate::new(stored, found[1], &self.target.codec),
            plain: Candidate::new(plain, found[0], &self.target.codec),
            margin: Some(margin).filter(|margin| margin.is_finite()),
            step: step(found[0].abs().max(found[1].abs()), logits.dtype()),
        }))
    }
}

impl Candidate {
    fn new(id: Token, logit: f32, codec: &Codec) -> Self {
        Self { id, text: codec.raw(&[id]), logit }
    }
}

/// The distance of neighbouring numbers of this type at `size`, above 0: 0.125 at 30 in bfloat16.
fn step(size: f32, dtype: Dtype) -> f32 {
    let digits = match dtype {
        Dtype::Bfloat16 => 7,
        Dtype::Float16 => 10,
        _ => 23,
    };
    size.max(f32::MIN_POSITIVE).log2().floor().exp2() * 2_f32.powi(-digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "powers of two are exact")]
    fn a_step_is_that_of_the_type_at_that_size() {
        let steps = [(30.0, Dtype::Bfloat16), (16.0, Dtype::Bfloat16), (15.9, Dtype::Bfloat16), (1.0, Dtype::Float32)];
        assert_eq!(steps.map(|(size, dtype)| step(size, dtype)), [0.125, 0.125, 0.0625, f32::EPSILON]);
    }

    fn divergence(margin: Option<f32>) -> Divergence {
        let stored = Candidate { id: 7, text: "a\u{1b}".into(), logit: 29.0 };
        let plain = Candidate { id: 9, text: " b".into(), logit: 29.125 };
        Divergence { position: 2, stored, plain, margin, step: 0.125 }
    }

    #[test]
    fn what_lies_a_step_apart_is_a_near_tie_and_what_cannot_be_chosen_is_none() {
        let ties = [Some(0.0), Some(0.125), Some(0.25), None].map(|margin| divergence(margin).is_near_tie());
        assert_eq!(ties, [true, true, false, false]);
    }

    #[test]
    fn a_divergence_is_told_with_both_tokens_and_what_to_think_of_it() {
        let told = divergence(Some(0.125)).to_string();
        let tokens =
            r#"token 3 is "a\u{1b}" (id 7, logit 29.0000), and plain decoding writes " b" (id 9, logit 29.1250)"#;
        assert!(told.starts_with(tokens), "{told}");
        assert!(told.ends_with("a near-tie, not a fault"), "{told}");
        assert!(divergence(Some(2.0)).to_string().contains("2.0000 is more than one step"));
        assert!(divergence(None).to_string().contains("never chooses"));
    }

    #[test]
    fn only_what_no_near_tie_explains_is_a_fault() {
        let diverges = |margin| Proof::Diverges(divergence(margin));
        let proofs = [Proof::Identical { tokens: 3 }, diverges(Some(0.1)), diverges(Some(0.2)), diverges(None)];
        assert_eq!(proofs.map(|proof| proof.is_fault()), [false, false, true, true]);
    }
}
