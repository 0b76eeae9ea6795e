//! The engine from outside: a request goes in, events come out, and the same answer whatever is drafted.

use engine::{Controls, Event, Finish, Prompt, Request, Sampling, Scheduling, Speculation};
use tests::{Outcome, asking, bench::Bench, tiny};

fn controls(max_tokens: usize) -> Controls {
    Controls { max_tokens, sampling: Sampling { temperature: 0.0, ..Sampling::default() }, ..Controls::default() }
}

#[tokio::test]
async fn a_drafter_changes_no_word_and_the_rounds_add_up_to_the_answer() -> Outcome {
    let bench = Bench::new().await?;
    let plain = bench.answer(bench.request(None, controls(30)))?;
    let fixed = Controls { gamma: Some(tiny::GAMMA), ..controls(30) };
    let events = bench.events(bench.request(Some(tiny::DRAFTER), fixed), |_, _| ())?;
    let Some(Event::End(answer)) = events.last() else { return Err("no end".into()) };
    assert_eq!((&answer.ids, &answer.text), (&plain.ids, &plain.text));
    assert_eq!(
        answer.speculation,
        Speculation::On { limit: tiny::GAMMA, schedule: Scheduling::Fixed, calibrated: false }
    );

    let rounds = events.iter().filter_map(|event| if let Event::Round(round) = event { Some(round) } else { None });
    let (mut ids, mut text, mut raw, mut waits) = (Vec::<u32>::new(), String::new(), String::new(), 0);
    for round in rounds {
        ids.extend(&round.ids);
        text.push_str(&round.text);
        raw.push_str(&round.pieces.concat());
        assert_eq!((round.pieces.len(), round.rejected_pieces.len()), (round.ids.len(), round.rejected.len()));
        waits += round.waits;
    }
    assert_eq!((ids, raw), (answer.ids.clone(), answer.raw.clone()));
    assert!(answer.text.starts_with(&text));
    let first = answer.stats.first_token_s.ok_or("there was no first token")?;
    assert!((answer.stats.prefill_s..).contains(&first) && first.is_finite());
    assert_eq!((waits, answer.stats.waits), (answer.stats.rounds as u64, answer.stats.rounds as u64));
    Ok(())
}

#[tokio::test]
async fn gamma_zero_is_plain_decoding_and_says_so() -> Outcome {
    let bench = Bench::new().await?;
    let answer = bench.answer(bench.request(Some(tiny::DRAFTER), Controls { gamma: Some(0), ..controls(5) }))?;
    assert!(matches!(answer.speculation, Speculation::Off { reason } if reason.contains('γ')));
    assert_eq!(answer.stats.proposed, 0);
    Ok(())
}

#[tokio::test]
async fn a_stop_string_ends_the_answer_before_itself_wherever_blocks_end() -> Outcome {
    let bench = Bench::new().await?;
    let sampled = |stop: Vec<String>, seed| {
        let sampling = Sampling { temperature: 1.5, top_k: 0, top_p: 1.0, seed, ..Sampling::default() };
        Controls { stop, sampling, ..controls(40) }
    };
    for seed in 0..4 {
        let whole = bench.answer(bench.request(None, sampled(Vec::new(), seed)))?.text;
        let stop = whole.chars().skip(12).take(3).collect::<String>();
        let before = whole.split(&stop).next().unwrap_or_default();
        for drafter in [None, Some(tiny::DRAFTER)] {
            let answer = bench.answer(bench.request(drafter, sampled(vec![stop.clone()], seed)))?;
            assert_eq!((answer.text.as_str(), answer.finish), (before, Finish::StopString));
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_cancelled_answer_keeps_what_was_written() -> Outcome {
    let bench = Bench::new().await?;
    let mut events = bench.events(bench.request(Some(tiny::DRAFTER), controls(100_000)), |event, cancel| {
        if matches!(event, Event::Round(_)) {
            cancel.cancel();
        }
    })?;
    let Some(Event::End(answer)) = events.pop() else { return Err("no end".into()) };
    assert_eq!(answer.finish, Finish::Cancelled);
    assert!(!answer.ids.is_empty() && answer.ids.len() < 100_000);
    Ok(())
}

#[tokio::test]
async fn a_cancelled_prompt_stops_between_two_chunks() -> Outcome {
    let bench = Bench::new().await?;
    let request = Request { prompt: Prompt::Raw("long ".repeat(500)), ..bench.request(None, controls(5)) };
    let mut events = bench.events(request, |event, cancel| {
        if matches!(event, Event::Prefill { .. }) {
            cancel.cancel();
        }
    })?;
    let Some(Event::End(answer)) = events.pop() else { return Err("no end".into()) };
    assert_eq!((answer.finish, answer.ids.len()), (Finish::Cancelled, 0));
    Ok(())
}

#[tokio::test]
async fn what_cannot_run_is_refused_and_the_engine_goes_on() -> Outcome {
    let bench = Bench::new().await?;
    let refused = [
        (Request { target: bench.folder("nowhere"), ..bench.request(None, controls(5)) }, "there is no folder"),
        (Request { target: bench.folder(tiny::DRAFTER), ..bench.request(None, controls(5)) }, "config.json"),
        (bench.request(Some(tiny::TARGET), controls(5)), "holds no drafter"),
    ];
    for (request, words) in refused {
        let sentence = asking::failure(&bench.engine, request)?;
        assert!(sentence.contains(words), "{sentence}");
    }
    assert_eq!(bench.answer(bench.request(Some(tiny::DRAFTER), controls(5)))?.ids.len(), 5);
    Ok(())
}

#[tokio::test]
async fn a_control_that_means_nothing_is_refused_and_one_that_is_too_large_is_cut_with_a_note() -> Outcome {
    let bench = Bench::new().await?;
    let sampling = |change: fn(&mut Sampling)| {
        let mut controls = controls(3);
        change(&mut controls.sampling);
        controls
    };
    let refused = [
        (sampling(|s| s.temperature = -1.0), "the temperature is -1"),
        (sampling(|s| s.temperature = f32::NAN), "the temperature is NaN"),
        (sampling(|s| s.top_p = 5.0), "top-p is 5"),
        (sampling(|s| s.min_p = -0.5), "min-p is -0.5"),
        (sampling(|s| s.penalties.repetition = 0.0), "the repetition penalty is 0; it must be between 0.01 and 100"),
        (sampling(|s| s.penalties.presence = f32::NAN), "the presence penalty is NaN"),
        (sampling(|s| s.penalties.frequency = 1e9), "the frequency penalty is 1000000000"),
        (Controls { min_conf: Some(7.0), ..controls(3) }, "minConf is 7"),
    ];
    for (controls, words) in refused {
        let sentence = asking::failure(&bench.engine, bench.request(None, controls))?;
        assert!(sentence.contains(words), "{sentence}");
    }
    let answer = bench.answer(bench.request(Some(tiny::DRAFTER), Controls { gamma: Some(50), ..controls(3) }))?;
    assert_eq!(
        answer.speculation,
        Speculation::On { limit: tiny::GAMMA, schedule: Scheduling::Fixed, calibrated: false }
    );
    assert!(answer.notes.iter().any(|note| note.contains("γ 50") && note.contains("4 tokens a round")));
    Ok(())
}

#[tokio::test]
async fn a_prompt_that_leaves_no_room_is_refused_before_it_is_read() -> Outcome {
    let bench = Bench::new().await?;
    let request = Request { prompt: Prompt::Raw("long ".repeat(400_000)), ..bench.request(None, controls(5)) };
    let mut events = bench.events(request, |_, _| ())?;
    let Some(Event::Failed(error)) = events.pop() else { return Err("it was accepted".into()) };
    assert!(error.to_string().contains("the context holds 1048576"), "{error}");
    assert!(events.iter().all(|event| matches!(event, Event::Loading { .. })));
    Ok(())
}

#[tokio::test]
async fn a_tiny_top_p_still_draws_the_likeliest_token() -> Outcome {
    let bench = Bench::new().await?;
    let greedy = bench.answer(bench.request(None, controls(12)))?.ids;
    for top_p in [0.0, 1e-8, 1e-3] {
        let sampling = Sampling { temperature: 1.0, top_p, top_k: 0, ..Sampling::default() };
        let answer = bench.answer(bench.request(Some(tiny::DRAFTER), Controls { sampling, ..controls(12) }))?;
        assert_eq!(answer.ids, greedy);
    }
    Ok(())
}
