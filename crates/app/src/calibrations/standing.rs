//! What a calibration holds for: contents, number type, thinking, machine, and how it was made.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use engine::{Precision, fingerprint, is_fitted};
use store::{CalibrationKey, CalibrationState};

use crate::costs::{machine, stamp};
use crate::library::blocking;
use crate::{App, CheckpointRole, Model, Result};

/// How calibrations are made: another number for any change after which an older one should not be used.
const VERSION: u32 = 1;

/// How calibration stands for a target and a drafter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CalibrationStanding {
    /// This one is in force.
    InForce(i64),
    /// None is in force here, but the drafter's own files bring one.
    InFiles,
    /// This one holds for them, and nobody has applied it.
    NotApplied(i64),
    /// This one was in force, and does not hold any more.
    Stale {
        /// Its number.
        id: i64,
        /// Why, in a sentence.
        why: String,
    },
    /// There is none.
    None,
}

impl App {
    /// How calibration stands for these two, by id: by what their files contain, whatever they were called when they were
    /// calibrated.
    ///
    /// # Errors
    /// One of them cannot be used, or the database fails.
    pub async fn calibration_standing(
        &self,
        target: &str,
        drafter: &str,
        precision: Precision,
        thinking: bool,
    ) -> Result<CalibrationStanding> {
        let [target_folder, folder] = [
            self.usable(target, CheckpointRole::Target).await?.folder,
            self.usable(drafter, CheckpointRole::Drafter).await?.folder,
        ];
        let key = self.calibration_key(&target_folder, &folder, precision, thinking).await?;
        if let Some(row) = self.store.calibration_in_force(&key).await? {
            return Ok(CalibrationStanding::InForce(row.id));
        }
        if blocking(move || Ok(is_fitted(&folder)?)).await? {
            return Ok(CalibrationStanding::InFiles);
        }
        let rows = self.store.calibrations().await?;
        if let Some(row) = rows.iter().find(|row| row.key == key && row.progress.state == CalibrationState::Done) {
            return Ok(CalibrationStanding::NotApplied(row.id));
        }
        let of_these = |row: &&store::Calibration| {
            (&*row.target, &*row.drafter, &row.key.precision, row.key.thinking)
                == (target, drafter, &key.precision, thinking)
        };
        for row in rows.iter().filter(of_these).filter(|row| row.applied_at.is_some() && row.reverted_at.is_none()) {
            if let Some(why) = self.stale(row).await? {
                return Ok(CalibrationStanding::Stale { id: row.id, why });
            }
        }
        Ok(CalibrationStanding::None)
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
            // A target that cannot think answers as it does without.
            thinking: thinking && self.thinks(target).await?,
            machine: machine(),
            version: VERSION,
        })
    }

    /// Whether a target can think before it answers.
    pub(crate) async fn thinks(&self, target: &Path) -> Result<bool> {
        self.calibrations.thinking.of(target, engine::thinks).await
    }

    /// The fingerprint of a folder.
    pub(crate) async fn fingerprint(&self, folder: &Path) -> Result<String> {
        self.calibrations.fingerprints.of(folder, fingerprint).await
    }
}

/// What was read from folders, each with what its files looked like then: it is read again only if they have changed.
#[derive(Debug)]
pub(super) struct Read<T>(Mutex<HashMap<PathBuf, (String, T)>>);

impl<T> Default for Read<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone + Send + 'static> Read<T> {
    async fn of(&self, folder: &Path, read: fn(&Path) -> engine::Result<T>) -> Result<T> {
        let (folder, now) = (folder.to_owned(), stamp(folder));
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((then, value)) = known().get(&folder)
            && *then == now
        {
            return Ok(value.clone());
        }
        let value = blocking({
            let folder = folder.clone();
            move || Ok(read(&folder)?)
        })
        .await?;
        known().insert(folder, (now, value.clone()));
        Ok(value)
    }
}
