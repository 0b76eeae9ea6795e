//! The answer that Cargo takes in place of the build script of `mlx-sys`.

use std::{fs, path::Path};

use super::{Parts, TARGET, put};
use crate::{problem::Problem, terminal::say, workspace::Workspace};

const FILE: &str = ".cargo/mlx-linux.toml";

/// Writes the file that `.cargo/config.toml` includes, unless it says the same already.
pub(super) fn write(workspace: &Workspace, parts: &Parts) -> Result<(), Problem> {
    let path = workspace.root.join(FILE);
    let text = text(parts);
    if fs::read_to_string(&path).is_ok_and(|written| written == text) {
        say(FILE, "already there");
        return Ok(());
    }
    say(FILE, "writing");
    put(&path, &text)
}

fn text(parts: &Parts) -> String {
    let (library, archive) = (parts.library(), parts.archive());
    format!(
        r#"# Written by `cargo xtask setup`: where this machine's MLX lies.

[target.{TARGET}.mlx]
rustc-link-search = [{archive}, {search}]
rustc-link-lib = ["static=mlxc", "dylib=mlx", "dylib=stdc++"]
rustc-env = {{ OUT_DIR = {bindings} }}

[target.{TARGET}]
rustflags = ["-C", {rpath}]
# The examples in doc comments are linked by rustdoc.
rustdocflags = ["-C", {rpath}]
"#,
        archive = quoted("native=", &archive),
        search = quoted("native=", &library),
        bindings = quoted("", &parts.bindings()),
        rpath = quoted("link-arg=-Wl,-rpath,", &library),
    )
}

/// A TOML string; Rust escapes backslashes and quotes in the same way.
fn quoted(before: &str, path: &Path) -> String {
    format!("{:?}", format!("{before}{}", path.display()))
}
