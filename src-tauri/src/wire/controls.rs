//! What the user sets.

use app::Sampling;
use serde::{Deserialize, Serialize};
use specta::Type;

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
}

impl From<app::Controls> for Controls {
    fn from(controls: app::Controls) -> Self {
        let app::Controls { gamma, min_conf, sampling, max_tokens, thinking, .. } = controls;
        let Sampling { temperature, top_p, top_k, seed, .. } = sampling;
        Self { gamma, min_conf, temperature, top_p, top_k, seed, max_tokens, thinking }
    }
}

impl From<Controls> for app::Controls {
    fn from(controls: Controls) -> Self {
        let Controls { gamma, min_conf, temperature, top_p, top_k, seed, max_tokens, thinking } = controls;
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
        Self { target, drafter, controls: controls.into(), conversation }
    }
}

impl From<app::Preferences> for Preferences {
    fn from(preferences: app::Preferences) -> Self {
        let app::Preferences { target, drafter, controls, conversation } = preferences;
        Self { target, drafter, controls: controls.into(), conversation }
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
        };
        let preferences =
            Preferences { target: Some("t".into()), drafter: None, controls: controls.clone(), conversation: Some(2) };
        assert_eq!(Preferences::from(app::Preferences::from(preferences.clone())), preferences);
        assert_eq!(Controls::from(app::Controls::from(controls.clone())), controls);
    }
}
