//! How true survivals are, against `DeepSpec`'s evaluator.

use std::fs;

use calibration::Reliability;
use mlx_rs::Array;
use serde_json::Value;
use tests::{Outcome, fixtures};

#[test]
fn the_calibration_error_of_each_position_is_the_evaluators() -> Outcome {
    let folder = fixtures::path("drafters/dspark_loss");
    let meta = serde_json::from_slice::<Value>(&fs::read(folder.join("meta.json"))?)?;
    let tensors = Array::load_safetensors(folder.join("loss.safetensors"))?;
    let numbers = |name: &str| tensors.get(name).map(|tensor| tensor.as_slice::<f32>().to_vec()).ok_or("no tensor");
    let (survivals, labels) = (numbers("ece.probs")?, numbers("ece.targets")?);
    let positions = meta["ece"].as_array().ok_or("no positions")?;
    for (position, expected) in positions.iter().enumerate() {
        let column = |numbers: &[f32]| numbers.iter().skip(position).step_by(positions.len()).copied().collect();
        let (survivals, labels): (Vec<f32>, Vec<f32>) = (column(&survivals), column(&labels));
        let found = Reliability::of(survivals.iter().zip(labels).map(|(&said, label)| (said.into(), label > 0.5)));
        for (key, found) in [
            ("ece", found.ece),
            ("auc", found.auroc),
            ("brier", found.brier),
            ("pred_mean", found.predicted),
            ("target_mean", found.stood),
        ] {
            let wanted = expected[key].as_f64().ok_or("no number")?;
            let close = found.is_some_and(|found| (found - wanted).abs() < 1e-6);
            assert!(close, "{key} of position {position} is {found:?}, not {wanted}");
        }
    }
    Ok(())
}
