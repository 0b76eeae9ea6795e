//! A drafter learns what its target says.

use std::ops::ControlFlow;

use tests::Outcome;
use training::{Ended, Held, Settings, Trainer};

use super::lesson::{Kind, fresh, target, texts, write};

/// Trains on three short texts, whose target's distributions are taken `late` rows later, and measures on the texts as
/// they are.
fn overfit(kind: Kind, late: i32) -> Outcome<Held> {
    let model = target()?;
    let texts = texts(&model)?;
    let [learnt, measured, one, other] = [(); 4].map(|()| tempfile::tempdir());
    let (learnt, measured, one, other) = (learnt?, measured?, one?, other?);
    let settings = Settings {
        steps: 300,
        warm_up: 10,
        least_rate: 0.01,
        learning_rate: 4e-3,
        held_out: 0.0,
        measured: 48,
        measure_every: 1000,
        save_every: 1000,
        ..Settings::default()
    };
    let data = write(&model, &texts, late, learnt.path())?;
    let mut trainer = Trainer::open(model.clone(), &data, fresh(&model, kind, 1)?, settings.clone(), one.path())?;
    let before = trainer.measure()?;
    assert_eq!(trainer.run(&mut |_| ControlFlow::Continue(()))?, Ended::Done);
    let data = write(&model, &texts, 0, measured.path())?;
    let held = Trainer::open(model, &data, trainer.now(), settings, other.path())?.measure()?;
    println!("{kind:?}, {late} rows late: {before:?} became {held:?}");
    Ok(held)
}

/// Whether it proposes well at every position.
fn passes(held: &Held) -> bool {
    held.acceptance.iter().all(|&accepted| accepted >= 0.7)
}

fn check(kind: Kind) -> Outcome {
    let held = overfit(kind, 0)?;
    if passes(&held) { Ok(()) } else { Err(format!("{kind:?} learns too little: {held:?}").into()) }
}

#[test]
fn a_markov_drafter_learns_three_short_texts() -> Outcome {
    check(Kind::Markov)
}

#[test]
fn an_elman_drafter_learns_three_short_texts() -> Outcome {
    check(Kind::Elman)
}

#[test]
fn a_dflash_drafter_learns_three_short_texts() -> Outcome {
    check(Kind::DFlash)
}

#[test]
fn a_dflash_2_drafter_learns_three_short_texts() -> Outcome {
    check(Kind::DFlash2)
}

#[test]
fn a_drafter_that_learns_each_distribution_one_row_late_does_not() -> Outcome {
    let held = overfit(Kind::Markov, 1)?;
    if passes(&held) { Err(format!("it learns: {held:?}").into()) } else { Ok(()) }
}
