//! Several answers at once: each is what it is by itself, whatever the others are, and whenever they end.

use std::{collections::BTreeSet, rc::Rc};

use decode::{Block, Fixed, Gate, Limits, Schedule, Thresholds};
use drafters::Drafter;
use gemma4::Conversation;
use nn::{Penalties, Rule, Sampler, Sampling};
use tests::{
    Outcome,
    batch::{Asked, together},
    copy::Copy,
    decoding::{Made, Setup},
    fixtures, kinds,
};

/// Longer than the fixtures' window of 8 more than twice over.
const TOKENS: usize = 20;

const LIMIT: usize = 4;

/// Prompts of different lengths, from a single token to one longer than the window.
fn prompt(number: u32) -> Vec<u32> {
    (0..=number * 7).map(|i| (i * (31 + number) + 11 * number + 2) % 90 + 3).collect()
}

fn hot(rule: Rule, seed: u64) -> Sampling {
    Sampling { temperature: 2.0, top_p: 1.0, top_k: 0, seed, rule, ..Sampling::default() }
}

/// Four answers that differ in everything but the target: prompt, sampling, schedule, budget.
fn asked(setup: &Setup) -> Vec<Asked> {
    let penalties = Penalties { repetition: 1.3, ..Penalties::default() };
    let short = setup.limited(Limits { max_tokens: TOKENS / 3, ..Limits::default() });
    let thresholds = Thresholds { limit: LIMIT, thresholds: vec![0.0, 0.5], min_conf: Some(0.5) };
    let setups: [(Setup, Box<dyn Schedule>); 4] = [
        (setup.sampled(hot(Rule::Coupled, 3)), Box::new(Fixed(LIMIT))),
        (short.sampled(hot(Rule::Ratio, 5)), Box::new(Fixed(LIMIT - 1))),
        (setup.sampled(Sampling { penalties, ..hot(Rule::Coupled, 4) }), Box::new(thresholds)),
        (setup.clone(), Box::new(Gate { limit: 2, threshold: 0.4 })),
    ];
    let numbered = (0..).map(prompt).zip(setups);
    numbered.map(|(prompt, (setup, schedule))| Asked { setup, prompt, schedule }).collect()
}

/// What each answer is by itself.
fn alone(setup: &Setup, drafter: &Drafter) -> Outcome<Vec<Made>> {
    let alone = |mut asked: Asked| asked.setup.drafted(&asked.prompt, drafter, &mut *asked.schedule);
    asked(setup).into_iter().map(alone).collect()
}

/// Targets of every build, and drafters of every kind.
fn pairs() -> Outcome<Vec<(Setup, Drafter)>> {
    let mut pairs = Vec::new();
    for target in fixtures::originals("gemma4")? {
        let setup = Setup::greedy(&target, TOKENS)?;
        let drafter = setup.fresh_drafter(LIMIT, pairs.len() % 2 == 1, 7)?;
        pairs.push((setup, drafter));
    }
    pairs.extend(kinds::pairs(TOKENS)?.into_iter().map(|pair| (pair.setup, pair.drafter)));
    Ok(pairs)
}

#[test]
fn an_answer_of_a_batch_is_what_it_is_by_itself_and_so_is_each_of_its_rounds() -> Outcome {
    for (setup, drafter) in pairs()? {
        let apart = alone(&setup, &drafter)?;
        let together = together(&mut asked(&setup), Some(&drafter))?;
        let lengths = together.iter().map(|made| made.ids.len()).collect::<BTreeSet<_>>();
        assert!(lengths.len() > 1, "all end together");
        for (one, other) in together.iter().zip(&apart) {
            assert_eq!((&one.ids, one.finish), (&other.ids, other.finish));
            assert_eq!(one.stats, other.stats);
            for ((round, _), (other, _)) in one.rounds.iter().zip(&other.rounds) {
                assert_eq!((&round.emitted, &round.rejected, round.cut), (&other.emitted, &other.rejected, other.cut));
            }
        }
    }
    Ok(())
}

#[test]
fn a_batch_without_a_drafter_decodes_plainly() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/e-series"), TOKENS)?;
    for (made, asked) in together(&mut asked(&setup), None)?.iter().zip(asked(&setup)) {
        assert_eq!(made.ids, asked.setup.plain(&asked.prompt)?.ids);
        assert_eq!(made.stats.proposed, 0);
    }
    Ok(())
}

#[test]
fn a_round_of_a_batch_waits_once_for_all_of_it() -> Outcome {
    for (setup, drafter) in pairs()? {
        let fixed = |asked: Asked| Asked { schedule: Box::new(Fixed(LIMIT)), ..asked };
        let mut asked = asked(&setup).into_iter().map(fixed).collect::<Vec<_>>();
        let made = together(&mut asked, Some(&drafter))?;
        assert!(made.iter().any(|made| made.stats.proposed > 0));
        assert!(made.iter().flat_map(|made| &made.rounds).all(|(_, waits)| *waits == 1));
    }
    Ok(())
}

#[test]
fn a_round_of_a_batch_that_reads_confidences_waits_once_more_for_all_of_it() -> Outcome {
    for (setup, drafter) in pairs()? {
        let thresholds = || Thresholds { limit: LIMIT, thresholds: vec![0.0], min_conf: Some(0.5) };
        let read = |asked: Asked| Asked { schedule: Box::new(thresholds()), ..asked };
        let mut asked = asked(&setup).into_iter().map(read).collect::<Vec<_>>();
        let made = together(&mut asked, Some(&drafter))?;
        assert!(made.iter().flat_map(|made| &made.rounds).all(|(_, waits)| *waits <= 2));
    }
    Ok(())
}

#[test]
fn an_answer_whose_numbers_are_not_finite_fails_alone() -> Outcome {
    let copy = Copy::of("gemma4/31b-dense")?;
    copy.plant("embed_tokens.weight", 77 * 56..78 * 56, 1e30)?;
    copy.plant("layers.2.layer_scalar", 0..1, 1e10)?;
    let setup = Setup::greedy(copy.path(), TOKENS)?.suppressing([77]);
    let mut conversations = [0; 2].map(|_| Conversation::new(Rc::clone(&setup.model)));
    let [sound, broken] = &mut conversations;
    let [mut sound, mut broken] = [sound, broken].map(|one| one.verifier(Sampler::new(setup.sampling), &[]));
    let blocks = vec![
        Block { target: &mut sound, anchor: 5, draft: None },
        Block { target: &mut broken, anchor: 77, draft: None },
    ];
    let outcomes = decode::Target::verify_all(blocks).map(|outcomes| outcomes.into_iter().map(Result::err));
    let [None, Some(error)] = &outcomes?.collect::<Vec<_>>()[..] else { return Err("not one of two".into()) };
    assert!(error.to_string().contains("layer 2 gives"), "{error}");
    Ok(())
}
