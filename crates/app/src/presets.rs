//! Presets: system prompts with the settings that go with them, by name.

use engine::{Controls, Precision};
use serde::{Deserialize, Serialize};

use crate::{App, Error, Result};

/// Where they are kept.
const KEY: &str = "presets";

/// The most letters of a name.
const NAME: usize = 60;

/// A system prompt with the settings that go with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Preset {
    /// What the user calls it.
    pub name: String,
    /// What the models are told before anything is said; may be nothing.
    pub system: String,
    /// How to answer.
    pub controls: Controls,
    /// The number type to compute in.
    pub precision: Precision,
}

impl App {
    /// All presets, in the order in which they were first saved.
    ///
    /// # Errors
    /// The database fails.
    pub async fn presets(&self) -> Result<Vec<Preset>> {
        self.chosen(KEY).await
    }

    /// Saves a preset in place of the one with the same name, if there is one, and returns all.
    ///
    /// # Errors
    /// The name is empty or too long, or the database fails.
    pub async fn save_preset(&self, preset: Preset) -> Result<Vec<Preset>> {
        let name = preset.name.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() || name.chars().count() > NAME {
            return Err(Error::PresetName { most: NAME });
        }
        let mut presets = self.presets().await?;
        let known = presets.iter().position(|known| same(&known.name, &name));
        let preset = Preset { name, ..preset };
        match known {
            Some(at) => presets[at] = preset,
            None => presets.push(preset),
        }
        self.choose(KEY, &presets).await?;
        Ok(presets)
    }

    /// Removes a preset, if it is there, and returns the others.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_preset(&self, name: &str) -> Result<Vec<Preset>> {
        let mut presets = self.presets().await?;
        presets.retain(|known| !same(&known.name, name));
        self.choose(KEY, &presets).await?;
        Ok(presets)
    }
}

fn same(name: &str, other: &str) -> bool {
    name.to_lowercase() == other.to_lowercase()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn a_preset_is_kept_by_its_name_until_it_is_removed() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let (controls, precision) = (Controls { gamma: Some(3), ..Controls::default() }, Precision::Float32);
        let preset = |name: &str, system: &str| Preset {
            name: name.into(),
            system: system.into(),
            controls: controls.clone(),
            precision,
        };
        app.save_preset(preset(" Terse\n one ", "Be brief.")).await.unwrap();
        app.save_preset(preset("Poet", "Rhyme.")).await.unwrap();
        app.save_preset(preset("TERSE ONE", "Be very brief.")).await.unwrap();
        let kept = [preset("TERSE ONE", "Be very brief."), preset("Poet", "Rhyme.")];
        assert_eq!(app.presets().await.unwrap(), kept);
        for name in [" ", &"x".repeat(61)] {
            let refused = app.save_preset(preset(name, "")).await.unwrap_err();
            assert_eq!(refused.to_string(), "a preset needs a name of at most 60 letters");
        }
        assert_eq!(app.remove_preset("poet").await.unwrap(), kept[..1]);
        assert_eq!(app.remove_preset("nobody").await.unwrap(), app.presets().await.unwrap());
    }
}
