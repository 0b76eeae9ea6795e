//! Starting other programs, and finding out whether they are there.

use std::{
    env,
    path::Path,
    process::{Command, Output, Stdio},
};

use crate::problem::{Explain, Problem};

/// How much of a failed program's output is worth reading.
const TAIL_LINES: usize = 40;

/// Runs a program without a sound and returns what it printed; if it fails, the end of its output is shown.
pub(crate) fn quietly(command: &mut Command) -> Result<String, Problem> {
    let output = command.stdin(Stdio::null()).output().explain(|| format!("cannot start {}", line(command)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Problem::new(format!("{} failed ({}):\n{}", line(command), output.status, tail(&output))))
}

/// Runs a program that talks to the terminal itself.
pub(crate) fn aloud(command: &mut Command) -> Result<(), Problem> {
    let status = command.status().explain(|| format!("cannot start {}", line(command)))?;
    if status.success() {
        return Ok(());
    }
    Err(Problem::new(format!("{} failed ({status})", line(command))))
}

/// Whether a program can be started with these arguments and is content.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).output().is_ok_and(|output| output.status.success())
}

/// Whether a program of this name lies on the search path.
pub(crate) fn on_path(program: &str) -> bool {
    let Some(folders) = env::var_os("PATH") else { return false };
    env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// The cargo that started this program, working in `folder`.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder);
    cargo
}

/// A command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words: Vec<_> = std::iter::once(name).chain(command.get_args()).map(|word| word.to_string_lossy()).collect();
    format!("`{}`", words.join(" "))
}

fn tail(output: &Output) -> String {
    let printed = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    let printed = String::from_utf8_lossy(&printed);
    let lines: Vec<_> = printed.lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}
