//! Which published member of the family a configuration is, told from its sizes: folders may be called anything.

use crate::{Config, Family};

/// Family, name, layers, hidden size, query heads, width of the feed-forward part, width of the per-layer inputs, experts.
type Sizes = (Family, &'static str, usize, i32, i32, i32, Option<i32>, Option<i32>);

const MEMBERS: [Sizes; 7] = [
    (Family::Gemma4, "E2B", 35, 1536, 8, 6144, Some(256), None),
    (Family::Gemma4, "E4B", 42, 2560, 8, 10_240, Some(256), None),
    (Family::Gemma4, "12B", 48, 3840, 16, 15_360, None, None),
    (Family::Gemma4, "26B-A4B", 30, 2816, 16, 2112, None, Some(128)),
    (Family::Gemma4, "31B", 60, 5376, 32, 21_504, None, None),
    (Family::Gemma3, "270M", 18, 640, 4, 2048, None, None),
    (Family::Gemma3, "1B", 26, 1152, 4, 6912, None, None),
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
        let sizes = (self.family, self.layers.len(), self.hidden_size, self.heads, self.intermediate_size);
        let is_it = |&&(family, _, layers, hidden, heads, inner, per_layer, of_experts): &&Sizes| {
            sizes == (family, layers, hidden, heads, inner)
                && self.per_layer_width == per_layer
                && experts == of_experts
        };
        MEMBERS.iter().find(is_it).map(|sizes| sizes.1)
    }
}
