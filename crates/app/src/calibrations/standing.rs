//! What a calibration holds for: contents, number type, thinking, machine, and how it was made.

use std::path::Path;

use engine::{Precision, is_fitted};
use store::{CalibrationKey, CalibrationState};

use crate::costs::machine;
use crate::library::blocking;
use crate::{App, CheckpointRole, Model, Result};

/// How calibrations are made: another number for any change after which an older one should not be used.
const VERSION: u32 = 2;

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
        // Of what has these names, and of what has these contents.
        let of_these = |row: &&store::Calibration| {
            let hashes = |key: &CalibrationKey| [key.target_hash.clone(), key.drafter_hash.clone()];
            let is_these = [&*row.target, &*row.drafter] == [target, drafter] || hashes(&row.key) == hashes(&key);
            is_these && row.key.precision == key.precision && row.key.thinking == key.thinking
        };
        let mut left = rows.iter().filter(|row| row.applied_at.is_some() && row.reverted_at.is_none());
        Ok(left.find(of_these).map_or(CalibrationStanding::None, |row| {
            let why = made_otherwise(&row.key).unwrap_or_else(|| {
                let is_target = row.key.target_hash != key.target_hash;
                other_files(if is_target { ("target", target) } else { ("drafter", drafter) })
            });
            CalibrationStanding::Stale { id: row.id, why }
        }))
    }

    /// The target and the drafter that a calibration holds for, whatever they are called by now; or else why it does not
    /// hold any more, in a sentence.
    pub(super) async fn calibrated(&self, row: &store::Calibration) -> Result<std::result::Result<[Model; 2], String>> {
        if let Some(why) = made_otherwise(&row.key) {
            return Ok(Err(why));
        }
        let CalibrationKey { target_hash, drafter_hash, .. } = &row.key;
        let Some(target) = self.model_of(CheckpointRole::Target, &row.target, target_hash).await? else {
            return Ok(Err(self.what_became_of("target", &row.target).await?));
        };
        let Some(drafter) = self.model_of(CheckpointRole::Drafter, &row.drafter, drafter_hash).await? else {
            return Ok(Err(self.what_became_of("drafter", &row.drafter).await?));
        };
        Ok(Ok([target, drafter]))
    }

    /// What became of a model that is not there any more as it was.
    async fn what_became_of(&self, word: &str, id: &str) -> Result<String> {
        let model = self.store.model(id).await?.map(Model::from).filter(|model| model.broken.is_none());
        let Some(model) = model else {
            return Ok(format!("the {word} “{id}” is not in the list any more, or cannot be used"));
        };
        Ok(match self.fingerprint(&model.folder).await {
            Ok(_) => other_files((word, id)),
            Err(error) => format!("the files of the {word} “{id}” cannot be looked at: {error}"),
        })
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
}

/// That a calibration was made elsewhere, or not as it is made now; nothing if it was.
fn made_otherwise(CalibrationKey { machine: made_on, version, .. }: &CalibrationKey) -> Option<String> {
    if *version != VERSION {
        return Some("another version of Slipstream made it, in another way".into());
    }
    (*made_on != machine()).then(|| format!("it was made on another machine, {made_on}"))
}

/// That a model is not what it was.
fn other_files((word, id): (&str, &str)) -> String {
    format!("the files of the {word} “{id}” are not what they were")
}
