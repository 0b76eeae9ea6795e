//! How a token is chosen, on the device: greedily, or by one of two rules that are lossless in distribution.
//!
//! The drafter draws with [`Sampler::draw`], the target judges with [`Sampler::judge`]; both see logits through the
//! same [`transforms`], or the drafter would not draw from what the target is compared with.

mod coupled;
mod noise;
mod penalties;
mod probabilities;
mod ratio;
mod ruling;
mod settings;
mod transforms;

use std::{cell::RefCell, collections::BTreeSet, rc::Rc};

use decode::Token;
use mlx_rs::{
    Array, Dtype, ops,
    ops::indexing::{TryIndexOp, argmax_axis},
};
pub use ratio::Acceptance;
use ruling::Says;
pub use ruling::{Judged, Ruling};
pub use settings::{Penalties, Rule, Sampling};

use self::{penalties::Text, probabilities::Probable};
use crate::{Draft, Q, Result, finite, scalar};

/// Chooses the tokens of one answer. Clones are for the two sides of it: they share what penalties must know.
#[derive(Debug, Clone)]
pub struct Sampler {
    sampling: Sampling,
    /// True for the tokens that are never chosen, `[V]`, if there are any.
    suppressed: Option<Array>,
    /// The text so far, if anything is penalised.
    text: Option<Rc<RefCell<Text>>>,
    /// Whether it says how probable its tokens were.
    observed: bool,
}

/// A drafted token, on the device.
#[derive(Debug)]
pub struct Drawn {
    /// `[1]`, u32; of [`Sampler::pick`] `[d]`.
    pub token: Array,
    /// What it was drawn from, if the rule needs it, or the sampler is observed.
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

impl Sampler {
    /// A sampler for one answer.
    #[must_use]
    pub fn new(sampling: Sampling) -> Self {
        Self { sampling, suppressed: None, text: None, observed: false }
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

    /// The same, which says how probable its tokens were, if it is `observed`: the target's under what they are chosen
    /// by, the drafter's under what they were drawn from; of greedy choices, under the softmax of the logits. The tokens
    /// are the same.
    #[must_use]
    pub fn observed(self, observed: bool) -> Self {
        Self { observed, ..self }
    }

    /// The same for an answer that follows `text`, tokens of a vocabulary of `size`. Penalties need to know; without
    /// any nothing is kept.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn following(self, text: &[Token], size: i32) -> Result<Self> {
        let penalties = self.sampling.penalties;
        let text = if penalties.any() { Some(Text::new(penalties, text, size)?) } else { None };
        Ok(Self { text: text.map(RefCell::new).map(Rc::new), ..self })
    }

    /// Draws the drafter's token for `position` of the sequence from logits `[1, n]`, of the whole vocabulary or of
    /// `subset`. A draft is drawn from left to right: penalties count the tokens drawn for the positions before.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn draw(&self, logits: &Array, subset: Option<&Subset>, position: usize) -> Result<Drawn> {
        let by_ratio = |scores: &Array| ratio::draw(scores, subset, self.sampling.seed, position);
        self.draft(logits, subset, position, by_ratio)
    }

    /// The drafter's tokens for the positions from `position` on, one for each row of logits `[d, n]` that do not depend
    /// on each other; their `q`, if the rule needs it. Under the ratio rule they are the most likely ones, of which
    /// the target accepts more than of independent draws.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn pick(&self, logits: &Array, subset: Option<&Subset>, position: usize) -> Result<Drawn> {
        if self.text.is_none() {
            return self.pick_rows(logits, subset, position);
        }
        // Penalties make each row depend on the tokens before it.
        let row = |(k, position)| self.pick_rows(&logits.try_index((k..=k, ..))?, subset, position);
        let drawn = (0..logits.dim(0)).zip(position..).map(row).collect::<Result<Vec<_>>>()?;
        let (tokens, qs) = drawn.into_iter().map(|drawn| (drawn.token, drawn.q)).unzip::<_, _, Vec<_>, Vec<_>>();
        let qs = qs.into_iter().flatten().collect::<Vec<_>>();
        Ok(Drawn { token: ops::concatenate(&tokens, 0)?, q: Q::concatenate(&qs)? })
    }

    fn pick_rows(&self, logits: &Array, subset: Option<&Subset>, position: usize) -> Result<Drawn> {
        self.draft(logits, subset, position, |scores| {
            let token = best(scores, subset)?;
            Ok(Drawn { q: Some(Q::certain(&token)?), token })
        })
    }

    /// The drafter's choice from logits `[d, n]`, of one row if anything is penalised. Under the ratio rule it is
    /// `by_ratio`'s, which sees what is drawn from.
    fn draft(
        &self,
        logits: &Array,
        subset: Option<&Subset>,
        position: usize,
        by_ratio: impl FnOnce(&Array) -> Result<Drawn>,
    ) -> Result<Drawn> {
        let mut logits = self.suppress(logits, subset)?;
        if let Some(text) = &self.text {
            logits = text.borrow_mut().penalise_drafting(&logits, subset, position)?;
        }
        let scores = self.scores(logits)?;
        let drawn = match self.sampling.rule {
            Rule::Ratio if !self.is_greedy() => by_ratio(&scores)?,
            _ => {
                let token = best(&self.compared(&scores, subset, position)?, subset)?;
                let q = if self.observed { Some(Q::of_scores(&scores, subset)?) } else { None };
                Drawn { token, q }
            }
        };
        if let Some(text) = &self.text {
            text.borrow_mut().draft(&drawn.token);
        }
        Ok(drawn)
    }

    /// Judges a draft by the target's logits `[d + 1, V]`; row 0 chooses the token at `position`. Nothing waits until the
    /// ruling is [read](Ruling::read).
    ///
    /// # Errors
    /// When MLX fails.
    pub fn rule<'a>(&'a self, logits: &Array, draft: Option<&'a Draft>, position: usize) -> Result<Ruling<'a>> {
        let finite = finite(logits)?.all(None)?;
        let scores = self.scores(self.limit(logits, draft.map(|draft| &draft.tokens), position)?)?;
        let says = match (self.sampling.rule, draft) {
            (Rule::Ratio, Some(draft)) if !self.is_greedy() => {
                ratio::judge(&scores, draft, self.sampling.seed, position)?
            }
            _ => Says::Choices(argmax_axis(self.compared(&scores, None, position)?, -1, false)?),
        };
        let probable = if self.observed { Some(Probable::new(&scores, draft, &says)?) } else { None };
        Ok(Ruling { sampler: self, draft, says, finite, probable })
    }

    /// The same, read at once. Waits once.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn judge(&self, logits: &Array, draft: Option<&Draft>, position: usize) -> Result<Judged> {
        let ruling = self.rule(logits, draft, position)?;
        ruling.wait()?;
        ruling.told()
    }

    /// What plain decoding compares to choose the token at `position` from the target's logits `[1, V]`: the one that
    /// weighs most, `[1, V]`. What cannot be chosen weighs −∞. Weights are in logits, divided by the temperature if it
    /// is above 0.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn weigh(&self, logits: &Array, position: usize) -> Result<Array> {
        self.compared(&self.scores(self.limit(logits, None, position)?)?, None, position)
    }

    /// The target's logits `[d + 1, V]` after suppression and penalties.
    fn limit(&self, logits: &Array, drafted: Option<&Array>, position: usize) -> Result<Array> {
        let logits = self.suppress(logits, None)?;
        match &self.text {
            Some(text) => text.borrow().penalise(&logits, drafted, position),
            None => Ok(logits),
        }
    }

    /// From limited logits `[L, n]` to what is drawn from; themselves if nothing is drawn.
    fn scores(&self, logits: Array) -> Result<Array> {
        if self.is_greedy() { Ok(logits) } else { self.sampling.scores(&logits) }
    }

    /// From scores `[L, n]` to what is compared: themselves, with noise if something is drawn.
    fn compared(&self, scores: &Array, subset: Option<&Subset>, position: usize) -> Result<Array> {
        if self.is_greedy() {
            return Ok(scores.clone());
        }
        coupled::weigh(scores, subset, self.sampling.seed, position)
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

/// `array` as float32: distributions are compared in full precision whatever the models compute in.
fn float32(array: &Array) -> Result<Array> {
    Ok(array.as_dtype(Dtype::Float32)?)
}
