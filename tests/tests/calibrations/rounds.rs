//! What a calibration changes of an answer: how much is drafted, and no word.

use engine::{Calibration, Controls, Event, Fitted, Request, Round, Sampling, Scheduling, Speculation};
use tests::{Outcome, bench::Bench, tiny};

fn controls(schedule: Scheduling, gamma: Option<usize>, min_conf: Option<f32>) -> Controls {
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    Controls { schedule, gamma, min_conf, max_tokens: 40, sampling, ..Controls::default() }
}

/// The ids of an answer, its rounds, and whether a calibration scaled its confidences.
fn answer(bench: &Bench, request: Request) -> Outcome<(Vec<u32>, Vec<Round>, bool)> {
    let (mut rounds, mut ids, mut scaled) = (Vec::new(), None, false);
    for event in bench.events(request, |_, _| ())? {
        match event {
            Event::Round(round) => rounds.push(round),
            Event::End(answer) => {
                scaled = matches!(answer.speculation, Speculation::On { calibrated: true, .. });
                ids = Some(answer.ids);
            }
            _ => {}
        }
    }
    Ok((ids.ok_or("no end")?, rounds, scaled))
}

#[tokio::test]
async fn rounds_tell_both_confidences_and_the_schedule_sees_the_calibrated_one() -> Outcome {
    let bench = Bench::new().await?;
    // As sure as 0.88 of every token; half as sure of the logit it is 0.73.
    tiny::be_sure(&bench.folder(tiny::DRAFTER), 2.0)?;
    let (plain, ..) = answer(&bench, bench.request(None, controls(Scheduling::Auto, None, None)))?;
    let gate = controls(Scheduling::Gate, None, Some(0.8));
    for (calibration, drafted, told) in [
        (None, tiny::GAMMA, vec![]),
        (Some(Calibration::default()), tiny::GAMMA, vec![]),
        (Some(Calibration { temperatures: vec![1.0, 1.0, 2.0], thresholds: vec![] }), 2, vec![0.8808, 0.8808]),
        (Some(Calibration { temperatures: vec![2.0], thresholds: vec![] }), 0, vec![]),
    ] {
        let is_scaling = calibration.as_ref().is_some_and(|calibration| !calibration.is_identity());
        let request = Request { calibration, ..bench.request(Some(tiny::DRAFTER), gate.clone()) };
        let (ids, rounds, scaled) = answer(&bench, request)?;
        assert_eq!((&ids, rounds[0].proposed, scaled), (&plain, drafted, is_scaling));
        assert!(rounds[0].confidences.iter().all(|raw| (raw - 0.8808).abs() < 1e-3), "{:?}", rounds[0]);
        assert_eq!(rounds[0].calibrated.len(), told.len());
        assert!(rounds[0].calibrated.iter().zip(told).all(|(one, other)| (one - other).abs() < 1e-3));
    }
    Ok(())
}

#[tokio::test]
async fn under_every_schedule_and_both_rules_of_length_the_ids_are_those_of_plain_decoding() -> Outcome {
    let bench = Bench::new().await?;
    tiny::be_sure(&bench.folder(tiny::DRAFTER), 1.0)?;
    let sampled = Sampling { temperature: 0.9, seed: 3, ..Sampling::default() };
    let calibration = Calibration { temperatures: vec![0.5, 3.0, 0.3, 1.0], thresholds: vec![0.0, 0.74, 0.5, 0.9] };
    for sampling in [controls(Scheduling::Auto, None, None).sampling, sampled] {
        let plain = bench.request(None, Controls { sampling, ..controls(Scheduling::Auto, None, None) });
        let (plain, ..) = answer(&bench, plain)?;
        for (schedule, gamma, min_conf) in [
            (Scheduling::Auto, None, None),
            (Scheduling::Auto, Some(3), None),
            (Scheduling::Fixed, None, None),
            (Scheduling::Thresholds, None, None),
            (Scheduling::Gate, None, Some(0.6)),
            (Scheduling::Adaptive, None, None),
        ] {
            let asked = Controls { sampling, ..controls(schedule, gamma, min_conf) };
            let calibration = Some(calibration.clone());
            let request = Request { calibration, ..bench.request(Some(tiny::DRAFTER), asked) };
            assert_eq!(answer(&bench, request)?.0, plain, "{schedule:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_calibration_replaces_what_the_files_bring_and_without_one_that_holds() -> Outcome {
    let bench = Bench::new().await?;
    let folder = bench.folder(tiny::DRAFTER);
    tiny::be_sure(&folder, 2.0)?;
    // The second token is never sure enough.
    let fitted = Fitted { thresholds: vec![0.0, 1.0], temperatures: vec![2.0, 2.0], target: 0.5, samples: 1 };
    fitted.write(&folder, false)?;
    let asked = controls(Scheduling::Thresholds, None, None);
    for (calibration, drafted, scaled) in
        [(None, 1, true), (Some(Calibration { temperatures: vec![], thresholds: vec![0.0, 0.0, 0.9] }), 2, false)]
    {
        let request = Request { calibration, ..bench.request(Some(tiny::DRAFTER), asked.clone()) };
        let (_, rounds, was_scaled) = answer(&bench, request)?;
        assert_eq!((rounds[0].proposed, was_scaled), (drafted, scaled));
    }
    Ok(())
}

#[tokio::test]
async fn answers_that_share_their_rounds_see_calibrated_confidences_too() -> Outcome {
    let bench = Bench::new().await?;
    tiny::be_sure(&bench.folder(tiny::DRAFTER), 2.0)?;
    let calibration = Some(Calibration { temperatures: vec![1.0, 2.0], thresholds: vec![] });
    let gate = controls(Scheduling::Gate, None, Some(0.8));
    let request = Request { calibration, ..bench.request(Some(tiny::DRAFTER), gate) };
    let (sent, events) = std::sync::mpsc::channel();
    bench.engine.answers(vec![request.clone(), request], 2, move |_, event| drop(sent.send(event)));
    let rounds =
        events.into_iter().filter_map(|event| if let Event::Round(round) = event { Some(round) } else { None });
    let rounds = rounds.collect::<Vec<_>>();
    assert_eq!((rounds[0].proposed, rounds[1].proposed), (1, 1));
    Ok(())
}
