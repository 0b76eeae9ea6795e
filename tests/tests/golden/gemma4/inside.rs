//! What goes into the layers, and which experts they choose.

use ::gemma4::{Model, Route};
use mlx_rs::{
    Array, Dtype,
    ops::{
        self,
        indexing::{IndexOp, take_along_axis},
    },
};
use nn::Vocabulary;
use tests::{
    Outcome, fixtures,
    tensors::{Tensors, check_close},
};

use super::STREAM;

#[test]
fn embeddings_and_per_layer_inputs_are_the_references() -> Outcome {
    let mut compared = 0;
    for folder in fixtures::folders("gemma4")? {
        let (model, golden, ids) = read(&folder)?;
        let embedded = model.embed(&ids)?;
        check_close("embeddings", &embedded, golden.get("f32.h0")?, STREAM)?;
        let inputs = model.per_layer_inputs(&ids, &embedded)?;
        assert_eq!(inputs.is_some(), golden.has("f32.per_layer_inputs"), "{}", folder.display());
        if let Some(inputs) = inputs {
            let by_layer = inputs.transpose_axes(&[0, 2, 1, 3])?;
            check_close("per-layer inputs", &by_layer, golden.get("f32.per_layer_inputs")?, STREAM)?;
            compared += 1;
        }
    }
    assert!(compared > 0, "no golden data with per-layer inputs was found");
    Ok(())
}

#[test]
fn experts_and_their_weights_are_the_references() -> Outcome {
    let mut compared = 0;
    for folder in fixtures::folders("gemma4")? {
        let (model, golden, ids) = read(&folder)?;
        let routes = model.routes(&ids)?;
        assert_eq!(!routes.is_empty(), golden.has("f32.router_indices"), "{}", folder.display());
        for (layer, route) in (0..).zip(&routes) {
            check_route(layer, route, &golden)?;
            compared += 1;
        }
    }
    assert!(compared > 0, "no golden data with experts was found");
    Ok(())
}

/// The golden file has a row's experts in ascending order.
fn check_route(layer: i32, Route { experts, weights }: &Route, golden: &Tensors) -> Outcome {
    let order = ops::argsort_axis(experts, -1)?;
    let ascending = |array: &Array| take_along_axis(array, &order, -1);
    let what = format!("layer {layer}");
    check_close(&what, &ascending(experts)?, &golden.get("f32.router_indices")?.index(layer), 0.0)?;
    check_close(&what, &ascending(weights)?, &golden.get("f32.router_weights")?.index(layer), STREAM)
}

/// A target, what the reference computed with it, and the prompt.
fn read(folder: &std::path::Path) -> Outcome<(Model, Tensors, Array)> {
    println!("{}", folder.display());
    let golden = Tensors::read(&fixtures::golden(folder)?)?;
    let ids = golden.get("input_ids")?.as_type::<u32>()?;
    Ok((Model::load(folder, Some(Dtype::Float32))?, golden, ids))
}
