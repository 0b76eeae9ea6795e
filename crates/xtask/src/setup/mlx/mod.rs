//! MLX on Linux, where it serves development and tests with its CPU backend.
//!
//! The build script of `mlx-sys` knows Apple's frameworks only. Cargo lets a machine answer for a `links` package
//! instead of running its build script, so the three things the script would make are made here, once per machine:
//! the library (from the Python wheel), mlx-c (from the sources inside the `mlx-sys` crate) and its Rust bindings.

mod bindings;
mod cargo_config;
mod mlxc;
mod source;
mod wheel;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use self::source::Source;
use crate::{
    problem::{Explain, Problem},
    terminal::say,
    workspace::{self, Workspace},
};

/// Counts the changes of the recipe itself, so that an older result is not taken for a newer one.
const RECIPE: u32 = 1;

/// The target that the recipe is for.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The finished parts, all below one folder that can be moved as a whole.
struct Parts {
    folder: PathBuf,
}

impl Parts {
    /// The unpacked wheel.
    fn wheel(&self) -> PathBuf {
        self.folder.join("wheel")
    }

    /// Where `libmlx.so` lies.
    fn library(&self) -> PathBuf {
        self.wheel().join("mlx/lib")
    }

    /// Where `libmlxc.a` lies.
    fn archive(&self) -> PathBuf {
        self.folder.join("mlx-c")
    }

    /// Where `bindings.rs` lies.
    fn bindings(&self) -> PathBuf {
        self.folder.join("bindings")
    }
}

/// Makes the parts unless the cache has them, and tells Cargo where they lie.
pub(super) fn prepare(workspace: &Workspace) -> Result<(), Problem> {
    if !cfg!(all(target_arch = "x86_64", target_env = "gnu")) {
        return Err(Problem::new(format!("MLX is prepared for {TARGET} and macOS only, and this machine is neither")));
    }
    let source = Source::locate(workspace)?;
    let parts = Parts { folder: workspace::cache()?.join(name(&source)) };
    if parts.folder.is_dir() {
        say("MLX", &format!("already there: {}", parts.folder.display()));
    } else {
        make_whole(&source, &parts.folder)?;
    }
    cargo_config::write(workspace, &parts)
}

/// The versions that decide what the parts are.
fn name(source: &Source) -> String {
    format!("mlx-{}-sys-{}-bindgen-{}-r{RECIPE}", wheel::version(), source.version, bindings::BINDGEN)
}

/// Makes the parts in a folder beside their final one and renames it last: a folder of the final name is whole.
fn make_whole(source: &Source, folder: &Path) -> Result<(), Problem> {
    let cache = workspace::cache()?;
    create(&cache)?;
    // Held until the end, so that whatever an earlier run left unfinished is nobody's.
    let _lock = lock(&cache.join("mlx.lock"))?;
    if folder.is_dir() {
        say("MLX", "made by another run in the meantime");
        return Ok(());
    }
    let unfinished = cache.join("mlx-unfinished");
    let (parts, scratch) = (Parts { folder: unfinished.join("parts") }, unfinished.join("scratch"));
    discard(&unfinished)?;
    create(&parts.folder)?;
    create(&scratch)?;
    make(source, &parts, &scratch)?;
    fs::rename(&parts.folder, folder).explain(|| format!("cannot create {}", folder.display()))?;
    say("MLX", &format!("made: {}", folder.display()));
    discard(&unfinished)
}

fn make(source: &Source, parts: &Parts, scratch: &Path) -> Result<(), Problem> {
    wheel::fetch(source, parts, scratch)?;
    wheel::link_openblas(parts)?;
    mlxc::build(source, parts, scratch)?;
    bindings::generate(source, parts, scratch)
}

/// Waits for a run of another clone that makes the same.
fn lock(path: &Path) -> Result<File, Problem> {
    let file = File::create(path).explain(|| format!("cannot create {}", path.display()))?;
    if file.try_lock().is_err() {
        say("MLX", "waiting for another run that makes it");
        file.lock().explain(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(file)
}

fn create(folder: &Path) -> Result<(), Problem> {
    fs::create_dir_all(folder).explain(|| format!("cannot create {}", folder.display()))
}

fn discard(folder: &Path) -> Result<(), Problem> {
    if folder.exists() {
        fs::remove_dir_all(folder).explain(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

/// Writes one of the small files that the recipe brings along.
fn put(path: &Path, text: &str) -> Result<(), Problem> {
    fs::write(path, text).explain(|| format!("cannot write {}", path.display()))
}
