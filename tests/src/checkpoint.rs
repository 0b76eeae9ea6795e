//! A checkpoint in memory, to be written down again as other programs write it, or spoilt.

use std::{collections::BTreeMap, fs, path::Path};

use mlx_rs::{Array, Dtype, ops};
use serde_json::Value;
use tempfile::TempDir;

use crate::Outcome;

/// The parts of an expert.
pub const PROJECTIONS: [&str; 3] = ["gate_proj", "up_proj", "down_proj"];

const TOWERS: [&str; 6] =
    ["vision_tower", "vision_embedder", "embed_vision", "audio_tower", "embed_audio", "multi_modal_projector"];

/// A configuration and the tensors that go with it.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    /// `config.json`.
    pub config: Value,
    /// By the names that the file gives them.
    pub tensors: BTreeMap<String, Array>,
}

impl Checkpoint {
    /// Reads a folder with one `model.safetensors`.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(folder: &Path) -> Outcome<Self> {
        let config = serde_json::from_slice(&fs::read(folder.join("config.json"))?)?;
        let tensors = Array::load_safetensors(folder.join("model.safetensors"))?.into_iter().collect();
        Ok(Self { config, tensors })
    }

    /// Writes a folder, which is removed when it is dropped.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self) -> Outcome<TempDir> {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("config.json"), self.config.to_string())?;
        let tensors = self.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor));
        nn::save(tensors, &folder.path().join("model.safetensors"))?;
        Ok(folder)
    }

    /// The decoder's part of the configuration.
    pub fn text(&mut self) -> &mut Value {
        match self.config.get("text_config") {
            Some(_) => &mut self.config["text_config"],
            None => &mut self.config,
        }
    }

    /// The tensor whose name ends in `end`.
    ///
    /// # Errors
    /// When there is none.
    pub fn tensor(&mut self, end: &str) -> Outcome<&mut Array> {
        let found = self.tensors.iter_mut().find(|(name, _)| name.ends_with(end));
        found.map(|(_, tensor)| tensor).ok_or_else(|| format!("no tensor ends in {end}").into())
    }

    /// The same in another number type.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn converted(mut self, dtype: Dtype) -> Outcome<Self> {
        for tensor in self.tensors.values_mut() {
            *tensor = tensor.as_dtype(dtype)?;
        }
        Ok(self)
    }

    /// The same with other names; what gets none is left out.
    #[must_use]
    pub fn renamed(self, name: impl Fn(&str) -> Option<String>) -> Self {
        let renamed = self.tensors.into_iter().filter_map(|(old, tensor)| Some((name(&old)?, tensor)));
        Self { tensors: renamed.collect(), ..self }
    }

    /// The same with `prefix` before the names of the decoder's tensors instead of their own; the towers stay.
    #[must_use]
    pub fn prefixed(self, prefix: &str) -> Self {
        self.renamed(|name| Some(in_decoder(name).map_or_else(|| name.to_owned(), |rest| format!("{prefix}{rest}"))))
    }

    /// The same without towers.
    #[must_use]
    pub fn text_only(self) -> Self {
        self.renamed(|name| in_decoder(name).map(|_| name.to_owned()))
    }

    /// The same with the experts of each layer in three stacks, `layers.<i>.experts.gate_proj.weight` and so on.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn stacked(self) -> Outcome<Self> {
        let mut tensors = BTreeMap::new();
        for (name, tensor) in self.tensors {
            let Some((layer, rest)) = name.split_once(".experts.") else {
                tensors.insert(name, tensor);
                continue;
            };
            let rest = rest.trim_start_matches("switch_glu.");
            let (projection, part) = rest.split_once('.').unwrap_or((rest, "weight"));
            let named = |projection: &str| format!("{layer}.experts.{projection}.{part}");
            if projection == "gate_up_proj" {
                let halves = tensor.split_equal(2, -2)?;
                tensors.extend(["gate_proj", "up_proj"].map(named).into_iter().zip(halves));
            } else {
                tensors.insert(named(projection), tensor);
            }
        }
        Ok(Self { tensors, ..self })
    }

    /// From [stacks](Self::stacked) to one tensor for gates and ups, the gates first; `part` spells what is behind
    /// `gate_up_proj` and `down_proj` given `weight`, `scales` or `biases`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn fused(mut self, part: impl Fn(&str) -> String) -> Outcome<Self> {
        let gates = self.tensors.keys().filter(|name| name.contains(".experts.gate_proj.")).cloned();
        for name in gates.collect::<Vec<_>>() {
            let [gate, up] =
                [name.clone(), name.replace("gate_proj", "up_proj")].map(|name| self.tensors.remove(&name));
            let both = ops::concatenate(&[gate.ok_or("no gates")?, up.ok_or("no ups")?], -2)?;
            self.tensors.insert(name.replace("gate_proj", "gate_up_proj"), both);
        }
        Ok(self.renamed(|name| match name.rsplit_once('.') {
            Some((module, kind)) if name.contains(".experts.") => Some(format!("{module}{}", part(kind))),
            _ => Some(name.to_owned()),
        }))
    }

    /// From [stacks](Self::stacked) to experts one by one, `layers.<i>.experts.<e>.gate_proj.weight` and so on.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn one_by_one(self) -> Outcome<Self> {
        let mut tensors = BTreeMap::new();
        for (name, tensor) in self.tensors {
            let Some((layer, rest)) = name.split_once(".experts.") else {
                tensors.insert(name, tensor);
                continue;
            };
            for (number, expert) in tensor.split_equal(tensor.dim(0), 0)?.into_iter().enumerate() {
                tensors.insert(format!("{layer}.experts.{number}.{rest}"), expert.squeeze_axes(&[0])?);
            }
        }
        Ok(Self { tensors, ..self })
    }

    /// The same as MLX's programs name it: their prefix, their experts, no towers.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn as_mlx(self) -> Outcome<Self> {
        let stacked = self.text_only().prefixed("language_model.model.").stacked()?;
        let spelt =
            |name: &str| name.replace(".experts.", ".experts.switch_glu.").replace(".model.lm_head", ".lm_head");
        Ok(stacked.renamed(|name| Some(spelt(name))))
    }
}

/// The name within the decoder; `None` for the towers.
#[must_use]
pub fn in_decoder(name: &str) -> Option<&str> {
    let inner = name.trim_start_matches("model.");
    if TOWERS.iter().any(|tower| inner.starts_with(tower)) {
        return None;
    }
    Some(inner.strip_prefix("language_model.").map_or(inner, |inner| inner.trim_start_matches("model.")))
}
