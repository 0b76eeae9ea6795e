//! The heads of `DSpark`: the sequential one, and the confidence.

use nn::{Embedding, Linear, Matrix, Wanted};
use serde::Deserialize;

use crate::{
    Result,
    block::{Bias, Confidence, Previous, Sequential},
    config::Entry,
    tensors::Parts,
};

/// The rank where the file does not say.
const RANK: i32 = 256;

/// What the heads are like, before their tensors are read.
#[derive(Debug)]
pub(super) struct Heads {
    /// The kind of the sequential head, and its rank `r`, if there is one.
    previous: Option<(BiasKind, i32)>,
    /// Whether the confidence sees the token before, if there is a confidence.
    confidence: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BiasKind {
    Vanilla,
    Gated,
    Rnn,
}

impl Heads {
    /// Reads them.
    ///
    /// # Errors
    /// When there is no such head, or the confidence is to see what no head holds.
    pub(super) fn read(top: &Entry<'_>) -> Result<Self> {
        let kind = top.get("markov_head_type")?.unwrap_or(BiasKind::Vanilla);
        let previous = match top.get::<i64>("markov_rank")? {
            Some(0) => None,
            _ => Some((kind, top.size_or("markov_rank", RANK)?)),
        };
        let confident = top.get("enable_confidence_head")?.unwrap_or(true);
        let with_previous = top.get("confidence_head_with_markov")?.unwrap_or(true);
        if confident && with_previous && previous.is_none() {
            let reason = "is true, but markov_rank is 0, so there is no Markov head that the confidence could read";
            return Err(top.malformed("confidence_head_with_markov", reason));
        }
        Ok(Self { previous, confidence: confident.then_some(with_previous) })
    }

    /// Whether there is a confidence.
    pub(super) fn confident(&self) -> bool {
        self.confidence.is_some()
    }

    /// Their tensors, for rows `hidden` wide, `vocab` tokens of the target and `drafted` of them that can be proposed.
    pub(super) fn tensors(&self, hidden: i32, vocab: i32, drafted: i32) -> Vec<Wanted> {
        let mut tensors = Vec::new();
        let rank = self.previous.map_or(0, |(_, rank)| rank);
        if let Some((kind, _)) = self.previous {
            tensors.push(Wanted::matrix("markov_head.markov_w1", &[vocab, rank]));
            tensors.push(Wanted::matrix("markov_head.markov_w2", &[drafted, rank]));
            tensors.extend(kind.tensors(hidden, rank));
        }
        if let Some(with_previous) = self.confidence {
            let seen = if with_previous { hidden.saturating_add(rank) } else { hidden };
            tensors.push(Wanted::tensor("confidence_head.proj.weight", &[1, seen]));
            tensors.push(Wanted::tensor("confidence_head.proj.bias", &[1]));
        }
        tensors
    }

    /// The walk of these tensors.
    pub(super) fn walk(&self, parts: &Parts<'_>) -> Sequential {
        Sequential {
            previous: self.previous.map(|(kind, _)| Previous {
                table: Embedding::new(parts.weights.matrix("markov_head.markov_w1")),
                bias: kind.bias(parts),
            }),
            confidence: self.confidence.map(|with_previous| Confidence {
                weight: Linear::new(Matrix::Dense(parts.array("confidence_head.proj.weight"))),
                bias: parts.array("confidence_head.proj.bias"),
                with_previous,
            }),
        }
    }
}

impl BiasKind {
    /// The tensors that only this kind has.
    fn tensors(self, hidden: i32, rank: i32) -> Vec<Wanted> {
        let (name, out, seen) = match self {
            Self::Vanilla => return Vec::new(),
            Self::Gated => ("gate_proj", rank, hidden.saturating_add(rank)),
            Self::Rnn => ("joint_proj", rank.saturating_mul(3), rank.saturating_mul(2).saturating_add(hidden)),
        };
        let name = format!("markov_head.{name}");
        vec![Wanted::tensor(format!("{name}.bias"), &[out]), Wanted::matrix(name, &[out, seen])]
    }

    fn bias(self, parts: &Parts<'_>) -> Bias {
        let output = parts.linear("markov_head.markov_w2");
        let both = |name: &str| {
            let name = format!("markov_head.{name}");
            (parts.linear(&name), parts.array(&format!("{name}.bias")))
        };
        match self {
            Self::Vanilla => Bias::Markov { output },
            Self::Gated => {
                let (gate, gate_bias) = both("gate_proj");
                Bias::Gated { gate, gate_bias, output }
            }
            Self::Rnn => {
                let (joint, joint_bias) = both("joint_proj");
                Bias::Recurrent { joint, joint_bias, output }
            }
        }
    }
}
