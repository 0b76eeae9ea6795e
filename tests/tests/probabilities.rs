//! How probable a round says its tokens were, against a softmax by hand.

use decode::Probabilities;
use mlx_rs::{Array, ops::indexing::IndexOp};
use nn::{Draft, Penalties, Rule, Sampler, Sampling, Subset};
use tests::{Outcome, random::Random};

/// Of the whole vocabulary.
const TOKENS: usize = 6;
/// Drafted tokens.
const DRAFTED: usize = 3;
/// Where the draft begins.
const POSITION: usize = 4;
const TOLERANCE: f64 = 1e-6;

/// Rows of logits between −3 and 3.
fn rows(random: &mut Random, count: usize) -> Vec<Vec<f32>> {
    let mut logit = || f32::from(u16::try_from(random.below(601)).unwrap_or_default()) / 50.0 - 3.0;
    (0..count).map(|_| (0..TOKENS).map(|_| logit()).collect()).collect()
}

fn array(rows: &[Vec<f32>]) -> Array {
    let shape = [i32::try_from(rows.len()).unwrap_or(0), i32::try_from(rows[0].len()).unwrap_or(0)];
    Array::from_slice(&rows.concat(), &shape)
}

/// What a row is drawn from: the `kept` most likely tokens at a temperature; greedy choices are told at 1.
fn softmax(row: &[f32], Sampling { temperature, top_k, .. }: Sampling) -> Vec<f64> {
    let (temperature, kept) = if temperature > 0.0 { (temperature, top_k) } else { (1.0, 0) };
    let mut ordered = row.to_vec();
    ordered.sort_by(|one, other| other.total_cmp(one));
    let least = if kept == 0 { f32::NEG_INFINITY } else { ordered[kept - 1] };
    let weight = |&logit: &f32| if logit < least { 0.0 } else { (f64::from(logit) / f64::from(temperature)).exp() };
    let weights = row.iter().map(weight).collect::<Vec<_>>();
    let sum = weights.iter().sum::<f64>();
    weights.iter().map(|weight| weight / sum).collect()
}

/// Greedy, and both rules at a temperature, with a filter.
fn samplings() -> impl Iterator<Item = Sampling> {
    let rules = [Rule::Coupled, Rule::Ratio].into_iter();
    let each = rules.flat_map(|rule| [0.0, 0.7, 2.0].map(|temperature| (rule, temperature)));
    each.flat_map(|(rule, temperature)| {
        [0, 3].map(|top_k| Sampling { temperature, top_k, rule, top_p: 1.0, seed: 7, ..Sampling::default() })
    })
}

fn check(what: &str, told: &[f32], wanted: &[f64]) {
    let close = told.iter().zip(wanted).all(|(told, wanted)| (f64::from(*told) - wanted).abs() < TOLERANCE);
    assert!(told.len() == wanted.len() && close, "{what}: {told:?} is not {wanted:?}");
}

#[test]
fn p_and_q_are_what_tokens_are_chosen_by_and_drawn_from() -> Outcome {
    let mut random = Random::new(5);
    for sampling in samplings() {
        for _ in 0..8 {
            let (target, drafter) = (rows(&mut random, DRAFTED + 1), rows(&mut random, DRAFTED));
            let sampler = Sampler::new(sampling).observed(true);
            let drawn = drafter.iter().zip(POSITION..).map(|(row, position)| {
                let drawn = sampler.draw(&array(std::slice::from_ref(row)), None, position)?;
                Ok((drawn.token, drawn.q.ok_or("it does not say what it was drawn from")?))
            });
            let (tokens, q) = drawn.collect::<Outcome<Vec<_>>>()?.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
            let tokens = mlx_rs::ops::concatenate(&tokens, 0)?;
            let draft = Draft { tokens, q: nn::Q::concatenate(&q)?, confidences: None };
            let judged = sampler.judge(&array(&target), Some(&draft), POSITION)?;

            let Probabilities { p, q, own } = judged.probabilities.ok_or("nothing is told")?;
            let of = |rows: &[Vec<f32>]| {
                let each = rows.iter().zip(&judged.draft);
                each.map(|(row, &token)| softmax(row, sampling)[token as usize]).collect::<Vec<_>>()
            };
            check("p", &p, &of(&target[..DRAFTED]));
            check("q", &q, &of(&drafter));
            let (accepted, next) = decode::agree(&judged.draft, &judged.verdict);
            let wanted = softmax(&target[accepted], sampling)[next as usize];
            check("the target's own", &[own.ok_or("it chose one")?], &[wanted]);
        }
    }
    Ok(())
}

#[test]
fn a_part_of_the_vocabulary_is_all_that_q_is_shared_by() -> Outcome {
    let sampling = Sampling { temperature: 1.0, top_p: 1.0, top_k: 0, seed: 3, ..Sampling::default() };
    let (sampler, logits) = (Sampler::new(sampling).observed(true), vec![vec![0.5, -1.0], vec![2.0, 0.0]]);
    let subset = Subset { ids: Array::from_slice(&[4_u32, 1], &[2]), of: 6 };
    // Rows that do not depend on each other are told together.
    let drawn = sampler.pick(&array(&logits), Some(&subset), POSITION)?;
    let tokens = drawn.token.to_vec_exact::<u32>()?;
    let draft = Draft { tokens: drawn.token, q: drawn.q, confidences: None };
    let judged = sampler.judge(&array(&rows(&mut Random::new(1), 3)), Some(&draft), POSITION)?;
    let of = |(row, token): (&Vec<f32>, &u32)| softmax(row, sampling)[usize::from(*token == 1)];
    let wanted = logits.iter().zip(&tokens).map(of).collect::<Vec<_>>();
    check("q", &judged.probabilities.ok_or("nothing is told")?.q, &wanted);
    Ok(())
}

#[test]
fn what_is_suppressed_or_penalised_is_told_as_it_is_chosen() -> Outcome {
    let penalties = Penalties { presence: 1.5, ..Penalties::default() };
    let sampling = Sampling { temperature: 0.0, penalties, ..Sampling::default() };
    let sampler = Sampler::new(sampling).suppressing(&[0].into(), 3).observed(true).following(&[1], 3)?;
    let judged = sampler.judge(&array(&[vec![9.0, 1.0, 0.0]]), None, 1)?;
    assert_eq!(decode::agree(&judged.draft, &judged.verdict), (0, 2));
    let Probabilities { p, q, own } = judged.probabilities.ok_or("nothing is told")?;
    let wanted = 1.0 / (1.0 + (-0.5_f64).exp());
    assert!(p.is_empty() && q.is_empty());
    check("the target's own", &[own.ok_or("it chose one")?], &[wanted]);
    Ok(())
}

#[test]
fn nothing_is_told_unless_it_is_asked_for() -> Outcome {
    for sampling in samplings() {
        let judged = Sampler::new(sampling).judge(&array(&rows(&mut Random::new(2), 1)), None, POSITION)?;
        assert!(judged.probabilities.is_none());
    }
    let greedy = Sampling { temperature: 0.0, ..Sampling::default() };
    let row = array(&rows(&mut Random::new(2), 1)).index((..1, ..));
    assert!(Sampler::new(greedy).draw(&row, None, POSITION)?.q.is_none());
    Ok(())
}
