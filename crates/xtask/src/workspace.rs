//! Where things lie: the workspace, and the cache that outlives it.

use std::{env, path::PathBuf};

use crate::{
    problem::Problem,
    process::{cargo, quietly},
};

/// One form for every cargo command: another choice of packages or features would compile the dependencies again.
pub(crate) const EVERYTHING: [&str; 3] = ["--workspace", "--features", "desktop/custom-protocol"];

/// The folder of the workspace's `Cargo.toml`.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
}

impl Workspace {
    /// Asks cargo instead of remembering the place at compile time: two clones may share one target folder.
    pub(crate) fn locate() -> Result<Self, Problem> {
        let question = ["locate-project", "--workspace", "--message-format", "plain"];
        let manifest = PathBuf::from(quietly(cargo(".".as_ref()).args(question))?.trim());
        match manifest.parent() {
            Some(root) => Ok(Self { root: root.to_owned() }),
            None => Err(Problem::new("cargo names no folder for this workspace: start `cargo xtask` inside it")),
        }
    }

    pub(crate) fn ui(&self) -> PathBuf {
        self.root.join("ui")
    }

    /// Where cargo puts what it builds.
    pub(crate) fn target(&self) -> Result<PathBuf, Problem> {
        let metadata = quietly(cargo(&self.root).args(["metadata", "--no-deps", "--format-version", "1"]))?;
        let after = metadata.split(r#""target_directory":""#).nth(1).and_then(|rest| rest.split('"').next());
        after.map(PathBuf::from).ok_or_else(|| Problem::new("`cargo metadata` names no target folder: update cargo"))
    }
}

/// Slipstream's folder in the user's cache, which every clone shares.
pub(crate) fn cache() -> Result<PathBuf, Problem> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("slipstream"))
        .ok_or_else(|| Problem::new("neither XDG_CACHE_HOME nor HOME names a folder: set one of them"))
}
