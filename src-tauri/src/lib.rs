//! The window's shell: it lets the page call the use cases, by name and with types of its own.
//!
//! What this crate does **not** know: how an answer is made or stored. It asks [`app`], translates to and from wire
//! types, and paces what streams. Only wire types derive `Serialize`, and what is kept of the window's own looks.

mod bindings;
mod checks;
mod chosen;
mod closing;
mod commands;
mod lists;
mod looks;
mod menu;
mod navigation;
mod offered;
mod opened;
mod outside;
mod page;
mod races;
mod reviving;
mod saving;
mod watcher;
mod wire;

use std::{env, error::Error};

use tauri::Manager;

use checks::Checks;
use chosen::Chosen;
use lists::Watched;
use looks::Looks;
use menu::Shown;
use offered::Offered;
use opened::Opened;
use page::Sight;
use races::Racing;
use watcher::Watcher;

/// Where Linux says which screen to use. GTK panics without one.
const SCREENS: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];

/// Opens the window; when it is closed, the process ends.
///
/// # Errors
/// The system has no screen to open a window on, or no web view to fill it with.
pub fn run() -> Result<(), Box<dyn Error>> {
    let is_set = |name: &&str| env::var_os(name).is_some_and(|screen| !screen.is_empty());
    if cfg!(target_os = "linux") && !SCREENS.iter().any(is_set) {
        return Err(format!("there is no screen: neither {} is set", SCREENS.join(" nor ")).into());
    }
    let bindings = bindings::bindings();
    let window = reviving::reviving(tauri::Builder::default())
        .plugin(tauri_plugin_dialog::init())
        .plugin(navigation::only_our_pages())
        .manage(Opened::default())
        .manage(Sight::default())
        .manage(Watcher::default())
        .manage(Watched::<app::Download>::default())
        .manage(Watched::<app::Training>::default())
        .manage(Watched::<app::CalibrationRun>::default())
        .manage(Watched::<app::ComparisonRun>::default())
        .manage(Racing::default())
        .manage(Offered::default())
        .manage(Checks::default())
        .manage(Chosen::default())
        .manage(Looks::remembered())
        .manage(Shown::default())
        .on_menu_event(|handle, event| handle.state::<Shown>().pick(handle, &event.id().0))
        .on_window_event(noted)
        .setup(|app| Ok(app.state::<Looks>().open(app)?))
        .invoke_handler(bindings.invoke_handler())
        .build(tauri::generate_context!())?;
    window.run(|handle, event| {
        if let tauri::RunEvent::Exit = event {
            // First, as the process may end while it finishes. Without it the next start stands where this one did.
            drop(handle.state::<Looks>().keep());
            closing::finish(&handle.state::<Opened>());
        }
    });
    Ok(())
}

/// Remembers where the window stands.
fn noted(window: &tauri::Window, event: &tauri::WindowEvent) {
    if matches!(event, tauri::WindowEvent::Moved(_) | tauri::WindowEvent::Resized(_)) {
        // A window that is closing has no place any more.
        drop(window.state::<Looks>().note(window));
    }
}
