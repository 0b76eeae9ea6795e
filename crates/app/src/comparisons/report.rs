//! What comes of a comparison: whether all columns wrote the same, and which is the fastest, workload by workload.

use std::collections::BTreeMap;

use calibration::{Interval, Timed, speed, surely_greatest, times};
use engine::{Answer, Divergence, Precision, Stats};
use serde::{Deserialize, Serialize};
use store::{ComparisonAnswer, ComparisonPrompt};

use super::{ComparisonOrder, Conditions, Contender};
use crate::Likeness;

/// What came of a comparison, as far as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonReport {
    /// What was ordered.
    pub order: ComparisonOrder,
    /// What it is measured with.
    pub conditions: Conditions,
    /// What each column is called; the first is plain decoding.
    pub columns: Vec<String>,
    /// Whether all columns wrote the same, in a sentence.
    pub verdict: String,
    /// How fast each column was; all prompts together first, if they are of several suites.
    pub workloads: Vec<Workload>,
    /// What was answered.
    pub prompts: Vec<ComparedPrompt>,
}

/// How each column did with some prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// What people call it.
    pub title: String,
    /// Those columns that answered any of them.
    pub columns: Vec<MeasuredColumn>,
    /// The column that is surely the fastest, if one is.
    pub winner: Option<usize>,
    /// Which is the fastest, in a sentence.
    pub sentence: String,
}

/// How a column did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredColumn {
    /// Which; 0 is plain decoding.
    pub column: usize,
    /// Prompts that it answered.
    pub prompts: usize,
    /// Tokens per second of decoding.
    pub tokens_per_s: Interval,
    /// How many times as fast as plain decoding of the same prompts; `None` before there is any.
    pub times_plain: Option<Interval>,
    /// Tokens per round (τ), the target's own included.
    pub tokens_per_round: f64,
    /// The share of rounds that were plain steps because drafting lost time.
    pub parked: f64,
    /// Rounds that proposed a token at each position.
    pub proposed_at: Vec<usize>,
    /// Rounds in which the tokens up to and including each position stood.
    pub accepted_at: Vec<usize>,
    /// The most memory that MLX held during one of the answers, bytes.
    pub peak_memory_bytes: u64,
}

/// A prompt, and what the columns answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedPrompt {
    /// What it is one of.
    pub suite: String,
    /// What is asked.
    pub text: String,
    /// By column; of one that was interrupted not all are there.
    pub answers: Vec<ComparedAnswer>,
}

/// What a column answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedAnswer {
    /// Which; 0 is plain decoding.
    pub column: usize,
    /// What it says, and before that what the model thought.
    pub text: String,
    /// What it cost.
    pub stats: Stats,
    /// How alike it is to the plain answer; `None` of that one itself, and before it is there.
    pub likeness: Option<Likeness>,
    /// Where the target, asked again, would have gone on otherwise, and by which margin.
    pub divergence: Option<Divergence>,
}

impl ComparisonReport {
    /// What its numbers depend on, a fact each.
    #[must_use]
    pub fn facts(&self) -> Vec<String> {
        let Self { order, conditions, .. } = self;
        let thinking = if order.thinking { "thinking" } else { "without thinking" };
        let precision = match order.precision {
            Precision::AsStored => "as stored",
            Precision::Float32 => "in 32-bit floats",
        };
        let drafters = order.contenders.iter().zip(&conditions.drafters);
        let drafter = |(contender, hash): (&Contender, &Option<String>)| {
            format!("Drafter: {}, {}", contender.title(), hash.as_deref().unwrap_or("no files"))
        };
        let machine = [
            format!("Machine: {}", conditions.machine),
            format!("Slipstream {}", conditions.release),
            format!("Target: {}, {}", order.target, conditions.target),
        ];
        let answers = format!(
            "Answers of {} tokens at most, temperature {}, seed {}, rule coupled, {thinking}, {precision}",
            order.tokens, order.temperature, order.seed
        );
        machine.into_iter().chain(drafters.map(drafter)).chain([answers]).collect()
    }
}

impl MeasuredColumn {
    /// Of the rounds that proposed a token at each position, the share in which it stood with all before it; `None` where
    /// none was proposed.
    #[must_use]
    pub fn acceptance(&self) -> Vec<Option<f64>> {
        #[expect(clippy::cast_precision_loss, reason = "counts fit a double exactly")]
        let share =
            |(&accepted, &proposed): (&usize, &usize)| (proposed > 0).then(|| accepted as f64 / proposed as f64);
        self.accepted_at.iter().zip(&self.proposed_at).map(share).collect()
    }
}

impl ComparedAnswer {
    /// Whether it is not what plain decoding wrote.
    #[must_use]
    pub fn differs(&self) -> bool {
        !matches!(self.likeness, None | Some(Likeness::Same { .. }))
    }
}

/// What a report is made from.
pub(super) struct Evidence {
    titles: Vec<String>,
    prompts: Vec<ComparedPrompt>,
}

impl Evidence {
    /// Of columns of these titles. What cannot be read is passed over.
    pub(super) fn new(titles: Vec<String>, prompts: Vec<ComparisonPrompt>, answers: &[ComparisonAnswer]) -> Self {
        let mut by_prompt = BTreeMap::<u32, Vec<(&ComparisonAnswer, Answer)>>::new();
        for kept in answers {
            if let Ok(answer) = serde_json::from_str(&kept.record) {
                by_prompt.entry(kept.prompt).or_default().push((kept, answer));
            }
        }
        let compared = |ComparisonPrompt { number, suite, text }| {
            let answers = by_prompt.remove(&number).unwrap_or_default();
            let plain = answers.iter().find(|(kept, _)| kept.place == 0).map(|(_, answer)| answer.clone());
            let answers = answers.into_iter().map(|(kept, answer)| compared(kept, answer, plain.as_ref()));
            ComparedPrompt { suite, text, answers: answers.collect() }
        };
        Self { titles, prompts: prompts.into_iter().map(compared).collect() }
    }

    /// All of it.
    pub(super) fn report(self, order: ComparisonOrder, conditions: Conditions) -> ComparisonReport {
        let (verdict, workloads) = (self.verdict(), self.workloads());
        ComparisonReport { order, conditions, columns: self.titles, verdict, workloads, prompts: self.prompts }
    }

    /// Whether all columns wrote the same, in a sentence.
    fn verdict(&self) -> String {
        let answers = || {
            let numbered = (1..).zip(&self.prompts);
            numbered.flat_map(|(number, prompt)| prompt.answers.iter().map(move |answer| (number, answer)))
        };
        let compared = answers().filter(|(_, answer)| answer.likeness.is_some()).count();
        let mut others = answers().filter(|(_, answer)| answer.differs());
        let Some((number, first)) = others.next() else {
            let has_any = |prompt: &&ComparedPrompt| prompt.answers.iter().any(|answer| answer.likeness.is_some());
            return match self.prompts.iter().filter(has_any).count() {
                0 => "Nothing was compared yet.".into(),
                1 => "Identical: every column wrote the same tokens as plain decoding.".into(),
                prompts => format!(
                    "Identical: every column wrote the same tokens as plain decoding, for all of {prompts} prompts."
                ),
            };
        };
        let title = &self.titles[first.column.min(self.titles.len() - 1)];
        let count = 1 + others.count();
        let at = match (&first.divergence, &first.likeness) {
            (Some(divergence), _) => divergence.to_string(),
            (None, Some(Likeness::Until { tokens })) => format!("from token {} on", tokens + 1),
            (None, _) => "their prompts are not the same".into(),
        };
        format!(
            "{count} of {compared} answers differ from plain decoding. The first is that of {title} to prompt {number}: {at}."
        )
    }

    /// What came of it, in two sentences: whether all columns wrote the same, and which is the fastest.
    pub(super) fn outcome(&self) -> String {
        let fastest = self.workloads().into_iter().next().map(|workload| workload.sentence);
        [Some(self.verdict()), fastest].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn workloads(&self) -> Vec<Workload> {
        let mut suites = self.prompts.iter().map(|prompt| prompt.suite.as_str()).collect::<Vec<_>>();
        suites.dedup();
        let together = (suites.len() > 1).then(|| self.workload("All prompts", |_| true));
        let each = suites.iter().map(|&suite| self.workload(suite, |prompt| prompt.suite == suite));
        together.into_iter().chain(each).filter(|workload| !workload.columns.is_empty()).collect()
    }

    fn workload(&self, title: &str, of_it: impl Fn(&ComparedPrompt) -> bool) -> Workload {
        let prompts = self.prompts.iter().filter(|prompt| of_it(prompt)).collect::<Vec<_>>();
        let columns = (0..self.titles.len()).filter_map(|column| measured(&prompts, column)).collect::<Vec<_>>();
        let times = columns.iter().map(|column| column.times_plain).collect::<Option<Vec<_>>>();
        let winner = times.and_then(|times| surely_greatest(&times)).map(|at| columns[at].column);
        let sentence = self.told(&columns, winner);
        Workload { title: title.to_owned(), columns, winner, sentence }
    }

    /// Which column is the fastest.
    fn told(&self, columns: &[MeasuredColumn], winner: Option<usize>) -> String {
        let value = |column: &&MeasuredColumn| column.times_plain.map_or(0.0, |times| times.value);
        let drafting = columns.iter().filter(|column| column.column > 0);
        let best = drafting.max_by(|one, other| value(one).total_cmp(&value(other)));
        let Some((best, times)) = best.and_then(|best| Some((best, best.times_plain?))) else {
            return "Nothing was held against plain decoding yet.".into();
        };
        let Interval { value, low, high } = times;
        let title = &self.titles[best.column];
        let Some((low, high)) = low.zip(high) else {
            return format!("The best drafter is {title} at {value:.2} × plain, of too few prompts to be sure.");
        };
        let spread = format!("{value:.2} × plain ({low:.2} to {high:.2})");
        match winner {
            Some(0) => format!("Plain decoding is the fastest: the best drafter is {title} at {spread}."),
            Some(_) => format!("{title} is the fastest: {spread}."),
            None => format!("No clear winner, as the intervals overlap: the best drafter is {title} at {spread}."),
        }
    }
}

fn compared(kept: &ComparisonAnswer, answer: Answer, plain: Option<&Answer>) -> ComparedAnswer {
    let likeness = plain.filter(|_| kept.place > 0).map(|plain| Likeness::of(plain, &answer));
    let divergence = kept.divergence.as_deref().and_then(|json| serde_json::from_str(json).ok());
    let text = format!("{}{}", answer.thought, answer.text);
    ComparedAnswer { column: kept.place as usize, text, stats: answer.stats, likeness, divergence }
}

/// How a column did with these prompts; `None` if it answered none of them.
fn measured(prompts: &[&ComparedPrompt], column: usize) -> Option<MeasuredColumn> {
    let of = |prompt: &ComparedPrompt, column: usize| {
        let answer = prompt.answers.iter().find(|answer| answer.column == column);
        answer.map(|answer| answer.stats.clone())
    };
    let answered = prompts.iter().filter_map(|prompt| of(prompt, column)).collect::<Vec<_>>();
    let pairs = prompts.iter().filter_map(|prompt| Some((timed(&of(prompt, column)?), timed(&of(prompt, 0)?))));
    let (both, plain): (Vec<Timed>, Vec<Timed>) = pairs.unzip();
    let count = |of: fn(&Stats) -> usize| answered.iter().map(of).sum::<usize>();
    #[expect(clippy::cast_precision_loss, reason = "counts fit a double exactly")]
    let per_round = |of| count(of) as f64 / count(|stats| stats.rounds).max(1) as f64;
    Some(MeasuredColumn {
        column,
        prompts: answered.len(),
        tokens_per_s: speed(&answered.iter().map(timed).collect::<Vec<_>>())?,
        times_plain: times(&both, &plain),
        tokens_per_round: per_round(|stats| stats.tokens),
        parked: per_round(|stats| stats.parked),
        proposed_at: by_position(&answered, |stats| &stats.proposed_at),
        accepted_at: by_position(&answered, |stats| &stats.accepted_at),
        peak_memory_bytes: answered.iter().map(|stats| stats.peak_memory_bytes).max().unwrap_or(0),
    })
}

fn timed(&Stats { tokens, rounds, decode_s, .. }: &Stats) -> Timed {
    Timed { tokens, rounds, seconds: decode_s }
}

/// The sums of counts that the answers have by position.
fn by_position(answered: &[Stats], of: fn(&Stats) -> &Vec<usize>) -> Vec<usize> {
    let positions = answered.iter().map(|stats| of(stats).len()).max().unwrap_or(0);
    (0..positions).map(|at| answered.iter().filter_map(|stats| of(stats).get(at)).sum()).collect()
}
