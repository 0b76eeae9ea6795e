//! Which published member of the family a configuration is, told from its sizes: folders may be called anything.

use crate::{Config, Family};

/// Name, layers, hidden size, query heads, width of the feed-forward part, width of the per-layer inputs, experts.
type Sizes = (&'static str, usize, i32, i32, i32, Option<i32>, Option<i32>);

const MEMBERS: [Sizes; 5] = [
    ("E2B", 35, 1536, 8, 6144, Some(256), None),
    ("E4B", 42, 2560, 8, 10_240, Some(256), None),
    ("12B", 48, 3840, 16, 15_360, None, None),
    ("26B-A4B", 30, 2816, 16, 2112, None, Some(128)),
    ("31B", 60, 5376, 32, 21_504, None, None),
];

impl Config {
    /// What the model is called: `Gemma 4 12B`, or `Gemma 4, 12 layers × 256` if no published one has its sizes.
    #[must_use]
    pub fn name(&self) -> String {
        let family = match self.family {
            Family::Gemma4 => "Gemma 4",
            Family::Gemma3 => "Gemma 3",
        };
        match self.member() {
            Some(member) => format!("{family} {member}"),
            None => format!("{family}, {} layers × {}", self.layers.len(), self.hidden_size),
        }
    }

    fn member(&self) -> Option<&'static str> {
        let experts = self.mixture.map(|mixture| mixture.experts);
        let sizes = (self.layers.len(), self.hidden_size, self.heads, self.intermediate_size);
        let is_it = |&&(_, layers, hidden, heads, inner, per_layer, of_experts): &&Sizes| {
            sizes == (layers, hidden, heads, inner) && self.per_layer_width == per_layer && experts == of_experts
        };
        MEMBERS.iter().filter(|_| self.family == Family::Gemma4).find(is_it).map(|sizes| sizes.0)
    }
}
