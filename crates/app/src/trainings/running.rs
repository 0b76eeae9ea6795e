//! Trainings that run: each is a lesson of the engine, and a task that keeps what becomes of it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::{CheckpointRole, Lesson, LessonEvent, Prompt};
use store::{TrainingPoint, TrainingProgress, TrainingState};
use tokio::sync::mpsc;

use super::{TrainingOrder, prompts};
use crate::awake::Awake;
use crate::library::blocking;
use crate::{App, Error, Result};

/// How often the database hears of progress, at most.
const PACE: Duration = Duration::from_millis(500);

/// Points that the loss of a whole training has, at most.
const POINTS: usize = 200;

/// How far a training is that this process runs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stands {
    pub(super) progress: TrainingProgress,
    /// How long what it does will take yet, seconds.
    pub(super) seconds_left: Option<f64>,
}

impl App {
    /// Where all lies that a training needs to go on.
    pub(super) fn training_folder(&self, id: i64) -> PathBuf {
        self.library.home.join("trainings").join(id.to_string())
    }

    /// Pauses what runs, and waits until it has; for a program that ends.
    pub async fn pause_trainings(&self) {
        self.trainings.pause_all().await;
    }

    /// The right to run a training, until it is dropped.
    pub(super) async fn claim_training(&self, id: i64) -> Result<File> {
        self.library.claim(&format!("training-{id}")).await?.ok_or(Error::TrainedElsewhere(id))
    }

    /// Whether some process runs a training.
    pub(super) fn is_claimed(&self, id: i64) -> Result<bool> {
        self.library.is_claimed(&format!("training-{id}"))
    }

    /// Runs a training from where it stands; returns once it is on its way.
    pub(super) async fn run_training(&self, id: i64, order: TrainingOrder, before: TrainingProgress) -> Result<()> {
        let progress = TrainingProgress { state: TrainingState::Waiting, ..before };
        let Some(entered) = self.trainings.enter(id, Stands { progress, seconds_left: None }) else {
            return Ok(()); // somebody here lets it run at this very moment
        };
        let claim = self.claim_training(id).await?;
        let lesson = self.lesson(id, &order).await?;
        self.check_disk(&order, &lesson.prompts, &lesson.folder).await?;
        self.store.note_training(id, progress).await?;
        let (told, mut heard) = mpsc::unbounded_channel();
        // Nobody listens any more if the send fails: the program ends.
        self.trainings.hear(id, self.engine.teach(lesson, move |event| drop(told.send(event))));
        let app = self.clone();
        tokio::spawn(async move {
            let _awake = Awake::new("A drafter is trained");
            if let Err(error) = app.keep_training(id, &order, &mut heard).await {
                // Until then the engine may write into the folder that others could claim.
                while heard.recv().await.is_some() {}
                let failed = Some(error.to_string());
                // Without a database there is nowhere to write it down.
                let _ = app.store.set_training(id, TrainingState::Failed, failed.as_deref(), None).await;
            }
            drop((entered, claim));
        });
        Ok(())
    }

    /// What the engine is to teach.
    async fn lesson(&self, id: i64, order: &TrainingOrder) -> Result<Lesson> {
        let folder = self.training_folder(id);
        let path = folder.join("prompts.jsonl");
        Ok(Lesson {
            target: self.usable(&order.target, CheckpointRole::Target).await?.folder,
            precision: order.precision,
            prompts: blocking(move || prompts::read(&path)).await?,
            design: order.design,
            length: order.length,
            seed: order.seed,
            folder,
            memory: self.memory(false).await?,
        })
    }

    /// Keeps what becomes of a training, to its end.
    async fn keep_training(
        &self,
        id: i64,
        order: &TrainingOrder,
        heard: &mut mpsc::UnboundedReceiver<LessonEvent>,
    ) -> Result<()> {
        let (mut noted, mut losses) = (Instant::now(), Vec::new());
        while let Some(event) = heard.recv().await {
            let is_last = matches!(event, LessonEvent::Paused | LessonEvent::Done | LessonEvent::Failed(_));
            if is_last || noted.elapsed() >= PACE {
                // A database that is busy, or a disk that is full, costs a point of a curve, and not a night's training.
                let _ = self.note(id).await;
                let _ = self.learn_pace(id, order).await;
                noted = Instant::now();
            }
            let stops = is_last && self.trainings.end(id);
            match event {
                LessonEvent::Paused if stops => {
                    return self.end_training(id, order, TrainingState::Stopped).await;
                }
                LessonEvent::Paused => {
                    return Ok(self.store.set_training(id, TrainingState::Paused, None, None).await?);
                }
                LessonEvent::Done => return self.end_training(id, order, TrainingState::Done).await,
                LessonEvent::Failed(error) => return Err(error.into()),
                event => {
                    let _ = self.take(id, event, &mut losses).await;
                }
            }
        }
        Err(engine::Error::Closed.into())
    }

    /// Takes in an event that is not the last; `losses` are those of the steps since the last point of the curve.
    async fn take(&self, id: i64, event: LessonEvent, losses: &mut Vec<f64>) -> Result<()> {
        let point = match event {
            LessonEvent::Answering { done, of, seconds_left } => {
                self.stands(id, seconds_left, |progress| {
                    progress.state = TrainingState::Answering;
                    (progress.answers_done, progress.answers_of) = (number(done), number(of));
                });
                None
            }
            LessonEvent::Step { step, of, loss, seconds_left } => {
                self.stands(id, Some(seconds_left), |progress| {
                    progress.state = TrainingState::Training;
                    (progress.step, progress.steps) = (number(step), number(of));
                });
                losses.push(loss);
                (step % of.div_ceil(POINTS).max(1) == 0).then(|| {
                    #[expect(clippy::cast_precision_loss, reason = "a part of the steps")]
                    let loss = losses.iter().sum::<f64>() / losses.len() as f64;
                    losses.clear();
                    TrainingPoint { step: number(step), loss: Some(loss), tokens_per_round: None, best: false }
                })
            }
            LessonEvent::Measured { step, tokens_per_round, best } => {
                self.stands(id, None, |progress| {
                    progress.state = TrainingState::Training;
                    // One that is told again after an interruption lies behind.
                    progress.step = progress.step.max(number(step));
                });
                let tokens_per_round = Some(tokens_per_round);
                Some(TrainingPoint { step: number(step), loss: None, tokens_per_round, best })
            }
            LessonEvent::Paused | LessonEvent::Done | LessonEvent::Failed(_) => None,
        };
        match point {
            Some(point) => Ok(self.store.add_training_point(id, point).await?),
            None => Ok(()),
        }
    }

    fn stands(&self, id: i64, seconds_left: Option<f64>, change: impl FnOnce(&mut TrainingProgress)) {
        self.trainings.stands(id, |now| {
            now.seconds_left = seconds_left;
            change(&mut now.progress);
        });
    }

    /// Writes down how far a training is, for other processes and for after a kill.
    async fn note(&self, id: i64) -> Result<()> {
        match self.trainings.get(id) {
            Some(job) => Ok(self.store.note_training(id, job.now.progress).await?),
            None => Ok(()),
        }
    }
}

/// The prompts of a training, put where it finds them again.
pub(super) fn prepare(folder: &Path, prompts: &[Prompt]) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|source| Error::Home { path: folder.to_owned(), source })?;
    prompts::write(&folder.join("prompts.jsonl"), prompts)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
