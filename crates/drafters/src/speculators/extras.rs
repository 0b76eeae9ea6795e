//! What a file may bring besides the layers, as versions of the library differ: copies of the target's table and head,
//! and a vocabulary that is a part of the target's.

use std::path::Path;

use mlx_rs::{Array, Dtype};
use nn::{Embedding, Inventory, Subset, Wanted, scalar};

use super::{Config, vocabulary::Table};
use crate::{
    Error, Result,
    block::{HeadMatrix, Inputs},
    dflash::Sizes,
    tensors::{Parts, stored},
};

/// What a file brings.
#[derive(Debug)]
pub(super) struct Extras {
    /// How many tokens can be proposed, `V_d`.
    pub(super) drafted: i32,
    /// The tensors that not every file has.
    pub(super) tensors: Vec<Wanted>,
}

impl Extras {
    pub(super) fn of(config: &Config, inventory: &Inventory) -> Self {
        let &Sizes { hidden, vocab, .. } = &config.shape.sizes;
        let has = |name: &str| stored(inventory, name).is_some();
        let rows = stored(inventory, "lm_head.weight").and_then(|head| head.shape.first());
        let rows = rows.and_then(|&rows| i32::try_from(rows).ok());
        let drafted = config.draft_vocab.or(rows).unwrap_or(vocab);
        // What a part of the vocabulary cannot do without is asked for whether or not it is there.
        let is_part = drafted < vocab;
        let optional = [
            (has("embed_tokens.weight"), Wanted::matrix("embed_tokens", &[vocab, hidden])),
            (is_part || rows.is_some(), Wanted::matrix("lm_head", &[drafted, hidden])),
            (is_part || has("d2t"), Wanted::integers("d2t", &[drafted])),
            (has("t2d"), Wanted::flags("t2d", &[vocab])),
        ];
        let tensors = optional.into_iter().filter_map(|(is_there, wanted)| is_there.then_some(wanted)).collect();
        Self { drafted, tensors }
    }

    fn has(&self, name: &str) -> bool {
        self.tensors.iter().any(|wanted| wanted.name() == name)
    }

    /// Embeddings are not scaled as the target scales them.
    pub(super) fn inputs(&self, config: &Config, parts: &Parts<'_>, dtype: Dtype) -> Result<Inputs> {
        let &Config { mask, embedding_scale: factor, .. } = config;
        if !self.has("embed_tokens") {
            return Ok(Inputs::Borrowed { mask, scaled: false, factor });
        }
        let table = Embedding::new(parts.weights.matrix("embed_tokens"));
        let plain = (factor - 1.0).abs() < f32::EPSILON;
        Ok(Inputs::Own { table, mask, scale: if plain { None } else { Some(scalar(factor, dtype)?) } })
    }

    pub(super) fn head(&self, parts: &Parts<'_>) -> HeadMatrix {
        if self.has("lm_head") { HeadMatrix::Own(parts.linear("lm_head")) } else { HeadMatrix::Borrowed }
    }

    /// The tokens that can be proposed, if these are not all; what there is to say of them goes into `notes`.
    ///
    /// # Errors
    /// When the file's numbers are no such tokens.
    pub(super) fn subset(
        &self,
        vocab: i32,
        parts: &Parts<'_>,
        folder: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Option<Subset>> {
        if !self.has("d2t") {
            return Ok(None);
        }
        let d2t = parts.array("d2t").as_dtype(Dtype::Int64)?;
        let t2d = self.has("t2d").then(|| parts.array("t2d"));
        let table = Table::new(d2t.as_slice(), t2d.as_ref().map(Array::as_slice), vocab.unsigned_abs() as usize)
            .map_err(|reason| Error::Malformed { path: folder.to_owned(), reason })?;
        if table.absolute {
            notes.push("Its d2t holds the target's ids themselves, where others hold what to add.".into());
        }
        // Increasing ids for every token are the ids themselves.
        let is_part = self.drafted < vocab;
        Ok(is_part.then(|| Subset { ids: Array::from_slice(&table.ids, &[self.drafted]), of: vocab }))
    }
}
