//! What the user sets.

use app::Sampling;
use serde::{Deserialize, Serialize};
use specta::Type;

/// The number type that models compute in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Precision {
    /// The type that the checkpoint stores.
    AsStored,
    Float32,
}

/// How to answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Controls {
    /// The most tokens to draft a round (γ); null takes the drafter's own limit, 0 decodes plainly.
    gamma: Option<usize>,
    /// The confidence below which a drafted token is not worth verifying; null leaves it to the drafter.
    min_conf: Option<f32>,
    /// 0 is greedy.
    temperature: f32,
    /// Keep the most likely tokens that make up this probability; 1 keeps all.
    top_p: f32,
    /// Keep this many of the most likely tokens; 0 keeps all.
    top_k: usize,
    /// The same seed gives the same text.
    seed: u64,
    /// The most tokens to write.
    max_tokens: usize,
    /// Let the model think before it answers.
    thinking: bool,
    precision: Precision,
}

impl Controls {
    pub(crate) fn new(controls: &app::Controls, precision: app::Precision) -> Self {
        let &app::Controls { gamma, min_conf, ref sampling, max_tokens, thinking, .. } = controls;
        let &Sampling { temperature, top_p, top_k, seed, .. } = sampling;
        let precision = match precision {
            app::Precision::AsStored => Precision::AsStored,
            app::Precision::Float32 => Precision::Float32,
        };
        Self { gamma, min_conf, temperature, top_p, top_k, seed, max_tokens, thinking, precision }
    }

    pub(crate) fn precision(&self) -> app::Precision {
        match self.precision {
            Precision::AsStored => app::Precision::AsStored,
            Precision::Float32 => app::Precision::Float32,
        }
    }
}

impl From<Controls> for app::Controls {
    fn from(controls: Controls) -> Self {
        let Controls { gamma, min_conf, temperature, top_p, top_k, seed, max_tokens, thinking, .. } = controls;
        let sampling = Sampling { temperature, top_p, top_k, seed, ..Sampling::default() };
        Self { gamma, min_conf, sampling, max_tokens, thinking, ..Self::default() }
    }
}

/// What the user chose last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Preferences {
    /// The target's id.
    target: Option<String>,
    /// The drafter's id; null decodes plainly.
    drafter: Option<String>,
    controls: Controls,
    /// The conversation that is open; null is a new one.
    conversation: Option<i64>,
}

impl From<Preferences> for app::Preferences {
    fn from(preferences: Preferences) -> Self {
        let Preferences { target, drafter, controls, conversation } = preferences;
        Self { target, drafter, precision: controls.precision(), controls: controls.into(), conversation }
    }
}

impl From<app::Preferences> for Preferences {
    fn from(preferences: app::Preferences) -> Self {
        let app::Preferences { target, drafter, precision, controls, conversation } = preferences;
        Self { target, drafter, controls: Controls::new(&controls, precision), conversation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_window_sets_comes_back_as_it_was() {
        let controls = Controls {
            gamma: Some(3),
            min_conf: Some(0.25),
            temperature: 0.7,
            top_p: 0.9,
            top_k: 40,
            seed: 7,
            max_tokens: 99,
            thinking: true,
            precision: Precision::Float32,
        };
        let preferences = Preferences { target: Some("t".into()), drafter: None, controls, conversation: Some(2) };
        assert_eq!(Preferences::from(app::Preferences::from(preferences.clone())), preferences);
    }
}
