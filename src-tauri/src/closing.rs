//! What happens between the last window and the end of the process.

use std::time::Duration;

use app::App;
use tokio::time::timeout;

use crate::opened::Opened;

/// How long a round and the storing of an answer may hold up the end.
const PATIENCE: Duration = Duration::from_secs(3);

/// Stops the answer that is being written and waits until it is stored, so that closing the window loses no text. An
/// engine in the middle of loading, of a long chunk of a prompt or of a long step of a training is not waited for: there is
/// no text to lose then, a training goes on from what it saved last, and the process ends under it.
pub(crate) fn finish(opened: &Opened) {
    if let Some(app) = opened.get() {
        let stopped = tauri::async_runtime::block_on(async { timeout(PATIENCE, stop(app)).await });
        if stopped.is_err() {
            app::leave(0); // the next start finds the answer marked as interrupted
        }
    }
}

async fn stop(app: &App) {
    if let Some(running) = app.running().await {
        running.answering.cancel();
        let mut reader = running.answering.reader();
        while reader.next().await.is_some() {}
    }
    app.pause_trainings().await;
    app.pause_calibrations().await;
    app.pause_comparisons().await;
}
