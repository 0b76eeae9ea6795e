//! What surrounds the page: the menu, and the window's looks.

use tauri::ipc::Channel;
use tauri::{AppHandle, State, WebviewWindow};

use crate::looks::Looks;
use crate::menu::Shown;
use crate::page::Sight;
use crate::wire::{Appearance, Failure, Menu};

/// Shows these menus, the app's first and the help last, and tells the id of every action that is picked in them for as
/// long as the page is there.
#[tauri::command]
#[specta::specta]
pub(crate) async fn show_menus(
    handle: AppHandle,
    shown: State<'_, Shown>,
    menus: Vec<Menu>,
    picked: Channel<String>,
) -> Result<(), Failure> {
    shown.show(&handle, &menus, picked).map_err(|error| unable("the menu cannot be shown", &error))
}

/// Lets these actions be picked in the menu, and no others.
#[tauri::command]
#[specta::specta]
pub(crate) async fn enable_actions(shown: State<'_, Shown>, ids: Vec<String>) -> Result<(), Failure> {
    shown.enable(&ids).map_err(|error| unable("the menu cannot be changed", &error))
}

/// Tells whether the page can be seen. While it cannot, nothing streams to it. What it says comes in order, as this runs where
/// it arrives.
#[tauri::command]
#[specta::specta]
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "it is a command like the others")]
pub(crate) fn seen(sight: State<'_, Sight>, seen: bool) -> Result<(), Failure> {
    sight.set(seen);
    Ok(())
}

/// Whether the window is light or dark.
#[tauri::command]
#[specta::specta]
pub(crate) async fn appearance(looks: State<'_, Looks>) -> Result<Appearance, Failure> {
    Ok(looks.appearance())
}

/// Makes the window light or dark from now on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_appearance(
    window: WebviewWindow,
    looks: State<'_, Looks>,
    appearance: Appearance,
) -> Result<(), Failure> {
    looks.set_appearance(&window, appearance).map_err(|error| unable("the appearance cannot be kept", &error))
}

fn unable(what: &str, why: &tauri::Error) -> Failure {
    Failure::new(&format!("{what}: {why}"))
}
