//! `slipstream drafter train`.

use std::path::PathBuf;

use app::{Design, DesignKind, DesignSize, TrainingData, TrainingLength, TrainingOrder};
use clap::{Args, ValueEnum, value_parser};

use super::Dtype;

/// What is asked where nobody says: everything but what is about this program.
const SUITES: [&str; 4] = ["chat", "code", "maths", "structured"];

#[derive(Debug, Args)]
pub(crate) struct TrainArguments {
    /// The target's id.
    #[arg(long, value_name = "TARGET")]
    target: String,
    /// What to call the drafter.
    #[arg(long)]
    name: String,
    /// How it drafts.
    #[arg(long, value_enum, default_value_t = Kind::Dspark)]
    kind: Kind,
    /// How much of it there is; its measures follow from the target's.
    #[arg(long, value_enum, default_value_t = Size::Small)]
    size: Size,
    /// The most tokens that it drafts (γ).
    #[arg(long, default_value_t = 5)]
    gamma: usize,
    #[command(flatten)]
    data: DataArguments,
    /// How many steps it learns.
    #[arg(long, default_value_t = 2000, value_parser = value_parser!(u32).range(1..))]
    steps: u32,
    /// As many steps as take about so many minutes here, behind the answers.
    #[arg(long, value_name = "MINUTES", conflicts_with = "steps", value_parser = value_parser!(u32).range(1..))]
    minutes: Option<u32>,
    /// The same seed gives the same drafter.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The number type that the target computes in.
    #[arg(long, value_enum, default_value_t = Dtype::Stored)]
    dtype: Dtype,
}

/// What the target answers, for the drafter to learn from.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct DataArguments {
    /// A built-in suite of prompts: chat, code, maths, structured or slipstream; may be given several times
    /// [default: all but the last].
    #[arg(long = "suite", value_name = "SUITE")]
    suites: Vec<String>,
    /// A file with a prompt in each line; of a `.jsonl`, a `{"prompt": …}` or `{"messages": […]}`.
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
    /// The questions of your own conversations. They do not leave this machine.
    #[arg(long)]
    conversations: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Dspark,
    /// Carries a state from token to token.
    DsparkRecurrent,
    Dflash,
    Dflash2,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Size {
    Small,
    Medium,
}

impl From<TrainArguments> for TrainingOrder {
    fn from(arguments: TrainArguments) -> Self {
        let kind = match arguments.kind {
            Kind::Dspark => DesignKind::DSpark,
            Kind::DsparkRecurrent => DesignKind::DSparkRecurrent,
            Kind::Dflash => DesignKind::DFlash,
            Kind::Dflash2 => DesignKind::DFlash2,
        };
        let size = match arguments.size {
            Size::Small => DesignSize::Small,
            Size::Medium => DesignSize::Medium,
        };
        let steps = usize::try_from(arguments.steps).unwrap_or(usize::MAX);
        Self {
            target: arguments.target,
            name: arguments.name,
            design: Design { kind, size, gamma: arguments.gamma },
            data: match arguments.data {
                DataArguments { conversations: true, .. } => TrainingData::Conversations,
                DataArguments { prompts: Some(file), .. } => TrainingData::File(file),
                DataArguments { suites, .. } if suites.is_empty() => {
                    TrainingData::Suites(SUITES.map(String::from).into())
                }
                DataArguments { suites, .. } => TrainingData::Suites(suites),
            },
            length: arguments.minutes.map_or(TrainingLength::Steps(steps), TrainingLength::Minutes),
            precision: arguments.dtype.into(),
            seed: arguments.seed,
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use app::Precision;
    use clap::{Parser, error::ErrorKind};

    use super::*;
    use crate::args::{Arguments, Command, DrafterCommand};

    fn order(options: &str) -> Result<TrainingOrder, ErrorKind> {
        let line = format!("slipstream drafter train --target t --name n {options}");
        let parsed = Arguments::try_parse_from(line.split_whitespace()).map_err(|error| error.kind())?;
        match parsed.command {
            Command::Drafter { command: DrafterCommand::Train(arguments) } => Ok((*arguments).into()),
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn a_training_without_options_asks_the_suites_that_are_about_anything() {
        let expected = TrainingOrder {
            target: "t".into(),
            name: "n".into(),
            design: Design { kind: DesignKind::DSpark, size: DesignSize::Small, gamma: 5 },
            data: TrainingData::Suites(SUITES.map(String::from).into()),
            length: TrainingLength::Steps(2000),
            precision: Precision::AsStored,
            seed: 0,
        };
        assert_eq!(order("").unwrap(), expected);
    }

    #[test]
    fn what_is_chosen_arrives_and_what_excludes_itself_is_refused() {
        let chosen = order("--kind dflash2 --size medium --gamma 7 --conversations --minutes 20").unwrap();
        assert_eq!(chosen.design, Design { kind: DesignKind::DFlash2, size: DesignSize::Medium, gamma: 7 });
        assert_eq!((chosen.data, chosen.length), (TrainingData::Conversations, TrainingLength::Minutes(20)));
        let suites = order("--suite chat --suite code").unwrap().data;
        assert_eq!(suites, TrainingData::Suites(vec!["chat".into(), "code".into()]));
        for both in ["--steps 9 --minutes 9", "--suite chat --conversations", "--prompts p --conversations"] {
            assert_eq!(order(both).unwrap_err(), ErrorKind::ArgumentConflict, "{both}");
        }
        assert_eq!(order("--steps 0").unwrap_err(), ErrorKind::ValueValidation);
    }
}
