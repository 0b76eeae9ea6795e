//! How fast something ran, and how sure that is: prompts differ, so they are what is drawn again.

use serde::{Deserialize, Serialize};

use crate::reliability::number;

/// How often the prompts are drawn again.
const DRAWS: usize = 2000;

/// Student's t beyond which one in forty lies on either side, by degrees of freedom from 1 on: of few prompts the spread
/// itself is hardly known.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The same of a normal distribution, and what one degree of freedom adds, about.
const NORMAL: (f64, f64) = (1.960, 2.5);

/// Prompts without which there is no interval.
const ENOUGH: usize = 3;

/// One answer's decoding.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// Tokens emitted.
    pub tokens: usize,
    /// Rounds, plain steps included.
    pub rounds: usize,
    /// Seconds of decoding.
    pub seconds: f64,
}

/// A number, and where it would lie with other prompts, in 95 of a hundred cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Of all prompts together.
    pub value: f64,
    /// The lower end; `None` of fewer than three prompts.
    pub low: Option<f64>,
    /// The upper end; likewise.
    pub high: Option<f64>,
}

/// Tokens per second of all answers together, one per prompt; `None` of no time at all.
#[must_use]
pub fn speed(answers: &[Timed]) -> Option<Interval> {
    interval(answers.len(), |drawn| rate(drawn.iter().map(|&at| answers[at])))
}

/// How many times as fast as `base` the answers are, prompt by prompt the same ones; `None` of no time at all.
#[must_use]
pub fn times(answers: &[Timed], base: &[Timed]) -> Option<Interval> {
    let rates = |drawn: &[usize]| {
        let rate = |of: &[Timed]| rate(drawn.iter().map(|&at| of[at]));
        Some(rate(answers)? / rate(base)?)
    };
    interval(answers.len().min(base.len()), rates)
}

/// The one that is surely the greatest: its interval lies above all others'. `None` if it does not, of fewer than three
/// prompts, and of one alone.
#[must_use]
pub fn surely_greatest(of: &[Interval]) -> Option<usize> {
    let (at, best) = of.iter().enumerate().max_by(|(_, one), (_, other)| one.value.total_cmp(&other.value))?;
    let mut others = of.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other.high).peekable();
    others.peek()?;
    others.all(|high| best.low > high && high.is_some()).then_some(at)
}

fn rate(answers: impl Iterator<Item = Timed>) -> Option<f64> {
    let (tokens, seconds) =
        answers.fold((0, 0.0), |(tokens, seconds), answer| (tokens + answer.tokens, seconds + answer.seconds));
    (tokens > 0 && seconds > 0.0).then(|| number(tokens) / seconds)
}

/// What `of` makes of all prompts, and how far that is certain: by Student's t on its logarithm, whose spread is that of as
/// many prompts drawn with replacement. The draws are always the same ones.
pub(crate) fn interval(prompts: usize, of: impl Fn(&[usize]) -> Option<f64>) -> Option<Interval> {
    let value = of(&(0..prompts).collect::<Vec<_>>())?;
    if prompts < ENOUGH {
        return Some(Interval { value, low: None, high: None });
    }
    let mut draw = Draw(0);
    let drawn = (0..DRAWS).map(|_| (0..prompts).map(|_| draw.below(prompts)).collect::<Vec<_>>());
    let logs = drawn.filter_map(|drawn| of(&drawn)).map(f64::ln).collect::<Vec<_>>();
    let mean = logs.iter().sum::<f64>() / number(logs.len());
    let variance = logs.iter().map(|log| (log - mean) * (log - mean)).sum::<f64>() / number(logs.len());
    // Drawing with replacement makes the spread of n prompts smaller by the factor (n - 1) / n.
    let deviation = (variance * number(prompts) / number(prompts - 1)).sqrt();
    let margin = (student(prompts - 1) * deviation).exp();
    Some(Interval { value, low: Some(value / margin), high: Some(value * margin) })
}

/// Student's t for so many degrees of freedom.
fn student(freedom: usize) -> f64 {
    T.get(freedom - 1).copied().unwrap_or(NORMAL.0 + NORMAL.1 / number(freedom))
}

/// `SplitMix64`.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % most as u64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;

    fn timed(tokens: usize, seconds: f64) -> Timed {
        Timed { tokens, rounds: tokens, seconds }
    }

    #[test]
    fn all_tokens_in_all_their_time_count_and_two_prompts_say_nothing_of_others() {
        let both = Interval { value: 50.0, low: None, high: None };
        assert_eq!(speed(&[timed(10, 1.0), timed(90, 1.0)]), Some(both));
        assert_eq!((speed(&[]), speed(&[timed(0, 0.0)])), (None, None));
    }

    fn check(of: &[(f64, f64, f64)], expected: Option<usize>) {
        let interval = |&(low, value, high): &(f64, f64, f64)| Interval { value, low: Some(low), high: Some(high) };
        assert_eq!(surely_greatest(&of.iter().map(interval).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn the_greatest_is_sure_only_where_its_interval_lies_above_all_others() {
        check(&[(1.0, 1.0, 1.0), (1.2, 1.3, 1.4), (1.5, 1.6, 1.7)], Some(2));
        check(&[(1.0, 1.0, 1.0), (1.2, 1.3, 1.5), (1.5, 1.6, 1.7)], None);
        check(&[(1.0, 1.0, 1.0), (0.7, 0.8, 0.9)], Some(0));
        check(&[(1.0, 1.0, 1.0)], None);
        check(&[], None);
        let [one, other] = [1.0, 2.0].map(|value| Interval { value, low: None, high: None });
        assert_eq!(surely_greatest(&[one, other]), None);
    }

    #[test]
    fn prompts_that_differ_alike_in_both_leave_their_ratio_certain() {
        let base = [1.0, 2.0, 4.0, 8.0].map(|seconds| timed(16, seconds));
        let twice = base.map(|answer| Timed { seconds: answer.seconds / 2.0, ..answer });
        let (speed, times) = (speed(&twice).unwrap(), times(&twice, &base).unwrap());
        let is_two = |value: f64| (value - 2.0).abs() < 1e-9;
        assert!([Some(times.value), times.low, times.high].iter().all(|end| end.is_some_and(is_two)), "{times:?}");
        assert!(student(29) > student(31) && student(31) > 2.03 && student(1000) < 1.97);
        assert!(speed.low < Some(speed.value) && Some(speed.value) < speed.high, "{speed:?}");
    }
}
