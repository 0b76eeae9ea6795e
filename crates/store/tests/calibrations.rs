//! Calibrations, what they were fitted on, and which is in force.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use store::{
    CalibrationKey, CalibrationPhase, CalibrationProgress, CalibrationPrompt, CalibrationState, NewCalibration, Store,
};

fn key(drafter: &str, thinking: bool) -> CalibrationKey {
    CalibrationKey {
        target_hash: "t".into(),
        drafter_hash: drafter.into(),
        precision: "float32".into(),
        thinking,
        machine: "m".into(),
        version: 1,
    }
}

fn prompt(number: u32) -> CalibrationPrompt {
    let (suite, prompt) = ("Chat".into(), Some("[]".into()));
    CalibrationPrompt { number, suite, held_out: number == 1, prompt, ..CalibrationPrompt::default() }
}

async fn add(store: &Store, key: &CalibrationKey) -> i64 {
    add_with(store, key, &[prompt(0), prompt(1)]).await
}

async fn add_with(store: &Store, key: &CalibrationKey, prompts: &[CalibrationPrompt]) -> i64 {
    let new = NewCalibration { target: "t", drafter: "d", key, ordered: "{}", data: "two prompts" };
    store.add_calibration(&new, prompts).await.unwrap()
}

#[tokio::test]
async fn what_is_recorded_stays_and_what_was_asked_goes_with_the_end() {
    let store = Store::in_memory().await.unwrap();
    let id = add(&store, &key("d", false)).await;
    let new = store.calibration(id).await.unwrap().unwrap();
    assert_eq!((new.progress.total, new.progress.state), (2, CalibrationState::Waiting));
    store.keep_recording(id, 1, "[1]").await.unwrap();
    store.keep_runs(id, 1, "[2]").await.unwrap();
    let (state, phase) = (CalibrationState::Paused, CalibrationPhase::Measure);
    let now = CalibrationProgress { state, phase, done: 1, total: 2 };
    store.note_calibration(id, now, Some("why")).await.unwrap();
    let noted = store.calibration(id).await.unwrap().unwrap();
    assert_eq!((noted.progress, noted.failure.as_deref()), (now, Some("why")));

    store.end_calibration(id, "{}").await.unwrap();
    let done = store.calibration(id).await.unwrap().unwrap();
    assert_eq!((done.progress.state, done.report.as_deref(), done.failure), (CalibrationState::Done, Some("{}"), None));
    let prompts = store.calibration_prompts(id).await.unwrap();
    let nothing = CalibrationPrompt { prompt: None, ..prompt(0) };
    let kept = CalibrationPrompt { prompt: None, recording: Some("[1]".into()), runs: Some("[2]".into()), ..prompt(1) };
    assert_eq!(prompts, [nothing, kept]);
    store.remove_calibration(id).await.unwrap();
    assert!(store.calibrations().await.unwrap().is_empty() && store.calibration_prompts(id).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_latest_that_was_applied_is_in_force_and_before_it_the_one_before() {
    let store = Store::in_memory().await.unwrap();
    let (one, other) = (add(&store, &key("d", false)).await, add(&store, &key("d", false)).await);
    let in_force = async |key: CalibrationKey| store.calibration_in_force(&key).await.unwrap().map(|row| row.id);
    assert!(!store.applies_calibrations().await.unwrap());
    let steps = [(one, true, Some(one)), (other, true, Some(other)), (one, true, Some(one)), (one, false, Some(other))];
    for (id, applies, expected) in steps {
        if applies { store.apply_calibration(id).await } else { store.revert_calibration(id).await }.unwrap();
        assert_eq!(in_force(key("d", false)).await, expected);
    }
    let taken_back = store.calibration(one).await.unwrap().unwrap();
    assert!(taken_back.reverted_at.unwrap() >= taken_back.applied_at.unwrap(), "that it was in force stays known");
    assert_eq!((in_force(key("d", true)).await, in_force(key("e", false)).await), (None, None));
    store.remove_calibration(other).await.unwrap();
    assert_eq!(in_force(key("d", false)).await, None);
}

#[tokio::test]
async fn a_question_goes_with_its_conversation_until_the_calibration_is_done() {
    let store = Store::in_memory().await.unwrap();
    let conversation = async || store.add_conversation("Who?").await.unwrap().id;
    let delete = async |id| {
        store.remove_conversation(id).await.unwrap();
        store.forget_conversation(id).await.unwrap();
    };
    let (early, late) = (conversation().await, conversation().await);
    let of = |number, id| CalibrationPrompt { conversation_id: Some(id), ..prompt(number) };
    let id = add_with(&store, &key("d", false), &[prompt(0), of(1, early), of(2, late)]).await;
    delete(early).await;
    assert_eq!(store.calibration_prompts(id).await.unwrap(), [prompt(0), of(2, late)]);
    store.end_calibration(id, "{}").await.unwrap();
    delete(late).await;
    assert_eq!(store.calibration_prompts(id).await.unwrap().len(), 2, "what was recorded stays");
}
