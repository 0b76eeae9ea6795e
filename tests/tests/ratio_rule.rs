//! The ratio rule does not change what is drawn, only how often the target is asked.

use std::{cell::RefCell, collections::BTreeMap, ops::Range};

use decode::{Drafter, Fixed, Schedule, Thresholds, Token, Verdict, agree};
use mlx_rs::{Array, Dtype, ops, ops::indexing::IndexOp, random};
use nn::{Draft, Q, Rule, Sampler, Sampling, Vocabulary};
use tests::{Outcome, chi_square, decoding::Setup, definition, fixtures, tensors::floats};

const DRAWS: u64 = 2000;

fn ratio(top_k: usize, top_p: f32, seed: u64) -> Sampling {
    Sampling { temperature: 0.8, top_p, top_k, seed, rule: Rule::Ratio, ..Sampling::default() }
}

/// A drafter and a target over eight tokens, neither of which looks at what came before. Where the target likes a token
/// more, the drafter likes it now much and now hardly at all: a residual drawn with the draft's own noise would show.
struct Tiny {
    drafter: Array,
    target: Array,
}

impl Tiny {
    fn new() -> Self {
        let drafter = [2.5, 1.5, 1.0, 0.6, -3.0, -2.0, -3.1, -2.2];
        let target = [-1.0, 1.6, 1.2, 0.8, 0.2, 0.3, 0.4, 0.1];
        Self {
            drafter: Array::from_slice::<f32>(&drafter, &[1, 8]),
            target: Array::from_slice::<f32>(&target, &[1, 8]),
        }
    }

    /// The tokens that one round emits, of a draft of `length`.
    fn round(&self, length: usize, sampler: &Sampler) -> Outcome<Vec<u32>> {
        let drawn = (0..length).map(|k| sampler.draw(&self.drafter, None, k + 1)).collect::<Result<Vec<_>, _>>()?;
        let tokens = drawn.iter().map(|drawn| &drawn.token).collect::<Vec<_>>();
        let tokens = ops::concatenate(&tokens, 0)?;
        let q = Q::concatenate(&drawn.into_iter().filter_map(|drawn| drawn.q).collect::<Vec<_>>())?;
        let draft = Draft { tokens, q, confidences: None };
        let logits = ops::concatenate(&vec![&self.target; length + 1], 0)?;
        let judged = sampler.judge(&logits, Some(&draft), 1)?;
        assert!(matches!(judged.verdict, Verdict::Ruled { .. }));
        let (accepted, next) = agree(&judged.draft, &judged.verdict);
        Ok([&judged.draft[..accepted], &[next]].concat())
    }

    /// What plain sampling draws from.
    fn distribution(&self, sampling: Sampling) -> Outcome<Vec<f64>> {
        Ok(definition::distribution(&floats(&self.target)?, &[], sampling))
    }
}

#[test]
fn the_first_and_the_second_token_of_a_round_are_drawn_from_the_target() -> Outcome {
    let tiny = Tiny::new();
    for (top_k, top_p) in [(0, 1.0), (5, 1.0), (0, 0.7)] {
        let distribution = tiny.distribution(ratio(top_k, top_p, 0))?;
        for length in [1, 3] {
            let (mut first, mut second) = (vec![0; 8], vec![0; 8]);
            for seed in 0..DRAWS {
                let emitted = tiny.round(length, &Sampler::new(ratio(top_k, top_p, seed)))?;
                first[emitted[0] as usize] += 1;
                if let Some(&token) = emitted.get(1) {
                    second[token as usize] += 1;
                }
            }
            let what = format!("top-k {top_k}, top-p {top_p}, {length} drafted");
            chi_square::check(&format!("{what}, first token"), &first, &distribution)?;
            chi_square::check(&format!("{what}, second token"), &second, &distribution)?;
        }
    }
    Ok(())
}

#[test]
fn an_answer_is_drawn_jointly_from_the_targets_distribution_whatever_is_accepted_and_cut() -> Outcome {
    let table = Table::new()?;
    check_answers("fixed", &table, &mut Fixed(2), 0..ANSWERS)?;
    let mut thresholds = Thresholds { limit: 2, thresholds: vec![0.0, CUT], min_conf: None };
    check_answers("thresholds", &table, &mut thresholds, ANSWERS..2 * ANSWERS)
}

/// The tokens of an answer, of which each is one of two.
const ANSWER: usize = 3;
const ANSWERS: u64 = 300;
/// A drafter that is less sure of its second token than this is cut.
const CUT: f32 = 0.75;

fn answering(seed: u64) -> Sampling {
    Sampling { temperature: 2.0, top_k: 2, ..ratio(2, 1.0, seed) }
}

/// Counts the answers of many seeds and compares them with the exact distribution. Drafts must be accepted, rejected
/// and, by a schedule that reads confidence, cut.
fn check_answers(what: &str, table: &Table, schedule: &mut dyn Schedule, seeds: Range<u64>) -> Outcome {
    let prompt = table.prompt.clone();
    let expected = definition::answers(&table.setup.sampled(answering(0)), &prompt)?;
    let (mut counts, mut accepted, mut rejected, mut cut) = (BTreeMap::new(), 0, 0, 0);
    for seed in seeds {
        let sampling = answering(seed);
        let sequence = prompt[..prompt.len() - 1].to_vec();
        let mut drafter = Perturbed { table, sampler: Sampler::new(sampling), sequence, block: Vec::new() };
        let made = table.setup.sampled(sampling).run(&prompt, Some(&mut drafter), &[], schedule)?;
        accepted += made.stats.accepted;
        rejected += made.stats.proposed - made.stats.accepted;
        cut += made.rounds.iter().map(|(round, _)| round.cut).sum::<usize>();
        *counts.entry(made.ids).or_insert(0) += 1;
    }
    println!("{what}: {accepted} accepted, {rejected} rejected, {cut} cut; {counts:?} of {expected:.3?}");
    assert!(accepted > 0 && rejected > 0);
    assert_eq!(cut > 0, schedule.reads_confidence());
    assert!(counts.keys().all(|answer| expected.contains_key(answer)), "something impossible was drawn");
    let seen = expected.keys().map(|answer| counts.get(answer).copied().unwrap_or(0)).collect::<Vec<_>>();
    chi_square::check(what, &seen, &expected.into_values().collect::<Vec<_>>())
}

/// A target and what it says after each sequence that was asked for.
struct Table {
    setup: Setup,
    /// Longer than the target's window of 8.
    prompt: Vec<u32>,
    logits: RefCell<BTreeMap<Vec<u32>, Array>>,
    /// By how much a drafter misjudges each token.
    noise: Array,
}

impl Table {
    fn new() -> Outcome<Self> {
        let prompt = [2].into_iter().chain((0..10).map(|i| (i * 53 + 17) % 250 + 3)).collect();
        let setup = Setup::greedy(&fixtures::path("gemma4/31b-dense"), ANSWER)?;
        let noise = random::gumbel::<f32>(&[1, setup.model.size()], &random::key(1)?)?;
        Ok(Self { setup, prompt, logits: RefCell::default(), noise })
    }

    /// The logits `[1, V]` of the token after `ids`, from one pass over all of them.
    fn logits(&self, ids: &[u32]) -> Result<Array, gemma4::Error> {
        if let Some(logits) = self.logits.borrow().get(ids) {
            return Ok(logits.clone());
        }
        let model = &self.setup.model;
        let block = Array::from_iter(ids.iter().copied(), &[1, i32::try_from(ids.len()).unwrap_or(i32::MAX)]);
        let rows = model.forward(&block, &mut model.caches(), &[])?;
        let logits = model.logits(&rows.normed)?.as_dtype(Dtype::Float32)?.index((0, -1, ..)).reshape(&[1, -1])?;
        self.logits.borrow_mut().insert(ids.to_vec(), logits.clone());
        Ok(logits)
    }
}

/// A drafter that knows what the target will say, but for fixed noise on its logits, and draws from that.
struct Perturbed<'a> {
    table: &'a Table,
    sampler: Sampler,
    /// The tokens before the anchor.
    sequence: Vec<u32>,
    /// The anchor and what was proposed behind it.
    block: Vec<u32>,
}

impl Drafter for Perturbed<'_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = nn::Error;

    fn limit(&self) -> usize {
        ANSWER
    }

    fn propose(&mut self, anchor: Token, position: usize, limit: usize) -> nn::Result<Draft> {
        assert_eq!(self.sequence.len(), position);
        self.block = vec![anchor];
        let (mut tokens, mut qs, mut surest) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..limit {
            let logits = self.table.logits(&[&*self.sequence, &self.block].concat());
            let logits = logits.map_err(|error| nn::Error::Device(error.to_string()))?;
            let logits = logits.add(&self.table.noise)?;
            let drawn = self.sampler.draw(&logits, None, position + 1 + k)?;
            self.block.push(drawn.token.item_exact::<u32>());
            tokens.push(drawn.token);
            qs.extend(drawn.q);
            // How sure it is before it draws, which says nothing of what it draws.
            surest.push(ops::softmax_axis(&logits, -1, None)?.max_axis(-1, false)?);
        }
        let confidences = Some(ops::concatenate(&surest, 0)?);
        Ok(Draft { tokens: ops::concatenate(&tokens, 0)?, q: Q::concatenate(&qs)?, confidences })
    }

    fn commit(&mut self, tokens: &[Token], _taps: &Array) -> nn::Result<()> {
        // The prompt's rows are known from the start, and nothing is proposed for the last token of an answer.
        self.sequence.extend(self.block.drain(..).take(tokens.len()));
        Ok(())
    }
}
