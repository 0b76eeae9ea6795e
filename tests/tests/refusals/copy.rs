//! A copy of a tiny target whose files can be spoilt.

use std::{
    fs,
    path::{Path, PathBuf},
};

use gemma4::Model;
use safetensors::SafeTensors;
use serde_json::Value;
use tempfile::TempDir;
use tests::{Outcome, checkpoint::Checkpoint, decoding::Setup, fixtures, tensors::Tensors};

use crate::check_sentence;

/// A copy of a tiny target whose files can be spoilt.
pub(crate) struct Copy {
    folder: TempDir,
}

impl Copy {
    /// Of the dense one, in one file.
    pub(crate) fn new() -> Outcome<Self> {
        Self::of("31b-dense")
    }

    /// Of any fixture.
    pub(crate) fn of(name: &str) -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        for entry in fs::read_dir(fixtures::path("gemma4").join(name))? {
            let entry = entry?;
            fs::copy(entry.path(), folder.path().join(entry.file_name()))?;
        }
        Ok(Self { folder })
    }

    /// Of what has been made of one.
    pub(crate) fn written(checkpoint: &Checkpoint) -> Outcome<Self> {
        Ok(Self { folder: checkpoint.write()? })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn weights(&self) -> PathBuf {
        self.path().join("model.safetensors")
    }

    /// Changes the text part of the configuration.
    pub(crate) fn configure(&self, key: &str, value: &Value) -> Outcome {
        let path = self.path().join("config.json");
        let mut config: Value = serde_json::from_slice(&fs::read(&path)?)?;
        config["text_config"][key] = value.clone();
        Ok(fs::write(path, config.to_string())?)
    }

    /// Rewrites the tensors; those that `change` gives no name are left out.
    pub(crate) fn rename(&self, change: impl Fn(&str) -> Option<String>) -> Outcome {
        let bytes = fs::read(self.weights())?;
        let tensors = SafeTensors::deserialize(&bytes)?;
        let kept = tensors.iter().filter_map(|(name, view)| Some((change(name)?, view)));
        Ok(fs::write(self.weights(), safetensors::serialize(kept.collect::<Vec<_>>(), None)?)?)
    }

    /// It is refused with one sentence with all of `words` in it, and after that a good checkpoint still answers.
    pub(crate) fn check(&self, words: &[&str]) {
        check_sentence(Model::load(self.path(), None).err(), words);
        if let Err(error) = still_well() {
            panic!("after {words:?} a good checkpoint does not answer: {error}");
        }
    }
}

/// A good checkpoint gives the reference's first tokens.
fn still_well() -> Outcome {
    const TOKENS: usize = 4;
    let folder = fixtures::path("gemma4/31b-dense");
    let golden = Tensors::read(&folder.join("golden.safetensors"))?;
    let made = Setup::greedy(&folder, TOKENS)?.plain(&golden.ids("input_ids")?)?;
    assert_eq!(made.ids, golden.ids("greedy_ids")?[..TOKENS]);
    Ok(())
}
