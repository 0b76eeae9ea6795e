//! A target learns from nothing.

use std::path::Path;

use gemma4::Config;
use mlx_rs::{Array, ops};
use tests::{Outcome, fixtures, random::Random, tensors::check_close};
use training::{Settings, TargetTrainer, Text};

fn open(folder: &Path, steps: usize) -> Outcome<TargetTrainer> {
    let config = Config::read(&fixtures::path("gemma4/31b-dense"))?;
    let settings = Settings { steps, warm_up: 2, learning_rate: 1e-2, save_every: 4, ..Settings::default() };
    Ok(TargetTrainer::open(config, settings, folder)?)
}

/// Three texts longer than the window, of which the second half is to be said.
fn texts() -> Vec<Text> {
    let text = |seed: u32| Text { ids: Random::new(seed).ids(14, 200), said: (0..14).map(|at| at >= 7).collect() };
    (1..4).map(text).collect()
}

#[test]
fn gradients_of_its_loss_agree_with_differences_in_every_parameter() -> Outcome {
    let folder = tempfile::tempdir()?;
    let (mut trainer, texts) = (open(folder.path(), 1)?, texts());
    let (loss, gradients) = trainer.gradients(&texts)?;
    assert!((loss.item_exact::<f32>() - trainer.loss(&texts)?).abs() < 1e-5);
    let (names, parameters) =
        trainer.parameters().map(|(name, array)| (name.to_owned(), array.clone())).unzip::<_, _, Vec<_>, Vec<_>>();
    for (number, gradient) in gradients.iter().enumerate() {
        // Along its own gradient a parameter's slope is the gradient's length.
        let length = ops::sqrt(ops::square(gradient)?.sum(None)?)?.item_exact::<f32>();
        assert!(length > 1e-6, "{} has no gradient", names[number]);
        let step = 2e-3 * ops::sqrt(ops::square(&parameters[number])?.sum(None)?)?.item_exact::<f32>();
        let mut ends = Vec::new();
        for by in [step, -step] {
            let mut moved = parameters.clone();
            moved[number] = moved[number].add(gradient.multiply(Array::from_f32(by / length))?)?;
            trainer = trainer.with(moved);
            ends.push(f64::from(trainer.loss(&texts)?));
        }
        let (slope, wanted) = ((ends[0] - ends[1]) / (2.0 * f64::from(step)), f64::from(length));
        assert!((slope - wanted).abs() < 0.05 * wanted + 1e-3, "{} rises by {slope}, not {wanted}", names[number]);
    }
    Ok(())
}

#[test]
fn it_learns_to_say_what_it_is_taught_and_goes_on_after_an_interruption_as_if_nothing_had_happened() -> Outcome {
    let (unbroken, broken, texts) = (tempfile::tempdir()?, tempfile::tempdir()?, texts());
    let mut one = open(unbroken.path(), 40)?;
    while !one.done() {
        one.learn(&texts)?;
    }
    let loss = one.loss(&texts)?;
    assert!(loss < 0.5, "{loss}");

    let mut other = open(broken.path(), 40)?;
    for _ in 0..14 {
        other.learn(&texts)?;
    }
    let mut other = open(broken.path(), 40)?;
    assert_eq!(other.step(), 12, "that far it was saved");
    while !other.done() {
        other.learn(&texts)?;
    }
    for ((name, found), (_, wanted)) in other.parameters().zip(one.parameters()) {
        check_close(name, found, wanted, 0.0)?;
    }
    Ok(())
}
