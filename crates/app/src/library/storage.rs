//! What models take of this machine's disks.

use std::path::PathBuf;

use store::Source;

use crate::{App, Model, Result};

/// What models take of this machine's disks, by the sizes of their weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Storage {
    /// The data folder, where everything lies that the app keeps itself.
    pub folder: PathBuf,
    /// What the models in the list take of it, bytes.
    pub kept: u64,
    /// What the models in the list take that lie in folders of other programs and of the user, bytes.
    pub elsewhere: u64,
    /// What the trash keeps of the data folder, bytes.
    pub trash: u64,
    /// What is free of the disk that the data folder lies on, bytes.
    pub free: u64,
}

impl App {
    /// What models take of this machine's disks, and what is free.
    ///
    /// # Errors
    /// The database fails, or the disk cannot be asked.
    pub async fn storage(&self) -> Result<Storage> {
        let (kept, elsewhere) = sizes(self.models().await?);
        let (trash, _) = sizes(self.trash().await?.into_iter().map(|trashed| trashed.model));
        let folder = self.library.home.clone();
        Ok(Storage { folder, kept, elsewhere, trash, free: self.free_space().await? })
    }
}

/// The bytes of what the app keeps itself, and of what lies elsewhere.
fn sizes(models: impl IntoIterator<Item = Model>) -> (u64, u64) {
    models.into_iter().fold((0, 0), |(kept, elsewhere), model| match model.source {
        Source::Hub | Source::Trained | Source::Demo => (kept + model.bytes, elsewhere),
        Source::Folder | Source::HuggingFaceCache | Source::LmStudio => (kept, elsewhere + model.bytes),
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use crate::testing;

    #[tokio::test]
    async fn a_model_counts_where_it_lies_and_in_the_trash_only_if_the_app_keeps_it() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let sizes = async || {
            let storage = app.storage().await.unwrap();
            (storage.kept, storage.elsewhere, storage.trash)
        };
        let demo: u64 = app.add_demo().await.unwrap().iter().map(|model| model.bytes).sum();
        assert!(demo > 0);
        assert_eq!(sizes().await, (demo, 0, 0));
        for model in app.models().await.unwrap() {
            app.remove_model(&model.id).await.unwrap();
        }
        assert_eq!(sizes().await, (0, 0, demo));
    }
}
