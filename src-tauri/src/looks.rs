//! How the window looks: where it stands, and whether it is light or dark. That lies in a file of its own, since it must be
//! known before there is a window, and the database is opened behind it.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use tauri::{App, Monitor, WebviewWindow, WebviewWindowBuilder, Window};

use crate::wire::Appearance;

/// How the window looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Look {
    /// Where it stands while it fills no screen.
    frame: Option<Frame>,
    maximized: bool,
    appearance: Appearance,
}

/// A rectangle of the desktop, in points, which are the same on screens of every density.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Frame {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// How the window looks at present, and the file that remembers it.
pub(crate) struct Looks {
    file: Option<PathBuf>,
    now: Mutex<Look>,
}

impl Looks {
    /// As it looked last. Without a data folder, or a file in it that can be read, it looks as it does at first.
    pub(crate) fn remembered() -> Self {
        let file = app::home().ok().map(|home| home.join("window.json"));
        let text = file.as_ref().and_then(|file| fs::read(file).ok()).unwrap_or_default();
        Self { file, now: Mutex::new(serde_json::from_slice(&text).unwrap_or_default()) }
    }

    /// Opens the window as it looked last, on a screen that is there now.
    pub(crate) fn open(&self, app: &App) -> tauri::Result<()> {
        let look = *self.now();
        let config = app.config().app.windows.first().ok_or(tauri::Error::WindowNotFound)?;
        let mut window = WebviewWindowBuilder::from_config(app, config)?;
        let screens: Vec<_> = app.available_monitors()?.iter().map(Frame::of).collect();
        if let Some(Frame { x, y, width, height }) = look.frame.and_then(|frame| frame.within(&screens)) {
            window = window.position(x, y).inner_size(width, height);
        }
        let window = window.maximized(look.maximized).build()?;
        // On Linux a window is built in the system's colours whatever is asked for, and to ask for none makes it light.
        if let Some(theme) = look.appearance.theme() {
            window.set_theme(Some(theme))?;
        }
        Ok(())
    }

    /// Notes where the window stands now. What the system does not tell stays as it was.
    pub(crate) fn note(&self, window: &Window) -> tauri::Result<()> {
        if window.is_fullscreen()? || window.is_minimized()? {
            return Ok(());
        }
        let (maximized, scale) = (window.is_maximized()?, window.scale_factor()?);
        let (at, size) = (window.outer_position()?.to_logical(scale), window.inner_size()?.to_logical(scale));
        let mut look = self.now();
        look.maximized = maximized;
        if !maximized {
            look.frame = Some(Frame { x: at.x, y: at.y, width: size.width, height: size.height });
        }
        Ok(())
    }

    pub(crate) fn appearance(&self) -> Appearance {
        self.now().appearance
    }

    /// Makes the window light or dark from now on, at the next start too.
    pub(crate) fn set_appearance(&self, window: &WebviewWindow, appearance: Appearance) -> tauri::Result<()> {
        self.now().appearance = appearance;
        self.keep()?;
        window.set_theme(appearance.theme())
    }

    /// Remembers how the window looks.
    pub(crate) fn keep(&self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        fs::write(file, serde_json::to_vec_pretty(&*self.now())?)
    }

    fn now(&self) -> MutexGuard<'_, Look> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Frame {
    /// What of a screen is not covered by the system's own bars.
    fn of(screen: &Monitor) -> Self {
        let (area, scale) = (screen.work_area(), screen.scale_factor());
        let (at, size) = (area.position.to_logical::<f64>(scale), area.size.to_logical::<f64>(scale));
        Self { x: at.x, y: at.y, width: size.width, height: size.height }
    }

    /// The same on the screen that it covers the most of, or else on the first: moved, and made smaller if need be, so
    /// that all of it can be seen. `None` if there is no screen.
    fn within(self, screens: &[Self]) -> Option<Self> {
        let mut best = *screens.first()?;
        for &screen in screens {
            if self.shared(screen) > self.shared(best) {
                best = screen;
            }
        }
        let (width, height) = (self.width.min(best.width), self.height.min(best.height));
        let x = self.x.max(best.x).min(best.x + best.width - width);
        let y = self.y.max(best.y).min(best.y + best.height - height);
        Some(Self { x, y, width, height })
    }

    /// The area that both cover.
    fn shared(self, other: Self) -> f64 {
        let width = (self.x + self.width).min(other.x + other.width) - self.x.max(other.x);
        let height = (self.y + self.height).min(other.y + other.height) - self.y.max(other.y);
        width.max(0.0) * height.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn frame(x: f64, y: f64, width: f64, height: f64) -> Frame {
        Frame { x, y, width, height }
    }

    const DESK: Frame = frame(0.0, 25.0, 1440.0, 875.0);
    const LEFT: Frame = frame(-1920.0, 0.0, 1920.0, 1080.0);

    #[test]
    fn a_window_that_can_be_seen_stays_where_it_was() {
        for stood in [frame(100.0, 60.0, 1200.0, 800.0), frame(-1500.0, 10.0, 900.0, 600.0)] {
            assert_eq!(stood.within(&[DESK, LEFT]), Some(stood));
        }
    }

    #[test]
    fn a_window_comes_back_whole_onto_the_screen_that_it_was_mostly_on() {
        let across = frame(-1000.0, -40.0, 1200.0, 800.0);
        assert_eq!(across.within(&[DESK, LEFT]), Some(frame(-1200.0, 0.0, 1200.0, 800.0)));
        assert_eq!(across.within(&[DESK]), Some(frame(0.0, 25.0, 1200.0, 800.0)));
    }

    #[test]
    fn a_window_of_a_screen_that_is_gone_comes_to_the_first_one_and_fits_it() {
        let gone = frame(5000.0, 3000.0, 2560.0, 1400.0);
        assert_eq!(gone.within(&[DESK, LEFT]), Some(DESK));
        assert_eq!(gone.within(&[]), None);
    }

    #[test]
    fn a_file_of_another_release_is_read_as_far_as_it_goes() {
        let look: Look = serde_json::from_str(r#"{ "appearance": "dark", "else": 1 }"#).unwrap_or_default();
        assert_eq!(look, Look { appearance: Appearance::Dark, ..Look::default() });
    }
}
