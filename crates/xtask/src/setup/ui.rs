//! The packages of the user interface, from its lock file.

use std::{fs, io, path::Path, process::Command, time::SystemTime};

use super::programs::{Program, require};
use crate::{
    problem::{Explain, Problem},
    process::quietly,
    terminal::say,
    workspace::Workspace,
};

const NODE: &[Program] = &[
    Program {
        name: "Node.js 20.19 or newer",
        proof: &[
            "node",
            "--eval",
            "const [major, minor] = process.versions.node.split('.').map(Number); process.exit(major * 100 + minor < 2019 ? 1 : 0)",
        ],
        remedy: "see nodejs.org for a current one; Debian's and Ubuntu's may be too old",
    },
    Program {
        name: "npm",
        proof: &["npm", "--version"],
        remedy: "it comes with Node.js, on Debian as a package of its own",
    },
];

/// Runs `npm ci` unless `node_modules` is at least as new as the lock file.
pub(super) fn install_packages(workspace: &Workspace) -> Result<(), Problem> {
    require(NODE)?;
    let ui = workspace.ui();
    if is_current(&ui)? {
        say("ui packages", "already there");
        return Ok(());
    }
    say("ui packages", "npm ci");
    quietly(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&ui)).map(drop)
}

/// Finds the Chromium that the window is tested in; where there is none, Playwright installs its own.
pub(super) fn find_browser(workspace: &Workspace) -> Result<(), Problem> {
    let find = || quietly(Command::new("npm").args(["run", "--silent", "browser"]).current_dir(workspace.ui()));
    if let Ok(place) = find() {
        say("Chromium", &format!("already there, {}", place.trim()));
        return Ok(());
    }
    say("Chromium", "npx playwright install");
    let mut install = Command::new("npx");
    install.args(["playwright", "install", "--with-deps", "chromium"]).current_dir(workspace.ui());
    quietly(&mut install).explain(|| {
        "there is no Chromium to test the window in, and Playwright could not install one: install it, or set CHROMIUM to its path".into()
    })?;
    find().map(drop)
}

/// npm writes a copy of the lock into `node_modules` as its last act.
fn is_current(ui: &Path) -> Result<bool, Problem> {
    let lock = ui.join("package-lock.json");
    let wanted = modified(&lock).explain(|| format!("cannot read {}", lock.display()))?;
    let installed = modified(&ui.join("node_modules/.package-lock.json"));
    Ok(installed.is_ok_and(|installed| installed >= wanted))
}

fn modified(path: &Path) -> io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}
