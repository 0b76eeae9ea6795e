//! The crown: whatever is drafted, the emitted ids are those of plain decoding; under the ratio rule their
//! distribution is.
//!
//! Greedily the tiny targets repeat themselves, and a text that repeats itself hides a row in the wrong place. So most
//! of this is shown on sampled texts in which the ids differ.

use std::collections::BTreeSet;

use calibration::Calibration;
use decode::{Bound, Finish, Fixed, Limits, Provenance, Schedule, Thresholds, Turn};
use gemma4::Model;
use mlx_rs::{Array, Dtype, ops, ops::indexing::IndexOp};
use nn::{Cache, Rule, Sampling, Vocabulary};
use tests::{
    Outcome,
    clocked::Clocked,
    decoding::{Made, Setup},
    fixtures,
    oracle::Oracle,
    random::Random,
    schedules::Plan,
    tensors::check_close,
};

/// Longer than the fixtures' window of 8 more than twice over.
const TOKENS: usize = 20;

/// Whether the proposal for a position of the sequence, made from an anchor at another, is wrong.
type Wrong = fn(usize, usize) -> bool;

/// What is wrong, and how many tokens are proposed at most.
const PATTERNS: [(usize, Wrong); 6] = [
    (1, |_, _| false),
    (6, |_, _| false),
    (3, |_, _| true),
    (6, |_, at| at % 3 == 0),
    (3, |anchor, at| at - anchor == 3),
    (5, |anchor, at| (anchor * 7 + at * 5) % 11 < 3),
];

/// One prompt that is a single token, one shorter than the window, one longer.
fn prompts() -> [Vec<u32>; 3] {
    let long = (0..23).map(|i| (i * 37 + 11) % 250 + 3).collect::<Vec<_>>();
    [vec![2], [&[2], &long[..4]].concat(), [&[2], &long[..]].concat()]
}

fn setup(target: &str) -> Outcome<Setup> {
    Setup::greedy(&fixtures::path(target), TOKENS)
}

/// Hot enough for texts that do not repeat themselves, and coupled.
fn hot(temperature: f32, seed: u64) -> Sampling {
    Sampling { temperature, top_p: 1.0, top_k: 0, seed, ..Sampling::default() }
}

/// A target, a prompt, and a plain answer whose first 14 ids, two blocks of seven, are all different.
fn different() -> Outcome<(Setup, Vec<u32>, Vec<u32>)> {
    let setup = setup("gemma4/31b-dense")?.sampled(hot(3.0, 4));
    let [_, prompt, _] = prompts();
    let plain = setup.plain(&prompt)?.ids;
    assert_eq!(plain[..14].iter().collect::<BTreeSet<_>>().len(), 14, "{plain:?}");
    Ok((setup, prompt, plain))
}

#[test]
fn greedy_ids_are_those_of_plain_decoding_whatever_is_drafted_and_cut() -> Outcome {
    for target in fixtures::originals("gemma4")? {
        let setup = Setup::greedy(&target, 10)?;
        check_whatever_is_drafted(&setup, 1, &texts(&setup)?)?;
    }
    Ok(())
}

#[test]
fn coupled_sampling_gives_the_ids_of_plain_sampling_whatever_is_drafted_and_cut() -> Outcome {
    for target in fixtures::originals("gemma4")? {
        println!("{}", target.display());
        let (setup, texts) = lively(&Setup::greedy(&target, TOKENS)?)?;
        check_whatever_is_drafted(&setup, 2, &texts)?;
    }
    Ok(())
}

/// The plain answers to all prompts.
fn texts(setup: &Setup) -> Outcome<Vec<Vec<u32>>> {
    prompts().iter().map(|prompt| Ok(setup.plain(prompt)?.ids)).collect()
}

/// The target with a seed with which at least half of the ids of each answer are different, and these answers.
fn lively(greedy: &Setup) -> Outcome<(Setup, Vec<Vec<u32>>)> {
    for seed in 0..20 {
        let setup = greedy.sampled(hot(3.0, seed));
        let texts = texts(&setup)?;
        if texts.iter().all(|text| text.iter().collect::<BTreeSet<_>>().len() >= TOKENS / 2) {
            return Ok((setup, texts));
        }
    }
    Err("its answers repeat themselves whatever the seed".into())
}

/// Two fresh drafters and an oracle with every pattern, under every schedule, calibrated or not.
fn check_whatever_is_drafted(setup: &Setup, seed: u32, texts: &[Vec<u32>]) -> Outcome {
    let scaling = Calibration { temperatures: vec![0.5, 3.0, 0.3, 1.0, 2.0, 0.7], ..Calibration::default() };
    let calibrations = [Calibration::default(), scaling];
    let drafters = [setup.fresh_drafter(6, false, seed)?, setup.fresh_drafter(3, true, seed)?];
    for (turn, (prompt, plain)) in prompts().iter().zip(texts).enumerate() {
        for (drafter, plan) in drafters.iter().cycle().zip(Plan::ALL) {
            assert_eq!(setup.drafted(prompt, drafter, &mut *plan.schedule(6))?.ids, *plain, "{plan:?}");
        }
        for (number, (limit, wrong)) in PATTERNS.into_iter().enumerate() {
            // Each schedule meets each pattern behind one of two prompts; all behind all would take minutes.
            for plan in Plan::ALL.into_iter().skip((number + turn) % 2).step_by(2) {
                let mut schedule = plan.schedule(limit);
                let mut schedule = calibrations[usize::from((number + turn) % 4 > 1)].over(&mut *schedule);
                assert_eq!(oracle(setup, prompt, plain, limit, wrong, &mut schedule)?.ids, *plain);
            }
        }
    }
    Ok(())
}

/// Decodes with an oracle that knows the answer `plain`. It must have been given every row before the last anchor.
fn oracle(
    setup: &Setup,
    prompt: &[u32],
    plain: &[u32],
    limit: usize,
    wrong: Wrong,
    schedule: &mut dyn Schedule,
) -> Outcome<Made> {
    let sequence = [prompt, plain].concat();
    let mut oracle = Oracle { sequence: &sequence, limit, wrong: &wrong, rows: 0 };
    let made = setup.run(prompt, Some(&mut oracle), &[0], schedule)?;
    assert_eq!(oracle.rows, prompt.len() - 1 + made.ids.len());
    Ok(made)
}

#[test]
fn rows_behind_any_rollback_are_those_of_one_fresh_pass() -> Outcome {
    for folder in fixtures::originals("gemma4")? {
        let model = Model::load(&folder, Some(Dtype::Float32))?;
        for (prompt, seed) in [1, 3, 7, 8, 9, 16, 23, 30].into_iter().zip(1..) {
            check_rollback(&model, prompt, seed)?;
        }
        // Where the caches' first allotment of rows ends.
        check_rollback(&model, 500, 9)?;
    }
    Ok(())
}

/// Random blocks of one to seven rows behind a random prompt, of each of which a random part is kept: every row that
/// stays, and the one after the last, gives the logits of one pass over all rows that stayed.
fn check_rollback(model: &Model, prompt: usize, seed: u32) -> Outcome {
    let size = usize::try_from(model.size())?;
    let mut random = Random::new(seed);
    let mut trial = Trial { model, caches: model.caches(), kept: Vec::new(), logits: Vec::new() };
    trial.pass(&random.ids(1, size), 1)?;
    if prompt > 1 {
        trial.pass(&random.ids(prompt - 1, size), prompt - 1)?;
    }
    while trial.kept.len() < prompt + 24 {
        let rows = 1 + random.below(7);
        trial.pass(&random.ids(rows, size), random.below(rows + 1))?;
    }
    trial.pass(&random.ids(1, size), 1)?;
    let whole = Array::from_slice(&trial.kept, &[1, i32::try_from(trial.kept.len())?]);
    let rows = model.forward(&whole, &mut model.caches(), &[])?;
    let pieces = ops::concatenate(&trial.logits, 1)?;
    check_close(&format!("seed {seed}, prompt of {prompt}"), &pieces, &model.logits(&rows.normed)?, 2e-4)
}

/// A sequence in the making, of whose passes only a part is kept.
struct Trial<'a> {
    model: &'a Model,
    caches: Vec<Cache>,
    kept: Vec<u32>,
    logits: Vec<Array>,
}

impl Trial<'_> {
    fn pass(&mut self, ids: &[u32], keep: usize) -> Outcome {
        let block = Array::from_slice(ids, &[1, i32::try_from(ids.len())?]);
        let rows = self.model.forward(&block, &mut self.caches, &[])?;
        self.caches.iter_mut().try_for_each(|cache| cache.commit(keep))?;
        self.kept.extend(&ids[..keep]);
        if keep > 0 {
            self.logits.push(self.model.logits(&rows.normed)?.index((.., ..i32::try_from(keep)?, ..)));
        }
        Ok(())
    }
}

#[test]
fn parking_and_resuming_in_the_middle_of_an_answer_changes_no_token() -> Outcome {
    let long = setup("gemma4/31b-dense")?.limited(Limits { max_tokens: 120, ..Limits::default() });
    let [_, prompt, _] = prompts();
    for setup in [long.clone(), long.sampled(hot(2.0, 3))] {
        let plain = setup.plain(&prompt)?.ids;
        // Those that always draft; the others would leave it to chance when the clock is looked at.
        for inner in [Plan::Fixed, Plan::Thresholds, Plan::Adaptive] {
            // A little too slow at first, then quick.
            let steps =
                |round, tokens| f64::from(u8::try_from(tokens).unwrap_or(0)) + if round < 12 { 0.05 } else { -0.5 };
            let mut clocked = Clocked::new(inner.schedule(6), &steps);
            let made = oracle(&setup, &prompt, &plain, 6, |_, at| at % 4 == 0, &mut clocked)?;
            assert_eq!(made.ids, plain);
            assert!(matches!(clocked.turns[..2], [Turn::Parked { .. }, Turn::Resumed { .. }]), "{:?}", clocked.turns);
        }
    }
    Ok(())
}

#[test]
fn a_round_says_what_kept_its_draft_from_being_longer() -> Outcome {
    let (setup, prompt, plain) = different()?;
    let bounds = |schedule: &mut dyn Schedule| {
        let made = oracle(&setup, &prompt, &plain, 6, |_, at| at % 5 == 0, schedule)?;
        Ok::<_, Box<dyn std::error::Error>>(made.rounds.iter().map(|(round, _)| round.bound).collect::<Vec<_>>())
    };
    let fixed = bounds(&mut Fixed(2))?;
    assert_eq!((fixed[0], fixed.last()), (Bound::Limit, Some(&Bound::Budget)));
    for (plan, wanted) in [
        (Plan::Thresholds, Bound::Threshold),
        (Plan::Gate, Bound::Threshold),
        (Plan::Adaptive, Bound::Acceptance),
        (Plan::Confident, Bound::Cost),
    ] {
        assert!(bounds(&mut *plan.schedule(6))?.contains(&wanted), "{plan:?}");
    }
    Ok(())
}

#[test]
fn everything_accepted_yields_limit_plus_one_tokens_a_round() -> Outcome {
    let (setup, prompt, plain) = different()?;
    let made = oracle(&setup, &prompt, &plain, 4, |_, _| false, &mut Fixed(4))?;
    assert_eq!(made.stats.tokens_per_round(), Some(5.0));
    assert_eq!(made.stats.accepted_at, [4, 4, 4, 4]);
    Ok(())
}

#[test]
fn a_round_waits_once_and_once_more_where_confidence_prunes() -> Outcome {
    const MODES: [(&str, f32, Rule, bool, u64); 6] = [
        ("greedy, fixed", 0.0, Rule::Coupled, false, 1),
        ("coupled, fixed", 2.0, Rule::Coupled, false, 1),
        ("ratio, fixed", 2.0, Rule::Ratio, false, 1),
        ("greedy, pruned by confidence", 0.0, Rule::Coupled, true, 2),
        ("coupled, pruned by confidence", 2.0, Rule::Coupled, true, 2),
        ("ratio, pruned by confidence", 2.0, Rule::Ratio, true, 2),
    ];
    let greedy = setup("gemma4/gemma3-text")?;
    println!("{:30} waits a round", "mode");
    for (mode, temperature, rule, pruned, wanted) in MODES {
        check_waits(&greedy.sampled(Sampling { temperature, rule, ..Sampling::default() }), pruned, wanted)?;
        println!("{mode:30} {wanted}");
    }
    Ok(())
}

/// Each round that drafts waits `wanted` times, and each other round once, the last of an answer for instance.
fn check_waits(setup: &Setup, pruned: bool, wanted: u64) -> Outcome {
    let prompt = &prompts()[2];
    for recurrent in [false, true] {
        let mut schedule = if pruned { Plan::Thresholds } else { Plan::Fixed }.schedule(5);
        let made = setup.drafted(prompt, &setup.fresh_drafter(5, recurrent, 3)?, &mut *schedule)?;
        let (drafting, plain) = made.rounds.iter().partition::<Vec<_>, _>(|(round, _)| round.proposed + round.cut > 0);
        assert!(drafting.len() > 1);
        assert!(drafting.iter().all(|(_, waits)| *waits == wanted), "{drafting:?}");
        assert!(plain.iter().all(|(_, waits)| *waits == 1), "{plain:?}");
    }
    let plain = setup.plain(prompt)?;
    assert_eq!(plain.waits, plain.stats.rounds as u64);
    Ok(())
}

#[test]
fn a_stop_token_ends_the_answer_wherever_it_stands_in_a_block() -> Outcome {
    check_stops(|_, _| false, 7, Provenance::Bonus)
}

#[test]
fn a_stop_token_ends_the_answer_in_place_of_a_rejected_one_too() -> Outcome {
    check_stops(|anchor, at| at - anchor == 4, 4, Provenance::Resampled)
}

/// Makes each of the first ids the stop token in turn. Of seven rows a round emits `emitted`, the last of them `own`.
fn check_stops(wrong: Wrong, emitted: usize, own: Provenance) -> Outcome {
    let (setup, prompt, plain) = different()?;
    for (at, &stop) in plain[..14].iter().enumerate() {
        let stopping = setup.limited(Limits { stop: BTreeSet::from([stop]), max_tokens: TOKENS, ..Limits::default() });
        let made = oracle(&stopping, &prompt, &plain, 6, wrong, &mut Fixed(6))?;
        assert_eq!(made.ids, plain[..=at]);
        assert_eq!(made.finish, Some(Finish::Eos));
        let last = made.rounds.last().and_then(|(round, _)| round.emitted.last()).map(|emitted| emitted.provenance);
        let is_own = at % emitted == emitted - 1;
        assert_eq!(last, Some(if is_own { own } else { Provenance::Accepted }), "the stop is id {at}");
    }
    Ok(())
}

#[test]
fn the_token_limit_holds_whatever_is_drafted() -> Outcome {
    let (setup, prompt, plain) = different()?;
    for max_tokens in 0..12 {
        let limited = setup.limited(Limits { max_tokens, ..Limits::default() });
        let made = oracle(&limited, &prompt, &plain, 5, |_, at| at % 4 == 0, &mut Fixed(5))?;
        assert_eq!(made.ids, plain[..max_tokens]);
        assert_eq!(made.finish, Some(Finish::Length));
    }
    Ok(())
}

#[test]
fn a_calibrated_threshold_of_one_stops_every_draft_after_its_first_token() -> Outcome {
    let setup = setup("gemma4/31b-dense")?;
    let drafter = setup.fresh_drafter(5, false, 1)?;
    let mut schedule = Thresholds { limit: 5, thresholds: vec![0.0, 1.0], min_conf: None };
    let made = setup.drafted(&prompts()[1], &drafter, &mut schedule)?;
    assert_eq!(made.stats.proposed_at.len(), 1);
    Ok(())
}
