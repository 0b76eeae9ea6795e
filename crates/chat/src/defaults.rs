//! How a checkpoint's publisher samples from it.

use serde::Deserialize;
use serde_json::Value;

/// What `generation_config.json` says about sampling. What it does not say, or says nonsensically, is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Defaults {
    /// What the logits are divided by; 0 takes the likeliest token.
    pub temperature: Option<f32>,
    /// How many of the likeliest tokens are kept; 0 keeps all.
    pub top_k: Option<u32>,
    /// The probability, within 0 to 1, that the kept tokens must have together.
    pub top_p: Option<f32>,
}

impl Defaults {
    pub(crate) fn new(generation_config: &Value) -> Self {
        let number = |key: &str| f32::deserialize(&generation_config[key]).ok();
        let greedy = generation_config["do_sample"] == false;
        Self {
            temperature: if greedy { Some(0.0) } else { number("temperature").filter(|t| t.is_finite() && *t >= 0.0) },
            top_k: u32::deserialize(&generation_config["top_k"]).ok(),
            top_p: number("top_p").filter(|p| *p > 0.0 && *p <= 1.0),
        }
    }
}
