//! Calibrations in drafters' own files.

use std::path::PathBuf;

use engine::{Calibration, Fitted, take_back_fitted, write_fitted};
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
        let (row, fitted, folder) = self.written_calibration(id).await?;
        let into = folder.clone();
        let before = blocking(move || Ok(write_fitted(&into, &fitted, replace)?)).await?;
        // Written once more, it replaced itself.
        if row.replaced.is_none() {
            self.store.note_replaced(id, Some(&before)).await?;
        }
        self.engine.release(folder);
        Ok(())
    }

    /// Takes what was written out of the drafter's own `dspark.json`: what was there before is there again.
    ///
    /// # Errors
    /// It was not written, or the file holds another one by now, or cannot be written.
    pub async fn take_back_calibration(&self, id: i64) -> Result<()> {
        let (row, fitted, folder) = self.written_calibration(id).await?;
        let before = row.replaced.ok_or(Error::CalibrationNotWritten(id))?;
        let from = folder.clone();
        blocking(move || Ok(take_back_fitted(&from, &fitted, &before)?)).await?;
        self.store.note_replaced(id, None).await?;
        self.engine.release(folder);
        Ok(())
    }

    /// A calibration that holds, what its drafter's file has of it, and the folder of that.
    async fn written_calibration(&self, id: i64) -> Result<(store::Calibration, Fitted, PathBuf)> {
        let report = self.calibration_report(id).await?;
        let row = self.calibration_row(id).await?;
        if let Some(why) = self.stale(&row).await? {
            return Err(Error::StaleCalibration { id, why });
        }
        let Model { id: drafter, folder, .. } = self.usable(&row.drafter, CheckpointRole::Drafter).await?;
        if !self.keeps_calibrations(&drafter).await? {
            return Err(Error::KeepsNoCalibration(drafter));
        }
        let Calibration { thresholds, temperatures } = report.fitted;
        let samples = report.positions.iter().map(|position| position.samples).sum();
        Ok((row, Fitted { thresholds, temperatures, target: report.precision, samples }, folder))
    }

    /// Whether the files of a drafter can keep a calibration: they have a place for it, and are nobody else's.
    pub(super) async fn keeps_calibrations(&self, drafter: &str) -> Result<bool> {
        let model = self.store.model(drafter).await?.map(Model::from);
        let is_ours = |source| matches!(source, Source::Folder | Source::Trained | Source::Demo);
        Ok(model.is_some_and(|model| model.kind == OWN_FORMAT && is_ours(model.source)))
    }
}
