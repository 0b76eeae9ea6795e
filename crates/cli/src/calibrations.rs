//! `slipstream calibrations`: what was calibrated, what came of it, and which is in force.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

use app::{
    App, CalibrationError, CalibrationPhase, CalibrationPosition, CalibrationReport, CalibrationRun, CalibrationState,
    CalibrationWriting, CostRow, Interval, Measured,
};
use serde_json::{Value, json};

use crate::args::CalibrationsCommand;
use crate::calibrate::follow;
use crate::failure::Failure;
use crate::models::print;

/// Runs one of the commands.
pub(crate) async fn run(app: &App, command: CalibrationsCommand, json: bool) -> Result<ExitCode, Failure> {
    let (value, text) = match command {
        CalibrationsCommand::List => {
            let runs = app.calibrations().await?;
            (runs.iter().map(value).collect(), list(&runs))
        }
        CalibrationsCommand::Show { id } => {
            let found = app.calibration_report(id).await?;
            (json!(found), report(&found))
        }
        CalibrationsCommand::Resume { id } => return follow(app, app.resume_calibration(id).await?, json).await,
        CalibrationsCommand::Apply { id } => one(&app.apply_calibration(id).await?),
        CalibrationsCommand::Revert { id } => one(&app.revert_calibration(id).await?),
        CalibrationsCommand::Write { id, force } => {
            app.write_calibration(id, force).await?;
            let drafter = app.calibration(id).await?.drafter;
            (json!({ "written": id }), format!("calibration {id} is in the dspark.json of {drafter}"))
        }
        CalibrationsCommand::TakeBack { id } => {
            app.take_back_calibration(id).await?;
            let drafter = app.calibration(id).await?.drafter;
            let text = format!("the dspark.json of {drafter} is what it was before calibration {id}");
            (json!({ "taken_back": id }), text)
        }
        CalibrationsCommand::Export { id } => {
            let text = if json { app.calibration_json(id).await? } else { app.calibration_samples(id).await? };
            writeln!(io::stdout(), "{}", text.trim_end())?;
            return Ok(ExitCode::SUCCESS);
        }
        CalibrationsCommand::Forget { id } => {
            app.remove_calibration(id).await?;
            (json!({ "forgotten": id }), format!("calibration {id} is off the list"))
        }
    };
    print(json, &value, &text)
}

fn one(run: &CalibrationRun) -> (Value, String) {
    (value(run), line(run))
}

fn list(runs: &[CalibrationRun]) -> String {
    match runs {
        [] => "no calibrations; begin one with: slipstream calibrate".to_owned(),
        some => some.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

fn line(run: &CalibrationRun) -> String {
    let CalibrationRun { id, target, drafter, data, thinking, .. } = run;
    let state = if run.in_force { "in force" } else { state(run.state) };
    let thinking = if *thinking { ", thinking" } else { "" };
    let advice = run.advice.as_ref().map(|advice| &advice.sentence);
    let end = run.failure.as_ref().or(run.stale.as_ref()).or(advice).map(|end| format!("  {end}")).unwrap_or_default();
    format!("{id:>4}  {state:<9}  {drafter} for {target}{thinking}, {data}{end}")
}

/// What programs learn of a calibration, but for its report.
pub(crate) fn value(run: &CalibrationRun) -> Value {
    json!({
        "id": run.id,
        "target": run.target,
        "drafter": run.drafter,
        "thinking": run.thinking,
        "data": run.data,
        "state": state(run.state),
        "phase": phase(run.phase),
        "done": run.done,
        "of": run.total,
        "failure": run.failure,
        "in_force": run.in_force,
        "applied_at": run.applied_at,
        "reverted_at": run.reverted_at,
        "written": run.writing == CalibrationWriting::Done,
        "stale": run.stale,
        "created_at": run.created_at,
        "advice": run.advice,
    })
}

fn state(state: CalibrationState) -> &'static str {
    match state {
        CalibrationState::Waiting => "waiting",
        CalibrationState::Running => "running",
        CalibrationState::Paused => "paused",
        CalibrationState::Done => "done",
        CalibrationState::Failed => "failed",
    }
}

fn phase(phase: CalibrationPhase) -> &'static str {
    match phase {
        CalibrationPhase::Collect => "collect",
        CalibrationPhase::Fit => "fit",
        CalibrationPhase::Cost => "cost",
        CalibrationPhase::Measure => "measure",
    }
}

/// What came of a calibration, for people.
pub(crate) fn report(report: &CalibrationReport) -> String {
    let CalibrationReport { fitted_on, held_out, alike, together, suites, advice, cost, .. } = report;
    let mut text = format!(
        "fitted on {} rounds of {} prompts, judged by {} rounds of {} others\n",
        fitted_on.rounds, fitted_on.prompts, held_out.rounds, held_out.prompts
    );
    text.push_str(&truth(report));
    text.push_str(&table("all prompts", together));
    for suite in suites {
        text.push_str(&table(&suite.title, &suite.modes));
    }
    for row in cost {
        text.push_str(&spent(row));
    }
    // Writing into a text cannot fail.
    let _ = writeln!(
        text,
        "\nmeasured at temperature 0; every way wrote the same tokens for {alike} of {} prompts",
        held_out.prompts
    );
    let _ = write!(text, "{}", advice.sentence);
    text
}

/// How true the confidence is by position, as the drafter says it and calibrated.
fn truth(CalibrationReport { fitted, positions, error, .. }: &CalibrationReport) -> String {
    let mut text =
        "\nposition  samples  reached  temperature  threshold  ECE             AUROC           Brier\n".to_owned();
    for (at, position) in positions.iter().enumerate() {
        let number = |numbers: &[f32], none: f32| numbers.get(at).copied().unwrap_or(none);
        let (temperature, threshold) = (number(&fitted.temperatures, 1.0), number(&fitted.thresholds, 0.0));
        let CalibrationPosition { raw, calibrated, samples, reached, thin } = position;
        let [ece, auroc, brier] =
            [(raw.ece, calibrated.ece), (raw.auroc, calibrated.auroc), (raw.brier, calibrated.brier)]
                .map(|(raw, calibrated)| change(raw, calibrated));
        let (thin, at) = (if *thin { "  reached too rarely for a temperature" } else { "" }, at + 1);
        // Writing into a text cannot fail.
        let _ = writeln!(
            text,
            "{at:>8}  {samples:>7}  {reached:>7}  {temperature:>11.2}  {threshold:>9.2}  {ece:<14}  {auroc:<14}  {brier}{thin}"
        );
    }
    if let Some(CalibrationError { raw, calibrated, .. }) = error {
        let _ = writeln!(text, "all positions, by rounds: ECE {}", change(Some(*raw), Some(*calibrated)));
    }
    text
}

/// `0.131 → 0.024`.
fn change(raw: Option<f64>, calibrated: Option<f64>) -> String {
    let [raw, calibrated] =
        [raw, calibrated].map(|number| number.map_or_else(|| "–".to_owned(), |n| format!("{n:.3}")));
    format!("{raw} → {calibrated}")
}

/// What rounds cost in contexts of some length.
fn spent(CostRow { context, draft_s, verify_s }: &CostRow) -> String {
    let told = |seconds: &[(usize, f64)]| {
        seconds.iter().map(|(count, s)| format!("{count}: {:.2}", 1e3 * s)).collect::<Vec<_>>().join("  ")
    };
    let draft = if draft_s.is_empty() { "not apart".to_owned() } else { told(draft_s) };
    format!(
        "\nms from {context} tokens of context on\n  drafting, by tokens  {draft}\n  verifying, by rows   {}\n",
        told(verify_s)
    )
}

/// How each way of drafting did.
fn table(title: &str, measured: &[Measured]) -> String {
    let mut text = format!("\n{title:<16}  tokens/s                × plain               τ     expected tokens/s\n");
    for one in measured {
        let mode = one.mode.to_string();
        let expected = one.simulated.map_or_else(|| "–".to_owned(), |simulated| format!("{simulated:.1}"));
        let (speed, times) = (interval(one.tokens_per_s, 1), interval(one.times_plain, 2));
        // Writing into a text cannot fail.
        let _ = writeln!(text, "{mode:<16}  {speed:<22}  {times:<20}  {:<4.2}  {expected}", one.tokens_per_round);
    }
    text
}

/// `31.2 (30.1 to 32.3)`.
fn interval(Interval { value, low, high }: Interval, digits: usize) -> String {
    match low.zip(high) {
        Some((low, high)) => format!("{value:.digits$} ({low:.digits$} to {high:.digits$})"),
        None => format!("{value:.digits$}"),
    }
}
