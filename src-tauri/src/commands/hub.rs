//! The Hub: what it has, and how it is reached.

use tauri::State;

use crate::offered::Offered;
use crate::opened::Opened;
use crate::outside::browse;
use crate::wire::{CataloguePair, Discovered, Failure, Got, HubStatus, InPlace, Offer, Wanted};

/// Pairs that are known to exist. Nothing is asked of the Hub.
#[tauri::command]
#[specta::specta]
pub(crate) async fn catalogue(opened: State<'_, Opened>) -> Result<Vec<CataloguePair>, Failure> {
    Ok(opened.app().await?.catalogue().await?.into_iter().map(CataloguePair::from).collect())
}

/// Searches the Hub: the first page, or the one at `cursor`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn discover(
    opened: State<'_, Opened>,
    text: String,
    wanted: Wanted,
    cursor: Option<String>,
) -> Result<Discovered, Failure> {
    Ok(opened.app().await?.discover(&text, wanted.into(), cursor).await?.into())
}

/// What the Hub has of a repo at a revision: a branch, a tag or a commit.
#[tauri::command]
#[specta::specta]
pub(crate) async fn offer(
    opened: State<'_, Opened>,
    offered: State<'_, Offered>,
    repo: String,
    revision: String,
) -> Result<Offer, Failure> {
    // The Hub may refuse it, and then its page says why.
    offered.look_at(&repo);
    let offer = opened.app().await?.offer(&repo, &revision).await?;
    offered.put(&repo, offer.clone());
    Ok(offer.into())
}

/// Gets what was offered; as a `copy` of the app's own even if another program has it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn get(
    opened: State<'_, Opened>,
    offered: State<'_, Offered>,
    repo: String,
    commit: String,
    copy: bool,
) -> Result<Got, Failure> {
    let app = opened.app().await?;
    let offer = match offered.find(&repo, &commit) {
        Some(offer) => offer,
        None => app.offer(&repo, &commit).await?,
    };
    let got = if copy { app::Got::Coming(app.get_copy(&offer).await?) } else { app.get(&offer).await? };
    Ok(got.into())
}

/// Shows the page of a repo in the browser: of the one that was looked at last, or of a download's.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_page(
    opened: State<'_, Opened>,
    offered: State<'_, Offered>,
    repo: String,
) -> Result<(), Failure> {
    let app = opened.app().await?;
    if !offered.was_looked_at(&repo) && !app.downloads().await?.iter().any(|download| download.repo == repo) {
        return Err(Failure::new(&format!("{repo} was not looked at, so its page is not opened")));
    }
    let page = app.page(&repo).await?;
    browse(&page).map_err(|error| Failure::new(&format!("no browser could be opened for {page}: {error}")))
}

/// How the Hub is reached. Nothing is asked of it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn hub_status(opened: State<'_, Opened>) -> Result<HubStatus, Failure> {
    Ok(opened.app().await?.hub_status().await?.into())
}

/// Keeps a token that somebody typed. It never comes back.
#[tauri::command]
#[specta::specta]
pub(crate) async fn log_in(opened: State<'_, Opened>, token: String) -> Result<HubStatus, Failure> {
    let token = token.trim().parse().map_err(app::Error::Hub)?;
    Ok(opened.app().await?.log_in(token).await?.into())
}

/// Forgets the token that was typed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn log_out(opened: State<'_, Opened>) -> Result<HubStatus, Failure> {
    Ok(opened.app().await?.log_out().await?.into())
}

/// Leaves the network alone from now on, or no longer.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_offline(opened: State<'_, Opened>, offline: bool) -> Result<HubStatus, Failure> {
    let app = opened.app().await?;
    app.set_offline(offline).await?;
    Ok(app.hub_status().await?.into())
}

/// What lies in the folders of other programs.
#[tauri::command]
#[specta::specta]
pub(crate) async fn found(opened: State<'_, Opened>) -> Result<Vec<InPlace>, Failure> {
    Ok(opened.app().await?.found().await?.into_iter().map(InPlace::from).collect())
}
