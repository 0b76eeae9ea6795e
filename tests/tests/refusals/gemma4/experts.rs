//! Experts that are incomplete, unequal, or there twice.

use mlx_rs::{Dtype, ops};
use tests::{Outcome, checkpoint::Checkpoint, copy::Copy, fixtures};

use crate::check;

/// The tensors of one expert, of one projection.
const EXPERT: &str = "layers.4.experts.3.up_proj.weight";

fn one_by_one() -> Outcome<Checkpoint> {
    Checkpoint::read(&fixtures::path("gemma4/26b-a4b"))?.stacked()?.one_by_one()
}

fn fused() -> Outcome<Checkpoint> {
    Checkpoint::read(&fixtures::path("gemma4/26b-a4b"))
}

#[test]
fn a_missing_expert_is_named_wherever_it_stood() -> Outcome {
    for number in [0, 3, 7] {
        let lost = EXPERT.replace(".3.", &format!(".{number}."));
        let checkpoint = one_by_one()?.renamed(|name| (!name.ends_with(&lost)).then(|| name.to_owned()));
        let part = format!("part {number}");
        // Without its last one a stack is complete, and too small.
        let words = if number == 7 { ["[7, 32, 64]", "[8, 32, 64]"] } else { [&*part, "is missing"] };
        check(&Copy::written(&checkpoint)?, &[&["layers.4.experts.up_proj.weight"], &words[..]].concat());
    }
    Ok(())
}

#[test]
fn experts_of_another_shape_or_type_than_the_others_are_refused() -> Outcome {
    let good = one_by_one()?.tensor(EXPERT)?.clone();
    for other in [good.t(), good.as_dtype(Dtype::Float32)?] {
        let mut checkpoint = one_by_one()?;
        *checkpoint.tensor(EXPERT)? = other;
        check(&Copy::written(&checkpoint)?, &["layers.4.experts.up_proj.weight", "part 3", "shape or type"]);
    }
    Ok(())
}

#[test]
fn an_expert_that_is_there_twice_is_refused_with_both_names() -> Outcome {
    let mut checkpoint = one_by_one()?;
    let twin = checkpoint.tensor(EXPERT)?.clone();
    checkpoint.tensors.insert(format!("language_model.model.{EXPERT}"), twin.clone());
    check(&Copy::written(&checkpoint)?, &[EXPERT, "language_model.model", "only one"]);

    let mut checkpoint = fused()?;
    checkpoint.tensors.insert(format!("model.language_model.{EXPERT}"), twin);
    check(&Copy::written(&checkpoint)?, &["gate_up_proj", EXPERT, "only one"]);
    Ok(())
}

#[test]
fn gates_and_ups_that_are_no_two_halves_are_refused() -> Outcome {
    let mut checkpoint = fused()?;
    let both = checkpoint.tensor("layers.4.experts.gate_up_proj")?;
    let rows = ops::arange::<_, i32>(0, both.dim(-2) - 1, 1)?;
    *both = both.take_axis(rows, -2)?;
    check(&Copy::written(&checkpoint)?, &["layers.4.experts.gate_proj", "no two halves"]);
    Ok(())
}
