//! What a drafter's files say of it, whatever its kind.

use crate::{Error, Kind, Result, assistant};

/// What a drafter is, and what it needs of a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// Its kind.
    pub kind: Kind,
    /// The most tokens that it proposes a round (γ).
    pub limit: usize,
    /// The target's layers whose output it reads, strictly increasing; the number of layers stands for the final norm.
    pub taps: Vec<usize>,
    /// Width of the target's rows, `H`.
    pub hidden_size: i32,
    /// Size of the target's vocabulary, `V`.
    pub vocab_size: i32,
    /// How many layers the target has, if the files say so.
    pub target_layers: Option<usize>,
    /// Its own layers.
    pub layers: usize,
    /// Its own width.
    pub width: i32,
    /// Its attention heads.
    pub heads: i32,
    /// Width of its feed-forward parts.
    pub inner: i32,
    /// Numbers that a layer keeps of each context row: keys and values.
    pub cached: i32,
    /// Whether it has a confidence in each token.
    pub confident: bool,
    /// Confidences below which it had better not propose, by position; empty if the files name none.
    pub thresholds: Vec<f32>,
    /// What the logit of each confidence is to be divided by to make it true, by position; empty if the files name none.
    pub temperatures: Vec<f32>,
    /// What the user should know of it, a sentence each.
    pub notes: Vec<String>,
}

impl Facts {
    /// How many tokens are worth asking for when nobody says: what was trained, or a few where nothing was.
    #[must_use]
    pub fn usual_limit(&self) -> usize {
        if self.kind == Kind::Assistant { assistant::USUAL.min(self.limit) } else { self.limit }
    }

    /// Whether the drafter was made for a target of these dimensions.
    ///
    /// # Errors
    /// Names the first number that differs, and both values.
    pub fn fit(&self, hidden_size: i32, vocab_size: i32, layers: usize) -> Result<()> {
        if self.kind == Kind::Lookup {
            return Ok(()); // it reads nothing of a target
        }
        let same = |what, drafter: usize, target: usize| {
            if drafter == target { Ok(()) } else { Err(Error::Mismatch { what, drafter, target }) }
        };
        let unsigned = |value: i32| usize::try_from(value).unwrap_or(0);
        same("hidden size", unsigned(self.hidden_size), unsigned(hidden_size))?;
        same("vocabulary", unsigned(self.vocab_size), unsigned(vocab_size))?;
        same("number of layers", self.target_layers.unwrap_or(layers), layers)?;
        self.check_taps(layers)
    }

    /// The last layer's output is ambiguous in every format but the own one: some programs norm it, some do not.
    fn check_taps(&self, layers: usize) -> Result<()> {
        let (key, first) = match self.kind {
            Kind::DSpark => match self.taps.iter().find(|&&tap| tap > layers) {
                Some(&tap) => return Err(Error::Tap { tap, layers }),
                None => return Ok(()),
            },
            // The speculators library names a layer by its input.
            Kind::Speculators(_) => ("aux_hidden_state_layer_ids", 1),
            Kind::DFlash | Kind::DFlash2 => ("dflash_config.target_layer_ids", 0),
            Kind::DeepSpec | Kind::Assistant | Kind::Lookup => ("target_layer_ids", 0),
        };
        match self.taps.iter().find(|&&tap| tap + 1 >= layers) {
            Some(&tap) => {
                Err(Error::LayerId { key, id: tap + first, layers, first, last: (first + layers).saturating_sub(2) })
            }
            None => Ok(()),
        }
    }
}
