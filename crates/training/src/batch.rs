//! Blocks of one step, with all that the drafter sees and all that it should say.

use drafters::{BlockDrafter, Texts, Told};
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
    texts: Texts,
    /// The tokens that follow each of theirs, `[n, γ]`.
    pub(crate) labels: Array,
    /// The target's rows after the final norm that each label follows from, `[n, γ, H]`.
    normed: Array,
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

    /// The first `rows` tapped rows of a sequence, `[rows, m·H]`; behind its last there are zeros.
    fn taps(&self, shard: &Shard, span: Span, rows: usize) -> Result<Array> {
        let there = rows.min(span.len);
        let taps = self.taps.iter().map(|columns| shard.rows(span, 0, there, columns.clone()));
        let taps = joined(&taps.collect::<Result<Vec<_>>>()?, 1)?;
        Ok(ops::pad(&taps, &[(0, count(rows - there)), (0, 0)], None, None)?)
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

    /// The blocks behind the anchors at these positions of these sequences, in increasing order and as many in each.
    fn of(shard: &Shard, blocks: &[(Span, Vec<usize>)], view: &View) -> Result<Self> {
        let (mut tokens, mut labels, mut normed) = (Vec::new(), Vec::new(), Vec::new());
        for (span, anchors) in blocks {
            for &anchor in anchors {
                let end = anchor + view.gamma;
                tokens.push(shard.tokens(*span, anchor, end).to_vec());
                labels.extend_from_slice(shard.tokens(*span, anchor + 1, end + 1));
                // The row of a token says what follows it: that of the anchor judges the first draft.
                normed.push(shard.rows(*span, anchor, end, view.normed.clone())?);
            }
        }
        let anchors = blocks.iter().flat_map(|(_, anchors)| anchors).copied().collect::<Vec<_>>();
        let longest = anchors.iter().copied().max().unwrap_or(0);
        let taps = blocks.iter().map(|(span, _)| view.taps(shard, *span, longest)).collect::<Result<Vec<_>>>()?;
        let labels = Array::from_slice(&labels, &[count(tokens.len()), count(view.gamma)]);
        let texts = Texts { taps: ops::stack(&taps, 0)?, anchors, most: view.max_context, tokens };
        Ok(Self { texts, labels, normed: ops::stack(&normed, 0)? })
    }

    /// The target's probabilities, `[n, γ, V]` float32.
    pub(crate) fn target(&self, vocabulary: &dyn Vocabulary) -> nn::Result<Array> {
        let logits = vocabulary.logits(&self.normed.as_dtype(vocabulary.dtype())?)?;
        Ok(ops::softmax_axis(logits.as_dtype(Dtype::Float32)?, -1, true)?)
    }

    /// What `drafter` says of the blocks. Each sees the rows before its anchor, and never the anchor's own: at inference
    /// that row does not exist yet.
    pub(crate) fn told(&self, drafter: &BlockDrafter, vocabulary: &dyn Vocabulary) -> nn::Result<Told> {
        drafter.told(&self.texts, vocabulary)
    }
}

fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
