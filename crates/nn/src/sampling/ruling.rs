//! A verdict on its way from the device to the host.

use decode::{Token, Verdict, agree};
use mlx_rs::Array;

use super::Sampler;
use crate::{Draft, Result, wait};

/// What the target says of a draft, still on the device.
#[derive(Debug)]
pub struct Ruling<'a> {
    pub(super) sampler: &'a Sampler,
    pub(super) draft: Option<&'a Draft>,
    pub(super) says: Says,
    /// Whether the target's logits were finite, a scalar.
    pub(super) finite: Array,
}

/// A verdict on the device.
#[derive(Debug)]
pub(super) enum Says {
    /// The target's tokens, `[d + 1]`.
    Choices(Array),
    /// How many stand and what follows, both scalars.
    Ruled { accepted: Array, next: Array },
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

impl Ruling<'_> {
    /// Waits once for everything that the host needs of a pass, whose rows may belong to several answers.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn read(rulings: &[Self]) -> Result<Vec<Judged>> {
        wait(rulings.iter().flat_map(Self::arrays))?;
        rulings.iter().map(Self::told).collect()
    }

    pub(super) fn wait(&self) -> Result<()> {
        wait(self.arrays())
    }

    fn arrays(&self) -> impl Iterator<Item = &Array> {
        let verdict = match &self.says {
            Says::Choices(choices) => [Some(choices), None],
            Says::Ruled { accepted, next } => [Some(accepted), Some(next)],
        };
        let draft = self.draft.iter().flat_map(|draft| [&draft.tokens].into_iter().chain(&draft.confidences));
        [&self.finite].into_iter().chain(verdict.into_iter().flatten()).chain(draft)
    }

    /// What has been waited for. The sampler hears of it, for what its penalties count.
    pub(super) fn told(&self) -> Result<Judged> {
        let verdict = match &self.says {
            Says::Choices(choices) => Verdict::Choices(choices.as_slice::<u32>().to_vec()),
            Says::Ruled { accepted, next } => {
                Verdict::Ruled { accepted: accepted.item_exact::<u32>() as usize, next: next.item_exact::<u32>() }
            }
        };
        let judged = Judged {
            draft: self.draft.map_or_else(Vec::new, |draft| draft.tokens.as_slice::<u32>().to_vec()),
            confidences: self
                .draft
                .and_then(|draft| draft.confidences.as_ref())
                .map_or_else(Vec::new, |confidences| confidences.as_slice::<f32>().to_vec()),
            verdict,
            finite: self.finite.item_exact::<bool>(),
        };
        if let Some(text) = self.sampler.text.as_ref().filter(|_| judged.finite) {
            let (accepted, next) = agree(&judged.draft, &judged.verdict);
            text.borrow_mut().push(&[&judged.draft[..accepted], &[next]].concat())?;
        }
        Ok(judged)
    }
}
