//! The Rust declarations of mlx-c, as the build script of `mlx-sys` would generate them.

use std::{path::Path, process::Command};

use super::{Parts, create, put, source::Source};
use crate::{
    problem::Problem,
    process::{cargo, quietly},
    terminal::say,
};

/// The version of bindgen that `mlx-sys` builds with.
pub(super) const BINDGEN: &str = "0.72.1";

const HEADER: &str = include_str!("shims/bindings.h");
const HALF_TYPES: &str = include_str!("shims/half.rs");

/// Installs bindgen into the scratch folder and generates `bindings.rs` with it.
///
/// As a dependency it would be compiled into every fresh `cargo xtask`; as a program it is needed once per machine.
pub(super) fn generate(source: &Source, parts: &Parts, scratch: &Path) -> Result<(), Problem> {
    say("MLX", &format!("generating the bindings with bindgen {BINDGEN} (half a minute)"));
    let (tools, target) = (scratch.join("tools"), scratch.join("target"));
    let mut install = cargo(scratch);
    install.args(["install", "bindgen-cli", "--version", BINDGEN, "--locked", "--debug"]);
    quietly(install.arg("--root").arg(&tools).arg("--target-dir").arg(target))?;

    let (header, folder) = (scratch.join("bindings.h"), parts.bindings());
    put(&header, HEADER)?;
    create(&folder)?;
    let mut bindgen = Command::new(tools.join("bin/bindgen"));
    // In the scratch folder, because the result is formatted by the rules of the folder where bindgen runs.
    bindgen.current_dir(scratch);
    bindgen.arg(header).arg("--output").arg(folder.join("bindings.rs")).args(["--rust-target", "1.73"]);
    bindgen.args(["--blocklist-function", "malloc", "--blocklist-function", "realloc"]);
    bindgen.args(["--blocklist-type", "b?float16_t"]);
    for line in HALF_TYPES.lines() {
        bindgen.args(["--raw-line", line]);
    }
    quietly(bindgen.arg("--").arg("-I").arg(&source.folder)).map(drop)
}
