use super::*;
use crate::Spent;

/// Seconds of drafting 5 tokens, and of verifying 1, 2, … rows.
fn cost(draft_s: f64, verify_s: &[f64]) -> Cost {
    let mut cost = Cost::default();
    for (rows, &verify_s) in (1..).zip(verify_s) {
        cost.measure(0, 5, rows, Spent::Apart { draft_s, verify_s });
    }
    cost
}

fn kept(auto: &mut Auto, confidences: &[f32]) -> usize {
    confidences.iter().enumerate().take_while(|&(position, &confidence)| auto.keep(position, confidence)).count()
}

fn check(draft_s: f64, verify_s: &[f64], confidences: &[f32], want: usize) {
    let mut auto = Auto::new(confidences.len(), true, cost(draft_s, verify_s));
    assert_eq!(kept(&mut auto, confidences), want);
}

/// Numbers that look random, between 0 and 1.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f64::from(u32::try_from(state >> 32).unwrap_or(0)) / f64::from(u32::MAX)
    }
}

#[test]
fn the_papers_example_stops_where_it_must() {
    // Appendix A: SPS(1..3) = 1, 0.5, 0.45. theta: 1, then 1.5 · 0.5 = 0.75.
    check(0.0, &[1.0, 2.0, 1.0 / 0.45], &[0.5, 1.0], 0);
}

#[test]
fn hand_computed_lengths() {
    // theta: 1/2, 1.8/2.2 = 0.818, 2.44/2.4 = 1.017, 2.952/2.6 = 1.135, 3.36/4 = 0.84.
    check(1.0, &[1.0, 1.2, 1.4, 1.6, 3.0, 3.0], &[0.8, 0.8, 0.8, 0.8, 1.0], 3);
    // A free verify is worth any chance at all, but none is worth nothing.
    check(1.0, &[1.0; 6], &[0.1; 5], 5);
    check(1.0, &[1.0; 6], &[0.1, 0.0, 1.0, 1.0, 1.0], 1);
}

#[test]
fn what_was_paid_for_drafting_makes_longer_drafts_worth_it() {
    let verify = [1.0, 1.4, 1.8, 2.2, 2.6, 3.0];
    // theta: 1, 1.5/1.4, 1.75/1.8: one token. With 2 s of drafting: 1/3, 1.5/3.4, 1.75/3.8, 1.875/4.2.
    check(0.0, &verify, &[0.5; 5], 1);
    check(2.0, &verify, &[0.5; 5], 2);
}

#[test]
fn without_a_measurement_everything_is_kept() {
    assert_eq!(kept(&mut Auto::new(5, true, Cost::default()), &[0.0; 5]), 5);
    assert_eq!(Auto::new(5, false, Cost::default()).limit(), 5);
}

#[test]
fn a_draft_is_never_shorter_than_the_papers() {
    for seed in 1..2000 {
        let mut number = numbers(seed);
        let draft_s = number();
        let verify = (0..6).map(|_| 0.2 + number()).collect::<Vec<_>>();
        #[expect(clippy::cast_possible_truncation, reason = "confidences are float32")]
        let confidences = (0..5).map(|_| number() as f32).collect::<Vec<_>>();
        let theta = |length: usize| {
            let survivals = confidences[..length].iter().scan(1.0, |survival, &c| {
                *survival *= f64::from(c);
                Some(*survival)
            });
            (1.0 + survivals.sum::<f64>()) / (draft_s + verify[length])
        };
        let first_fall = (1..=5).find(|&length| theta(length) <= theta(length - 1)).unwrap_or(6) - 1;
        let mut auto = Auto::new(5, true, cost(draft_s, &verify));
        assert!(kept(&mut auto, &confidences) >= first_fall);
    }
}

#[test]
fn a_cost_that_jumps_once_is_passed_if_what_lies_behind_it_is_worth_it() {
    let verify = [1.0, 1.9, 1.9, 1.9, 1.9, 1.9];
    // theta: 1/1.2, 1.8/2.1, 2.44/2.1, …
    check(0.2, &verify, &[0.8; 5], 5);
    // theta: 1/1.2, 1.3/2.1; with rates of 0.7 behind it at most 1.83/2.1: it was expected to be worth it, and it is not.
    check(0.2, &verify, &[0.3, 0.1, 0.1, 0.1, 0.1], 5);
    check(0.2, &verify, &[0.1; 5], 0);
    // Once it is known that nothing stands behind the first, the jump is not worth it.
    let mut auto = Auto::new(5, true, cost(0.2, &verify));
    (0..100).for_each(|_| auto.learn(5, 1));
    assert_eq!(kept(&mut auto, &[0.3, 0.9, 0.9, 0.9, 0.9]), 0);
}

#[test]
fn a_later_confidence_never_changes_an_earlier_decision() {
    for seed in 1..500 {
        let mut number = numbers(seed);
        let verify = (0..6).map(|_| 0.2 + number()).collect::<Vec<_>>();
        #[expect(clippy::cast_possible_truncation, reason = "confidences are float32")]
        let mut draw = || (0..5).map(|_| number() as f32).collect::<Vec<_>>();
        let (one, other) = (draw(), draw());
        for shared in 0..=5 {
            let other = [&one[..shared], &other[shared..]].concat();
            let [one, other] = [&one, &other].map(|stream| {
                let mut auto = Auto::new(5, true, cost(0.3, &verify));
                stream.iter().enumerate().map(|(at, &c)| auto.keep(at, c)).take(shared).collect::<Vec<_>>()
            });
            assert_eq!(one, other);
        }
    }
}

/// A drafter without confidences whose whole rounds of 1, 2, … tokens take these seconds.
fn unconfident(rounds: &[f64]) -> Auto {
    let mut cost = Cost::default();
    for (limit, &seconds) in (1..).zip(rounds) {
        cost.measure(0, limit, limit + 1, Spent::Together(seconds));
    }
    Auto::new(rounds.len(), false, cost)
}

#[test]
fn without_confidences_the_rates_of_earlier_rounds_settle_the_length() {
    let mut auto = unconfident(&[1.0, 1.2, 1.4, 1.6]);
    (0..60).for_each(|_| auto.learn(4, 4));
    assert_eq!(auto.limit(), 4);
    (0..300).for_each(|_| auto.learn(4, 0));
    assert_eq!(auto.limit(), 1);
}

#[test]
fn without_confidences_a_length_that_pays_is_found_behind_one_that_does_not() {
    let mut auto = unconfident(&[1.0, 1.5, 1.6, 1.7]);
    // Two of five drafts stand as a whole, the others not at all: about 1.4/1, 1.8/1.5, 2.2/1.6, 2.6/1.7.
    (0..250).for_each(|round| auto.learn(4, if round % 5 < 2 { 4 } else { 0 }));
    assert_eq!(auto.limit(), 4);
}

#[test]
fn without_confidences_the_first_rounds_and_some_later_ones_draft_everything() {
    let mut auto = unconfident(&[1.0, 2.0, 3.0, 4.0]);
    let limits = (0..33).map(|_| {
        let limit = auto.limit();
        auto.learn(limit, 0);
        limit
    });
    let everything = limits.enumerate().filter(|&(_, limit)| limit == 4).map(|(round, _)| round).collect::<Vec<_>>();
    assert_eq!(everything, [0, 1, 2, 3, 4, 5, 6, 7, 16, 32]);
}

#[test]
fn costs_follow_the_context() {
    let mut auto = Auto::new(5, true, cost(0.0, &[1.0, 1.0]));
    auto.cost_mut().measure(100_000, 5, 1, Spent::Apart { draft_s: 0.0, verify_s: 1.0 });
    auto.cost_mut().measure(100_000, 5, 2, Spent::Apart { draft_s: 0.0, verify_s: 3.0 });
    assert_eq!(kept(&mut auto, &[0.5]), 1);
    auto.stand_at(100_000);
    assert_eq!(kept(&mut auto, &[0.5]), 0);
}
