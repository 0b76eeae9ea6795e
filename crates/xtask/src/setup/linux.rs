//! Debian and Ubuntu: the packages that building and driving the app needs.

use std::process::Command;

use crate::{
    problem::Problem,
    process::{on_path, quietly, succeeds},
    terminal::say,
};

/// A package; where only its program or Python module matters, any copy of that will do.
struct Package {
    name: &'static str,
    program: Option<&'static str>,
    module: Option<&'static str>,
}

const fn library(name: &'static str) -> Package {
    Package { name, program: None, module: None }
}

const fn program(name: &'static str, program: &'static str) -> Package {
    Package { name, program: Some(program), module: None }
}

const fn module(name: &'static str, module: &'static str) -> Package {
    Package { name, program: None, module: Some(module) }
}

/// Their names are the same on Debian 12 and Ubuntu 24.04.
const PACKAGES: &[Package] = &[
    // The Rust crates with C in them, and mlx-c.
    program("build-essential", "g++"),
    program("pkg-config", "pkg-config"),
    program("cmake", "cmake"),
    program("ninja-build", "ninja"),
    program("patchelf", "patchelf"),
    module("python3-pip", "pip"),
    library("libclang-dev"),
    library("libfmt-dev"),
    library("libopenblas0-pthread"),
    // The window, and what drives it in the tests.
    library("libwebkit2gtk-4.1-dev"),
    program("webkit2gtk-driver", "WebKitWebDriver"),
    program("xvfb", "xvfb-run"),
    program("xauth", "xauth"),
    library("fonts-dejavu-core"),
];

impl Package {
    fn is_missing(&self) -> bool {
        let imports = |module| succeeds(Command::new("python3").args(["-m", module, "--version"]));
        !self.program.is_some_and(on_path) && !self.module.is_some_and(imports) && !is_installed(self.name)
    }
}

fn is_installed(package: &str) -> bool {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat=${db:Status-Status}", package]);
    quietly(&mut query).is_ok_and(|status| status == "installed")
}

/// Installs what is missing if this user may; otherwise stops with the command to type.
pub(super) fn install_packages() -> Result<(), Problem> {
    let missing: Vec<_> = PACKAGES.iter().filter(|package| package.is_missing()).map(|package| package.name).collect();
    if missing.is_empty() {
        say("system packages", "already there");
        return Ok(());
    }
    let names = missing.join(" ");
    if !on_path("apt-get") {
        return Err(Problem::new(format!("this system has no apt-get: install what Debian calls {names}")));
    }
    let Some(as_root) = as_root() else {
        return Err(Problem::new(format!(
            "some packages are missing, then try again:\n  sudo apt-get install --no-install-recommends {names}"
        )));
    };
    say("system packages", &format!("installing {names}"));
    apt_get(as_root, &["update"])?;
    apt_get(as_root, &[&["install", "--yes", "--no-install-recommends"], missing.as_slice()].concat())
}

/// The words before a command that only root may run, if this user may run it without being asked for a password.
fn as_root() -> Option<&'static [&'static str]> {
    let is_root = quietly(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if is_root {
        return Some(&[]);
    }
    succeeds(Command::new("sudo").args(["-n", "true"])).then_some(&["sudo", "-n"])
}

fn apt_get(as_root: &[&str], arguments: &[&str]) -> Result<(), Problem> {
    // sudo drops the caller's variables, hence `env`; a fresh machine may be busy with its first updates, hence the wait.
    let words = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--option", "DPkg::Lock::Timeout=300"];
    let words = [as_root, words.as_slice(), arguments].concat();
    quietly(Command::new(words[0]).args(&words[1..])).map(drop)
}
