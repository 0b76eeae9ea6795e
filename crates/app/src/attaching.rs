//! Text files that go with a question.

use std::fs;
use std::path::Path;

use engine::size;
use store::Attachment;

use crate::library::blocking;
use crate::{App, Error, Result};

/// The most bytes of one: more than any target here reads.
const MOST: u64 = 1_000_000;

impl App {
    /// Reads a text file that is to go with a question.
    ///
    /// # Errors
    /// It is no file, too large, or no text.
    pub async fn read_attachment(path: &Path) -> Result<Attachment> {
        let path = path.to_owned();
        blocking(move || read(&path)).await
    }
}

fn read(path: &Path) -> Result<Attachment> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let refused = |reason: String| Error::Attachment { name: name.clone(), reason };
    // Before it is opened: a pipe would wait for whoever writes into it.
    let found = fs::metadata(path).map_err(|error| refused(error.to_string()))?;
    if !found.is_file() {
        return Err(refused("it is no file of text".into()));
    }
    if found.len() > MOST {
        return Err(refused(format!("it is larger than {}; attach a part of it", size(MOST))));
    }
    let bytes = fs::read(path).map_err(|error| refused(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| refused("it is not UTF-8 text".into()))?;
    Ok(Attachment { name, text })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;

    #[test]
    fn a_file_is_attached_by_its_name_or_refused_in_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        fs::write(&path, "Élan\n").unwrap();
        assert_eq!(read(&path).unwrap(), Attachment { name: "notes.txt".into(), text: "Élan\n".into() });
        fs::write(&path, b"\xff\xfe").unwrap();
        assert_eq!(read(&path).unwrap_err().to_string(), "“notes.txt” cannot be attached: it is not UTF-8 text");
        fs::File::create(&path).unwrap().set_len(MOST + 1).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("it is larger than 1.00 MB; attach a part of it"));
        assert!(read(folder.path()).unwrap_err().to_string().contains("it is no file of text"));
        assert!(read(&folder.path().join("gone")).is_err());
    }
}
