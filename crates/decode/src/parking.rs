//! Whether drafting is worth its time: a running comparison with plain steps, which parks drafting that loses.
//!
//! Everything is counted in *plain steps*, the time in which the target alone writes one token. A round that emits `n`
//! tokens in the time of `t` plain steps has gained `n - t`. The clock is the caller's.
//!
//! Texts have passages at which any drafter fails. What it has gained before may be lost again, as long as it is not much at
//! a time; otherwise a few rounds that surely lose are enough. A loss is believed once plain steps that were taken right
//! behind it confirm it: whatever else the machine does slows them as well.
//!
//! What parking costs is bounded by construction: unless it was gained before, the rest before a probe follows from what the
//! last rounds lost, so that a probe which loses as much costs one in fifty of the plain steps before it, however slow the
//! drafter is. Only the first few come sooner, each later than the one before: the passage, the question or the machine may
//! have been an odd one. The shortest rest doubles with each probe that fails. Where another text begins, a quarter of a
//! rest is enough, so that many short answers may cost four times as much: most of what makes a drafter fail or succeed is
//! what the text is about.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::{Standing, Tally};

/// Plain steps whose median is the measure.
const PLAIN: usize = 5;
/// Plain steps that must have been seen before anything is compared.
const ENOUGH: usize = 3;
/// Drafting rounds before the first plain steps: the first few of a model are slow in ways that do not come again, while
/// weights are read from the disk for the first time and kernels are made for shapes not seen before.
const WARM: usize = 4;
/// Drafting rounds between two plain steps that keep the measure up to date.
const EVERY: usize = 32;
/// Drafting rounds in a losing run before it is judged by its spread.
const RUN: f64 = 8.0;
/// Standard errors by which the mean of a losing run must lie below 0. They are many, because rounds that follow each other
/// in a text fare alike.
const SURE: f64 = 4.0;
/// Plain steps lost in one run that end it whatever its spread.
const MOST: f64 = 24.0;
/// The most that a single round can lose unless the one before it lost as much: the machine may have paused.
const HICCUP: f64 = 4.0;
/// Rounds of a probe, which ends earlier once it has lost more than a hiccup.
const PROBE: usize = 4;
/// Plain steps between parking and the first probe, at least; each probe that fails doubles it.
const REST: usize = 32;
/// How often it doubles, at most.
const DOUBLINGS: u32 = 8;
/// The part of a rest that is enough where another text begins, as a divisor.
const NEW_TEXT: usize = 4;
/// Plain steps from there to the probe, at most: how a text begins is like nothing else in it.
const OPENING: usize = 8;
/// The share of the plain steps before it that a probe may cost.
const SHARE: f64 = 0.02;
/// The same of the first; of the second it is half of that, of the third a third, and so on.
const FIRST_SHARE: f64 = 0.1;
/// The share of what was gained or lost that each drafting round makes forgotten.
const FORGOTTEN: f64 = 1.0 / 512.0;

/// A change of mind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "turn", rename_all = "snake_case")]
pub enum Turn {
    /// Drafting loses: plain decoding from here on, until the next probe.
    Parked {
        /// Why.
        standing: Standing,
        /// Plain steps until drafting is tried again.
        rest: usize,
    },
    /// A probe won: drafting goes on.
    Resumed {
        /// Why.
        standing: Standing,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// Drafts are made.
    Drafting,
    /// Plain steps, so many of them still, to see whether what seemed lost is lost against them.
    Confirming { left: usize },
    /// Plain steps, so many of them still, of the whole rest.
    Parked { left: usize, rest: usize },
    /// Drafts are made, for so many rounds still, to see whether they win by now.
    Probing { left: usize },
}

/// Decides before each round whether it drafts, from the times of earlier rounds.
#[derive(Debug, Clone)]
pub struct Parking {
    state: State,
    plain: VecDeque<f64>,
    /// Drafting rounds since the newest plain step.
    since_plain: usize,
    /// All drafting rounds since the last turn.
    all: Run,
    /// Those since their gain was greatest: they have lost in sum, and one that makes good for it begins anew.
    losing: Run,
    /// Plain steps that the newest drafting round lost.
    newest_loss: f64,
    /// Plain steps gained in all, the older ones forgotten.
    earned: f64,
    /// Probes that failed in a row.
    failed: u32,
}

impl Default for Parking {
    fn default() -> Self {
        Self {
            state: State::Drafting,
            plain: VecDeque::new(),
            since_plain: 0,
            all: Run::default(),
            losing: Run::default(),
            newest_loss: 0.0,
            earned: 0.0,
            failed: 0,
        }
    }
}

impl Parking {
    /// Whether the next round drafts. While drafting goes on, a plain step now and then keeps the comparison honest.
    #[must_use]
    pub fn drafts(&self) -> bool {
        match self.state {
            State::Confirming { .. } | State::Parked { .. } => false,
            State::Probing { .. } => true,
            State::Drafting if self.plain.len() < ENOUGH => self.since_plain < WARM && self.plain.is_empty(),
            State::Drafting => self.since_plain < EVERY,
        }
    }

    /// Whether drafting is parked.
    #[must_use]
    pub fn is_parked(&self) -> bool {
        matches!(self.state, State::Parked { .. })
    }

    /// Seconds of a plain step, once enough have been seen.
    #[must_use]
    pub fn plain_s(&self) -> Option<f64> {
        let mut sorted = self.plain.iter().copied().collect::<Vec<_>>();
        sorted.sort_by(f64::total_cmp);
        (sorted.len() >= ENOUGH).then(|| sorted[sorted.len() / 2])
    }

    /// Takes in a plain step. Returns whether that changed its mind.
    pub fn plain_step(&mut self, seconds: f64) -> Option<Turn> {
        self.plain.push_back(seconds);
        if self.plain.len() > PLAIN {
            self.plain.pop_front();
        }
        self.since_plain = 0;
        match &mut self.state {
            State::Confirming { left: more @ 2.. } | State::Parked { left: more @ 2.., .. } => *more -= 1,
            State::Confirming { .. } => return self.confirm(),
            State::Parked { .. } => self.probe(),
            State::Drafting | State::Probing { .. } => {}
        }
        None
    }

    /// Another text begins, in which drafting may fare otherwise: part of a rest is enough, and its first few tokens.
    pub fn begin_text(&mut self) {
        if let State::Parked { left, rest } = &mut self.state
            && *rest - *left >= *rest / NEW_TEXT
        {
            *left = OPENING.min(*left);
        }
    }

    fn probe(&mut self) {
        self.state = State::Probing { left: PROBE };
        self.forget();
    }

    /// Parks what has lost against the newest plain steps too.
    fn confirm(&mut self) -> Option<Turn> {
        let plain_s = self.plain_s()?;
        if self.losing.tally.standing(plain_s).speed() < 1.0 {
            return Some(self.park(self.losing, plain_s));
        }
        self.state = State::Drafting;
        self.forget();
        None
    }

    /// Takes in a round that drafted, and emitted `tokens`. Returns whether that changed its mind.
    pub fn drafting_round(&mut self, tokens: usize, seconds: f64) -> Option<Turn> {
        self.since_plain += 1;
        let plain_s = self.plain_s()?;
        let gain = count(tokens) - seconds / plain_s;
        let counted = gain.max(-self.newest_loss.max(HICCUP));
        self.newest_loss = -gain;
        self.earned += counted - FORGOTTEN * self.earned;
        self.all.add(tokens, seconds, counted);
        self.losing.add(tokens, seconds, counted);
        if self.losing.gain >= 0.0 {
            self.losing = Run::default();
        }
        match &mut self.state {
            State::Drafting => {
                if self.all.tally.rounds() > EVERY && self.all.gain > 0.0 {
                    self.failed = 0;
                }
                if self.losing.is_lost(self.earned > 0.0) {
                    self.state = State::Confirming { left: ENOUGH };
                }
                None
            }
            State::Probing { left } => {
                *left -= 1;
                let over = *left == 0;
                if over && self.all.gain > 0.0 {
                    self.state = State::Drafting;
                    return Some(Turn::Resumed { standing: self.all.tally.standing(plain_s) });
                }
                (over || self.all.gain < -HICCUP).then(|| self.park(self.all, plain_s))
            }
            State::Confirming { .. } | State::Parked { .. } => None,
        }
    }

    /// For what these rounds lost.
    fn park(&mut self, lost: Run, plain_s: f64) -> Turn {
        let standing = lost.tally.standing(plain_s);
        let (cost, shortest) = (probe_loss(lost.loss()), REST << self.failed.min(DOUBLINGS));
        let share = (FIRST_SHARE / f64::from(self.failed + 1)).max(SHARE);
        let rest = if cost < self.earned { shortest } else { whole(cost / share).max(shortest) };
        self.failed += 1;
        self.state = State::Parked { left: rest, rest };
        self.forget();
        Turn::Parked { standing, rest }
    }

    fn forget(&mut self) {
        self.all = Run::default();
        self.losing = Run::default();
        self.newest_loss = 0.0;
    }
}

/// Rounds in a row, and what they gained.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    tally: Tally,
    /// In plain steps, without pauses.
    gain: f64,
    squares: f64,
    /// Of the newest.
    newest: f64,
}

impl Run {
    fn add(&mut self, tokens: usize, seconds: f64, gain: f64) {
        self.tally.add(tokens, seconds);
        self.gain += gain;
        self.squares += gain * gain;
        self.newest = gain;
    }

    fn mean(&self) -> f64 {
        self.gain / count(self.tally.rounds().max(1))
    }

    /// What a round like these loses; all but the newest may seem to have lost less than they did.
    fn loss(&self) -> f64 {
        -self.mean().min(self.newest)
    }

    /// Whether the loss is too large, or too regular to be chance unless drafting `pays` on the whole.
    fn is_lost(&self, pays: bool) -> bool {
        let (rounds, mean) = (count(self.tally.rounds().max(1)), self.mean());
        let variance = (self.squares / rounds - mean * mean).max(0.0);
        let sure = rounds >= RUN && mean + SURE * (variance / rounds).sqrt() < 0.0;
        sure && !pays || self.gain <= -MOST
    }
}

/// Plain steps that a probe loses, at most, whose rounds lose `a_round` each.
fn probe_loss(a_round: f64) -> f64 {
    (count(PROBE) * a_round).min((HICCUP + a_round).max(2.0 * a_round))
}

#[expect(clippy::cast_precision_loss, reason = "counts of one session fit a double exactly")]
fn count(n: usize) -> f64 {
    n as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates, and is limited afterwards")]
fn whole(steps: f64) -> usize {
    steps.ceil() as usize
}

#[cfg(test)]
mod tests;
