//! `cargo xtask test`: everything that must hold before a change is taken.

use std::{
    env,
    process::Command,
    time::{Duration, Instant},
};

use crate::{
    problem::Problem,
    process::{aloud, cargo},
    setup,
    terminal::print,
    workspace::{EVERYTHING, Workspace},
};

/// The virtual screen for tests that open the window. It must not start anew when its last window closes: an app that
/// starts in that moment would find no screen.
const SCREEN: &str = "-screen 0 1280x900x24 -noreset";

/// Sets the machine up, then runs every step and stops at the first that fails.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Problem> {
    let mut durations = vec![("setup", timed("setup", || setup::for_tests(workspace))?)];
    for (name, mut command) in steps(workspace) {
        durations.push((name, timed(name, || aloud(&mut command))?));
    }
    print("\nAll steps passed:");
    for (name, duration) in durations {
        print(&format!("  {name:<12} {:>7.1} s", duration.as_secs_f64()));
    }
    Ok(())
}

/// The steps in order: the app embeds the built ui, so the ui comes before the first compilation.
fn steps(workspace: &Workspace) -> Vec<(&'static str, Command)> {
    vec![
        ("format", with(cargo(&workspace.root), &["fmt", "--all", "--check"])),
        ("ui check", npm(workspace, &["run", "check"])),
        ("ui test", npm(workspace, &["test"])),
        ("ui e2e", npm(workspace, &["run", "e2e"])),
        ("ui build", npm(workspace, &["run", "build"])),
        ("clippy", everything(workspace, "clippy", &["--all-targets", "--", "--deny", "warnings"])),
        ("build", everything(workspace, "build", &["--all-targets"])),
        ("test", on_a_screen(everything(workspace, "test", &[]))),
    ]
}

fn npm(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut npm = with(Command::new("npm"), arguments);
    npm.current_dir(workspace.ui());
    npm
}

fn everything(workspace: &Workspace, subcommand: &str, options: &[&str]) -> Command {
    with(cargo(&workspace.root), &[&[subcommand], EVERYTHING.as_slice(), options].concat())
}

fn with(mut command: Command, arguments: &[&str]) -> Command {
    command.args(arguments);
    command
}

/// Gives a command a virtual screen on a Linux machine that has none.
fn on_a_screen(command: Command) -> Command {
    if cfg!(target_os = "macos") || env::var_os("DISPLAY").is_some() {
        return command;
    }
    let mut screen = Command::new("xvfb-run");
    screen.args(["-a", "-s", SCREEN]).arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        screen.current_dir(folder);
    }
    screen
}

fn timed(name: &str, step: impl FnOnce() -> Result<(), Problem>) -> Result<Duration, Problem> {
    print(&format!("\n== {name}"));
    let start = Instant::now();
    step().map_err(|problem| Problem::new(format!("the step `{name}` did not pass: {problem}")))?;
    let duration = start.elapsed();
    print(&format!("== {name}: {:.1} s", duration.as_secs_f64()));
    Ok(duration)
}
