//! Blocks of one step, with all that the drafter sees and all that it should say.

use std::rc::Rc;

use decode::Token;
use drafters::{BlockDrafter, Told};
use mlx_rs::{Array, Dtype, ops};
use nn::{Vocabulary, joined};

use crate::{
    Data, Error, Result,
    data::Place,
    random::Random,
    shard::{Shard, Span},
};

/// Which part of the captured rows a drafter reads, and how long its blocks are.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// Tokens of a block (γ).
    pub(crate) gamma: usize,
    /// The most rows of context.
    pub(crate) max_context: usize,
    /// The columns of the drafter's taps.
    taps: Vec<std::ops::Range<i32>>,
    /// The columns after the final norm.
    normed: std::ops::Range<i32>,
}

/// Blocks of one shard.
#[derive(Debug)]
pub struct Batch {
    /// For each sequence its tapped rows `[1, n, m·H]`, as many as its last anchor sees, and the positions of its anchors.
    sequences: Vec<(Array, Vec<usize>)>,
    /// Of each block its anchor and the tokens behind it but for the last, `[n][γ]`.
    tokens: Vec<Vec<Token>>,
    /// The tokens that follow each of them, `[n, γ]`.
    pub(crate) labels: Array,
    /// The target's rows after the final norm that each label follows from, `[n, γ, H]`.
    normed: Array,
    max_context: usize,
}

impl View {
    /// What a drafter that reads the layers `taps` reads of `data`.
    pub(crate) fn new(data: &Data, taps: &[usize], gamma: usize, max_context: usize) -> Result<Self> {
        let width = i32::try_from(data.hidden_size()).unwrap_or(i32::MAX);
        let columns = |place: usize| {
            let place = i32::try_from(place).unwrap_or(i32::MAX);
            place * width..(place + 1) * width
        };
        let place = |&tap: &usize| match data.taps().iter().position(|&captured| captured == tap) {
            Some(place) => Ok(columns(place)),
            None => Err(Error::Tap { tap, captured: data.taps().to_vec() }),
        };
        let taps = taps.iter().map(place).collect::<Result<_>>()?;
        Ok(Self { gamma, max_context, taps, normed: columns(data.taps().len() - 1) })
    }
}

impl Batch {
    /// `anchors` blocks in each of a few sequences of one shard.
    pub(crate) fn draw(
        data: &Data,
        places: &[Place],
        anchors: usize,
        view: &View,
        random: &mut Random,
    ) -> Result<Self> {
        let draw = |place: &Place| {
            let among = place.anchors(view.gamma);
            let mut drawn = (0..anchors).map(|_| among.start + random.below(among.len())).collect::<Vec<_>>();
            drawn.sort_unstable();
            (place.span, drawn)
        };
        let blocks = places.iter().map(draw).collect::<Vec<_>>();
        Self::of(&*data.shard(places.first().map_or(0, |place| place.shard))?, &blocks, view)
    }

    /// The blocks behind the anchors at these positions of these sequences, in increasing order.
    fn of(shard: &Shard, blocks: &[(Span, Vec<usize>)], view: &View) -> Result<Self> {
        let (mut sequences, mut tokens, mut labels, mut normed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (span, anchors) in blocks {
            let seen = anchors.last().copied().unwrap_or(0);
            let taps = view.taps.iter().map(|columns| shard.rows(*span, 0, seen, columns.clone()));
            let taps = joined(&taps.collect::<Result<Vec<_>>>()?, 1)?.expand_dims(0)?;
            for &anchor in anchors {
                let end = anchor + view.gamma;
                tokens.push(shard.tokens(*span, anchor, end).to_vec());
                labels.extend_from_slice(shard.tokens(*span, anchor + 1, end + 1));
                // The row of a token says what follows it: that of the anchor judges the first draft.
                normed.push(shard.rows(*span, anchor, end, view.normed.clone())?);
            }
            sequences.push((taps, anchors.clone()));
        }
        let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let labels = Array::from_slice(&labels, &[count(tokens.len()), count(view.gamma)]);
        let normed = ops::stack(&normed, 0)?;
        Ok(Self { sequences, tokens, labels, normed, max_context: view.max_context })
    }

    /// The target's probabilities, `[n, γ, V]` float32.
    pub(crate) fn target(&self, vocabulary: &dyn Vocabulary) -> nn::Result<Array> {
        let logits = vocabulary.logits(&self.normed.as_dtype(vocabulary.dtype())?)?;
        Ok(ops::softmax_axis(logits.as_dtype(Dtype::Float32)?, -1, true)?)
    }

    /// What `drafter` says of the blocks. Each sees the rows before its anchor, and never the anchor's own: at inference
    /// that row does not exist yet.
    pub(crate) fn told(&self, drafter: &Rc<BlockDrafter>, vocabulary: &Rc<dyn Vocabulary>) -> nn::Result<Told> {
        let mut contexts = Vec::new();
        for (taps, anchors) in &self.sequences {
            let mut whole = drafter.context(Rc::clone(vocabulary));
            whole.read(taps)?;
            for &anchor in anchors {
                contexts.push(whole.at(anchor, self.max_context)?);
            }
        }
        drafter.told(&mut contexts, &self.tokens)
    }
}
