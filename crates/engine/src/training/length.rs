//! How many steps a training has, and how they are taken.

use std::{fs, ops::ControlFlow, path::Path, time::Instant};

use training::{Event, Settings, Trainer};

use super::{
    Desk, Lesson, TrainingLength,
    settings::{BETWEEN, MEASUREMENTS, settings},
    terms::{known, note},
};
use crate::Result;

/// Where the settings lie in a lesson's folder.
pub(super) const FILE: &str = "settings.json";

/// Where steps are tried.
pub(super) const TRIAL: &str = "trial";

/// Steps that are tried to see how long they take; the first of them make things ready and are not timed.
const TRIED: usize = 10;
const WARM: usize = 2;

/// The fewest steps that teach anything, and more than anybody waits for.
const FEWEST: f64 = 20.0;
const MOST: f64 = 1e6;

/// The settings that a lesson took its first step by, or will. `None` if the lesson is to pause.
pub(super) fn terms<'a>(
    lesson: &Lesson,
    held_out: f32,
    open: &impl Fn(Settings, &Path) -> training::Result<Trainer<'a>>,
    desk: &mut Desk<'_>,
) -> Result<Option<Settings>> {
    let path = lesson.folder.join(FILE);
    if let Some(known) = known(&path)? {
        return Ok(Some(known));
    }
    let of = |steps| settings(steps, lesson.seed, held_out);
    let Some(steps) = steps(lesson, |folder| open(of(usize::MAX >> 16), folder), desk)? else { return Ok(None) };
    let settings = of(steps);
    settings.check()?;
    note(&path, &settings)?;
    Ok(Some(settings))
}

/// The steps of a lesson that begins; where it has a time instead, some are tried. `None` if the lesson is to pause.
fn steps<'a>(
    lesson: &Lesson,
    open: impl Fn(&Path) -> training::Result<Trainer<'a>>,
    desk: &mut Desk<'_>,
) -> Result<Option<usize>> {
    let minutes = match lesson.length {
        TrainingLength::Steps(steps) => return Ok(Some(steps)),
        TrainingLength::Minutes(minutes) => minutes,
    };
    let trial = lesson.folder.join(TRIAL);
    let failed = |source| training::Error::File { path: trial.clone(), source };
    if trial.exists() {
        fs::remove_dir_all(&trial).map_err(failed)?;
    }
    let Some((step, measurement)) = tried(&mut open(&trial)?, desk)? else {
        return Ok(None);
    };
    fs::remove_dir_all(&trial).map_err(failed)?;
    Ok(Some(within(60.0 * f64::from(minutes), step, measurement)))
}

/// How many steps, with their measurements, take so many seconds.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "within bounds"
)]
fn within(seconds: f64, step: f64, measurement: f64) -> usize {
    let few = (seconds - measurement) / (step + measurement / BETWEEN as f64);
    let many = (seconds - measurement * (1 + MEASUREMENTS) as f64) / step;
    few.max(many).clamp(FEWEST, MOST) as usize
}

/// How long a step and a measurement take, seconds.
fn tried(trainer: &mut Trainer<'_>, desk: &mut Desk<'_>) -> Result<Option<(f64, f64)>> {
    let (mut since, mut measurement, mut paused) = (Instant::now(), 0.0, false);
    let (mut elsewhere, mut spent) = (desk.elsewhere, 0.0);
    trainer.run(&mut |event| {
        let lasted = since.elapsed().saturating_sub(desk.elsewhere.saturating_sub(elsewhere)).as_secs_f64();
        let mut over = false;
        match event {
            Event::Measuring => {}
            Event::Measured { .. } => (measurement, since, elsewhere) = (lasted, Instant::now(), desk.elsewhere),
            Event::Step { step, .. } if *step == WARM => (since, elsewhere) = (Instant::now(), desk.elsewhere),
            Event::Step { step, .. } => (spent, over) = (lasted, *step >= TRIED),
        }
        paused = desk.turn().is_break();
        if paused || over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    #[expect(clippy::cast_precision_loss, reason = "a few steps")]
    let step = spent / (TRIED - WARM) as f64;
    Ok((!paused).then_some((step.max(1e-4), measurement)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_their_measurements_fill_the_time() {
        for (seconds, step, measurement) in [(600.0, 0.1, 2.0), (600.0, 5.0, 30.0), (86_400.0, 1.0, 10.0)] {
            let steps = within(seconds, step, measurement);
            let measurements = 1 + steps.div_ceil((steps / MEASUREMENTS).max(BETWEEN));
            #[expect(clippy::cast_precision_loss, reason = "small counts")]
            let spent = steps as f64 * step + measurements as f64 * measurement;
            assert!((spent - seconds).abs() < 0.06 * seconds, "{steps} steps take {spent} s of {seconds}");
        }
        assert_eq!(within(60.0, 100.0, 100.0), 20);
    }
}
