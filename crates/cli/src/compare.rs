//! `slipstream compare`: a comparison, followed to its end.

use std::io::{self, Write};
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use app::{App, ComparisonEstimate, ComparisonOrder, ComparisonRun, ComparisonState, Suite};
use serde_json::json;
use tokio::signal::ctrl_c;
use tokio::time::sleep;

use crate::INTERRUPTED;
use crate::comparisons::value;
use crate::failure::Failure;
use crate::progress::{Line, time};
use crate::terminal::harmless;

/// How often a comparison is looked at.
const PACE: Duration = Duration::from_millis(250);

/// Compares drafters.
pub(crate) async fn run(app: &App, mut order: ComparisonOrder, json: bool) -> Result<ExitCode, Failure> {
    if order.suites.is_empty() && order.prompt.is_none() {
        order.suites = Suite::usual_for(app.model(&order.target).await?.source);
    }
    // What cannot be estimated cannot be started either; the start says why.
    if let Ok(estimate) = app.estimate_comparison(&order).await {
        tell_estimate(&estimate, json)?;
    }
    let run = app.start_comparison(order).await?;
    follow(app, run, json).await
}

/// Says what it will take, about.
fn tell_estimate(&ComparisonEstimate { prompts, answers, seconds }: &ComparisonEstimate, json: bool) -> io::Result<()> {
    if json {
        let value = json!({ "event": "estimate", "prompts": prompts, "answers": answers, "seconds": seconds });
        return writeln!(io::stdout(), "{value}");
    }
    let about = seconds.map(|seconds| time(Duration::from_secs_f64(seconds.clamp(0.0, 1e9))));
    let about = about.map_or_else(String::new, |about| format!("; about {about}"));
    writeln!(io::stderr(), "prompts: {prompts}, answers in all columns: {answers}{about}")
}

/// Follows a comparison to its end. Ctrl-C pauses it, a second one ends the program.
pub(crate) async fn follow(app: &App, mut run: ComparisonRun, json: bool) -> Result<ExitCode, Failure> {
    let (id, mut line, mut told, mut interrupts) = (run.id, Line::new(), None, 0);
    let mut interrupt = pin!(ctrl_c());
    let written = loop {
        let news = json && run.is_running() && told.replace(run.done) != Some(run.done);
        let written = if news { tell(&run) } else { line.write(&doing(&run)) };
        if written.is_err() || !run.is_running() {
            break written;
        }
        tokio::select! {
            () = sleep(PACE) => {}
            _ = &mut interrupt => {
                interrupts += 1;
                if interrupts > 1 {
                    app::leave(i32::from(INTERRUPTED)); // what was measured is there all the same
                }
                app.pause_comparison(id).await?;
                interrupt.set(ctrl_c());
            }
        }
        run = app.comparison(id).await?;
    };
    // The engine is let go of only when it is done: a process must not end under it.
    app.pause_comparisons().await;
    written?;
    line.end()?;
    ended(app, &run, json).await
}

fn tell(run: &ComparisonRun) -> io::Result<()> {
    let mut value = value(run);
    value["event"] = json!("comparing");
    writeln!(io::stdout(), "{value}")
}

/// Says how it ended.
async fn ended(app: &App, run: &ComparisonRun, json: bool) -> Result<ExitCode, Failure> {
    if let Some(failure) = &run.failure {
        return Err(Failure::Sentence(failure.clone()));
    }
    let mut value = value(run);
    let (code, text) = if run.state == ComparisonState::Done {
        value["event"] = json!("ended");
        value["report"] = json!(app.comparison_report(run.id).await?);
        (ExitCode::SUCCESS, app.comparison_card(run.id).await?)
    } else {
        value["event"] = json!("paused");
        let text = format!("paused; slipstream comparisons resume {} goes on with it", run.id);
        (ExitCode::from(INTERRUPTED), text)
    };
    writeln!(io::stdout(), "{}", if json { value.to_string() } else { harmless(text.trim_end()) })?;
    Ok(code)
}

/// What it does at present.
fn doing(run: &ComparisonRun) -> String {
    let ComparisonRun { done, total, .. } = run;
    let what = match run.state {
        ComparisonState::Waiting => "waiting".to_owned(),
        _ => format!("comparing: answer {done} of {total}"),
    };
    let left = run.seconds_left.filter(|left| left.is_finite() && *left >= 0.0);
    left.map_or(what.clone(), |left| format!("{what}, about {} left", time(Duration::from_secs_f64(left.min(1e9)))))
}
