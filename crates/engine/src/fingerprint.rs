//! What tells a checkpoint from others, wherever it lies and whenever it was written.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{Error, Result};

/// Bytes of a look into a file, and how many looks into a long one: another training of the same weights shows in each.
const LOOK: u64 = 1 << 14;
const LOOKS: u64 = 64;

/// A hash of the checkpoint in a folder, as hexadecimal digits: of the names and sizes of what it is read from
/// (`.json`, `.jinja`, `.safetensors`), of all of each file up to a mebibyte, and of 64 looks into each larger one, spread
/// evenly. What a calibration writes into a drafter's files does not count, since that is of this very drafter.
///
/// It is quick because it does not read everything: whoever changes a few numbers between two looks, and no size, is not
/// noticed. Training, quantising, merging and converting change numbers everywhere, and are.
///
/// # Errors
/// When the folder cannot be read.
pub fn fingerprint(folder: &Path) -> Result<String> {
    let hash = hash(folder).map_err(|source| Error::Unread { path: folder.to_owned(), source })?;
    let digits = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    Ok(digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect())
}

/// The same, 32 bytes.
pub(crate) fn hash(folder: &Path) -> io::Result<Vec<u8>> {
    let is_read = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("json" | "jinja" | "safetensors"))
    };
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.is_file() && is_read(path));
    files.sort();
    let mut hash = Sha256::new();
    for path in files {
        let name = path.file_name().unwrap_or_default().display().to_string();
        if name == drafters::DOCUMENT {
            let bytes = uncalibrated(fs::read(&path)?);
            hash.update(format!("{name} {}\n", bytes.len()));
            hash.update(&bytes);
            continue;
        }
        let mut file = File::open(&path)?;
        let bytes = file.metadata()?.len();
        hash.update(format!("{name} {bytes}\n"));
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

/// A `dspark.json` without its calibration, however it is laid out.
fn uncalibrated(bytes: Vec<u8>) -> Vec<u8> {
    let Ok(mut document) = serde_json::from_slice::<Value>(&bytes) else { return bytes };
    if let Some(config) = document.get_mut("config").and_then(Value::as_object_mut) {
        config.shift_remove("sts");
    }
    document.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;

    /// A folder with these files.
    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        folder
    }

    fn of(files: &[(&str, &[u8])]) -> String {
        fingerprint(folder(files).path()).unwrap()
    }

    #[test]
    fn it_is_of_the_content_and_not_of_the_place_the_time_or_what_is_not_read() {
        let files: [(&str, &[u8]); 2] = [("config.json", b"{}"), ("model.safetensors", b"1234")];
        let one = of(&files);
        assert_eq!(one.len(), 64);
        assert_eq!(of(&[files.as_slice(), &[("README.md", b"words")]].concat()), one);
        assert_ne!(of(&[files[0], ("model.safetensors", b"1235")]), one);
        assert_ne!(of(&[files[0], ("other.safetensors", b"1234")]), one);
    }

    #[test]
    fn of_a_large_file_the_size_and_what_is_looked_at_count() {
        let mut bytes = vec![0; 3 << 20];
        let before = of(&[("model.safetensors", &bytes)]);
        bytes[(3 << 20) / 64 * 63 + 5] = 1;
        assert_ne!(of(&[("model.safetensors", &bytes)]), before);
        bytes.push(0);
        bytes[(3 << 20) / 64 * 63 + 5] = 0;
        assert_ne!(of(&[("model.safetensors", &bytes)]), before);
    }

    #[test]
    fn a_drafter_stays_itself_when_it_is_calibrated() {
        let document = |sts: &str| format!(r#"{{ "config": {{ "gamma": 3{sts} }}, "dims": {{}} }}"#);
        let of = |sts: &str| of(&[("dspark.json", document(sts).as_bytes())]);
        assert_eq!(of(r#", "sts": { "thresholds": [0.0] }"#), of(""));
        assert_ne!(of(r#", "other": 1"#), of(""));
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let missing = fingerprint(Path::new("/nowhere/at/all")).unwrap_err().to_string();
        assert!(missing.starts_with("/nowhere/at/all cannot be read"), "{missing}");
    }
}
