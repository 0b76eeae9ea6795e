//! What a training would take, from the target's files and from how long earlier ones took.

use std::fs;
use std::path::Path;

use engine::{LessonPlan, Prompt, Room};
use store::TrainingState;

use super::{Stands, TrainingEstimate, TrainingLength, TrainingOrder};
use crate::library::blocking;
use crate::{App, CheckpointRole, Error, Result};

/// What is left of the disk for all else, bytes: conversations are written meanwhile.
const SPARED: u64 = 1 << 30;

impl App {
    /// What a training would take.
    ///
    /// # Errors
    /// The order cannot be met: there is no such target, no drafter of this design for it, or nothing to ask it.
    pub async fn estimate_training(&self, order: &TrainingOrder) -> Result<TrainingEstimate> {
        let asked = self.prompts(&order.data).await?;
        LessonPlan::enough(&asked)?;
        let prompts = asked.len();
        let plan = self.lesson_plan(order).await?;
        let [answer, step] = keys(order);
        let each = |pace: Option<f64>, count: usize| {
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            pace.map(|pace| pace * count as f64)
        };
        let (answer, step): (Option<f64>, Option<f64>) = (self.chosen(&answer).await?, self.chosen(&step).await?);
        let guess = if answer.is_none() {
            let plain_s = self.plain_step(&order.target, order.precision, LessonPlan::ANSWER).await?;
            each(plain_s, LessonPlan::ANSWER)
        } else {
            None
        };
        Ok(TrainingEstimate {
            prompts,
            seconds_answers: each(answer.or(guess), prompts),
            guessed: guess.is_some(),
            seconds_steps: match order.length {
                TrainingLength::Steps(steps) => each(step, steps),
                TrainingLength::Minutes(minutes) => Some(60.0 * f64::from(minutes)),
            },
            disk: plan.disk(&asked),
            free: self.free_space().await?.saturating_sub(SPARED),
            memory: plan.memory(),
            room: Room::here(self.memory_reserve().await?, 0).bytes(),
        })
    }

    /// What a training takes of memory and disk.
    pub(super) async fn lesson_plan(&self, order: &TrainingOrder) -> Result<LessonPlan> {
        let target = self.usable(&order.target, CheckpointRole::Target).await?.folder;
        let (precision, design) = (order.precision, order.design);
        blocking(move || Ok(LessonPlan::of(&target, precision, design)?)).await
    }

    /// Refuses what does not fit on the disk, with what lies in the `folder` of the training already.
    pub(super) async fn check_disk(&self, order: &TrainingOrder, prompts: &[Prompt], folder: &Path) -> Result<()> {
        let need = self.lesson_plan(order).await?.disk(prompts).saturating_sub(bytes(folder));
        let free = self.free_space().await?.saturating_sub(SPARED);
        if need <= free { Ok(()) } else { Err(Error::NoDisk { need, free }) }
    }

    /// Remembers how long what a training does takes here.
    pub(super) async fn learn_pace(&self, id: i64, order: &TrainingOrder) -> Result<()> {
        let Some(job) = self.trainings.get(id) else { return Ok(()) };
        let [answer, step] = keys(order);
        let Stands { progress, seconds_left } = job.now;
        let (key, left) = match progress.state {
            TrainingState::Answering => (answer, progress.answers_of - progress.answers_done),
            _ => (step, progress.steps - progress.step),
        };
        match seconds_left {
            Some(seconds) if left > 0 => self.choose(&key, &Some(seconds / f64::from(left))).await,
            _ => Ok(()),
        }
    }
}

/// What lies in a folder and those in it, bytes.
fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let each = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    each.sum()
}

/// Under what is remembered how long an answer takes, and a step.
fn keys(order: &TrainingOrder) -> [String; 2] {
    let TrainingOrder { target, precision, design, .. } = order;
    [format!("pace of answers: {target}, {precision:?}"), format!("pace of steps: {target}, {precision:?}, {design:?}")]
}
