//! The heads of `DSpark` as its authors' program and the speculators library write them: the sequential one, and the
//! confidence.

use nn::{Embedding, Wanted};
use serde::Deserialize;

use crate::{
    Result,
    block::{Bias, Confidence, Previous, Sequential, Walk},
    config::Entry,
    tensors::Parts,
};

/// What the heads are like, before their tensors are read.
#[derive(Debug, Clone)]
pub(crate) struct SequentialHeads {
    /// The kind of the sequential head, and its rank `r`, if there is one.
    previous: Option<(BiasKind, i32)>,
    /// Whether the confidence sees the token before, if there is a confidence.
    confidence: Option<bool>,
}

/// What a format means where its file says nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unsaid {
    /// The rank of the sequential head; 0 is none.
    pub(crate) rank: i32,
    /// Whether there is a confidence, and whether it sees the token before.
    pub(crate) confident: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BiasKind {
    Vanilla,
    Gated,
    Rnn,
}

impl SequentialHeads {
    /// Reads them.
    ///
    /// # Errors
    /// When there is no such head, or the confidence is to see what no head holds.
    pub(crate) fn read(top: &Entry<'_>, unsaid: Unsaid) -> Result<Self> {
        let kind = top.get("markov_head_type")?.unwrap_or(BiasKind::Vanilla);
        let previous = match top.get::<i64>("markov_rank")?.unwrap_or(unsaid.rank.into()) {
            0 => None,
            _ => Some((kind, top.size_or("markov_rank", unsaid.rank)?)),
        };
        let confident = top.get("enable_confidence_head")?.unwrap_or(unsaid.confident);
        let with_previous = top.get("confidence_head_with_markov")?.unwrap_or(unsaid.confident);
        if confident && with_previous && previous.is_none() {
            let reason = "is true, but markov_rank is 0, so there is no Markov head that the confidence could read";
            return Err(top.malformed("confidence_head_with_markov", reason));
        }
        Ok(Self { previous, confidence: confident.then_some(with_previous) })
    }

    /// Whether there is a confidence.
    pub(crate) fn confident(&self) -> bool {
        self.confidence.is_some()
    }

    /// Their tensors, for rows `hidden` wide, `vocab` tokens of the target and `drafted` of them that can be proposed.
    pub(crate) fn tensors(&self, hidden: i32, vocab: i32, drafted: i32) -> Vec<Wanted> {
        let mut tensors = Vec::new();
        let rank = self.previous.map_or(0, |(_, rank)| rank);
        if let Some((kind, _)) = self.previous {
            tensors.push(Wanted::matrix("markov_head.markov_w1", &[vocab, rank]));
            tensors.push(Wanted::matrix("markov_head.markov_w2", &[drafted, rank]));
            tensors.extend(kind.tensors(hidden, rank));
        }
        if let Some(with_previous) = self.confidence {
            let seen = if with_previous { hidden.saturating_add(rank) } else { hidden };
            tensors.push(Wanted::matrix("confidence_head.proj", &[1, seen]));
            tensors.push(Wanted::tensor("confidence_head.proj.bias", &[1]));
        }
        tensors
    }

    /// The walk of these tensors.
    pub(crate) fn walk(&self, parts: &Parts<'_>) -> Walk {
        let previous = self.previous.map(|(kind, _)| Previous {
            table: Embedding::new(parts.weights.matrix("markov_head.markov_w1")),
            bias: kind.bias(parts),
        });
        let confidence = self.confidence.map(|with_previous| Confidence {
            weight: parts.linear("confidence_head.proj"),
            bias: parts.array("confidence_head.proj.bias"),
            with_previous,
        });
        match (&previous, &confidence) {
            (None, None) => Walk::Rows,
            _ => Walk::Sequential(Sequential { previous, confidence }),
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
