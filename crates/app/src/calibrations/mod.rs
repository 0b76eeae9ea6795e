//! Calibrations: a drafter's confidence is made true for a target on this machine, and drafting is judged by how fast it
//! really is. Ordered, paused, resumed, put in force, taken out again.

mod applying;
mod exporting;
mod order;
mod phases;
mod report;
mod running;
mod standing;
mod writing;

use calibration::Advice;
use engine::{Mode, Precision};
use serde::Deserialize;
use store::{CalibrationKey, CalibrationProgress, CalibrationPrompt, NewCalibration};

use crate::{App, CheckpointRole, Error, LOOKUP, Result};

pub use order::CalibrationOrder;
pub use report::{CalibrationPosition, CalibrationReport, Counts, MeasuredSuite};
pub(crate) use running::Stands;
pub use standing::CalibrationStanding;
pub use store::{CalibrationPhase, CalibrationState};
pub use writing::CalibrationWriting;

/// A calibration, as far as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationRun {
    /// Its number, never used twice.
    pub id: i64,
    /// The id of the target that it holds for, or that the target had when it was ordered.
    pub target: String,
    /// Likewise of the drafter.
    pub drafter: String,
    /// The number type that both compute in.
    pub precision: Precision,
    /// Whether the target thinks first.
    pub thinking: bool,
    /// What is asked, in a few words.
    pub data: String,
    /// Whether it is under way.
    pub state: CalibrationState,
    /// What it does.
    pub phase: CalibrationPhase,
    /// Answers of the phase that are done.
    pub done: usize,
    /// Answers of the phase in all.
    pub total: usize,
    /// How long the phase will take yet, seconds.
    pub seconds_left: Option<f64>,
    /// Why it failed, in a sentence.
    pub failure: Option<String>,
    /// What to do, once it is done.
    pub advice: Option<Advice>,
    /// When it was put in force; milliseconds since 1970.
    pub applied_at: Option<i64>,
    /// When it was taken out again; milliseconds since 1970.
    pub reverted_at: Option<i64>,
    /// Whether chats of these two use it.
    pub in_force: bool,
    /// Why it does not hold any more, in a sentence.
    pub stale: Option<String>,
    /// Whether it is in the drafter's own files.
    pub writing: CalibrationWriting,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// What a calibration would take, about.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationEstimate {
    /// Prompts that are asked.
    pub prompts: usize,
    /// Those of them that are answered in every way of drafting.
    pub held_out: usize,
    /// How long the answers take if each is as long as may be and written as fast as plainly, seconds; `None` before the
    /// target wrote anything here.
    pub seconds: Option<f64>,
}

impl CalibrationRun {
    /// Whether it is under way, or waits for its turn.
    #[must_use]
    pub fn is_running(&self) -> bool {
        is_running(self.state)
    }
}

impl App {
    /// Every calibration, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn calibrations(&self) -> Result<Vec<CalibrationRun>> {
        let mut runs = Vec::new();
        for row in self.store.calibrations().await? {
            runs.push(self.described_calibration(row).await?);
        }
        Ok(runs)
    }

    /// One calibration.
    ///
    /// # Errors
    /// There is no such calibration, or the database fails.
    pub async fn calibration(&self, id: i64) -> Result<CalibrationRun> {
        let row = self.calibration_row(id).await?;
        self.described_calibration(row).await
    }

    pub(super) async fn calibration_row(&self, id: i64) -> Result<store::Calibration> {
        self.store.calibration(id).await?.ok_or(Error::NoSuchCalibration(id))
    }

    /// What a calibration would take.
    ///
    /// # Errors
    /// The order cannot be met, or the database fails.
    pub async fn estimate_calibration(&self, order: &CalibrationOrder) -> Result<CalibrationEstimate> {
        let drafter = self.usable(&order.drafter, CheckpointRole::Drafter).await?;
        let modes = Mode::all(phases::limit(&drafter)?).len();
        let (asked, _) = self.calibration_prompts(order).await?;
        let (prompts, held_out) = (asked.len(), asked.iter().filter(|prompt| prompt.held_out).count());
        let tokens = order.tokens as usize;
        let plain_s = self.plain_step(&order.target, order.precision, tokens).await?;
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let written = (tokens * (prompts + held_out * modes)) as f64;
        Ok(CalibrationEstimate { prompts, held_out, seconds: plain_s.map(|plain_s| plain_s * written) })
    }

    /// Begins a calibration, or puts it behind the one that runs; one of the same order, models and prompts that is not
    /// over goes on.
    ///
    /// # Errors
    /// The order cannot be met, or the database fails.
    pub async fn start_calibration(&self, order: CalibrationOrder) -> Result<CalibrationRun> {
        let target = self.usable(&order.target, CheckpointRole::Target).await?;
        if order.drafter == LOOKUP {
            return Err(Error::NothingToCalibrate(order.drafter));
        }
        let drafter = self.usable(&order.drafter, CheckpointRole::Drafter).await?;
        phases::limit(&drafter)?;
        if order.thinking && !self.thinks(&target.folder).await? {
            return Err(Error::NoThinking(target.id));
        }
        let (prompts, data) = self.calibration_prompts(&order).await?;
        let key = self.calibration_key(&target.folder, &drafter.folder, order.precision, order.thinking).await?;
        // An order is numbers and texts only, so it always has a JSON form.
        let ordered = &serde_json::to_string(&order).unwrap_or_default();
        if let Some(open) = self.open_calibration(ordered, &key, &prompts).await? {
            return self.resume_calibration(open).await;
        }
        let new = NewCalibration { target: &target.id, drafter: &drafter.id, key: &key, ordered, data: &data };
        let id = self.store.add_calibration(&new, &prompts).await?;
        let total = u32::try_from(prompts.len()).unwrap_or(u32::MAX);
        let waiting = CalibrationProgress { total, ..CalibrationProgress::default() };
        if let Err(error) = self.run_calibration(id, &order, waiting).await {
            // Nothing is recorded yet. Without a database the row stays, as one that can be removed.
            let _ = self.store.remove_calibration(id).await;
            return Err(error);
        }
        self.calibration(id).await
    }

    /// The calibration that was ordered likewise, of the same prompts, and can go on.
    async fn open_calibration(
        &self,
        ordered: &str,
        key: &CalibrationKey,
        prompts: &[CalibrationPrompt],
    ) -> Result<Option<i64>> {
        let is_open = |row: &store::Calibration| row.progress.state != CalibrationState::Done;
        let holds = |row: &store::Calibration| is_open(row) && row.ordered == ordered && row.key == *key;
        for row in self.store.calibrations().await?.into_iter().filter(holds) {
            let known = self.store.calibration_prompts(row.id).await?;
            if known.iter().map(|prompt| &prompt.prompt).eq(prompts.iter().map(|prompt| &prompt.prompt)) {
                return Ok(Some(row.id));
            }
        }
        Ok(None)
    }

    /// Lets a calibration wait until it is resumed. What was recorded stays, and what is in force as well.
    ///
    /// # Errors
    /// There is no such calibration, another process runs it, or the database fails.
    pub async fn pause_calibration(&self, id: i64) -> Result<CalibrationRun> {
        let run = self.calibration(id).await?;
        if !self.calibrations.interrupt(id, false) && run.is_running() {
            return Err(Error::CalibratedElsewhere(id));
        }
        Ok(run)
    }

    /// Lets a calibration that is paused, or failed, go on.
    ///
    /// # Errors
    /// There is no such calibration, it is over, a model is not what it was, another process runs it, or the database
    /// fails.
    pub async fn resume_calibration(&self, id: i64) -> Result<CalibrationRun> {
        if self.calibrations.get(id).is_some_and(|job| job.goes_on()) {
            return self.calibration(id).await;
        }
        self.calibrations.rested(id).await;
        let row = self.calibration_row(id).await?;
        if row.progress.state == CalibrationState::Done {
            return Err(Error::CalibrationOver(id));
        }
        let models = self.calibrated(&row).await?;
        let [target, drafter] = models.map_err(|why| Error::StaleCalibration { id, why })?.map(|model| model.id);
        let order = serde_json::from_str(&row.ordered).map_err(|_| Error::DamagedCalibration(id))?;
        let order = CalibrationOrder { target, drafter, ..order };
        self.run_calibration(id, &order, row.progress).await?;
        self.calibration(id).await
    }

    /// Takes a calibration off the list with all that was recorded for it, and out of force.
    ///
    /// # Errors
    /// It runs, here or in another process, or the database fails.
    pub async fn remove_calibration(&self, id: i64) -> Result<()> {
        if self.calibrations.get(id).is_some() {
            return Err(Error::CalibrationRuns(id));
        }
        let _claim = self.claim_calibration(id).await?;
        Ok(self.store.remove_calibration(id).await?)
    }

    /// A row with what is only known while it runs, and whether it holds. What no process runs any more has paused.
    async fn described_calibration(&self, mut row: store::Calibration) -> Result<CalibrationRun> {
        let now = self.calibrations.get(row.id).map(|job| job.now);
        if is_running(row.progress.state) && now.is_none() && !self.is_calibration_claimed(row.id)? {
            // It may have come to its end meanwhile.
            row = self.calibration_row(row.id).await?;
            if is_running(row.progress.state) {
                row.progress.state = CalibrationState::Paused;
            }
        }
        let (progress, seconds_left) = now.map_or((row.progress, None), |now| (now.progress, now.pace.seconds_left()));
        let (models, stale) = match self.calibrated(&row).await? {
            Ok(models) => (Some(models.map(|model| model.id)), None),
            Err(why) => (None, Some(why)),
        };
        let in_force = row.applied_at.is_some()
            && row.reverted_at.is_none()
            && stale.is_none()
            && self.store.calibration_in_force(&row.key).await?.is_some_and(|latest| latest.id == row.id);
        let order = serde_json::from_str::<CalibrationOrder>(&row.ordered).ok();
        let advice = row.report.as_deref().and_then(|json| serde_json::from_str::<Outcome>(json).ok());
        let writing = self.writing(&row, advice.is_some() && stale.is_none()).await?;
        let is_damaged = order.is_none() || row.report.is_some() && advice.is_none();
        let [target, drafter] = models.unwrap_or([row.target, row.drafter]);
        Ok(CalibrationRun {
            id: row.id,
            target,
            drafter,
            precision: order.map(|order| order.precision).unwrap_or_default(),
            thinking: row.key.thinking,
            data: row.data,
            state: if is_damaged { CalibrationState::Failed } else { progress.state },
            phase: progress.phase,
            done: progress.done as usize,
            total: progress.total as usize,
            seconds_left,
            failure: if is_damaged { Some(Error::DamagedCalibration(row.id).to_string()) } else { row.failure },
            advice: advice.map(|outcome| outcome.advice),
            applied_at: row.applied_at,
            reverted_at: row.reverted_at,
            in_force,
            stale,
            writing,
            created_at: row.created_at,
        })
    }
}

/// The part of a report that is shown before anybody opens it.
#[derive(Deserialize)]
struct Outcome {
    advice: Advice,
}

/// Whether some process is at it, unless that was killed.
fn is_running(state: CalibrationState) -> bool {
    matches!(state, CalibrationState::Waiting | CalibrationState::Running)
}
