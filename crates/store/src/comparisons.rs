//! Tables `comparisons`, `comparison_prompts` and `comparison_answers`: drafters side by side, and what each answered.

use crate::{Result, Store};

/// How far a comparison is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "snake_case")]
pub enum ComparisonState {
    /// It waits for its turn.
    #[default]
    Waiting,
    /// It is under way.
    Running,
    /// It can go on.
    Paused,
    /// It came to its end.
    Done,
    /// It could not go on.
    Failed,
}

/// How far a running comparison is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct ComparisonProgress {
    /// Whether it is under way.
    pub state: ComparisonState,
    /// Answers that are done.
    pub done: u32,
    /// Answers in all.
    pub total: u32,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Comparison {
    /// Its number, never used twice.
    pub id: i64,
    /// The id that the target had.
    pub target: String,
    /// What was ordered, JSON.
    pub ordered: String,
    /// What it is measured with, JSON.
    pub conditions: String,
    /// What is asked, in a few words.
    pub data: String,
    /// How far it is.
    #[sqlx(flatten)]
    pub progress: ComparisonProgress,
    /// Why it could not go on, in a sentence.
    pub failure: Option<String>,
    /// What came of it, in a few words, once it is done.
    pub verdict: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// A new comparison.
#[derive(Debug, Clone)]
pub struct NewComparison<'a> {
    /// The target's id.
    pub target: &'a str,
    /// What was ordered, JSON.
    pub ordered: &'a str,
    /// What it is measured with, JSON.
    pub conditions: &'a str,
    /// What is asked, in a few words.
    pub data: &'a str,
    /// Answers in all.
    pub total: u32,
}

/// A prompt of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ComparisonPrompt {
    /// Its number, from 0.
    pub number: u32,
    /// What it is one of.
    pub suite: String,
    /// What is asked.
    pub text: String,
}

/// What a column answered to a prompt.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ComparisonAnswer {
    /// The prompt's number.
    pub prompt: u32,
    /// The column, of which 0 is plain decoding.
    pub place: u32,
    /// The answer, JSON.
    pub record: String,
    /// Where it differs from what the target writes, JSON; nothing of one that is the plain one, or before that is known.
    pub divergence: Option<String>,
}

impl Store {
    /// A new comparison, which waits for its turn, with its prompts; returns its id.
    ///
    /// # Errors
    /// The database fails.
    pub async fn add_comparison(&self, new: &NewComparison<'_>, prompts: &[ComparisonPrompt]) -> Result<i64> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let add = sqlx::query_scalar(
            "INSERT INTO comparisons (target, ordered, conditions, data, total) VALUES (?, ?, ?, ?, ?) RETURNING id",
        );
        let NewComparison { target, ordered, conditions, data, total } = new;
        let add = add.bind(target).bind(ordered).bind(conditions).bind(data).bind(total);
        let id = add.fetch_one(&mut *transaction).await?;
        for ComparisonPrompt { number, suite, text } in prompts {
            let add =
                sqlx::query("INSERT INTO comparison_prompts (comparison_id, number, suite, text) VALUES (?, ?, ?, ?)");
            add.bind(id).bind(number).bind(suite).bind(text).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(id)
    }

    /// All comparisons, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn comparisons(&self) -> Result<Vec<Comparison>> {
        Ok(sqlx::query_as("SELECT * FROM comparisons ORDER BY id DESC").fetch_all(&self.pool).await?)
    }

    /// One comparison.
    ///
    /// # Errors
    /// The database fails.
    pub async fn comparison(&self, id: i64) -> Result<Option<Comparison>> {
        Ok(sqlx::query_as("SELECT * FROM comparisons WHERE id = ?").bind(id).fetch_optional(&self.pool).await?)
    }

    /// The prompts of a comparison, by number.
    ///
    /// # Errors
    /// The database fails.
    pub async fn comparison_prompts(&self, id: i64) -> Result<Vec<ComparisonPrompt>> {
        let prompts = sqlx::query_as(
            "SELECT number, suite, text FROM comparison_prompts WHERE comparison_id = ? ORDER BY number",
        );
        Ok(prompts.bind(id).fetch_all(&self.pool).await?)
    }

    /// The answers of a comparison, prompt by prompt.
    ///
    /// # Errors
    /// The database fails.
    pub async fn comparison_answers(&self, id: i64) -> Result<Vec<ComparisonAnswer>> {
        let answers = sqlx::query_as(
            "SELECT prompt, place, record, divergence FROM comparison_answers
             WHERE comparison_id = ? ORDER BY prompt, place",
        );
        Ok(answers.bind(id).fetch_all(&self.pool).await?)
    }

    /// Keeps an answer, in the place of one that is there.
    ///
    /// # Errors
    /// There is no such prompt, or the database fails.
    pub async fn keep_comparison_answer(&self, id: i64, answer: &ComparisonAnswer) -> Result<()> {
        let keep = sqlx::query(
            "INSERT OR REPLACE INTO comparison_answers (comparison_id, prompt, place, record, divergence)
             VALUES (?, ?, ?, ?, ?)",
        );
        let ComparisonAnswer { prompt, place, record, divergence } = answer;
        keep.bind(id).bind(prompt).bind(place).bind(record).bind(divergence).execute(&self.pool).await?;
        Ok(())
    }

    /// Notes how far a comparison is, with the sentence why it failed.
    ///
    /// # Errors
    /// The database fails.
    pub async fn note_comparison(&self, id: i64, now: ComparisonProgress, failure: Option<&str>) -> Result<()> {
        let note = sqlx::query("UPDATE comparisons SET state = ?, done = ?, total = ?, failure = ? WHERE id = ?");
        note.bind(now.state).bind(now.done).bind(now.total).bind(failure).bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// Ends a comparison with what came of it, in a few words.
    ///
    /// # Errors
    /// The database fails.
    pub async fn end_comparison(&self, id: i64, verdict: &str) -> Result<()> {
        let end = sqlx::query(
            "UPDATE comparisons SET state = 'done', done = total, failure = NULL, verdict = ? WHERE id = ?",
        );
        end.bind(verdict).bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// Takes a comparison off the list, with all its answers.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_comparison(&self, id: i64) -> Result<()> {
        sqlx::query("DELETE FROM comparisons WHERE id = ?").bind(id).execute(&self.pool).await?;
        Ok(())
    }
}
