//! A small Gemma 4 and drafters for it, which the project made from a text of its own: with them a new home can chat,
//! race and calibrate before anything is downloaded.
//!
//! What this crate does **not** know: what a model is. It holds files. `examples/make` made them, from `corpus`.

/// A checkpoint as it is to lie in a folder.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// The name of its folder.
    pub name: &'static str,
    /// Its files by name, and what is in them.
    pub files: &'static [(&'static str, &'static [u8])],
}

macro_rules! model {
    ($name:literal: $($file:literal),+) => {
        Model {
            name: $name,
            files: &[$(($file, include_bytes!(concat!("../checkpoints/", $name, "/", $file)))),+],
        }
    };
}

/// The name of the target.
pub const TARGET: &str = "slipstream-demo";

/// The target, and then its drafters, the best first. The last was hardly trained, to show what a bad one is like.
pub const MODELS: [Model; 5] = [
    model!(
        "slipstream-demo":
        "README.md", "LICENSE",
        "chat_template.jinja",
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json"
    ),
    model!("slipstream-demo-dflash2": "README.md", "LICENSE", "config.json", "model.safetensors"),
    model!("slipstream-demo-dflash": "README.md", "LICENSE", "config.json", "model.safetensors"),
    model!("slipstream-demo-dspark": "README.md", "LICENSE", "dspark.json", "model.safetensors"),
    model!("slipstream-demo-weak": "README.md", "LICENSE", "dspark.json", "model.safetensors"),
];
