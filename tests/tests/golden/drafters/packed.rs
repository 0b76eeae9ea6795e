//! Packed drafters.

use std::path::Path;

use ::drafters::Kind;
use mlx_rs::ops;
use nn::{Mode, Packed, Packing};
use serde_json::json;
use tests::{Outcome, checkpoint::Checkpoint, tensors::check_close};

use super::{Stage, TOLERANCE, folders};

/// What the fixtures' widths allow.
const PACKING: Packing = Packing { mode: Mode::Affine, bits: 8, group: 32 };

/// Programs that pack drafters leave these as they are.
const DENSE: [&str; 3] = ["confidence_head", "candidate_selector", "_conv."];

#[test]
fn packed_drafters_give_the_numbers_of_their_unpacked_twins() -> Outcome {
    for folder in folders(|kind| !matches!(kind, Kind::DSpark | Kind::Assistant))? {
        let [packed, dense] = twins(&folder.join("checkpoint"))?;
        let (rows, logits) = Stage::new(packed.write()?.path())?.longest()?;
        let (dense_rows, dense_logits) = Stage::new(dense.write()?.path())?.longest()?;
        let what = folder.display().to_string();
        check_close(&what, &rows, &dense_rows, TOLERANCE)?;
        check_close(&what, &logits, &dense_logits, TOLERANCE)?;
    }
    Ok(())
}

/// A drafter with packed matrices, and one that holds the numbers that these stand for.
fn twins(folder: &Path) -> Outcome<[Checkpoint; 2]> {
    let mut dense = Checkpoint::read(folder)?;
    let mut packed = dense.clone();
    packed.config["quantization"] = json!({ "bits": PACKING.bits, "group_size": PACKING.group });
    for (name, matrix) in &mut dense.tensors {
        let Some(module) = name.strip_suffix(".weight").filter(|_| matrix.ndim() == 2) else { continue };
        if matrix.dim(1) % PACKING.group != 0 || DENSE.iter().any(|part| module.contains(part)) {
            packed.config["quantization"][module] = json!(false);
            continue;
        }
        let (words, scales, biases) = ops::quantize(&*matrix, PACKING.group, PACKING.bits)?;
        *matrix =
            Packed::new(PACKING, words.clone(), scales.clone(), Some(biases.clone()), matrix.dtype()).unpacked()?;
        let parts = [("weight", words), ("scales", scales), ("biases", biases)];
        packed.tensors.extend(parts.map(|(part, array)| (format!("{module}.{part}"), array)));
    }
    Ok([packed, dense])
}
