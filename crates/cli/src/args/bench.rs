//! `slipstream bench`.

use app::{BenchmarkOrder, Sampling};
use clap::Args;

use super::Dtype;
use crate::controls::not_negative;

#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// The target's id.
    target: String,
    /// Drafters: an id, or `lookup`. Plain decoding is timed anyway.
    #[arg(value_name = "DRAFTER")]
    drafters: Vec<String>,
    /// Tokens of the prompts, with commas between them.
    #[arg(long = "context", value_name = "TOKENS", value_delimiter = ',', default_values_t = [128, 2048], value_parser = at_least_one)]
    contexts: Vec<usize>,
    /// Tokens of the drafts (γ), with commas between them [default: what each drafter is usually asked for].
    #[arg(long = "gamma", value_name = "TOKENS", value_delimiter = ',', value_parser = at_least_one)]
    gammas: Vec<usize>,
    /// Tokens of each answer, which no end token cuts short.
    #[arg(long, value_name = "TOKENS", default_value_t = 64, value_parser = at_least_one)]
    tokens: usize,
    /// How often everything is timed, once more to warm up; of fewer than six the spread is not known.
    #[arg(long, value_name = "TIMES", default_value_t = 9, value_parser = at_least_one)]
    repeats: usize,
    /// How freely tokens are chosen; 0 takes the likeliest.
    #[arg(long, value_name = "TEMPERATURE", default_value_t = 0.0, value_parser = not_negative)]
    temperature: f32,
    /// Only so many of the likeliest tokens are chosen from; 0 are all.
    #[arg(long, value_name = "TOKENS", default_value_t = 0)]
    top_k: usize,
    /// Only the likeliest tokens are chosen from that have this share together.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = not_negative)]
    top_p: f32,
    /// The number type to compute in.
    #[arg(long, value_enum, default_value_t = Dtype::Stored)]
    dtype: Dtype,
    /// Print a line of values for each row.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}

impl From<BenchArguments> for BenchmarkOrder {
    fn from(given: BenchArguments) -> Self {
        let BenchArguments { temperature, top_k, top_p, .. } = given;
        Self {
            target: given.target,
            drafters: given.drafters,
            precision: given.dtype.into(),
            sampling: Sampling { temperature, top_k, top_p, ..Sampling::default() },
            contexts: given.contexts,
            gammas: given.gammas,
            tokens: given.tokens,
            repeats: given.repeats,
        }
    }
}

/// A count of which there is one.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("it has to be a whole number from 1 on".into()),
        Ok(count) => Ok(count),
    }
}
