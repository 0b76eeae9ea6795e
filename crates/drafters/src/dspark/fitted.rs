//! What calibration leaves in a drafter's `dspark.json`: `config.sts`.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use super::{DOCUMENT, Document};
use crate::{Error, Result};

/// Where it stands in the `config`.
const STS: &str = "sts";

/// What was fitted to a drafter's confidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The confidence of each position below which a draft ends, as the drafter says it.
    pub thresholds: Vec<f32>,
    /// What the logit of each position's confidence is divided by.
    pub temperatures: Vec<f32>,
    /// The share of kept tokens that the thresholds were fitted to.
    pub target: f64,
    /// The samples that they were fitted on.
    pub samples: usize,
}

impl Fitted {
    /// Writes it into the `dspark.json` in `folder`, whose other fields stay as they are and where they are; the file is
    /// the one before or the one behind, whatever happens. What is there already is only replaced if `replace` says so.
    ///
    /// # Errors
    /// When the folder holds no drafter of the own format, or one that is calibrated already, or the numbers do not suit
    /// it, or the file cannot be written.
    pub fn write(&self, folder: &Path, replace: bool) -> Result<()> {
        change(folder, |config, path| {
            let before = config.insert(STS.into(), self.document()).unwrap_or_default();
            if before.is_null() || replace { Ok(()) } else { Err(Error::Calibrated { path }) }
        })
    }

    /// Whether the `dspark.json` in `folder` holds exactly this.
    ///
    /// # Errors
    /// When the folder holds no drafter of the own format, or the file cannot be read.
    pub fn is_in(&self, folder: &Path) -> Result<bool> {
        Ok(in_files(&Document::read(folder)?.raw) == as_read(&self.document()))
    }

    /// Puts what was there `before`, as [`fitted_in`] told it, into the `dspark.json` in `folder` again, JSON, in place of this.
    ///
    /// # Errors
    /// When the file holds something else than this by now, or `before` is no JSON that suits the drafter, or the file
    /// cannot be read or written.
    pub fn take_back(&self, folder: &Path, before: &str) -> Result<()> {
        change(folder, |config, path| {
            let written = config.shift_remove(STS).unwrap_or_default();
            if written != as_read(&self.document()) {
                return Err(Error::OtherCalibration { path });
            }
            match serde_json::from_str(before) {
                Ok(Value::Null) => {}
                Ok(before) => drop(config.insert(STS.into(), before)),
                Err(error) => return Err(Error::Malformed { path, reason: error.to_string() }),
            }
            Ok(())
        })
    }

    fn document(&self) -> Value {
        let numbers = |numbers: &[f32]| numbers.iter().map(|&number| as_written(number)).collect::<Vec<_>>();
        json!({
            "thresholds": numbers(&self.thresholds),
            "target": self.target,
            "samples": self.samples,
            "temperatures": numbers(&self.temperatures),
        })
    }
}

/// What the `dspark.json` in `folder` holds of a calibration, JSON; `null` if nothing.
///
/// # Errors
/// When the folder holds no drafter of the own format, or the file cannot be read.
pub fn fitted_in(folder: &Path) -> Result<String> {
    Ok(in_files(&Document::read(folder)?.raw).to_string())
}

fn in_files(raw: &Map<String, Value>) -> Value {
    raw.get("config").and_then(|config| config.get(STS)).cloned().unwrap_or_default()
}

/// Whether the files in `folder` bring a calibration, as only those of the own format can.
///
/// # Errors
/// When they are damaged.
pub fn is_fitted(folder: &Path) -> Result<bool> {
    if !folder.join(DOCUMENT).exists() {
        return Ok(false);
    }
    let Document { thresholds, temperatures, .. } = Document::read(folder)?;
    Ok(!thresholds.is_empty() || !temperatures.is_empty())
}

/// Changes the `config` of the `dspark.json` in `folder`, if what comes of it is one.
fn change(folder: &Path, change: impl FnOnce(&mut Map<String, Value>, PathBuf) -> Result<()>) -> Result<()> {
    let (mut raw, path) = (Document::read(folder)?.raw, folder.join(DOCUMENT));
    let malformed = |reason: String| Error::Malformed { path: path.clone(), reason };
    let config = raw.get_mut("config").and_then(Value::as_object_mut);
    change(config.ok_or_else(|| malformed("it has no config".into()))?, path.clone())?;
    Document::parse(raw.clone()).map_err(malformed)?;
    replace_file(&path, raw).map_err(|source| Error::File { path, source })
}

/// What a file with this in it reads as.
fn as_read(document: &Value) -> Value {
    serde_json::from_str(&document.to_string()).unwrap_or_default()
}

/// The double that is written with as few digits as the single: 0.6, and not 0.6000000238418579.
fn as_written(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::from(number))
}

fn replace_file(path: &Path, raw: Map<String, Value>) -> std::io::Result<()> {
    let unfinished = PathBuf::from(format!("{}.unfinished", path.display()));
    let mut file = fs::File::create(&unfinished)?;
    writeln!(file, "{:#}", Value::Object(raw))?;
    file.sync_all()?;
    fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;

    /// A document as the format's own generator writes it, with fields that nobody here knows, in an order of its own.
    const BEFORE: &str = r#"{
  "variant": "dspark", "note": { "b": 1e-6, "a": [1, 2.50, null] }, "kind": "dspark-drafter", "version": 1,
  "config": { "tapLayers": [1, 2], "gamma": 3, "dDraft": 8, "nHeads": 2, "nLayers": 1, "markovRank": 4, "ffMult": 2,
              "mystery": "kept", "seqHead": "markov" },
  "param_names": ["x"], "dims": { "vocabSize": 64, "hiddenSize": 16, "eps": 1e-6 }, "target_id": "t@16x64" }"#;

    fn fitted(temperatures: &[f32]) -> Fitted {
        Fitted { thresholds: vec![0.0, 0.6, 1.0], temperatures: temperatures.to_vec(), target: 0.5, samples: 1234 }
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(DOCUMENT), BEFORE).unwrap();
        folder
    }

    fn read(folder: &Path) -> Value {
        serde_json::from_slice(&fs::read(folder.join(DOCUMENT)).unwrap()).unwrap()
    }

    #[test]
    fn every_other_field_stays_as_it_is_and_where_it_is() {
        let folder = folder();
        fitted(&[1.0, 0.7, 2.5]).write(folder.path(), false).unwrap();
        let mut expected = serde_json::from_str::<Value>(BEFORE).unwrap();
        expected["config"]["sts"] = json!({
            "thresholds": [0.0, 0.6, 1.0], "target": 0.5, "samples": 1234, "temperatures": [1.0, 0.7, 2.5]
        });
        // As text, since objects are equal in any order.
        assert_eq!(read(folder.path()).to_string(), expected.to_string());
        let document = Document::read(folder.path()).unwrap();
        assert_eq!((document.thresholds, document.temperatures), (vec![0.0, 0.6, 1.0], vec![1.0, 0.7, 2.5]));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_calibration_in_the_file_is_replaced_only_on_purpose() {
        let folder = folder();
        fitted(&[]).write(folder.path(), false).unwrap();
        let before = read(folder.path());
        let refused = fitted(&[2.0]).write(folder.path(), false).unwrap_err();
        assert!(matches!(refused, Error::Calibrated { .. }), "{refused}");
        assert_eq!(read(folder.path()), before);
        fitted(&[2.0]).write(folder.path(), true).unwrap();
        assert_eq!(read(folder.path())["config"]["sts"]["temperatures"], json!([2.0]));
    }

    #[test]
    fn what_is_taken_back_makes_way_for_what_was_there_unless_somebody_else_wrote_meanwhile() {
        let (folder, [one, other]) = (folder(), [fitted(&[0.123_456_7]), fitted(&[2.0])]);
        let (untouched, nothing) = (read(folder.path()).to_string(), fitted_in(folder.path()).unwrap());
        one.write(folder.path(), false).unwrap();
        let (with_one, before) = (read(folder.path()).to_string(), fitted_in(folder.path()).unwrap());
        assert!(one.is_in(folder.path()).unwrap() && !other.is_in(folder.path()).unwrap());
        other.write(folder.path(), true).unwrap();
        let refused = one.take_back(folder.path(), &nothing).unwrap_err();
        assert!(matches!(refused, Error::OtherCalibration { .. }), "{refused}");
        other.take_back(folder.path(), &before).unwrap();
        assert_eq!(read(folder.path()).to_string(), with_one);
        one.take_back(folder.path(), &nothing).unwrap();
        assert_eq!(read(folder.path()).to_string(), untouched);
        assert!(one.take_back(folder.path(), &nothing).is_err(), "it is not there any more");
    }

    #[test]
    fn what_does_not_suit_the_drafter_is_refused_and_leaves_the_file() {
        let folder = folder();
        for (temperatures, said) in [(&[1.0; 4][..], "not at most 3 positive numbers"), (&[0.0], "positive numbers")] {
            let refused = fitted(temperatures).write(folder.path(), true).unwrap_err().to_string();
            assert!(refused.contains(said), "{refused}");
            assert_eq!(fs::read_to_string(folder.path().join(DOCUMENT)).unwrap(), BEFORE);
        }
    }
}
