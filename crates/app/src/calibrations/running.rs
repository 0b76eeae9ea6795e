//! Calibrations that run: which, how far, and how each is interrupted.

use std::fs::File;

use store::{CalibrationPhase, CalibrationProgress, CalibrationState};

use super::CalibrationOrder;
use super::phases::Run;
use crate::awake::Awake;
use crate::jobs::Jobs;
use crate::measuring::Pace;
use crate::{App, Error, Result};

/// How far a calibration is that this process runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stands {
    pub(super) progress: CalibrationProgress,
    /// Of the answers of the phase.
    pub(super) pace: Pace,
}

impl Stands {
    /// One that does nothing yet.
    fn waiting(progress: CalibrationProgress) -> Self {
        Self { progress, pace: Pace::default() }
    }

    /// The same, at `progress` now.
    fn at(self, progress: CalibrationProgress) -> Self {
        let goes_on = self.progress.state == progress.state && self.progress.phase == progress.phase;
        let pace = if goes_on { self.pace } else { Pace::default() };
        Self { progress, pace: pace.at(progress.done, progress.total) }
    }
}

impl Jobs<Stands> {
    /// Notes how far one is.
    pub(super) fn phase_stands(
        &self,
        id: i64,
        phase: CalibrationPhase,
        done: usize,
        total: usize,
    ) -> CalibrationProgress {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (state, done, total) = (CalibrationState::Running, number(done), number(total));
        let progress = CalibrationProgress { state, phase, done, total };
        self.stands(id, |now| *now = now.at(progress));
        progress
    }
}

impl App {
    /// Pauses what runs, and waits until it has; for a program that ends.
    pub async fn pause_calibrations(&self) {
        self.calibrations.pause_all().await;
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
        let Some(entered) = self.calibrations.enter(id, Stands::waiting(waiting)) else {
            return Ok(()); // somebody here lets it run at this very moment
        };
        let claim = self.claim_calibration(id).await?;
        // Whoever ran it until now may have brought it to its end.
        if self.calibration_row(id).await?.progress.state == CalibrationState::Done {
            return Err(Error::CalibrationOver(id));
        }
        let run = Run::new(self, id, order).await?;
        self.store.note_calibration(id, waiting, None).await?;
        let app = self.clone();
        tokio::spawn(async move {
            let _awake = Awake::new("A drafter is calibrated");
            let ended = match app.turn_to_measure(&app.calibrations, id).await {
                Ok(Some(_turn)) => run.to_its_end().await,
                Ok(None) => Ok(false),
                Err(error) => Err(error),
            };
            let state = if ended.is_ok() { CalibrationState::Paused } else { CalibrationState::Failed };
            if !ended.as_ref().is_ok_and(|&is_done| is_done) {
                let progress = app.calibrations.get(id).map_or(waiting, |job| job.now.progress);
                let failure = ended.err().map(|error| error.to_string());
                // Without a database there is nowhere to write it down.
                let now = CalibrationProgress { state, ..progress };
                let _ = app.store.note_calibration(id, now, failure.as_deref()).await;
            }
            drop((entered, claim));
        });
        Ok(())
    }
}
