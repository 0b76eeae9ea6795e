//! `config.json`, read key by key, so that every refusal names its key.

use std::path::{Path, PathBuf};

use nn::Quantization;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Error, Result};

/// The file's name.
pub(crate) const CONFIG: &str = "config.json";

/// Larger than any size in a configuration: a number above it is a fault in the file.
const MOST: i32 = 1 << 24;

/// A drafter's `config.json`.
#[derive(Debug, Clone)]
pub(crate) struct ConfigFile {
    path: PathBuf,
    value: Value,
}

impl ConfigFile {
    /// Reads a folder's `config.json`.
    ///
    /// # Errors
    /// When it cannot be read, or is no JSON object.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(CONFIG);
        let text = std::fs::read(&path).map_err(|source| Error::File { path: path.clone(), source })?;
        match serde_json::from_slice::<Map<String, Value>>(&text) {
            Ok(keys) => Ok(Self { path, value: Value::Object(keys) }),
            Err(source) => Err(Error::Json { path, source }),
        }
    }

    /// One that says what `value` does.
    pub(crate) fn of(value: Value) -> Self {
        Self { path: CONFIG.into(), value }
    }

    /// Writes it into `folder`.
    ///
    /// # Errors
    /// When that cannot be done.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(CONFIG);
        std::fs::write(&path, format!("{:#}\n", self.value)).map_err(|source| Error::File { path, source })
    }

    /// Its keys.
    pub(crate) fn top(&self) -> Entry<'_> {
        Entry { path: &self.path, prefix: String::new(), keys: self.value.as_object() }
    }

    /// What it says of packed matrices.
    ///
    /// # Errors
    /// When they are packed in a way that is not read.
    pub(crate) fn quantization(&self) -> Result<Quantization> {
        Ok(Quantization::read(&self.value)?)
    }
}

/// The file, or an object in it. Absent and null are the same.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'a> {
    path: &'a Path,
    /// What stands before its keys in a sentence: nothing, or `dflash_config.`.
    prefix: String,
    keys: Option<&'a Map<String, Value>>,
}

impl<'a> Entry<'a> {
    /// The object under `key`; an empty one if there is none.
    ///
    /// # Errors
    /// When something else is there.
    pub(crate) fn entry(&self, key: &str) -> Result<Entry<'a>> {
        let keys = match self.value(key) {
            Some(value) => Some(value.as_object().ok_or_else(|| self.malformed(key, "is no object"))?),
            None => None,
        };
        Ok(Self { path: self.path, prefix: format!("{}{key}.", self.prefix), keys })
    }

    /// Whether there is such an object at all.
    pub(crate) fn exists(&self) -> bool {
        self.keys.is_some()
    }

    /// Whether there are objects in it.
    pub(crate) fn nests(&self) -> bool {
        self.keys.is_some_and(|keys| keys.values().any(Value::is_object))
    }

    fn value(&self, key: &str) -> Option<&'a Value> {
        self.keys?.get(key).filter(|value| !value.is_null())
    }

    /// The value under `key`, if there is one.
    ///
    /// # Errors
    /// When it is of another type.
    pub(crate) fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let read = T::deserialize(value).map_err(|error| self.malformed(key, &format!("is {value}: {error}")))?;
        Ok(Some(read))
    }

    /// The same, which must be there.
    ///
    /// # Errors
    /// When it is missing or of another type.
    pub(crate) fn require<T: DeserializeOwned>(&self, key: &str) -> Result<T> {
        self.get(key)?.ok_or_else(|| self.malformed(key, "is missing"))
    }

    /// A size, which must be there.
    ///
    /// # Errors
    /// When it is missing, or no size.
    pub(crate) fn size(&self, key: &str) -> Result<i32> {
        let size = self.require::<i64>(key)?;
        self.checked_size(key, size)
    }

    /// A size, or `default`.
    ///
    /// # Errors
    /// When it is no size.
    pub(crate) fn size_or(&self, key: &str, default: i32) -> Result<i32> {
        let size = self.get(key)?.unwrap_or(i64::from(default));
        self.checked_size(key, size)
    }

    fn checked_size(&self, key: &str, size: i64) -> Result<i32> {
        let checked = i32::try_from(size).ok().filter(|size| (1..=MOST).contains(size));
        checked.ok_or_else(|| self.malformed(key, &format!("is {size}, not between 1 and {MOST}")))
    }

    /// Refuses `keys` that say anything but nothing, which drafters of one kind never have.
    ///
    /// # Errors
    /// When one does.
    pub(crate) fn none_of(&self, keys: &[&str]) -> Result<()> {
        let nothing = |value: &Value| *value == false || *value == 0;
        keys.iter().try_for_each(|key| self.only(key, "nothing of the kind", nothing))
    }

    /// A positive number, which must be there.
    ///
    /// # Errors
    /// When it is missing, or not positive.
    pub(crate) fn positive(&self, key: &str, default: Option<f32>) -> Result<f32> {
        let number = self.get(key)?.or(default).ok_or_else(|| self.malformed(key, "is missing"))?;
        let fits = number.is_finite() && number > 0.0;
        if fits { Ok(number) } else { Err(self.malformed(key, &format!("is {number} and must be positive"))) }
    }

    /// Refuses any value of `key` but those for which `allowed` holds, which `wanted` puts into words: ignored, the key
    /// would give a drafter that is silently wrong.
    ///
    /// # Errors
    /// When there is another.
    pub(crate) fn only(&self, key: &str, wanted: &'static str, allowed: impl Fn(&Value) -> bool) -> Result<()> {
        match self.value(key) {
            Some(value) if !allowed(value) => Err(self.unsupported(key, value, wanted)),
            _ => Ok(()),
        }
    }

    /// That a value is not one with which a drafter runs here.
    pub(crate) fn unsupported(&self, key: &str, value: &impl ToString, wanted: &'static str) -> Error {
        let key = format!("{}{key}", self.prefix);
        Error::Setting { path: self.path.to_owned(), key, value: value.to_string(), wanted }
    }

    /// That the value of `key` cannot be: `reason` follows its name.
    pub(crate) fn malformed(&self, key: &str, reason: &str) -> Error {
        Error::Malformed { path: self.path.to_owned(), reason: format!("{}{key} {reason}", self.prefix) }
    }
}
