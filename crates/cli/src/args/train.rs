//! `slipstream drafter train`.

use std::path::PathBuf;

use app::{Design, DesignKind, DesignSize, Suite, TrainingData, TrainingLength, TrainingOrder};
use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use clap::{Args, ValueEnum, value_parser};

use super::Dtype;

#[derive(Debug, Args)]
pub(crate) struct TrainArguments {
    /// The target's id.
    #[arg(long, value_name = "TARGET")]
    target: String,
    /// What to call the drafter.
    #[arg(long)]
    name: String,
    /// How it drafts.
    #[arg(long, value_enum, default_value_t = Design::default().kind.into())]
    kind: Kind,
    /// How much of it there is; its measures follow from the target's.
    #[arg(long, value_enum, default_value_t = Design::default().size.into())]
    size: Size,
    /// The most tokens that it drafts (γ).
    #[arg(long, default_value_t = Design::default().gamma)]
    gamma: usize,
    #[command(flatten)]
    data: DataArguments,
    /// How many steps it learns.
    #[arg(long, default_value_t = TrainingLength::STEPS, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    steps: usize,
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

/// How long a drafter that never did better learns anew, from the answers that there are.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct LongerArguments {
    /// If it is over and its drafter never did better: let it take so many steps from the same answers.
    #[arg(long, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    steps: Option<usize>,
    /// Likewise, as many as take about so many minutes here.
    #[arg(long, value_name = "MINUTES", value_parser = value_parser!(u32).range(1..))]
    minutes: Option<u32>,
}

/// What the target answers, for the drafter to learn from.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct DataArguments {
    /// A built-in suite of prompts; may be given several times [default: all but the one about this program].
    #[arg(long = "suite", value_name = "SUITE", value_parser = PossibleValuesParser::new(Suite::ids()))]
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

impl From<LongerArguments> for Option<TrainingLength> {
    fn from(LongerArguments { steps, minutes }: LongerArguments) -> Self {
        minutes.map(TrainingLength::Minutes).or(steps.map(TrainingLength::Steps))
    }
}

impl From<Kind> for DesignKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Dspark => Self::DSpark,
            Kind::DsparkRecurrent => Self::DSparkRecurrent,
            Kind::Dflash => Self::DFlash,
            Kind::Dflash2 => Self::DFlash2,
        }
    }
}

impl From<Size> for DesignSize {
    fn from(size: Size) -> Self {
        match size {
            Size::Small => Self::Small,
            Size::Medium => Self::Medium,
        }
    }
}

impl From<DesignKind> for Kind {
    fn from(kind: DesignKind) -> Self {
        match kind {
            DesignKind::DSpark => Self::Dspark,
            DesignKind::DSparkRecurrent => Self::DsparkRecurrent,
            DesignKind::DFlash => Self::Dflash,
            DesignKind::DFlash2 => Self::Dflash2,
        }
    }
}

impl From<DesignSize> for Size {
    fn from(size: DesignSize) -> Self {
        match size {
            DesignSize::Small => Self::Small,
            DesignSize::Medium => Self::Medium,
        }
    }
}

impl From<TrainArguments> for TrainingOrder {
    fn from(arguments: TrainArguments) -> Self {
        let (kind, size) = (arguments.kind.into(), arguments.size.into());
        Self {
            target: arguments.target,
            name: arguments.name,
            design: Design { kind, size, gamma: arguments.gamma },
            data: match arguments.data {
                DataArguments { conversations: true, .. } => TrainingData::Conversations,
                DataArguments { prompts: Some(file), .. } => TrainingData::File(file),
                DataArguments { suites, .. } if suites.is_empty() => TrainingData::default(),
                DataArguments { suites, .. } => TrainingData::Suites(suites),
            },
            length: arguments.minutes.map_or(TrainingLength::Steps(arguments.steps), TrainingLength::Minutes),
            precision: arguments.dtype.into(),
            seed: arguments.seed,
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

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
    fn a_training_without_options_is_the_usual_one() {
        assert_eq!(order("").unwrap(), TrainingOrder::usual("t".into(), "n".into()));
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
        assert_eq!(order("--suite poems").unwrap_err(), ErrorKind::InvalidValue);
    }
}
