//! Comparisons of drafters.

use tauri::ipc::Channel;
use tauri::{State, Webview, WebviewWindow};

use crate::lists::Watched;
use crate::opened::Opened;
use crate::races::Racing;
use crate::saving::{Saving, save};
use crate::wire::{
    Comparison, ComparisonChoices, ComparisonEstimate, ComparisonExport, ComparisonOrder, ComparisonReport, Failure,
    Race,
};

/// What a comparison can ask, and what it does unless somebody chooses.
#[tauri::command]
#[specta::specta]
pub(crate) async fn comparison_choices() -> Result<ComparisonChoices, Failure> {
    Ok(ComparisonChoices::here())
}

/// What a comparison would take, about.
#[tauri::command]
#[specta::specta]
pub(crate) async fn estimate_comparison(
    opened: State<'_, Opened>,
    order: ComparisonOrder,
) -> Result<ComparisonEstimate, Failure> {
    let app = opened.app().await?;
    let order = order.with(app.preferences().await?.precision);
    Ok(app.estimate_comparison(&order).await?.into())
}

/// Begins a comparison in the number type that is chosen, or puts it behind what is measured at the moment; returns its
/// id.
#[tauri::command]
#[specta::specta]
pub(crate) async fn start_comparison(opened: State<'_, Opened>, order: ComparisonOrder) -> Result<i64, Failure> {
    let app = opened.app().await?;
    let order = order.with(app.preferences().await?.precision);
    Ok(app.start_comparison(order).await?.id)
}

/// All comparisons, the latest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn comparisons(opened: State<'_, Opened>) -> Result<Vec<Comparison>, Failure> {
    Ok(opened.app().await?.comparisons().await?.into_iter().map(Comparison::from).collect())
}

/// Streams all comparisons, now and whenever one has changed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn watch_comparisons(
    opened: State<'_, Opened>,
    watched: State<'_, Watched<app::ComparisonRun>>,
    page: Webview,
    lists: Channel<Vec<Comparison>>,
) -> Result<(), Failure> {
    watched.follow(opened.app().await?.clone(), page, lists);
    Ok(())
}

/// Streams what the columns write of the comparison that runs, now and whenever they have written more; null when none
/// runs.
#[tauri::command]
#[specta::specta]
pub(crate) async fn watch_race(
    opened: State<'_, Opened>,
    racing: State<'_, Racing>,
    page: Webview,
    races: Channel<Option<Race>>,
) -> Result<(), Failure> {
    racing.follow(opened.app().await?, page, races);
    Ok(())
}

/// What came of a comparison, as far as it is.
#[tauri::command]
#[specta::specta]
pub(crate) async fn comparison_report(opened: State<'_, Opened>, id: i64) -> Result<ComparisonReport, Failure> {
    Ok(opened.app().await?.comparison_report(id).await?.into())
}

/// Lets a comparison wait until it is resumed; what was measured stays.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pause_comparison(opened: State<'_, Opened>, id: i64) -> Result<Comparison, Failure> {
    Ok(opened.app().await?.pause_comparison(id).await?.into())
}

/// Lets a comparison that is paused, or failed, go on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn resume_comparison(opened: State<'_, Opened>, id: i64) -> Result<Comparison, Failure> {
    Ok(opened.app().await?.resume_comparison(id).await?.into())
}

/// Takes a comparison that does not run off the list, with what was measured for it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_comparison(opened: State<'_, Opened>, id: i64) -> Result<(), Failure> {
    Ok(opened.app().await?.remove_comparison(id).await?)
}

/// Asks the user where to save a comparison, and saves it there; null when the dialog was dismissed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn export_comparison(
    opened: State<'_, Opened>,
    window: WebviewWindow,
    id: i64,
    what: ComparisonExport,
) -> Result<Option<String>, Failure> {
    let app = opened.app().await?;
    let (text, kind, ending) = match what {
        ComparisonExport::Csv => (app.comparison_csv(id).await?, "CSV", "csv"),
        ComparisonExport::Json => (app.comparison_json(id).await?, "JSON", "json"),
        ComparisonExport::Markdown => (app.comparison_card(id).await?, "Markdown", "md"),
    };
    let name = format!("comparison-{id}");
    save(&window, Saving { title: "Save the comparison", name, kind, ending, text }).await
}
