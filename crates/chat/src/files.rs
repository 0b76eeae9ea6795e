//! Reading the small files of a checkpoint folder.

use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use crate::Error;

/// How a file begins that stands for another.
const LFS: &str = "version https://git-lfs";

/// The file's bytes, or `None` when there is no such file.
pub(crate) fn optional_bytes(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Unreadable { path: path.to_path_buf(), source }),
    }
}

/// A template's text, or `None` when there is no such file.
pub(crate) fn optional_template(path: &Path) -> Result<Option<String>, Error> {
    let Some(bytes) = optional_bytes(path)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|error| malformed(path, error.as_bytes(), &error))?;
    let start = text.trim_start().get(..9).unwrap_or_default().to_ascii_lowercase();
    // A template may begin with a marker's bracket or a tag's brace, and hardly anything else is no template at all.
    if text.starts_with(LFS) || start.starts_with("<html") || start == "<!doctype" {
        return Err(malformed(path, text.as_bytes(), &"it is no template"));
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(_)) => Err(Error::Malformed { path: path.to_path_buf(), reason: "it is a JSON text".into() }),
        _ => Ok(Some(text)),
    }
}

/// The file's JSON, or `Value::Null` when there is no such file: every look-up in it finds nothing.
pub(crate) fn optional_json(path: &Path) -> Result<Value, Error> {
    let Some(bytes) = optional_bytes(path)? else { return Ok(Value::Null) };
    serde_json::from_slice(&bytes).map_err(|error| malformed(path, &bytes, &error))
}

/// The parser's complaint, or better: what the bytes are instead.
pub(crate) fn malformed(path: &Path, bytes: &[u8], parser: &dyn std::fmt::Display) -> Error {
    let start = bytes.trim_ascii_start();
    let reason = if start.is_empty() {
        "it is empty".to_owned()
    } else if start.starts_with(LFS.as_bytes()) {
        "it is a Git LFS pointer, not the file itself".to_owned()
    } else if start.starts_with(b"<") {
        "it is a web page".to_owned()
    } else {
        parser.to_string()
    };
    Error::Malformed { path: path.to_path_buf(), reason }
}
