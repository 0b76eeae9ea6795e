//! Why a checkpoint is no target that runs here.

use std::path::PathBuf;

use crate::Part;

/// This crate's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a checkpoint is no target that runs here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no configuration.
    #[error("{} has no readable config.json ({source}); choose the folder that holds the checkpoint's files", folder.display())]
    NoConfig {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },

    /// The configuration is not what such a file looks like.
    #[error("{} is not a model configuration: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },

    /// The model is of another family.
    #[error("model_type {model_type:?} is not a target that runs here; {hint}")]
    ModelType {
        /// What the configuration says.
        model_type: String,
        /// What would run, or what this is.
        hint: &'static str,
    },

    /// The configuration asks for something that is not implemented.
    #[error("config.json sets {key} to {value}, which is not supported; {hint}")]
    Unsupported {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// What is supported.
        hint: &'static str,
    },

    /// A needed key is missing.
    #[error("config.json lacks {key}")]
    MissingKey {
        /// The key.
        key: &'static str,
    },

    /// A number that no model has.
    #[error("config.json sets {key} to {value}; it must be {wanted}")]
    Number {
        /// The key.
        key: &'static str,
        /// Its value.
        value: i64,
        /// What it must be.
        wanted: &'static str,
    },

    /// A factor that would make every number meaningless.
    #[error("config.json sets {key} to {value}; it must be a positive number")]
    Factor {
        /// The key.
        key: &'static str,
        /// Its value.
        value: f32,
    },

    /// Two keys say different things.
    #[error("config.json contradicts itself: {0}")]
    Conflict(String),

    /// A drafter reads a layer that this target does not have.
    #[error("the drafter reads layer {tap}, this target has layers 0 to {last} and {layers} for the final norm")]
    Tap {
        /// The layer that it reads.
        tap: usize,
        /// The last layer.
        last: usize,
        /// How many there are.
        layers: usize,
    },

    /// Layers should read the keys of earlier ones, and there are none of their kind.
    #[error(
        "config.json sets num_kv_shared_layers to {shared} of {layers} layers; some of them have no earlier layer of their kind to read keys from"
    )]
    NoDonor {
        /// How many layers own no keys.
        shared: usize,
        /// How many there are.
        layers: usize,
    },

    /// A number is infinite, or none at all.
    #[error(
        "{part} gives numbers that are not finite at position {position}: the target's files may be damaged, so download them again, or its numbers need a wider type, so choose float32"
    )]
    NotFinite {
        /// The first part of the target that does.
        part: Part,
        /// The first position, counted from 0.
        position: usize,
    },

    /// Weights or arithmetic failed.
    #[error(transparent)]
    Nn(#[from] nn::Error),
}

impl From<mlx_rs::error::Exception> for Error {
    fn from(exception: mlx_rs::error::Exception) -> Self {
        Self::Nn(exception.into())
    }
}
