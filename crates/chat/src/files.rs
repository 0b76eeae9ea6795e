//! Reading the small files of a checkpoint folder.

use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use crate::Error;

/// The file's bytes, or `None` when there is no such file.
pub(crate) fn optional_bytes(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Unreadable { path: path.to_path_buf(), source }),
    }
}

/// The file's text, or `None` when there is no such file.
pub(crate) fn optional_text(path: &Path) -> Result<Option<String>, Error> {
    let Some(bytes) = optional_bytes(path)? else { return Ok(None) };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(malformed(path, error.as_bytes(), &error)),
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
    } else if start.starts_with(b"version https://git-lfs") {
        "it is a Git LFS pointer, not the file that it points to".to_owned()
    } else if start.starts_with(b"<") {
        "it is a web page".to_owned()
    } else {
        parser.to_string()
    };
    Error::Malformed { path: path.to_path_buf(), reason }
}
