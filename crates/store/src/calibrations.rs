//! Tables `calibrations` and `calibration_prompts`: what was fitted to drafters' confidences, and from what.

use crate::{Result, Store};

/// How far a calibration is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "snake_case")]
pub enum CalibrationState {
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

/// What a calibration does, in this order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, sqlx::Type)]
#[sqlx(rename_all = "snake_case")]
pub enum CalibrationPhase {
    /// Rounds are recorded.
    #[default]
    Collect,
    /// Temperatures and thresholds are fitted.
    Fit,
    /// Rounds of each length are timed.
    Cost,
    /// The ways of drafting are compared.
    Measure,
}

/// What a calibration holds for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, sqlx::FromRow)]
pub struct CalibrationKey {
    /// The content of the target's files.
    pub target_hash: String,
    /// The content of the drafter's files.
    pub drafter_hash: String,
    /// The number type that both compute in.
    pub precision: String,
    /// Whether the target thinks first.
    pub thinking: bool,
    /// The machine that it was measured on.
    pub machine: String,
    /// The way in which it was made.
    pub version: u32,
}

/// How far a running calibration is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct CalibrationProgress {
    /// Whether it is under way.
    pub state: CalibrationState,
    /// What it does.
    pub phase: CalibrationPhase,
    /// Answers of the phase that are done.
    pub done: u32,
    /// Answers of the phase in all.
    pub total: u32,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Calibration {
    /// Its number, never used twice.
    pub id: i64,
    /// The id that the target had.
    pub target: String,
    /// The id that the drafter had.
    pub drafter: String,
    /// What it holds for.
    #[sqlx(flatten)]
    pub key: CalibrationKey,
    /// What was ordered, JSON.
    pub ordered: String,
    /// What is asked, in a few words.
    pub data: String,
    /// How far it is.
    #[sqlx(flatten)]
    pub progress: CalibrationProgress,
    /// Why it could not go on, in a sentence.
    pub failure: Option<String>,
    /// What came of it, JSON.
    pub report: Option<String>,
    /// When it was put in force; milliseconds since 1970.
    pub applied_at: Option<i64>,
    /// When it was taken out again; milliseconds since 1970.
    pub reverted_at: Option<i64>,
    /// What the drafter's file held before this was written into it, JSON; none if it was not, or was put back.
    pub replaced: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// A new calibration.
#[derive(Debug, Clone)]
pub struct NewCalibration<'a> {
    /// The target's id.
    pub target: &'a str,
    /// The drafter's id.
    pub drafter: &'a str,
    /// What it holds for.
    pub key: &'a CalibrationKey,
    /// What was ordered, JSON.
    pub ordered: &'a str,
    /// What is asked, in a few words.
    pub data: &'a str,
}

/// A prompt of a calibration.
#[derive(Debug, Clone, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct CalibrationPrompt {
    /// Its number, from 0.
    pub number: u32,
    /// The suite that it is from.
    pub suite: String,
    /// Whether it is kept out of the fit.
    pub held_out: bool,
    /// The conversation that it is from, with which it goes.
    pub conversation_id: Option<i64>,
    /// What is asked, JSON; none once the calibration is done.
    pub prompt: Option<String>,
    /// The rounds of its answer, JSON, once it is recorded.
    pub recording: Option<String>,
    /// How long the answer took in each way of drafting, JSON, once that is measured.
    pub runs: Option<String>,
}

impl Store {
    /// A new calibration, which waits for its turn, with its prompts; returns its id.
    ///
    /// # Errors
    /// The database fails.
    pub async fn add_calibration(&self, new: &NewCalibration<'_>, prompts: &[CalibrationPrompt]) -> Result<i64> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let add = sqlx::query_scalar(
            "INSERT INTO calibrations
             (target, drafter, target_hash, drafter_hash, precision, thinking, machine, version, ordered, data, total)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        );
        let NewCalibration { target, drafter, key, ordered, data } = new;
        let add = add.bind(target).bind(drafter).bind(&key.target_hash).bind(&key.drafter_hash).bind(&key.precision);
        let add = add.bind(key.thinking).bind(&key.machine).bind(key.version).bind(ordered).bind(data);
        let total = u32::try_from(prompts.len()).unwrap_or(u32::MAX);
        let id = add.bind(total).fetch_one(&mut *transaction).await?;
        for CalibrationPrompt { number, suite, held_out, conversation_id, prompt, .. } in prompts {
            let add = sqlx::query(
                "INSERT INTO calibration_prompts (calibration_id, number, suite, held_out, conversation_id, prompt)
                 VALUES (?, ?, ?, ?, ?, ?)",
            );
            let add = add.bind(id).bind(number).bind(suite).bind(held_out).bind(conversation_id).bind(prompt);
            add.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(id)
    }

    /// All calibrations, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn calibrations(&self) -> Result<Vec<Calibration>> {
        Ok(sqlx::query_as("SELECT * FROM calibrations ORDER BY id DESC").fetch_all(&self.pool).await?)
    }

    /// One calibration.
    ///
    /// # Errors
    /// The database fails.
    pub async fn calibration(&self, id: i64) -> Result<Option<Calibration>> {
        Ok(sqlx::query_as("SELECT * FROM calibrations WHERE id = ?").bind(id).fetch_optional(&self.pool).await?)
    }

    /// The prompts of a calibration, by number.
    ///
    /// # Errors
    /// The database fails.
    pub async fn calibration_prompts(&self, id: i64) -> Result<Vec<CalibrationPrompt>> {
        let prompts = sqlx::query_as(
            "SELECT number, suite, held_out, conversation_id, prompt, recording, runs FROM calibration_prompts
             WHERE calibration_id = ? ORDER BY number",
        );
        Ok(prompts.bind(id).fetch_all(&self.pool).await?)
    }

    /// Keeps the rounds of an answer, JSON.
    ///
    /// # Errors
    /// The database fails.
    pub async fn keep_recording(&self, id: i64, number: u32, recording: &str) -> Result<()> {
        let keep = sqlx::query("UPDATE calibration_prompts SET recording = ? WHERE calibration_id = ? AND number = ?");
        keep.bind(recording).bind(id).bind(number).execute(&self.pool).await?;
        Ok(())
    }

    /// Keeps how long an answer took in each way of drafting, JSON.
    ///
    /// # Errors
    /// The database fails.
    pub async fn keep_runs(&self, id: i64, number: u32, runs: &str) -> Result<()> {
        let keep = sqlx::query("UPDATE calibration_prompts SET runs = ? WHERE calibration_id = ? AND number = ?");
        keep.bind(runs).bind(id).bind(number).execute(&self.pool).await?;
        Ok(())
    }

    /// Notes how far a calibration is, with the sentence why it failed.
    ///
    /// # Errors
    /// The database fails.
    pub async fn note_calibration(&self, id: i64, now: CalibrationProgress, failure: Option<&str>) -> Result<()> {
        let note =
            sqlx::query("UPDATE calibrations SET state = ?, phase = ?, done = ?, total = ?, failure = ? WHERE id = ?");
        let note = note.bind(now.state).bind(now.phase).bind(now.done).bind(now.total).bind(failure).bind(id);
        note.execute(&self.pool).await?;
        Ok(())
    }

    /// Ends a calibration with its report, JSON. What was asked is forgotten; what was recorded stays, whatever becomes of
    /// conversations.
    ///
    /// # Errors
    /// The database fails.
    pub async fn end_calibration(&self, id: i64, report: &str) -> Result<()> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let end = sqlx::query("UPDATE calibrations SET state = 'done', failure = NULL, report = ? WHERE id = ?");
        end.bind(report).bind(id).execute(&mut *transaction).await?;
        let forget = sqlx::query(
            "UPDATE calibration_prompts SET prompt = NULL, conversation_id = NULL WHERE calibration_id = ?",
        );
        forget.bind(id).execute(&mut *transaction).await?;
        Ok(transaction.commit().await?)
    }

    /// Puts a calibration in force, before all that were.
    ///
    /// # Errors
    /// The database fails.
    pub async fn apply_calibration(&self, id: i64) -> Result<()> {
        let apply = sqlx::query(
            "UPDATE calibrations SET reverted_at = NULL, applied_at =
                 max(CAST(unixepoch('subsec') * 1000 AS INTEGER),
                     1 + (SELECT coalesce(max(applied_at), 0) FROM calibrations))
             WHERE id = ?",
        );
        apply.bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// Takes a calibration out of force, if it was applied.
    ///
    /// # Errors
    /// The database fails.
    pub async fn revert_calibration(&self, id: i64) -> Result<()> {
        let revert = sqlx::query(
            "UPDATE calibrations SET reverted_at = max(applied_at, CAST(unixepoch('subsec') * 1000 AS INTEGER))
             WHERE id = ? AND applied_at IS NOT NULL AND reverted_at IS NULL",
        );
        revert.bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// Notes what a drafter's file held before a calibration was written into it, JSON, or that this was put back.
    ///
    /// # Errors
    /// The database fails.
    pub async fn note_replaced(&self, id: i64, replaced: Option<&str>) -> Result<()> {
        let note = sqlx::query("UPDATE calibrations SET replaced = ? WHERE id = ?");
        note.bind(replaced).bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// Whether any calibration is in force.
    ///
    /// # Errors
    /// The database fails.
    pub async fn applies_calibrations(&self) -> Result<bool> {
        let any = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM calibrations WHERE applied_at IS NOT NULL AND reverted_at IS NULL)",
        );
        Ok(any.fetch_one(&self.pool).await?)
    }

    /// The calibration in force for exactly this.
    ///
    /// # Errors
    /// The database fails.
    pub async fn calibration_in_force(&self, key: &CalibrationKey) -> Result<Option<Calibration>> {
        let find = sqlx::query_as(
            "SELECT * FROM calibrations WHERE applied_at IS NOT NULL AND reverted_at IS NULL
             AND target_hash = ? AND drafter_hash = ? AND precision = ? AND thinking = ? AND machine = ? AND version = ? ORDER BY applied_at DESC LIMIT 1",
        );
        let find = find.bind(&key.target_hash).bind(&key.drafter_hash).bind(&key.precision);
        let find = find.bind(key.thinking).bind(&key.machine).bind(key.version);
        Ok(find.fetch_optional(&self.pool).await?)
    }

    /// Takes a calibration off the list, with what was recorded for it.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_calibration(&self, id: i64) -> Result<()> {
        sqlx::query("DELETE FROM calibrations WHERE id = ?").bind(id).execute(&self.pool).await?;
        Ok(())
    }
}
