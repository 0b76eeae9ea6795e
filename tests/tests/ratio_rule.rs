//! The ratio rule does not change what is drawn, only how often the target is asked.

use std::collections::{BTreeMap, BTreeSet};

use decode::{Fixed, Limits, Verdict, agree};
use mlx_rs::{Array, Dtype, ops, ops::indexing::IndexOp};
use nn::{Draft, Rule, Sampler, Sampling, Vocabulary};
use tests::{Outcome, chi_square, decoding::Setup, fixtures, tensors::floats};

const DRAWS: u64 = 2000;

fn ratio(top_k: usize, top_p: f32, seed: u64) -> Sampling {
    Sampling { temperature: 0.8, top_p, top_k, seed, rule: Rule::Ratio }
}

/// A drafter and a target over eight tokens, neither of which looks at what came before.
struct Tiny {
    drafter: Array,
    target: Array,
}

impl Tiny {
    fn new() -> Self {
        let drafter = [0.3, -1.0, 0.9, 0.1, 2.0, -0.4, 0.0, 0.7];
        let target = [1.1, 0.2, -0.6, 0.8, 0.5, -2.0, 0.3, -0.1];
        Self {
            drafter: Array::from_slice::<f32>(&drafter, &[1, 8]),
            target: Array::from_slice::<f32>(&target, &[1, 8]),
        }
    }

    /// The tokens that one round emits, of a draft of `length`.
    fn round(&self, length: usize, sampler: &Sampler) -> Outcome<Vec<u32>> {
        let drawn = (0..length).map(|k| sampler.draw(&self.drafter, k + 1)).collect::<Result<Vec<_>, _>>()?;
        let tokens = drawn.iter().map(|drawn| &drawn.token).collect::<Vec<_>>();
        let log_q = drawn.iter().filter_map(|drawn| drawn.log_q.as_ref()).collect::<Vec<_>>();
        let (tokens, log_q) = (ops::concatenate(&tokens, 0)?, Some(ops::concatenate(&log_q, 0)?));
        let draft = Draft { tokens, log_q, confidences: None };
        let logits = ops::concatenate(&vec![&self.target; length + 1], 0)?;
        let judged = sampler.judge(&logits, Some(&draft), 1)?;
        assert!(matches!(judged.verdict, Verdict::Ruled { .. }));
        let (accepted, next) = agree(&judged.draft, &judged.verdict);
        Ok([&judged.draft[..accepted], &[next]].concat())
    }

    /// What plain sampling draws from.
    fn distribution(&self, sampling: Sampling) -> Outcome<Vec<f64>> {
        let scores = floats(&self.target)?;
        let kept = kept(&scores, sampling);
        let weight = |i: usize| if kept.contains(&i) { f64::from(scores[i] / sampling.temperature).exp() } else { 0.0 };
        let total = (0..8).map(weight).sum::<f64>();
        Ok((0..8).map(|i| weight(i) / total).collect())
    }
}

/// The tokens that survive top-p and top-k, by their definition.
fn kept(scores: &[f32], sampling: Sampling) -> BTreeSet<usize> {
    let total = scores.iter().map(|s| s.exp()).sum::<f32>();
    let mut order = (0..scores.len()).collect::<Vec<_>>();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut before = 0.0;
    let mut kept = BTreeSet::new();
    for (rank, &i) in order.iter().enumerate() {
        if before < sampling.top_p && (sampling.top_k == 0 || rank < sampling.top_k) {
            kept.insert(i);
        }
        before += scores[i].exp() / total;
    }
    kept
}

#[test]
fn the_first_and_the_second_token_of_a_round_are_drawn_from_the_target() -> Outcome {
    let tiny = Tiny::new();
    for (top_k, top_p) in [(0, 1.0), (5, 1.0), (0, 0.7)] {
        let distribution = tiny.distribution(ratio(top_k, top_p, 0))?;
        for length in [1, 3] {
            let (mut first, mut second) = (vec![0; 8], vec![0; 8]);
            for seed in 0..DRAWS {
                let emitted = tiny.round(length, &Sampler::new(ratio(top_k, top_p, seed)))?;
                first[emitted[0] as usize] += 1;
                if let Some(&token) = emitted.get(1) {
                    second[token as usize] += 1;
                }
            }
            let what = format!("top-k {top_k}, top-p {top_p}, {length} drafted");
            chi_square::check(&format!("{what}, first token"), &first, &distribution)?;
            chi_square::check(&format!("{what}, second token"), &second, &distribution)?;
        }
    }
    Ok(())
}

#[test]
fn two_tokens_of_a_tiny_target_are_drawn_jointly_from_its_distribution() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/31b-dense"), 2)?;
    let setup = setup.limited(Limits { stop: BTreeSet::new(), max_tokens: 2 });
    let drafter = setup.fresh_drafter(2, false, 5)?;
    let prompt = [2, 17, 99];
    let expected = joint(&setup, &prompt)?;
    let mut counts = BTreeMap::new();
    for seed in 0..1500 {
        let made = setup.sampled(ratio(4, 1.0, seed)).drafted(&prompt, &drafter, &mut Fixed(2))?;
        *counts.entry((made.ids[0], made.ids[1])).or_insert(0) += 1;
    }
    assert!(counts.keys().all(|pair| expected.contains_key(pair)), "something impossible was drawn");
    let seen = expected.keys().map(|pair| counts.get(pair).copied().unwrap_or(0)).collect::<Vec<_>>();
    chi_square::check("pairs", &seen, &expected.into_values().collect::<Vec<_>>())
}

/// The exact probability of every pair of tokens.
fn joint(setup: &Setup, prompt: &[u32]) -> Outcome<BTreeMap<(u32, u32), f64>> {
    let mut pairs = BTreeMap::new();
    for (first, p) in next(setup, prompt)? {
        for (second, q) in next(setup, &[prompt, &[first]].concat())? {
            pairs.insert((first, second), p * q);
        }
    }
    Ok(pairs)
}

/// The tokens that may follow, with their probabilities.
fn next(setup: &Setup, ids: &[u32]) -> Outcome<Vec<(u32, f64)>> {
    let sampling = ratio(4, 1.0, 0);
    let array = Array::from_slice(ids, &[1, i32::try_from(ids.len())?]);
    let rows = setup.model.forward(&array, &mut setup.model.caches(), &[])?;
    let logits = setup.model.logits(&rows.normed)?.as_dtype(Dtype::Float32)?;
    let scores = floats(&logits.index((0, -1, ..)))?;
    let kept = kept(&scores, sampling);
    let weight = |&i: &usize| f64::from(scores[i] / sampling.temperature).exp();
    let total = kept.iter().map(weight).sum::<f64>();
    kept.iter().map(|i| Ok((u32::try_from(*i)?, weight(i) / total))).collect()
}
