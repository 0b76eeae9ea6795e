//! `slipstream bench`: how fast a target reads and writes here, as a table, CSV or JSON.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, Benchmark, BenchmarkOrder, BenchmarkRow, Spread};
use serde_json::json;

use crate::args::BenchArguments;
use crate::failure::Failure;
use crate::progress::Line;
use crate::terminal::harmless;
use crate::verify::patiently;

/// Times what is asked for.
pub(crate) async fn run(app: &App, arguments: BenchArguments, json: bool) -> Result<ExitCode, Failure> {
    let csv = arguments.csv;
    let order = BenchmarkOrder::from(arguments);
    let mut line = Line::new();
    // A line that cannot be written is missed by nobody.
    let hear = |done, total| drop(line.write(&format!("timing: answer {done} of {total}")));
    let benchmark = patiently(app.benchmark(&order, hear)).await?;
    line.end()?;
    let text = match (json, csv) {
        (true, _) => json!(benchmark).to_string(),
        (_, true) => values(&benchmark),
        _ => harmless(&table(&benchmark)),
    };
    writeln!(io::stdout(), "{}", text.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// For people.
fn table(benchmark: &Benchmark) -> String {
    let Benchmark { conditions, target, tokens, load_s, first_token_s, first_prompt_tokens, rows, .. } = benchmark;
    let mut text = format!(
        "{target} on {}, Slipstream {}\nloaded in {load_s:.2} s, the first token behind {first_prompt_tokens} after {first_token_s:.2} s; answers of {tokens} tokens\n\n\
         context  drafter               γ   read tokens/s        write tokens/s       τ     ms a round           \
         host   told   waits  peak MB\n",
        conditions.machine, conditions.release
    );
    for row in rows {
        let BenchmarkRow { context, drafter, gamma, .. } = row;
        let drafter = drafter.as_deref().unwrap_or("none");
        let part = |spread: Spread| format!("{:.2}", 1e3 * spread.median);
        #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
        let peak = most(row) as f64 / 1e6;
        // Writing into a text cannot fail.
        let _ = writeln!(
            text,
            "{context:>7}  {drafter:<20}  {gamma:<2}  {:<19}  {:<19}  {:<4.2}  {:<19}  {:<5}  {:<5}  {:<5}  {peak:.0}",
            row.prefill_tokens_per_s.map_or_else(|| "–".into(), |spread| spread_of(spread, 1.0, 0)),
            spread_of(row.tokens_per_s, 1.0, 1),
            row.tokens_per_round.median,
            spread_of(row.round_s, 1e3, 2),
            part(row.host_s),
            part(row.told_s),
            row.waits.median,
        );
    }
    text
}

/// The most memory of any answer, bytes.
fn most(row: &BenchmarkRow) -> u64 {
    row.peak_memory_bytes.iter().copied().max().unwrap_or_default()
}

/// `31.2 (30.1 to 32.3)`.
fn spread_of(Spread { median, low, high }: Spread, times: f64, digits: usize) -> String {
    let [median, low, high] = [Some(median), low, high].map(|value| value.map(|value| times * value));
    let median = median.unwrap_or_default();
    match low.zip(high) {
        Some((low, high)) => format!("{median:.digits$} ({low:.digits$}–{high:.digits$})"),
        None => format!("{median:.digits$}"),
    }
}

/// For spreadsheets: every spread as median, lower and upper end.
fn values(benchmark: &Benchmark) -> String {
    let spreads = ["prefill_tokens_per_s", "tokens_per_s", "tokens_per_round", "round_s", "host_s", "told_s", "waits"];
    let mut text = "target,context,drafter,gamma".to_owned();
    for name in spreads {
        let _ = write!(text, ",{name},{name}_low,{name}_high");
    }
    text.push_str(",peak_memory_bytes\n");
    for row in &benchmark.rows {
        let quoted = |id: &str| format!("\"{}\"", id.replace('"', "\"\""));
        let (target, drafter) = (quoted(&benchmark.target), quoted(row.drafter.as_deref().unwrap_or_default()));
        let _ = write!(text, "{target},{},{drafter},{}", row.context, row.gamma);
        let (peak, row) = (most(row), json!(row));
        for name in spreads {
            for part in ["median", "low", "high"] {
                let value = row[name][part].as_f64();
                let _ = write!(text, ",{}", value.map_or_else(String::new, |value| value.to_string()));
            }
        }
        let _ = writeln!(text, ",{peak}");
    }
    text
}
