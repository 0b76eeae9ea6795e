//! Where a drafter came from that was trained here, as its folder tells people and programs.

use std::path::Path;
use std::{fs, io};

use engine::{DesignKind, DesignSize, Precision};
use serde::{Deserialize, Serialize};

use super::{Training, TrainingData, TrainingOrder, prompts};
use crate::Model;

/// The file for programs.
const FILE: &str = "training.json";

/// Where a drafter came from that was trained here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pedigree {
    /// What the drafter was called.
    pub name: String,
    /// The release of this app that trained it.
    pub version: String,
    /// The target: its id, and which files that was.
    pub target: String,
    /// What the target computed in.
    pub precision: String,
    /// The kind of drafter, its size and its γ.
    pub design: String,
    /// What the target answered. Of conversations it says how many questions there were, and of a file how many prompts,
    /// never what they say or what it is called: a drafter may be published.
    pub data: String,
    /// Steps taken.
    pub steps: usize,
    /// Steps that were ordered.
    pub of: usize,
    /// The same seed gives the same drafter.
    pub seed: u64,
    /// Tokens per round (τ) on held-out answers before the first step.
    pub at_start: Option<f64>,
    /// The same at best, which is where the drafter is from.
    pub at_best: Option<f64>,
    /// When the training began; milliseconds since 1970.
    pub begun_at: i64,
}

impl Pedigree {
    /// Of the drafter that a training by this order came to.
    pub(super) fn new(training: &Training, order: &TrainingOrder, target: Option<&Model>) -> Self {
        let kind = match order.design.kind {
            DesignKind::DSpark => "DSpark",
            DesignKind::DSparkRecurrent => "DSpark, recurrent",
            DesignKind::DFlash => "DFlash",
            DesignKind::DFlash2 => "DFlash 2",
        };
        let size = match order.design.size {
            DesignSize::Small => "small",
            DesignSize::Medium => "medium",
        };
        let precision = match order.precision {
            Precision::AsStored => "the type of its weights",
            Precision::Float32 => "float32",
        };
        Self {
            name: training.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            target: origin(&order.target, target),
            precision: precision.to_owned(),
            design: format!("{kind}, {size}, γ {}", order.design.gamma),
            data: match &order.data {
                TrainingData::File(_) => format!("{} prompts of a file", training.answers_of),
                data => prompts::described(data, training.answers_of),
            },
            steps: training.step,
            of: training.steps,
            seed: order.seed,
            at_start: training.at_start(),
            at_best: training.at_best(),
            begun_at: training.created_at,
        }
    }

    /// What the folder of a drafter says; `None` if it says nothing that can be read.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()
    }

    /// Writes it into the folder of a drafter.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        fs::write(folder.join(FILE), serde_json::to_vec_pretty(self)?)?;
        fs::write(folder.join("README.md"), self.text())
    }

    fn text(&self) -> String {
        let Self { name, version, target, precision, design, data, steps, of, seed, at_start, at_best, begun_at } =
            self;
        let ended = if steps == of { "" } else { ", stopped before its end" };
        let tau = |value: &Option<f64>| value.map_or_else(|| "not measured".to_owned(), |value| format!("{value:.2}"));
        let (start, best, date) = (tau(at_start), tau(at_best), date(*begun_at));
        format!(
            "# {name}\n\n\
             A drafter for one target, trained by Slipstream {version}.\n\n\
             - Target: {target}, computing in {precision}\n\
             - Kind: {design}\n\
             - Learnt from: the target's answers to {data}\n\
             - Steps: {steps} of {of}{ended}\n\
             - Seed: {seed}\n\
             - Tokens per round (τ, the target's own included) on answers that it was not taught, which also \
             chose the best; as expected when sampling at temperature 1: {start} untrained, {best} at best\n\
             - Begun: {date}\n",
        )
    }
}

/// A target's id, and which files that was.
fn origin(id: &str, target: Option<&Model>) -> String {
    match target.map(|target| (&target.repo, &target.commit, target.bytes)) {
        Some((Some(repo), Some(commit), _)) => format!("{id} ({repo} at {commit})"),
        Some((_, _, bytes)) => format!("{id} (a folder, {bytes} bytes of weights)"),
        None => id.to_owned(),
    }
}

/// The day of a time in milliseconds since 1970, in UTC (Hinnant, "chrono-compatible low-level date algorithms").
fn date(time: i64) -> String {
    let days = time.div_euclid(86_400_000) + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + later)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn a_day_is_the_calendars() {
        let days = [0, 951_782_400_000, 1_709_164_800_000, 1_735_689_599_999, -1];
        assert_eq!(days.map(date), ["1970-01-01", "2000-02-29", "2024-02-29", "2024-12-31", "1969-12-31"]);
    }
}
