//! The ratio rule and the schedule on distributions so small that every case can be counted, without chance.

use std::ops::ControlFlow;

use calibration::{Auto, Cost, Spent};
use decode::{Answer, Drafter, Fixed, Gate, Limits, Pass, Schedule, Target, Thresholds, Token, Verdict};
use mlx_rs::{Array, ops, ops::indexing::IndexOp};
use nn::{Acceptance, Draft, Q, Rule, Sampler, Sampling};
use tests::{Outcome, schedules::Plan, tensors::floats};

/// How many uniforms are tried, spread evenly; the thresholds of the examples lie between two of them.
const UNIFORMS: i16 = 20;

fn row(numbers: &[f32]) -> Outcome<Array> {
    Ok(Array::from_slice(numbers, &[1, i32::try_from(numbers.len())?]))
}

fn uniforms() -> impl Iterator<Item = f32> {
    (0..UNIFORMS).map(|i| (f32::from(i) + 0.5) / f32::from(UNIFORMS))
}

/// Adds `mass` to `totals`, shared like `weights`.
fn share(totals: &mut [f64], mass: f64, weights: &[f32]) {
    let sum = weights.iter().copied().map(f64::from).sum::<f64>();
    totals.iter_mut().zip(weights).for_each(|(total, weight)| *total += mass * f64::from(*weight) / sum);
}

fn check(totals: &[f64], wanted: &[f64]) {
    let close = totals.iter().zip(wanted).all(|(total, wanted)| (total - wanted).abs() < 1e-6);
    assert!(close && totals.len() == wanted.len(), "{totals:?}, not {wanted:?}");
}

#[test]
fn a_reduced_vocabulary_leaves_the_targets_distribution_whole() -> Outcome {
    // Ids 0 and 1 of the drafter are 1 and 2 of the target.
    let (d2t, q, p) = ([1, 1], [0.6, 0.4], [0.1, 0.3, 0.2, 0.4]);
    let ids = Array::from_iter((0..).zip(d2t).map(|(id, offset): (u32, u32)| id + offset), &[1, 2]);
    let log_q = ops::log(row(&q)?)?;
    let both = ops::concatenate(&[row(&p)?, row(&p)?], 0)?;
    let mut totals = [0.0; 4];
    for (token, share_of_q) in [1_u32, 2].into_iter().zip(q) {
        for uniform in uniforms() {
            let q = Some(Q::Sparse { ids: ids.clone(), log_q: log_q.clone() });
            let draft = Draft { tokens: Array::from_slice(&[token], &[1]), q, confidences: None };
            let judged = Acceptance::new(&both, &draft, &Array::from_slice(&[uniform], &[1]))?;
            let mass = f64::from(share_of_q) / f64::from(UNIFORMS);
            match judged.accepted.item_exact::<u32>() {
                0 => {
                    assert!(uniform > 0.5, "both drafts are accepted with probability 0.5");
                    share(&mut totals, mass, &floats(&judged.rest)?);
                }
                _ => totals[token as usize] += mass,
            }
        }
    }
    check(&totals, &[0.1, 0.3, 0.2, 0.4]);
    Ok(())
}

/// The example of the `DSpark` paper's appendix A: `p` and `q` of every position.
const P: [f32; 2] = [0.7, 0.3];
const Q_OF: [f32; 2] = [0.5, 0.5];
/// How sure the drafter is of its first token, and of its second behind either first one.
const FIRST: f32 = 0.8;
const SECOND: [f32; 2] = [1.0, 0.0];
/// Rounds a second with 0, 1, 2 tokens drafted.
const SPEEDS: [f32; 3] = [1.0, 0.5, 0.45];

/// A target and a drafter of which everything random is given.
struct Given {
    first: Token,
    uniform: f32,
    /// What the first emitted token is drawn from, given all that.
    outcome: Vec<f32>,
}

/// The drafter of [`Given`].
struct Drafting(Token);

impl Target for Given {
    type Draft = Draft;
    type Taps = Array;
    type Error = nn::Error;

    fn prefill(&mut self, _tokens: &[Token]) -> nn::Result<Array> {
        Ok(Array::from_f32(0.0))
    }

    fn verify(&mut self, _anchor: Token, draft: Option<&Draft>) -> nn::Result<Pass<Array>> {
        self.outcome = P.to_vec();
        if let Some(draft) = draft {
            let rows = draft.tokens.dim(0);
            let p = ops::broadcast_to(Array::from_slice(&P, &[1, 2]), &[rows + 1, 2])?;
            let uniforms = ops::broadcast_to(Array::from_f32(self.uniform), &[rows])?;
            let judged = Acceptance::new(&p, draft, &uniforms)?;
            nn::wait([&judged.rest])?;
            self.outcome = match judged.accepted.item_exact::<u32>() {
                0 => judged.rest.as_slice::<f32>().to_vec(),
                _ => [0, 1].map(|token| if token == self.first { 1.0 } else { 0.0 }).to_vec(),
            };
        }
        let draft = draft.map_or_else(Vec::new, |draft| draft.tokens.as_slice::<u32>().to_vec());
        let verdict = Verdict::Ruled { accepted: 0, next: 0 };
        Ok(Pass { draft, confidences: Vec::new(), verdict, probabilities: None, taps: Array::from_f32(0.0) })
    }

    fn commit(&mut self, _rows: usize) -> nn::Result<()> {
        Ok(())
    }
}

impl Drafter for Drafting {
    type Draft = Draft;
    type Taps = Array;
    type Error = nn::Error;

    fn limit(&self) -> usize {
        2
    }

    fn propose(&mut self, _anchor: Token, _position: usize, limit: usize) -> nn::Result<Draft> {
        let confidences = Array::from_slice(&[FIRST, SECOND[self.0 as usize]], &[2]);
        let log_q = ops::broadcast_to(Array::from_slice(&Q_OF.map(f32::ln), &[1, 2]), &[2, 2])?;
        let tokens = Array::from_slice(&[self.0, 0], &[2]);
        let mut draft = Draft { tokens, q: Some(Q::Dense(log_q)), confidences: Some(confidences) };
        decode::Draft::truncate(&mut draft, limit)?;
        Ok(draft)
    }

    fn commit(&mut self, _tokens: &[Token], _taps: &Array) -> nn::Result<()> {
        Ok(())
    }
}

/// The exact distribution of the first token that a round emits under a schedule, which may depend on the first
/// token drafted: an honest one does not, for all that it could know of it.
fn first_token(schedule: impl Fn(Token) -> Box<dyn Schedule>) -> Outcome<[f64; 2]> {
    let mut totals = [0.0; 2];
    for first in [0, 1] {
        for uniform in uniforms() {
            let mut given = Given { first, uniform, outcome: Vec::new() };
            let mut answer = Answer::new(&[0], Limits { max_tokens: 3, ..Limits::default() })?;
            let mut watch = |_| ControlFlow::Continue(());
            answer.round(&mut given, Some(&mut Drafting(first)), &mut *schedule(first), &mut watch)?;
            let mass = f64::from(Q_OF[first as usize]) / f64::from(UNIFORMS);
            share(&mut totals, mass, &given.outcome);
        }
    }
    Ok(totals)
}

/// The length that maximises expected tokens per second over all lengths at once: it looks at the confidence in the
/// second token, and so at what the first one became, to decide on the first.
fn anticipating(first: Token) -> Box<dyn Schedule> {
    let second = FIRST * SECOND[first as usize];
    let expected = [SPEEDS[0], (1.0 + FIRST) * SPEEDS[1], (1.0 + FIRST + second) * SPEEDS[2]];
    let best = (0..3).max_by(|&a, &b| expected[a].total_cmp(&expected[b])).unwrap_or(0);
    Box::new(Fixed(best))
}

/// The prefix scheduler on the machine of the example.
fn auto(confident: bool) -> Auto {
    let mut cost = Cost::default();
    for (drafted, speed) in SPEEDS.into_iter().enumerate() {
        let spent = Spent::Apart { draft_s: 0.0, verify_s: f64::from(speed).recip() };
        cost.measure(0, drafted, drafted + 1, spent);
    }
    Auto::new(2, confident, cost)
}

#[test]
fn looking_ahead_would_bias_the_text_and_our_schedules_do_not() -> Outcome {
    check(&first_token(anticipating)?, &[0.85, 0.15]);

    let honest = |schedule: &dyn Fn() -> Box<dyn Schedule>| -> Outcome {
        check(&first_token(|_| schedule())?, &P.map(f64::from));
        Ok(())
    };
    for plan in Plan::ALL {
        for limit in 0..3 {
            honest(&|| plan.schedule(limit))?;
        }
    }
    for confident in [true, false] {
        honest(&|| Box::new(auto(confident)))?;
    }
    for threshold in [0.1, 0.5, 0.9] {
        honest(&|| Box::new(Thresholds { limit: 2, thresholds: Vec::new(), min_conf: Some(threshold) }))?;
        honest(&|| Box::new(Gate { limit: 2, threshold }))?;
    }
    Ok(())
}

#[test]
fn a_drafter_whose_logits_are_no_numbers_is_refused_and_the_target_goes_on() -> Outcome {
    let target = [0.5, 2.0, -1.0, 1.0];
    let p = ops::softmax_axis(row(&target)?, -1, None)?;
    let spoilt: [&[f32]; 3] = [&[f32::NAN; 4], &[1.0, f32::NAN, 0.0, 2.0], &[f32::INFINITY, 1.0, f32::INFINITY, 0.0]];
    for logits in spoilt {
        for subset in [None, Some(nn::Subset { ids: Array::from_slice(&[0_u32, 1, 2, 3], &[4]), of: 4 })] {
            for seed in 0..20 {
                let sampling = Sampling { temperature: 1.0, top_p: 0.9, top_k: 3, seed, ..Sampling::default() };
                let sampler = Sampler::new(Sampling { rule: Rule::Ratio, ..sampling });
                let drawn = sampler.draw(&row(logits)?, subset.as_ref(), 1)?;
                let draft = Draft { tokens: drawn.token, q: drawn.q, confidences: None };
                let both = ops::concatenate(&[row(&target)?, row(&target)?], 0)?;
                let judged = sampler.judge(&both, Some(&draft), 1)?;
                let Verdict::Ruled { accepted, next } = judged.verdict else { return Err("no ruling".into()) };
                assert!(judged.finite && accepted == 0 && next < 4);

                let rest = Acceptance::new(&ops::concatenate(&[&p, &p], 0)?, &draft, &row(&[0.0])?.index(0))?.rest;
                assert_eq!(floats(&rest)?, floats(&p)?);
            }
        }
    }
    Ok(())
}
