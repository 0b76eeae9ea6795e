//! `slipstream models`: the list of models.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, CheckpointRole, InPlace, Model, Source, size};
use serde_json::{Value, json};

use crate::args::ModelsCommand;
use crate::failure::Failure;
use crate::terminal::harmless;
use crate::{fetch, page, trash};

/// Why a model that cannot be read is in the list at all.
const DAMAGED: &str = "its record is damaged; remove it";

/// Runs one of the commands.
pub(crate) async fn run(app: &App, command: ModelsCommand, json: bool) -> Result<ExitCode, Failure> {
    let (value, text) = match command {
        ModelsCommand::Add { folder, id } => {
            let model = app.add_model(&folder, id.as_deref(), None).await?;
            (value(&model), format!("added {}", line(&model)))
        }
        ModelsCommand::List => {
            let (models, damaged) = (app.models().await?, app.damaged_models().await?);
            let values =
                models.iter().map(value).chain(damaged.iter().map(|id| json!({ "id": id, "broken": DAMAGED })));
            (values.collect(), list(&models, &damaged))
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
        ModelsCommand::Get { repo, copy } => return fetch::get(app, &repo, copy, json).await,
        ModelsCommand::Verify { id } => return fetch::verify(app, &id, json).await,
        ModelsCommand::Repair { id } => return fetch::repair(app, &id, json).await,
        ModelsCommand::Demo => {
            let models = app.add_demo().await?;
            (models.iter().map(value).collect(), models.iter().map(line).collect::<Vec<_>>().join("\n"))
        }
        ModelsCommand::Found => {
            let found = app.found().await?;
            (found.iter().map(found_value).collect(), found_list(&found))
        }
        ModelsCommand::Import { name } => {
            let model = app.import(&name).await?;
            (value(&model), format!("added {}", line(&model)))
        }
        ModelsCommand::Remove { id } => trash::remove(app, &id).await?,
        ModelsCommand::Restore { id } => {
            let model = app.restore_model(&id).await?;
            (value(&model), format!("restored {}", line(&model)))
        }
        ModelsCommand::Trash { empty } => trash::list(app, empty).await?,
    };
    print(json, &value, &text)
}

/// Prints what a command came to.
pub(crate) fn print(json: bool, value: &Value, text: &str) -> Result<ExitCode, Failure> {
    writeln!(io::stdout(), "{}", if json { value.to_string() } else { harmless(text) })?;
    Ok(ExitCode::SUCCESS)
}

fn found_value(found: &InPlace) -> Value {
    json!({
        "source": source(found.source),
        "repo": found.repo,
        "commit": found.commit,
        "folder": found.folder,
        "bytes": found.bytes,
        "role": found.role.map(role),
        "unusable": found.unusable,
        "model": found.model,
    })
}

fn found_list(found: &[InPlace]) -> String {
    let line = |found: &InPlace| {
        let state = match (&found.model, &found.unusable, found.role) {
            (Some(model), _, _) => format!("in the list as {model}"),
            (None, Some(why), _) => format!("cannot be used: {why}"),
            (None, None, found) => found.map_or("", role).to_owned(),
        };
        format!("{:<44}  {:<9}  {:<22}  {state}", found.repo, size(found.bytes), source(found.source))
    };
    match found {
        [] => "neither the cache of the Hub's tools nor LM Studio has a model here".into(),
        found => found.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

/// Who keeps files, as the command line calls it.
pub(crate) fn source(source: Source) -> &'static str {
    match source {
        Source::Folder => "folder",
        Source::Hub => "hub",
        Source::HuggingFaceCache => "hugging-face-cache",
        Source::LmStudio => "lm-studio",
        Source::Trained => "trained",
        Source::Demo => "demo",
    }
}

/// A model for programs.
pub(crate) fn value(model: &Model) -> Value {
    json!({
        "id": model.id,
        "role": role(model.role),
        "kind": model.kind,
        "folder": model.folder,
        "source": source(model.source),
        "repo": model.repo,
        "commit": model.commit,
        "summary": model.summary,
        "bytes": model.bytes,
        "drafts": model.drafts,
        "chat_template": model.chat_template,
        "added_at": model.added_at,
        "last_used_at": model.last_used_at,
        "broken": model.broken,
    })
}

fn list(models: &[Model], damaged: &[String]) -> String {
    let lines: Vec<_> =
        models.iter().map(line).chain(damaged.iter().map(|id| format!("{id:<28}  ({DAMAGED})"))).collect();
    if lines.is_empty() {
        return "no models yet; add one with: slipstream models add FOLDER, or get one: slipstream hub search".into();
    }
    lines.join("\n")
}

pub(crate) fn line(model: &Model) -> String {
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
