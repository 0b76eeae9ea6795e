//! Which target a training began with, so that it does not go on with another one under the same name.

use std::{fs, io, path::Path};

use crate::{Error, Result, fingerprint};

/// Refuses a target that is not the one that the lesson in this folder began with; a lesson that begins notes it.
pub(super) fn check(target: &Path, lesson: &Path) -> Result<()> {
    let path = lesson.join("target.sha256");
    let failed = |source| training::Error::File { path: path.clone(), source };
    let now = fingerprint::hash(target).map_err(|source| training::Error::File { path: target.to_owned(), source })?;
    match fs::read(&path) {
        Ok(known) if known == now => Ok(()),
        Ok(_) => Err(Error::AnotherTarget { folder: target.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(lesson).map_err(failed)?;
            let unfinished = path.with_extension("unfinished");
            fs::write(&unfinished, now).map_err(failed)?;
            Ok(fs::rename(&unfinished, &path).map_err(failed)?)
        }
        Err(error) => Err(failed(error).into()),
    }
}
