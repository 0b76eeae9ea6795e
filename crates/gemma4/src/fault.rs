//! Where the numbers of a pass cease to be numbers.

use std::{fmt, rc::Rc};

use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Vocabulary, finite, wait};

use crate::{Conversation, Error, Result};

/// A part of the target, in the order of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The table from ids to rows.
    Embedding,
    /// A layer, counted from 0.
    Layer(usize),
    /// The norm behind the last layer.
    FinalNorm,
    /// From rows to logits.
    Head,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedding => f.write_str("the embedding"),
            Self::Layer(layer) => write!(f, "layer {layer}"),
            Self::FinalNorm => f.write_str("the final norm"),
            Self::Head => f.write_str("the head"),
        }
    }
}

impl Conversation {
    /// Undoes a pass over ids `[1, L]` that was not finite, and says where that begins: at which position, and in which
    /// part. `judged` says whether the pass had logits.
    ///
    /// One pass would name the part, not the position: within attention a row that is no number spoils earlier ones
    /// too. So the shortest beginning of the block that goes wrong is looked for.
    pub(crate) fn locate(&mut self, ids: &Array, judged: bool) -> Result<Error> {
        self.caches_mut().commit(0)?;
        let (mut sound, mut faulty) = (0, ids.dim(1));
        while faulty - sound > 1 {
            let middle = i32::midpoint(sound, faulty);
            match self.fault(&ids.try_index((.., ..middle))?, judged)? {
                Some(_) => faulty = middle,
                None => sound = middle,
            }
        }
        let part = self.fault(&ids.try_index((.., ..faulty))?, judged)?.unwrap_or(Part::Head);
        Ok(Error::NotFinite { part, position: self.caches().position() + usize::try_from(sound).unwrap_or(0) })
    }

    /// The first part that does not give finite numbers for ids `[1, L]`. The pass is undone.
    fn fault(&mut self, ids: &Array, judged: bool) -> Result<Option<Part>> {
        let model = Rc::clone(&self.model);
        let layers = model.config().layers.len();
        let taps = (0..=layers).collect::<Vec<_>>();
        let rows = model.forward(ids, self.caches_mut().layers_mut(), &taps)?;
        let streams = rows.taps.reshape(&[ids.dim(1), -1, model.hidden_size()])?;
        let embedding = finite(&model.embed_raw(ids)?)?.all(None)?;
        let streams = finite(&streams)?.all_axes(&[0, 2], false)?;
        let head = if judged { finite(&model.logits(&rows.normed)?)?.all(None)? } else { Array::from_bool(true) };
        wait([&embedding, &streams, &head])?;
        self.caches_mut().commit(0)?;

        let parts = (0..layers).map(Part::Layer).chain([Part::FinalNorm]).zip(streams.as_slice::<bool>().to_vec());
        let parts = [(Part::Embedding, embedding.item_exact::<bool>())].into_iter().chain(parts);
        let mut parts = parts.chain([(Part::Head, head.item_exact::<bool>())]);
        Ok(parts.find(|(_, finite)| !finite).map(|(part, _)| part))
    }
}
