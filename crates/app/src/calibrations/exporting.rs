//! A calibration for other programs: what was recorded as CSV, what came of it as JSON.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;
use store::CalibrationKey;

use super::report;
use crate::library::blocking;
use crate::{App, Error, Result};

impl App {
    /// Everything that was recorded, as CSV: a line for each drafted token that the target judged, positions from 1.
    ///
    /// # Errors
    /// There is no such calibration, or the database fails.
    pub async fn calibration_samples(&self, id: i64) -> Result<String> {
        self.calibration_row(id).await?;
        let mut csv = "prompt,suite,held_out,round,position,confidence,accepted\n".to_owned();
        for prompt in self.store.calibration_prompts(id).await? {
            let rounds = report::recording(&prompt).map(|recording| recording.rounds).unwrap_or_default();
            let suite = prompt.suite.replace('"', "\"\"");
            for (round, recorded) in (1..).zip(&rounds) {
                for sample in recorded.samples() {
                    let (number, held_out, position) = (prompt.number + 1, prompt.held_out, sample.position + 1);
                    let (confidence, accepted) = (sample.confidence, sample.accepted);
                    // Writing into a text cannot fail.
                    let _ = writeln!(csv, "{number},\"{suite}\",{held_out},{round},{position},{confidence},{accepted}");
                }
            }
        }
        Ok(csv)
    }

    /// What came of a calibration, and what it is of and holds for, as JSON.
    ///
    /// # Errors
    /// It is not done, or the database fails.
    pub async fn calibration_json(&self, id: i64) -> Result<String> {
        let (row, report) = (self.calibration_row(id).await?, self.calibration_report(id).await?);
        let CalibrationKey { target_hash, drafter_hash, precision, thinking, machine, version } = row.key;
        let export = json!({
            "target": { "id": row.target, "hash": target_hash },
            "drafter": { "id": row.drafter, "hash": drafter_hash },
            "number_type": precision,
            "thinking": thinking,
            "machine": machine,
            "way": version,
            "release": env!("CARGO_PKG_VERSION"),
            "began": row.created_at,
            "asked": row.data,
            "report": report,
        });
        // Numbers and texts always have a JSON form.
        Ok(serde_json::to_string_pretty(&export).unwrap_or_default())
    }

    /// Writes an export where the user wants it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub async fn save_export(path: &Path, text: String) -> Result<()> {
        let path = path.to_owned();
        blocking(move || std::fs::write(&path, text).map_err(|source| Error::Unwritten { path, source })).await
    }
}
