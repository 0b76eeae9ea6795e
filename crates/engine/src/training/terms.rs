//! What a lesson began with. A later release may choose otherwise, and what was begun goes on as it began.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{answers::Asking, blueprint::Blueprint};
use crate::Result;

/// What is asked of the target, and what learns from it. The settings of the steps follow once their number is known.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Terms {
    pub(super) blueprint: Blueprint,
    pub(super) asking: Asking,
}

impl Terms {
    /// Where they lie in a lesson's folder.
    pub(super) const FILE: &str = "terms.json";
}

/// What is written in a file of a lesson; `None` if there is no such file yet.
pub(super) fn known<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| {
            let (path, reason) = (path.to_owned(), error.to_string());
            training::Error::Damaged { path, reason, advice: "start the training again" }.into()
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(training::Error::File { path: path.to_owned(), source }.into()),
    }
}

/// Writes a file of a lesson, as a whole.
pub(super) fn note<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let failed = |source| training::Error::File { path: path.to_owned(), source };
    let text = serde_json::to_vec_pretty(value).map_err(|error| failed(error.into()))?;
    let unfinished = path.with_extension("unfinished");
    let mut file = File::create(&unfinished).map_err(failed)?;
    // On the disk before it has its name: a power cut may come too.
    file.write_all(&text).and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(fs::rename(&unfinished, path).map_err(failed)?)
}
