//! How a checkpoint's numbers are stored, in words.

use std::collections::HashMap;

use nn::{Inventory, Packing};

/// The ways in which matrices are packed, the most frequent first, or the type of the largest tensor if none is.
#[derive(Debug)]
pub(crate) struct Numbers {
    packings: Vec<(Packing, usize)>,
    plain: String,
}

impl Numbers {
    pub(crate) fn of(inventory: &Inventory, packings: impl Iterator<Item = Packing>) -> Self {
        let mut counts = HashMap::<Packing, usize>::new();
        for packing in packings {
            *counts.entry(packing).or_default() += 1;
        }
        let mut packings = counts.into_iter().collect::<Vec<_>>();
        packings.sort_by_key(|&(packing, count)| (usize::MAX - count, packing.to_string()));
        let largest = inventory.tensors().values().max_by_key(|stored| stored.count());
        let plain = match largest.map_or("", |stored| stored.dtype.as_str()) {
            "F32" => "float32",
            "BF16" => "bfloat16",
            "F16" => "float16",
            other => other,
        };
        Self { packings, plain: plain.to_owned() }
    }

    /// `4-bit in groups of 64, and others`.
    pub(crate) fn short(&self) -> String {
        match self.packings.as_slice() {
            [] => self.plain.clone(),
            [(packing, _)] => packing.to_string(),
            [(packing, _), ..] => format!("{packing}, and others"),
        }
    }

    /// `4-bit in groups of 64: 210 matrices; 8-bit in groups of 64: 96 matrices`.
    pub(crate) fn long(&self) -> String {
        let one = |(packing, count): &(Packing, usize)| {
            format!("{packing}: {count} {}", if *count == 1 { "matrix" } else { "matrices" })
        };
        if self.packings.is_empty() {
            return self.plain.clone();
        }
        self.packings.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

/// `11.9 billion`, `268 million`.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(crate) fn billions(count: u64) -> String {
    let (amount, word) = match count {
        0..1_000 => return count.to_string(),
        1_000..1_000_000 => (count as f64 / 1e3, "thousand"),
        1_000_000..1_000_000_000 => (count as f64 / 1e6, "million"),
        _ => (count as f64 / 1e9, "billion"),
    };
    let decimals = if amount < 9.995 { 2 } else { usize::from(amount < 99.95) };
    format!("{amount:.decimals$} {word}")
}

#[cfg(test)]
mod tests {
    use super::{Numbers, billions};
    use nn::{Mode, Packing};

    #[test]
    fn the_most_frequent_packing_comes_first() {
        let packing = |bits| Packing { mode: Mode::Affine, bits, group: 64 };
        let numbers = |packings: &[(Packing, usize)]| Numbers { packings: packings.to_vec(), plain: "bfloat16".into() };
        let mixed = numbers(&[(packing(4), 210), (packing(8), 1)]);
        assert_eq!(mixed.long(), "4-bit in groups of 64: 210 matrices; 8-bit in groups of 64: 1 matrix");
        assert_eq!(mixed.short(), "4-bit in groups of 64, and others");
        assert_eq!(numbers(&[(packing(4), 2)]).short(), "4-bit in groups of 64");
        assert_eq!(numbers(&[]).long(), "bfloat16");
    }

    #[test]
    fn counts_have_three_digits_and_a_word() {
        let counts = [640, 12_345, 268_098_176, 4_628_569_379, 30_697_345_340];
        assert_eq!(counts.map(billions), ["640", "12.3 thousand", "268 million", "4.63 billion", "30.7 billion"]);
    }
}
