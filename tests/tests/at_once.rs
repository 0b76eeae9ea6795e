//! Several answers at once, from outside: each is the one that it is by itself, and each ends on its own.

use engine::{Controls, DraftSource, Event, Finish, Prompt, Request, Sampling, Scheduling, Speculation};
use tests::{Outcome, asking, bench::Bench, tiny};

/// Prompts and budgets of different lengths.
fn requests(bench: &Bench, drafter: Option<&str>) -> Vec<Request> {
    let request = |(number, words): (u32, &str)| {
        let sampling = Sampling { temperature: 1.5, seed: number.into(), ..Sampling::default() };
        let controls = Controls { max_tokens: 8 + 5 * (number as usize % 3), sampling, ..Controls::default() };
        Request { prompt: Prompt::Raw(words.into()), ..bench.request(drafter, controls) }
    };
    let words = ["the quick brown fox", "a", "jumps over the lazy dog, and over the fence behind it", "one two", "z"];
    (0..).zip(words).map(request).collect()
}

fn ended(events: &[Event]) -> Outcome<&engine::Answer> {
    match events.last() {
        Some(Event::End(answer)) => Ok(answer),
        other => Err(format!("it ends with {other:?}").into()),
    }
}

#[tokio::test]
async fn each_of_several_answers_is_the_one_that_it_is_by_itself() -> Outcome {
    let bench = Bench::new().await?;
    for drafter in [None, Some(tiny::DRAFTER)] {
        for at_once in [1, 2, 3, 9] {
            let all = asking::events_of_all(&bench.engine, requests(&bench, drafter), at_once, |_, _, _| ())?;
            for (events, request) in all.iter().zip(requests(&bench, drafter)) {
                let (together, alone) = (ended(events)?, bench.answer(request)?);
                assert_eq!((&together.ids, &together.text), (&alone.ids, &alone.text));
                assert_eq!((together.finish, together.stats.tokens), (alone.finish, alone.stats.tokens));
                assert_eq!(together.stats.proposed > 0, drafter.is_some(), "{at_once} at once");
                let rounds = events.iter().filter(|event| matches!(event, Event::Round(_))).count();
                assert_eq!(rounds, together.stats.rounds);
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_is_left_to_the_machine_follows_the_drafts_that_stood() -> Outcome {
    let bench = Bench::new().await?;
    let requests = requests(&bench, Some(tiny::DRAFTER));
    for events in &asking::events_of_all(&bench.engine, requests, 2, |_, _, _| ())? {
        let answer = ended(events)?;
        assert_eq!(
            answer.speculation,
            Speculation::On { limit: tiny::GAMMA, schedule: Scheduling::Adaptive, calibrated: false }
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_request_that_cannot_be_met_fails_alone() -> Outcome {
    let bench = Bench::new().await?;
    let mut requests = requests(&bench, Some(tiny::DRAFTER));
    requests[1].controls.sampling.top_p = 2.0;
    requests[2].drafter = Some(DraftSource::Lookup);
    let all = asking::events_of_all(&bench.engine, requests, 2, |_, _, _| ())?;
    let failures = all.iter().map(|events| match events.last() {
        Some(Event::Failed(error)) => Some(error.to_string()),
        _ => None,
    });
    let failures = failures.collect::<Vec<_>>();
    assert!(failures[1].as_ref().is_some_and(|why| why.starts_with("top-p is 2")), "{failures:?}");
    assert!(failures[2].as_ref().is_some_and(|why| why.contains("the same target, drafter")), "{failures:?}");
    assert_eq!([0, 3, 4].map(|number| failures[number].clone()), [None, None, None]);
    Ok(())
}

#[tokio::test]
async fn stopping_stops_those_that_are_made_and_those_that_wait() -> Outcome {
    let bench = Bench::new().await?;
    let mut requests = requests(&bench, Some(tiny::DRAFTER));
    for request in &mut requests {
        request.controls.max_tokens = 100_000;
    }
    let all = asking::events_of_all(&bench.engine, requests, 2, |_, event, cancel| {
        if matches!(event, Event::Round(_)) {
            cancel.cancel();
        }
    })?;
    for events in &all {
        assert_eq!(ended(events)?.finish, Finish::Cancelled);
    }
    assert!(!ended(&all[0])?.ids.is_empty() && ended(&all[4])?.ids.is_empty());
    Ok(())
}
