//! Training of a drafter on the engine's thread, between answers.

mod answers;
mod blueprint;
mod design;
mod held_out;
mod identity;
mod kept;
mod length;
mod plan;
mod settings;
mod terms;

use std::{
    fs, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    rc::Rc,
    time::{Duration, Instant},
};

use training::{Data, Ended, Event, Settings, Trainer};

pub use design::{Design, DesignKind, DesignSize, TrainingLength};
pub use kept::Kept;
pub use plan::LessonPlan;

use self::{
    answers::Asking,
    blueprint::Blueprint,
    kept::keep,
    terms::{Terms, known, note},
};
use crate::{
    Cancel, Error, Memory, Precision, Prompt, Result, Room,
    models::{Models, Target},
};

/// Where a lesson's steps leave their state.
const TRAINER: &str = "trainer";

/// A drafter to be trained.
#[derive(Debug, Clone)]
pub struct Lesson {
    /// The target's checkpoint folder.
    pub target: PathBuf,
    /// The number type that the target computes in.
    pub precision: Precision,
    /// What the target answers, for the drafter to learn from.
    pub prompts: Vec<Prompt>,
    /// What kind of drafter.
    pub design: Design,
    /// How long it learns.
    pub length: TrainingLength,
    /// The same seed gives the same drafter.
    pub seed: u64,
    /// All that the lesson needs to go on after any interruption; and, in [`Lesson::kept`], what came of it.
    pub folder: PathBuf,
    /// How much of the machine's memory it may take.
    pub memory: Memory,
}

impl Lesson {
    /// The drafter in a lesson's folder that did best so far; none before one does better than at the start.
    ///
    /// # Errors
    /// When the folder cannot be read, or is damaged.
    pub fn kept(folder: &Path) -> Result<Option<Kept>> {
        Kept::find(folder)
    }

    /// Forgets what the drafter learnt, and for how long, but not the answers: a lesson in this folder begins with its steps.
    ///
    /// # Errors
    /// When something cannot be removed.
    pub fn forget_steps(folder: &Path) -> Result<()> {
        for name in [length::FILE, length::TRIAL, TRAINER, kept::BEST] {
            let path = folder.join(name);
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            match removed {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(training::Error::File { path, source }.into());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// What happens while a drafter is trained.
#[derive(Debug)]
pub enum LessonEvent {
    /// The target answers prompts.
    Answering {
        /// Answers that are captured.
        done: usize,
        /// Answers in all.
        of: usize,
        /// How long the others will take, seconds.
        seconds_left: Option<f64>,
    },
    /// A step is done.
    Step {
        /// Steps done.
        step: usize,
        /// Steps in all.
        of: usize,
        /// The loss.
        loss: f64,
        /// How long the others will take, seconds.
        seconds_left: f64,
    },
    /// The drafter was measured on answers that it was not taught.
    Measured {
        /// Steps done.
        step: usize,
        /// Tokens of a round (τ), the target's own included.
        tokens_per_round: f64,
        /// Whether it never did better.
        best: bool,
    },
    /// Somebody wanted it to pause: the same lesson goes on from here. This is the last event.
    Paused,
    /// All steps are done. This is the last event.
    Done,
    /// It cannot go on. This is the last event.
    Failed(Error),
}

/// What a lesson shares the engine's thread with.
pub(crate) struct Desk<'a> {
    pub(crate) models: &'a mut Models,
    /// Does what was asked for meanwhile.
    pub(crate) others: &'a mut dyn FnMut(&mut Models),
    pub(crate) cancel: &'a Cancel,
    pub(crate) sink: &'a mut dyn FnMut(LessonEvent),
    /// How long others were at the desk.
    pub(crate) elsewhere: Duration,
}

impl Desk<'_> {
    /// Gives the others their turn; breaks if the lesson is to pause.
    fn turn(&mut self) -> ControlFlow<()> {
        let started = Instant::now();
        (self.others)(self.models);
        self.elsewhere += started.elapsed();
        if self.cancel.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Trains a drafter, from wherever the lesson's folder says. Returns whether it is done: if not, it paused.
pub(crate) fn teach(lesson: &Lesson, desk: &mut Desk<'_>) -> Result<bool> {
    if desk.turn().is_break() {
        return Ok(false);
    }
    let plan = LessonPlan::of(&lesson.target, lesson.precision, lesson.design)?;
    plan.check(Room::here(lesson.memory.reserve, 0))?;
    identity::check(&lesson.target, &lesson.folder)?;
    let target = desk.models.target(&lesson.target, lesson.precision, |_| {})?;
    desk.models.lend(&target, plan.weights(), plan.memory());
    let terms = terms(lesson, &target)?;
    let Some(held_out) = answers::listen(lesson, &terms, &target, desk)? else { return Ok(false) };
    let data = Data::open(&answers::shards(&lesson.folder))?;
    let drafter = terms.blueprint.fresh()?;
    let open = |settings: Settings, folder: &Path| {
        Trainer::open(Rc::clone(&target.model) as _, &data, drafter.clone(), settings, folder)
    };
    let Some(settings) = length::terms(lesson, held_out, &open, desk)? else { return Ok(false) };
    learn(&mut open(settings, &lesson.folder.join(TRAINER))?, &lesson.folder, desk)
}

/// What a lesson began with, or begins with now.
fn terms(lesson: &Lesson, target: &Target) -> Result<Terms> {
    let path = lesson.folder.join(Terms::FILE);
    if let Some(known) = known(&path)? {
        return Ok(known);
    }
    let name = lesson.target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mask = target.codec.mask_id().or(target.codec.pad_id()).unwrap_or_default();
    let blueprint = Blueprint::new(lesson.design, name, target.model.config(), mask, lesson.seed)?;
    let terms = Terms { blueprint, asking: Asking::NOW };
    note(&path, &terms)?;
    Ok(terms)
}

/// Takes the steps that are left, and keeps the best drafter in the lesson's folder.
fn learn(trainer: &mut Trainer<'_>, folder: &Path, desk: &mut Desk<'_>) -> Result<bool> {
    // A kill may have come before they were told, or before the best drafter was kept.
    retold(trainer.measured()).for_each(&mut *desk.sink);
    keep(trainer, folder)?;
    loop {
        let (mut better, mut paused) = (false, false);
        let ended = trainer.run(&mut |event| {
            told(event).into_iter().for_each(&mut *desk.sink);
            better |= matches!(event, Event::Measured { best: true, .. });
            paused = desk.turn().is_break();
            if better || paused { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        keep(trainer, folder)?;
        if ended == Ended::Done || paused {
            return Ok(ended == Ended::Done);
        }
    }
}

/// What the world heard of measurements.
fn retold(measured: &[(usize, f64)]) -> impl Iterator<Item = LessonEvent> {
    measured.iter().scan(None, |most, &(step, tokens_per_round)| {
        let best = most.is_none_or(|most| tokens_per_round > most);
        *most = if best { Some(tokens_per_round) } else { *most };
        Some(LessonEvent::Measured { step, tokens_per_round, best })
    })
}

/// What the world hears of an event.
fn told(event: &Event) -> Option<LessonEvent> {
    match event {
        &Event::Step { step, of, loss, seconds_left, .. } => {
            Some(LessonEvent::Step { step, of, loss: f64::from(loss), seconds_left })
        }
        Event::Measuring => None,
        Event::Measured { step, held, best } => {
            Some(LessonEvent::Measured { step: *step, tokens_per_round: held.tokens_per_round, best: *best })
        }
    }
}
