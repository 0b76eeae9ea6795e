//! Models on this machine: checkpoint folders that are registered where they lie.

use std::path::{Path, PathBuf};

use engine::{Checkpoint, CheckpointRole, DraftSource, Drafts, Need, NewDrafter, Plan, Precision};
use store::{LOOKUP, Source};
use tokio::sync::oneshot;

use crate::library::Origin;
use crate::{App, Error, Pedigree, Result};

/// A registered folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// What commands and pickers call it.
    pub id: String,
    /// What it is for.
    pub role: CheckpointRole,
    /// The family or drafter kind.
    pub kind: String,
    /// Where it lies.
    pub folder: PathBuf,
    /// Who keeps its files.
    pub source: Source,
    /// The repo that they came from, `owner/name`, if that is known.
    pub repo: Option<String>,
    /// The commit of that repo.
    pub commit: Option<String>,
    /// What it is, in a few words.
    pub summary: String,
    /// The size of its weights on disk.
    pub bytes: u64,
    /// How a drafter drafts.
    pub drafts: Option<Drafts>,
    /// Whether a target has a chat template.
    pub chat_template: Option<bool>,
    /// Milliseconds since 1970.
    pub added_at: i64,
    /// When it answered or drafted last; milliseconds since 1970.
    pub last_used_at: Option<i64>,
    /// Why it cannot be used at present, in a sentence.
    pub broken: Option<String>,
}

/// Tokens of prompt and answer together for which figures are shown unless somebody asks for others.
pub const USUAL_CONTEXT: usize = 8192;

/// What a model's files say of it, and what it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Details {
    /// The files.
    pub checkpoint: Checkpoint,
    /// What a target needs of memory.
    pub need: Option<Need>,
    /// Where a drafter came from that was trained here.
    pub pedigree: Option<Pedigree>,
}

impl App {
    /// Every model, by id.
    ///
    /// # Errors
    /// The database fails.
    pub async fn models(&self) -> Result<Vec<Model>> {
        Ok(self.store.models().await?.into_iter().map(Model::from).collect())
    }

    /// The ids of what is in the list and cannot be read: its record is damaged, and all that can be done is to
    /// [remove](App::remove_model) it.
    ///
    /// # Errors
    /// The database fails.
    pub async fn damaged_models(&self) -> Result<Vec<String>> {
        Ok(self.store.damaged_models().await?)
    }

    /// One model.
    ///
    /// # Errors
    /// It is not in the list.
    pub async fn model(&self, id: &str) -> Result<Model> {
        let row = self.store.model(id).await?;
        row.map(Model::from).ok_or_else(|| Error::NoSuchModel(id.to_owned()))
    }

    /// A look at a model's files, and what a target needs of memory to compute in this number type, with this drafter or
    /// without, for prompts and answers of `context` tokens together.
    ///
    /// # Errors
    /// A model is not in the list, or its files are not what they were.
    pub async fn model_details(
        &self,
        id: &str,
        drafter: Option<&str>,
        precision: Precision,
        context: usize,
    ) -> Result<Details> {
        let Model { role, folder, source, .. } = self.model(id).await?;
        let drafter = match drafter {
            Some(drafter) => Some(self.resolve_drafter(drafter).await?),
            None => None,
        };
        let look = move || {
            let checkpoint = engine::inspect(&folder)?;
            let need = || Ok::<_, Error>(Plan::of(&folder, drafter.as_ref(), precision)?.need(context));
            let need = (role == CheckpointRole::Target).then(need).transpose()?;
            let pedigree = (source == Source::Trained).then(|| Pedigree::read(&folder)).flatten();
            Ok(Details { checkpoint, need, pedigree })
        };
        tokio::task::spawn_blocking(look).await.unwrap_or(Err(engine::Error::Closed.into()))
    }

    /// Registers a folder after a look at its files; nothing is copied. Without an id it gets one from its repo's or its
    /// own name. With a role, a folder of the other role is refused. A folder that is in the trash comes out of it as it
    /// was.
    ///
    /// # Errors
    /// The folder holds no checkpoint that can be used, or the wrong one; it or the id is in the list already.
    pub async fn add_model(&self, folder: &Path, id: Option<&str>, role: Option<CheckpointRole>) -> Result<Model> {
        // The same folder by another path is the same folder. A path that leads nowhere is left to the inspection.
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let checkpoint = inspect(folder.clone()).await?;
        if let Some(wanted) = role.filter(|wanted| *wanted != checkpoint.role) {
            return Err(Error::WrongRole { folder, found: checkpoint.role, wanted });
        }
        let Origin { source, revision } = self.origin(&folder).await?;
        let folder = folder.into_os_string().into_string().map_err(|path| Error::NotUnicode(path.into()))?;
        Ok(self.store.add_model(id, &row(folder, checkpoint, source, revision)).await?.into())
    }

    /// The folder that a name stands for: the id of a model in this role, or a path.
    ///
    /// # Errors
    /// It is neither, the model has the other role, or its folder is gone.
    pub async fn resolve(&self, name: &str, role: CheckpointRole) -> Result<PathBuf> {
        if self.store.model(name).await?.is_some() {
            return Ok(self.usable(name, role).await?.folder);
        }
        Path::new(name).canonicalize().map_err(|_| Error::NoSuchName(name.to_owned()))
    }

    /// Where the drafts come from that a name stands for: [`LOOKUP`], the id of a drafter, or a path.
    ///
    /// # Errors
    /// It is none of these, the model is a target, or its folder is gone.
    pub async fn resolve_drafter(&self, name: &str) -> Result<DraftSource> {
        if name == LOOKUP {
            return Ok(DraftSource::Lookup);
        }
        Ok(DraftSource::Folder(self.resolve(name, CheckpointRole::Drafter).await?))
    }

    /// The same for an id only: as it is in the list, and where its drafts come from.
    pub(crate) async fn usable_drafter(&self, id: &str) -> Result<(String, DraftSource)> {
        if id == LOOKUP {
            return Ok((id.to_owned(), DraftSource::Lookup));
        }
        let Model { id, folder, .. } = self.usable(id, CheckpointRole::Drafter).await?;
        Ok((id, DraftSource::Folder(folder)))
    }

    /// The model with this id, if it can be used in this role.
    pub(crate) async fn usable(&self, id: &str, role: CheckpointRole) -> Result<Model> {
        let unusable = |why: String| Err(Error::Unusable { role, id: id.to_owned(), why });
        match self.store.model(id).await?.map(Model::from) {
            None => unusable("it is not in the list".into()),
            Some(Model { broken: Some(why), .. }) => unusable(why),
            Some(model) if model.role != role => unusable(format!("it is a {}", word(model.role))),
            Some(model) => Ok(model),
        }
    }

    /// Notes that a target answers now, and with which drafter, by their ids; what is no model is passed over. Answers
    /// that are stored note it themselves.
    ///
    /// # Errors
    /// The database fails.
    pub async fn note_use(&self, target: &str, drafter: Option<&str>) -> Result<()> {
        Ok(self.store.note_use(target, drafter).await?)
    }

    /// Makes a drafter with fresh weights for a target, in a folder of its own. It is not registered.
    ///
    /// # Errors
    /// The target cannot be read, the measures do not fit, or the folder cannot be written.
    pub async fn new_drafter(&self, new: NewDrafter) -> Result<Checkpoint> {
        let (done, made) = oneshot::channel();
        // Nobody waits any more if the send fails, so nobody misses the result.
        self.engine.new_drafter(new, move |result| drop(done.send(result)));
        Ok(made.await.unwrap_or(Err(engine::Error::Closed))?)
    }
}

/// A look at a folder's files.
pub(crate) async fn inspect(folder: PathBuf) -> Result<Checkpoint> {
    let looked = tokio::task::spawn_blocking(move || engine::inspect(&folder)).await;
    Ok(looked.unwrap_or(Err(engine::Error::Closed))?)
}

/// What the database keeps of a checkpoint.
pub(crate) fn row(folder: String, checkpoint: Checkpoint, source: Source, revision: Option<i64>) -> store::Checkpoint {
    let Checkpoint { role, kind, summary, bytes, drafts, chat_template, .. } = checkpoint;
    let role = match role {
        CheckpointRole::Target => store::Role::Target,
        CheckpointRole::Drafter => store::Role::Drafter,
    };
    let number = |of: fn(&Drafts) -> usize| drafts.as_ref().and_then(|drafts| u32::try_from(of(drafts)).ok());
    store::Checkpoint {
        role,
        kind,
        folder,
        source,
        revision_id: revision,
        summary,
        bytes,
        draft_limit: number(|drafts| drafts.limit),
        draft_usual: number(|drafts| drafts.usual),
        draft_confident: drafts.map(|drafts| drafts.confident),
        chat_template,
    }
}

impl From<store::Model> for Model {
    fn from(row: store::Model) -> Self {
        let store::Model { id, checkpoint, repo, commit_hash, added_at, last_used_at, .. } = row;
        let folder = PathBuf::from(checkpoint.folder);
        let drafts = checkpoint.draft_limit.map(|limit| Drafts {
            limit: limit as usize,
            usual: checkpoint.draft_usual.unwrap_or(limit) as usize,
            // What it lacks is said when it is used.
            confident: checkpoint.draft_confident.unwrap_or(true),
        });
        let broken = (!folder.is_dir()).then(|| format!("its folder {} is gone", folder.display()));
        Self {
            id,
            role: match checkpoint.role {
                store::Role::Target => CheckpointRole::Target,
                store::Role::Drafter => CheckpointRole::Drafter,
            },
            kind: checkpoint.kind,
            folder,
            source: checkpoint.source,
            repo,
            commit: commit_hash,
            summary: checkpoint.summary,
            bytes: checkpoint.bytes,
            drafts,
            chat_template: checkpoint.chat_template,
            added_at,
            last_used_at,
            broken,
        }
    }
}

/// A role as sentences call it.
pub(crate) fn word(role: CheckpointRole) -> &'static str {
    match role {
        CheckpointRole::Target => "target",
        CheckpointRole::Drafter => "drafter",
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use crate::{CheckpointRole, Code, Error, testing};

    #[tokio::test]
    async fn a_model_whose_folder_is_gone_says_so_and_can_be_removed() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        assert_eq!(app.model("T").await.unwrap().broken, None);
        std::fs::remove_dir(home.path().join("t")).unwrap();
        assert!(app.model("t").await.unwrap().broken.unwrap().ends_with("is gone"));
        let refused = app.resolve("t", CheckpointRole::Target).await.unwrap_err();
        assert_eq!(refused.code(), Some(Code::PickTarget));
        app.remove_model("t").await.unwrap();
        assert!(matches!(app.remove_model("t").await, Err(Error::NoSuchModel(id)) if id == "t"));
        assert!(home.path().join("d").is_dir());
    }

    #[tokio::test]
    async fn a_name_is_a_model_or_else_a_folder() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let folder = home.path().canonicalize().unwrap();
        assert_eq!(app.resolve("D", CheckpointRole::Drafter).await.unwrap(), home.path().join("d"));
        assert_eq!(app.resolve(folder.to_str().unwrap(), CheckpointRole::Target).await.unwrap(), folder);
        let refused = app.resolve("nothing", CheckpointRole::Target).await.unwrap_err();
        assert_eq!(refused.to_string(), "“nothing” is neither a model in the list nor a folder");
        let refused = app.resolve("d", CheckpointRole::Target).await.unwrap_err();
        assert_eq!(refused.to_string(), "the target “d” cannot be used: it is a drafter");
    }

    #[tokio::test]
    async fn a_folder_without_a_checkpoint_is_not_registered() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        for folder in [home.path().join("home"), home.path().join("nowhere")] {
            assert!(matches!(app.add_model(&folder, None, None).await, Err(Error::Engine(_))));
        }
        assert_eq!(app.models().await.unwrap().len(), 2);
    }
}
