//! What a model's files say of it.

use serde::Serialize;
use specta::Type;

/// What a model's files say of it, and what it needs.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Details {
    /// What it is by its sizes, whatever its folder is called.
    name: String,
    /// How many numbers it consists of, whether they are packed or not.
    parameters: u64,
    /// How these are stored.
    quantization: String,
    /// How far a target reads.
    reach: Option<Reach>,
    /// What a target needs of memory.
    need: Option<Need>,
    /// The ids that end a target's answers.
    stop_ids: Vec<u32>,
    /// What of the files is not read.
    skipped: Vec<Skipped>,
    /// Code that came with it, by the names of its files. It is never run.
    code: Vec<String>,
    /// Where a drafter came from that was trained here.
    trained: Option<Trained>,
}

/// Where a drafter came from that was trained here.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Trained {
    /// The target, and which files that was.
    target: String,
    /// What the target answered.
    data: String,
    steps: usize,
    /// Steps that were ordered.
    of: usize,
    /// Tokens per round on held-out answers before the first step.
    start_tau: Option<f64>,
    /// The same at best.
    best_tau: Option<f64>,
    /// Milliseconds since 1970.
    begun_at: i64,
}

/// How far a target reads, and what that costs.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reach {
    /// The longest sequence that it was made for, tokens.
    most: usize,
    /// What each token adds to the caches of its full layers.
    bytes_per_token: u64,
    /// Rows that a row of a sliding layer sees.
    window: usize,
    /// What each row of the window takes in all sliding layers together.
    bytes_per_position: u64,
}

/// What an answer needs of memory, at most, in bytes.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Need {
    /// Tokens of prompt and answer together.
    context: usize,
    weights: u64,
    /// Keys and values.
    caches: u64,
    /// The intermediate numbers of the largest pass, or what loading takes for a while.
    working: u64,
    total: u64,
}

/// How fast a target could decode plainly at most, since it reads its weights once for each token.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BandwidthCeiling {
    tokens_per_second: f64,
    /// What this machine was measured to read in a second.
    bytes_per_second: f64,
    /// What the target reads for a token at least, by its files.
    bytes_per_token: u64,
}

impl From<app::BandwidthCeiling> for BandwidthCeiling {
    fn from(ceiling: app::BandwidthCeiling) -> Self {
        let tokens_per_second = ceiling.tokens_per_s();
        Self { tokens_per_second, bytes_per_second: ceiling.bandwidth, bytes_per_token: ceiling.bytes_per_token }
    }
}

/// Tensors that are not read.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skipped {
    /// What they are.
    what: String,
    tensors: usize,
    bytes: u64,
}

impl From<app::Details> for Details {
    fn from(app::Details { checkpoint, need, pedigree }: app::Details) -> Self {
        Self {
            name: checkpoint.name,
            parameters: checkpoint.parameters,
            quantization: checkpoint.quantization,
            reach: checkpoint.reach.map(Reach::from),
            need: need.map(Need::from),
            stop_ids: checkpoint.stop_ids,
            skipped: checkpoint.skipped.into_iter().map(Skipped::from).collect(),
            code: checkpoint.code,
            trained: pedigree.map(Trained::from),
        }
    }
}

impl From<app::Pedigree> for Trained {
    fn from(pedigree: app::Pedigree) -> Self {
        let app::Pedigree { target, data, steps, of, at_start, at_best, begun_at, .. } = pedigree;
        Self { target, data, steps, of, start_tau: at_start, best_tau: at_best, begun_at }
    }
}

impl From<app::Reach> for Reach {
    fn from(reach: app::Reach) -> Self {
        let app::Reach { most, bytes_per_token, window, bytes_per_position } = reach;
        Self { most, bytes_per_token, window, bytes_per_position }
    }
}

impl From<app::Need> for Need {
    fn from(need: app::Need) -> Self {
        let app::Need { context, weights, caches, working, .. } = need;
        Self { context, weights, caches, working, total: need.total() }
    }
}

impl From<app::Skipped> for Skipped {
    fn from(skipped: app::Skipped) -> Self {
        let app::Skipped { what, tensors, bytes } = skipped;
        Self { what: what.to_owned(), tensors, bytes }
    }
}
