//! What the user sets.

use app::{Penalties, Question, Sampling, Say};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::Schedule;

/// The number type that models compute in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Precision {
    /// The type that the checkpoint stores.
    AsStored,
    Float32,
}

impl From<Precision> for app::Precision {
    fn from(precision: Precision) -> Self {
        match precision {
            Precision::AsStored => Self::AsStored,
            Precision::Float32 => Self::Float32,
        }
    }
}

impl From<app::Precision> for Precision {
    fn from(precision: app::Precision) -> Self {
        match precision {
            app::Precision::AsStored => Self::AsStored,
            app::Precision::Float32 => Self::Float32,
        }
    }
}

/// How drafted tokens are accepted when the temperature is above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Rule {
    /// The text does not depend on the drafter.
    Coupled,
    /// The most is accepted; the text depends on the drafter, its distribution does not.
    Ratio,
}

/// How to answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Controls {
    schedule: Schedule,
    /// The most tokens to draft a round (γ); null takes what is usual for the drafter, 0 decodes plainly.
    gamma: Option<usize>,
    /// The confidence below which a drafted token is not worth verifying; null leaves it to the drafter.
    min_conf: Option<f32>,
    /// 0 is greedy.
    temperature: f32,
    /// Keep the most likely tokens that make up this probability; 1 keeps all.
    top_p: f32,
    /// Keep this many of the most likely tokens; 0 keeps all.
    top_k: usize,
    /// Keep the tokens at least this share as likely as the most likely one; 0 keeps all.
    min_p: f32,
    /// What divides or multiplies the logit of a token that stands there already; 1 changes nothing.
    repetition: f32,
    /// What is taken off the logit of such a token.
    presence: f32,
    /// What is taken off for each time that it stands there.
    frequency: f32,
    /// How many of the newest tokens these look at; 0 looks at all.
    penalty_window: usize,
    rule: Rule,
    /// The same seed gives the same text, but for the ratio rule where drafts differ in length.
    seed: u64,
    /// The most tokens to write.
    max_tokens: usize,
    /// The most tokens of prompt and answer together; null is all that the target can read.
    context: Option<usize>,
    /// Texts that end the answer.
    stop: Vec<String>,
    /// Let the model think before it answers.
    thinking: bool,
    precision: Precision,
}

impl Controls {
    pub(crate) fn new(controls: app::Controls, precision: app::Precision) -> Self {
        let app::Controls { schedule, gamma, min_conf, sampling, max_tokens, context, stop, thinking } = controls;
        let Sampling { temperature, top_p, min_p, top_k, penalties, seed, rule } = sampling;
        let Penalties { repetition, presence, frequency, window } = penalties;
        Self {
            schedule: schedule.into(),
            gamma,
            min_conf,
            temperature,
            top_p,
            top_k,
            min_p,
            repetition,
            presence,
            frequency,
            penalty_window: window,
            rule: match rule {
                app::Rule::Coupled => Rule::Coupled,
                app::Rule::Ratio => Rule::Ratio,
            },
            seed,
            max_tokens,
            context,
            stop,
            thinking,
            precision: precision.into(),
        }
    }

    pub(crate) fn precision(&self) -> app::Precision {
        self.precision.into()
    }
}

impl From<Controls> for app::Controls {
    fn from(controls: Controls) -> Self {
        let Controls { temperature, top_p, top_k, min_p, seed, .. } = controls;
        let Controls { repetition, presence, frequency, penalty_window: window, .. } = controls;
        let rule = match controls.rule {
            Rule::Coupled => app::Rule::Coupled,
            Rule::Ratio => app::Rule::Ratio,
        };
        let penalties = Penalties { repetition, presence, frequency, window };
        Self {
            schedule: controls.schedule.into(),
            gamma: controls.gamma,
            min_conf: controls.min_conf,
            sampling: Sampling { temperature, top_p, min_p, top_k, penalties, seed, rule },
            max_tokens: controls.max_tokens,
            context: controls.context,
            stop: controls.stop,
            thinking: controls.thinking,
        }
    }
}

/// Who answers, and how.
#[derive(Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asking {
    /// The target's id.
    target: String,
    /// The drafter's id or `lookup`; null decodes plainly.
    drafter: Option<String>,
    controls: Controls,
    /// Whether the models are loaded although they need more memory than is to be had.
    insist: bool,
    /// Whether rounds tell how probable their tokens were; the answer is the same.
    observe: bool,
}

impl Asking {
    /// What is said to them.
    pub(crate) fn about(self, question: Question) -> Say {
        let Self { target, drafter, controls, insist, observe } = self;
        Say { question, target, drafter, precision: controls.precision(), controls: controls.into(), insist, observe }
    }
}

/// What the user chose last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Preferences {
    /// The target's id.
    target: Option<String>,
    /// The drafter's id or `lookup`; null decodes plainly.
    drafter: Option<String>,
    controls: Controls,
    /// The conversation that is open; null is a new one.
    conversation: Option<i64>,
    /// The part of the window that is open; null is the first.
    view: Option<String>,
    /// The part of that part.
    shelf: Option<String>,
    /// Whether answers are shown as their tokens.
    provenance: bool,
}

impl From<Preferences> for app::Preferences {
    fn from(preferences: Preferences) -> Self {
        let Preferences { target, drafter, controls, conversation, view, shelf, provenance } = preferences;
        let precision = controls.precision();
        Self { target, drafter, precision, controls: controls.into(), conversation, view, shelf, provenance }
    }
}

impl From<app::Preferences> for Preferences {
    fn from(preferences: app::Preferences) -> Self {
        let app::Preferences { target, drafter, precision, controls, conversation, view, shelf, provenance } =
            preferences;
        let controls = Controls::new(controls, precision);
        Self { target, drafter, controls, conversation, view, shelf, provenance }
    }
}

/// A system prompt with the settings that go with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Preset {
    /// At most 60 letters; two that differ in case only are the same.
    name: String,
    /// What the models are told before anything is said; may be empty.
    system: String,
    controls: Controls,
}

impl From<Preset> for app::Preset {
    fn from(Preset { name, system, controls }: Preset) -> Self {
        Self { name, system, precision: controls.precision(), controls: controls.into() }
    }
}

impl From<app::Preset> for Preset {
    fn from(app::Preset { name, system, controls, precision }: app::Preset) -> Self {
        Self { name, system, controls: Controls::new(controls, precision) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_window_sets_comes_back_as_it_was() {
        let controls = Controls {
            schedule: Schedule::Gate,
            gamma: Some(3),
            min_conf: Some(0.25),
            temperature: 0.7,
            top_p: 0.9,
            top_k: 40,
            min_p: 0.05,
            repetition: 1.1,
            presence: 0.2,
            frequency: -0.3,
            penalty_window: 64,
            rule: Rule::Ratio,
            seed: 7,
            max_tokens: 99,
            context: Some(4096),
            stop: vec!["END".into()],
            thinking: true,
            precision: Precision::Float32,
        };
        let (target, view) = (Some("t".into()), Some("models".into()));
        let (conversation, shelf) = (Some(2), Some("discover".into()));
        let preferences = Preferences { target, drafter: None, controls, conversation, view, shelf, provenance: true };
        assert_eq!(Preferences::from(app::Preferences::from(preferences.clone())), preferences);
    }
}
