//! The library itself, which Python's package brings ready-made.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{Parts, put, source::Source};
use crate::{
    problem::{Explain, Problem},
    process::quietly,
    terminal::say,
};

/// The wheel and its checksum, in the words of pip.
const WHEEL: &str = include_str!("shims/wheel.txt");

/// The system's OpenBLAS by its name for the dynamic linker.
const OPENBLAS: &str = "libopenblas.so.0";

/// The version of the wheel, which is the version of MLX.
pub(super) fn version() -> &'static str {
    let pinned = WHEEL.split_whitespace().next().unwrap_or_default();
    pinned.split_once("==").map_or(pinned, |(_, version)| version)
}

/// Downloads the wheel and unpacks it.
pub(super) fn fetch(source: &Source, parts: &Parts, scratch: &Path) -> Result<(), Problem> {
    let wanted = source.mlx_version()?;
    if wanted != version() {
        return Err(Problem::new(format!(
            "mlx-sys {} is written for MLX {wanted} and the recipe pins {}: update crates/xtask/src/setup/mlx/shims/wheel.txt",
            source.version,
            version()
        )));
    }
    say("MLX", &format!("fetching the library, version {wanted}"));
    let pinned = scratch.join("wheel.txt");
    put(&pinned, WHEEL)?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes", "--requirement"]);
    // A machine may be set up to refuse pip outside a virtual environment; nothing is installed here.
    quietly(pip.arg(pinned).arg("--dest").arg(scratch).env("PIP_REQUIRE_VIRTUALENV", "false"))?;

    let wheel = downloaded(scratch)?;
    quietly(Command::new("python3").args(["-m", "zipfile", "--extract"]).arg(wheel).arg(parts.wheel())).map(drop)
}

fn downloaded(folder: &Path) -> Result<PathBuf, Problem> {
    let files = fs::read_dir(folder).explain(|| format!("cannot read {}", folder.display()))?;
    let mut paths = files.filter_map(Result::ok).map(|file| file.path());
    paths
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| Problem::new(format!("pip left no wheel in {}", folder.display())))
}

/// Replaces the reference BLAS of the wheel, which multiplies ten times slower.
pub(super) fn link_openblas(parts: &Parts) -> Result<(), Problem> {
    let library = parts.library().join("libmlx.so");
    let needed = quietly(Command::new("patchelf").arg("--print-needed").arg(&library))?;
    let mut patchelf = Command::new("patchelf");
    // Their names carry a hash, and a new version another one.
    for name in needed.lines().filter(|name| name.starts_with("libblas-") || name.starts_with("liblapack-")) {
        patchelf.args(["--replace-needed", name, OPENBLAS]);
    }
    quietly(patchelf.arg(&library)).map(drop)
}
