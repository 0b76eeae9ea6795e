//! A tiny target, a few of its answers, and drafters to teach them.

use std::{ops::ControlFlow, path::Path, rc::Rc};

use decode::Limits;
use drafters::{DFlash, DSpark, New, NewFlash, NewSelector, Trainable};
use gemma4::Model;
use mlx_rs::{Array, Dtype, ops, ops::indexing::IndexOp};
use nn::{Sampler, Sampling, Vocabulary};
use tests::{Outcome, checkpoint::Checkpoint, fixtures, random::Random};
use training::{Data, Sequence, ShardWriter, capture, captured, regenerate};

/// Tokens that a drafter proposes.
pub(crate) const GAMMA: usize = 3;

/// Tokens that the target knows.
pub(crate) const TOKENS: i32 = 40;

/// The target's layers that every drafter reads.
pub(crate) const TAPS: [usize; 2] = [1, 2];

/// Kinds of drafters that are trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Markov,
    Elman,
    DFlash,
    DFlash2,
}

pub(crate) const KINDS: [Kind; 4] = [Kind::Markov, Kind::Elman, Kind::DFlash, Kind::DFlash2];

/// A target in float32 that counts: its head takes each token for the one behind it. With their own head random weights
/// repeat one token again and again, and the rows of neighbours look alike.
pub(crate) fn target() -> Outcome<Rc<Model>> {
    let mut checkpoint = Checkpoint::read(&fixtures::path("gemma4/31b-dense"))?;
    let table = checkpoint.tensor("embed_tokens.weight")?;
    *table = table.index((..TOKENS, ..));
    let table = table.clone();
    checkpoint.text()["vocab_size"] = TOKENS.into();
    let last = table.dim(0).unsigned_abs() - 1;
    let before = [last].into_iter().chain(0..last).collect::<Vec<_>>();
    let head = table.take_axis(Array::from_slice(&before, &[table.dim(0)]), 0)?.multiply(Array::from_f32(1.5))?;
    checkpoint.tensors.insert("lm_head.weight".into(), head);
    checkpoint.config["tie_word_embeddings"] = false.into();
    checkpoint.text()["tie_word_embeddings"] = false.into();
    Ok(Rc::new(Model::load(checkpoint.write()?.path(), Some(Dtype::Float32))?))
}

/// A fresh drafter of so many layers for it.
pub(crate) fn fresh(model: &Model, kind: Kind, layers: usize) -> Outcome<Trainable> {
    let (hidden_size, vocab_size) = (model.hidden_size(), model.size());
    let flash = |selector| {
        let new = NewFlash {
            hidden_size,
            vocab_size,
            target_layers: model.config().layers.len(),
            taps: TAPS.to_vec(),
            softcap: model.config().softcap,
            mask: 4,
            gamma: GAMMA,
            layers,
            heads: 2,
            head_width: 16,
            inner: 64,
            window: Some(8),
            eps: 1e-6,
            selector,
            seed: 5,
        };
        Ok(Trainable::DFlash(DFlash::fresh(&new)?))
    };
    let spark = |recurrent| {
        let new = New {
            target_name: "tiny".into(),
            hidden_size,
            vocab_size,
            taps: TAPS.to_vec(),
            gamma: GAMMA,
            width: 32,
            layers,
            heads: 2,
            markov_rank: 8,
            ff_mult: 2,
            recurrent,
            eps: 1e-6,
            seed: 5,
        };
        Ok(Trainable::DSpark(DSpark::fresh(&new)?))
    };
    match kind {
        Kind::Markov => spark(false),
        Kind::Elman => spark(true),
        Kind::DFlash => flash(None),
        Kind::DFlash2 => flash(Some(NewSelector { group: 8, rank: 8, candidates: 6 })),
    }
}

/// Three short prompts and what the target answers, each with the place of the prompt's last token.
pub(crate) fn texts(model: &Rc<Model>) -> Outcome<Vec<(Vec<u32>, usize)>> {
    let text = |seed: u64| -> Outcome<(Vec<u32>, usize)> {
        let prompt = Random::new(u32::try_from(seed)?).ids(4, 40);
        let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
        let sampler = Sampler::new(sampling).following(&prompt, model.size())?;
        let limits = Limits { max_tokens: 7, ..Limits::default() };
        let answer = regenerate(model, &prompt, sampler, limits, &mut |_| ControlFlow::Continue(()))?;
        Ok(([&prompt[..], &answer].concat(), prompt.len() - 1))
    };
    (1..4).map(text).collect()
}

/// Captures texts into `folder`; the rows that the target's distribution follows from come from `late` rows later.
pub(crate) fn write(model: &Rc<Model>, texts: &[(Vec<u32>, usize)], late: i32, folder: &Path) -> Outcome<Data> {
    let taps = captured(&TAPS, model.config().layers.len());
    let hidden = model.hidden_size();
    let mut shards = ShardWriter::new(folder, &taps, usize::try_from(hidden)?, 2)?;
    for (ids, response_start) in texts {
        let sequence = capture(model, &taps, ids, *response_start)?;
        let columns = hidden * i32::try_from(TAPS.len())?;
        let (tapped, normed) = (sequence.rows.index((.., ..columns)), sequence.rows.index((.., columns..)));
        let last = normed.dim(0) - 1;
        let rows = (0..=last).map(|row| (row + late).min(last).unsigned_abs()).collect::<Vec<_>>();
        let normed = normed.take_axis(Array::from_slice(&rows, &[last + 1]), 0)?;
        shards.push(Sequence { rows: ops::concatenate(&[tapped, normed], 1)?, ..sequence })?;
    }
    shards.finish()?;
    Ok(Data::open(folder)?)
}
