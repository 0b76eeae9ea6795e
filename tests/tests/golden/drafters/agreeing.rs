//! A fake target.

use ::decode::{Pass, Target, Token, Verdict};
use mlx_rs::Array;
use nn::Draft;

/// A target that wants what is drafted, and then token 0.
pub(super) struct Agreeing {
    /// Rows to hand out.
    pub(super) taps: Array,
}

impl Target for Agreeing {
    type Draft = Draft;
    type Taps = Array;
    type Error = nn::Error;

    fn prefill(&mut self, _tokens: &[Token]) -> nn::Result<Array> {
        Ok(self.taps.clone())
    }

    fn verify(&mut self, _anchor: Token, draft: Option<&Draft>) -> nn::Result<Pass<Array>> {
        let draft = draft.map_or_else(Vec::new, |draft| draft.tokens.as_slice::<u32>().to_vec());
        let verdict = Verdict::Choices([&*draft, &[0]].concat());
        Ok(Pass { draft, confidences: Vec::new(), verdict, probabilities: None, taps: self.taps.clone() })
    }

    fn commit(&mut self, _rows: usize) -> nn::Result<()> {
        Ok(())
    }
}
