//! Streams how the trainings stand to the window.

use std::time::Duration;

use app::App;
use tauri::Webview;
use tauri::ipc::Channel;
use tokio::time::sleep;

use crate::page::{Streaming, taken};
use crate::wire;

/// How often the list is looked at while something in it runs.
const PACE: Duration = Duration::from_millis(250);

/// How often otherwise: a terminal trains too.
const LOOK: Duration = Duration::from_secs(1);

/// Who streams the trainings to the window at present.
#[derive(Default)]
pub(crate) struct Course(Streaming);

impl Course {
    /// Streams the whole list whenever something in it has changed, for as long as the page is there.
    pub(crate) fn follow(&self, app: App, page: Webview, lists: Channel<Vec<wire::Training>>) {
        self.0.replace(stream(app, page, lists));
    }
}

async fn stream(app: App, page: Webview, lists: Channel<Vec<wire::Training>>) {
    let mut sent = None;
    loop {
        // What fails here fails again when somebody does something with a training, and is said then.
        let Ok(now) = app.trainings().await else {
            sleep(LOOK).await;
            continue;
        };
        let is_running = now.iter().any(app::Training::is_running);
        if sent.as_ref() != Some(&now) {
            if lists.send(now.iter().cloned().map(wire::Training::from).collect()).is_err() {
                return; // the window is gone
            }
            taken(&page).await;
            sent = Some(now);
        }
        sleep(if is_running { PACE } else { LOOK }).await;
    }
}
