//! Which calibration is in force, and for what one holds: contents, number type, thinking, machine, and how it was made.

use std::path::Path;
use std::sync::PoisonError;

use engine::{Calibration, DraftSource, Fitted, Precision, fingerprint, write_fitted};
use store::{CalibrationKey, Source};

use super::CalibrationReport;
use crate::costs::{machine, stamp};
use crate::library::blocking;
use crate::{App, CalibrationRun, CheckpointRole, Error, Model, Result};

/// How calibrations are made: another number for any change after which an older one should not be used.
const VERSION: u32 = 1;

/// The kind of drafter whose files have a place for a calibration.
const OWN_FORMAT: &str = "dspark";

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
        self.store.apply_calibration(id, true).await?;
        self.calibration(id).await
    }

    /// Takes a calibration out of force: the one that was in force before it is again, if there was one.
    ///
    /// # Errors
    /// There is no such calibration, or the database fails.
    pub async fn revert_calibration(&self, id: i64) -> Result<CalibrationRun> {
        self.calibration(id).await?;
        self.store.apply_calibration(id, false).await?;
        self.calibration(id).await
    }

    /// What came of a calibration.
    ///
    /// # Errors
    /// It is not done, or the database fails.
    pub async fn calibration_report(&self, id: i64) -> Result<CalibrationReport> {
        self.calibration(id).await?.report.ok_or(Error::CalibrationNotDone(id))
    }

    /// Writes what was fitted into the drafter's own `dspark.json`, where every program that loads it finds it. What is
    /// there already is only replaced if `replace` says so.
    ///
    /// # Errors
    /// It is not done or does not hold any more, the drafter is not of the own format or another program's, its files
    /// hold a calibration already, or cannot be written.
    pub async fn write_calibration(&self, id: i64, replace: bool) -> Result<()> {
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
        let fitted = Fitted { thresholds, temperatures, target: report.precision, samples };
        let into = folder.clone();
        blocking(move || Ok(write_fitted(&into, &fitted, replace)?)).await?;
        self.engine.release(folder);
        Ok(())
    }

    /// Whether the files of a drafter can keep a calibration: they have a place for it, and are nobody else's.
    pub(super) async fn keeps_calibrations(&self, drafter: &str) -> Result<bool> {
        let model = self.store.model(drafter).await?.map(Model::from);
        let is_ours = |source| matches!(source, Source::Folder | Source::Trained | Source::Demo);
        Ok(model.is_some_and(|model| model.kind == OWN_FORMAT && is_ours(model.source)))
    }

    /// Why a calibration does not hold any more, in a sentence.
    pub(super) async fn stale(&self, row: &store::Calibration) -> Result<Option<String>> {
        let CalibrationKey { target_hash, drafter_hash, machine: made_on, version, .. } = &row.key;
        if *version != VERSION {
            return Ok(Some("another version of Slipstream made it, in another way".into()));
        }
        if *made_on != machine() {
            return Ok(Some(format!("it was made on another machine, {made_on}")));
        }
        for (id, word, hash) in [(&row.target, "target", target_hash), (&row.drafter, "drafter", drafter_hash)] {
            let Some(model) = self.store.model(id).await?.map(Model::from).filter(|model| model.broken.is_none())
            else {
                return Ok(Some(format!("the {word} “{id}” is not in the list any more, or cannot be used")));
            };
            if self.fingerprint(&model.folder).await.ok().as_ref() != Some(hash) {
                return Ok(Some(format!("the files of the {word} “{id}” are not what they were")));
            }
        }
        Ok(None)
    }

    /// What a calibration of these holds for.
    pub(super) async fn calibration_key(
        &self,
        target: &Path,
        drafter: &Path,
        precision: Precision,
        thinking: bool,
    ) -> Result<CalibrationKey> {
        Ok(CalibrationKey {
            target_hash: self.fingerprint(target).await?,
            drafter_hash: self.fingerprint(drafter).await?,
            precision: match precision {
                Precision::AsStored => "as_stored".into(),
                Precision::Float32 => "float32".into(),
            },
            thinking,
            machine: machine(),
            version: VERSION,
        })
    }

    /// The fingerprint of a folder; it is taken again only if its files have changed.
    async fn fingerprint(&self, folder: &Path) -> Result<String> {
        let (folder, now) = (folder.to_owned(), stamp(folder));
        let known = || self.calibrations.fingerprints.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((then, hash)) = known().get(&folder)
            && *then == now
        {
            return Ok(hash.clone());
        }
        let hash = blocking({
            let folder = folder.clone();
            move || Ok(fingerprint(&folder)?)
        })
        .await?;
        known().insert(folder, (now, hash.clone()));
        Ok(hash)
    }
}
