//! The loss against that of `DeepSpec`.

use std::collections::HashMap;

use mlx_rs::{Array, Dtype, error::Exception, ops, transforms::value_and_grad_with_argnums};
use serde_json::Value;
use tests::{Outcome, fixtures, tensors::check_close};
use training::{Loss, Parts, acceptance, position_weights, tokens_per_round};

fn check(meta: &Value, tensors: &HashMap<String, Array>, name: &str) -> Outcome {
    let of = |name: &str| -> Outcome<Array> {
        Ok(tensors.get(name).ok_or_else(|| format!("there is no tensor {name}"))?.squeeze_axes(&[0])?)
    };
    let number = |key: &str| meta[name][key].as_f64().ok_or_else(|| format!("{name} has no {key}"));
    let setting = |key: &str| serde_json::from_value::<f32>(meta[name]["weights"][key].clone());
    let loss = Loss {
        cross_entropy: setting("ce_loss_alpha")?,
        total_variation: setting("l1_loss_alpha")?,
        confidence: setting("confidence_head_alpha")?,
    };
    let decayed = position_weights(4, setting("loss_decay_gamma")?);
    let weights = of("eval_mask")?.as_dtype(Dtype::Float32)?.multiply(decayed)?;
    let target = ops::softmax_axis(of("target_logits")?, -1, true)?;
    let labels = of("target_ids")?;
    let compute = |given: &[Array]| -> Result<Vec<Array>, Exception> {
        let parts = loss.of(&given[0], Some(&given[1]), &target, &labels, &weights);
        let Parts { total, cross_entropy, total_variation, confidence } =
            parts.map_err(|error| Exception::custom(error.to_string()))?;
        Ok(vec![total, cross_entropy, total_variation, confidence])
    };
    let given = [of("draft_logits")?, of("confidence_logits")?];
    let (parts, gradients) = value_and_grad_with_argnums(compute, &[0, 1][..])(&given)?;
    let close = |found: &Array, wanted: f64, what: &str| {
        let found = f64::from(found.item_exact::<f32>());
        if (found - wanted).abs() < 1e-5 { Ok(()) } else { Err(format!("{name}: {what} is {found}, not {wanted}")) }
    };
    close(&parts[0], number("loss")?, "the loss")?;
    for (part, key) in parts[1..].iter().zip(["ce_loss", "l1_loss", "confidence_loss"]) {
        let counted = number(&format!("{key}_den"))?;
        if counted > 0.0 {
            close(part, number(&format!("{key}_num"))? / counted, key)?;
        }
    }
    check_close("the logits' gradients", &gradients[0], &of(&format!("{name}.grad_draft_logits"))?, 1e-6)?;
    if loss.confidence > 0.0 {
        let wanted = of(&format!("{name}.grad_confidence_logits"))?;
        check_close("the confidences' gradients", &gradients[1], &wanted, 1e-6)?;
    }
    let accepted = acceptance(&given[0], &target)?;
    check_close("acceptance", &accepted, &of("accept_rate")?, 1e-6)
}

#[test]
fn loss_gradients_and_acceptance_are_those_of_deepspec() -> Outcome {
    for meta in fixtures::files("drafters/dspark_loss/meta.json")? {
        let tensors = Array::load_safetensors(meta.with_file_name("loss.safetensors"))?;
        let meta = serde_json::from_slice(&std::fs::read(meta)?)?;
        check(&meta, &tensors, "dspark")?;
        check(&meta, &tensors, "dflash")?;
    }
    Ok(())
}

#[test]
fn tokens_of_a_round_are_one_and_the_survivals_of_its_positions() {
    assert!((tokens_per_round(&[vec![0.5, 0.5], vec![1.0, 0.0]]) - 1.875).abs() < 1e-9);
    assert!((tokens_per_round(&[vec![0.0, 1.0]]) - 1.0).abs() < 1e-9);
}
