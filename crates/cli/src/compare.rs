//! `slipstream compare`: a comparison, followed to its end.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, ComparisonEstimate, ComparisonOrder, ComparisonRun, ComparisonState, Suite};
use serde_json::json;

use crate::INTERRUPTED;
use crate::comparisons::value;
use crate::failure::Failure;
use crate::progress::{Line, about};
use crate::terminal::harmless;
use crate::work::{self, Work, with_time_left};

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
    let about = seconds.map_or_else(String::new, |seconds| format!("; {}", about(seconds)));
    writeln!(io::stderr(), "prompts: {prompts}, answers in all columns: {answers}{about}")
}

/// Follows a comparison to its end.
pub(crate) async fn follow(app: &App, run: ComparisonRun, json: bool) -> Result<ExitCode, Failure> {
    let (mut line, mut told) = (Line::new(), None);
    let run = work::follow(app, run, |run| {
        let news = json && run.is_running() && told.replace(run.done) != Some(run.done);
        if news { tell(run) } else { line.write(&doing(run)) }
    });
    let run = run.await?;
    line.end()?;
    ended(app, &run, json).await
}

impl Work for ComparisonRun {
    fn id(&self) -> i64 {
        self.id
    }

    fn is_running(&self) -> bool {
        self.is_running()
    }

    async fn look(app: &App, id: i64) -> app::Result<Self> {
        app.comparison(id).await
    }

    async fn pause(app: &App, id: i64) -> app::Result<Self> {
        app.pause_comparison(id).await
    }

    async fn rest(app: &App) {
        app.pause_comparisons().await;
    }
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
    with_time_left(what, run.seconds_left)
}
