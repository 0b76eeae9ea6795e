//! How a token is chosen, on the device: greedily, or by one of two rules that are lossless in distribution.
//!
//! The drafter draws with [`Sampler::draw`], the target judges with [`Sampler::judge`]; both see logits through the
//! same [`transforms`], or the drafter would not draw from what the target is compared with.

mod coupled;
mod noise;
mod ratio;
mod transforms;

use std::collections::BTreeSet;

use decode::{Token, Verdict};
use mlx_rs::{Array, Dtype, ops, ops::indexing::argmax_axis};
use serde::{Deserialize, Serialize};

use crate::{Draft, Q, Result, finite, scalar, wait};

/// How a drafted token is accepted at a temperature above 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Drafter and target share their noise, keyed by seed and position; a draft stands if both draw the same token.
    /// The text does not depend on the drafter at all.
    #[default]
    Coupled,
    /// Accept with probability min(1, p/q), else draw from the residual. Accepts the most; the text depends on the
    /// drafter, its distribution does not.
    Ratio,
}

/// How the target chooses its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sampling {
    /// 0 is greedy: always the most likely token.
    pub temperature: f32,
    /// Keep the most likely tokens that make up this probability; 1 keeps all.
    pub top_p: f32,
    /// Keep this many of the most likely tokens; 0 keeps all.
    pub top_k: usize,
    /// The same seed gives the same text.
    pub seed: u64,
    /// How drafted tokens are accepted.
    pub rule: Rule,
}

impl Default for Sampling {
    /// What Gemma's publisher recommends.
    fn default() -> Self {
        Self { temperature: 1.0, top_p: 0.95, top_k: 64, seed: 0, rule: Rule::default() }
    }
}

/// Chooses the tokens of one answer.
#[derive(Debug, Clone)]
pub struct Sampler {
    sampling: Sampling,
    /// True for the tokens that are never chosen, `[V]`, if there are any.
    suppressed: Option<Array>,
}

/// A drafted token, on the device.
#[derive(Debug)]
pub struct Drawn {
    /// `[1]`, u32; of [`Sampler::pick`] `[d]`.
    pub token: Array,
    /// What it was drawn from, if the rule needs it.
    pub q: Option<Q>,
}

/// Some tokens of a vocabulary: those that a drafter can propose at all, or its candidates for one position.
#[derive(Debug, Clone)]
pub struct Subset {
    /// Their ids, `[n]`, u32.
    pub ids: Array,
    /// How many tokens the vocabulary has.
    pub of: i32,
}

/// The outcome of a pass, on the host.
#[derive(Debug)]
pub struct Judged {
    /// The draft's tokens.
    pub draft: Vec<Token>,
    /// The drafter's confidences, if it has any.
    pub confidences: Vec<f32>,
    /// What the target says of them.
    pub verdict: Verdict,
    /// Whether the target's logits were finite; if not, the rest means nothing.
    pub finite: bool,
}

impl Sampler {
    /// A sampler for one answer.
    #[must_use]
    pub fn new(sampling: Sampling) -> Self {
        Self { sampling, suppressed: None }
    }

    /// The same, but none of `suppressed` is ever chosen from a vocabulary of `size` tokens, at any temperature and by
    /// any rule: their logits are −∞ before anything else looks at them. The drafter's are too, or it would waste its
    /// proposals on them.
    #[must_use]
    pub fn suppressing(self, suppressed: &BTreeSet<Token>, size: i32) -> Self {
        let row = (0..size.unsigned_abs()).map(|token| suppressed.contains(&token));
        let suppressed = (!suppressed.is_empty()).then(|| Array::from_iter(row, &[size]));
        Self { suppressed, ..self }
    }

    /// Draws the drafter's token for `position` of the sequence from logits `[1, n]`, of the whole vocabulary or of
    /// `subset`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn draw(&self, logits: &Array, subset: Option<&Subset>, position: usize) -> Result<Drawn> {
        let logits = self.suppress(logits, subset)?;
        if self.is_greedy() {
            return Ok(Drawn { token: best(&logits, subset)?, q: None });
        }
        let scores = transforms::apply(&logits, &self.sampling)?;
        let seed = self.sampling.seed;
        match self.sampling.rule {
            Rule::Coupled => Ok(Drawn { token: coupled::choose(&scores, subset, seed, position)?, q: None }),
            Rule::Ratio => ratio::draw(&scores, subset, seed, position),
        }
    }

    /// The drafter's tokens for the positions from `position` on, one for each row of logits `[d, n]` that do not depend
    /// on each other; their `q`, if the rule needs it. Under the ratio rule they are the most likely ones, of which
    /// the target accepts more than of independent draws.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn pick(&self, logits: &Array, subset: Option<&Subset>, position: usize) -> Result<Drawn> {
        let logits = self.suppress(logits, subset)?;
        if self.is_greedy() {
            return Ok(Drawn { token: best(&logits, subset)?, q: None });
        }
        match self.sampling.rule {
            Rule::Coupled => {
                let scores = transforms::apply(&logits, &self.sampling)?;
                Ok(Drawn { token: coupled::choose(&scores, subset, self.sampling.seed, position)?, q: None })
            }
            Rule::Ratio => {
                let token = best(&logits, subset)?;
                Ok(Drawn { q: Some(Q::certain(&token)?), token })
            }
        }
    }

    /// Judges a draft by the target's logits `[d + 1, V]`; row 0 chooses the token at `position`. Waits once.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn judge(&self, logits: &Array, draft: Option<&Draft>, position: usize) -> Result<Judged> {
        let finite = finite(logits)?.all(None)?;
        let logits = self.suppress(logits, None)?;
        let ruling = if self.is_greedy() {
            Ruling::Choices(argmax_axis(logits, -1, false)?)
        } else {
            let scores = transforms::apply(&logits, &self.sampling)?;
            match (self.sampling.rule, draft) {
                (Rule::Ratio, Some(draft)) => ratio::judge(&scores, draft, self.sampling.seed, position)?,
                _ => Ruling::Choices(coupled::choose(&scores, None, self.sampling.seed, position)?),
            }
        };
        ruling.read(draft, &finite)
    }

    /// Logits `[.., n]` with those of the suppressed tokens at −∞.
    fn suppress(&self, logits: &Array, subset: Option<&Subset>) -> Result<Array> {
        let Some(suppressed) = &self.suppressed else { return Ok(logits.clone()) };
        let suppressed = match subset {
            Some(subset) => &suppressed.take_axis(&subset.ids, 0)?,
            None => suppressed,
        };
        Ok(ops::select(suppressed, scalar(f32::NEG_INFINITY, logits.dtype())?, logits)?)
    }

    fn is_greedy(&self) -> bool {
        self.sampling.temperature <= 0.0
    }
}

/// The most likely token of each row of `logits` `[d, n]`, u32 `[d]`.
fn best(logits: &Array, subset: Option<&Subset>) -> Result<Array> {
    named(argmax_axis(logits, -1, false)?, subset)
}

/// The ids of the tokens at these places, `[d]`.
fn named(places: Array, subset: Option<&Subset>) -> Result<Array> {
    match subset {
        Some(subset) => Ok(subset.ids.take_axis(places, 0)?),
        None => Ok(places),
    }
}

/// A verdict on the device.
#[derive(Debug)]
enum Ruling {
    /// The target's tokens, `[d + 1]`.
    Choices(Array),
    /// How many stand and what follows, both scalars.
    Ruled { accepted: Array, next: Array },
}

impl Ruling {
    /// Waits for everything that the host needs of a round, at once.
    fn read(&self, draft: Option<&Draft>, finite: &Array) -> Result<Judged> {
        let mut wanted = match self {
            Self::Choices(choices) => vec![finite, choices],
            Self::Ruled { accepted, next } => vec![finite, accepted, next],
        };
        wanted.extend(draft.map(|draft| &draft.tokens));
        wanted.extend(draft.and_then(|draft| draft.confidences.as_ref()));
        wait(wanted)?;
        let verdict = match self {
            Self::Choices(choices) => Verdict::Choices(choices.as_slice::<u32>().to_vec()),
            Self::Ruled { accepted, next } => {
                Verdict::Ruled { accepted: accepted.item_exact::<u32>() as usize, next: next.item_exact::<u32>() }
            }
        };
        Ok(Judged {
            draft: draft.map_or_else(Vec::new, |draft| draft.tokens.as_slice::<u32>().to_vec()),
            confidences: draft
                .and_then(|draft| draft.confidences.as_ref())
                .map_or_else(Vec::new, |confidences| confidences.as_slice::<f32>().to_vec()),
            verdict,
            finite: finite.item_exact::<bool>(),
        })
    }
}

/// `array` as float32: distributions are compared in full precision whatever the models compute in.
fn float32(array: &Array) -> Result<Array> {
    Ok(array.as_dtype(Dtype::Float32)?)
}
