//! The options that decide how an answer is made.

use std::str::FromStr;

use app::{Controls, Penalties, Rule, Sampling, Scheduling};
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ControlArguments {
    /// How long drafts are.
    #[arg(long, value_enum, default_value_t = ScheduleName::Auto)]
    schedule: ScheduleName,
    /// The most tokens to draft a round (γ); 0 decodes plainly [default: as many as the drafter is usually asked for].
    #[arg(long)]
    gamma: Option<usize>,
    /// Draft on only while the drafter's confidence is at least this, 0 to 1 [default: the schedule decides without it].
    #[arg(long, value_parser = share, value_name = "X")]
    min_conf: Option<f32>,
    /// 0 always takes the most likely token.
    #[arg(long, value_parser = not_negative, default_value_t = Sampling::default().temperature)]
    temperature: f32,
    /// Keep the most likely tokens that make up this probability; 1 keeps all.
    #[arg(long, value_parser = share, default_value_t = Sampling::default().top_p)]
    top_p: f32,
    /// Keep the tokens at least this share as likely as the most likely one; 0 keeps all.
    #[arg(long, value_parser = share, default_value_t = Sampling::default().min_p)]
    min_p: f32,
    /// Keep this many of the most likely tokens; 0 keeps all.
    #[arg(long, default_value_t = Sampling::default().top_k)]
    top_k: usize,
    #[command(flatten)]
    penalties: PenaltyArguments,
    /// The same seed gives the same text, but for the ratio rule where drafts differ in length.
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

/// What tokens cost that the prompt or the answer holds already.
#[derive(Debug, Args)]
pub(crate) struct PenaltyArguments {
    /// Make such tokens less likely: above 1 the logit is divided by this if it is positive, else multiplied.
    #[arg(long, value_parser = factor, value_name = "X", default_value_t = Penalties::default().repetition)]
    repetition_penalty: f32,
    /// Take this off the logit of such tokens.
    #[arg(long, value_parser = number, allow_negative_numbers = true, value_name = "X", default_value_t = 0.0)]
    presence_penalty: f32,
    /// Take this off the logit of such tokens for each time that they stand there.
    #[arg(long, value_parser = number, allow_negative_numbers = true, value_name = "X", default_value_t = 0.0)]
    frequency_penalty: f32,
    /// How many of the newest tokens the penalties look at; 0 looks at all.
    #[arg(long, value_name = "TOKENS", default_value_t = Penalties::default().window)]
    penalty_window: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScheduleName {
    /// As --gamma and --min-conf say; without them as long as is worth the time here, and not at all while it loses.
    Auto,
    /// Always γ tokens.
    Fixed,
    /// γ tokens, or fewer where a confidence lies below its threshold; the first is always verified.
    Thresholds,
    /// γ tokens, or fewer, down to none, where a confidence lies below --min-conf.
    Gate,
    /// Up to γ tokens, by how many of the last drafts stood.
    Adaptive,
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
        let schedule = match given.schedule {
            ScheduleName::Auto => Scheduling::Auto,
            ScheduleName::Fixed => Scheduling::Fixed,
            ScheduleName::Thresholds => Scheduling::Thresholds,
            ScheduleName::Gate => Scheduling::Gate,
            ScheduleName::Adaptive => Scheduling::Adaptive,
        };
        let ControlArguments { temperature, top_p, min_p, top_k, seed, .. } = given;
        let penalties = given.penalties.into();
        Self {
            schedule,
            gamma: given.gamma,
            min_conf: given.min_conf,
            sampling: Sampling { temperature, top_p, min_p, top_k, penalties, seed, rule },
            max_tokens: given.max_tokens,
            context: given.context,
            stop: given.stop,
            thinking: given.thinking,
        }
    }
}

impl From<PenaltyArguments> for Penalties {
    fn from(given: PenaltyArguments) -> Self {
        Self {
            repetition: given.repetition_penalty,
            presence: given.presence_penalty,
            frequency: given.frequency_penalty,
            window: given.penalty_window,
        }
    }
}

fn share(text: &str) -> Result<f32, String> {
    checked(text, |number| (0.0..=1.0).contains(&number), "it is a number from 0 to 1")
}

pub(crate) fn not_negative(text: &str) -> Result<f32, String> {
    checked(text, |number| number >= 0.0, "it is a number, 0 or more")
}

fn factor(text: &str) -> Result<f32, String> {
    checked(text, |number| number > 0.0, "it is a number above 0")
}

fn number(text: &str) -> Result<f32, String> {
    checked(text, |_| true, "it is a number")
}

fn checked(text: &str, holds: fn(f32) -> bool, wanted: &str) -> Result<f32, String> {
    let number = f32::from_str(text).ok().filter(|number| number.is_finite() && holds(*number));
    number.ok_or_else(|| wanted.to_owned())
}
