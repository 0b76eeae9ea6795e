//! Makes a fresh machine ready. Every step says what it does, or that there is nothing to do.

mod linux;
mod macos;
mod mlx;
mod programs;
mod ui;

use crate::{problem::Problem, workspace::Workspace};

/// All steps, in the order in which they need each other.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Problem> {
    if cfg!(target_os = "macos") {
        macos::check_tools()?;
    } else {
        linux::install_packages()?;
        mlx::prepare(workspace)?;
    }
    ui::install_packages(workspace)
}

/// All steps, and what only the tests need.
pub(crate) fn for_tests(workspace: &Workspace) -> Result<(), Problem> {
    run(workspace)?;
    ui::find_browser(workspace)
}
