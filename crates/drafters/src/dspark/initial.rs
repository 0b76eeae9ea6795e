//! A new drafter's numbers, bit for bit those of the format's own generator.

use mlx_rs::Array;
use serde::{Deserialize, Serialize};

use super::{Document, parameters};
use crate::Result;

/// What a new drafter should be.
#[derive(Debug, Clone, Serialize, Deserialize)]
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

impl New {
    /// How many numbers it would consist of.
    ///
    /// # Errors
    /// When it describes no drafter.
    pub fn numbers(&self) -> Result<u64> {
        Ok(parameters::numbers(&Document::new(self)?))
    }
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
    use std::error::Error;

    use super::*;

    /// What another implementation of the format's generator gives, in double precision: a seed, the first states, and
    /// the bits of the first numbers.
    const REFERENCE: [(u32, [u32; 4], [u32; 4]); 3] = [
        (0, [0x510C_4619, 0xE021_D53E, 0x8A46_F7DD, 0xC312_CDE3], [0x3CB0_473D, 0xBCAF_236D, 0x3ADB_4404, 0xBCB5_535D]),
        (1, [0x0004_2021, 0x0407_8601, 0x6C33_D022, 0xD0C4_FC19], [0x3DB3_47B3, 0x3C0E_4E14, 0x3C2C_0B1A, 0xBCC5_105E]),
        (
            0x8000_0000,
            [0x8007_C000, 0x78F8_7C63, 0x99F0_DCF9, 0xCF97_840E],
            [0xBCBE_02B6, 0x3B84_71A7, 0x3BF6_D0C3, 0xBC99_4AB1],
        ),
    ];

    /// The first and the last number of every tensor that is drawn, each of odd size but `W_c` and `block_pos`.
    const DRAWN: [(&str, u32, u32); 21] = [
        ("bb.0.q", 0xBCBE_02B6, 0x391B_C75A),
        ("bb.0.k", 0x3C94_E0B4, 0x3D06_73E7),
        ("bb.0.v", 0x3D42_308C, 0x3D51_AEBB),
        ("bb.0.o", 0xBBBD_A9D0, 0x3B8B_A2B2),
        ("bb.0.gate", 0x3B6E_5AFB, 0x3CA9_EED0),
        ("bb.0.up", 0x3C87_11C8, 0x3D2B_D541),
        ("bb.0.down", 0xBCC6_74FF, 0xBCD7_27B0),
        ("bb.1.q", 0xBD03_E8FB, 0x3CCA_8387),
        ("bb.1.k", 0x3C9F_43C7, 0xBC76_E1EA),
        ("bb.1.v", 0xBCDD_8993, 0xBC5B_2416),
        ("bb.1.o", 0xBD17_5F60, 0x3D04_73C6),
        ("bb.1.gate", 0xBC60_86AA, 0x3BB3_7FDD),
        ("bb.1.up", 0xBC38_14C6, 0xBC2A_2BEA),
        ("bb.1.down", 0xBC8F_FBBA, 0x3C62_91D3),
        ("W_c", 0xBB31_AF4B, 0x3C99_109F),
        ("tok_proj", 0xBCA9_109D, 0x3C5A_D43E),
        ("mask_emb", 0x3BA9_E319, 0xBC31_AA0F),
        ("block_pos", 0xBC13_FC2A, 0x3C36_7E91),
        ("out_proj", 0xBCEC_72E9, 0x3B05_A14D),
        ("markov.w1", 0x3D18_B06E, 0xBCF3_2854),
        ("rnn.wH", 0x3B9A_F9DC, 0xBC25_4E4C),
    ];

    #[test]
    fn states_and_numbers_are_those_of_the_formats_generator() {
        for (seed, states, bits) in REFERENCE {
            let mut normals = Normals::new(seed);
            let found = states.map(|_| {
                normals.uniform();
                normals.state
            });
            assert_eq!(found, states, "seed {seed:#x}");
            let found = Normals::new(seed).take(4).into_iter().map(f32::to_bits).collect::<Vec<_>>();
            assert_eq!(found, bits, "seed {seed:#x}");
        }
    }

    #[test]
    fn every_tensor_of_odd_size_loses_its_last_half_pair_before_the_next_is_drawn() -> Result<(), Box<dyn Error>> {
        let document = Document::new(&New {
            target_name: "tiny".into(),
            hidden_size: 5,
            vocab_size: 7,
            taps: vec![0, 2],
            gamma: 2,
            width: 3,
            layers: 2,
            heads: 1,
            markov_rank: 3,
            ff_mult: 1,
            recurrent: true,
            eps: 1e-6,
            seed: 0x8000_0000,
        })?;
        let drawn = parameters(&document, 0x8000_0000).into_iter().filter_map(|(name, parameter)| {
            let values = parameter.reshape(&[-1]).ok()?.to_vec_exact::<f32>().ok()?;
            let (first, last) = (values.first()?.to_bits(), values.last()?.to_bits());
            let constant = [0.0, 1.0].map(f32::to_bits).contains(&first);
            (!constant).then_some((name, first, last))
        });
        let reference = DRAWN.map(|(name, first, last)| (name.to_owned(), first, last));
        assert_eq!(drawn.collect::<Vec<_>>(), reference);
        Ok(())
    }

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
