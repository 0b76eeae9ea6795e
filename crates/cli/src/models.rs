//! `slipstream models`: the list of models.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, CheckpointRole, Model};
use serde_json::{Value, json};

use crate::args::ModelsCommand;
use crate::failure::Failure;
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
        ModelsCommand::Show { id } => {
            let model = app.model(&id).await?;
            (value(&model), page(&model))
        }
        ModelsCommand::Remove { id } => {
            app.remove_model(&id).await?;
            (json!({ "removed": id }), format!("removed {id}; its folder stays as it is"))
        }
    };
    writeln!(io::stdout(), "{}", if json { value.to_string() } else { harmless(&text) })?;
    Ok(ExitCode::SUCCESS)
}

fn value(model: &Model) -> Value {
    json!({
        "id": model.id,
        "role": role(model.role),
        "kind": model.kind,
        "folder": model.folder,
        "summary": model.summary,
        "bytes": model.bytes,
        "limit": model.limit,
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

fn page(model: &Model) -> String {
    let mut lines = vec![
        format!("id        {}", model.id),
        format!("role      {}", role(model.role)),
        format!("kind      {}", model.kind),
        format!("summary   {}", model.summary),
        format!("weights   {}", size(model.bytes)),
        format!("folder    {}", model.folder.display()),
    ];
    lines.extend(model.limit.map(|limit| format!("limit     drafts at most {limit} tokens a round")));
    lines.extend(model.chat_template.map(|has| {
        let what = if has { "has a chat template" } else { "has no chat template: it continues plain text" };
        format!("chat      {what}")
    }));
    lines.extend(model.broken.as_ref().map(|why| format!("broken    {why}")));
    lines.join("\n")
}

/// A role as the command line calls it.
pub(crate) fn role(role: CheckpointRole) -> &'static str {
    match role {
        CheckpointRole::Target => "target",
        CheckpointRole::Drafter => "drafter",
    }
}

/// A size as people read it: three digits, decimal units.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let mut amount = bytes as f64 / 1000.0;
    let mut unit = 0;
    while amount >= 999.5 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    let decimals = if amount < 9.995 { 2 } else { usize::from(amount < 99.95) };
    format!("{amount:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn a_size_has_three_digits() {
        let sizes = [0, 999, 1000, 99_949, 999_499, 999_500, 536_000_000, 12_345_678_901, u64::MAX];
        let texts = ["0 B", "999 B", "1.00 kB", "99.9 kB", "999 kB", "1.00 MB", "536 MB", "12.3 GB", "18446744 TB"];
        assert_eq!(sizes.map(size), texts);
    }
}
