//! Where things are kept while they are made.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::Outcome;

/// The folder of the crate.
pub(crate) fn of_crate() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of one making.
pub(crate) struct Paths {
    work: PathBuf,
}

impl Paths {
    /// Those below `work`, which must be new, or left by a making from the same corpus.
    pub(crate) fn new(work: &str, corpus: &str) -> Outcome<Self> {
        let work = PathBuf::from(work);
        fs::create_dir_all(&work)?;
        let note = work.join("made-from.txt");
        match fs::read_to_string(&note) {
            Ok(before) if before != corpus => {
                Err(format!("{} was made from another corpus; choose a new folder", work.display()).into())
            }
            Ok(_) => Ok(Self { work }),
            Err(_) => {
                fs::write(note, corpus)?;
                Ok(Self { work })
            }
        }
    }

    /// What holds all of them.
    pub(crate) fn work(&self) -> &Path {
        &self.work
    }

    /// A finished checkpoint.
    pub(crate) fn checkpoint(&self, name: &str) -> PathBuf {
        self.work.join(name)
    }

    /// What its training needs to go on.
    pub(crate) fn training(&self, name: &str) -> PathBuf {
        self.work.join(format!("{name}-training"))
    }

    /// What the target says, captured.
    pub(crate) fn shards(&self) -> PathBuf {
        self.work.join("shards")
    }
}
