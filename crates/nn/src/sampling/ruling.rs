//! A verdict on its way from the device to the host.

use decode::{Probabilities, Token, Verdict, agree};
use mlx_rs::Array;

use super::{Sampler, probabilities::Probable};
use crate::{Draft, Result, wait};

/// What the target says of a draft, still on the device.
#[derive(Debug)]
pub struct Ruling<'a> {
    pub(super) sampler: &'a Sampler,
    pub(super) draft: Option<&'a Draft>,
    pub(super) says: Says,
    /// Whether the target's logits were finite, a scalar.
    pub(super) finite: Array,
    /// How probable the tokens were, if that is asked for.
    pub(super) probable: Option<Probable>,
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
    /// How probable the tokens were, if the sampler is [observed](Sampler::observed).
    pub probabilities: Option<Probabilities>,
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
        [&self.finite]
            .into_iter()
            .chain(verdict.into_iter().flatten())
            .chain(draft)
            .chain(self.probable.iter().flat_map(Probable::arrays))
    }

    /// What has been waited for. The sampler hears of it, for what its penalties count.
    pub(super) fn told(&self) -> Result<Judged> {
        let verdict = match &self.says {
            Says::Choices(choices) => Verdict::Choices(choices.as_slice::<u32>().to_vec()),
            Says::Ruled { accepted, next } => {
                Verdict::Ruled { accepted: accepted.item_exact::<u32>() as usize, next: next.item_exact::<u32>() }
            }
        };
        let draft = self.draft.map_or_else(Vec::new, |draft| draft.tokens.as_slice::<u32>().to_vec());
        let (accepted, next) = agree(&draft, &verdict);
        let judged = Judged {
            draft,
            confidences: self
                .draft
                .and_then(|draft| draft.confidences.as_ref())
                .map_or_else(Vec::new, |confidences| confidences.as_slice::<f32>().to_vec()),
            verdict,
            probabilities: self.probable.as_ref().map(|probable| probable.told(accepted)),
            finite: self.finite.item_exact::<bool>(),
        };
        if let Some(text) = self.sampler.text.as_ref().filter(|_| judged.finite) {
            text.borrow_mut().push(&[&judged.draft[..accepted], &[next]].concat())?;
        }
        Ok(judged)
    }
}
