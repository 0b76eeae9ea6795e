//! Table `models`: checkpoint folders on this machine.

use std::path::Path;

use sqlx::SqliteConnection;
use sqlx::sqlite::{Sqlite, SqliteArguments};

use crate::rows::{each, readable};
use crate::{Error, Result, Store};

/// What the drafter that is no model is called wherever one is named. No model has this id.
pub const LOOKUP: &str = "lookup";

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "snake_case")]
pub enum Role {
    /// It writes the text.
    Target,
    /// It guesses ahead.
    Drafter,
}

/// Who keeps a model's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "snake_case")]
pub enum Source {
    /// Whoever made the folder.
    Folder,
    /// This app, which downloaded them from the Hub.
    Hub,
    /// The Hub's own tools.
    HuggingFaceCache,
    /// LM Studio.
    LmStudio,
    /// This app, which trained it.
    Trained,
    /// This app, which came with it.
    Demo,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Model {
    /// Unique, whatever the case of its letters.
    pub id: String,
    /// What was found when it was added.
    #[sqlx(flatten)]
    pub checkpoint: Checkpoint,
    /// The repo that its files came from, `owner/name`.
    pub repo: Option<String>,
    /// The commit of that repo, 40 hexadecimal digits.
    pub commit_hash: Option<String>,
    /// Milliseconds since 1970.
    pub added_at: i64,
    /// When it answered or drafted last; milliseconds since 1970.
    pub last_used_at: Option<i64>,
    /// When it was put into the trash; milliseconds since 1970.
    pub trashed_at: Option<i64>,
}

/// What is known of a folder.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Checkpoint {
    /// What it is for.
    pub role: Role,
    /// The family or drafter kind.
    pub kind: String,
    /// Where it lies.
    pub folder: String,
    /// Who keeps its files.
    pub source: Source,
    /// The revision that its files are, if that is known.
    pub revision_id: Option<i64>,
    /// What it is, in a few words.
    pub summary: String,
    /// The size of its weights on disk.
    pub bytes: u64,
    /// The most tokens that a drafter proposes a round (γ).
    pub draft_limit: Option<u32>,
    /// How many it is asked for when nobody says; `None` of one that an older release added.
    pub draft_usual: Option<u32>,
    /// Whether a drafter has a confidence in each token; `None` likewise.
    pub draft_confident: Option<bool>,
    /// Whether a target has a chat template.
    pub chat_template: Option<bool>,
}

impl Store {
    /// Every model that is not in the trash and whose record can be read, by id.
    ///
    /// # Errors
    /// The database fails.
    pub async fn models(&self) -> Result<Vec<Model>> {
        let live = sqlx::query("SELECT * FROM models_with_repo WHERE trashed_at IS NULL ORDER BY id");
        Ok(readable(&live.fetch_all(&self.pool).await?))
    }

    /// At most `limit` models outside of the trash, by id, beginning behind the id `after`: each a model, or the id of one
    /// whose record cannot be read.
    ///
    /// # Errors
    /// The database fails.
    pub async fn models_behind(&self, after: &str, limit: u32) -> Result<Vec<std::result::Result<Model, String>>> {
        let live =
            sqlx::query("SELECT * FROM models_with_repo WHERE trashed_at IS NULL AND id > ? ORDER BY id LIMIT ?");
        let rows = live.bind(after).bind(limit).fetch_all(&self.pool).await?;
        Ok(each(&rows))
    }

    /// Every model in the trash whose record can be read, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn trashed_models(&self) -> Result<Vec<Model>> {
        let trashed =
            sqlx::query("SELECT * FROM models_with_repo WHERE trashed_at IS NOT NULL ORDER BY trashed_at DESC, id");
        Ok(readable(&trashed.fetch_all(&self.pool).await?))
    }

    /// The ids of all whose record cannot be read, in the trash or not: they can still be removed.
    ///
    /// # Errors
    /// The database fails.
    pub async fn damaged_models(&self) -> Result<Vec<String>> {
        let rows = sqlx::query("SELECT * FROM models_with_repo ORDER BY id").fetch_all(&self.pool).await?;
        Ok(each::<Model, _>(&rows).into_iter().filter_map(std::result::Result::err).collect())
    }

    /// The model with this id, in any case, unless it is in the trash.
    ///
    /// # Errors
    /// The database fails.
    pub async fn model(&self, id: &str) -> Result<Option<Model>> {
        let live = sqlx::query_as("SELECT * FROM models_with_repo WHERE id = ? AND trashed_at IS NULL").bind(id);
        Ok(live.fetch_optional(&self.pool).await?)
    }

    /// The model in a folder, unless it is in the trash.
    ///
    /// # Errors
    /// The database fails.
    pub async fn model_in(&self, folder: &str) -> Result<Option<Model>> {
        let live =
            sqlx::query_as("SELECT * FROM models_with_repo WHERE folder = ? AND trashed_at IS NULL").bind(folder);
        Ok(live.fetch_optional(&self.pool).await?)
    }

    /// The models whose files are this revision, by id, unless they are in the trash.
    ///
    /// # Errors
    /// The database fails.
    pub async fn models_of(&self, revision: i64) -> Result<Vec<Model>> {
        let live =
            sqlx::query("SELECT * FROM models_with_repo WHERE revision_id = ? AND trashed_at IS NULL ORDER BY id");
        Ok(readable(&live.bind(revision).fetch_all(&self.pool).await?))
    }

    /// Registers a folder under an id; `None` makes one of the repo's or the folder's name. A folder that is in the
    /// trash is taken out of it, and without an id keeps its own.
    ///
    /// # Errors
    /// The folder or the chosen id is taken, or the id breaks the grammar.
    pub async fn add_model(&self, id: Option<&str>, checkpoint: &Checkpoint) -> Result<Model> {
        // Immediate: nobody takes the id between the look and the insert.
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let model = match owner(&mut transaction, &checkpoint.folder).await? {
            None => insert(&mut transaction, id, checkpoint).await?,
            Some(owner) if is_trashed(&mut transaction, &owner).await? => {
                renew(&mut transaction, &owner, id, checkpoint).await?
            }
            Some(owner) => return Err(Error::FolderTaken { folder: checkpoint.folder.clone(), id: owner }),
        };
        transaction.commit().await?;
        Ok(model)
    }

    /// Puts a model into the trash. Returns whether there was one outside of it.
    ///
    /// # Errors
    /// The database fails.
    pub async fn trash_model(&self, id: &str) -> Result<bool> {
        let trash = sqlx::query(
            "UPDATE models SET trashed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
             WHERE id = ? AND trashed_at IS NULL",
        );
        Ok(trash.bind(id).execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Takes a model out of the trash, if it is there.
    ///
    /// # Errors
    /// The database fails.
    pub async fn restore_model(&self, id: &str) -> Result<Option<Model>> {
        restore(&mut *self.pool.acquire().await?, id).await
    }

    /// The folders of all models, in the trash or not, whether their records can be read or not.
    ///
    /// # Errors
    /// The database fails.
    pub async fn folders(&self) -> Result<Vec<String>> {
        Ok(sqlx::query_scalar("SELECT folder FROM models").fetch_all(&self.pool).await?)
    }

    /// Forgets what was put into the trash until `time`, in milliseconds since 1970, and is there still. Returns whether
    /// there was any.
    ///
    /// # Errors
    /// The database fails.
    pub async fn empty_trash(&self, time: i64) -> Result<bool> {
        let gone = sqlx::query("DELETE FROM models WHERE trashed_at <= ?").bind(time).execute(&self.pool).await?;
        Ok(gone.rows_affected() > 0)
    }

    /// Forgets a model; its folder stays as it is. The row is not read, so that a damaged one can go too. Returns
    /// whether there was one.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_model(&self, id: &str) -> Result<bool> {
        let done = sqlx::query("DELETE FROM models WHERE id = ?").bind(id).execute(&self.pool).await?;
        Ok(done.rows_affected() > 0)
    }
}

/// Makes a row of its own for a folder that has none.
pub(crate) async fn insert(
    connection: &mut SqliteConnection,
    id: Option<&str>,
    checkpoint: &Checkpoint,
) -> Result<Model> {
    let id = match id {
        None => {
            let name = name(connection, checkpoint).await?;
            free_id(connection, &slug(&name)).await?
        }
        Some(id) => chosen(connection, id).await?,
    };
    let new = sqlx::query(
        "INSERT INTO models (role, kind, folder, source, revision_id, summary, bytes,
                             draft_limit, draft_usual, draft_confident, chat_template, id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    bind(new, checkpoint).bind(&id).execute(&mut *connection).await?;
    one(connection, &id).await
}

/// Writes anew what is known of the model `owner`, which leaves the trash, and gives it another id if one is chosen.
pub(crate) async fn renew(
    connection: &mut SqliteConnection,
    owner: &str,
    id: Option<&str>,
    checkpoint: &Checkpoint,
) -> Result<Model> {
    let id = match id.filter(|id| !id.eq_ignore_ascii_case(owner)) {
        None => owner.to_owned(),
        Some(id) => chosen(connection, id).await?,
    };
    let renew = sqlx::query(
        "UPDATE models SET role = ?, kind = ?, folder = ?, source = ?, revision_id = ?, summary = ?, bytes = ?,
         draft_limit = ?, draft_usual = ?, draft_confident = ?, chat_template = ?, id = ?, trashed_at = NULL
         WHERE id = ?",
    );
    bind(renew, checkpoint).bind(&id).bind(owner).execute(&mut *connection).await?;
    one(connection, &id).await
}

type Query<'a> = sqlx::query::Query<'a, Sqlite, SqliteArguments>;

fn bind<'a>(query: Query<'a>, checkpoint: &'a Checkpoint) -> Query<'a> {
    let query = query.bind(checkpoint.role).bind(&checkpoint.kind).bind(&checkpoint.folder);
    let query = query.bind(checkpoint.source).bind(checkpoint.revision_id).bind(&checkpoint.summary);
    let query = query.bind(i64::try_from(checkpoint.bytes).unwrap_or(i64::MAX)).bind(checkpoint.draft_limit);
    query.bind(checkpoint.draft_usual).bind(checkpoint.draft_confident).bind(checkpoint.chat_template)
}

/// An id that somebody chose, if it can be one and is free.
pub(crate) async fn chosen(connection: &mut SqliteConnection, id: &str) -> Result<String> {
    if !is_id(id) {
        return Err(Error::BadId(id.to_owned()));
    }
    if is_taken(connection, id).await? { Err(Error::IdTaken(id.to_owned())) } else { Ok(id.to_owned()) }
}

async fn is_trashed(connection: &mut SqliteConnection, id: &str) -> Result<bool> {
    let trashed = sqlx::query_scalar("SELECT trashed_at IS NOT NULL FROM models WHERE id = ?").bind(id);
    Ok(trashed.fetch_one(connection).await?)
}

/// Takes a model out of the trash, if it is there.
async fn restore(connection: &mut SqliteConnection, id: &str) -> Result<Option<Model>> {
    let restore = sqlx::query("UPDATE models SET trashed_at = NULL WHERE id = ? AND trashed_at IS NOT NULL").bind(id);
    let restored = restore.execute(&mut *connection).await?.rows_affected() > 0;
    Ok(if restored { Some(one(connection, id).await?) } else { None })
}

/// The model with this id, in the trash or not.
async fn one(connection: &mut SqliteConnection, id: &str) -> Result<Model> {
    Ok(sqlx::query_as("SELECT * FROM models_with_repo WHERE id = ?").bind(id).fetch_one(connection).await?)
}

/// What an id is made of: the last part of the repo's name, or of the folder's path.
async fn name(connection: &mut SqliteConnection, checkpoint: &Checkpoint) -> Result<String> {
    let repo = sqlx::query_scalar("SELECT name FROM repos JOIN revisions ON repos.id = repo_id WHERE revisions.id = ?");
    let repo: Option<String> = repo.bind(checkpoint.revision_id).fetch_optional(connection).await?;
    Ok(repo.unwrap_or_else(|| checkpoint.folder.clone()))
}

/// The id of the model in `folder`, in the trash or not.
pub(crate) async fn owner(connection: &mut SqliteConnection, folder: &str) -> Result<Option<String>> {
    let id = sqlx::query_scalar("SELECT id FROM models WHERE folder = ?").bind(folder);
    Ok(id.fetch_optional(connection).await?)
}

async fn is_taken(connection: &mut SqliteConnection, id: &str) -> Result<bool> {
    let taken = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM models WHERE id = ?)").bind(id);
    Ok(id.eq_ignore_ascii_case(LOOKUP) || taken.fetch_one(connection).await?)
}

async fn free_id(connection: &mut SqliteConnection, slug: &str) -> Result<String> {
    let mut id = slug.to_owned();
    let mut count = 1;
    while is_taken(connection, &id).await? {
        count += 1;
        id = format!("{slug}-{count}");
    }
    Ok(id)
}

fn is_id(id: &str) -> bool {
    id.len() <= 80
        && id.starts_with(|first: char| first.is_ascii_alphanumeric())
        && id.chars().all(|letter| letter.is_ascii_alphanumeric() || ".-_".contains(letter))
}

/// An id made of a path's last part. Short enough to leave room for a number.
fn slug(path: &str) -> String {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    let keep = |letter: char| if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '-' };
    let letters: String = name.chars().map(keep).collect();
    let slug: String = letters.trim_matches(['.', '-', '_']).chars().take(64).collect();
    if slug.is_empty() { "model".into() } else { slug }
}
