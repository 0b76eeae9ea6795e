//! The window's shell: it lets the page call the use cases, by name and with types of its own.
//!
//! What this crate does **not** know: how an answer is made or stored. It asks [`app`], translates to and from wire
//! types, and paces what streams. Only wire types derive `Serialize`.

mod bindings;
mod closing;
mod commands;
mod navigation;
mod opened;
mod watcher;
mod wire;

use tauri::Manager;

use opened::Opened;
use watcher::Watcher;

/// Opens the window and returns when it is closed.
///
/// # Errors
/// The system has no screen to open a window on, or no web view to fill it with.
pub fn run() -> tauri::Result<()> {
    let bindings = bindings::bindings();
    let window = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(navigation::only_our_pages())
        .manage(Opened::default())
        .manage(Watcher::default())
        .invoke_handler(bindings.invoke_handler())
        .build(tauri::generate_context!())?;
    window.run(|handle, event| {
        if let tauri::RunEvent::Exit = event {
            closing::finish(&handle.state::<Opened>());
        }
    });
    Ok(())
}
