//! LM Studio's folders, which are only read: `<owner>/<name>/<files>`.

use std::path::{Path, PathBuf};

use hub::RepoId;

use super::hugging_face::folders;
use super::surroundings::Surroundings;

/// Where it keeps models, by its present and its earlier default.
pub(super) fn roots(around: &Surroundings) -> Vec<PathBuf> {
    let Some(home) = around.folder("HOME") else { return Vec::new() };
    let roots = [".lmstudio/models", ".cache/lm-studio/models"].into_iter().map(|root| home.join(root));
    roots.filter_map(|root| root.canonicalize().ok()).collect()
}

/// The folders below `root` that are named like repos. What holds no `safetensors` is in a format that is not read here.
pub(super) fn models(root: &Path) -> Vec<(RepoId, PathBuf)> {
    let models = folders(root).into_iter().flat_map(|owner| folders(&owner));
    models.filter(|folder| holds_weights(folder)).filter_map(|folder| Some((repo(root, &folder)?, folder))).collect()
}

/// The repo that a folder below `root` is named like.
pub(super) fn repo(root: &Path, folder: &Path) -> Option<RepoId> {
    let parts: Vec<_> = folder.strip_prefix(root).ok()?.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
    let [owner, name] = parts[..] else { return None };
    format!("{owner}/{name}").parse().ok()
}

fn holds_weights(folder: &Path) -> bool {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| entry.path().extension().is_some_and(|ending| ending == "safetensors"))
}
