//! mlx-c, the C interface between MLX and its Rust crate, as a static library.

use std::{fs, path::Path, process::Command};

use super::{Parts, create, put, source::Source};
use crate::{
    problem::{Explain, Problem},
    process::quietly,
    terminal::say,
};

const COMPAT: &str = include_str!("shims/compat.hpp");
const MACH_TIME: &str = include_str!("shims/mach_time.c");

/// Compiles mlx-c against the wheel and adds the one function of macOS that mlx-rs calls.
pub(super) fn build(source: &Source, parts: &Parts, scratch: &Path) -> Result<(), Problem> {
    say("MLX", "building mlx-c (a minute or two)");
    let build = scratch.join("mlx-c");
    configure(source, parts, scratch, &build)?;
    quietly(Command::new("cmake").arg("--build").arg(&build).args(["--target", "mlxc"]))?;
    add_mach_time(&build, scratch)?;

    let (made, kept) = (build.join("libmlxc.a"), parts.archive());
    create(&kept)?;
    fs::rename(&made, kept.join("libmlxc.a")).explain(|| format!("cannot move {}", made.display()))
}

fn configure(source: &Source, parts: &Parts, scratch: &Path, build: &Path) -> Result<(), Problem> {
    let compat = scratch.join("compat.hpp");
    put(&compat, COMPAT)?;
    let wheel = parts.wheel().join("mlx");
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(&source.folder).arg("-B").arg(build).args(["-G", "Ninja"]);
    cmake.args(["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_POSITION_INDEPENDENT_CODE=ON"]);
    cmake.args(["-DMLX_C_USE_SYSTEM_MLX=ON", "-DMLX_C_BUILD_EXAMPLES=OFF"]);
    cmake.arg(format!("-DMLX_DIR={}", wheel.join("share/cmake/MLX").display()));
    let flags = format!("-I'{}' -include '{}'", wheel.join("include").display(), compat.display());
    quietly(cmake.arg(format!("-DCMAKE_CXX_FLAGS={flags}"))).map(drop)
}

fn add_mach_time(build: &Path, scratch: &Path) -> Result<(), Problem> {
    let (text, object) = (scratch.join("mach_time.c"), scratch.join("mach_time.o"));
    put(&text, MACH_TIME)?;
    quietly(Command::new("cc").args(["-O2", "-fPIC", "-c"]).arg(text).arg("-o").arg(&object))?;
    quietly(Command::new("ar").arg("rs").arg(build.join("libmlxc.a")).arg(object)).map(drop)
}
