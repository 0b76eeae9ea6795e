//! How the rounds of a session draft: which schedule, what it has learned, and whether drafting is parked.

use calibration::{Auto, Cost, Spent};
use decode::{Adaptive, Fixed, Parking, Schedule, Standing, Thresholds, Turn};
use drafters::Facts;
use serde::{Deserialize, Serialize};

use crate::{Controls, Sampling, Scheduling};

/// Tokens that an adaptive draft begins with, and does not shrink below (mlx-vlm's four rows, the anchor's included).
const ADAPTIVE: usize = 3;

/// Why a round drafted, or did not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// A draft was made, or there is no drafter to make one.
    #[default]
    Drafting,
    /// A plain step, to compare drafting with.
    Comparing,
    /// A plain step, because drafting lost.
    Parked,
}

/// Decides how each round drafts. It outlives an answer: the next one with the same settings goes on with what it knows.
pub(crate) struct Pilot {
    settings: Settings,
    schedule: Chosen,
    parking: Parking,
    newest_turn: Option<Turn>,
    plain: Fixed,
    /// Tokens before the next round.
    context: usize,
}

/// What it was made for; under other settings other drafts stand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) scheduling: Scheduling,
    pub(crate) limit: usize,
    min_conf: Option<f32>,
    sampling: Sampling,
}

enum Chosen {
    Auto(Auto),
    /// With the cost that it does not look at, but others may later.
    Other(Box<dyn Schedule>, Cost),
}

impl Settings {
    pub(crate) fn new(controls: &Controls, facts: &Facts) -> Self {
        let limit = controls.gamma.unwrap_or(facts.usual_limit()).min(facts.limit);
        let scheduling = match controls.schedule {
            Scheduling::Auto if controls.min_conf.is_some() => Scheduling::Thresholds,
            Scheduling::Auto if controls.gamma.is_some() => {
                if facts.thresholds.is_empty() {
                    Scheduling::Fixed
                } else {
                    Scheduling::Thresholds
                }
            }
            other => other,
        };
        let sampling = Sampling { seed: 0, ..controls.sampling };
        Self { scheduling, limit, min_conf: controls.min_conf, sampling }
    }
}

impl Pilot {
    /// A pilot for an answer with `controls`: `before` if it has the same settings, else a new one that knows no more
    /// than what rounds cost.
    pub(crate) fn new(controls: &Controls, facts: &Facts, before: Option<Self>, known: &Cost) -> Self {
        let settings = Settings::new(controls, facts);
        let cost = match before {
            Some(before) if before.settings == settings => return before,
            Some(before) => before.cost().clone(),
            None => known.clone(),
        };
        let limit = settings.limit;
        let other = |schedule: Box<dyn Schedule>, cost: Cost| {
            // What the user chose is obeyed, so no plain step is made only to compare; an earlier one may be known.
            let parking = cost.verify(0, 1).map_or_else(Parking::default, Parking::knowing);
            (Chosen::Other(schedule, cost), parking)
        };
        let (schedule, parking) = match settings.scheduling {
            Scheduling::Auto => (Chosen::Auto(Auto::new(limit, facts.confident, cost)), Parking::default()),
            Scheduling::Fixed => other(Box::new(Fixed(limit)), cost),
            Scheduling::Adaptive => other(Box::new(Adaptive::new(limit, ADAPTIVE, ADAPTIVE)), cost),
            Scheduling::Thresholds => other(Box::new(thresholds(limit, settings.min_conf, facts)), cost),
        };
        Self { settings, schedule, parking, newest_turn: None, plain: Fixed(0), context: 0 }
    }

    fn cost(&self) -> &Cost {
        match &self.schedule {
            Chosen::Auto(auto) => auto.cost(),
            Chosen::Other(_, cost) => cost,
        }
    }

    /// What rounds cost, and the seconds of a plain step that drafting is compared with, if they are known.
    pub(crate) fn known(&self) -> (Cost, Option<f64>) {
        (self.cost().clone(), self.parking.plain_s())
    }

    /// What the next round is about.
    pub(crate) fn course(&self) -> Course {
        match self.settings.scheduling {
            Scheduling::Auto if self.parking.is_parked() => Course::Parked,
            Scheduling::Auto if !self.parking.drafts() => Course::Comparing,
            _ => Course::Drafting,
        }
    }

    /// The schedule of the next round, behind `context` tokens.
    pub(crate) fn schedule(&mut self, context: usize) -> &mut dyn Schedule {
        self.context = context;
        if self.course() != Course::Drafting {
            return &mut self.plain;
        }
        match &mut self.schedule {
            Chosen::Auto(auto) => {
                auto.stand_at(context);
                auto
            }
            Chosen::Other(schedule, _) => &mut **schedule,
        }
    }

    /// The longest draft of the rounds behind `context` tokens, if what they cost decides how much is drafted, and nobody
    /// knows it.
    pub(crate) fn unmeasured(&self, context: usize) -> Option<usize> {
        let limit = self.settings.limit;
        let wanted = self.settings.scheduling == Scheduling::Auto && !self.parking.is_parked();
        (wanted && !self.cost().knows(context, limit)).then_some(limit)
    }

    /// Whether the host waits for a draft's confidences before it is verified.
    pub(crate) fn reads_confidence(&self) -> bool {
        match &self.schedule {
            Chosen::Auto(auto) => auto.reads_confidence(),
            Chosen::Other(schedule, _) => schedule.reads_confidence(),
        }
    }

    /// Takes in what a round behind `context` tokens took that drafted so many and verified so many `rows`.
    pub(crate) fn measure(&mut self, context: usize, drafted: usize, rows: usize, spent: Spent) {
        let cost = match &mut self.schedule {
            Chosen::Auto(auto) => auto.cost_mut(),
            Chosen::Other(_, cost) => cost,
        };
        cost.measure(context, drafted, rows, spent);
        if let Spent::Plain(seconds) = spent {
            self.parking.plain_step(seconds);
        }
    }

    /// Takes in what the newest round took. Returns whether drafting has been parked or resumed, or would have been if
    /// the user had not chosen it.
    pub(crate) fn learn(&mut self, round: &decode::Round, spent: Spent) -> Option<Turn> {
        self.measure(self.context, round.proposed + round.cut, round.proposed + 1, spent);
        let turn = match spent {
            Spent::Plain(_) => None,
            Spent::Apart { draft_s, verify_s } => self.parking.drafting_round(round.emitted.len(), draft_s + verify_s),
            Spent::Together(seconds) => self.parking.drafting_round(round.emitted.len(), seconds),
        };
        self.newest_turn = turn.or(self.newest_turn);
        turn
    }

    /// What the user should know of it now.
    pub(crate) fn remark(&self) -> Option<String> {
        let Some(Turn::Parked { standing, .. }) = &self.newest_turn else { return None };
        let told = told(standing);
        Some(match self.settings.scheduling {
            Scheduling::Auto => format!("Drafting is parked, as it lost time: {told}."),
            _ => format!("Drafting loses time: {told}. It goes on because you chose how much to draft."),
        })
    }
}

/// What the user sets replaces what the checkpoint brings; 0 keeps every token, so nothing need be read.
fn thresholds(limit: usize, min_conf: Option<f32>, facts: &Facts) -> Thresholds {
    match min_conf {
        None => Thresholds { limit, thresholds: facts.thresholds.clone(), min_conf: None },
        Some(min_conf) => Thresholds { limit, min_conf: Some(min_conf).filter(|&c| c > 0.0), ..Thresholds::default() },
    }
}

/// `after 24 rounds 1.10 tokens a round at 41.0 ms, against 30.0 ms a plain step`.
fn told(standing: &Standing) -> String {
    let Standing { rounds, tokens_per_round, round_s, plain_s } = standing;
    let (word, round_ms, plain_ms) = (if *rounds == 1 { "round" } else { "rounds" }, 1e3 * round_s, 1e3 * plain_s);
    format!(
        "after {rounds} {word} {tokens_per_round:.2} tokens a round at {round_ms:.1} ms, against {plain_ms:.1} ms a plain step"
    )
}
