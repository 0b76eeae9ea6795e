//! Packed matrices: every way of packing that MLX has, unpacked and multiplied as the reference does it.

use std::{fs, path::Path};

use mlx_rs::{Array, Dtype, ops};
use nn::{Embedding, Experts, Inventory, Linear, Matrix, Place, Quantization, Surplus, Wanted, Weights};
use tests::{
    Outcome, fixtures,
    tensors::{Tensors, check_close},
};

/// Of single numbers, and of sums over a row of them.
const NUMBER: f32 = 1e-6;
const SUM: f32 = 1e-4;

#[test]
fn every_packing_gives_the_references_numbers() -> Outcome {
    for file in fixtures::files("gemma4/quant-formats.safetensors")? {
        let golden = Tensors::read(&file)?;
        let folder = checkpoint(&file)?;
        let inventory = Inventory::read(folder.path())?;
        let names = names(&inventory);
        assert!(!names.is_empty());
        let wanted = names.iter().map(|name| Ok(Wanted::matrix(name, numbers(&golden, name)?.shape())));
        let wanted = wanted.collect::<Outcome<Vec<_>>>()?;
        let whole = |name: &str| Some(Place::Whole(name.to_owned()));
        let fitted = inventory.fit(&wanted, &Quantization::default(), Surplus::Skip, whole)?;
        let weights = Weights::read(&fitted, Dtype::Float32)?;
        for name in &names {
            let packing = fitted.packings()[name];
            assert_eq!(format!("{}.b{}.g{}", packing.mode.name(), packing.bits, packing.group), *name);
            check(name, &weights.matrix(name), &golden)?;
        }
    }
    Ok(())
}

#[test]
fn experts_may_be_packed_in_every_way() -> Outcome {
    for file in fixtures::files("gemma4/quant-formats.safetensors")? {
        let golden = Tensors::read(&file)?;
        let folder = checkpoint(&file)?;
        let inventory = Inventory::read(folder.path())?;
        let names = names(&inventory);
        let wanted = names.iter().map(|name| Ok(Wanted::matrix(name, numbers(&golden, name)?.expand_dims(0)?.shape())));
        let wanted = wanted.collect::<Outcome<Vec<_>>>()?;
        let stacked = |name: &str| Some(Place::Part(name.to_owned(), 0));
        let fitted = inventory.fit(&wanted, &Quantization::default(), Surplus::Skip, stacked)?;
        let weights = Weights::read(&fitted, Dtype::Float32)?;
        let x = golden.get("x")?.expand_dims(1)?;
        for name in names {
            let experts = Experts::new(weights.matrix(&name))?;
            for sorted in [false, true] {
                let rows = experts.forward(&x, &ops::zeros_dtype(&[x.dim(0)], Dtype::Uint32)?, sorted)?;
                check_close(&name, &rows.squeeze_axes(&[1])?, golden.get(&format!("{name}.x_matmul"))?, SUM)?;
            }
        }
    }
    Ok(())
}

fn check(name: &str, matrix: &Matrix, golden: &Tensors) -> Outcome {
    let numbers = numbers(golden, name)?;
    let rows = ops::arange::<_, i32>(0, numbers.dim(0), 1)?;
    check_close(name, &Embedding::new(matrix.clone()).rows(&rows)?, numbers, NUMBER)?;
    let products = Linear::new(matrix.clone()).forward(golden.get("x")?)?;
    check_close(name, &products, golden.get(&format!("{name}.x_matmul"))?, SUM)
}

/// What a packed matrix holds, `[out, in]`.
fn numbers<'a>(golden: &'a Tensors, name: &str) -> Outcome<&'a Array> {
    golden.get(&format!("{name}.dequantized"))
}

/// The file as a checkpoint's folder.
fn checkpoint(file: &Path) -> Outcome<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    fs::copy(file, folder.path().join("model.safetensors"))?;
    Ok(folder)
}

/// Those of the packed matrices.
fn names(inventory: &Inventory) -> Vec<String> {
    inventory.tensors().keys().filter_map(|name| name.strip_suffix(".scales")).map(str::to_owned).collect()
}
