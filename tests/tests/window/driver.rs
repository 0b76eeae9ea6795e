//! The app under WebKit's driver.

use std::{
    env, fs, iter,
    net::TcpListener,
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;
use tests::{Outcome, program::program};
use tokio::{net::TcpStream, time::sleep};

/// `WebKitWebDriver`, the app that it starts and WebKit's helpers: one process group.
pub(crate) struct Driver {
    child: Child,
    url: String,
}

impl Driver {
    /// Starts the driver. What it starts keeps its data in `home`, and what other programs have is in `user`, whose `bin`
    /// has programs that come before the system's; `hub` is its Hub. No token is around.
    pub(crate) async fn start(home: &Path, user: &Path, hub: &str) -> Outcome<Self> {
        if env::var_os("DISPLAY").is_none() {
            return Err("there is no screen for the window: run the tests with `cargo xtask test`, or under `xvfb-run -a` (Debian: apt-get install xvfb xauth)".into());
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let system = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths(iter::once(user.join("bin")).chain(env::split_paths(&system)))?;
        let child = Command::new("WebKitWebDriver")
            .args([format!("--port={port}"), "--host=127.0.0.1".into()])
            .env("SLIPSTREAM_HOME", home)
            .env("SLIPSTREAM_KEYCHAIN", "off")
            .env("HOME", user)
            .env("PATH", path)
            .env("HF_ENDPOINT", hub)
            .env("HF_HOME", user.join(".cache/huggingface"))
            .env_remove("HF_HUB_CACHE")
            .env_remove("HF_HUB_OFFLINE")
            .env_remove("HF_TOKEN")
            .env_remove("HF_TOKEN_PATH")
            // Without it Tauri's web view refuses to be driven.
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            // A pipe that a helper inherits would keep whoever reads this test's output waiting.
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|reason| {
                format!("WebKitWebDriver does not start ({reason}); Debian: apt-get install webkit2gtk-driver")
            })?;
        let driver = Self { child, url: format!("http://127.0.0.1:{port}") };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            if start.elapsed() > Duration::from_secs(20) {
                return Err("WebKitWebDriver started but does not answer".into());
            }
            sleep(Duration::from_millis(20)).await;
        }
        Ok(driver)
    }

    /// Starts the app and connects to its window.
    pub(crate) async fn open(&self) -> Outcome<Client> {
        let options = json!({ "binary": program("desktop")?, "args": [] });
        let wanted = [("webkitgtk:browserOptions".to_owned(), options)].into_iter().collect();
        Ok(ClientBuilder::new(HttpConnector::new()).capabilities(wanted).connect(&self.url).await?)
    }

    /// The processes behind the page.
    pub(crate) fn page_processes(&self) -> Outcome<Vec<Pid>> {
        let group = self.child.id().to_string();
        let mut found = Vec::new();
        for process in fs::read_dir("/proc")?.flatten() {
            // One that has ended meanwhile has no line.
            let line = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
            // Its number and name, then its state, its parent and its group.
            let Some((name, rest)) = line.rsplit_once(')') else { continue };
            if name.contains("(WebKitWebProces") && rest.split_whitespace().nth(2) == Some(&group) {
                found.extend(process.file_name().to_str().and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw));
            }
        }
        Ok(found)
    }
}

impl Drop for Driver {
    /// Kills the group with SIGKILL, so that nothing is left behind whatever happened, and nothing gets to say goodbye.
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It fails if all of them are gone already.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}
