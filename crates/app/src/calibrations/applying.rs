//! Which calibration is in force, by hand.

use std::path::Path;

use engine::{Calibration, DraftSource, Precision};

use super::CalibrationReport;
use crate::{App, CalibrationRun, Error, Result};

impl App {
    /// What was fitted and is in force for these models, for [`Request::calibration`](crate::Request); nothing if nothing
    /// is, or it does not hold for exactly these.
    ///
    /// # Errors
    /// A folder cannot be read, or the database fails.
    pub async fn calibration_for(
        &self,
        target: &Path,
        drafter: Option<&DraftSource>,
        precision: Precision,
        thinking: bool,
    ) -> Result<Option<Calibration>> {
        let Some(DraftSource::Folder(drafter)) = drafter else { return Ok(None) };
        if !self.store.applies_calibrations().await? {
            return Ok(None);
        }
        let key = self.calibration_key(target, drafter, precision, thinking).await?;
        let report = self.store.calibration_in_force(&key).await?.and_then(|row| row.report);
        Ok(report.and_then(|json| serde_json::from_str::<CalibrationReport>(&json).ok()).map(|report| report.fitted))
    }

    /// Puts a calibration in force for its models.
    ///
    /// # Errors
    /// It is not done, or does not hold any more, or the database fails.
    pub async fn apply_calibration(&self, id: i64) -> Result<CalibrationRun> {
        let run = self.calibration(id).await?;
        if let Some(why) = run.stale {
            return Err(Error::StaleCalibration { id, why });
        }
        self.calibration_report(id).await?;
        self.store.apply_calibration(id).await?;
        self.calibration(id).await
    }

    /// Takes a calibration out of force: the one that was in force before it is again, if there was one.
    ///
    /// # Errors
    /// There is no such calibration, or the database fails.
    pub async fn revert_calibration(&self, id: i64) -> Result<CalibrationRun> {
        self.calibration(id).await?;
        self.store.revert_calibration(id).await?;
        self.calibration(id).await
    }

    /// What came of a calibration.
    ///
    /// # Errors
    /// It is not done, or the database fails.
    pub async fn calibration_report(&self, id: i64) -> Result<CalibrationReport> {
        let json = self.calibration_row(id).await?.report.ok_or(Error::CalibrationNotDone(id))?;
        serde_json::from_str(&json).map_err(|_| Error::DamagedCalibration(id))
    }
}
