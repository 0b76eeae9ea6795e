//! The crown: whatever is drafted, the emitted ids are those of plain decoding; under the ratio rule their
//! distribution is.

use std::{collections::BTreeSet, rc::Rc};

use decode::{Finish, Fixed, Limits, Schedule, Thresholds};
use drafters::DSpark;
use nn::{Rule, Sampling};
use tests::{
    Outcome,
    decoding::{Made, Setup},
    fixtures,
    oracle::Oracle,
};

/// Longer than the fixtures' window of 8 several times over.
const TOKENS: usize = 25;

/// One prompt shorter than the window, one longer, one that is a single token.
fn prompts() -> [Vec<u32>; 3] {
    let long = (0..23).map(|i| (i * 37 + 11) % 250 + 3).collect::<Vec<_>>();
    [vec![2], [&[2], &long[..4]].concat(), [&[2], &long[..]].concat()]
}

fn setups() -> Outcome<Vec<Setup>> {
    ["gemma4/gemma3-text", "gemma4/31b-dense", "gemma4/12b-unified"]
        .map(|folder| Setup::greedy(&fixtures::path(folder), TOKENS))
        .into_iter()
        .collect()
}

fn schedules(limit: usize) -> [Box<dyn Schedule>; 2] {
    let thresholds = vec![0.0, 0.9, 0.5];
    [Box::new(Fixed(limit)), Box::new(Thresholds { limit, thresholds, min_conf: Some(0.8) })]
}

#[test]
fn greedy_ids_are_those_of_plain_decoding_for_every_drafter_schedule_and_limit() -> Outcome {
    for setup in setups()? {
        check_every_drafter(&setup, 0)?;
    }
    Ok(())
}

#[test]
fn coupled_sampling_gives_the_ids_of_plain_sampling_for_every_drafter_schedule_limit_and_seed() -> Outcome {
    for setup in setups()? {
        for seed in 0..2 {
            let sampling = Sampling { temperature: 0.9, top_p: 0.9, top_k: 20, seed, rule: Rule::Coupled };
            check_every_drafter(&setup.sampled(sampling), u32::try_from(seed)?)?;
        }
    }
    Ok(())
}

fn check_every_drafter(setup: &Setup, seed: u32) -> Outcome {
    let drafters = [setup.fresh_drafter(6, false, seed + 1)?, setup.fresh_drafter(3, true, seed + 1)?];
    for prompt in prompts() {
        let plain = setup.plain(&prompt)?.ids;
        for limit in [1, 3, 6] {
            for mut schedule in schedules(limit) {
                for drafter in &drafters {
                    assert_eq!(setup.drafted(&prompt, drafter, &mut *schedule)?.ids, plain);
                }
                check_oracles(setup, &prompt, &plain, limit, &mut *schedule)?;
            }
        }
    }
    Ok(())
}

/// Right always, wrong always, wrong at every third position, and wrong at the end of each block.
fn check_oracles(setup: &Setup, prompt: &[u32], plain: &[u32], limit: usize, schedule: &mut dyn Schedule) -> Outcome {
    let patterns: [&dyn Fn(usize, usize) -> bool; 4] =
        [&|_, _| false, &|_, _| true, &|_, at| at % 3 == 0, &|anchor, at| at - anchor == limit];
    for wrong in patterns {
        assert_eq!(oracle(setup, prompt, plain, limit, wrong, schedule)?.ids, plain);
    }
    Ok(())
}

fn oracle(
    setup: &Setup,
    prompt: &[u32],
    plain: &[u32],
    limit: usize,
    wrong: &dyn Fn(usize, usize) -> bool,
    schedule: &mut dyn Schedule,
) -> Outcome<Made> {
    let sequence = [prompt, plain].concat();
    let mut oracle = Oracle { sequence: &sequence, limit, wrong, rows: 0 };
    setup.run(prompt, Some(&mut oracle), &[0], schedule)
}

#[test]
fn everything_accepted_yields_limit_plus_one_tokens_a_round() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/31b-dense"), TOKENS)?;
    let prompt = &prompts()[1];
    let plain = setup.plain(prompt)?.ids;
    let made = oracle(&setup, prompt, &plain, 4, &|_, _| false, &mut Fixed(4))?;
    assert_eq!(made.stats.tokens_per_round(), Some(5.0));
    assert_eq!(made.stats.accepted_at, [5, 5, 5, 5]);
    Ok(())
}

#[test]
fn a_greedy_round_of_fixed_length_waits_once() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/gemma3-text"), TOKENS)?;
    for recurrent in [false, true] {
        let made = setup.drafted(&prompts()[2], &setup.fresh_drafter(5, recurrent, 3)?, &mut Fixed(5))?;
        assert_eq!(made.waits, made.stats.rounds as u64);
    }
    let plain = setup.plain(&prompts()[2])?;
    assert_eq!(plain.waits, plain.stats.rounds as u64);
    Ok(())
}

#[test]
fn a_stop_token_ends_the_answer_wherever_it_stands_in_a_block() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/31b-dense"), TOKENS)?;
    let prompt = &prompts()[1];
    let plain = setup.plain(prompt)?.ids;
    for (at, &stop) in plain.iter().enumerate().take(14) {
        let first = plain.iter().position(|&id| id == stop).unwrap_or(at);
        let stopping = setup.limited(Limits { stop: BTreeSet::from([stop]), max_tokens: TOKENS });
        let made = oracle(&stopping, prompt, &plain, 6, &|_, _| false, &mut Fixed(6))?;
        assert_eq!(made.ids, plain[..=first]);
        assert_eq!(made.finish, Some(Finish::Eos));
    }
    Ok(())
}

#[test]
fn the_token_limit_holds_whatever_is_drafted() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/31b-dense"), TOKENS)?;
    let prompt = &prompts()[1];
    let plain = setup.plain(prompt)?.ids;
    for max_tokens in 0..12 {
        let limited = setup.limited(Limits { stop: BTreeSet::new(), max_tokens });
        let made = oracle(&limited, prompt, &plain, 5, &|_, at| at % 4 == 0, &mut Fixed(5))?;
        assert_eq!(made.ids, plain[..max_tokens]);
        assert_eq!(made.finish, Some(Finish::Length));
    }
    Ok(())
}

#[test]
fn a_calibrated_threshold_of_one_stops_every_draft_after_its_first_token() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/31b-dense"), TOKENS)?;
    let drafter: Rc<DSpark> = setup.fresh_drafter(5, false, 1)?;
    let mut schedule = Thresholds { limit: 5, thresholds: vec![0.0, 1.0], min_conf: None };
    let made = setup.drafted(&prompts()[1], &drafter, &mut schedule)?;
    assert_eq!(made.stats.proposed_at.len(), 1);
    Ok(())
}
