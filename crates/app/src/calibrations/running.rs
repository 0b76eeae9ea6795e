//! Calibrations that run: which, how far, and how each is interrupted.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Mutex as SyncMutex;
use std::time::Instant;

use store::{CalibrationPhase, CalibrationProgress, CalibrationState};
use tokio::sync::Mutex;

use super::CalibrationOrder;
use super::phases::Run;
use crate::awake::Awake;
use crate::jobs::Jobs;
use crate::{App, Error, Result};

/// The calibrations that this process runs, and what tells checkpoints apart.
#[derive(Debug, Default)]
pub(crate) struct Calibrations {
    pub(super) jobs: Jobs<Stands>,
    /// Held by the one that runs: two at once would be each other's noise.
    turn: Mutex<()>,
    /// Fingerprints of folders, with what their files looked like when they were taken.
    pub(super) fingerprints: SyncMutex<HashMap<PathBuf, (String, String)>>,
}

/// How far a calibration is that this process runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stands {
    pub(super) progress: CalibrationProgress,
    /// When the phase began, and how many of its answers were there then.
    since: Option<(Instant, u32)>,
}

impl Stands {
    /// How long the phase will take yet, seconds, at the pace so far.
    pub(super) fn seconds_left(&self) -> Option<f64> {
        let (began, before) = self.since?;
        let CalibrationProgress { done, total, .. } = self.progress;
        let made = done.checked_sub(before).filter(|&made| made > 0)?;
        Some(began.elapsed().as_secs_f64() / f64::from(made) * f64::from(total.saturating_sub(done)))
    }
}

impl Calibrations {
    /// Notes how far one is.
    pub(super) fn stands(&self, id: i64, phase: CalibrationPhase, done: usize, total: usize) -> CalibrationProgress {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (state, done, total) = (CalibrationState::Running, number(done), number(total));
        let progress = CalibrationProgress { state, phase, done, total };
        self.jobs.stands(id, |now| {
            let goes_on = now.progress.state == state && now.progress.phase == phase;
            let since = now.since.filter(|_| goes_on).or(Some((Instant::now(), done)));
            *now = Stands { progress, since };
        });
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
        if !self.calibrations.jobs.enter(id, Stands { progress: waiting, since: None }) {
            return Ok(()); // somebody here lets it run at this very moment
        }
        let begun = self.let_calibrate(id, order, waiting).await;
        if begun.is_err() {
            self.calibrations.jobs.leave(id);
        }
        begun
    }

    async fn let_calibrate(&self, id: i64, order: &CalibrationOrder, waiting: CalibrationProgress) -> Result<()> {
        let claim = self.claim_calibration(id).await?;
        let run = Run::new(self, id, order).await?;
        self.store.note_calibration(id, waiting, None).await?;
        let app = self.clone();
        tokio::spawn(async move {
            let _awake = Awake::new("A drafter is calibrated");
            let ended = match app.calibration_turn(id).await {
                Some(_turn) => run.to_its_end().await,
                None => Ok(false),
            };
            let state = if ended.is_ok() { CalibrationState::Paused } else { CalibrationState::Failed };
            if !ended.as_ref().is_ok_and(|&is_done| is_done) {
                let progress = app.calibrations.jobs.get(id).map_or(waiting, |job| job.now.progress);
                let failure = ended.err().map(|error| error.to_string());
                // Without a database there is nowhere to write it down.
                let now = CalibrationProgress { state, ..progress };
                let _ = app.store.note_calibration(id, now, failure.as_deref()).await;
            }
            app.calibrations.jobs.leave(id);
            drop(claim);
        });
        Ok(())
    }

    /// Waits for the others; nothing if it is to pause meanwhile.
    async fn calibration_turn(&self, id: i64) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        tokio::select! {
            turn = self.calibrations.turn.lock() => Some(turn),
            () = self.calibrations.jobs.unwanted(id) => None,
        }
    }
}
