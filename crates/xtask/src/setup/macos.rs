//! macOS: `mlx-sys` builds MLX itself and needs Apple's tools for it.

use super::programs::{Program, require};
use crate::{problem::Problem, terminal::say};

const TOOLS: &[Program] = &[
    Program {
        name: "Xcode's command line tools",
        proof: &["xcrun", "--find", "clang"],
        remedy: "xcode-select --install",
    },
    // `xcrun --find` is content with a stub that only says that the toolchain is missing, so the compiler is started.
    Program {
        name: "the Metal toolchain",
        proof: &["xcrun", "metal", "--version"],
        remedy: "install Xcode, then xcodebuild -downloadComponent MetalToolchain",
    },
    Program { name: "CMake", proof: &["cmake", "--version"], remedy: "brew install cmake" },
];

/// Stops with the commands that install what is missing.
pub(super) fn check_tools() -> Result<(), Problem> {
    require(TOOLS)?;
    say("Apple's tools", "already there");
    Ok(())
}
