//! Where golden data lies.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::Outcome;

/// The folders below `kind` (`gemma4`, `drafters/dspark_seed`) of every fixture root, sorted.
///
/// # Errors
/// When a root cannot be read, or there is none with this subfolder: a test that finds nothing proves nothing.
pub fn folders(kind: &str) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    for root in roots() {
        let root = root.join(kind);
        if root.is_dir() {
            for entry in fs::read_dir(&root)? {
                found.extend(Some(entry?.path()).filter(|path| path.is_dir()));
            }
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(format!("no fixtures of kind {kind} were found").into());
    }
    Ok(found)
}

/// Every folder with golden data of a drafter, however deep it lies below `drafters`, sorted.
///
/// # Errors
/// As for [`folders`].
pub fn drafters() -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = folders("drafters")?;
    while let Some(folder) = open.pop() {
        if folder.join("checkpoint").is_dir() {
            found.push(folder);
        } else {
            let entries = fs::read_dir(&folder)?.filter_map(Result::ok).map(|entry| entry.path());
            open.extend(entries.filter(|path| path.is_dir()));
        }
    }
    found.sort();
    Ok(found)
}

/// The folders below `kind` with golden data of their own; the others repackage the weights of these.
///
/// # Errors
/// As for [`folders`].
pub fn originals(kind: &str) -> Outcome<Vec<PathBuf>> {
    Ok(folders(kind)?.into_iter().filter(|folder| folder.join("golden.safetensors").exists()).collect())
}

/// The file `relative` of every fixture root that has it.
///
/// # Errors
/// When none has: a test that finds nothing proves nothing.
pub fn files(relative: &str) -> Outcome<Vec<PathBuf>> {
    let found = roots().into_iter().map(|root| root.join(relative)).filter(|path| path.is_file()).collect::<Vec<_>>();
    if found.is_empty() { Err(format!("no fixture root has {relative}").into()) } else { Ok(found) }
}

/// A file or folder of the project's own fixtures.
#[must_use]
pub fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(relative)
}

/// The golden file of a checkpoint: its own, or that of the sibling whose weights it repackages, which is the one
/// whose name it extends (`31b-dense-sharded` repackages `31b-dense`).
///
/// # Errors
/// When there is neither.
pub fn golden(checkpoint: &Path) -> Outcome<PathBuf> {
    let name = checkpoint.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let siblings = fs::read_dir(checkpoint.parent().unwrap_or(checkpoint))?.filter_map(Result::ok);
    siblings
        .filter(|sibling| name.starts_with(&*sibling.file_name().to_string_lossy()))
        .map(|sibling| sibling.path().join("golden.safetensors"))
        .filter(|golden| golden.exists())
        .max_by_key(|golden| golden.as_os_str().len())
        .ok_or_else(|| format!("{name} has no golden data").into())
}

fn roots() -> Vec<PathBuf> {
    [path("")].into_iter().chain(env::var_os("SLIPSTREAM_FIXTURES").map(PathBuf::from)).collect()
}
