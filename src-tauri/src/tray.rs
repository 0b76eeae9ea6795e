//! Streams how the downloads stand to the window.

use std::time::Duration;

use app::{App, DownloadState};
use tauri::Webview;
use tauri::ipc::Channel;
use tokio::time::sleep;

use crate::page::{Streaming, taken};
use crate::wire;

/// How often the list is looked at while something in it runs: nobody reads a rate faster.
const PACE: Duration = Duration::from_millis(250);

/// How often otherwise: other processes have downloads too.
const LOOK: Duration = Duration::from_secs(1);

/// Who streams the downloads to the window at present.
#[derive(Default)]
pub(crate) struct Tray(Streaming);

impl Tray {
    /// Streams the whole list whenever something in it has changed, for as long as the page is there.
    pub(crate) fn follow(&self, app: App, page: Webview, lists: Channel<Vec<wire::Download>>) {
        self.0.replace(stream(app, page, lists));
    }
}

async fn stream(app: App, page: Webview, lists: Channel<Vec<wire::Download>>) {
    let mut sent = None;
    loop {
        // What fails here fails again when somebody does something with a download, and is said then.
        let Ok(now) = app.downloads().await else {
            sleep(LOOK).await;
            continue;
        };
        let is_running = now.iter().any(|download| download.state == DownloadState::Running);
        if sent.as_ref() != Some(&now) {
            if lists.send(now.iter().cloned().map(wire::Download::from).collect()).is_err() {
                return; // the window is gone
            }
            taken(&page).await;
            sent = Some(now);
        }
        sleep(if is_running { PACE } else { LOOK }).await;
    }
}
