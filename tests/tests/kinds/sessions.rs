//! What a drafter has read of a conversation, and what it makes of going back in it.

use std::rc::Rc;

use decode::{Draft as _, Fixed, Target as _};
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
