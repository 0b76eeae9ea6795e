//! Comparisons, what they asked, and what each column answered.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use store::{ComparisonAnswer, ComparisonProgress, ComparisonPrompt, ComparisonState, NewComparison, Store};

fn prompt(number: u32) -> ComparisonPrompt {
    ComparisonPrompt { number, suite: "Chat".into(), text: format!("{number}?") }
}

fn answer(prompt: u32, place: u32, record: &str) -> ComparisonAnswer {
    ComparisonAnswer { prompt, place, record: record.into(), divergence: None }
}

#[tokio::test]
async fn what_was_answered_stays_is_answered_anew_and_goes_with_its_comparison() {
    let store = Store::in_memory().await.unwrap();
    let new = NewComparison { target: "t", ordered: "{}", conditions: "{}", data: "two prompts", total: 4 };
    let id = store.add_comparison(&new, &[prompt(0), prompt(1)]).await.unwrap();
    let waiting = store.comparison(id).await.unwrap().unwrap();
    assert_eq!((waiting.progress.state, waiting.progress.total), (ComparisonState::Waiting, 4));
    assert_eq!(store.comparison_prompts(id).await.unwrap(), [prompt(0), prompt(1)]);

    for each in [answer(1, 0, "[1]"), answer(0, 1, "[2]"), answer(0, 0, "[3]")] {
        store.keep_comparison_answer(id, &each).await.unwrap();
    }
    let again = ComparisonAnswer { divergence: Some("{}".into()), ..answer(0, 1, "[4]") };
    store.keep_comparison_answer(id, &again).await.unwrap();
    assert!(store.keep_comparison_answer(id, &answer(7, 0, "[]")).await.is_err(), "there is no such prompt");
    let now = ComparisonProgress { state: ComparisonState::Paused, done: 3, total: 4 };
    store.note_comparison(id, now, Some("why")).await.unwrap();
    let noted = store.comparisons().await.unwrap().remove(0);
    assert_eq!((noted.progress, noted.failure.as_deref()), (now, Some("why")));
    assert_eq!(store.comparison_answers(id).await.unwrap(), [answer(0, 0, "[3]"), again, answer(1, 0, "[1]")]);

    store.end_comparison(id, "a draw").await.unwrap();
    let done = store.comparison(id).await.unwrap().unwrap();
    let end = ComparisonProgress { state: ComparisonState::Done, done: 4, total: 4 };
    assert_eq!((done.progress, done.failure, done.verdict.as_deref()), (end, None, Some("a draw")));
    store.remove_comparison(id).await.unwrap();
    assert!(store.comparisons().await.unwrap().is_empty());
    assert!(store.comparison_prompts(id).await.unwrap().is_empty());
    assert!(store.comparison_answers(id).await.unwrap().is_empty());
}
