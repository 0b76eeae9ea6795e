//! The models that come with the app: a target and drafters for it, so that a new home can chat, race and calibrate at
//! once, without a network or an account.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use demo::MODELS;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::library::blocking;
use crate::{App, Error, Model, Preferences, Result};

/// Where it is remembered how far a home has got with the demo models.
const KEY: &str = "demo";

/// How far a home has got with them. Once it is through, whoever removed them does not get them back unasked.
#[derive(Default, Serialize, Deserialize)]
enum Welcome {
    #[default]
    Unknown,
    Begun,
    Over,
}

impl App {
    /// For a window to call as it starts: adds the demo models to a new home, and chooses the target with its best
    /// drafter. If that is interrupted, the next start goes on with it.
    ///
    /// # Errors
    /// The data folder cannot be written; the database fails.
    pub async fn start_demo(&self) -> Result<()> {
        let wanted = match self.chosen(KEY).await? {
            Welcome::Unknown => self.store.folders().await?.is_empty(),
            Welcome::Begun => true,
            Welcome::Over => return Ok(()),
        };
        if wanted {
            self.choose(KEY, &Welcome::Begun).await?;
            let mut added = self.add_demo().await?.into_iter().map(|model| Some(model.id));
            let (target, drafter) = (added.next().flatten(), added.next().flatten());
            let before = self.preferences().await?;
            if before.target.is_none() {
                self.set_preferences(&Preferences { target, drafter, ..before }).await?;
            }
        }
        self.choose(KEY, &Welcome::Over).await
    }

    /// Writes the demo models into the data folder, adds those that are not in the list, and returns all of them: the
    /// target, and then its drafters, the best first.
    ///
    /// # Errors
    /// The data folder cannot be written; the database fails.
    pub async fn add_demo(&self) -> Result<Vec<Model>> {
        // Somebody may be emptying the trash that they are in.
        let _alone = self.alone().await?;
        let mut models = Vec::new();
        for shipped in &MODELS {
            let folder = self.demo_folder().join(shipped.name);
            let written = folder.clone();
            blocking(move || place(shipped, &written).map_err(|source| Error::Home { path: written, source })).await?;
            models.push(match self.add_model(&folder, None, None).await {
                Err(Error::Store(store::Error::FolderTaken { id, .. })) => self.model(&id).await?,
                added => added?,
            });
        }
        Ok(models)
    }

    /// Whether a folder is that of a demo model.
    pub(crate) fn is_demo(&self, folder: &Path) -> bool {
        // It is not there before they are.
        let Ok(demo) = self.demo_folder().canonicalize() else { return false };
        MODELS.iter().any(|model| demo.join(model.name) == folder)
    }

    fn demo_folder(&self) -> PathBuf {
        self.library.home.join("demo")
    }
}

/// Makes `folder` hold the files as they are shipped, all of them or none.
fn place(model: &demo::Model, folder: &Path) -> io::Result<()> {
    let is_shipped = |(name, bytes): &(&str, &[u8])| fs::read(folder.join(name)).is_ok_and(|there| there == *bytes);
    if model.files.iter().all(is_shipped) {
        return Ok(());
    }
    let beside = folder.parent().unwrap_or(folder);
    fs::create_dir_all(beside)?;
    let new = TempDir::new_in(beside)?;
    for (name, bytes) in model.files {
        let mut file = File::create(new.path().join(name))?;
        file.write_all(bytes)?;
        file.sync_all()?;
    }
    // Of an older release, or damaged.
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::rename(new.keep(), folder)?;
    File::open(beside)?.sync_all()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;
    use crate::{Source, testing};

    async fn ids(app: &App) -> Vec<String> {
        app.models().await.unwrap().into_iter().map(|model| model.id).collect()
    }

    #[tokio::test]
    async fn a_new_home_has_them_and_the_best_pair_is_chosen_and_who_removes_them_is_rid_of_them() {
        let home = tempfile::tempdir().unwrap();
        let app = App::open(home.path()).await.unwrap();
        app.start_demo().await.unwrap();
        let models = app.models().await.unwrap();
        assert_eq!(models.len(), MODELS.len());
        assert!(models.iter().all(|model| model.source == Source::Demo && model.broken.is_none()));
        let chosen = app.preferences().await.unwrap();
        assert_eq!((chosen.target.as_deref(), chosen.drafter.as_deref()), (Some(MODELS[0].name), Some(MODELS[1].name)));

        for id in ids(&app).await {
            app.remove_model(&id).await.unwrap();
        }
        let shipped = MODELS.iter().flat_map(|model| model.files).map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        assert_eq!(app.empty_trash().await.unwrap(), shipped);
        assert!(!home.path().join("demo").exists());
        app.start_demo().await.unwrap();
        assert!(ids(&app).await.is_empty());
        assert_eq!(app.add_demo().await.unwrap().len(), MODELS.len(), "unless asked for");
    }

    #[tokio::test]
    async fn a_first_start_that_was_interrupted_is_finished_by_the_next() {
        let home = tempfile::tempdir().unwrap();
        let app = App::open(home.path()).await.unwrap();
        app.choose(KEY, &Welcome::Begun).await.unwrap();
        app.add_demo().await.unwrap();
        app.store.remove_model(MODELS[3].name).await.unwrap();
        fs::remove_dir_all(app.demo_folder().join(MODELS[3].name)).unwrap();
        fs::write(app.demo_folder().join(MODELS[2].name).join("model.safetensors"), "half").unwrap();
        app.start_demo().await.unwrap();
        assert_eq!(ids(&app).await.len(), MODELS.len());
        assert_eq!(app.preferences().await.unwrap().target.as_deref(), Some(MODELS[0].name));
        for model in &MODELS {
            for (name, bytes) in model.files {
                assert!(fs::read(app.demo_folder().join(model.name).join(name)).unwrap() == *bytes, "{name}");
            }
        }
    }

    #[tokio::test]
    async fn a_home_that_has_models_does_not_get_them_unasked() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        app.start_demo().await.unwrap();
        assert_eq!(ids(&app).await, ["d", "t"]);
    }

    #[tokio::test]
    async fn a_name_that_is_taken_by_another_folder_is_left_to_it() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let mine = home.path().join("mine");
        fs::create_dir(&mine).unwrap();
        for (name, bytes) in MODELS[0].files {
            fs::write(mine.join(name), bytes).unwrap();
        }
        app.add_model(&mine, Some(MODELS[0].name), None).await.unwrap();
        assert_eq!(app.add_demo().await.unwrap()[0].id, format!("{}-2", MODELS[0].name));
        assert_eq!(app.model(MODELS[0].name).await.unwrap().source, Source::Folder);
    }
}
