//! What was offered last: only that can be got, and only its page can be opened.

use std::io;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;

use app::Offer;

/// What was offered last.
#[derive(Default)]
pub(crate) struct Offered(Mutex<Option<Offer>>);

impl Offered {
    pub(crate) fn put(&self, offer: Offer) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(offer);
    }

    /// The offer of this commit, if it is the last.
    pub(crate) fn find(&self, repo: &str, commit: &str) -> Option<Offer> {
        let offer = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        offer.filter(|offer| offer.repo == repo && offer.commit == commit)
    }
}

/// Shows a page of the Hub in the user's browser. Its address begins with `http`, as every Hub's does.
pub(crate) fn browse(page: &str) -> io::Result<()> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let (input, output, error) = (Stdio::null(), Stdio::null(), Stdio::null());
    let mut started = Command::new(program).arg(page).stdin(input).stdout(output).stderr(error).spawn()?;
    // Some wait until the browser is closed.
    thread::spawn(move || started.wait());
    Ok(())
}
