//! `slipstream calibrate`: a calibration, followed to its end.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, CalibrationEstimate, CalibrationOrder, CalibrationPhase, CalibrationRun, CalibrationState, Suite};
use serde_json::json;

use crate::INTERRUPTED;
use crate::calibrations::{report, value};
use crate::failure::Failure;
use crate::progress::{Line, about};
use crate::terminal::harmless;
use crate::work::{self, Work, with_time_left};

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
    let about = seconds.map_or_else(String::new, |seconds| format!("; {}", about(seconds)));
    writeln!(io::stderr(), "{prompts} prompts, {held_out} of them answered in every way of drafting{about}")
}

/// Follows a calibration to its end.
pub(crate) async fn follow(app: &App, run: CalibrationRun, json: bool) -> Result<ExitCode, Failure> {
    let (mut line, mut told) = (Line::new(), None);
    let run = work::follow(app, run, |run| {
        let now = (run.phase, run.done);
        let news = json && run.is_running() && told.replace(now) != Some(now);
        if news { tell(run) } else { line.write(&doing(run)) }
    });
    let run = run.await?;
    line.end()?;
    ended(app, &run, json).await
}

impl Work for CalibrationRun {
    fn id(&self) -> i64 {
        self.id
    }

    fn is_running(&self) -> bool {
        self.is_running()
    }

    async fn look(app: &App, id: i64) -> app::Result<Self> {
        app.calibration(id).await
    }

    async fn pause(app: &App, id: i64) -> app::Result<Self> {
        app.pause_calibration(id).await
    }

    async fn rest(app: &App) {
        app.pause_calibrations().await;
    }
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
    with_time_left(what, run.seconds_left)
}
