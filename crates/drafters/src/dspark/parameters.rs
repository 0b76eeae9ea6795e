//! The names and shapes of the format's tensors, `[in, out]`.

use mlx_rs::Array;
use nn::{Fitted, Inventory, Place, Quantization, Surplus, Wanted};

use super::Document;
use crate::{Error, Result};

/// The most numbers that a new drafter may have: more than the largest target.
const MOST: u64 = 1 << 35;

/// Every parameter with its shape, in the order of the file.
pub(super) fn shapes(document: &Document) -> Vec<(String, Vec<i32>)> {
    let &Document { width, rank, inner, hidden_size, vocab_size, .. } = document;
    let (limit, tapped) = (count(document.limit), count(document.taps.len()).saturating_mul(hidden_size));
    let mut shapes = Vec::new();
    for layer in 0..document.layers {
        let block: [(&str, Vec<i32>); 9] = [
            ("attn_norm", vec![width]),
            ("q", vec![width, width]),
            ("k", vec![width, width]),
            ("v", vec![width, width]),
            ("o", vec![width, width]),
            ("ff_norm", vec![width]),
            ("gate", vec![width, inner]),
            ("up", vec![width, inner]),
            ("down", vec![inner, width]),
        ];
        shapes.extend(block.map(|(part, shape)| (format!("bb.{layer}.{part}"), shape)));
    }
    let rest: [(&str, Vec<i32>); 11] = [
        ("W_c", vec![tapped, width]),
        ("ctx_norm", vec![width]),
        ("tok_proj", vec![hidden_size, width]),
        ("mask_emb", vec![limit - 1, width]),
        ("block_pos", vec![limit, width]),
        ("out_norm", vec![width]),
        ("out_proj", vec![width, hidden_size]),
        ("markov.w1", vec![vocab_size, rank]),
        ("markov.w2", vec![rank, vocab_size]),
        ("conf.w", vec![width + rank, 1]),
        ("conf.b", vec![1]),
    ];
    shapes.extend(rest.map(|(name, shape)| (name.to_owned(), shape)));
    if document.recurrent {
        let recurrent: [(&str, Vec<i32>); 3] =
            [("rnn.wH", vec![rank, rank]), ("rnn.bH", vec![rank]), ("rnn.wO", vec![rank, vocab_size])];
        shapes.extend(recurrent.map(|(name, shape)| (name.to_owned(), shape)));
    }
    shapes
}

/// Finds every parameter among the tensors of the files; the format allows more than it names.
pub(super) fn fit<'a>(document: &Document, inventory: &'a Inventory) -> Result<Fitted<'a>> {
    let wanted = shapes(document).iter().map(|(name, shape)| Wanted::tensor(name, shape)).collect::<Vec<_>>();
    let place = |name: &str| Some(Place::Whole(name.to_owned()));
    Ok(inventory.fit(&wanted, &Quantization::default(), Surplus::Skip, place)?)
}

/// Refuses a drafter that no memory could hold, before memory is asked for.
pub(super) fn check_size(document: &Document) -> Result<()> {
    let numbers = numbers(document);
    if numbers > MOST { Err(Error::TooLarge { numbers, most: MOST }) } else { Ok(()) }
}

/// How many numbers all parameters have together.
pub(super) fn numbers(document: &Document) -> u64 {
    let numbers = |shape: &Vec<i32>| shape.iter().map(|&n| u64::from(n.unsigned_abs())).fold(1, u64::saturating_mul);
    shapes(document).iter().map(|(_, shape)| numbers(shape)).fold(0, u64::saturating_add)
}

/// The parameter called `name`.
///
/// # Panics
/// If there is none: the names come from [`shapes`].
pub(super) fn named(parameters: &[(String, Array)], name: &str) -> Array {
    let found = parameters.iter().find(|(candidate, _)| candidate == name);
    found.map_or_else(|| panic!("no parameter is called {name}"), |(_, parameter)| parameter.clone())
}

fn count(n: usize) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}
