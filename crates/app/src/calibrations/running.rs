//! Calibrations that run: which, how far, and how each is interrupted.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex as SyncMutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::Cancel;
use store::{CalibrationPhase, CalibrationProgress, CalibrationState};
use tokio::sync::Mutex;
use tokio::time::sleep;

use super::CalibrationOrder;
use super::phases::Run;
use crate::awake::Awake;
use crate::{App, Error, Result};

/// How long to wait for another look.
const AGAIN: Duration = Duration::from_millis(50);

/// The calibrations that this process runs, by id, and what tells checkpoints apart.
#[derive(Debug, Default)]
pub(crate) struct Calibrations {
    live: SyncMutex<HashMap<i64, Live>>,
    /// Held by the one that runs: two at once would be each other's noise.
    turn: Mutex<()>,
    /// Fingerprints of folders, with what their files looked like when they were taken.
    pub(super) fingerprints: SyncMutex<HashMap<PathBuf, (String, String)>>,
}

/// A calibration that runs.
#[derive(Debug, Clone)]
pub(super) struct Live {
    /// Stops the answer that is being made.
    cancel: Cancel,
    pub(super) progress: CalibrationProgress,
    /// When the phase began, and how many of its answers were there then.
    since: Option<(Instant, u32)>,
}

impl Live {
    /// How long the phase will take yet, seconds, at the pace so far.
    pub(super) fn seconds_left(&self) -> Option<f64> {
        let (began, before) = self.since?;
        let CalibrationProgress { done, total, .. } = self.progress;
        let made = done.checked_sub(before).filter(|&made| made > 0)?;
        Some(began.elapsed().as_secs_f64() / f64::from(made) * f64::from(total.saturating_sub(done)))
    }

    /// Whether nobody wants it to pause.
    pub(super) fn goes_on(&self) -> bool {
        !self.cancel.is_asked()
    }
}

impl Calibrations {
    pub(super) fn get(&self, id: i64) -> Option<Live> {
        self.all().get(&id).cloned()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<i64, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a calibration that is about to run. Returns whether it was not here yet.
    fn enter(&self, id: i64, progress: CalibrationProgress) -> bool {
        let mut all = self.all();
        let is_new = !all.contains_key(&id);
        all.entry(id).or_insert(Live { cancel: Cancel::default(), progress, since: None });
        is_new
    }

    /// Lets a calibration be interrupted by `cancel` from now on, and at once if somebody wanted that meanwhile.
    pub(super) fn hear(&self, id: i64, cancel: Cancel) {
        if let Some(live) = self.all().get_mut(&id) {
            if live.cancel.is_asked() {
                cancel.cancel();
            }
            live.cancel = cancel;
        }
    }

    /// Wants a calibration to pause. Returns whether it runs here.
    pub(super) fn interrupt(&self, id: i64) -> bool {
        self.get(id).map(|live| live.cancel.cancel()).is_some()
    }

    /// Notes how far one is.
    pub(super) fn stands(&self, id: i64, phase: CalibrationPhase, done: usize, total: usize) -> CalibrationProgress {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (state, done, total) = (CalibrationState::Running, number(done), number(total));
        let progress = CalibrationProgress { state, phase, done, total };
        if let Some(live) = self.all().get_mut(&id) {
            let goes_on = live.progress.state == state && live.progress.phase == phase;
            live.since = live.since.filter(|_| goes_on).or(Some((Instant::now(), done)));
            live.progress = progress;
        }
        progress
    }
}

impl App {
    /// Waits until this process does not run a calibration any more.
    pub(super) async fn calibration_rests(&self, id: i64) {
        while self.calibrations.get(id).is_some() {
            sleep(AGAIN).await;
        }
    }

    /// Pauses what runs, and waits until it has; for a program that ends.
    pub async fn pause_calibrations(&self) {
        let ids = self.calibrations.all().keys().copied().collect::<Vec<_>>();
        for &id in &ids {
            self.calibrations.interrupt(id);
        }
        for id in ids {
            self.calibration_rests(id).await;
        }
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
        if !self.calibrations.enter(id, waiting) {
            return Ok(()); // somebody here lets it run at this very moment
        }
        let begun = self.let_calibrate(id, order, waiting).await;
        if begun.is_err() {
            self.calibrations.all().remove(&id);
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
                let progress = app.calibrations.get(id).map_or(waiting, |live| live.progress);
                let failure = ended.err().map(|error| error.to_string());
                // Without a database there is nowhere to write it down.
                let now = CalibrationProgress { state, ..progress };
                let _ = app.store.note_calibration(id, now, failure.as_deref()).await;
            }
            app.calibrations.all().remove(&id);
            drop(claim);
        });
        Ok(())
    }

    /// Waits for the others; nothing if it is to pause meanwhile.
    async fn calibration_turn(&self, id: i64) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        let is_unwanted = async {
            while self.calibrations.get(id).is_some_and(|live| live.goes_on()) {
                sleep(AGAIN).await;
            }
        };
        tokio::select! {
            turn = self.calibrations.turn.lock() => Some(turn),
            () = is_unwanted => None,
        }
    }
}
