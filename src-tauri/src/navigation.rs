//! The window shows our pages and no others, whatever a link in a message says.

use tauri::plugin::{Builder, TauriPlugin};
use tauri::{Manager, Runtime, Url};

/// Refuses every navigation away from the app's own pages.
pub(crate) fn only_our_pages<R: Runtime>() -> TauriPlugin<R> {
    let allow = |webview: &tauri::Webview<R>, url: &Url| {
        let development = webview.config().build.dev_url.as_ref().filter(|_| tauri::is_dev());
        is_ours(url, development)
    };
    Builder::new("navigation").on_navigation(allow).build()
}

fn is_ours(url: &Url, development: Option<&Url>) -> bool {
    let embedded = url.scheme() == "tauri" && url.host_str() == Some("localhost");
    embedded || development.is_some_and(|server| server.origin() == url.origin())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;

    fn ours(url: &str, development: Option<&str>) -> bool {
        let development = development.map(|url| url.parse().unwrap());
        is_ours(&url.parse().unwrap(), development.as_ref())
    }

    #[test]
    fn only_the_embedded_page_is_ours() {
        assert!(ours("tauri://localhost/index.html", None));
        for other in ["https://example.org/", "http://localhost:1420/", "file:///etc/passwd", "tauri://elsewhere/"] {
            assert!(!ours(other, None), "{other}");
        }
    }

    #[test]
    fn the_development_server_is_ours_while_developing() {
        let server = Some("http://localhost:1420");
        assert!(ours("http://localhost:1420/src/main.ts", server));
        assert!(!ours("http://localhost:1421/", server));
    }
}
