//! The crown once more, for each kind of drafter: whatever it drafts, the emitted ids are those of plain decoding.

use std::{collections::BTreeSet, rc::Rc};

use decode::{Draft as _, Finish, Fixed, Gate, Limits, Schedule, Target as _};
use drafters::Drafter;
use gemma4::Conversation;
use nn::{Draft, Rule, Sampler, Sampling};
use tests::{
    Outcome,
    decoding::{Made, Setup},
    deepspec, fixtures,
};

/// Longer than the fixtures' window of 8 more than twice over.
const TOKENS: usize = 20;

/// The most tokens a round.
const LIMIT: usize = 4;

/// A target and a drafter for it.
struct Pair {
    name: String,
    setup: Setup,
    drafter: Drafter,
}

/// Each kind of drafter beside a target that it was made for.
fn pairs() -> Outcome<Vec<Pair>> {
    let setup = Setup::greedy(&fixtures::path("gemma4/31b-dense"), TOKENS)?;
    let mut pairs = Vec::new();
    for (seed, head) in (1..).zip(["vanilla", "gated", "rnn", ""]) {
        let drafter = deepspec::random(&setup.model, LIMIT, head, seed)?;
        pairs.push(Pair { name: format!("deepspec {head}"), setup: setup.clone(), drafter });
    }
    for folder in fixtures::folders("drafters/gemma4_assistant")? {
        let setup = Setup::greedy(&folder.join("target"), TOKENS)?;
        let drafter = drafters::open(&folder.join("checkpoint"))?;
        pairs.push(Pair { name: folder.display().to_string(), setup, drafter });
    }
    for target in ["gemma4/gemma3-text", "gemma4/12b-unified"] {
        let setup = Setup::greedy(&fixtures::path(target), TOKENS)?;
        pairs.push(Pair { name: format!("lookup for {target}"), setup, drafter: Drafter::lookup(LIMIT) });
    }
    Ok(pairs)
}

/// One prompt that is a single token, one shorter than the window, one longer, and one that repeats itself.
fn prompts() -> [Vec<u32>; 4] {
    let long = (0..23).map(|i| (i * 37 + 11) % 250 + 3).collect::<Vec<_>>();
    let again = [&long[..7], &long[..7], &long[..3]].concat();
    [vec![2], [&[2], &long[..4]].concat(), [&[2], &long[..]].concat(), [&[2], &again[..]].concat()]
}

/// Hot enough for texts that do not repeat themselves.
fn hot(rule: Rule, seed: u64) -> Sampling {
    Sampling { temperature: 2.0, top_p: 1.0, top_k: 0, seed, rule, ..Sampling::default() }
}

fn schedules() -> [Box<dyn Schedule>; 2] {
    [Box::new(Fixed(LIMIT)), Box::new(Gate { limit: LIMIT, threshold: 0.5 })]
}

#[test]
fn greedy_and_coupled_ids_are_those_of_plain_decoding_whatever_drafts() -> Outcome {
    for Pair { name, setup, drafter } in pairs()? {
        let mut proposed = 0;
        for setup in [setup.clone(), setup.sampled(hot(Rule::Coupled, 3))] {
            for prompt in prompts() {
                let plain = setup.plain(&prompt)?.ids;
                for mut schedule in schedules() {
                    let made = setup.drafted(&prompt, &drafter, &mut *schedule)?;
                    assert_eq!(made.ids, plain, "{name}");
                    proposed += made.stats.proposed;
                }
            }
        }
        assert!(proposed > 0, "{name} drafts nothing");
    }
    Ok(())
}

#[test]
fn a_stop_token_ends_the_answer_wherever_it_stands_whatever_drafts() -> Outcome {
    for Pair { name, setup, drafter } in pairs()? {
        let setup = setup.sampled(hot(Rule::Coupled, 3));
        let [_, _, _, prompt] = prompts();
        let plain = setup.plain(&prompt)?.ids;
        for (at, &stop) in plain.iter().enumerate().filter(|&(at, stop)| !plain[..at].contains(stop)) {
            let stop = BTreeSet::from([stop]);
            let stopping = setup.limited(Limits { stop, max_tokens: TOKENS, ..Limits::default() });
            let made = stopping.drafted(&prompt, &drafter, &mut Fixed(LIMIT))?;
            assert_eq!((&*made.ids, made.finish), (&plain[..=at], Some(Finish::Eos)), "{name}");
        }
    }
    Ok(())
}

#[test]
fn a_round_of_a_fixed_length_waits_once_whatever_drafts() -> Outcome {
    for Pair { name, setup, drafter } in pairs()? {
        for setup in [setup.clone(), setup.sampled(hot(Rule::Coupled, 3)), setup.sampled(hot(Rule::Ratio, 3))] {
            let Made { rounds, .. } = setup.drafted(&prompts()[3], &drafter, &mut Fixed(LIMIT))?;
            assert!(rounds.iter().any(|(round, _)| round.proposed > 0), "{name} drafts nothing");
            assert!(rounds.iter().all(|(_, waits)| *waits == 1), "{name}: {rounds:?}");
        }
    }
    Ok(())
}

#[test]
fn what_a_text_repeats_is_looked_up() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/gemma3-text"), 40)?; // greedily it repeats itself
    let made = setup.drafted(&prompts()[2], &Drafter::lookup(LIMIT), &mut Fixed(LIMIT))?;
    assert!(made.stats.accepted > 10, "{:?}", made.stats);
    Ok(())
}

#[test]
fn a_session_that_went_back_goes_on_as_a_fresh_one() -> Outcome {
    for Pair { name, setup, drafter } in pairs()? {
        let prompt = &prompts()[1];
        let taps = drafter.taps(setup.model.config().layers.len());
        let mut conversation = Conversation::new(Rc::clone(&setup.model));
        let mut context = drafter.context(setup.model.clone(), conversation.donors())?;
        let sampler = Sampler::new(setup.sampling);

        let mut drafts = Vec::new();
        for back in [0, 3] {
            conversation.caches_mut().rewind(back)?;
            context.rewind(back)?;
            assert_eq!((context.position(), context.floor()), (back, 0), "{name}");
            let mut target = conversation.verifier(sampler.clone(), &taps);
            let mut proposer = context.proposer(sampler.clone());
            if back > 0 {
                // Of the tokens behind it nothing may be left, even if none is read before the next draft.
                let early = proposer.propose(prompt[back], back, LIMIT)?;
                assert!(early.len() <= LIMIT);
            }
            let rows = target.prefill(&prompt[back..])?;
            proposer.commit(&prompt[back..], &rows)?;
            // Behind the second token of the prompt, so that there is something to look up.
            drafts.push(ids(&proposer.propose(prompt[1], prompt.len(), LIMIT)?)?);
            assert!(proposer.propose(7, prompt.len() + 1, LIMIT).is_err(), "{name} drafts for another place");
        }
        assert_eq!(drafts[0], drafts[1], "{name}");
    }
    Ok(())
}

fn ids(draft: &Draft) -> Outcome<Vec<u32>> {
    assert!(!draft.is_empty());
    Ok(draft.tokens.to_vec_exact::<u32>()?)
}

#[test]
fn an_assistant_that_lost_its_row_leaves_one_round_to_the_target() -> Outcome {
    for Pair { setup, drafter, .. } in pairs()?.into_iter().filter(|pair| matches!(pair.drafter, Drafter::Assistant(_)))
    {
        let prompt = &prompts()[1];
        let taps = drafter.taps(setup.model.config().layers.len());
        let mut conversation = Conversation::new(Rc::clone(&setup.model));
        let mut context = drafter.context(setup.model.clone(), conversation.donors())?;
        let sampler = Sampler::new(setup.sampling);
        let mut target = conversation.verifier(sampler.clone(), &taps);
        let rows = target.prefill(prompt)?;
        context.proposer(sampler.clone()).commit(prompt, &rows)?;
        conversation.caches_mut().rewind(3)?;
        context.rewind(3)?;
        assert_eq!(context.proposer(sampler).propose(prompt[3], 3, LIMIT)?.len(), 0);
    }
    Ok(())
}
