//! `slipstream models remove` and `trash`.

use app::{App, CheckpointRole, Training, Trashed, size};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::models;

/// Puts a model into the trash, and names the drafters that nothing uses then, and the trainings that cannot go on.
pub(crate) async fn remove(app: &App, id: &str) -> Result<(Value, String), Failure> {
    // Of a record that cannot be read, nothing is known.
    let orphans = match app.model(id).await {
        Ok(model) if model.role == CheckpointRole::Target => app.orphans(id).await?,
        _ => Vec::new(),
    };
    let orphans: Vec<_> = orphans.into_iter().map(|model| model.id).collect();
    let needs = |training: &Training| training.is_open() && training.target.eq_ignore_ascii_case(id);
    let trainings = app.trainings().await?.into_iter().filter(needs).map(|training| training.name);
    let trainings: Vec<_> = trainings.collect();
    app.remove_model(id).await?;
    let mut text = format!("{id} is in the trash; slipstream models restore {id} takes it out again");
    if !orphans.is_empty() {
        text.extend(["\nnothing else uses these drafters: ", &orphans.join(", ")]);
    }
    if !trainings.is_empty() {
        text.extend(["\nthese trainings cannot go on without it: ", &trainings.join(", ")]);
    }
    Ok((json!({ "removed": id, "orphans": orphans, "trainings": trainings }), text))
}

/// Lists the trash, or empties it.
pub(crate) async fn list(app: &App, empty: bool) -> Result<(Value, String), Failure> {
    if empty {
        let freed = app.empty_trash().await?;
        return Ok((json!({ "freed": freed }), format!("the trash is empty; that freed {}", size(freed))));
    }
    let trash = app.trash().await?;
    let value = |trashed: &Trashed| {
        let mut value = models::value(&trashed.model);
        (value["trashed_at"], value["until"]) = (json!(trashed.at), json!(trashed.until));
        value
    };
    let text = match &trash[..] {
        [] => "the trash is empty".to_owned(),
        trash => trash.iter().map(|trashed| models::line(&trashed.model)).collect::<Vec<_>>().join("\n"),
    };
    Ok((trash.iter().map(value).collect(), text))
}
