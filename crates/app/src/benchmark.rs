//! How fast a target reads and writes on this machine, alone and with drafters, behind prompts of several lengths.

use calibration::{Spread, in_turn};
use engine::{Begun, CheckpointRole, Controls, DraftSource, Mode, Precision, Prompt, Request, Round, Sampling};
use serde::Serialize;

use crate::measuring::Made;
use crate::{App, Conditions, Error, Result, Suite};

/// Characters of the first prompt: some hundred tokens.
const CHARACTERS: usize = 600;
/// Tokens between the places in the text where prompts begin.
const APART: usize = 37;
/// Rounds at the beginning of an answer that count for nothing: the device finds its pace.
const WARM: usize = 2;

/// What is to be timed.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchmarkOrder {
    /// The target's id.
    pub target: String,
    /// The drafters', or the lookup's; plain decoding is timed anyway.
    pub drafters: Vec<String>,
    /// The number type to compute in.
    pub precision: Precision,
    /// How target and drafters choose tokens.
    pub sampling: Sampling,
    /// The lengths of the prompts, tokens.
    pub contexts: Vec<usize>,
    /// The lengths of the drafts (γ); none stands for what each drafter is usually asked for.
    pub gammas: Vec<usize>,
    /// Tokens of each answer.
    pub tokens: usize,
    /// How often everything is timed, all ways in turn, once more to warm up.
    pub repeats: usize,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Benchmark {
    /// On what, with which versions and files.
    pub conditions: Conditions,
    /// What was timed.
    pub target: String,
    /// The type that was computed in.
    pub precision: Precision,
    /// How tokens were chosen.
    pub sampling: Sampling,
    /// Tokens of each answer.
    pub tokens: usize,
    /// How often everything was timed.
    pub repeats: usize,
    /// Seconds in which the target was loaded, before anything else; 0 if it was loaded already.
    pub load_s: f64,
    /// Seconds from there until the first token behind a prompt of `first_prompt_tokens`, loading included.
    pub first_token_s: f64,
    /// Tokens of that prompt.
    pub first_prompt_tokens: usize,
    /// What prompts are made of: the first opens each of them, the others follow from some place on, over and over.
    pub ids: Vec<u32>,
    /// By length of the prompt, and by way of drafting.
    pub rows: Vec<BenchmarkRow>,
}

/// One way of drafting behind prompts of one length. Seconds are those of a round, by the median round of each answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchmarkRow {
    /// Tokens of the prompts.
    pub context: usize,
    /// The drafter; `None` is plain decoding.
    pub drafter: Option<String>,
    /// The most tokens of a draft (γ); 0 is plain decoding.
    pub gamma: usize,
    /// Which of the other `ids` followed the first one in each prompt, 0-based.
    pub begins: Vec<usize>,
    /// Tokens of the prompt that were read in a second, by both models; with any γ, as it decides nothing there.
    pub prefill_tokens_per_s: Option<Spread>,
    /// Tokens written in a second, the first rounds included.
    pub tokens_per_s: Spread,
    /// Tokens of a round (τ).
    pub tokens_per_round: Spread,
    /// All of a round.
    pub round_s: Spread,
    /// Of it outside MLX's evaluation: drafts, passes and choices laid out, tokens read, text made.
    pub host_s: Spread,
    /// What decoding took beside its rounds, by round: telling of them, and what opens and closes an answer.
    pub told_s: Spread,
    /// How often the host waited for the device in a round.
    pub waits: Spread,
    /// The most memory that the device's arrays took in each answer, bytes, in the order of the answers.
    pub peak_memory_bytes: Vec<u64>,
}

/// A drafter, and the lengths of its drafts.
struct Group {
    drafter: Option<(String, DraftSource)>,
    gammas: Vec<usize>,
}

/// One answer that is timed.
#[derive(Debug, Clone, Copy)]
struct Timing {
    context: usize,
    /// The place of its group.
    group: usize,
    gamma: usize,
    /// Which of the ids follows the first one in its prompt.
    begin: usize,
    /// Whether it only warms up.
    warm: bool,
}

impl App {
    /// Times a target and drafters, while nothing else is measured on this machine. `hear` is told how many answers of how
    /// many are there.
    ///
    /// # Errors
    /// A model cannot be used, an answer fails or is interrupted, or the database fails.
    pub async fn benchmark(
        &self,
        order: &BenchmarkOrder,
        mut hear: impl FnMut(usize, usize) + Send,
    ) -> Result<Benchmark> {
        let target = self.usable(&order.target, CheckpointRole::Target).await?;
        let conditions = self.conditions_of(&target.id, order.drafters.iter().map(String::as_str)).await?;
        let groups = self.groups(order).await?;
        let _turn = loop {
            if let Some(turn) = self.library.claim("measuring").await? {
                break turn;
            }
        };
        let request = Request {
            precision: order.precision,
            memory: self.memory(false).await?,
            controls: Controls { sampling: order.sampling, max_tokens: order.tokens, ..Controls::default() },
            endless: true,
            ..Request::new(target.folder, Prompt::Raw(text(CHARACTERS)))
        };
        let first = self.timed(request.clone()).await?;
        let all = Controls { max_tokens: 1, ..request.controls.clone() };
        // As many characters as the longest prompt has tokens: never more tokens than that.
        let longest = order.contexts.iter().copied().max().unwrap_or_default().max(CHARACTERS);
        let all = Request { controls: all, prompt: Prompt::Raw(text(longest)), ..request.clone() };
        let ids = self.timed(all).await?.answer.prompt_ids;
        // A drafter that is alone stays loaded while the target answers plainly.
        let alone = if let [_, Group { drafter: Some((_, source)), .. }] = &groups[..] { Some(source) } else { None };
        let request = Request { drafter: alone.cloned(), ..request };
        let timings = order.timings(&groups, ids.len());
        let mut shown = Vec::new();
        for (done, &timing) in timings.iter().enumerate() {
            hear(done, timings.len());
            let begun = Begun { prompt_ids: timing.prompt(&ids), ids: Vec::new() };
            let made = self.timed(groups[timing.group].request(&request, timing.gamma, begun)).await?;
            if !timing.warm {
                shown.push((timing, made));
            }
        }
        let rows = order.contexts.iter().flat_map(|&context| {
            let groups = groups.iter().enumerate();
            groups.flat_map(|(at, group)| group.rows(at, context, &shown)).collect::<Vec<_>>()
        });
        let rows = rows.collect();
        Ok(Benchmark {
            conditions,
            target: target.id,
            precision: order.precision,
            sampling: order.sampling,
            tokens: order.tokens,
            repeats: order.repeats,
            first_prompt_tokens: first.answer.prompt_ids.len(),
            load_s: first.answer.stats.load_s,
            first_token_s: first.answer.stats.first_token_s.unwrap_or_default(),
            ids,
            rows,
        })
    }

    /// Plain decoding, and each drafter with its lengths.
    async fn groups(&self, order: &BenchmarkOrder) -> Result<Vec<Group>> {
        let mut groups = vec![Group { drafter: None, gammas: vec![0] }];
        for drafter in &order.drafters {
            let (id, source) = self.usable_drafter(drafter).await?;
            let drafts = match &source {
                DraftSource::Folder(_) => self.model(&id).await?.drafts,
                DraftSource::Lookup => Some(engine::lookup()),
            };
            let gammas = match (&order.gammas[..], drafts) {
                ([], drafts) => vec![drafts.map_or(1, |drafts| drafts.usual)],
                (gammas, drafts) => {
                    let most = drafts.map_or(usize::MAX, |drafts| drafts.limit);
                    if let Some(gamma) = gammas.iter().find(|&&gamma| gamma == 0 || gamma > most) {
                        let why = format!("it proposes from 1 to {most} tokens, not {gamma}");
                        return Err(Error::NoSuchWay { drafter: id, why });
                    }
                    gammas.to_vec()
                }
            };
            groups.push(Group { drafter: Some((id, source)), gammas });
        }
        Ok(groups)
    }

    /// An answer, as long as it was to be.
    async fn timed(&self, request: Request) -> Result<Made> {
        self.make(request, drop, |_| ()).await?.ok_or_else(|| engine::Error::Closed.into())
    }
}

impl Timing {
    /// The first id, as every text begins with it, and then the others from some place on.
    fn prompt(&self, ids: &[u32]) -> Vec<u32> {
        let Some((first, others)) = ids.split_first() else { return Vec::new() };
        let others = others.iter().cycle().skip(self.begin);
        std::iter::once(first).chain(others).copied().take(self.context).collect()
    }
}

impl BenchmarkOrder {
    /// Every answer in its turn, so that whatever else the machine does slows all ways of drafting alike. Each group has a
    /// prompt of its own, or would find that one read by the group before it.
    fn timings(&self, groups: &[Group], ids: usize) -> Vec<Timing> {
        let places = (0..groups.len()).collect::<Vec<_>>();
        let mut timings = Vec::new();
        for &context in &self.contexts {
            for repeat in 0..=self.repeats {
                for group in in_turn(&places, repeat) {
                    let begin = (repeat * groups.len() + group) * APART % ids.max(1);
                    let gammas = in_turn(&groups[group].gammas, repeat).into_iter();
                    timings.extend(gammas.map(|gamma| Timing { context, group, gamma, begin, warm: repeat == 0 }));
                }
            }
        }
        timings
    }
}

impl Group {
    fn request(&self, request: &Request, gamma: usize, begun: Begun) -> Request {
        let mode = if gamma == 0 { Mode::Plain } else { Mode::Fixed { gamma } };
        Request {
            drafter: self.drafter.as_ref().map_or_else(|| request.drafter.clone(), |(_, source)| Some(source.clone())),
            controls: request.controls.clone().drafting(mode),
            begun: Some(begun),
            ..request.clone()
        }
    }

    fn rows(&self, at: usize, context: usize, shown: &[(Timing, Made)]) -> Vec<BenchmarkRow> {
        let of_group = shown.iter().filter(|(timing, _)| (timing.context, timing.group) == (context, at));
        let of_group = of_group.map(|(_, made)| made).collect::<Vec<_>>();
        let row = |&gamma: &usize| {
            let is_its = |timing: &Timing| (timing.context, timing.group, timing.gamma) == (context, at, gamma);
            let of_row = shown.iter().filter(|(timing, _)| is_its(timing)).collect::<Vec<_>>();
            let spread =
                |of: fn(&Made) -> Option<f64>| Spread::of(of_row.iter().filter_map(|(_, made)| of(made)).collect());
            Some(BenchmarkRow {
                context,
                drafter: self.drafter.as_ref().map(|(id, _)| id.clone()),
                gamma,
                begins: of_row.iter().map(|(timing, _)| timing.begin).collect(),
                prefill_tokens_per_s: Spread::of(of_group.iter().filter_map(|made| prefill(made)).collect()),
                tokens_per_s: spread(|made| made.answer.stats.tokens_per_s)?,
                tokens_per_round: spread(|made| made.answer.stats.tokens_per_round)?,
                round_s: spread(|made| median(made, |round| Some(round.seconds)))?,
                host_s: spread(|made| median(made, |round| Some(round.seconds - round.device_s)))?,
                told_s: spread(told)?,
                waits: spread(|made| median(made, |round| Some(number(round.waits))))?,
                peak_memory_bytes: of_row.iter().map(|(_, made)| made.answer.stats.peak_memory_bytes).collect(),
            })
        };
        self.gammas.iter().filter_map(row).collect()
    }
}

/// English text of so many characters at most.
fn text(most: usize) -> String {
    let text = Suite::ALL.iter().flat_map(Suite::prompts).collect::<Vec<_>>().join(" ");
    text.chars().take(most).collect()
}

/// Of the rounds that count.
fn median(made: &Made, of: fn(&Round) -> Option<f64>) -> Option<f64> {
    Spread::of(made.rounds.iter().skip(WARM).filter_map(of).collect()).map(|spread| spread.median)
}

/// Tokens of the prompt that were read in a second, the last of which is read in the first round; nothing where the answer
/// before had read more than how they all begin.
fn prefill(made: &Made) -> Option<f64> {
    let stats = &made.answer.stats;
    let read = stats.prompt_tokens.saturating_sub(1 + stats.reused_tokens);
    (2 * stats.reused_tokens < read).then(|| number(read as u64) / stats.prefill_s)
}

/// What is left of decoding when all rounds are taken away, by round.
fn told(made: &Made) -> Option<f64> {
    let rounds = made.rounds.iter().map(|round| round.seconds).sum::<f64>();
    (!made.rounds.is_empty()).then(|| (made.answer.stats.decode_s - rounds).max(0.0) / number(made.rounds.len() as u64))
}

#[expect(clippy::cast_precision_loss, reason = "counts fit a double exactly")]
fn number(count: u64) -> f64 {
    count as f64
}
