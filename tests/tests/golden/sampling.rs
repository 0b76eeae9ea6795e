//! The transforms and the ratio rule against those of `dflash`, with the uniforms that it was given.

use mlx_rs::{Array, Dtype, ops};
use nn::{Acceptance, Draft, Q, Sampling};
use serde::Deserialize;
use tests::{
    Outcome, fixtures,
    tensors::{Tensors, check_close},
};

const TOLERANCE: f32 = 1e-6;

#[derive(Deserialize)]
struct Meta {
    sampling_probs: Vec<Setting>,
    rejection: Vec<Case>,
}

#[derive(Deserialize)]
struct Setting {
    name: String,
    temperature: f32,
    top_p: f32,
    top_k: usize,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    sparse: bool,
    accepted: u32,
}

fn golden() -> Outcome<Vec<(Meta, Tensors)>> {
    let read = |meta: std::path::PathBuf| {
        let tensors = Tensors::read(&meta.with_file_name("sampling.safetensors"))?;
        Ok((serde_json::from_slice(&std::fs::read(meta)?)?, tensors))
    };
    fixtures::files("drafters/sampling/meta.json")?.into_iter().map(read).collect()
}

/// Everything is kept, at temperature 1.
fn nothing() -> Sampling {
    Sampling { temperature: 1.0, top_p: 1.0, top_k: 0, ..Sampling::default() }
}

#[test]
#[expect(clippy::float_cmp, reason = "these settings are written down, not computed")]
fn one_filter_or_none_gives_the_distributions_of_dflash() -> Outcome {
    let mut compared = 0;
    for (meta, tensors) in golden()? {
        let logits = tensors.get("logits")?.squeeze_axes(&[0])?;
        for Setting { name, temperature, top_p, top_k } in meta.sampling_probs {
            // There the filters see tempered probabilities, and top-k comes first.
            if top_p == 1.0 || (temperature == 1.0 && top_k == 0) {
                let scores = Sampling { temperature, top_p, top_k, ..nothing() }.scores(&logits)?;
                check_close(&name, &ops::softmax_axis(scores, -1, None)?, tensors.get(&name)?, TOLERANCE)?;
                compared += 1;
            }
        }
    }
    assert!(compared >= 4);
    Ok(())
}

#[test]
fn each_transform_is_that_of_dflash_in_its_order() -> Outcome {
    for (meta, tensors) in golden()? {
        let logits = tensors.get("logits")?.squeeze_axes(&[0])?;
        for Setting { name, temperature, top_p, top_k } in meta.sampling_probs {
            let tempered = Sampling { temperature, top_k, ..nothing() }.scores(&logits)?;
            let scores = Sampling { top_p, ..nothing() }.scores(&tempered)?;
            check_close(&name, &ops::softmax_axis(scores, -1, None)?, tensors.get(&name)?, TOLERANCE)?;
        }
    }
    Ok(())
}

#[test]
fn the_ratio_rule_accepts_what_dflash_accepts_and_leaves_the_same_to_draw_from() -> Outcome {
    for (meta, tensors) in golden()? {
        for Case { name, sparse, accepted } in meta.rejection {
            let of = |what: &str| tensors.get(&format!("{name}.{what}"))?.squeeze_axes(&[0]).map_err(Into::into);
            let of: &dyn Fn(&str) -> Outcome<Array> = &of;
            let log_q = ops::log(of("draft_probs")?)?;
            let q = if sparse {
                Q::Sparse { ids: of("draft_indices")?.as_dtype(Dtype::Uint32)?, log_q }
            } else {
                Q::Dense(log_q)
            };
            let tokens = of("draft_tokens")?.as_dtype(Dtype::Uint32)?;
            let draft = Draft { tokens, q: Some(q), confidences: None };
            let judged = Acceptance::new(&of("target_probs")?, &draft, &of("uniforms")?)?;
            assert_eq!(judged.accepted.item_exact::<u32>(), accepted, "{name}");
            let distribution = |weights: &Array| weights.divide(weights.sum(None)?);
            let wanted = distribution(tensors.get(&format!("{name}.resample_distribution"))?)?;
            check_close(&name, &distribution(&judged.rest)?, &wanted, TOLERANCE)?;
        }
    }
    Ok(())
}
