//! The sources of mlx-c, which come inside the `mlx-sys` crate.

use std::{fs, path::PathBuf};

use super::TARGET;
use crate::{
    problem::{Explain, Problem},
    process::{cargo, quietly},
    workspace::Workspace,
};

/// mlx-c as the locked version of `mlx-sys` brings it.
pub(super) struct Source {
    /// The version of `mlx-sys`.
    pub(super) version: String,
    /// The folder with mlx-c's `CMakeLists.txt`.
    pub(super) folder: PathBuf,
}

impl Source {
    pub(super) fn locate(workspace: &Workspace) -> Result<Self, Problem> {
        let question = ["metadata", "--format-version", "1", "--filter-platform", TARGET];
        let metadata = quietly(cargo(&workspace.root).args(question))?;
        manifests(&metadata).find_map(Self::of_manifest).ok_or_else(|| {
            Problem::new("`cargo metadata` names no mlx-sys crate: does a crate of the workspace depend on mlx-rs?")
        })
    }

    /// A registry crate lies in a folder called by its name and version.
    fn of_manifest(manifest: &str) -> Option<Self> {
        let krate = PathBuf::from(manifest).parent()?.to_owned();
        let version = krate.file_name()?.to_str()?.strip_prefix("mlx-sys-")?.to_owned();
        Some(Self { version, folder: krate.join("src/mlx-c") })
    }

    /// The version of MLX that mlx-c is written for: its build would fetch this tag.
    pub(super) fn mlx_version(&self) -> Result<String, Problem> {
        let path = self.folder.join("CMakeLists.txt");
        let text = fs::read_to_string(&path).explain(|| format!("cannot read {}", path.display()))?;
        let tag = text.lines().find_map(|line| line.trim().strip_prefix("GIT_TAG v"));
        tag.map(|tag| tag.trim_end_matches(')').to_owned())
            .ok_or_else(|| Problem::new(format!("{} names no tag of MLX", path.display())))
    }
}

/// The paths of all manifests in the answer of `cargo metadata`. A parser for JSON would be the only dependency of
/// this crate, so they are cut out of the text: paths of the registry hold no character that JSON escapes.
fn manifests(metadata: &str) -> impl Iterator<Item = &str> {
    metadata.split(r#""manifest_path":""#).skip(1).filter_map(|rest| rest.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn the_crate_is_found_by_its_folder() {
        let metadata =
            r#"{"packages":[{"manifest_path":"/a/nn/Cargo.toml"},{"manifest_path":"/r/mlx-sys-0.7.0/Cargo.toml"}]}"#;
        let found = super::manifests(metadata).find_map(Source::of_manifest);
        let found = found.map(|source| (source.version, source.folder.display().to_string()));
        assert_eq!(found, Some(("0.7.0".to_owned(), "/r/mlx-sys-0.7.0/src/mlx-c".to_owned())));
    }
}
