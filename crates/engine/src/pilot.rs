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

/// Decides how each round drafts. It outlives an answer, and the settings: what it knows of a drafter's worth holds as long
/// as both models choose alike.
pub(crate) struct Pilot {
    settings: Settings,
    /// What rounds cost and how drafts fare, learned in each of them, and how long they are to be if that is left to it.
    auto: Auto,
    /// Whether they are made at all, likewise.
    parking: Parking,
    /// What the user chose instead.
    chosen: Option<Chosen>,
    newest_turn: Option<Turn>,
    /// Not of one without a model, which was made for no target, and not at a temperature at which the target itself
    /// hardly knows what it says next.
    doubt: Option<Doubt>,
    plain: Fixed,
    /// Tokens before the next round.
    context: usize,
}

/// A schedule that is obeyed; what it came to in this answer is told.
struct Chosen {
    schedule: Box<dyn Schedule>,
    tally: Tally,
}

impl Pilot {
    /// A pilot for an answer with these settings, which knows what the one `before` it learned, or else only what rounds
    /// cost.
    pub(crate) fn new(settings: Settings, facts: &Facts, before: Option<Self>, known: &Cost) -> Self {
        let chosen = settings.schedule().map(|schedule| Chosen { schedule, tally: Tally::default() });
        let auto = |cost| Auto::new(settings.limit, facts.confident, cost);
        match before {
            Some(mut before) if before.settings.sampling == settings.sampling => {
                before.parking.begin_text();
                Self { auto: before.auto.up_to(settings.limit), settings, chosen, ..before }
            }
            before => {
                let doubt = facts.kind != Kind::Lookup && settings.sampling.temperature <= 1.0;
                Self {
                    auto: auto(before.map_or_else(|| known.clone(), |before| before.auto.cost().clone())),
                    parking: Parking::default(),
                    settings,
                    chosen,
                    newest_turn: None,
                    doubt: doubt.then(Doubt::default),
                    plain: Fixed(0),
                    context: 0,
                }
            }
        }
    }

    /// What rounds cost, and the seconds of a plain step that drafting is compared with, if they are known.
    pub(crate) fn known(&self) -> Known {
        let cost = self.auto.cost();
        let plain_step_s = if self.chosen.is_none() { self.parking.plain_s() } else { cost.plain_s(self.context) };
        Known { cost: cost.clone(), plain_step_s }
    }

    /// What the next round is about.
    pub(crate) fn course(&self) -> Course {
        if self.chosen.is_none() { Course::of(&self.parking) } else { Course::Drafting }
    }

    /// The schedule of the next round, behind `context` tokens.
    pub(crate) fn schedule(&mut self, context: usize) -> Scaled<'_> {
        self.context = context;
        let course = self.course();
        let schedule: &mut dyn Schedule = match &mut self.chosen {
            Some(chosen) => &mut *chosen.schedule,
            None if course != Course::Drafting => &mut self.plain,
            None => {
                self.auto.stand_at(context);
                &mut self.auto
            }
        };
        self.settings.calibration.over(schedule)
    }

    /// The lengths of rounds to try behind `context` tokens before the first: what they cost decides how much is drafted,
    /// or what drafting is compared with, and nobody knows it. The first is to warm up.
    pub(crate) fn to_measure(&self, context: usize) -> Vec<usize> {
        let (limit, cost) = (self.settings.limit, self.auto.cost());
        if self.chosen.is_some() {
            return if cost.plain_s(context).is_none() { vec![0, 0] } else { Vec::new() };
        }
        if self.parking.is_parked() || cost.knows(context, limit, self.auto.reads_confidence()) {
            return Vec::new();
        }
        let lengths = [0, limit].into_iter().chain(1..limit);
        let twice = std::iter::repeat_n(lengths, 2).flatten();
        std::iter::once(limit).chain(twice).collect()
    }

    /// Whether the host waits for a draft's confidences before it is verified.
    pub(crate) fn reads_confidence(&self) -> bool {
        self.chosen.as_ref().map_or(self.auto.reads_confidence(), |chosen| chosen.schedule.reads_confidence())
    }

    /// Takes in what a round behind `context` tokens took that drafted so many and verified so many `rows`.
    pub(crate) fn measure(&mut self, context: usize, drafted: usize, rows: usize, spent: Spent) {
        self.auto.cost_mut().measure(context, drafted, rows, spent);
    }

    /// Takes in what the newest round took. Returns whether drafting has been parked or resumed.
    pub(crate) fn learn(&mut self, round: &decode::Round, spent: Spent) -> Option<Turn> {
        if let Some(doubt) = &mut self.doubt {
            doubt.learn(round.proposed, round.accepted);
        }
        self.measure(self.context, round.proposed + round.cut, round.proposed + 1, spent);
        let (tokens, seconds) = (round.emitted.len(), spent.seconds());
        let turn = match (&mut self.chosen, spent) {
            (Some(_), Spent::Plain(_)) => None,
            (Some(chosen), _) => {
                self.auto.learn(round.proposed, round.accepted);
                chosen.tally.add(tokens, seconds);
                None
            }
            (None, Spent::Plain(seconds)) => self.parking.plain_step(seconds),
            (None, _) => self.parking.drafting_round(tokens, seconds),
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
        let Some(Chosen { tally, .. }) = &self.chosen else {
            let Some(Turn::Parked { standing, .. }) = &self.newest_turn else { return None };
            return Some(format!("Drafting is parked, as it lost time: {}.", told(standing)));
        };
        let standing = tally.standing(self.auto.cost().plain_s(self.context)?);
        let loses = standing.rounds >= ENOUGH && standing.speed() < 1.0;
        let why = "It goes on because you chose how much to draft.";
        loses.then(|| format!("Drafting loses time: {}. {why}", told(&standing)))
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
