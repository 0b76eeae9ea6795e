//! A training that is interrupted goes on as if nothing had happened.

use std::{fs, ops::ControlFlow, path::Path};

use drafters::Trainable;
use tests::{Outcome, tensors::check_close};
use training::{Ended, Event, Settings, Trainer};

use super::lesson::{Kind, fresh, target, texts, write};

fn settings() -> Settings {
    Settings {
        steps: 17,
        warm_up: 4,
        held_out: 0.3,
        measured: 6,
        measure_every: 6,
        save_every: 5,
        ..Settings::default()
    }
}

fn same(one: &Trainable, other: &Trainable) -> Outcome {
    for ((name, found), (_, wanted)) in one.parameters().iter().zip(other.parameters()) {
        check_close(name, found, wanted, 0.0)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Outcome {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

#[test]
fn a_training_that_is_killed_or_stopped_ends_with_the_numbers_of_an_unbroken_one() -> Outcome {
    let model = target()?;
    let [shards, unbroken, killed, stopped] = [(); 4].map(|()| tempfile::tempdir());
    let (shards, unbroken, killed, stopped) = (shards?, unbroken?, killed?, stopped?);
    let data = write(&model, &texts(&model)?, 0, shards.path())?;
    let start = fresh(&model, Kind::Markov, 2)?;
    let open = |folder: &Path| Trainer::open(model.clone(), &data, start.clone(), settings(), folder);

    // What lies in the folder at step 13 is what is left if the program dies there.
    let mut whole = open(unbroken.path())?;
    let mut watch = |event: &Event| {
        if matches!(event, Event::Step { step: 13, .. }) {
            copy(unbroken.path(), killed.path()).expect("the folder can be copied");
        }
        ControlFlow::Continue(())
    };
    assert_eq!(whole.run(&mut watch)?, Ended::Done);

    let mut again = open(killed.path())?;
    assert_eq!(again.step(), 12);
    assert_eq!(again.run(&mut |_| ControlFlow::Continue(()))?, Ended::Done);
    same(&again.now(), &whole.now())?;
    same(&again.best()?, &whole.best()?)?;

    let mut stop = |event: &Event| {
        if matches!(event, Event::Step { step: 7, .. }) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert_eq!(open(stopped.path())?.run(&mut stop)?, Ended::Stopped);
    let mut on = open(stopped.path())?;
    assert_eq!(on.step(), 7);
    assert_eq!(on.run(&mut |_| ControlFlow::Continue(()))?, Ended::Done);
    same(&on.now(), &whole.now())?;
    same(&on.best()?, &whole.best()?)
}

#[test]
fn a_training_does_not_go_on_with_other_settings() -> Outcome {
    let model = target()?;
    let [shards, folder] = [(); 2].map(|()| tempfile::tempdir());
    let (shards, folder) = (shards?, folder?);
    let data = write(&model, &texts(&model)?, 0, shards.path())?;
    let start = fresh(&model, Kind::Markov, 2)?;
    let short = Settings { steps: 1, ..settings() };
    Trainer::open(model.clone(), &data, start.clone(), short, folder.path())?
        .run(&mut |_| ControlFlow::Continue(()))?;
    let refused = Trainer::open(model, &data, start, settings(), folder.path()).err().ok_or("it went on")?;
    assert!(refused.to_string().contains("was started with other settings"), "{refused}");
    Ok(())
}
