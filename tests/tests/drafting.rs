//! What can be asked of drafting, through the engine: every choice runs, or is refused with the reason.

use engine::{Bound, Controls, DraftSource, Event, Prompt, Request, Sampling, Scheduling, Speculation};
use tests::{Outcome, asking, bench::Bench, tiny};

fn controls(schedule: Scheduling, gamma: Option<usize>, min_conf: Option<f32>) -> Controls {
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    Controls { schedule, gamma, min_conf, max_tokens: 60, sampling, ..Controls::default() }
}

/// A request that looks up its drafts.
fn lookup(bench: &Bench, controls: Controls) -> Request {
    Request { drafter: Some(DraftSource::Lookup), ..bench.request(None, controls) }
}

#[tokio::test]
async fn lookup_needs_no_files_and_changes_no_word() -> Outcome {
    let bench = Bench::new().await?;
    let sampled = Sampling { temperature: 0.8, seed: 5, ..Sampling::default() };
    let prompt = Prompt::Raw("the quick brown fox and the quick brown fox and the quick".into());
    for sampling in [controls(Scheduling::Auto, None, None).sampling, sampled] {
        for (schedule, gamma) in [(Scheduling::Auto, None), (Scheduling::Fixed, Some(3)), (Scheduling::Adaptive, None)]
        {
            let asked = Controls { sampling, ..controls(schedule, gamma, None) };
            let request = |drafter| Request { drafter, prompt: prompt.clone(), ..bench.request(None, asked.clone()) };
            let plain = bench.answer(request(None))?;
            let drafted = bench.answer(request(Some(DraftSource::Lookup)))?;
            assert_eq!(drafted.ids, plain.ids, "{schedule:?}");
            let limit = gamma.unwrap_or(engine::lookup().limit);
            assert_eq!(drafted.speculation, Speculation::On { limit, schedule, calibrated: false });
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_text_that_repeats_itself_is_looked_up_with_success() -> Outcome {
    let bench = Bench::new().await?;
    let made =
        bench.answer(lookup(&bench, Controls { max_tokens: 200, ..controls(Scheduling::Fixed, Some(4), None) }))?;
    assert!(made.stats.accepted > 0, "greedy text of a tiny target goes in circles: {:?}", made.stats);
    assert!(made.stats.rounds < made.stats.tokens);
    Ok(())
}

#[tokio::test]
async fn a_gate_lets_through_what_is_sure_enough_or_nothing_at_all() -> Outcome {
    let bench = Bench::new().await?;
    let plain = bench.answer(bench.request(None, controls(Scheduling::Auto, None, None)))?;
    // A fresh drafter is as sure as a coin.
    for (threshold, proposed, bound) in [(0.4, tiny::GAMMA, Bound::Limit), (0.6, 0, Bound::Threshold)] {
        let asked = controls(Scheduling::Gate, None, Some(threshold));
        let events = bench.events(bench.request(Some(tiny::DRAFTER), asked), |_, _| ())?;
        let Some(Event::End(answer)) = events.last() else { return Err("no end".into()) };
        assert_eq!(answer.ids, plain.ids);
        assert_eq!(
            answer.speculation,
            Speculation::On { limit: tiny::GAMMA, schedule: Scheduling::Gate, calibrated: false }
        );
        let first = events.iter().find_map(|event| if let Event::Round(round) = event { Some(round) } else { None });
        let first = first.ok_or("no round")?;
        assert_eq!((first.proposed, first.proposed + first.cut, first.bound), (proposed, tiny::GAMMA, bound));
    }
    Ok(())
}

#[tokio::test]
async fn what_a_drafter_cannot_do_is_refused_with_the_reason() -> Outcome {
    let bench = Bench::new().await?;
    let drafted = |controls| bench.request(Some(tiny::DRAFTER), controls);
    let refused = [
        (drafted(controls(Scheduling::Gate, None, None)), "the schedule “gate” needs a threshold"),
        (drafted(controls(Scheduling::Thresholds, None, None)), "the schedule “thresholds” needs a threshold"),
        (
            lookup(&bench, controls(Scheduling::Gate, None, Some(0.5))),
            "the schedule “gate” needs a confidence in each token",
        ),
        (lookup(&bench, controls(Scheduling::Thresholds, None, None)), "the schedule “thresholds” needs a confidence"),
        (lookup(&bench, controls(Scheduling::Auto, None, Some(0.5))), "minConf needs a confidence"),
    ];
    for (request, words) in refused {
        let sentence = asking::failure(&bench.engine, request)?;
        assert!(sentence.contains(words), "{sentence}");
    }
    let unread = bench.answer(drafted(controls(Scheduling::Fixed, None, Some(0.5))))?;
    assert!(unread.notes.iter().any(|note| note.starts_with("minConf changes nothing")), "{:?}", unread.notes);
    Ok(())
}

#[tokio::test]
async fn drafts_of_which_nothing_stands_are_remarked_once_a_session() -> Outcome {
    let bench = Bench::new().await?;
    let asked = controls(Scheduling::Fixed, Some(1), None);
    let doubts = |request: Request| {
        let answer = bench.answer(request)?;
        let doubts = answer.notes.iter().filter(|note| note.starts_with("This drafter may not match the target"));
        Outcome::Ok((answer.stats.accepted, doubts.count()))
    };
    // Its weights are random.
    let (accepted, first) = doubts(bench.request(Some(tiny::DRAFTER), asked.clone()))?;
    assert_eq!((accepted, first), (0, 1));
    assert_eq!(doubts(bench.request(Some(tiny::DRAFTER), asked.clone()))?.1, 0);
    assert_eq!(doubts(lookup(&bench, asked))?.1, 0);
    Ok(())
}
