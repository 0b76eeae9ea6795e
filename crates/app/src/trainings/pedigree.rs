//! Where a drafter came from that was trained here, as its folder tells people and programs.

use std::path::Path;
use std::{fs, io};

use engine::{DesignKind, DesignSize, Precision};
use serde::{Deserialize, Serialize};

use super::{Training, TrainingData, TrainingOrder, prompts};
use crate::Model;
use crate::calendar::date;

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
