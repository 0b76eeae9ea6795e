//! What the user chose last, so that the next start begins there.

use engine::{Controls, Precision};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{App, LOOKUP, Result};

/// What the user chose last.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Preferences {
    /// The target's id.
    pub target: Option<String>,
    /// The drafter's id or [`LOOKUP`](crate::LOOKUP); `None` decodes plainly.
    pub drafter: Option<String>,
    /// The number type to compute in.
    pub precision: Precision,
    /// How to answer.
    pub controls: Controls,
    /// The conversation that is open; `None` is a new one.
    pub conversation: Option<i64>,
    /// The part of the window that is open, in the window's own words; `None` is the first.
    pub view: Option<String>,
    /// The part of that part.
    pub shelf: Option<String>,
    /// Whether answers are shown as their tokens, and new ones tell how probable these were.
    pub provenance: bool,
}

impl App {
    /// What the user chose last. Whatever is gone by now, or cannot be read, counts as never chosen.
    ///
    /// # Errors
    /// The database fails.
    pub async fn preferences(&self) -> Result<Preferences> {
        let conversation = match self.chosen::<Option<i64>>("conversation").await? {
            Some(id) => self.store.conversation(id).await?.map(|conversation| conversation.id),
            None => None,
        };
        Ok(Preferences {
            target: self.chosen_model("target").await?,
            drafter: self.chosen_model("drafter").await?,
            precision: self.chosen("precision").await?,
            controls: self.chosen("controls").await?,
            conversation,
            view: self.chosen("view").await?,
            shelf: self.chosen("shelf").await?,
            provenance: self.chosen("provenance").await?,
        })
    }

    /// Remembers what the user chose.
    ///
    /// # Errors
    /// The database fails.
    pub async fn set_preferences(&self, preferences: &Preferences) -> Result<()> {
        self.choose("target", &preferences.target).await?;
        self.choose("drafter", &preferences.drafter).await?;
        self.choose("precision", &preferences.precision).await?;
        self.choose("controls", &preferences.controls).await?;
        self.choose("conversation", &preferences.conversation).await?;
        self.choose("view", &preferences.view).await?;
        self.choose("shelf", &preferences.shelf).await?;
        self.choose("provenance", &preferences.provenance).await
    }

    async fn chosen_model(&self, key: &str) -> Result<Option<String>> {
        match self.chosen::<Option<String>>(key).await? {
            Some(id) if id == LOOKUP => Ok(Some(id)),
            Some(id) => Ok(self.store.model(&id).await?.map(|model| model.id)),
            None => Ok(None),
        }
    }

    pub(crate) async fn chosen<T: DeserializeOwned + Default>(&self, key: &str) -> Result<T> {
        let json = self.store.setting(key).await?;
        Ok(json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default())
    }

    pub(crate) async fn choose<T: Serialize>(&self, key: &str, value: &T) -> Result<()> {
        // Choices are numbers and texts only, so they always have a JSON form.
        let Ok(json) = serde_json::to_string(value) else { return Ok(()) };
        Ok(self.store.set_setting(key, &json).await?)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn choices_are_remembered_until_they_are_gone() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        assert_eq!(app.preferences().await.unwrap(), Preferences::default());

        let conversation = app.store.add_conversation("Hello").await.unwrap().id;
        let controls = Controls { gamma: Some(3), min_conf: Some(0.5), ..Controls::default() };
        let (target, drafter) = (Some("t".into()), Some("d".into()));
        let precision = Precision::Float32;
        let (view, shelf) = (Some("models".into()), Some("discover".into()));
        let chosen = Preferences {
            target,
            drafter,
            precision,
            controls,
            conversation: Some(conversation),
            view,
            shelf,
            provenance: true,
        };
        app.set_preferences(&chosen).await.unwrap();
        assert_eq!(app.preferences().await.unwrap(), chosen);

        let lookup = Preferences { drafter: Some(LOOKUP.into()), ..chosen.clone() };
        app.set_preferences(&lookup).await.unwrap();
        assert_eq!(app.preferences().await.unwrap(), lookup);

        app.set_preferences(&chosen).await.unwrap();
        app.remove_model("d").await.unwrap();
        app.remove_conversation(conversation).await.unwrap();
        app.store.set_setting("controls", "{").await.unwrap();
        let left = Preferences { drafter: None, conversation: None, controls: Controls::default(), ..chosen };
        assert_eq!(app.preferences().await.unwrap(), left);
    }
}
