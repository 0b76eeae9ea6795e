//! The system's menu. It is made of the window's own actions: which there are, what they are called and what keys they
//! have is said there and nowhere else. Only what the system itself does is added here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tauri::ipc::Channel;
use tauri::menu::{IsMenuItem, Menu, MenuItem, PredefinedMenuItem, Submenu, WINDOW_SUBMENU_ID};
use tauri::{AppHandle, Wry};

use crate::wire;

/// What only Linux needs an item of ours for.
const QUIT: &str = "quit";

type Item = Box<dyn IsMenuItem<Wry>>;

/// The menu that is shown, and who hears what is picked in it.
#[derive(Default)]
pub(crate) struct Shown(Mutex<Option<Picking>>);

struct Picking {
    picked: Channel<String>,
    actions: Vec<MenuItem<Wry>>,
}

impl Shown {
    /// Shows these menus, the first that of the app and the last that of the help. A page that was loaded again has the
    /// same ones: it only hears what is picked in them from now on.
    pub(crate) fn show(&self, handle: &AppHandle, menus: &[wire::Menu], picked: Channel<String>) -> tauri::Result<()> {
        if let Some(picking) = &mut *self.now() {
            picking.picked = picked;
            return Ok(());
        }
        let bar = Menu::new(handle)?;
        let mut actions = Vec::new();
        for (place, menu) in menus.iter().enumerate() {
            let own = menu.actions.iter().map(|action| item(handle, action)).collect::<tauri::Result<Vec<_>>>()?;
            let submenu = Submenu::new(handle, &menu.title, true)?;
            for action in &own {
                submenu.append(action)?;
            }
            actions.extend(own);
            if place + 1 == menus.len() && cfg!(target_os = "macos") {
                bar.append(&windows(handle)?)?;
            }
            bar.append(&submenu)?;
            if place == 0 {
                for item in leaving(handle)? {
                    submenu.append(&*item)?;
                }
                if cfg!(target_os = "macos") {
                    bar.append(&editing(handle)?)?;
                }
            }
        }
        handle.set_menu(bar)?;
        *self.now() = Some(Picking { picked, actions });
        Ok(())
    }

    /// Lets these actions be picked, and no others.
    pub(crate) fn enable(&self, ids: &[String]) -> tauri::Result<()> {
        let now = self.now();
        let mut actions = now.iter().flat_map(|picking| &picking.actions);
        actions.try_for_each(|action| action.set_enabled(ids.contains(&action.id().0)))
    }

    /// Tells the window what was picked.
    pub(crate) fn pick(&self, handle: &AppHandle, id: &str) {
        if id == QUIT {
            handle.exit(0);
        } else if let Some(picking) = &*self.now() {
            // A page that is gone wants nothing.
            drop(picking.picked.send(id.to_owned()));
        }
    }

    fn now(&self) -> MutexGuard<'_, Option<Picking>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The keys act once: GTK takes them before the page does, and `AppKit` only what the page has left.
fn item(handle: &AppHandle, action: &wire::MenuAction) -> tauri::Result<MenuItem<Wry>> {
    let keys = action.key.as_ref().map(|key| format!("CmdOrCtrl+{key}"));
    // An ampersand would underline the letter behind it.
    MenuItem::with_id(handle, &action.id, action.title.replace('&', "&&"), action.available, keys)
}

/// What the menu of the app ends with.
fn leaving(handle: &AppHandle) -> tauri::Result<Vec<Item>> {
    let separator = || Ok::<_, tauri::Error>(Box::new(PredefinedMenuItem::separator(handle)?) as Item);
    if !cfg!(target_os = "macos") {
        let quit = MenuItem::with_id(handle, QUIT, "Quit", true, Some("CmdOrCtrl+Q"))?;
        return Ok(vec![separator()?, Box::new(quit)]);
    }
    Ok(vec![
        separator()?,
        Box::new(PredefinedMenuItem::services(handle, None)?),
        separator()?,
        Box::new(PredefinedMenuItem::hide(handle, None)?),
        Box::new(PredefinedMenuItem::hide_others(handle, None)?),
        Box::new(PredefinedMenuItem::show_all(handle, None)?),
        separator()?,
        Box::new(PredefinedMenuItem::quit(handle, None)?),
    ])
}

/// Without it macOS neither copies nor pastes from the keyboard. `WebKitGTK` does so by itself.
fn editing(handle: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let items: [&dyn IsMenuItem<Wry>; 7] = [
        &PredefinedMenuItem::undo(handle, None)?,
        &PredefinedMenuItem::redo(handle, None)?,
        &PredefinedMenuItem::separator(handle)?,
        &PredefinedMenuItem::cut(handle, None)?,
        &PredefinedMenuItem::copy(handle, None)?,
        &PredefinedMenuItem::paste(handle, None)?,
        &PredefinedMenuItem::select_all(handle, None)?,
    ];
    Submenu::with_items(handle, "Edit", true, &items)
}

/// `AppKit` lists the windows in it.
fn windows(handle: &AppHandle) -> tauri::Result<Submenu<Wry>> {
    let items: [&dyn IsMenuItem<Wry>; 4] = [
        &PredefinedMenuItem::minimize(handle, None)?,
        &PredefinedMenuItem::maximize(handle, None)?,
        &PredefinedMenuItem::fullscreen(handle, None)?,
        &PredefinedMenuItem::close_window(handle, None)?,
    ];
    Submenu::with_id_and_items(handle, WINDOW_SUBMENU_ID, "Window", true, &items)
}
