//! A page whose process has died is loaded anew. Nothing is lost with it: an answer goes on behind it, and whoever
//! opens a page is told how far that is.

use tauri::{Builder, Wry};

/// Lets the web view load its page again when the process behind it is gone.
#[cfg(target_os = "macos")]
pub(crate) fn reviving(builder: Builder<Wry>) -> Builder<Wry> {
    builder.on_web_content_process_terminate(|page| drop(page.reload()))
}

/// Lets the web view load its page again when the process behind it is gone.
#[cfg(target_os = "linux")]
pub(crate) fn reviving(builder: Builder<Wry>) -> Builder<Wry> {
    use webkit2gtk::WebViewExt;

    let watch = |page: tauri::Webview| {
        let watched = page.with_webview(|page| {
            page.inner().connect_web_process_terminated(|page, _| page.reload());
        });
        // Without it a page that died stays blank until the app is opened again.
        drop(watched);
    };
    builder.plugin(tauri::plugin::Builder::<_, ()>::new("reviving").on_webview_ready(watch).build())
}
