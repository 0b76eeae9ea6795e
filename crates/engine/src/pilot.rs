//! How the rounds of a session draft: which schedule, what it has learned, and whether drafting is parked.

use calibration::{Auto, Cost, Scaled, Spent};
use decode::{Fixed, Parking, Schedule, Standing, Tally, Turn};
use drafters::{Facts, Kind};
use serde::{Deserialize, Serialize};

use crate::{doubt::Doubt, settings::Settings};

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

/// Drafting rounds of an answer before a loss is told.
const ENOUGH: usize = 8;

/// Decides how each round drafts. It outlives an answer: the next one with the same settings goes on with what it knows.
pub(crate) struct Pilot {
    settings: Settings,
    schedule: Chosen,
    newest_turn: Option<Turn>,
    /// Not of one without a model, which was made for no target, and not at a temperature at which the target itself
    /// hardly knows what it says next.
    doubt: Option<Doubt>,
    plain: Fixed,
    /// Tokens before the next round.
    context: usize,
}

enum Chosen {
    /// As long as is worth the time, and not at all while drafting loses.
    Auto(Auto, Parking),
    /// What the user chose is obeyed; what it came to in this answer is told.
    Other {
        schedule: Box<dyn Schedule>,
        tally: Tally,
        /// Not looked at here, but others may later.
        cost: Cost,
    },
}

impl Pilot {
    /// A pilot for an answer with these settings: `before` if it had the same, else a new one that knows no more than
    /// what rounds cost.
    pub(crate) fn new(settings: Settings, facts: &Facts, before: Option<Self>, known: &Cost) -> Self {
        let cost = match before {
            Some(before) if before.settings == settings => return before.again(),
            Some(before) => before.cost().clone(),
            None => known.clone(),
        };
        let schedule = match settings.schedule() {
            None => Chosen::Auto(Auto::new(settings.limit, facts.confident, cost), Parking::default()),
            Some(schedule) => Chosen::Other { schedule, tally: Tally::default(), cost },
        };
        let doubt = facts.kind != Kind::Lookup && settings.sampling.temperature <= 1.0;
        let doubt = doubt.then(Doubt::default);
        Self { settings, schedule, newest_turn: None, doubt, plain: Fixed(0), context: 0 }
    }

    /// The same for a further answer.
    fn again(mut self) -> Self {
        if let Chosen::Other { tally, .. } = &mut self.schedule {
            *tally = Tally::default();
        }
        self
    }

    fn cost(&self) -> &Cost {
        match &self.schedule {
            Chosen::Auto(auto, _) => auto.cost(),
            Chosen::Other { cost, .. } => cost,
        }
    }

    /// What rounds cost, and the seconds of a plain step that drafting is compared with, if they are known.
    pub(crate) fn known(&self) -> Known {
        let plain_step_s = match &self.schedule {
            Chosen::Auto(_, parking) => parking.plain_s(),
            Chosen::Other { cost, .. } => cost.plain_s(self.context),
        };
        Known { cost: self.cost().clone(), plain_step_s }
    }

    /// What the next round is about.
    pub(crate) fn course(&self) -> Course {
        match &self.schedule {
            Chosen::Auto(_, parking) => Course::of(parking),
            Chosen::Other { .. } => Course::Drafting,
        }
    }

    /// The schedule of the next round, behind `context` tokens.
    pub(crate) fn schedule(&mut self, context: usize) -> Scaled<'_> {
        self.context = context;
        let schedule: &mut dyn Schedule = match &mut self.schedule {
            Chosen::Auto(_, parking) if Course::of(parking) != Course::Drafting => &mut self.plain,
            Chosen::Auto(auto, _) => {
                auto.stand_at(context);
                auto
            }
            Chosen::Other { schedule, .. } => &mut **schedule,
        };
        self.settings.calibration.over(schedule)
    }

    /// The lengths of rounds to try behind `context` tokens before the first: what they cost decides how much is drafted,
    /// or what drafting is compared with, and nobody knows it. The first is to warm up.
    pub(crate) fn to_measure(&self, context: usize) -> Vec<usize> {
        let limit = self.settings.limit;
        match &self.schedule {
            Chosen::Auto(auto, parking)
                if !parking.is_parked() && !auto.cost().knows(context, limit, auto.reads_confidence()) =>
            {
                let lengths = [0, limit].into_iter().chain(1..limit);
                let twice = std::iter::repeat_n(lengths, 2).flatten();
                std::iter::once(limit).chain(twice).collect()
            }
            Chosen::Other { cost, .. } if cost.plain_s(context).is_none() => vec![0, 0],
            _ => Vec::new(),
        }
    }

    /// Whether the host waits for a draft's confidences before it is verified.
    pub(crate) fn reads_confidence(&self) -> bool {
        match &self.schedule {
            Chosen::Auto(auto, _) => auto.reads_confidence(),
            Chosen::Other { schedule, .. } => schedule.reads_confidence(),
        }
    }

    /// Takes in what a round behind `context` tokens took that drafted so many and verified so many `rows`.
    pub(crate) fn measure(&mut self, context: usize, drafted: usize, rows: usize, spent: Spent) {
        match &mut self.schedule {
            Chosen::Auto(auto, parking) => {
                auto.cost_mut().measure(context, drafted, rows, spent);
                if let Spent::Plain(seconds) = spent {
                    parking.plain_step(seconds);
                }
            }
            Chosen::Other { cost, .. } => cost.measure(context, drafted, rows, spent),
        }
    }

    /// Takes in what the newest round took. Returns whether drafting has been parked or resumed.
    pub(crate) fn learn(&mut self, round: &decode::Round, spent: Spent) -> Option<Turn> {
        if let Some(doubt) = &mut self.doubt {
            doubt.learn(round.proposed, round.accepted);
        }
        self.measure(self.context, round.proposed + round.cut, round.proposed + 1, spent);
        if matches!(spent, Spent::Plain(_)) {
            return None;
        }
        let (tokens, seconds) = (round.emitted.len(), spent.seconds());
        let turn = match &mut self.schedule {
            Chosen::Auto(_, parking) => parking.drafting_round(tokens, seconds),
            Chosen::Other { tally, .. } => {
                tally.add(tokens, seconds);
                None
            }
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
        match &self.schedule {
            Chosen::Auto(..) => {
                let Some(Turn::Parked { standing, .. }) = &self.newest_turn else { return None };
                Some(format!("Drafting is parked, as it lost time: {}.", told(standing)))
            }
            Chosen::Other { tally, cost, .. } => {
                let standing = tally.standing(cost.plain_s(self.context)?);
                let loses = standing.rounds >= ENOUGH && standing.speed() < 1.0;
                let why = "It goes on because you chose how much to draft.";
                loses.then(|| format!("Drafting loses time: {}. {why}", told(&standing)))
            }
        }
    }
}

impl Course {
    /// Of the next round, if that is left to the machine.
    pub(crate) fn of(parking: &Parking) -> Self {
        if parking.is_parked() {
            Self::Parked
        } else if parking.drafts() {
            Self::Drafting
        } else {
            Self::Comparing
        }
    }
}

/// What an answer leaves behind of the cost of rounds.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) cost: Cost,
    /// Seconds of a plain step that drafting was compared with.
    pub(crate) plain_step_s: Option<f64>,
}

/// `after 24 rounds 1.10 tokens a round at 41.0 ms, against 30.0 ms a plain step`.
fn told(standing: &Standing) -> String {
    let Standing { rounds, tokens_per_round, round_s, plain_s } = standing;
    let (word, round_ms, plain_ms) = (if *rounds == 1 { "round" } else { "rounds" }, 1e3 * round_s, 1e3 * plain_s);
    format!(
        "after {rounds} {word} {tokens_per_round:.2} tokens a round at {round_ms:.1} ms, against {plain_ms:.1} ms a plain step"
    )
}
