//! What decides how tokens are chosen.

use serde::{Deserialize, Serialize};

/// How a drafted token is accepted at a temperature above 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Drafter and target share their noise, keyed by seed and position; a draft stands if both draw the same token.
    /// The text does not depend on the drafter at all.
    #[default]
    Coupled,
    /// Accept with probability min(1, p/q), else draw from the residual. Accepts the most; the text depends on the
    /// drafter, its distribution does not.
    Ratio,
}

/// How the target chooses its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sampling {
    /// 0 is greedy: always the most likely token.
    pub temperature: f32,
    /// Keep the most likely tokens that make up this probability; 1 keeps all.
    pub top_p: f32,
    /// Keep the tokens that are at least this share as likely as the most likely one; 0 keeps all.
    pub min_p: f32,
    /// Keep this many of the most likely tokens; 0 keeps all.
    pub top_k: usize,
    /// What a token costs that the text holds already, at any temperature.
    #[serde(flatten)]
    pub penalties: Penalties,
    /// The same seed gives the same text, but for the ratio rule where drafts differ in length.
    pub seed: u64,
    /// How drafted tokens are accepted.
    pub rule: Rule,
}

impl Default for Sampling {
    /// What Gemma's publisher recommends.
    fn default() -> Self {
        Self {
            temperature: 1.0,
            top_p: 0.95,
            min_p: 0.0,
            top_k: 64,
            penalties: Penalties::default(),
            seed: 0,
            rule: Rule::default(),
        }
    }
}

/// What tokens of the text before, the prompt's included, cost in logits; as mlx-lm counts it, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Penalties {
    /// Divides a positive logit and multiplies a negative one (CTRL, Keskar et al., section 4.1); 1 changes nothing.
    #[serde(rename = "repetition_penalty")]
    pub repetition: f32,
    /// Taken off once, however often the token stands there (`presence_penalty` of `OpenAI`); 0 changes nothing.
    #[serde(rename = "presence_penalty")]
    pub presence: f32,
    /// Taken off for each time that it stands there (`frequency_penalty` of `OpenAI`); 0 changes nothing.
    #[serde(rename = "frequency_penalty")]
    pub frequency: f32,
    /// How many of the newest tokens count; 0 counts all.
    #[serde(rename = "penalty_window")]
    pub window: usize,
}

impl Penalties {
    /// Whether they change anything.
    #[expect(clippy::float_cmp, reason = "only these very values change nothing")]
    pub(super) fn any(&self) -> bool {
        self.repetition != 1.0 || self.presence != 0.0 || self.frequency != 0.0
    }
}

impl Default for Penalties {
    /// None, and mlx-lm's window.
    fn default() -> Self {
        Self { repetition: 1.0, presence: 0.0, frequency: 0.0, window: 20 }
    }
}
