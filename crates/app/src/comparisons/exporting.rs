//! A comparison for others: every answer as CSV, all of it as JSON, and a card of Markdown for people.

use std::fmt::Write as _;

use calibration::Interval;
use engine::size;

use super::{ComparisonReport, MeasuredColumn, Workload};
use crate::{App, Likeness, Result};

/// What the numbers of a card mean.
const NOTE: &str = "
Each prompt was answered in every column before the next, another column first each time; loading and warming up are not \
timed. In brackets: where the value would lie with other prompts, in 95 of a hundred cases. τ: tokens per round, the \
target's own included. Parked: the share of rounds that were plain steps because drafting lost time. Accepted: of the rounds that proposed a token at a position, the share in which it stood with all \
before it. Memory: the most that MLX held. Slipstream does not measure energy, so there is no column of it.

## What this depends on

";

impl App {
    /// Every answer of a comparison as CSV, a line each: what it cost, and whether it is the plain one. Accepted and
    /// proposed by position are lists with spaces between their numbers.
    ///
    /// # Errors
    /// There is no such comparison, its record is damaged, or the database fails.
    pub async fn comparison_csv(&self, id: i64) -> Result<String> {
        let report = self.comparison_report(id).await?;
        let mut csv =
            "prompt,suite,column,tokens,rounds,seconds,tokens_per_s,tokens_per_round,proposed_at,accepted_at,\
                       peak_memory_bytes,identical\n"
                .to_owned();
        for (number, prompt) in (1..).zip(&report.prompts) {
            for answer in &prompt.answers {
                let (suite, column) = (quoted(&prompt.suite), quoted(&report.columns[answer.column]));
                let stats = &answer.stats;
                let (tokens, rounds, seconds) = (stats.tokens, stats.rounds, stats.decode_s);
                let [speed, tau] = [stats.tokens_per_s, stats.tokens_per_round]
                    .map(|rate| rate.map_or_else(String::new, |rate| rate.to_string()));
                let [proposed, accepted] = [&stats.proposed_at, &stats.accepted_at].map(|counts| listed(counts));
                let (memory, identical) = (stats.peak_memory_bytes, identical(answer.likeness));
                // Writing into a text cannot fail.
                let _ = writeln!(
                    csv,
                    "{number},{suite},{column},{tokens},{rounds},{seconds},{speed},{tau},{proposed},{accepted},{memory},{identical}"
                );
            }
        }
        Ok(csv)
    }

    /// What came of a comparison, as JSON.
    ///
    /// # Errors
    /// There is no such comparison, its record is damaged, or the database fails.
    pub async fn comparison_json(&self, id: i64) -> Result<String> {
        // Numbers and texts always have a JSON form.
        Ok(serde_json::to_string_pretty(&self.comparison_report(id).await?).unwrap_or_default())
    }

    /// What came of a comparison, as a card of Markdown with all that its numbers depend on.
    ///
    /// # Errors
    /// There is no such comparison, its record is damaged, or the database fails.
    pub async fn comparison_card(&self, id: i64) -> Result<String> {
        Ok(card(&self.comparison_report(id).await?))
    }
}

pub(super) fn card(report: &ComparisonReport) -> String {
    let ComparisonReport { order, verdict, workloads, .. } = report;
    let mut card = format!("# Drafters for {}, side by side\n\n{verdict}\n", order.target);
    for workload in workloads {
        card.push_str(&table(report, workload));
    }
    card.push_str(NOTE);
    for fact in report.facts() {
        // Writing into a text cannot fail.
        let _ = writeln!(card, "- {fact}");
    }
    card
}

fn table(report: &ComparisonReport, workload: &Workload) -> String {
    let prompts = workload.columns.iter().map(|column| column.prompts).max().unwrap_or(0);
    let mut table = format!(
        "\n## {}, {prompts} {}\n\n{}\n\n| | tokens/s | × plain | τ | parked | accepted by position | memory |\n|---|---|---|---|---|---|---|\n",
        workload.title,
        if prompts == 1 { "prompt" } else { "prompts" },
        workload.sentence
    );
    for measured in &workload.columns {
        let mark = if workload.winner == Some(measured.column) { "**" } else { "" };
        let name = report.columns[measured.column].replace('|', "\\|");
        let (speed, times) = (told(&measured.tokens_per_s, 1), measured.times_plain.map(|times| told(&times, 2)));
        let _ = writeln!(
            table,
            "| {mark}{name}{mark} | {speed} | {} | {:.2} | {:.0} % | {} | {} |",
            times.as_deref().unwrap_or("–"),
            measured.tokens_per_round,
            100.0 * measured.parked,
            acceptance(measured),
            size(measured.peak_memory_bytes)
        );
    }
    table
}

/// `71 % 48 % 30 %`.
fn acceptance(measured: &MeasuredColumn) -> String {
    let rates = measured.acceptance().into_iter().flatten().map(|share| format!("{:.0} %", 100.0 * share));
    let rates = rates.collect::<Vec<_>>().join(" ");
    if rates.is_empty() { "–".into() } else { rates }
}

/// `1.52 (1.40 to 1.63)`.
fn told(&Interval { value, low, high }: &Interval, digits: usize) -> String {
    match low.zip(high) {
        Some((low, high)) if low < high => format!("{value:.digits$} ({low:.digits$} to {high:.digits$})"),
        _ => format!("{value:.digits$}"),
    }
}

fn identical(likeness: Option<Likeness>) -> &'static str {
    match likeness {
        None => "",
        Some(Likeness::Same { .. }) => "true",
        Some(_) => "false",
    }
}

fn listed(counts: &[usize]) -> String {
    counts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
