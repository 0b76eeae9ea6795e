//! Every way in which an answer ends, at every position of a block, whatever drafts.

use std::collections::BTreeSet;

use decode::{Finish, Fixed, Limits, Provenance};
use drafters::Drafter;
use nn::Rule;
use tests::{
    Outcome,
    corrected::Correction,
    decoding::{Interrupt, Made, Setup},
    kinds::{Pair, pairs},
};

use super::{TOKENS, hot};

/// It repeats itself, so that there is something to look up.
const PROMPT: [u32; 5] = [2, 11, 48, 11, 48];

/// Padding tokens in a row that end an answer.
const PADDING: usize = 8;

/// Answers of a drafter, with its own proposals and put right.
fn both(setup: &Setup, drafter: &Drafter, limit: usize, plain: &[u32]) -> Outcome<[Made; 2]> {
    let correction = Correction { plain, stays: &|_, _| false };
    Ok([
        setup.drafted(&PROMPT, drafter, &mut Fixed(limit))?,
        setup.corrected(&PROMPT, drafter, correction, &mut Fixed(limit))?,
    ])
}

/// The target with a seed with which the first `ids` of an answer are all different, and that answer.
fn different(setup: &Setup, ids: usize) -> Outcome<(Setup, Vec<u32>)> {
    for seed in 0..40 {
        let setup = setup.sampled(hot(Rule::Coupled, seed));
        let plain = setup.plain(&PROMPT)?.ids;
        if plain[..ids].iter().collect::<BTreeSet<_>>().len() == ids {
            return Ok((setup, plain));
        }
    }
    Err("its answers repeat themselves whatever the seed".into())
}

#[test]
fn an_answer_ends_at_every_position_of_a_block_in_every_way_whatever_drafts() -> Outcome {
    for Pair { name, setup, drafter } in pairs(TOKENS)? {
        let limit = drafter.facts().limit;
        let (setup, plain) = different(&setup, limit + 1)?;
        for at in 0..=limit {
            let stop = BTreeSet::from([plain[at]]);
            let ways = [
                (setup.limited(Limits { stop, ..setup.limits.clone() }), Finish::Eos),
                (setup.interrupted(Interrupt::Watcher(at)), Finish::StopString),
                (setup.limited(Limits { max_tokens: at + 1, ..Limits::default() }), Finish::Length),
            ];
            for (setup, finish) in ways {
                let [own, right] = both(&setup, &drafter, limit, &plain)?;
                for made in [&own, &right] {
                    assert_eq!((&*made.ids, made.finish), (&plain[..=at], Some(finish)), "{name}");
                }
                if finish != Finish::Length && !matches!(drafter, Drafter::Lookup(_)) {
                    // Everything stands, so that the first round emits a whole block.
                    let last = right.rounds.last().and_then(|(round, _)| round.emitted.last());
                    let wanted = if at == limit { Provenance::Bonus } else { Provenance::Accepted };
                    assert_eq!(last.map(|last| last.provenance), Some(wanted), "{name}, {at}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_cancelled_answer_is_the_beginning_of_the_plain_one_whatever_drafts() -> Outcome {
    for Pair { name, setup, drafter } in pairs(TOKENS)? {
        let setup = setup.sampled(hot(Rule::Coupled, 3));
        let plain = setup.plain(&PROMPT)?.ids;
        for rounds in 1..3 {
            let setup = setup.interrupted(Interrupt::User(rounds));
            for made in both(&setup, &drafter, 2, &plain)? {
                assert_eq!((made.rounds.len(), made.finish), (rounds, Some(Finish::Cancelled)), "{name}");
                assert_eq!(made.ids, plain[..made.ids.len()], "{name}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_run_of_padding_ends_an_answer_after_the_eighth_whatever_drafts() -> Outcome {
    for Pair { name, setup, drafter } in pairs(TOKENS)? {
        // Nothing else can be chosen.
        let setup = setup.suppressing((0..setup.model.config().vocab_size.unsigned_abs()).filter(|&token| token != 7));
        let setup = setup.limited(Limits { pad: Some(7), max_tokens: TOKENS, ..Limits::default() });
        for made in both(&setup, &drafter, drafter.facts().limit, &[7; TOKENS])? {
            assert_eq!((&*made.ids, made.finish), (&[7; PADDING][..], Some(Finish::Padding)), "{name}");
        }
    }
    Ok(())
}

#[test]
fn behind_a_part_of_an_answer_comes_its_rest_whatever_drafts() -> Outcome {
    for Pair { name, setup, drafter } in pairs(TOKENS)? {
        for setup in [setup.clone(), setup.sampled(hot(Rule::Coupled, 3))] {
            let plain = setup.plain(&PROMPT)?.ids;
            for at in [1, TOKENS / 2, TOKENS - 1] {
                let setup = setup.limited(Limits { max_tokens: TOKENS - at, ..setup.limits.clone() });
                let text = [&PROMPT[..], &plain[..at]].concat();
                let rest = setup.drafted(&text, &drafter, &mut Fixed(drafter.facts().limit))?;
                assert_eq!(rest.ids, plain[at..], "{name}, {at}");
            }
        }
    }
    Ok(())
}
