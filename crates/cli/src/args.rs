//! The command line.

use std::path::PathBuf;

use app::{NewDrafter, Precision};
use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};

use crate::controls::{ControlArguments, not_negative};

mod bench;
mod calibrate;
mod compare;
mod conversations;
mod downloads;
mod hub;
mod models;
mod train;

pub(crate) use bench::BenchArguments;
pub(crate) use calibrate::{CalibrateArguments, CalibrationsCommand};
pub(crate) use compare::{CompareArguments, ComparisonsCommand, Form};
pub(crate) use conversations::ConversationsCommand;
pub(crate) use downloads::DownloadsCommand;
pub(crate) use hub::{HubCommand, Kinds, Switch};
pub(crate) use models::ModelsCommand;
pub(crate) use train::{LongerArguments, TrainArguments};

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
    /// The models on this machine.
    Models {
        #[command(subcommand)]
        command: ModelsCommand,
    },
    /// What was said in the window, and finding it again.
    Conversations {
        #[command(subcommand)]
        command: ConversationsCommand,
    },
    /// What is on its way, or ended lately.
    Downloads {
        #[command(subcommand)]
        command: DownloadsCommand,
    },
    /// Hugging Face, where models come from.
    Hub {
        #[command(subcommand)]
        command: HubCommand,
    },
    /// Drafters.
    Drafter {
        #[command(subcommand)]
        command: DrafterCommand,
    },
    /// Make a drafter's confidence true for a target, and find out what drafting is worth here. Ctrl-C pauses, and the
    /// same command goes on.
    Calibrate(Box<CalibrateArguments>),
    /// What was calibrated, and which is in force.
    Calibrations {
        #[command(subcommand)]
        command: CalibrationsCommand,
    },
    /// Let drafters answer the same prompts side by side with plain decoding: whether all write the same, and which is the
    /// fastest. Ctrl-C pauses.
    Compare(Box<CompareArguments>),
    /// What was compared, and what came of it.
    Comparisons {
        #[command(subcommand)]
        command: ComparisonsCommand,
    },
    /// Time reading and writing on this machine: a target alone and with drafters, behind prompts of several lengths. It is
    /// truest while the machine does nothing else.
    Bench(Box<BenchArguments>),
    /// The machine's memory, and how much of it stays free for everything else.
    Memory {
        /// Keep this many gigabytes free; 0 goes back to 15 %, and 2 GB at least.
        #[arg(long, value_name = "GB", value_parser = not_negative)]
        reserve: Option<f32>,
    },
    /// Answer a prompt, or chat line by line.
    Chat(Box<ChatArguments>),
    /// Answer every line of a file, several of them at once: together they come sooner, each by itself later.
    Batch(Box<BatchArguments>),
    /// Let the target read an answer again with no drafter, and tell where it would have gone on otherwise. Only the
    /// window stores answers; one of `slipstream chat` is verified by its own --verify.
    Verify {
        /// The answer's number, or `last`.
        #[arg(default_value = "last", value_parser = answer)]
        answer: Stored,
        /// Load the target even if it needs more memory than is to be had.
        #[arg(long)]
        over_memory: bool,
    },
}

/// A stored answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    Last,
    Number(i64),
}

#[derive(Debug, Subcommand)]
pub(crate) enum DrafterCommand {
    /// Make a drafter with fresh weights for a target.
    New(NewArguments),
    /// Train a drafter for a target on this machine. Ctrl-C pauses, and the same command goes on.
    Train(Box<TrainArguments>),
    /// List the trainings.
    Trainings,
    /// Go on with a training that is paused, or failed, wherever it was ordered. Ctrl-C pauses it.
    Resume {
        /// Its number.
        id: i64,
        #[command(flatten)]
        longer: LongerArguments,
    },
    /// End a training that does not run; the best drafter so far is kept if it does better than at the start.
    Stop {
        /// Its number.
        id: i64,
    },
    /// Take a training off the list, with all that it needed to go on; the drafter that came of it stays.
    Forget {
        /// Its number.
        id: i64,
    },
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
    #[command(flatten)]
    pub(crate) asking: AskingArguments,
    /// Also print what the model really wrote, control tokens included.
    #[arg(long)]
    pub(crate) show_raw: bool,
    /// Then let the target read the answer again with no drafter, and tell whether it would have written the same.
    #[arg(long)]
    pub(crate) verify: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BatchArguments {
    /// A text file with a prompt in each line; empty lines are skipped. `-` reads what is piped in.
    pub(crate) prompts: PathBuf,
    /// How many answers are made at a time; each needs memory for its own keys and values.
    #[arg(long, value_name = "ANSWERS", default_value_t = 4, value_parser = value_parser!(u16).range(1..))]
    pub(crate) at_once: u16,
    #[command(flatten)]
    pub(crate) asking: AskingArguments,
}

/// Who answers, and how.
#[derive(Debug, Args)]
pub(crate) struct AskingArguments {
    /// The target: an id or a folder.
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: String,
    /// The drafter: an id, a folder, or `lookup`, which needs no files: it copies what followed the newest words where
    /// they stood before. Without a drafter, decoding is plain.
    #[arg(long, value_name = "DRAFTER")]
    pub(crate) drafter: Option<String>,
    /// Continue the prompt as it stands, without the chat template.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Instructions that stand before the conversation.
    #[arg(long, value_name = "TEXT", conflicts_with = "raw")]
    pub(crate) system: Option<String>,
    /// The number type to compute in.
    #[arg(long, value_enum, default_value_t = Dtype::Stored)]
    pub(crate) dtype: Dtype,
    /// Load the models even if they need more memory than is to be had; the machine may become very slow.
    #[arg(long)]
    pub(crate) over_memory: bool,
    /// Let --json tell how probable each token was to the target and to the drafter; no token changes.
    #[arg(long)]
    pub(crate) observe: bool,
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

impl From<Dtype> for Precision {
    fn from(dtype: Dtype) -> Self {
        match dtype {
            Dtype::Stored => Self::AsStored,
            Dtype::Float32 => Self::Float32,
        }
    }
}

fn answer(text: &str) -> Result<Stored, String> {
    match text {
        "last" => Ok(Stored::Last),
        number => number.parse().map(Stored::Number).map_err(|_| "it is a number, or `last`".into()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;
    use app::{Controls, Penalties, Rule, Sampling, Scheduling};
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
        let AskingArguments { drafter, dtype, raw, controls, .. } = chat.asking;
        assert_eq!((chat.prompt, drafter, dtype, raw), (None, None, Dtype::Stored, false));
        assert_eq!(Controls::from(controls), Controls::default());
    }

    #[test]
    fn every_control_arrives() {
        let chat = chat(
            "--schedule thresholds --gamma 3 --min-conf 0.25 --temperature 0 --top-p 0.9 --min-p 0.1 --top-k 40 --seed 18446744073709551615 \
             --repetition-penalty 1.1 --presence-penalty -0.5 --frequency-penalty=0.25 --penalty-window 0 \
             --max-tokens 9 --context 99 --rule ratio --stop a --stop=-- --thinking -- Hello",
        );
        assert_eq!(chat.prompt.as_deref(), Some("Hello"));
        let expected = Controls {
            schedule: Scheduling::Thresholds,
            gamma: Some(3),
            min_conf: Some(0.25),
            sampling: Sampling {
                temperature: 0.0,
                top_p: 0.9,
                min_p: 0.1,
                top_k: 40,
                penalties: Penalties { repetition: 1.1, presence: -0.5, frequency: 0.25, window: 0 },
                seed: u64::MAX,
                rule: Rule::Ratio,
            },
            max_tokens: 9,
            context: Some(99),
            stop: vec!["a".into(), "--".into()],
            thinking: true,
        };
        assert_eq!(Controls::from(chat.asking.controls), expected);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let options = ["--min-conf=1.1", "--top-p=-0.1", "--min-p=2", "--temperature=-1", "--temperature=NaN"];
        let penalties = ["--repetition-penalty=0", "--presence-penalty=inf"];
        for option in options.into_iter().chain(penalties) {
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
    fn the_last_answer_is_verified_unless_another_is_named() {
        let named = |line| match parse(line).unwrap().command {
            Command::Verify { answer, .. } => answer,
            other => unreachable!("{other:?}"),
        };
        assert_eq!(named("slipstream verify"), Stored::Last);
        assert_eq!(named("slipstream verify 12"), Stored::Number(12));
        assert_eq!(parse("slipstream verify first").unwrap_err(), ErrorKind::ValueValidation);
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
