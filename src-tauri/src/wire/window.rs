//! What surrounds the page: the menu, and the window's looks.

use serde::{Deserialize, Serialize};
use specta::Type;
use tauri::Theme;

/// Light or dark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Appearance {
    /// As the rest of the system is.
    #[default]
    System,
    Light,
    Dark,
}

impl Appearance {
    /// What is asked of the system; `None` leaves it to it.
    pub(crate) fn theme(self) -> Option<Theme> {
        match self {
            Self::System => None,
            Self::Light => Some(Theme::Light),
            Self::Dark => Some(Theme::Dark),
        }
    }
}

/// A menu of the menu bar.
#[derive(Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Menu {
    pub(crate) title: String,
    pub(crate) actions: Vec<MenuAction>,
}

/// Something that a menu lets one do.
#[derive(Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MenuAction {
    pub(crate) id: String,
    pub(crate) title: String,
    /// What is pressed together with ⌘ on a Mac and Ctrl elsewhere.
    pub(crate) key: Option<String>,
    /// Whether it can be done now.
    pub(crate) available: bool,
}
