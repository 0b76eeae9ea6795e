//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use app::{Controls, NewDrafter, Precision, Rule, Sampling, USUAL_CONTEXT};
use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};

/// Chat with a model on this machine, faster by lossless speculative decoding.
#[derive(Debug, Parser)]
#[command(name = "slipstream", version, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// Where the list of models and the conversations lie [default: `SLIPSTREAM_HOME`, or the platform's data folder].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The models in the list.
    Models {
        #[command(subcommand)]
        command: ModelsCommand,
    },
    /// Drafters.
    Drafter {
        #[command(subcommand)]
        command: DrafterCommand,
    },
    /// The machine's memory, and how much of it stays free for everything else.
    Memory {
        /// Keep this many gigabytes free; 0 goes back to 15 %, and 2 GB at least.
        #[arg(long, value_name = "GB", value_parser = not_negative)]
        reserve: Option<f32>,
    },
    /// Answer a prompt, or chat line by line.
    Chat(Box<ChatArguments>),
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Add a folder to the list. Nothing is copied.
    Add {
        /// A target's or a drafter's checkpoint folder.
        folder: PathBuf,
        /// What to call it [default: the folder's name].
        #[arg(long)]
        id: Option<String>,
    },
    /// List all models.
    List,
    /// Show one model: what its files hold, and what it needs of memory.
    Show {
        /// Its id.
        id: String,
        /// With this drafter: an id or a folder.
        #[arg(long, value_name = "DRAFTER")]
        drafter: Option<String>,
        /// Computing in this number type.
        #[arg(long, value_enum, default_value_t = Dtype::Stored)]
        dtype: Dtype,
        /// For prompts and answers of so many tokens together.
        #[arg(long, value_name = "TOKENS", default_value_t = USUAL_CONTEXT)]
        context: usize,
    },
    /// Take a model off the list. Its folder stays.
    Remove {
        /// Its id.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum DrafterCommand {
    /// Make a drafter with fresh weights for a target.
    New(NewArguments),
}

#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The target: an id or a folder.
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: String,
    /// The folder to make.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: PathBuf,
    /// The most tokens that it drafts (γ).
    #[arg(long, default_value_t = NewDrafter::default().gamma)]
    pub(crate) gamma: usize,
    /// The size of its hidden states.
    #[arg(long, default_value_t = NewDrafter::default().width, value_parser = value_parser!(i32).range(1..))]
    pub(crate) width: i32,
    /// How many layers.
    #[arg(long, default_value_t = NewDrafter::default().layers)]
    pub(crate) layers: usize,
    /// How many attention heads.
    #[arg(long, default_value_t = NewDrafter::default().heads, value_parser = value_parser!(i32).range(1..))]
    pub(crate) heads: i32,
    /// The rank of the head that links a token to the one before.
    #[arg(long, default_value_t = NewDrafter::default().markov_rank, value_parser = value_parser!(i32).range(1..))]
    pub(crate) markov_rank: i32,
    /// The kind of that head.
    #[arg(long, value_enum, default_value_t = Head::Markov)]
    pub(crate) head: Head,
    /// The target's layers to read, separated by commas [default: three, spread over it].
    #[arg(long, value_delimiter = ',', value_name = "LAYERS")]
    pub(crate) taps: Option<Vec<usize>>,
    /// The same seed gives the same weights.
    #[arg(long, default_value_t = NewDrafter::default().seed)]
    pub(crate) seed: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Head {
    /// Sees one token back.
    Markov,
    /// Carries a state from token to token.
    Rnn,
}

#[derive(Debug, Args)]
pub(crate) struct ChatArguments {
    /// What to answer. Without it: what is piped in, or an interactive chat.
    pub(crate) prompt: Option<String>,
    /// The target: an id or a folder.
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: String,
    /// The drafter: an id or a folder. Without one, decoding is plain.
    #[arg(long, value_name = "DRAFTER")]
    pub(crate) drafter: Option<String>,
    /// Continue the prompt as it stands, without the chat template.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Instructions that stand before the conversation.
    #[arg(long, value_name = "TEXT", conflicts_with = "raw")]
    pub(crate) system: Option<String>,
    /// Also print what the model really wrote, control tokens included.
    #[arg(long)]
    pub(crate) show_raw: bool,
    /// The number type to compute in.
    #[arg(long, value_enum, default_value_t = Dtype::Stored)]
    pub(crate) dtype: Dtype,
    /// Load the models even if they need more memory than is to be had; the machine may become very slow.
    #[arg(long)]
    pub(crate) over_memory: bool,
    #[command(flatten)]
    pub(crate) controls: ControlArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dtype {
    /// Whatever the checkpoint stores.
    Stored,
    /// 32-bit floats: exact to compare, and the fastest on a CPU.
    Float32,
}

#[derive(Debug, Args)]
pub(crate) struct ControlArguments {
    /// The most tokens to draft a round (γ); 0 decodes plainly [default: the drafter's own limit].
    #[arg(long)]
    gamma: Option<usize>,
    /// Draft on only while the drafter's confidence is at least this, 0 to 1 [default: the checkpoint's].
    #[arg(long, value_parser = share, value_name = "X")]
    min_conf: Option<f32>,
    /// 0 always takes the most likely token.
    #[arg(long, value_parser = not_negative, default_value_t = Sampling::default().temperature)]
    temperature: f32,
    /// Keep the most likely tokens that make up this probability; 1 keeps all.
    #[arg(long, value_parser = share, default_value_t = Sampling::default().top_p)]
    top_p: f32,
    /// Keep this many of the most likely tokens; 0 keeps all.
    #[arg(long, default_value_t = Sampling::default().top_k)]
    top_k: usize,
    /// The same seed gives the same text.
    #[arg(long, default_value_t = Sampling::default().seed)]
    seed: u64,
    /// The most tokens to write.
    #[arg(long, default_value_t = Controls::default().max_tokens)]
    max_tokens: usize,
    /// The most tokens of prompt and answer together [default: all that the target can read].
    #[arg(long)]
    context: Option<usize>,
    /// How drafted tokens are accepted when the temperature is above 0.
    #[arg(long, value_enum, default_value_t = RuleName::Coupled)]
    rule: RuleName,
    /// End the answer before this text; may be given several times.
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    stop: Vec<String>,
    /// Let the model think before it answers.
    #[arg(long, conflicts_with = "raw")]
    thinking: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleName {
    /// The text does not depend on the drafter.
    Coupled,
    /// The most is accepted; the text depends on the drafter, its distribution does not.
    Ratio,
}

impl From<ControlArguments> for Controls {
    fn from(given: ControlArguments) -> Self {
        let rule = match given.rule {
            RuleName::Coupled => Rule::Coupled,
            RuleName::Ratio => Rule::Ratio,
        };
        let ControlArguments { temperature, top_p, top_k, seed, .. } = given;
        Self {
            gamma: given.gamma,
            min_conf: given.min_conf,
            sampling: Sampling { temperature, top_p, top_k, seed, rule },
            max_tokens: given.max_tokens,
            context: given.context,
            stop: given.stop,
            thinking: given.thinking,
        }
    }
}

impl From<Dtype> for Precision {
    fn from(dtype: Dtype) -> Self {
        match dtype {
            Dtype::Stored => Self::AsStored,
            Dtype::Float32 => Self::Float32,
        }
    }
}

fn share(text: &str) -> Result<f32, String> {
    number(text).filter(|number| (0.0..=1.0).contains(number)).ok_or_else(|| "it is a number from 0 to 1".into())
}

fn not_negative(text: &str) -> Result<f32, String> {
    number(text).filter(|number| *number >= 0.0).ok_or_else(|| "it is a number, 0 or more".into())
}

fn number(text: &str) -> Option<f32> {
    f32::from_str(text).ok().filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    fn parse(line: &str) -> Result<Arguments, ErrorKind> {
        Arguments::try_parse_from(line.split(' ')).map_err(|error| error.kind())
    }

    fn chat(options: &str) -> ChatArguments {
        match parse(format!("slipstream chat --target t {options}").trim_end()).unwrap().command {
            Command::Chat(chat) => *chat,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_chat_without_options_takes_the_defaults() {
        let chat = chat("");
        assert_eq!((chat.prompt, chat.drafter, chat.dtype, chat.raw), (None, None, Dtype::Stored, false));
        assert_eq!(Controls::from(chat.controls), Controls::default());
    }

    #[test]
    fn every_control_arrives() {
        let chat = chat(
            "--gamma 3 --min-conf 0.25 --temperature 0 --top-p 0.9 --top-k 40 --seed 18446744073709551615 \
             --max-tokens 9 --context 99 --rule ratio --stop a --stop=-- --thinking -- Hello",
        );
        assert_eq!(chat.prompt.as_deref(), Some("Hello"));
        let expected = Controls {
            gamma: Some(3),
            min_conf: Some(0.25),
            sampling: Sampling { temperature: 0.0, top_p: 0.9, top_k: 40, seed: u64::MAX, rule: Rule::Ratio },
            max_tokens: 9,
            context: Some(99),
            stop: vec!["a".into(), "--".into()],
            thinking: true,
        };
        assert_eq!(Controls::from(chat.controls), expected);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for option in ["--min-conf=1.1", "--top-p=-0.1", "--temperature=-1", "--temperature=NaN", "--temperature=inf"] {
            let refused = parse(&format!("slipstream chat --target t {option}")).unwrap_err();
            assert_eq!(refused, ErrorKind::ValueValidation, "{option}");
        }
        assert_eq!(parse("slipstream chat --target t --stop=").unwrap_err(), ErrorKind::InvalidValue);
        assert_eq!(
            parse("slipstream drafter new --target t --out o --heads 0").unwrap_err(),
            ErrorKind::ValueValidation
        );
    }

    #[test]
    fn raw_text_has_no_system_message_and_no_thought() {
        for template in ["--system s", "--thinking"] {
            let both = parse(&format!("slipstream chat --target t --raw {template}")).unwrap_err();
            assert_eq!(both, ErrorKind::ArgumentConflict);
        }
    }

    #[test]
    fn a_new_drafter_has_the_usual_measures_unless_told() {
        let parsed = parse("slipstream drafter new --target t --out o --taps 1,2 --head rnn --json --home h").unwrap();
        assert!(parsed.json);
        assert_eq!(parsed.home, Some("h".into()));
        let Command::Drafter { command: DrafterCommand::New(new) } = parsed.command else { unreachable!() };
        assert_eq!((new.gamma, new.width, new.layers, new.heads, new.markov_rank, new.seed), (5, 256, 2, 4, 64, 0));
        assert_eq!((new.taps, new.head), (Some(vec![1, 2]), Head::Rnn));
    }
}
