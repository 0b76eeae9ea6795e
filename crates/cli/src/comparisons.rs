//! `slipstream comparisons`: what was compared, and what came of it.

use std::io::{self, Write as _};
use std::process::ExitCode;

use app::{App, ComparisonRun, ComparisonState, Contender};
use serde_json::{Value, json};

use crate::args::{ComparisonsCommand, Form};
use crate::compare::follow;
use crate::failure::Failure;
use crate::models::print;

/// Runs one of the commands.
pub(crate) async fn run(app: &App, command: ComparisonsCommand, json: bool) -> Result<ExitCode, Failure> {
    let (value, text) = match command {
        ComparisonsCommand::List => {
            let runs = app.comparisons().await?;
            (runs.iter().map(value).collect(), list(&runs))
        }
        ComparisonsCommand::Show { id } => {
            (json!(app.comparison_report(id).await?), app.comparison_card(id).await?.trim_end().to_owned())
        }
        ComparisonsCommand::Resume { id } => return follow(app, app.resume_comparison(id).await?, json).await,
        ComparisonsCommand::Export { id, form } => {
            let text = match form {
                Form::Csv => app.comparison_csv(id).await?,
                Form::Json => app.comparison_json(id).await?,
                Form::Markdown => app.comparison_card(id).await?,
            };
            writeln!(io::stdout(), "{}", text.trim_end())?;
            return Ok(ExitCode::SUCCESS);
        }
        ComparisonsCommand::Forget { id } => {
            app.remove_comparison(id).await?;
            (json!({ "forgotten": id }), format!("comparison {id} is off the list"))
        }
    };
    print(json, &value, &text)
}

fn list(runs: &[ComparisonRun]) -> String {
    match runs {
        [] => "no comparisons; begin one with: slipstream compare".to_owned(),
        some => some.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

fn line(run: &ComparisonRun) -> String {
    let ComparisonRun { id, target, data, .. } = run;
    let end = run.failure.as_ref().or(run.verdict.as_ref()).map(|end| format!("  {end}")).unwrap_or_default();
    format!("{id:>4}  {:<8}  {} for {target}, {data}{end}", state(run.state), columns(run).join(" · "))
}

/// What programs learn of a comparison, but for its report.
pub(crate) fn value(run: &ComparisonRun) -> Value {
    json!({
        "id": run.id,
        "target": run.target,
        "contenders": run.order.as_ref().map(|order| &order.contenders),
        "data": run.data,
        "state": state(run.state),
        "done": run.done,
        "of": run.total,
        "failure": run.failure,
        "verdict": run.verdict,
        "created_at": run.created_at,
    })
}

fn columns(run: &ComparisonRun) -> Vec<String> {
    run.order.iter().flat_map(|order| order.contenders.iter().map(Contender::title)).collect()
}

fn state(state: ComparisonState) -> &'static str {
    match state {
        ComparisonState::Waiting => "waiting",
        ComparisonState::Running => "running",
        ComparisonState::Paused => "paused",
        ComparisonState::Done => "done",
        ComparisonState::Failed => "failed",
    }
}
