//! What to do about drafting, from how fast each way of it ran.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::{Interval, Mode};

/// How much slower than the best fixed length auto may be and still be preferred: it follows the text, and a fixed length
/// does not.
const CLOSE: f64 = 0.97;

/// How one way of drafting did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Which.
    pub mode: Mode,
    /// Prompts that it answered.
    pub prompts: usize,
    /// Tokens per second of decoding.
    pub tokens_per_s: Interval,
    /// How many times as fast as plain decoding of the same prompts.
    pub times_plain: Interval,
    /// Tokens per round (τ), the target's own included.
    pub tokens_per_round: f64,
    /// Tokens per second that the recorded rounds and the cost let expect.
    pub simulated: Option<f64>,
}

/// What to do, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// How to draft.
    pub mode: Mode,
    /// Why, with the numbers.
    pub sentence: String,
}

/// The fastest way that is faster than plain decoding with all of its interval, which is plain decoding if none is; auto
/// where it comes close to the fastest, or is not surely slower: `beside` says how many times as fast as another way one
/// is, prompt by prompt. `None` if nothing was measured.
#[must_use]
pub fn recommend(measured: &[Measured], beside: impl Fn(Mode, Mode) -> Option<Interval>) -> Option<Advice> {
    let drafting = || measured.iter().filter(|measured| measured.mode != Mode::Plain);
    let best = drafting().max_by(|one, other| faster(one, other))?;
    let is_sure = |measured: &&Measured| measured.times_plain.low.is_some_and(|low| low > 1.0);
    let Some(best) = drafting().filter(is_sure).max_by(|one, other| faster(one, other)) else {
        let why = if best.times_plain.low.is_none() {
            "too few prompts were asked to be sure of anything"
        } else {
            "nothing was surely faster"
        };
        let sentence = format!("Decode plainly, without a drafter: {why}; the best was {}.", told(best));
        return Some(Advice { mode: Mode::Plain, sentence });
    };
    let auto = drafting().find(|measured| measured.mode == Mode::Auto);
    let (mode, sentence) = match auto {
        Some(auto) if auto.mode == best.mode => (Mode::Auto, format!("Leave it to auto, the fastest: {}.", told(auto))),
        Some(auto) if !is_sure(&auto) => {
            (best.mode, format!("Choose {}; {} is not surely faster than plain decoding.", told(best), told(auto)))
        }
        Some(auto) => {
            let slower = beside(Mode::Auto, best.mode).and_then(|beside| beside.high).is_some_and(|high| high < 1.0);
            if slower && auto.times_plain.value < CLOSE * best.times_plain.value {
                (best.mode, format!("Choose {}; {} is slower.", told(best), told(auto)))
            } else {
                let beside = if slower { "hardly slower" } else { "not surely slower" };
                let sentence = format!("Leave it to auto: {}, {beside} than {}.", told(auto), told(best));
                (Mode::Auto, sentence)
            }
        }
        None => (best.mode, format!("Choose {}.", told(best))),
    };
    Some(Advice { mode, sentence })
}

/// What applying a calibration is worth, from how many times as fast auto should be with it as without.
#[must_use]
pub fn worth(times: f64) -> String {
    if (times - 1.0).abs() < 0.005 {
        "Applied, it should change auto's speed by less than half a per cent, as these rounds simulate it.".to_owned()
    } else {
        format!("Applied, it should make auto {times:.2} times as fast as without it, as these rounds simulate it.")
    }
}

fn faster(one: &Measured, other: &Measured) -> Ordering {
    one.times_plain.value.total_cmp(&other.times_plain.value)
}

/// `γ 4 at 1.52 × plain (1.40 to 1.63)`.
fn told(Measured { mode, times_plain: Interval { value, low, high }, .. }: &Measured) -> String {
    match low.zip(*high) {
        Some((low, high)) => format!("{mode} at {value:.2} × plain ({low:.2} to {high:.2})"),
        None => format!("{mode} at {value:.2} × plain, of too few prompts to be sure"),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;

    fn measured(mode: Mode, value: f64, spread: f64) -> Measured {
        let times_plain = Interval { value, low: Some(value - spread), high: Some(value + spread) };
        let tokens_per_s = Interval { value: 10.0 * value, ..times_plain };
        Measured { mode, prompts: 8, tokens_per_s, times_plain, tokens_per_round: 2.0, simulated: None }
    }

    fn check(fixed: f64, auto: f64, spread: f64, expected: Mode, said: &str) {
        let modes = [(Mode::Plain, 1.0), (Mode::Fixed { gamma: 2 }, fixed), (Mode::Auto, auto)];
        let beside = |_, _| {
            let (value, margin) = (auto / fixed, 0.03);
            Some(Interval { value, low: Some(value - margin), high: Some(value + margin) })
        };
        let advice = recommend(&modes.map(|(mode, value)| measured(mode, value, spread)), beside).unwrap();
        assert_eq!(advice.mode, expected, "{}", advice.sentence);
        assert!(advice.sentence.contains(said), "{}", advice.sentence);
    }

    #[test]
    fn auto_is_preferred_where_it_comes_close_to_the_fastest() {
        check(1.50, 1.60, 0.1, Mode::Auto, "auto at 1.60 × plain (1.50 to 1.70)");
        check(1.50, 1.46, 0.1, Mode::Auto, "not surely slower than γ 2 at 1.50");
    }

    #[test]
    fn a_fixed_length_that_auto_does_not_reach_is_said_to_be_better() {
        check(1.50, 1.40, 0.1, Mode::Fixed { gamma: 2 }, "auto at 1.40 × plain (1.30 to 1.50) is slower");
        check(1.50, 1.05, 0.1, Mode::Fixed { gamma: 2 }, "auto at 1.05 × plain (0.95 to 1.15) is not surely faster");
    }

    #[test]
    fn what_applying_changes_is_told_and_so_is_that_it_changes_nothing() {
        assert!(worth(1.041).contains("1.04 times as fast") && worth(0.93).contains("0.93 times as fast"));
        assert!(worth(1.004).contains("less than half a per cent"));
    }

    #[test]
    fn what_may_be_chance_is_no_reason_to_draft() {
        check(1.05, 1.02, 0.1, Mode::Plain, "the best was γ 2 at 1.05 × plain (0.95 to 1.15)");
        check(0.80, 0.97, 0.01, Mode::Plain, "nothing was surely faster");
        let few =
            Measured { times_plain: Interval { value: 2.0, low: None, high: None }, ..measured(Mode::Auto, 2.0, 0.0) };
        assert_eq!(recommend(&[few], |_, _| None).unwrap().mode, Mode::Plain);
        assert_eq!(recommend(&[measured(Mode::Plain, 1.0, 0.0)], |_, _| None), None);
    }
}
