//! What a round costs as its context grows, by kind of drafter: a small target with random weights, and drafters that
//! fit it. Of a draft's time the full layers' attention grows with the context, and nothing else may; attention is
//! therefore also timed by itself. Then rounds without end at one place, and what memory they leave behind.
//!
//! ```text
//! cargo run --release -p tests --example growth [kind]
//! ```

use std::{env, fs, ops::ControlFlow, rc::Rc, time::Instant};

use decode::{Answer, Drafter as _, Fixed, Limits, Target as _};
use drafters::{DSpark, Drafter, New};
use gemma4::Model;
use mlx_rs::{Array, Dtype, random};
use nn::{Cache, Mask, Visible, Vocabulary, attend};
use serde_json::json;
use tests::{
    Outcome, fixtures,
    pair::Pair,
    scaled::{self, VOCABULARY},
};

/// The contexts, tokens.
const CONTEXTS: [usize; 6] = [256, 512, 1024, 2048, 4096, 8192];
/// Rows that sliding layers see.
const WINDOW: usize = 128;
/// The most tokens a round.
const LIMIT: usize = 4;
/// Rounds that are timed at each context.
const TIMED: usize = 41;
/// Rounds after which memory is looked at.
const ROUNDS: [usize; 2] = [200, 2000];
/// Rounds between two returns to the same place.
const STRETCH: usize = 25;

/// A drafter, and its full layers.
struct Kind {
    name: &'static str,
    drafter: Drafter,
    full: Option<Full>,
}

/// The attention of a drafter's full layers in one draft.
struct Full {
    layers: usize,
    /// How often each is passed.
    passes: usize,
    rows: i32,
    heads: i32,
    groups: i32,
    head_dim: i32,
}

fn main() -> Outcome {
    let wanted = env::args().nth(1);
    let target = scaled::checkpoint(&fixtures::path("drafters/gemma4_assistant/dense/target"), 8, &[1], WINDOW)?;
    let folder = target.write()?;
    let model = Rc::new(Model::load(folder.path(), Some(Dtype::Float32))?);
    drop((target, folder));
    let mut kinds = kinds(&model)?;
    kinds.retain(|kind| wanted.as_deref().is_none_or(|name| kind.name.contains(name)));
    for kind in &kinds {
        costs(&model, kind)?;
    }
    for kind in &kinds {
        memory(&model, kind, true)?;
        memory(&model, kind, false)?;
    }
    Ok(())
}

fn kinds(model: &Model) -> Outcome<Vec<Kind>> {
    let new = New {
        target_name: "small".into(),
        hidden_size: model.hidden_size(),
        vocab_size: VOCABULARY,
        taps: vec![0, 2, 5],
        gamma: LIMIT,
        width: 256,
        layers: 2,
        heads: 4,
        markov_rank: 32,
        ff_mult: 2,
        recurrent: false,
        eps: 1e-6,
        seed: 1,
    };
    let full = |layers, passes, rows, groups, head_dim| Some(Full { layers, passes, rows, heads: 4, groups, head_dim });
    let kind = |name, drafter, full| Kind { name, drafter, full };
    let dspark = Drafter::Block(Rc::new(DSpark::fresh(&new)?.drafter()));
    Ok(vec![
        kind("dspark, 2 full layers", dspark, full(2, 1, 4, 4, 64)),
        kind(
            "dflash, 2 sliding layers and 1 full",
            dflash("dflash", &["sliding", "sliding", "full"])?,
            full(1, 1, 5, 2, 192),
        ),
        kind("dflash, 3 sliding layers", dflash("dflash", &["sliding"; 3])?, None),
        kind("dflash2, 1 sliding layer and 1 full", dflash("dflash2", &["sliding", "full"])?, full(1, 1, 5, 2, 192)),
        kind("dflash2, 2 sliding layers", dflash("dflash2", &["sliding"; 2])?, None),
        kind("assistant, 3 sliding layers and 1 full", assistant()?, full(1, LIMIT, 1, 1, 256)),
        kind("lookup", Drafter::lookup(LIMIT), None),
    ])
}

/// A drafter whose layers are of these kinds.
fn dflash(fixture: &str, layers: &[&str]) -> Outcome<Drafter> {
    let folder = fixtures::path(&format!("drafters/{fixture}/checkpoint"));
    let mut checkpoint = scaled::checkpoint(&folder, 6, &[2, 8, 16], WINDOW)?;
    let kinds = layers.iter().map(|layer| format!("{layer}_attention")).collect::<Vec<_>>();
    checkpoint.config["layer_types"] = json!(kinds);
    checkpoint.config["num_target_layers"] = json!(5);
    checkpoint.config["dflash_config"]["target_layer_ids"] = json!([0, 1, 3]);
    Ok(drafters::open(checkpoint.write()?.path(), Dtype::Bfloat16)?)
}

fn assistant() -> Outcome<Drafter> {
    let folder = fixtures::path("drafters/gemma4_assistant/dense/checkpoint");
    Ok(drafters::open(scaled::checkpoint(&folder, 8, &[1], WINDOW)?.write()?.path(), Dtype::Bfloat16)?)
}

/// Seconds of drafting, verifying and committing one token. What a drafter takes in is computed with the next draft,
/// and counts there.
fn round(pair: &mut Pair) -> Outcome<[f64; 3]> {
    let position = pair.context.position();
    let (mut target, mut drafter) = pair.sides();
    let started = Instant::now();
    let draft = drafter.propose(5, position, LIMIT)?;
    nn::wait([&draft.tokens])?;
    let proposed = Instant::now();
    let pass = target.verify(5, Some(&draft))?;
    let verified = Instant::now();
    target.commit(1)?;
    drafter.commit(&[5], &pass.taps)?;
    let committed = Instant::now();
    Ok([proposed - started, verified - proposed, committed - verified].map(|time| time.as_secs_f64()))
}

/// Prints what rounds cost by context.
fn costs(model: &Rc<Model>, kind: &Kind) -> Outcome {
    let mut pair = Pair::new(model, &kind.drafter)?;
    println!("{}", kind.name);
    println!("  context   draft ms  attention     others   verify ms  commit ms   (one in ten of {TIMED} is quicker)");
    for context in CONTEXTS {
        pair.read_to(context - TIMED)?;
        let attention = kind.full.as_ref().map(|full| Attention::new(full, context)).transpose()?;
        let mut timed = [const { Vec::new() }; 4];
        for _ in 0..TIMED {
            let [draft, verify, commit] = round(&mut pair)?;
            let alone = attention.as_ref().map_or(Ok(0.0), Attention::seconds)?;
            timed.iter_mut().zip([draft, alone, verify, commit]).for_each(|(times, part)| times.push(part));
        }
        let [draft, alone, verify, commit] = timed.map(quick);
        let others = draft - alone;
        println!("  {context:7}   {draft:8.3}  {alone:9.3}  {others:9.3}  {verify:10.3}  {commit:9.3}");
    }
    Ok(())
}

/// The attention of a draft by itself.
struct Attention {
    queries: Array,
    /// By layer.
    visible: Vec<Visible>,
    passes: usize,
}

impl Attention {
    /// To `context` rows of noise, laid out as a cache lays them out.
    fn new(full: &Full, context: usize) -> Outcome<Self> {
        let &Full { layers, passes, rows, heads, groups, head_dim } = full;
        let noise = |heads, rows| random::normal::<f32>(&[1, heads, rows, head_dim], None, None, None);
        let before = i32::try_from(context)?;
        let layer = |_| -> Outcome<Visible> {
            let mut cache = Cache::full();
            cache.append(&noise(groups, before)?, &noise(groups, before)?)?;
            cache.commit(context)?;
            let visible = cache.append(&noise(groups, rows)?, &noise(groups, rows)?)?;
            nn::wait([&visible.keys, &visible.values])?;
            Ok(visible)
        };
        Ok(Self { queries: noise(heads, rows)?, visible: (0..layers).map(layer).collect::<Outcome<_>>()?, passes })
    }

    fn seconds(&self) -> Outcome<f64> {
        let attend = |seen: &Visible| attend(&self.queries, &seen.keys, &seen.values, 1.0, &Mask::None);
        let (started, passes) = (Instant::now(), self.visible.iter().cycle().take(self.visible.len() * self.passes));
        nn::wait(&passes.map(attend).collect::<nn::Result<Vec<_>>>()?)?;
        Ok(started.elapsed().as_secs_f64())
    }
}

/// One in ten is quicker, in milliseconds: what other programs do only ever adds to it.
fn quick(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    1e3 * seconds[seconds.len() / 10]
}

/// Prints the memory that rounds leave behind: at one place, to which they `return` again and again, or on and on.
fn memory(model: &Rc<Model>, kind: &Kind, returns: bool) -> Outcome {
    let mut pair = Pair::new(model, &kind.drafter)?;
    pair.read_to(512)?;
    pair.remember()?;
    let (mut rounds, mut texts) = (0, 0);
    let mut seen = Vec::new();
    for wanted in ROUNDS {
        nn::reset_memory_peak();
        while rounds < wanted {
            if returns {
                pair.go_back(512)?;
            }
            texts += answer(&mut pair, STRETCH)?;
            rounds += STRETCH;
        }
        nn::release_memory();
        seen.push([nn::memory_held(), stored(&pair, kind), nn::memory_peak(), resident()]);
    }
    let [[held, stored, ..], [later, stored_later, ..]] = seen[..] else { return Err("there are two".into()) };
    let label = if returns { "at one place" } else { "on and on" };
    println!("{}, {label}:", kind.name);
    for ([held, stored, peak, resident], rounds) in seen.iter().zip(ROUNDS) {
        let [held, stored, peak, resident] = [held, stored, peak, resident].map(|bytes| megabytes(*bytes));
        println!("  {rounds:4} rounds: {held:.2} MB held, {stored:.2} of them keys and values; peak {peak:.2}");
        println!("               {resident:.1} MB of the process");
    }
    let growth = 100.0 * (megabytes(later - stored_later) / megabytes(held - stored) - 1.0);
    println!("  {growth:+.2} % but for keys and values; {texts} tokens");
    Ok(())
}

/// So many rounds of one answer; the tokens that they emit.
fn answer(pair: &mut Pair, rounds: usize) -> Outcome<usize> {
    let position = pair.context.position();
    let prompt = vec![5; position + 1];
    let limits = Limits { max_tokens: usize::MAX, ..Limits::default() };
    let mut answer = Answer::new(&prompt, limits)?;
    let (mut target, mut drafter) = pair.sides();
    for _ in 0..rounds {
        let watch = &mut |_| ControlFlow::Continue(());
        answer.round(&mut target, Some(&mut drafter), &mut Fixed(LIMIT), watch)?;
    }
    Ok(answer.emitted().len())
}

/// Bytes of keys and values.
fn stored(pair: &Pair, kind: &Kind) -> u64 {
    let target = pair.conversation.caches().arrays().map(|array| array.nbytes() as u64).sum::<u64>();
    let facts = kind.drafter.facts();
    let drafter = facts.layers as u64 * u64::from(facts.cached.unsigned_abs()) * 4;
    target + drafter * Cache::allotted(pair.context.position()) as u64
}

/// Bytes of the process that are in memory, where the system tells.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    1024 * line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
