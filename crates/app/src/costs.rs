//! What rounds cost on this machine, remembered from answer to answer.

use std::env::consts::{ARCH, OS};
use std::path::Path;
use std::thread::available_parallelism;

use engine::{Cost, DraftSource, Precision, Request, processor};

use crate::folders::stamp;
use crate::{App, CheckpointRole, LOOKUP, Result};

impl App {
    /// What is known of the cost of rounds with these models, for [`Request::cost`]; empty if nothing is, or if anything
    /// has changed since it was measured.
    ///
    /// # Errors
    /// The database fails.
    pub async fn cost(&self, target: &Path, drafter: Option<&DraftSource>, precision: Precision) -> Result<Cost> {
        match key(target, drafter, precision) {
            Some(key) => self.chosen(&key).await,
            None => Ok(Cost::default()),
        }
    }

    /// How long a target takes for a token about, seconds, behind `context` tokens; `None` if it wrote nothing here yet with
    /// a drafter that it is used with.
    pub(crate) async fn plain_step(&self, target: &str, precision: Precision, context: usize) -> Result<Option<f64>> {
        let folder = self.usable(target, CheckpointRole::Target).await?.folder;
        let pairings = self.store.pairings().await?.into_iter();
        let used = pairings.filter(|pairing| pairing.target_id.eq_ignore_ascii_case(target));
        let mut drafters = vec![DraftSource::Lookup];
        for pairing in used {
            drafters
                .extend(self.model(&pairing.drafter_id).await.ok().map(|drafter| DraftSource::Folder(drafter.folder)));
        }
        for drafter in drafters {
            if let Some(seconds) = self.cost(&folder, Some(&drafter), precision).await?.plain_s(context) {
                return Ok(Some(seconds));
            }
        }
        Ok(None)
    }

    /// Remembers the `cost` that an answer to `request` brought back.
    ///
    /// # Errors
    /// The database fails.
    pub async fn keep_cost(&self, request: &Request, cost: &Cost) -> Result<()> {
        match key(&request.target, request.drafter.as_ref(), request.precision) {
            Some(key) if !cost.is_empty() => self.choose(&key, cost).await,
            _ => Ok(()),
        }
    }
}

/// Names everything that a cost depends on: the same name, the same cost.
fn key(target: &Path, drafter: Option<&DraftSource>, precision: Precision) -> Option<String> {
    let checkpoint = |folder: &Path| format!("{} {}", folder.display(), stamp(folder));
    let drafter = match drafter? {
        DraftSource::Folder(folder) => checkpoint(folder),
        DraftSource::Lookup => LOOKUP.to_owned(),
    };
    let target = checkpoint(target);
    let (machine, version) = (machine(), env!("CARGO_PKG_VERSION"));
    Some(format!("cost: {target}, {drafter}, {precision:?}, {machine}, {version}"))
}

/// The machine, by what its speed depends on.
pub(crate) fn machine() -> String {
    let cores = available_parallelism().map_or(0, usize::from);
    format!("{} {OS} {ARCH} {cores}", processor())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use std::fs;

    use super::*;
    use crate::testing;
    use engine::Prompt;

    #[tokio::test]
    async fn a_cost_is_remembered_until_anything_it_depends_on_changes() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let (target, folder) = (home.path().join("t"), home.path().join("d"));
        let drafter = DraftSource::Folder(folder.clone());
        let cost: Cost = serde_json::from_str(r#"{ "contexts": [{ "verify": [[0.03]] }] }"#).unwrap();
        let request = Request {
            drafter: Some(drafter.clone()),
            precision: Precision::AsStored,
            ..Request::new(target.clone(), Prompt::Raw(String::new()))
        };
        app.keep_cost(&request, &cost).await.unwrap();
        assert_eq!(app.cost(&target, Some(&drafter), Precision::AsStored).await.unwrap(), cost);

        assert!(app.cost(&target, Some(&drafter), Precision::Float32).await.unwrap().is_empty());
        assert!(app.cost(&target, None, Precision::AsStored).await.unwrap().is_empty());
        fs::write(folder.join("model.safetensors"), "other weights").unwrap();
        assert!(app.cost(&target, Some(&drafter), Precision::AsStored).await.unwrap().is_empty());
    }
}
