//! Tables `trainings` and `training_points`: drafters that are trained here, and how they came along.

use crate::{Error, Result, Store, models};

/// How far a training is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "snake_case")]
pub enum TrainingState {
    /// It waits for its turn.
    #[default]
    Waiting,
    /// The target answers the prompts.
    Answering,
    /// The drafter learns.
    Training,
    /// It can go on.
    Paused,
    /// All steps are done.
    Done,
    /// Somebody ended it before that.
    Stopped,
    /// It could not go on.
    Failed,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Training {
    /// Its number, never used twice.
    pub id: i64,
    /// What the drafter will be called.
    pub name: String,
    /// What was ordered, JSON.
    pub ordered: String,
    /// What it learns from, in a few words.
    pub data: String,
    /// How far it is.
    pub state: TrainingState,
    /// Why it could not go on, in a sentence.
    pub failure: Option<String>,
    /// Answers that are captured.
    pub answers_done: u32,
    /// Answers in all; 0 before they are counted.
    pub answers_of: u32,
    /// Steps done.
    pub step: u32,
    /// Steps in all; 0 before they are known.
    pub steps: u32,
    /// The model that came of it.
    pub drafter_id: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// A point of a training's curve.
#[derive(Debug, Clone, Copy, PartialEq, sqlx::FromRow)]
pub struct TrainingPoint {
    /// Steps done.
    pub step: u32,
    /// The loss there.
    pub loss: Option<f64>,
    /// The tokens of a round, where they were measured.
    pub tokens_per_round: Option<f64>,
    /// Whether none before were more.
    pub best: bool,
}

/// How far a running training is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrainingProgress {
    /// What it does.
    pub state: TrainingState,
    /// Answers that are captured.
    pub answers_done: u32,
    /// Answers in all.
    pub answers_of: u32,
    /// Steps done.
    pub step: u32,
    /// Steps in all.
    pub steps: u32,
}

impl Store {
    /// A new training, which waits for its turn.
    ///
    /// # Errors
    /// A training or a model has this name, it cannot be an id, or the database fails.
    pub async fn add_training(&self, name: &str, ordered: &str, data: &str) -> Result<Training> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let name = models::chosen(&mut transaction, name).await?;
        let new = sqlx::query_as(
            "INSERT INTO trainings (name, ordered, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING *",
        );
        let new = new.bind(&name).bind(ordered).bind(data).fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        new.ok_or(Error::IdTaken(name))
    }

    /// All trainings, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn trainings(&self) -> Result<Vec<Training>> {
        Ok(sqlx::query_as("SELECT * FROM trainings ORDER BY id DESC").fetch_all(&self.pool).await?)
    }

    /// One training.
    ///
    /// # Errors
    /// The database fails.
    pub async fn training(&self, id: i64) -> Result<Option<Training>> {
        Ok(sqlx::query_as("SELECT * FROM trainings WHERE id = ?").bind(id).fetch_optional(&self.pool).await?)
    }

    /// The curve of a training, in the order of its steps.
    ///
    /// # Errors
    /// The database fails.
    pub async fn training_points(&self, training: i64) -> Result<Vec<TrainingPoint>> {
        let points = sqlx::query_as(
            "SELECT step, loss, tokens_per_round, best FROM training_points WHERE training_id = ? ORDER BY step",
        );
        Ok(points.bind(training).fetch_all(&self.pool).await?)
    }

    /// Adds to the curve. What is known of a step already is overwritten by what the point knows.
    ///
    /// # Errors
    /// There is no such training, or the database fails.
    pub async fn add_training_point(&self, training: i64, point: TrainingPoint) -> Result<()> {
        let add = sqlx::query(
            "INSERT INTO training_points (training_id, step, loss, tokens_per_round, best) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET loss = coalesce(excluded.loss, loss),
             tokens_per_round = coalesce(excluded.tokens_per_round, tokens_per_round), best = max(best, excluded.best)",
        );
        let add = add.bind(training).bind(point.step).bind(point.loss).bind(point.tokens_per_round).bind(point.best);
        add.execute(&self.pool).await?;
        Ok(())
    }

    /// Notes how far a training is.
    ///
    /// # Errors
    /// The database fails.
    pub async fn note_training(&self, id: i64, progress: TrainingProgress) -> Result<()> {
        let note = sqlx::query(
            "UPDATE trainings SET state = ?, failure = NULL, answers_done = ?, answers_of = ?, step = ?, steps = ?
             WHERE id = ?",
        );
        let TrainingProgress { state, answers_done, answers_of, step, steps } = progress;
        let note = note.bind(state).bind(answers_done).bind(answers_of).bind(step).bind(steps).bind(id);
        note.execute(&self.pool).await?;
        Ok(())
    }

    /// Brings a training into another state, with the sentence why it failed, or the model that came of
    /// it; one that is known already stays.
    ///
    /// # Errors
    /// There is no such model, or the database fails.
    pub async fn set_training(
        &self,
        id: i64,
        state: TrainingState,
        failure: Option<&str>,
        drafter: Option<&str>,
    ) -> Result<()> {
        let set = sqlx::query(
            "UPDATE trainings SET state = ?, failure = ?, drafter_id = coalesce(?, drafter_id) WHERE id = ?",
        );
        set.bind(state).bind(failure).bind(drafter).bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// Lets a training that is over begin anew, without its curve, by what is ordered now.
    ///
    /// # Errors
    /// Another training or a model has its name by now, or the database fails.
    pub async fn reopen_training(&self, id: i64, ordered: &str) -> Result<()> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let name = sqlx::query_scalar::<_, String>("SELECT name FROM trainings WHERE id = ?").bind(id);
        let name = name.fetch_one(&mut *transaction).await?;
        models::chosen(&mut transaction, &name).await?;
        let reopen = sqlx::query(
            "UPDATE OR IGNORE trainings SET ordered = ?, state = 'paused', failure = NULL, step = 0, steps = 0 WHERE id = ?",
        );
        if reopen.bind(ordered).bind(id).execute(&mut *transaction).await?.rows_affected() == 0 {
            return Err(Error::IdTaken(name));
        }
        sqlx::query("DELETE FROM training_points WHERE training_id = ?").bind(id).execute(&mut *transaction).await?;
        Ok(transaction.commit().await?)
    }

    /// Takes a training off the list, with its curve.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_training(&self, id: i64) -> Result<()> {
        sqlx::query("DELETE FROM trainings WHERE id = ?").bind(id).execute(&self.pool).await?;
        Ok(())
    }
}
