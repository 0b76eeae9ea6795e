//! How the rounds of a session draft: which schedule, what it has learned, and whether drafting is parked.

use calibration::{Auto, Cost, Spent};
use decode::{Fixed, Parking, Schedule, Standing, Turn};
use drafters::{Facts, Kind};
use serde::{Deserialize, Serialize};

use crate::{Scheduling, doubt::Doubt, settings::Settings};

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
    /// Not of one without a model, which was made for no target, and not at a temperature at which the target itself
    /// hardly knows what it says next.
    doubt: Option<Doubt>,
    plain: Fixed,
    /// Tokens before the next round.
    context: usize,
}

enum Chosen {
    Auto(Auto),
    /// With the cost that it does not look at, but others may later.
    Other(Box<dyn Schedule>, Cost),
}

impl Pilot {
    /// A pilot for an answer with these settings: `before` if it had the same, else a new one that knows no more than
    /// what rounds cost.
    pub(crate) fn new(settings: Settings, facts: &Facts, before: Option<Self>, known: &Cost) -> Self {
        let cost = match before {
            Some(before) if before.settings == settings => return before,
            Some(before) => before.cost().clone(),
            None => known.clone(),
        };
        let (schedule, parking) = match settings.schedule(facts) {
            None => (Chosen::Auto(Auto::new(settings.limit, facts.confident, cost)), Parking::default()),
            Some(schedule) => {
                // What the user chose is obeyed, so no plain step is made only to compare; an earlier one may be known.
                let parking = cost.verify(0, 1).map_or_else(Parking::default, Parking::knowing);
                (Chosen::Other(schedule, cost), parking)
            }
        };
        let doubt = facts.kind != Kind::Lookup && settings.sampling.temperature <= 1.0;
        let doubt = doubt.then(Doubt::default);
        Self { settings, schedule, parking, newest_turn: None, doubt, plain: Fixed(0), context: 0 }
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
        if let Some(doubt) = &mut self.doubt {
            doubt.learn(round.proposed, round.accepted);
        }
        self.measure(self.context, round.proposed + round.cut, round.proposed + 1, spent);
        let turn = match spent {
            Spent::Plain(_) => None,
            Spent::Apart { draft_s, verify_s } => self.parking.drafting_round(round.emitted.len(), draft_s + verify_s),
            Spent::Together(seconds) => self.parking.drafting_round(round.emitted.len(), seconds),
        };
        self.newest_turn = turn.or(self.newest_turn);
        turn
    }

    /// What the user should know of it now, a sentence each.
    pub(crate) fn remarks(&mut self) -> impl Iterator<Item = String> {
        let doubt = self.doubt.as_mut().and_then(Doubt::remark);
        [doubt, self.loss()].into_iter().flatten()
    }

    /// That drafting loses time, if it does.
    fn loss(&self) -> Option<String> {
        let Some(Turn::Parked { standing, .. }) = &self.newest_turn else { return None };
        let told = told(standing);
        Some(match self.settings.scheduling {
            Scheduling::Auto => format!("Drafting is parked, as it lost time: {told}."),
            _ => format!("Drafting loses time: {told}. It goes on because you chose how much to draft."),
        })
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
