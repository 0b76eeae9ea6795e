//! Stopping a download from outside.

use tokio::sync::watch;

use crate::{Error, Result};

/// A handle that pauses or cancels one download, or the copying of what it needs. Clones are handles to the same.
///
/// A wish belongs to one download and cannot be taken back: what comes later gets a control of its own. Store the wish
/// before it is uttered here, so that it also holds if the app ends in between.
#[derive(Debug, Clone)]
pub struct Control {
    wish: watch::Sender<Wish>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Run,
    Pause,
    Cancel,
}

impl Control {
    /// A control that lets its download run.
    #[must_use]
    pub fn new() -> Self {
        Self { wish: watch::Sender::new(Wish::Run) }
    }

    /// Ends the download with [`Error::Paused`]. All that has arrived stays for later.
    pub fn pause(&self) {
        self.wish.send_if_modified(|wish| {
            let runs = *wish == Wish::Run;
            if runs {
                *wish = Wish::Pause;
            }
            runs
        });
    }

    /// Ends the download with [`Error::Cancelled`]. What has arrived stays until [`crate::Blobs::remove_unreferenced`], for
    /// another download may need the same.
    pub fn cancel(&self) {
        self.wish.send_replace(Wish::Cancel);
    }

    /// Waits until somebody wants the download to end, and says how.
    pub(crate) async fn stopped(&self) -> Error {
        let mut wish = self.wish.subscribe();
        // The sender lives as long as `self`, so the wait cannot fail.
        let wish = wish.wait_for(|wish| *wish != Wish::Run).await.map_or(Wish::Pause, |wish| *wish);
        if wish == Wish::Cancel { Error::Cancelled } else { Error::Paused }
    }

    /// How somebody wants the download to end, if anybody does.
    pub(crate) fn check(&self) -> Result<()> {
        match *self.wish.borrow() {
            Wish::Run => Ok(()),
            Wish::Pause => Err(Error::Paused),
            Wish::Cancel => Err(Error::Cancelled),
        }
    }
}

impl Default for Control {
    fn default() -> Self {
        Self::new()
    }
}
