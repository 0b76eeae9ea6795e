//! Calibrations in drafters' own files.

use std::path::PathBuf;

use engine::{Calibration, Fitted, fitted_in, holds_fitted, take_back_fitted, write_fitted};
use store::Source;

use crate::library::blocking;
use crate::{App, CheckpointRole, Error, Model, Result};

/// The kind of drafter whose files have a place for a calibration.
const OWN_FORMAT: &str = "dspark";

/// Whether a calibration is in its drafter's own files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalibrationWriting {
    /// It is not, and has no place there.
    Impossible,
    /// It can be written there.
    Possible,
    /// It was written there, and can be taken back.
    Done,
}

impl App {
    /// Writes what was fitted into the drafter's own `dspark.json`, where every program that loads it finds it. What is
    /// there already is only replaced if `replace` says so.
    ///
    /// # Errors
    /// It is not done or does not hold any more, the drafter is not of the own format or another program's, its files
    /// hold a calibration already, or cannot be written.
    pub async fn write_calibration(&self, id: i64, replace: bool) -> Result<()> {
        let row = self.calibration_row(id).await?;
        if let Err(why) = self.calibrated(&row).await? {
            return Err(Error::StaleCalibration { id, why });
        }
        let (fitted, folder) = self.fitted(&row).await?;
        let (into, known) = (folder.clone(), fitted.clone());
        let before =
            blocking(move || Ok((!holds_fitted(&into, &known)?).then(|| fitted_in(&into)).transpose()?)).await?;
        let Some(before) = before else { return Ok(()) }; // it is there already
        // First, so that what was there is known whatever happens; and what was there before anything was written stays known,
        // also if it is written a second time, in place of another.
        if row.replaced.is_none() {
            self.store.note_replaced(id, Some(&before)).await?;
        }
        let into = folder.clone();
        let written = blocking(move || Ok(write_fitted(&into, &fitted, replace)?)).await;
        if written.is_err() {
            self.store.note_replaced(id, row.replaced.as_deref()).await?;
        }
        self.engine.release(folder);
        written
    }

    /// Takes what was written out of the drafter's own `dspark.json`, whether it still holds or not: what was there before
    /// is there again.
    ///
    /// # Errors
    /// It was not written, or the file holds another one by now, or cannot be written.
    pub async fn take_back_calibration(&self, id: i64) -> Result<()> {
        let row = self.calibration_row(id).await?;
        let (fitted, folder) = self.fitted(&row).await?;
        let before = row.replaced.ok_or(Error::CalibrationNotWritten(id))?;
        let from = folder.clone();
        blocking(move || Ok(take_back_fitted(&from, &fitted, &before)?)).await?;
        self.store.note_replaced(id, None).await?;
        self.engine.release(folder);
        Ok(())
    }

    /// Whether a calibration is in its drafter's own files; `holds` says whether it could be used.
    pub(super) async fn writing(&self, row: &store::Calibration, holds: bool) -> Result<CalibrationWriting> {
        if row.replaced.is_some() && self.is_written(row).await {
            return Ok(CalibrationWriting::Done);
        }
        let possible = holds && self.calibrated_drafter(row).await.is_ok_and(|drafter| keeps_calibrations(&drafter));
        Ok(if possible { CalibrationWriting::Possible } else { CalibrationWriting::Impossible })
    }

    /// Whether the drafter's file still holds it.
    async fn is_written(&self, row: &store::Calibration) -> bool {
        let Ok((fitted, folder)) = self.fitted(row).await else { return false };
        blocking(move || Ok(holds_fitted(&folder, &fitted)?)).await.unwrap_or(false)
    }

    /// What the file of its drafter has of a calibration, and the folder of that.
    async fn fitted(&self, row: &store::Calibration) -> Result<(Fitted, PathBuf)> {
        let report = self.calibration_report(row.id).await?;
        let drafter = self.calibrated_drafter(row).await?;
        if !keeps_calibrations(&drafter) {
            return Err(Error::KeepsNoCalibration(drafter.id));
        }
        let Calibration { thresholds, temperatures } = report.fitted;
        let samples = report.positions.iter().map(|position| position.samples).sum();
        Ok((Fitted { thresholds, temperatures, target: report.precision, samples }, drafter.folder))
    }

    /// The drafter that it is of, or at least what has that name by now.
    async fn calibrated_drafter(&self, row: &store::Calibration) -> Result<Model> {
        match self.model_of(CheckpointRole::Drafter, &row.drafter, &row.key.drafter_hash).await? {
            Some(drafter) => Ok(drafter),
            None => self.usable(&row.drafter, CheckpointRole::Drafter).await,
        }
    }
}

/// Whether the files of a drafter can keep a calibration: they have a place for it, and are nobody else's.
fn keeps_calibrations(drafter: &Model) -> bool {
    drafter.kind == OWN_FORMAT && matches!(drafter.source, Source::Folder | Source::Trained | Source::Demo)
}
