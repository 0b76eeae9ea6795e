//! What a drafter has read of a conversation, and what it makes of going back in it.

use std::rc::Rc;

use decode::{Draft as _, Drafter as _, Fixed, Target as _};
use drafters::Drafter;
use gemma4::Conversation;
use nn::{Draft, Sampler};
use tests::{
    Outcome,
    decoding::Setup,
    fixtures,
    kinds::{Pair, pairs},
};

use super::{TOKENS, prompts};

/// Tokens that each drafter can propose.
const LIMIT: usize = 4;

#[test]
fn what_a_text_repeats_is_looked_up() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/gemma3-text"), 40)?; // greedily it repeats itself
    let made = setup.drafted(&prompts()[2], &Drafter::lookup(LIMIT), &mut Fixed(LIMIT))?;
    assert!(made.stats.accepted > 10, "{:?}", made.stats);
    Ok(())
}

#[test]
fn a_session_that_went_back_goes_on_as_a_fresh_one() -> Outcome {
    for Pair { name, setup, drafter } in pairs(TOKENS)? {
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

/// Until a row is committed, an assistant sees one row less of the target's window: passes are made for one more.
#[test]
fn rounds_that_are_tried_and_rolled_back_leave_no_trace_behind_the_next_token() -> Outcome {
    for Pair { name, setup, drafter } in pairs(TOKENS)? {
        let (prompt, sampler) = (&prompts()[2], Sampler::new(setup.sampling));
        let taps = drafter.taps(setup.model.config().layers.len());
        let mut outcomes = Vec::new();
        for tried in [0, LIMIT + 1] {
            let mut conversation = Conversation::new(Rc::clone(&setup.model));
            let mut context = drafter.context(setup.model.clone(), conversation.donors())?;
            let mut target = conversation.verifier(sampler.clone(), &taps);
            let mut proposer = context.proposer(sampler.clone());
            let rows = target.prefill(prompt)?;
            proposer.commit(prompt, &rows)?;
            for length in 0..tried {
                let mut draft = proposer.propose(prompt[1], prompt.len(), LIMIT)?;
                draft.truncate(length)?;
                target.verify(prompt[1], (length > 0).then_some(&draft))?;
                target.commit(0)?;
            }
            let step = target.verify(7, None)?;
            target.commit(1)?;
            proposer.commit(&[7], &step.taps)?;
            let draft = proposer.propose(prompt[1], prompt.len() + 1, LIMIT)?;
            let pass = target.verify(prompt[1], Some(&draft))?;
            outcomes.push((pass.draft, pass.verdict));
        }
        assert!(!outcomes[0].0.is_empty() && outcomes[0] == outcomes[1], "{name}: {outcomes:?}");
    }
    Ok(())
}

fn ids(draft: &Draft) -> Outcome<Vec<u32>> {
    assert!(!draft.is_empty());
    Ok(draft.tokens.to_vec_exact::<u32>()?)
}

#[test]
fn an_assistant_that_lost_its_row_leaves_one_round_to_the_target() -> Outcome {
    for Pair { setup, drafter, .. } in
        pairs(TOKENS)?.into_iter().filter(|pair| matches!(pair.drafter, Drafter::Assistant(_)))
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
