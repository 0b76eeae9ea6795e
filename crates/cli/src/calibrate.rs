//! `slipstream calibrate`: a calibration, followed to its end.

use std::io::{self, Write};
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use app::{App, CalibrationEstimate, CalibrationOrder, CalibrationPhase, CalibrationRun, CalibrationState, Suite};
use serde_json::json;
use tokio::signal::ctrl_c;
use tokio::time::sleep;

use crate::INTERRUPTED;
use crate::calibrations::{report, value};
use crate::failure::Failure;
use crate::progress::{Line, time};
use crate::terminal::harmless;

/// How often a calibration is looked at.
const PACE: Duration = Duration::from_millis(250);

/// Calibrates, or goes on with what was ordered likewise.
pub(crate) async fn run(app: &App, mut order: CalibrationOrder, json: bool) -> Result<ExitCode, Failure> {
    if order.suites.is_empty() && order.file.is_none() && !order.conversations {
        order.suites = Suite::usual_for(app.model(&order.target).await?.source);
    }
    // What cannot be estimated cannot be started either; the start says why.
    if let Ok(estimate) = app.estimate_calibration(&order).await {
        tell_estimate(&estimate, json)?;
    }
    let run = app.start_calibration(order).await?;
    follow(app, run, json).await
}

/// Says what it will take, about.
fn tell_estimate(
    &CalibrationEstimate { prompts, held_out, seconds }: &CalibrationEstimate,
    json: bool,
) -> io::Result<()> {
    if json {
        let value = json!({ "event": "estimate", "prompts": prompts, "held_out": held_out, "seconds": seconds });
        return writeln!(io::stdout(), "{value}");
    }
    let about = seconds.map(|seconds| time(Duration::from_secs_f64(seconds.clamp(0.0, 1e9))));
    let about = about.map_or_else(String::new, |about| format!("; about {about}"));
    writeln!(io::stderr(), "{prompts} prompts, {held_out} of them answered in every way of drafting{about}")
}

/// Follows a calibration to its end. Ctrl-C pauses it, a second one ends the program.
pub(crate) async fn follow(app: &App, mut run: CalibrationRun, json: bool) -> Result<ExitCode, Failure> {
    let (id, mut line, mut told, mut interrupts) = (run.id, Line::new(), None, 0);
    let mut interrupt = pin!(ctrl_c());
    let written = loop {
        let now = (run.phase, run.done);
        let news = json && run.is_running() && told.replace(now) != Some(now);
        let written = if news { tell(&run) } else { line.write(&doing(&run)) };
        if written.is_err() || !run.is_running() {
            break written;
        }
        tokio::select! {
            () = sleep(PACE) => {}
            _ = &mut interrupt => {
                interrupts += 1;
                if interrupts > 1 {
                    app::leave(i32::from(INTERRUPTED)); // what was recorded is there all the same
                }
                app.pause_calibration(id).await?;
                interrupt.set(ctrl_c());
            }
        }
        run = app.calibration(id).await?;
    };
    // The engine is let go of only when it is done: a process must not end under it.
    app.pause_calibrations().await;
    written?;
    line.end()?;
    ended(app, &run, json).await
}

fn tell(run: &CalibrationRun) -> io::Result<()> {
    let mut value = value(run);
    value["event"] = json!("calibrating");
    writeln!(io::stdout(), "{value}")
}

/// Says how it ended.
async fn ended(app: &App, run: &CalibrationRun, json: bool) -> Result<ExitCode, Failure> {
    if let Some(failure) = &run.failure {
        return Err(Failure::Sentence(failure.clone()));
    }
    let (id, mut value) = (run.id, value(run));
    let (code, text) = if run.state == CalibrationState::Done {
        let found = app.calibration_report(id).await?;
        (value["event"], value["report"]) = (json!("ended"), json!(found));
        (
            ExitCode::SUCCESS,
            format!("{}\nslipstream calibrations apply {id} makes chats use what was fitted", report(&found)),
        )
    } else {
        value["event"] = json!("paused");
        (ExitCode::from(INTERRUPTED), format!("paused; slipstream calibrations resume {id} goes on with it"))
    };
    writeln!(io::stdout(), "{}", if json { value.to_string() } else { harmless(&text) })?;
    Ok(code)
}

/// What it does at present.
fn doing(run: &CalibrationRun) -> String {
    let CalibrationRun { done, total, .. } = run;
    let what = match (run.state, run.phase) {
        (CalibrationState::Waiting, _) => "waiting".to_owned(),
        (_, CalibrationPhase::Collect) => format!("recording: answer {done} of {total}"),
        (_, CalibrationPhase::Fit) => "fitting".to_owned(),
        (_, CalibrationPhase::Cost) => "timing rounds".to_owned(),
        (_, CalibrationPhase::Measure) => format!("comparing: answer {done} of {total}"),
    };
    let left = run.seconds_left.filter(|left| left.is_finite() && *left >= 0.0);
    left.map_or(what.clone(), |left| format!("{what}, about {} left", time(Duration::from_secs_f64(left.min(1e9)))))
}
