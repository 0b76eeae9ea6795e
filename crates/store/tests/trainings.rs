//! Trainings and their curves.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use store::{Error, Store, TrainingPoint, TrainingProgress, TrainingState};

fn point(step: u32, loss: Option<f64>, tokens_per_round: Option<f64>, best: bool) -> TrainingPoint {
    TrainingPoint { step, loss, tokens_per_round, best }
}

#[tokio::test]
async fn a_name_is_promised_once_until_its_training_is_over() {
    let store = Store::in_memory().await.unwrap();
    let first = store.add_training("mine", "{}", "four prompts").await.unwrap();
    assert!(matches!(store.add_training("Mine", "{}", "").await, Err(Error::IdTaken(name)) if name == "Mine"));
    assert!(matches!(store.add_training("not mine", "{}", "").await, Err(Error::BadId(_))));
    store.set_training(first.id, TrainingState::Failed, Some("why"), None).await.unwrap();
    assert!(store.add_training("mine", "{}", "").await.is_err(), "what failed may go on");
    store.set_training(first.id, TrainingState::Stopped, None, None).await.unwrap();
    let second = store.add_training("mine", "{}", "").await.unwrap();
    let all = store.trainings().await.unwrap();
    assert_eq!(all.iter().map(|training| training.id).collect::<Vec<_>>(), [second.id, first.id]);
}

#[tokio::test]
async fn a_curve_is_in_order_and_what_is_taught_again_is_overwritten() {
    let store = Store::in_memory().await.unwrap();
    let id = store.add_training("mine", "{}", "").await.unwrap().id;
    let points =
        [point(0, None, Some(1.0), true), point(20, Some(3.0), None, false), point(10, Some(4.0), None, false)];
    for point in points {
        store.add_training_point(id, point).await.unwrap();
    }
    store.add_training_point(id, point(20, None, Some(1.5), true)).await.unwrap();
    store.add_training_point(id, point(10, Some(3.5), None, false)).await.unwrap();
    let curve = store.training_points(id).await.unwrap();
    assert_eq!(
        curve,
        [point(0, None, Some(1.0), true), point(10, Some(3.5), None, false), point(20, Some(3.0), Some(1.5), true)]
    );
    store.remove_training(id).await.unwrap();
    assert!(store.training(id).await.unwrap().is_none() && store.training_points(id).await.unwrap().is_empty());
}

#[tokio::test]
async fn progress_outlives_the_run_and_clears_an_earlier_failure() {
    let store = Store::in_memory().await.unwrap();
    let id = store.add_training("mine", "{}", "").await.unwrap().id;
    store.set_training(id, TrainingState::Failed, Some("why"), None).await.unwrap();
    let progress =
        TrainingProgress { state: TrainingState::Training, answers_done: 4, answers_of: 4, step: 7, steps: 9 };
    store.note_training(id, progress).await.unwrap();
    let row = store.training(id).await.unwrap().unwrap();
    assert_eq!((row.state, row.failure, row.step, row.steps), (TrainingState::Training, None, 7, 9));
}

#[tokio::test]
async fn one_that_is_over_begins_anew_unless_another_has_its_name_by_now() {
    let store = Store::in_memory().await.unwrap();
    let id = store.add_training("mine", "{}", "").await.unwrap().id;
    store.add_training_point(id, point(0, None, Some(1.0), true)).await.unwrap();
    store.set_training(id, TrainingState::Done, Some("why"), None).await.unwrap();
    let other = store.add_training("mine", "{}", "").await.unwrap().id;
    assert!(matches!(store.reopen_training(id, "[]").await, Err(Error::IdTaken(_))));
    store.remove_training(other).await.unwrap();
    store.reopen_training(id, "[]").await.unwrap();
    let row = store.training(id).await.unwrap().unwrap();
    assert_eq!((row.state, row.failure, row.ordered.as_str()), (TrainingState::Paused, None, "[]"));
    assert!(store.training_points(id).await.unwrap().is_empty());
}
