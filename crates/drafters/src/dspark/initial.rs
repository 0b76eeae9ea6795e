//! A new drafter's numbers, bit for bit those of the format's own generator.

use mlx_rs::Array;

use super::{Document, parameters};

/// What a new drafter should be.
#[derive(Debug, Clone)]
pub struct New {
    /// The target's name, for people.
    pub target_name: String,
    /// The target's hidden size.
    pub hidden_size: i32,
    /// The target's vocabulary.
    pub vocab_size: i32,
    /// The target's layers to read, in increasing order; the number of layers stands for the final norm.
    pub taps: Vec<usize>,
    /// Tokens a round (γ).
    pub gamma: usize,
    /// Width of the backbone.
    pub width: i32,
    /// Layers of the backbone.
    pub layers: usize,
    /// Attention heads.
    pub heads: i32,
    /// Rank of the sequential head.
    pub markov_rank: i32,
    /// Width of the feed-forward part, in widths of the backbone.
    pub ff_mult: i32,
    /// Whether the sequential head is the recurrent one.
    pub recurrent: bool,
    /// Added under the root of every norm.
    pub eps: f32,
    /// The seed of the random numbers.
    pub seed: u32,
}

/// Every parameter of a new drafter, in the order of the file.
///
/// They are drawn in the order of the file too, except that norms, biases and everything behind a zero draw nothing;
/// the recurrent head comes last, so that both heads share all other draws.
pub(super) fn parameters(document: &Document, seed: u32) -> Vec<(String, Array)> {
    let mut normals = Normals::new(seed);
    let initial = |(name, shape): (String, Vec<i32>)| {
        let size = shape.iter().map(|&n| usize::try_from(n).unwrap_or(0)).product::<usize>();
        let values = match name.rsplit('.').next().unwrap_or_default() {
            "attn_norm" | "ff_norm" | "ctx_norm" | "out_norm" => vec![1.0; size],
            "w2" | "w" | "b" | "bH" | "wO" => vec![0.0; size],
            _ => normals.take(size),
        };
        let parameter = Array::from_slice(&values, &shape);
        (name, parameter)
    };
    parameters::shapes(document).into_iter().map(initial).collect()
}

/// Normal numbers of deviation 0.02 from xorshift32 by Box–Muller.
#[derive(Debug)]
struct Normals {
    state: u32,
}

impl Normals {
    const DEVIATION: f64 = 0.02;

    fn new(seed: u32) -> Self {
        Self { state: if seed == 0 { 0x9E37_79B9 } else { seed } }
    }

    /// A uniform number in [0, 1). The right shift is arithmetic: the generator was written with signed integers.
    #[expect(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "the bits are meant, not the number")]
    fn uniform(&mut self) -> f64 {
        self.state ^= self.state << 13;
        self.state ^= ((self.state as i32) >> 17) as u32;
        self.state ^= self.state << 5;
        f64::from(self.state) / 4_294_967_296.0
    }

    /// The numbers of one tensor; they come in pairs, and an odd tensor's last half pair is lost.
    #[expect(clippy::cast_possible_truncation, reason = "the format stores float32")]
    fn take(&mut self, count: usize) -> Vec<f32> {
        let mut values = Vec::with_capacity(count + 1);
        while values.len() < count {
            let radius = (-2.0 * self.uniform().max(1e-12).ln()).sqrt();
            let (sine, cosine) = (2.0 * std::f64::consts::PI * self.uniform()).sin_cos();
            values.extend([cosine, sine].map(|part| (radius * part * Self::DEVIATION) as f32));
        }
        values.truncate(count);
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_zero_is_a_seed() {
        assert_eq!(Normals::new(7).take(5), Normals::new(7).take(5));
        assert_eq!(Normals::new(0).take(4), Normals::new(0x9E37_79B9).take(4));
    }

    #[test]
    fn the_numbers_have_the_formats_mean_and_deviation() {
        let values = Normals::new(1).take(100_000);
        let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / 1e5;
        let deviation = (values.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / 1e5).sqrt();
        assert!(mean.abs() < 3e-4, "{mean}");
        assert!((deviation - 0.02).abs() < 3e-4, "{deviation}");
    }
}
