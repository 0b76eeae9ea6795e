//! What a drafter is trained to make small (`DSpark` paper, Eq. 8 to 12).

use mlx_rs::{Array, ops, ops::indexing::take_along_axis, stop_gradient};
use nn::Result;

/// How the parts of the loss are weighed against each other, `0.1·CE + 0.9·TV + 1.0·CONF` by default.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Loss {
    /// Of the token that followed.
    pub cross_entropy: f32,
    /// Of the distance to the target's distribution.
    pub total_variation: f32,
    /// Of the confidence.
    pub confidence: f32,
}

/// A loss and its parts, each a mean over positions by their weights; scalars on the device.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The weighed sum.
    pub total: Array,
    /// `−ln p^d(x*)` (Eq. 9).
    pub cross_entropy: Array,
    /// `‖p^d − p^t‖₁`, without a half (Eq. 10).
    pub total_variation: Array,
    /// Binary cross-entropy of the confidence (Eq. 11); 0 if the drafter has none.
    pub confidence: Array,
}

impl Default for Loss {
    fn default() -> Self {
        Self { cross_entropy: 0.1, total_variation: 0.9, confidence: 1.0 }
    }
}

impl Loss {
    /// The loss of `n` blocks of `γ` tokens: draft logits `[n, γ, V]` and what the confidences were before they were
    /// squashed, `[n, γ]`, against the target's probabilities `[n, γ, V]` and the tokens that followed, `[n, γ]`. A
    /// position counts by its weight, `[n, γ]` or `[γ]`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn of(
        &self,
        logits: &Array,
        confidences: Option<&Array>,
        target: &Array,
        labels: &Array,
        weights: &Array,
    ) -> Result<Parts> {
        let weights = ops::broadcast_to(weights, labels.shape())?;
        let sum = weights.sum(None)?.add(Array::from_f32(1e-6))?;
        let mean = |values: &Array| -> Result<Array> { Ok(values.multiply(&weights)?.sum(None)?.divide(&sum)?) };

        let log_drafted = logits.subtract(logits.logsumexp_axis(-1, true)?)?;
        let drafted = ops::exp(&log_drafted)?;
        let said = take_along_axis(&log_drafted, &labels.expand_dims(-1)?, -1)?.squeeze_axes(&[-1])?;
        let cross_entropy = mean(&said.negative()?)?;
        let distance = ops::abs(drafted.subtract(target)?)?.sum_axis(-1, None)?;
        let total_variation = mean(&distance)?;
        let confidence = match confidences {
            Some(confidences) => mean(&surprise(confidences, &stop_gradient(accepted(&distance)?)?)?)?,
            None => Array::from_f32(0.0),
        };
        let total = [
            (self.cross_entropy, &cross_entropy),
            (self.total_variation, &total_variation),
            (self.confidence, &confidence),
        ];
        let weighed = |(factor, part): (f32, &Array)| part.multiply(Array::from_f32(factor));
        let [first, second, third] = total.map(weighed);
        Ok(Parts { total: first?.add(second?)?.add(third?)?, cross_entropy, total_variation, confidence })
    }
}

/// `exp(−k/decay)` for the positions `0..γ`, `[γ]`: what is drafted later is used less often.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "γ is small")]
pub fn position_weights(gamma: usize, decay: f32) -> Array {
    let weights = (0..gamma).map(|k| (-(k as f32) / decay).exp());
    Array::from_iter(weights, &[i32::try_from(gamma).unwrap_or(i32::MAX)])
}

/// How likely each drafted token is accepted given those before it, `α = 1 − ½‖p^d − p^t‖₁`: from logits and the target's
/// probabilities `[n, γ, V]`, `[n, γ]`.
///
/// # Errors
/// When MLX fails.
pub fn acceptance(logits: &Array, target: &Array) -> Result<Array> {
    let drafted = ops::softmax_axis(logits, -1, true)?;
    accepted(&ops::abs(drafted.subtract(target)?)?.sum_axis(-1, None)?)
}

/// Tokens of a round, `τ = 1 + Σ_j ∏_{i≤j} α_i`, on average over blocks of which these are the acceptances, `[n][γ]`.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "blocks are counted in thousands")]
pub fn tokens_per_round(acceptances: &[Vec<f32>]) -> f64 {
    let of_block = |block: &Vec<f32>| {
        let survivals = block.iter().scan(1.0, |survival, &accepted| {
            *survival *= f64::from(accepted);
            Some(*survival)
        });
        1.0 + survivals.sum::<f64>()
    };
    acceptances.iter().map(of_block).sum::<f64>() / acceptances.len().max(1) as f64
}

fn accepted(distance: &Array) -> Result<Array> {
    Ok(Array::from_f32(1.0).subtract(distance.multiply(Array::from_f32(0.5))?)?)
}

/// `−c* ln σ(x) − (1 − c*) ln(1 − σ(x))` for logits `x`, in a form that never overflows.
fn surprise(logits: &Array, wanted: &Array) -> Result<Array> {
    Ok(ops::logaddexp(Array::from_f32(0.0), logits)?.subtract(logits.multiply(wanted)?)?)
}
