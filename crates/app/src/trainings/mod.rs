//! Drafters that are trained on this machine: ordered, paused, resumed, stopped.

mod ending;
mod estimate;
mod order;
mod pedigree;
mod prompts;
mod running;

use engine::{DesignKind, Lesson, LessonPlan, Prompt, Room};
use store::{TrainingPoint, TrainingProgress};

use self::ending::{is_over, keeps_answers};
use crate::jobs::Job;
use crate::library::blocking;
use crate::{App, Error, Result};

pub use engine::TrainingLength;
pub use order::{TrainingData, TrainingOrder};
pub use pedigree::Pedigree;
pub(crate) use running::Stands;
pub use store::TrainingState;

/// A training, as far as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    /// Its number, never used twice.
    pub id: i64,
    /// What the drafter will be called.
    pub name: String,
    /// The target's id.
    pub target: String,
    /// The kind of drafter.
    pub kind: DesignKind,
    /// What it learns from, in a few words.
    pub data: String,
    /// How far it is.
    pub state: TrainingState,
    /// Answers of the target that are captured.
    pub answers_done: usize,
    /// Answers in all; 0 before they are counted.
    pub answers_of: usize,
    /// Steps done.
    pub step: usize,
    /// Steps in all; 0 before they are known.
    pub steps: usize,
    /// How long what it does at present will take yet, seconds.
    pub seconds_left: Option<f64>,
    /// Steps, and the loss at each; 200 of them at most.
    pub loss: Vec<(usize, f64)>,
    /// Steps, the tokens per round that were measured there, and whether none before were more.
    pub tokens_per_round: Vec<(usize, f64, bool)>,
    /// The id of the drafter that came of it.
    pub drafter: Option<String>,
    /// Why it failed, or left no drafter, in a sentence.
    pub failure: Option<String>,
    /// Whether its answers are kept, to be learnt from for longer.
    pub keeps_answers: bool,
    /// Whether it keeps a copy of what was said in this app, to go on with.
    pub keeps_conversations: bool,
    /// Whether somebody wants it to pause, or to stop, as soon as it has done what it does.
    pub pausing: bool,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// What a training would take, about.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingEstimate {
    /// Prompts that the target answers.
    pub prompts: usize,
    /// How long the answers take, seconds; `None` before the target wrote anything here.
    pub seconds_answers: Option<f64>,
    /// Whether that is only reckoned from how fast the target wrote, since none of a training was timed yet.
    pub guessed: bool,
    /// How long the steps take, seconds; `None` before any were timed here.
    pub seconds_steps: Option<f64>,
    /// What it takes of the disk while it lasts, bytes.
    pub disk: u64,
    /// What of the disk may be taken, bytes.
    pub free: u64,
    /// What it takes of memory, bytes.
    pub memory: u64,
    /// What is to be had of memory, bytes.
    pub room: u64,
}

impl App {
    /// Every training, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn trainings(&self) -> Result<Vec<Training>> {
        let mut trainings = Vec::new();
        for row in self.store.trainings().await? {
            trainings.push(self.described_training(row).await?);
        }
        Ok(trainings)
    }

    /// One training.
    ///
    /// # Errors
    /// There is no such training, or the database fails.
    pub async fn training(&self, id: i64) -> Result<Training> {
        let row = self.store.training(id).await?.ok_or(Error::NoSuchTraining(id))?;
        self.described_training(row).await
    }

    /// Begins a training, or puts it behind the one that runs; one that was ordered likewise and is not over goes on.
    ///
    /// # Errors
    /// The order cannot be met, the name is taken, there is not enough memory, or the database or the disk fails.
    pub async fn start_training(&self, order: TrainingOrder) -> Result<Training> {
        let holds = |row: &store::Training| !is_over(row) && row.name.eq_ignore_ascii_case(&order.name);
        if let Some(open) = self.store.trainings().await?.into_iter().find(holds) {
            return match serde_json::from_str::<TrainingOrder>(&open.ordered) {
                Ok(known) if known == order => {
                    self.check_prompts(&order, open.id).await?;
                    self.resume_training(open.id).await
                }
                _ => Err(Error::OrderedOtherwise { id: open.id, name: open.name }),
            };
        }
        let prompts = self.prompts(&order.data).await?;
        LessonPlan::enough(&prompts)?;
        let room = Room::here(self.memory_reserve().await?, 0);
        self.lesson_plan(&order).await?.check(room)?;
        // An order is numbers and texts only, so it always has a JSON form.
        let ordered = serde_json::to_string(&order).unwrap_or_default();
        let data = prompts::described(&order.data, prompts.len());
        let id = self.store.add_training(&order.name, &ordered, &data).await?.id;
        if let Err(error) = self.begin_training(id, order, prompts).await {
            // Nothing is answered yet. Without a database the row stays, as one that can be removed.
            let _ = self.remove_training(id).await;
            return Err(error);
        }
        self.training(id).await
    }

    /// Refuses to go on silently with what a file held when a training of it began.
    async fn check_prompts(&self, order: &TrainingOrder, id: i64) -> Result<()> {
        // Conversations grow, and a file that is gone cannot be meant anew.
        let TrainingData::File(_) = order.data else { return Ok(()) };
        let Ok(now) = self.prompts(&order.data).await else { return Ok(()) };
        let path = self.training_folder(id).join("prompts.jsonl");
        match blocking(move || prompts::read(&path)).await {
            Ok(then) if then != now => Err(Error::OtherPrompts { id, name: order.name.clone() }),
            _ => Ok(()),
        }
    }

    async fn begin_training(&self, id: i64, order: TrainingOrder, prompts: Vec<Prompt>) -> Result<()> {
        let folder = self.training_folder(id);
        blocking(move || running::prepare(&folder, &prompts)).await?;
        self.run_training(id, order, TrainingProgress::default()).await
    }

    /// Lets a training wait until it is resumed; it finishes what it does first.
    ///
    /// # Errors
    /// There is no such training, another process runs it, or the database fails.
    pub async fn pause_training(&self, id: i64) -> Result<Training> {
        let training = self.training(id).await?;
        if !self.trainings.interrupt(id, false) && training.is_running() {
            return Err(Error::TrainedElsewhere(id));
        }
        Ok(training)
    }

    /// Lets a training that is paused, or failed, go on.
    ///
    /// # Errors
    /// There is no such training, it is over, another process runs it, or the database fails.
    pub async fn resume_training(&self, id: i64) -> Result<Training> {
        if self.trainings.get(id).is_some_and(|job| job.goes_on()) {
            return self.training(id).await;
        }
        self.trainings.rested(id).await;
        let row = self.store.training(id).await?.ok_or(Error::NoSuchTraining(id))?;
        if is_over(&row) {
            return Err(Error::TrainingOver(id));
        }
        let order = serde_json::from_str(&row.ordered).map_err(|_| Error::DamagedTraining(id))?;
        let store::Training { answers_done, answers_of, step, steps, .. } = row;
        let state = TrainingState::Waiting;
        self.run_training(id, order, TrainingProgress { state, answers_done, answers_of, step, steps }).await?;
        self.training(id).await
    }

    /// Lets a training whose drafter never did better learn anew, this long, from the answers that there are.
    ///
    /// # Errors
    /// There is no such training, it did better or is not over, another one has its name by now, or the database or the disk
    /// fails.
    pub async fn train_longer(&self, id: i64, length: TrainingLength) -> Result<Training> {
        self.trainings.rested(id).await;
        let claim = self.claim_training(id).await?;
        let row = self.store.training(id).await?.ok_or(Error::NoSuchTraining(id))?;
        if !keeps_answers(&row) {
            return Err(Error::NothingToLearn(id));
        }
        let order = serde_json::from_str::<TrainingOrder>(&row.ordered).map_err(|_| Error::DamagedTraining(id))?;
        // An order is numbers and texts only, so it always has a JSON form.
        let ordered = serde_json::to_string(&TrainingOrder { length, ..order }).unwrap_or_default();
        let folder = self.training_folder(id);
        blocking(move || Ok(Lesson::forget_steps(&folder)?)).await?;
        self.store.reopen_training(id, &ordered).await?;
        drop(claim);
        self.resume_training(id).await
    }

    /// Ends a training; the best drafter so far is kept if it does better than at the start.
    ///
    /// # Errors
    /// There is no such training, another process runs it, or the database or the disk fails.
    pub async fn stop_training(&self, id: i64) -> Result<Training> {
        let row = self.store.training(id).await?.ok_or(Error::NoSuchTraining(id))?;
        if !is_over(&row) && !self.trainings.interrupt(id, true) {
            self.trainings.rested(id).await;
            let _claim = self.claim_training(id).await?;
            // It may have come to its end meanwhile.
            let row = self.store.training(id).await?.ok_or(Error::NoSuchTraining(id))?;
            if is_over(&row) {
                return self.training(id).await;
            }
            let order = serde_json::from_str(&row.ordered).map_err(|_| Error::DamagedTraining(id))?;
            self.end_training(id, &order, TrainingState::Stopped).await?;
        }
        self.training(id).await
    }

    /// Takes a training off the list with all that it needed to go on; the drafter that came of it stays.
    ///
    /// # Errors
    /// It runs, here or in another process, or the database or the disk fails.
    pub async fn remove_training(&self, id: i64) -> Result<()> {
        if self.trainings.get(id).is_some() {
            return Err(Error::TrainingRuns(id));
        }
        let _claim = self.claim_training(id).await?;
        let folder = self.training_folder(id);
        blocking(move || ending::remove(&folder)).await?;
        Ok(self.store.remove_training(id).await?)
    }

    /// A row with its curve, and what is only known while it runs. What no process runs any more has paused.
    async fn described_training(&self, mut row: store::Training) -> Result<Training> {
        let job = self.trainings.get(row.id);
        if is_running(row.state) && job.is_none() && !self.is_claimed(row.id)? {
            // It may have come to its end meanwhile.
            row = self.store.training(row.id).await?.ok_or(Error::NoSuchTraining(row.id))?;
            if is_running(row.state) {
                row.state = TrainingState::Paused;
            }
        }
        let points = self.store.training_points(row.id).await?;
        let mut training = Training::new(row, &points);
        if let Some(job) = job {
            training.take(&job);
        }
        Ok(training)
    }
}

impl Training {
    fn new(row: store::Training, points: &[TrainingPoint]) -> Self {
        let order = serde_json::from_str::<TrainingOrder>(&row.ordered).ok();
        let damaged = order.is_none().then(|| Error::DamagedTraining(row.id).to_string());
        let is_open = !is_over(&row) || keeps_answers(&row);
        let step = |point: &TrainingPoint| point.step as usize;
        let measured = |point: &TrainingPoint| Some((step(point), point.tokens_per_round?, point.best));
        Self {
            id: row.id,
            keeps_answers: keeps_answers(&row),
            keeps_conversations: is_open
                && order.as_ref().is_some_and(|order| order.data == TrainingData::Conversations),
            pausing: false,
            name: row.name,
            target: order.as_ref().map(|order| order.target.clone()).unwrap_or_default(),
            kind: order.map(|order| order.design.kind).unwrap_or_default(),
            data: row.data,
            state: if damaged.is_some() { TrainingState::Failed } else { row.state },
            answers_done: row.answers_done as usize,
            answers_of: row.answers_of as usize,
            step: row.step as usize,
            steps: row.steps as usize,
            seconds_left: None,
            loss: points.iter().filter_map(|point| Some((step(point), point.loss?))).collect(),
            tokens_per_round: points.iter().filter_map(measured).collect(),
            drafter: row.drafter_id,
            failure: damaged.or(row.failure),
            created_at: row.created_at,
        }
    }

    /// Brings it up to what runs.
    fn take(&mut self, job: &Job<Stands>) {
        let Stands { progress, seconds_left } = job.now;
        let TrainingProgress { state, answers_done, answers_of, step, steps } = progress;
        (self.state, self.seconds_left, self.pausing) = (state, seconds_left, !job.goes_on());
        (self.answers_done, self.answers_of) = (answers_done as usize, answers_of as usize);
        (self.step, self.steps) = (step as usize, steps as usize);
    }

    /// Whether it is under way, or waits for its turn.
    #[must_use]
    pub fn is_running(&self) -> bool {
        is_running(self.state)
    }

    /// Whether it needs its target yet: it runs, or can go on.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.keeps_answers || !matches!(self.state, TrainingState::Done | TrainingState::Stopped)
    }

    /// The tokens per round before the first step.
    #[must_use]
    pub fn at_start(&self) -> Option<f64> {
        self.tokens_per_round.first().filter(|&&(step, ..)| step == 0).map(|&(_, value, _)| value)
    }

    /// The most tokens per round so far.
    #[must_use]
    pub fn at_best(&self) -> Option<f64> {
        self.tokens_per_round.iter().map(|&(_, value, _)| value).reduce(f64::max)
    }
}

/// Whether some process is at it, unless that was killed.
fn is_running(state: TrainingState) -> bool {
    matches!(state, TrainingState::Waiting | TrainingState::Answering | TrainingState::Training)
}
