//! What a plain sampler draws from, number by number as it is defined: the long way round.

use std::collections::BTreeMap;

use decode::Token;
use mlx_rs::{Array, ops::indexing::IndexOp};
use nn::{Penalties, Sampling, Vocabulary};

use crate::{Outcome, decoding::Setup, tensors::floats};

/// Logits after the penalties for `text`.
#[must_use]
pub fn penalised(logits: &[f32], text: &[u32], penalties: Penalties) -> Vec<f32> {
    let window = if penalties.window == 0 { text.len() } else { penalties.window.min(text.len()) };
    let mut penalised = logits.to_vec();
    let newest = &text[text.len() - window..];
    for (id, logit) in (0..).zip(&mut penalised) {
        let times = newest.iter().filter(|&&token| token == id).map(|_| 1.0).sum::<f32>();
        if times > 0.0 {
            *logit = if *logit < 0.0 { *logit * penalties.repetition } else { *logit / penalties.repetition };
            *logit -= penalties.presence + times * penalties.frequency;
        }
    }
    penalised
}

/// The probability of each token behind `text`, at a temperature above 0.
#[must_use]
pub fn distribution(logits: &[f32], text: &[u32], sampling: Sampling) -> Vec<f64> {
    let logits = penalised(logits, text, sampling.penalties);
    let total = logits.iter().map(|logit| f64::from(*logit).exp()).sum::<f64>();
    let p = |i: usize| f64::from(logits[i]).exp() / total;
    let mut order = (0..logits.len()).collect::<Vec<_>>();
    order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
    let mut before = 0.0;
    let mut weights = vec![0.0; logits.len()];
    let mut kept = 0;
    for &i in &order {
        let likely = p(i) >= f64::from(sampling.min_p) * p(order[0]);
        if before < f64::from(sampling.top_p) && likely && (sampling.top_k == 0 || kept < sampling.top_k) {
            weights[i] = f64::from(logits[i] / sampling.temperature).exp();
            kept += 1;
        }
        before += p(i);
    }
    let total = weights.iter().sum::<f64>();
    weights.iter().map(|weight| weight / total).collect()
}

/// The exact probability of every answer to `prompt` that a target may give, as long as its limit.
///
/// # Errors
/// When MLX fails.
pub fn answers(setup: &Setup, prompt: &[Token]) -> Outcome<BTreeMap<Vec<Token>, f64>> {
    let mut answers = BTreeMap::from([(Vec::new(), 1.0)]);
    for _ in 0..setup.limits.max_tokens {
        let mut longer = BTreeMap::new();
        for (answer, p) in answers {
            for (next, q) in following(setup, &[prompt, &answer].concat())? {
                longer.insert([&*answer, &[next]].concat(), p * q);
            }
        }
        answers = longer;
    }
    Ok(answers)
}

/// The tokens that may follow `text`, with their probabilities, from one pass over all of it.
fn following(setup: &Setup, text: &[Token]) -> Outcome<Vec<(Token, f64)>> {
    let Setup { model, sampling, suppressed, .. } = setup;
    let ids = Array::from_slice(text, &[1, i32::try_from(text.len())?]);
    let rows = model.forward(&ids, &mut model.caches(), &[])?;
    let mut logits = floats(&model.logits(&rows.normed)?.index((0, -1, ..)))?;
    for &token in suppressed {
        logits[token as usize] = f32::NEG_INFINITY;
    }
    let probabilities = (0..).zip(distribution(&logits, text, *sampling));
    Ok(probabilities.filter(|&(_, p)| p > 0.0).collect())
}

/// The first of the greatest.
#[must_use]
pub fn best(logits: &[f32]) -> u32 {
    let better = |best: (u32, f32), next: (u32, f32)| if next.1 > best.1 { next } else { best };
    (0..).zip(logits.iter().copied()).fold((0, f32::NEG_INFINITY), better).0
}
