//! What a training needs to go on as if it had never stopped, in one file that is replaced as a whole.

use std::{
    collections::HashMap,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use mlx_rs::Array;
use nn::wait;
use serde::{Deserialize, Serialize};

use crate::{AdamW, Error, Result, Settings};

const ADVICE: &str = "remove it to start again";

/// Where a training stands, besides its numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Standing {
    /// Steps done.
    pub(crate) step: usize,
    /// The step of each measurement, and the bits of its τ: decimal digits would not come back exactly.
    measured: Vec<(usize, u64)>,
    settings: Settings,
}

impl Standing {
    /// After `step` steps of a training by `settings`, with each measurement's step and τ.
    pub(crate) fn new(step: usize, measured: &[(usize, f64)], settings: &Settings) -> Self {
        let measured = measured.iter().map(|&(step, tau)| (step, tau.to_bits())).collect();
        Self { step, measured, settings: settings.clone() }
    }

    /// The step of each measurement, and its τ.
    pub(crate) fn measured(&self) -> Vec<(usize, f64)> {
        self.measured.iter().map(|&(step, bits)| (step, f64::from_bits(bits))).collect()
    }

    /// Refuses to go on by other settings.
    pub(crate) fn check(&self, settings: &Settings) -> Result<()> {
        if self.settings == *settings { Ok(()) } else { Err(Error::OtherSettings) }
    }
}

/// The files of a training.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    pub(crate) fn new(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|source| Error::File { path: folder.to_owned(), source })?;
        Ok(Self { folder: folder.to_owned() })
    }

    fn state(&self) -> PathBuf {
        self.folder.join("state.safetensors")
    }

    fn best(&self) -> PathBuf {
        self.folder.join("best.safetensors")
    }

    /// Saves where a training stands.
    pub(crate) fn save(&self, standing: &Standing, names: &[String], parameters: &[Array], adam: &AdamW) -> Result<()> {
        let parts = [("parameter", parameters), ("first", &adam.first), ("second", &adam.second)];
        let under = |(part, arrays): (&'static str, &[Array])| {
            names
                .iter()
                .zip(arrays.to_vec())
                .map(move |(name, array)| (format!("{part}.{name}"), array))
                .collect::<Vec<_>>()
        };
        write(&self.state(), parts.into_iter().flat_map(under).collect(), Some(standing))
    }

    /// Where a training stands, and its numbers; `None` if nothing is saved.
    pub(crate) fn load(&self, names: &[String], weight_decay: f32) -> Result<Option<(Standing, Vec<Array>, AdamW)>> {
        let path = self.state();
        if !path.exists() {
            return Ok(None);
        }
        let damaged = |reason: String| Error::Damaged { path: path.clone(), reason, advice: ADVICE };
        let (mut tensors, metadata) =
            Array::load_safetensors_with_metadata(&path).map_err(|error| damaged(error.to_string()))?;
        let standing = metadata.get("standing").ok_or_else(|| damaged("it says nothing of its training".into()))?;
        let standing = serde_json::from_str::<Standing>(standing).map_err(|error| damaged(error.to_string()))?;
        let mut part = |part: &str| named(&mut tensors, &format!("{part}."), names).map_err(damaged);
        let (parameters, first, second) = (part("parameter")?, part("first")?, part("second")?);
        let adam = AdamW { weight_decay, first, second, steps: standing.step };
        Ok(Some((standing, parameters, adam)))
    }

    /// Saves the parameters that were best.
    pub(crate) fn save_best(&self, names: &[String], parameters: &[Array]) -> Result<()> {
        write(&self.best(), names.iter().cloned().zip(parameters.to_vec()).collect(), None)
    }

    /// The parameters that were best.
    pub(crate) fn load_best(&self, names: &[String]) -> Result<Vec<Array>> {
        let path = self.best();
        let damaged = |reason: String| Error::Damaged { path: path.clone(), reason, advice: ADVICE };
        let mut tensors = Array::load_safetensors(&path).map_err(|error| damaged(error.to_string()))?;
        named(&mut tensors, "", names).map_err(damaged)
    }
}

/// The tensors of these names behind `prefix`, in memory of their own: the file they lie in will be replaced.
fn named(tensors: &mut HashMap<String, Array>, prefix: &str, names: &[String]) -> Result<Vec<Array>, String> {
    let take =
        |name: &String| tensors.remove(&format!("{prefix}{name}")).ok_or_else(|| format!("it lacks {prefix}{name}"));
    let arrays = names.iter().map(take).collect::<Result<Vec<_>, _>>()?;
    wait(&arrays).map_err(|error| error.to_string())?;
    Ok(arrays)
}

/// Writes a file beside its place and moves it there.
fn write(path: &Path, tensors: Vec<(String, Array)>, standing: Option<&Standing>) -> Result<()> {
    let failed = |source| Error::File { path: path.to_owned(), source };
    let metadata = match standing {
        Some(standing) => {
            let text = serde_json::to_string(standing).map_err(|error| failed(error.into()))?;
            Some(HashMap::from([("standing".to_owned(), text)]))
        }
        None => None,
    };
    let unfinished = path.with_file_name("unfinished.safetensors");
    Array::save_safetensors(tensors, metadata.as_ref(), &unfinished)
        .map_err(|error| failed(io::Error::other(error.to_string())))?;
    sync(&unfinished).and_then(|()| fs::rename(&unfinished, path)).map_err(failed)
}

/// Waits until a file is on the disk, so that a power cut leaves the old one or the new one.
pub(crate) fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
