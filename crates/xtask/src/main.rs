//! `cargo xtask`: sets a machine up, and runs what developers run.
//!
//! It depends on nothing but the standard library, so that the first command on a fresh machine starts at once.

mod problem;
mod process;
mod run;
mod setup;
mod terminal;
mod test;
mod workspace;

use std::{env, process::ExitCode};

use crate::{problem::Problem, workspace::Workspace};

const HELP: &str = "\
Usage: cargo xtask <command>

  setup                        makes this machine ready: packages, MLX, the ui's dependencies, a Chromium
  run [--release] [-- args]    sets up, builds and starts the desktop app
  test                         sets up, then checks format, lints and the ui, builds everything, runs all tests
  help                         this text";

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match command(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn command(arguments: &[String]) -> Result<(), Problem> {
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["help" | "--help" | "-h"] => {
            terminal::print(HELP);
            Ok(())
        }
        ["setup"] => setup::for_tests(&Workspace::locate()?),
        ["run", ..] => run::run(&Workspace::locate()?, &arguments[1..]),
        ["test"] => test::run(&Workspace::locate()?),
        _ => Err(Problem::new(format!("there is no command `{}`.\n\n{HELP}", words.join(" ")))),
    }
}
