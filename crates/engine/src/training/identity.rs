//! Which target a training began with, so that it does not go on with another one under the same name.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use sha2::{Digest as _, Sha256};

use crate::{Error, Result};

/// Bytes of a look into a file, and how many looks into a long one: another training of the same weights shows in each.
const LOOK: u64 = 1 << 14;
const LOOKS: u64 = 64;

/// Refuses a target that is not the one that the lesson in this folder began with; a lesson that begins notes it.
pub(super) fn check(target: &Path, lesson: &Path) -> Result<()> {
    let path = lesson.join("target.sha256");
    let failed = |source| training::Error::File { path: path.clone(), source };
    let now = of(target).map_err(|source| training::Error::File { path: target.to_owned(), source })?;
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

/// What tells a checkpoint from others: a hash of the names and sizes of what it is read from, and of looks into each.
fn of(target: &Path) -> io::Result<Vec<u8>> {
    let is_read = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("json" | "jinja" | "safetensors"))
    };
    let mut files = fs::read_dir(target)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.is_file() && is_read(path));
    files.sort();
    let mut hash = Sha256::new();
    for path in files {
        let mut file = File::open(&path)?;
        let bytes = file.metadata()?.len();
        hash.update(format!("{} {bytes}\n", path.file_name().unwrap_or_default().display()));
        let apart = (bytes / LOOKS).max(LOOK);
        let mut look = Vec::new();
        for start in (0..LOOKS).map(|number| number * apart).take_while(|&start| start < bytes) {
            file.seek(SeekFrom::Start(start))?;
            look.clear();
            (&mut file).take(LOOK).read_to_end(&mut look)?;
            hash.update(&look);
        }
    }
    Ok(hash.finalize().to_vec())
}
