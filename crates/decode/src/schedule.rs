//! How long a draft is worth verifying.
//!
//! A schedule must not look at a later token to judge an earlier one: that would bias sampled text (`DSpark` paper,
//! appendix A). [`Schedule::keep`] makes it impossible: positions are asked in order, each with its own confidence,
//! which is a function of the tokens before it, and the first refusal ends the draft. [`Schedule::limit`] is asked before
//! anything is drafted, so it can only follow from earlier rounds.

use crate::{Bound, Draft};

/// Decides, position by position, how much of a proposal is sent to the target.
pub trait Schedule {
    /// The most tokens worth asking the drafter for this round.
    fn limit(&self) -> usize;

    /// Whether [`Schedule::keep`] wants to be asked. If not, the draft stays on the device until it is verified.
    fn reads_confidence(&self) -> bool;

    /// Whether position `position` (0-based) stays, given its own `confidence`.
    fn keep(&mut self, position: usize, confidence: f32) -> bool;

    /// The most tokens that [`Schedule::limit`] may ever ask for.
    fn ceiling(&self) -> usize {
        self.limit()
    }

    /// Why it refuses a position, or asks for fewer tokens than its ceiling.
    fn why(&self) -> Bound {
        Bound::Threshold
    }

    /// Hears what became of a round: of `proposed` tokens that the target judged the first `accepted` stood.
    fn learn(&mut self, _proposed: usize, _accepted: usize) {}
}

/// Cuts `draft`, whose tokens have these `confidences`, as `schedule` says, and returns how many were dropped.
///
/// # Errors
/// When the device fails.
pub(crate) fn cut<D: Draft>(
    schedule: &mut dyn Schedule,
    draft: &mut D,
    confidences: &[f32],
) -> Result<usize, D::Error> {
    let proposed = draft.len();
    let kept = confidences
        .iter()
        .enumerate()
        .take_while(|&(position, &confidence)| schedule.keep(position, confidence))
        .count();
    draft.truncate(kept)?;
    Ok(proposed - kept)
}

/// Always the same number of tokens (γ).
#[derive(Debug, Clone, Copy)]
pub struct Fixed(
    /// γ; 0 is plain decoding.
    pub usize,
);

impl Schedule for Fixed {
    fn limit(&self) -> usize {
        self.0
    }

    fn reads_confidence(&self) -> bool {
        false
    }

    fn keep(&mut self, _position: usize, _confidence: f32) -> bool {
        true
    }
}

/// Per-position thresholds: a position whose confidence lies below its threshold ends the draft.
///
/// Position 0 is always kept. A position without a threshold of its own falls back to `min_conf`.
#[derive(Debug, Clone, Default)]
pub struct Thresholds {
    /// γ, before cutting.
    pub limit: usize,
    /// The threshold of each position, as calibration fitted them; may be shorter than the draft.
    pub thresholds: Vec<f32>,
    /// The threshold beyond the end of `thresholds`; `None` keeps everything there.
    pub min_conf: Option<f32>,
}

impl Schedule for Thresholds {
    fn limit(&self) -> usize {
        self.limit
    }

    fn reads_confidence(&self) -> bool {
        self.min_conf.is_some() || !self.thresholds.is_empty()
    }

    fn keep(&mut self, position: usize, confidence: f32) -> bool {
        let threshold = self.thresholds.get(position).copied().or(self.min_conf);
        position == 0 || threshold.is_none_or(|threshold| confidence >= threshold)
    }
}

/// One threshold for all positions, the first included, so that nothing at all may be left (`DeepSpec`'s gate).
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// γ, before cutting.
    pub limit: usize,
    /// A position whose confidence lies below it ends the draft; 0 keeps everything.
    pub threshold: f32,
}

impl Schedule for Gate {
    fn limit(&self) -> usize {
        self.limit
    }

    fn reads_confidence(&self) -> bool {
        self.threshold > 0.0
    }

    fn keep(&mut self, _position: usize, confidence: f32) -> bool {
        confidence >= self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(mut schedule: impl Schedule, confidences: &[f32]) -> usize {
        confidences.iter().enumerate().take_while(|&(position, &c)| schedule.keep(position, c)).count()
    }

    fn thresholds(thresholds: &[f32], min_conf: Option<f32>) -> Thresholds {
        Thresholds { limit: 4, thresholds: thresholds.to_vec(), min_conf }
    }

    #[test]
    fn the_first_position_is_always_kept() {
        assert_eq!(kept(thresholds(&[0.9, 0.9], None), &[0.1, 0.95]), 2);
    }

    #[test]
    fn the_first_position_below_its_threshold_ends_the_draft() {
        assert_eq!(kept(thresholds(&[0.0, 0.5, 0.0, 0.0], None), &[0.1, 0.4, 0.9, 0.9]), 1);
    }

    #[test]
    fn min_conf_applies_only_beyond_the_thresholds() {
        assert_eq!(kept(thresholds(&[0.0, 0.1], Some(0.5)), &[0.2, 0.2, 0.6, 0.4]), 3);
    }

    #[test]
    fn a_gate_may_shut_before_the_first_position() {
        assert_eq!(kept(Gate { limit: 4, threshold: 0.5 }, &[0.4, 0.9]), 0);
        assert_eq!(kept(Gate { limit: 4, threshold: 0.5 }, &[0.5, 0.9, 0.4]), 2);
    }

    #[test]
    fn a_confidence_equal_to_its_threshold_stays() {
        assert_eq!(kept(thresholds(&[], Some(0.5)), &[0.5, 0.5]), 2);
    }
}
