//! `slipstream calibrate` and `slipstream calibrations`.

use std::path::PathBuf;

use app::CalibrationOrder;
use clap::{Args, Subcommand, value_parser};

use super::Dtype;

#[derive(Debug, Args)]
pub(crate) struct CalibrateArguments {
    /// The target's id.
    #[arg(long, value_name = "TARGET")]
    target: String,
    /// The drafter's id.
    #[arg(long, value_name = "DRAFTER")]
    drafter: String,
    /// Let the target think before it answers: that is calibrated by itself.
    #[arg(long)]
    thinking: bool,
    /// A built-in suite of prompts: chat, code, maths, structured or slipstream; may be given several times
    /// [default: all but the last, unless other prompts are chosen].
    #[arg(long = "suite", value_name = "SUITE")]
    suites: Vec<String>,
    /// Also a file with a prompt in each line; of a `.jsonl`, a `{"prompt": …}` or `{"messages": […]}`.
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
    /// Also the questions of your newest conversations. They do not leave this machine.
    #[arg(long)]
    conversations: bool,
    /// At most so many prompts of each of these; every fourth is kept to judge by.
    #[arg(long, value_name = "PROMPTS", default_value_t = CalibrationOrder::PROMPTS, value_parser = value_parser!(u32).range(2..))]
    most: u32,
    /// The most tokens of an answer.
    #[arg(long, value_name = "TOKENS", default_value_t = CalibrationOrder::TOKENS, value_parser = value_parser!(u32).range(2..))]
    max_tokens: u32,
    /// The number type to compute in.
    #[arg(long, value_enum, default_value_t = Dtype::Stored)]
    dtype: Dtype,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CalibrationsCommand {
    /// List all calibrations.
    List,
    /// Show what came of one.
    Show {
        /// Its number.
        id: i64,
    },
    /// Go on with one that is paused, or failed. Ctrl-C pauses it.
    Resume {
        /// Its number.
        id: i64,
    },
    /// Put one in force for its target and drafter.
    Apply {
        /// Its number.
        id: i64,
    },
    /// Take one out of force; the one before it is in force again.
    Revert {
        /// Its number.
        id: i64,
    },
    /// Write one into the drafter's own `dspark.json`.
    Write {
        /// Its number.
        id: i64,
        /// Even if there is a calibration in the file.
        #[arg(long)]
        force: bool,
    },
    /// Take one out of the drafter's own `dspark.json` again.
    TakeBack {
        /// Its number.
        id: i64,
    },
    /// Print everything that was recorded for one, as CSV; with --json, what came of it.
    Export {
        /// Its number.
        id: i64,
    },
    /// Take one off the list with all that was recorded for it, and out of force.
    Forget {
        /// Its number.
        id: i64,
    },
}

impl From<CalibrateArguments> for CalibrationOrder {
    fn from(arguments: CalibrateArguments) -> Self {
        let CalibrateArguments { target, drafter, thinking, suites, prompts, conversations, .. } = arguments;
        Self {
            suites,
            precision: arguments.dtype.into(),
            thinking,
            conversations,
            file: prompts,
            prompts: arguments.most,
            tokens: arguments.max_tokens,
            target,
            drafter,
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use clap::{Parser, error::ErrorKind};

    use super::*;
    use crate::args::{Arguments, Command};

    fn order(options: &str) -> Result<CalibrationOrder, ErrorKind> {
        let line = format!("slipstream calibrate --target t --drafter d {options}");
        let parsed = Arguments::try_parse_from(line.split_whitespace()).map_err(|error| error.kind())?;
        match parsed.command {
            Command::Calibrate(arguments) => Ok((*arguments).into()),
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn a_calibration_without_options_is_the_usual_one_but_for_the_suites_which_the_target_decides() {
        assert_eq!(order("").unwrap(), CalibrationOrder { suites: vec![], ..CalibrationOrder::usual("t", "d") });
    }

    #[test]
    fn ones_own_prompts_come_instead_of_the_suites_or_beside_those_that_are_named() {
        assert_eq!(order("--conversations").unwrap().suites, [""; 0]);
        let both = order("--prompts p.txt --suite code --most 3").unwrap();
        assert_eq!((both.suites, both.file, both.prompts), (vec!["code".into()], Some("p.txt".into()), 3));
        assert_eq!(order("--most 1").unwrap_err(), ErrorKind::ValueValidation);
    }
}
