//! Streams what the columns of a comparison write to the window.

use std::time::Duration;

use app::App;
use tauri::Webview;
use tauri::ipc::Channel;
use tokio::time::sleep;

use crate::page::{Streaming, taken};
use crate::wire::Race;

/// The shortest time between two frames: at most 30 a second.
const PACE: Duration = Duration::from_millis(34);

/// Who streams the race to the window at present.
#[derive(Default)]
pub(crate) struct Racing(Streaming);

impl Racing {
    /// Streams every race for as long as the page is there. Whatever is written while a frame is on its way is part of
    /// the next one.
    pub(crate) fn follow(&self, app: &App, page: Webview, frames: Channel<Option<Race>>) {
        let mut races = app.races();
        self.0.replace(async move {
            loop {
                let race = races.next().await;
                if frames.send(race.map(Race::from)).is_err() {
                    return; // the window is gone
                }
                taken(&page).await;
                sleep(PACE).await;
            }
        });
    }
}
