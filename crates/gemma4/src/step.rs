//! One token by itself, where the logits are wanted and not a choice.

use decode::Token;
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Vocabulary, block, finite, wait};

use crate::{Conversation, Result};

impl Conversation {
    /// Takes `token` in, as plain decoding does, and returns the logits `[1, V]` of the one behind it. Waits once.
    ///
    /// # Errors
    /// When the logits are not finite, or MLX fails.
    pub fn step(&mut self, token: Token) -> Result<Array> {
        let ids = block(token, None)?;
        let rows = self.model.forward(&ids, self.caches.borrow_mut().layers_mut(), &[])?;
        let logits = self.model.logits(&rows.normed)?.try_index(0)?;
        let sound = finite(&logits)?.all(None)?;
        wait([&logits, &sound])?;
        if !sound.item_exact::<bool>() {
            return Err(self.locate(&ids, true)?);
        }
        self.caches.borrow_mut().commit(1)?;
        Ok(logits)
    }
}
