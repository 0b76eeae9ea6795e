//! The programs that tests start.

use std::{env, path::PathBuf};

use crate::Outcome;

/// The program of this name, built beside the test's own.
///
/// # Errors
/// When it was not built.
pub fn program(name: &str) -> Outcome<PathBuf> {
    let test = env::current_exe()?;
    let program = test.ancestors().nth(2).unwrap_or(&test).join(name);
    if program.exists() {
        return Ok(program);
    }
    let build = "cargo build --workspace --features desktop/custom-protocol";
    Err(format!("{} is missing: run `{build}` first, or everything with `cargo xtask test`", program.display()).into())
}
