//! Calibrations that run: which, how far, and how each is interrupted.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use store::{CalibrationPhase, CalibrationProgress, CalibrationState};

use super::CalibrationOrder;
use super::phases::Run;
use crate::awake::Awake;
use crate::jobs::Jobs;
use crate::{App, Error, Result};

/// The calibrations that this process runs, and what tells checkpoints apart.
#[derive(Debug, Default)]
pub(crate) struct Calibrations {
    pub(super) jobs: Jobs<Stands>,
    /// Fingerprints of folders, with what their files looked like when they were taken.
    pub(super) fingerprints: Mutex<HashMap<PathBuf, (String, String)>>,
}

/// How far a calibration is that this process runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stands {
    pub(super) progress: CalibrationProgress,
    /// When the phase began, and how many of its answers were there then.
    since: Option<(Instant, u32)>,
    /// How long the phase would take yet, seconds, and when that was.
    left: Option<(Instant, f64)>,
}

impl Stands {
    /// One that does nothing yet.
    fn waiting(progress: CalibrationProgress) -> Self {
        Self { progress, since: None, left: None }
    }

    /// The same, at `progress` now.
    fn at(self, progress: CalibrationProgress) -> Self {
        let now = Instant::now();
        let goes_on = self.progress.state == progress.state && self.progress.phase == progress.phase;
        let (began, before) = self.since.filter(|_| goes_on).unwrap_or((now, progress.done));
        let made = progress.done.checked_sub(before).filter(|&made| made > 0);
        let to_do = f64::from(progress.total.saturating_sub(progress.done));
        let left = made.map(|made| (now, (now - began).as_secs_f64() / f64::from(made) * to_do));
        Self { progress, since: Some((began, before)), left }
    }

    /// How long the phase will take yet, seconds, at the pace so far.
    pub(super) fn seconds_left(&self) -> Option<f64> {
        self.left.map(|(at, left)| (left - at.elapsed().as_secs_f64()).max(0.0))
    }
}

impl Calibrations {
    /// Notes how far one is.
    pub(super) fn stands(&self, id: i64, phase: CalibrationPhase, done: usize, total: usize) -> CalibrationProgress {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (state, done, total) = (CalibrationState::Running, number(done), number(total));
        let progress = CalibrationProgress { state, phase, done, total };
        self.jobs.stands(id, |now| *now = now.at(progress));
        progress
    }
}

impl App {
    /// Pauses what runs, and waits until it has; for a program that ends.
    pub async fn pause_calibrations(&self) {
        self.calibrations.jobs.pause_all().await;
    }

    /// The right to run a calibration, until it is dropped.
    pub(super) async fn claim_calibration(&self, id: i64) -> Result<File> {
        self.library.claim(&format!("calibration-{id}")).await?.ok_or(Error::CalibratedElsewhere(id))
    }

    /// Whether some process runs a calibration.
    pub(super) fn is_calibration_claimed(&self, id: i64) -> Result<bool> {
        self.library.is_claimed(&format!("calibration-{id}"))
    }

    /// Runs a calibration from where it stands; returns once it is on its way.
    pub(super) async fn run_calibration(
        &self,
        id: i64,
        order: &CalibrationOrder,
        before: CalibrationProgress,
    ) -> Result<()> {
        let waiting = CalibrationProgress { state: CalibrationState::Waiting, ..before };
        let Some(entered) = self.calibrations.jobs.enter(id, Stands::waiting(waiting)) else {
            return Ok(()); // somebody here lets it run at this very moment
        };
        let claim = self.claim_calibration(id).await?;
        let run = Run::new(self, id, order).await?;
        self.store.note_calibration(id, waiting, None).await?;
        let app = self.clone();
        tokio::spawn(async move {
            let _awake = Awake::new("A drafter is calibrated");
            let ended = match app.calibration_turn(id).await {
                Ok(Some(_turn)) => run.to_its_end().await,
                Ok(None) => Ok(false),
                Err(error) => Err(error),
            };
            let state = if ended.is_ok() { CalibrationState::Paused } else { CalibrationState::Failed };
            if !ended.as_ref().is_ok_and(|&is_done| is_done) {
                let progress = app.calibrations.jobs.get(id).map_or(waiting, |job| job.now.progress);
                let failure = ended.err().map(|error| error.to_string());
                // Without a database there is nowhere to write it down.
                let now = CalibrationProgress { state, ..progress };
                let _ = app.store.note_calibration(id, now, failure.as_deref()).await;
            }
            drop((entered, claim));
        });
        Ok(())
    }

    /// Waits for the others, of this process and of other ones; nothing if it is to pause meanwhile.
    async fn calibration_turn(&self, id: i64) -> Result<Option<File>> {
        let turn = async {
            loop {
                if let Some(turn) = self.library.claim("calibrating").await? {
                    return Ok(Some(turn));
                }
            }
        };
        tokio::select! {
            turn = turn => turn,
            () = self.calibrations.jobs.unwanted(id) => Ok(None),
        }
    }
}
