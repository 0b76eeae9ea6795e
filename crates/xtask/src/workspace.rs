//! Where things lie: the workspace, and the cache that outlives it.

use std::{env, path::PathBuf};

use crate::{
    problem::Problem,
    process::{cargo, quietly},
};

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
}

/// Slipstream's folder in the user's cache, which every clone shares.
pub(crate) fn cache() -> Result<PathBuf, Problem> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("slipstream"))
        .ok_or_else(|| Problem::new("neither XDG_CACHE_HOME nor HOME names a folder: set one of them"))
}
