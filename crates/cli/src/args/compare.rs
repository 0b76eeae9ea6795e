//! `slipstream compare` and `slipstream comparisons`.

use app::{ComparisonOrder, Contender, Mode};
use clap::{Args, Subcommand, ValueEnum, value_parser};

use super::Dtype;
use crate::controls::not_negative;

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The target's id.
    target: String,
    /// Two to four drafters: an id, or `lookup`; behind it perhaps how it is to draft, as in `mine=4` for always 4
    /// tokens, or `mine=thresholds` [default: auto, as long as is worth the time]. Plain decoding is compared anyway.
    #[arg(value_name = "DRAFTER", required = true, num_args = 2..=4, value_parser = contender)]
    drafters: Vec<Contender>,
    /// The one prompt to ask, instead of suites.
    #[arg(long, value_name = "TEXT", conflicts_with = "suites")]
    prompt: Option<String>,
    /// A built-in suite of prompts: chat, code, maths, structured or slipstream; may be given several times
    /// [default: those that suit the target].
    #[arg(long = "suite", value_name = "SUITE")]
    suites: Vec<String>,
    /// At most so many prompts of each suite; fewer than three say nothing for sure.
    #[arg(long, value_name = "PROMPTS", default_value_t = ComparisonOrder::PROMPTS, value_parser = value_parser!(u32).range(1..))]
    most: u32,
    /// The most tokens of an answer.
    #[arg(long, value_name = "TOKENS", default_value_t = ComparisonOrder::TOKENS, value_parser = value_parser!(u32).range(2..))]
    max_tokens: u32,
    /// How freely the target chooses; 0 takes the likeliest token.
    #[arg(long, value_name = "TEMPERATURE", default_value_t = 0.0, value_parser = not_negative)]
    temperature: f32,
    /// The same seed gives the same choices.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u32,
    /// Let the target think before it answers.
    #[arg(long)]
    thinking: bool,
    /// The number type to compute in.
    #[arg(long, value_enum, default_value_t = Dtype::Stored)]
    dtype: Dtype,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ComparisonsCommand {
    /// List all comparisons.
    List,
    /// Show what came of one, as far as it is.
    Show {
        /// Its number.
        id: i64,
    },
    /// Go on with one that is paused, or failed. Ctrl-C pauses it.
    Resume {
        /// Its number.
        id: i64,
    },
    /// Print one for others.
    Export {
        /// Its number.
        id: i64,
        /// As what.
        #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = Form::Csv)]
        form: Form,
    },
    /// Take one off the list with all that was measured for it.
    Forget {
        /// Its number.
        id: i64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Every answer, a line each.
    Csv,
    /// All of it.
    Json,
    /// A card for people, with all that its numbers depend on.
    Markdown,
}

impl From<CompareArguments> for ComparisonOrder {
    fn from(arguments: CompareArguments) -> Self {
        let CompareArguments { target, drafters, prompt, suites, temperature, seed, thinking, .. } = arguments;
        Self {
            target,
            contenders: drafters,
            precision: arguments.dtype.into(),
            thinking,
            temperature,
            seed: seed.into(),
            prompt,
            suites,
            prompts: arguments.most,
            tokens: arguments.max_tokens,
        }
    }
}

fn contender(text: &str) -> Result<Contender, String> {
    let (drafter, way) = text.split_once('=').unwrap_or((text, "auto"));
    let mode = match way {
        "auto" => Mode::Auto,
        "thresholds" => Mode::Thresholds,
        gamma => {
            Mode::Fixed { gamma: gamma.parse().map_err(|_| "behind = comes auto, thresholds, or a number of tokens")? }
        }
    };
    Ok(Contender { drafter: drafter.to_owned(), mode })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use clap::{Parser, error::ErrorKind};

    use super::*;
    use crate::args::{Arguments, Command};

    fn order(options: &str) -> Result<ComparisonOrder, ErrorKind> {
        let line = format!("slipstream compare t {options}");
        let parsed = Arguments::try_parse_from(line.split_whitespace()).map_err(|error| error.kind())?;
        match parsed.command {
            Command::Compare(arguments) => Ok((*arguments).into()),
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn drafters_draft_as_long_as_is_worth_it_unless_a_way_stands_behind_them() {
        let modes =
            |options| order(options).map(|order| order.contenders.iter().map(|one| one.mode).collect::<Vec<_>>());
        assert_eq!(modes("a b=4 c=thresholds").unwrap(), [Mode::Auto, Mode::Fixed { gamma: 4 }, Mode::Thresholds]);
        assert_eq!(modes("a b=often").unwrap_err(), ErrorKind::ValueValidation);
        assert_eq!(order("a b").unwrap().contenders[1], Contender::auto("b"));
    }

    #[test]
    fn fewer_than_two_drafters_more_than_four_or_both_kinds_of_prompts_are_refused() {
        assert_eq!(order("a").unwrap_err(), ErrorKind::TooFewValues);
        assert!(order("a b c d").is_ok() && order("a b c d e").is_err());
        assert_eq!(order("a b --prompt Why? --suite code").unwrap_err(), ErrorKind::ArgumentConflict);
    }
}
