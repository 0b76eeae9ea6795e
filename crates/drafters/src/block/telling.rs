//! What a drafter says of tokens that are known: many blocks at once, for training.

use decode::Token;
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Result, Vocabulary};

use super::{BlockDrafter, attention::Sight, walk::Known};

/// Blocks in texts that a target has read; their tokens are known.
#[derive(Debug)]
pub struct Texts {
    /// The tapped rows of each text, `[s, S, m·H]`. Behind those of a shorter one there may be any others.
    pub taps: Array,
    /// Where the anchor of each block stands, text by text and as many in each.
    pub anchors: Vec<usize>,
    /// The most rows before its anchor that a block sees.
    pub most: usize,
    /// Each block's anchor and the tokens behind it but for the last, `[n][γ]`.
    pub tokens: Vec<Vec<Token>>,
}

/// What a drafter says of tokens that are known.
#[derive(Debug, Clone)]
pub struct Told {
    /// What each would be drawn from, `[n, γ, V_d]` float32, given those before it.
    pub logits: Array,
    /// The confidence in each before it is squashed into 0..=1, `[n, γ]` float32, if the drafter has one.
    pub confidences: Option<Array>,
}

impl BlockDrafter {
    /// Runs all blocks of `texts` in one pass, each with the rows before its anchor in sight, as it drafts, and with its
    /// tokens given. Nothing is chosen, and nothing is waited for.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn told(&self, texts: &Texts, vocabulary: &dyn Vocabulary) -> Result<Told> {
        let (blocks, limit, first) = (size(texts.tokens.len()), size(self.slots.limit()), size(self.slots.first));
        let anchors = texts.tokens.iter().map(|tokens| tokens[0]).collect::<Vec<_>>();
        let inputs = self.inputs.blocks(&anchors, self.slots.rows, vocabulary, self.dtype)?;
        let context = self.project(&texts.taps)?;
        let rows = self.backbone.told(inputs, &context, &Sight::new(&texts.anchors, texts.most))?;
        let read = rows.try_index((.., first..first + limit, ..))?;
        let base = self.head.logits(&read.reshape(&[blocks * limit, -1])?, vocabulary)?;
        let base = base.reshape(&[blocks, limit, -1])?;
        let previous = Array::from_iter(texts.tokens.iter().flatten().copied(), &[blocks, limit]);
        let (logits, confidences) = self.walk.told(&Known { previous, rows, first, base })?;
        Ok(Told { logits, confidences })
    }
}

fn size(rows: usize) -> i32 {
    i32::try_from(rows).unwrap_or(i32::MAX)
}
