//! A page whose process has died is loaded anew. Nothing is lost with it: an answer goes on behind it, whoever opens a
//! page is told how far that is, and what is typed was kept a moment after the last key.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tauri::{Builder, Webview, Wry};

/// How long a death counts.
const LATELY: Duration = Duration::from_mins(1);
/// After so many of late the page rests before it is loaded again.
const AT_ONCE: usize = 3;
/// How long it rests.
const REST: Duration = Duration::from_secs(20);

/// Lets the web view load its page again when the process behind it is gone.
#[cfg(target_os = "macos")]
pub(crate) fn reviving(builder: Builder<Wry>) -> Builder<Wry> {
    let deaths = Arc::<Mutex<Deaths>>::default();
    builder.on_web_content_process_terminate(move |page| revive(page, &deaths))
}

/// Lets the web view load its page again when the process behind it is gone.
#[cfg(target_os = "linux")]
pub(crate) fn reviving(builder: Builder<Wry>) -> Builder<Wry> {
    use webkit2gtk::WebViewExt;

    let watch = |page: Webview| {
        let (again, deaths) = (page.clone(), Arc::<Mutex<Deaths>>::default());
        let watched = page.with_webview(move |page| {
            page.inner().connect_web_process_terminated(move |_, _| revive(&again, &deaths));
        });
        // Without it a page that died stays blank until the app is opened again.
        drop(watched);
    };
    builder.plugin(tauri::plugin::Builder::<_, ()>::new("reviving").on_webview_ready(watch).build())
}

fn revive(page: &Webview, deaths: &Arc<Mutex<Deaths>>) {
    let rest = deaths.lock().unwrap_or_else(PoisonError::into_inner).one_more(Instant::now());
    let page = page.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(rest).await;
        // It fails for a window that is gone, which needs no page.
        drop(page.reload());
    });
}

/// When the page died of late.
#[derive(Debug, Default)]
struct Deaths(VecDeque<Instant>);

impl Deaths {
    /// Counts one more. Returns how long the page is to rest: what kills it every time must not keep the machine busy.
    fn one_more(&mut self, now: Instant) -> Duration {
        self.0.retain(|death| now.duration_since(*death) < LATELY);
        self.0.push_back(now);
        if self.0.len() > AT_ONCE { REST } else { Duration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_dies_again_and_again_rests_before_it_is_loaded() {
        let (mut deaths, begin) = (Deaths::default(), Instant::now());
        let rests = [0, 1, 2, 3, 23, 70, 84].map(|second| deaths.one_more(begin + Duration::from_secs(second)));
        let none = Duration::ZERO;
        assert_eq!(rests, [none, none, none, REST, REST, none, none]);
    }
}
