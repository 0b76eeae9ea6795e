//! The page on the other side: what streams to it goes at its own pace.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tauri::async_runtime::{self, JoinHandle};
use tauri::{Manager, Webview};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

/// How long a page may be busy with what was sent before the next is sent all the same.
const PATIENCE: Duration = Duration::from_secs(2);

/// What streams something to the page at present.
#[derive(Default)]
pub(crate) struct Streaming(Mutex<Option<JoinHandle<()>>>);

impl Streaming {
    /// Lets this stream and nothing else: whoever listened before is a page that was reloaded since.
    pub(crate) fn replace(&self, stream: impl Future<Output = ()> + Send + 'static) {
        let next = async_runtime::spawn(stream);
        let earlier = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(next);
        if let Some(earlier) = earlier {
            earlier.abort();
        }
    }
}

/// Whether anybody can see the page. What streams to it rests while nobody can: what happens meanwhile comes at once then.
pub(crate) struct Sight(watch::Sender<bool>);

impl Default for Sight {
    fn default() -> Self {
        Self(watch::Sender::new(true))
    }
}

impl Sight {
    pub(crate) fn set(&self, seen: bool) {
        self.0.send_replace(seen);
    }

    /// Waits until somebody can.
    pub(crate) async fn wait(&self) {
        // Its other end is here.
        let _ = self.0.subscribe().wait_for(|seen| *seen).await;
    }
}

/// Waits until the page has taken what was sent, and can be seen. A channel never waits by itself: in a page that draws more slowly
/// than frames come they would queue up, and a click on Stop behind them.
pub(crate) async fn taken(page: &Webview) {
    let taken = Arc::new(Notify::new());
    let done = Arc::clone(&taken);
    // Scripts run in order, so this one's result comes after what was sent was handled.
    if page.eval_with_callback("0", move |_| done.notify_one()).is_ok() {
        // A page that is slower than this, or was reloaded, must not hold up the end.
        let _ = timeout(PATIENCE, taken.notified()).await;
    }
    page.state::<Sight>().wait().await;
}
