//! `slipstream models`: the list of models.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, CheckpointRole, Model, size};
use serde_json::{Value, json};

use crate::args::ModelsCommand;
use crate::failure::Failure;
use crate::page;
use crate::terminal::harmless;

/// Runs one of the commands.
pub(crate) async fn run(app: &App, command: ModelsCommand, json: bool) -> Result<ExitCode, Failure> {
    let (value, text) = match command {
        ModelsCommand::Add { folder, id } => {
            let model = app.add_model(&folder, id.as_deref(), None).await?;
            (value(&model), format!("added {}", line(&model)))
        }
        ModelsCommand::List => {
            let models = app.models().await?;
            (models.iter().map(value).collect(), list(&models))
        }
        ModelsCommand::Show { id, drafter, dtype, context } => {
            let model = app.model(&id).await?;
            // Of a folder that is gone the list still says something.
            let details = match &model.broken {
                Some(_) => None,
                None => Some(app.model_details(&id, drafter.as_deref(), dtype.into(), context).await?),
            };
            (page::value(&model, details.as_ref()), page::text(&model, details.as_ref()))
        }
        ModelsCommand::Remove { id } => {
            app.remove_model(&id).await?;
            (json!({ "removed": id }), format!("removed {id}; its folder stays as it is"))
        }
    };
    writeln!(io::stdout(), "{}", if json { value.to_string() } else { harmless(&text) })?;
    Ok(ExitCode::SUCCESS)
}

/// A model for programs.
pub(crate) fn value(model: &Model) -> Value {
    json!({
        "id": model.id,
        "role": role(model.role),
        "kind": model.kind,
        "folder": model.folder,
        "summary": model.summary,
        "bytes": model.bytes,
        "drafts": model.drafts,
        "chat_template": model.chat_template,
        "added_at": model.added_at,
        "broken": model.broken,
    })
}

fn list(models: &[Model]) -> String {
    match models {
        [] => "no models yet; add one with: slipstream models add FOLDER".into(),
        models => models.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

fn line(model: &Model) -> String {
    let Model { id, kind, summary, .. } = model;
    let broken = model.broken.as_ref().map(|why| format!("  ({why})")).unwrap_or_default();
    format!("{id:<28}  {:<7}  {kind}: {summary}, {}{broken}", role(model.role), size(model.bytes))
}

/// A role as the command line calls it.
pub(crate) fn role(role: CheckpointRole) -> &'static str {
    match role {
        CheckpointRole::Target => "target",
        CheckpointRole::Drafter => "drafter",
    }
}
