//! `cargo xtask run`: the desktop app from the sources.

use std::{os::unix::process::CommandExt, process::Command};

use crate::{
    problem::Problem,
    process::{aloud, cargo, line},
    setup,
    workspace::{EVERYTHING, Workspace},
};

/// Builds everything and becomes the app, so that signals and the exit code are the app's own.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<(), Problem> {
    let (release, arguments) = options(arguments)?;
    setup::run(workspace)?;
    aloud(Command::new("npm").args(["run", "build"]).current_dir(workspace.ui()))?;
    // Not `cargo run`: that selects one package, with features of its own, and compiles the dependencies once more.
    let mut build = cargo(&workspace.root);
    aloud(build.arg("build").args(EVERYTHING).args(release.then_some("--release")))?;
    let mut app = Command::new(workspace.target()?.join(if release { "release" } else { "debug" }).join("desktop"));
    let reason = app.args(arguments).exec();
    Err(Problem::new(format!("cannot start {}: {reason}", line(&app))))
}

/// Whether to build for speed, and what the app itself is told.
fn options(arguments: &[String]) -> Result<(bool, &[String]), Problem> {
    let split = arguments.iter().position(|word| word == "--");
    let (own, apps) = split.map_or((arguments, &[][..]), |at| (&arguments[..at], &arguments[at + 1..]));
    match own {
        [] => Ok((false, apps)),
        [only] if only == "--release" => Ok((true, apps)),
        _ => Err(Problem::new(format!("`run` knows --release only, not {}: the app's go after --", own.join(" ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::options;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn what_follows_two_dashes_is_for_the_app() {
        let line = words("--release -- --release x");
        assert_eq!(options(&line).ok(), Some((true, &words("--release x")[..])));
        assert_eq!(options(&[]).ok(), Some((false, &[][..])));
    }

    #[test]
    fn an_unknown_option_is_refused() {
        assert!(options(&words("--fast")).is_err());
    }
}
