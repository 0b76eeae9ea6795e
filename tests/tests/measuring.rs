//! Where nobody knows what rounds cost, the engine tries some before the first: once, and without a trace in the text.

use engine::{Answer, Controls, Cost, Engine, Penalties, Request, Sampling};
use tests::{Outcome, asking, bench::Bench, tiny};

fn controls(sampling: Sampling) -> Controls {
    Controls { max_tokens: 30, sampling, ..Controls::default() }
}

fn greedy() -> Sampling {
    Sampling { temperature: 0.0, ..Sampling::default() }
}

fn measured(answer: &Answer) -> bool {
    answer.stats.measuring_s > 0.0
}

#[tokio::test]
async fn what_is_tried_changes_no_word() -> Outcome {
    let hot = Sampling { temperature: 2.0, top_k: 0, top_p: 1.0, seed: 7, ..Sampling::default() };
    let penalties = Penalties { repetition: 1.3, frequency: 0.5, ..Penalties::default() };
    for sampling in [greedy(), hot, Sampling { penalties, ..hot }, Sampling { penalties, ..greedy() }] {
        let bench = Bench::new().await?;
        let drafted = bench.answer(bench.request(Some(tiny::DRAFTER), controls(sampling)))?;
        assert!(drafted.cost.knows(0, tiny::GAMMA, true) && measured(&drafted));
        assert_eq!(drafted.ids, bench.answer(bench.request(None, controls(sampling)))?.ids);
    }
    Ok(())
}

#[tokio::test]
async fn what_is_known_is_not_measured_again() -> Outcome {
    let bench = Bench::new().await?;
    let request = || bench.request(Some(tiny::DRAFTER), controls(greedy()));
    let first = bench.answer(request())?;
    assert!(!measured(&bench.answer(request())?));

    let told = Request { cost: first.cost, ..request() };
    assert!(!measured(&asking::answer(&Engine::start(), told)?));
    assert!(measured(&asking::answer(&Engine::start(), request())?));
    Ok(())
}

#[tokio::test]
async fn where_the_user_settled_the_length_only_a_plain_step_is_tried_to_compare_with() -> Outcome {
    let bench = Bench::new().await?;
    let fixed = Controls { gamma: Some(2), ..controls(greedy()) };
    let answer = bench.answer(bench.request(Some(tiny::DRAFTER), fixed.clone()))?;
    assert!(measured(&answer) && answer.stats.plain_step_s.is_some());
    assert!(!measured(&bench.answer(bench.request(Some(tiny::DRAFTER), fixed))?));
    assert!(!measured(&bench.answer(bench.request(None, controls(greedy())))?));
    Ok(())
}

#[tokio::test]
async fn a_loss_that_the_user_chose_is_told_with_its_numbers_and_only_of_the_answer_that_lost() -> Outcome {
    let bench = Bench::new().await?;
    // Beside a plain step of a nanosecond everything loses.
    let cost: Cost = serde_json::from_str(r#"{ "contexts": [{ "verify": [[1e-9]] }] }"#)?;
    let request = |max_tokens| {
        let fixed = Controls { gamma: Some(tiny::GAMMA), max_tokens, ..controls(greedy()) };
        Request { cost: cost.clone(), ..bench.request(Some(tiny::DRAFTER), fixed) }
    };
    let tells = |answer: &Answer| answer.notes.iter().any(|note| note.starts_with("Drafting loses time: after "));
    assert!(tells(&bench.answer(request(60))?));
    assert!(!tells(&bench.answer(request(3))?));
    Ok(())
}
