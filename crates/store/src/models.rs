//! Table `models`: checkpoint folders on this machine.

use std::path::Path;

use sqlx::SqliteConnection;

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

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Model {
    /// Unique, whatever the case of its letters.
    pub id: String,
    /// What was found when it was added.
    #[sqlx(flatten)]
    pub checkpoint: Checkpoint,
    /// Milliseconds since 1970.
    pub added_at: i64,
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
    /// Every model, by id.
    ///
    /// # Errors
    /// The database fails.
    pub async fn models(&self) -> Result<Vec<Model>> {
        Ok(sqlx::query_as("SELECT * FROM models ORDER BY id").fetch_all(&self.pool).await?)
    }

    /// The model with this id, in any case.
    ///
    /// # Errors
    /// The database fails.
    pub async fn model(&self, id: &str) -> Result<Option<Model>> {
        Ok(sqlx::query_as("SELECT * FROM models WHERE id = ?").bind(id).fetch_optional(&self.pool).await?)
    }

    /// Registers a folder under an id; `None` makes one of the folder's name.
    ///
    /// # Errors
    /// The folder or the chosen id is taken, or the id breaks the grammar.
    pub async fn add_model(&self, id: Option<&str>, checkpoint: &Checkpoint) -> Result<Model> {
        let folder = &checkpoint.folder;
        // Immediate: nobody takes the id between the look and the insert.
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        if let Some(id) = owner(&mut transaction, folder).await? {
            return Err(Error::FolderTaken { folder: folder.clone(), id });
        }
        let id = match id {
            None => free_id(&mut transaction, &slug(folder)).await?,
            Some(id) if !is_id(id) => return Err(Error::BadId(id.to_owned())),
            Some(id) if is_taken(&mut transaction, id).await? => return Err(Error::IdTaken(id.to_owned())),
            Some(id) => id.to_owned(),
        };
        let model = sqlx::query_as(
            "INSERT INTO models (id, role, kind, folder, summary, bytes, draft_limit, draft_usual, draft_confident, chat_template)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
        )
        .bind(id)
        .bind(checkpoint.role)
        .bind(&checkpoint.kind)
        .bind(folder)
        .bind(&checkpoint.summary)
        .bind(i64::try_from(checkpoint.bytes).unwrap_or(i64::MAX))
        .bind(checkpoint.draft_limit)
        .bind(checkpoint.draft_usual)
        .bind(checkpoint.draft_confident)
        .bind(checkpoint.chat_template)
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(model)
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

async fn owner(connection: &mut SqliteConnection, folder: &str) -> Result<Option<String>> {
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

/// An id made of the folder's name. Short enough to leave room for a number.
fn slug(folder: &str) -> String {
    let name = Path::new(folder).file_name().unwrap_or_default().to_string_lossy();
    let keep = |letter: char| if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '-' };
    let letters: String = name.chars().map(keep).collect();
    let slug: String = letters.trim_matches(['.', '-', '_']).chars().take(64).collect();
    if slug.is_empty() { "model".into() } else { slug }
}
