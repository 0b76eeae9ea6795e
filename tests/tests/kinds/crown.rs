//! The crown for each kind of drafter: whatever it drafts, the emitted ids are those of plain decoding.

use std::collections::BTreeSet;

use drafters::Drafter;
use nn::Rule;
use tests::{
    Outcome,
    corrected::Correction,
    kinds::{Pair, pairs},
    schedules::Plan,
};

use super::{TOKENS, hot, prompts};

#[test]
fn every_kind_is_here() -> Outcome {
    let kinds = pairs(TOKENS)?.iter().map(|pair| pair.drafter.facts().kind.name()).collect::<BTreeSet<_>>();
    let all = [
        "assistant",
        "deepspec",
        "dflash",
        "dflash2",
        "dspark",
        "lookup",
        "speculators-dflash",
        "speculators-dflash2",
        "speculators-dspark",
    ];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), all);
    Ok(())
}

/// Each kind meets each schedule with each limit, greedy and coupled: one of the two with its own proposals, the other
/// with proposals that are put right. Behind which of the four prompts follows from schedule and limit, so that a kind
/// meets each prompt with each schedule, and with each limit. All prompts with everything would take minutes.
#[test]
fn greedy_and_coupled_ids_are_those_of_plain_decoding_whatever_drafts() -> Outcome {
    pairs(TOKENS)?.iter().try_for_each(check)
}

fn check(pair: &Pair) -> Outcome {
    let Pair { name, setup, drafter } = pair;
    let (mut proposed, mut stood) = (0, BTreeSet::new());
    for (mode, setup) in [setup.clone(), setup.sampled(hot(Rule::Coupled, 3))].into_iter().enumerate() {
        let texts = prompts().into_iter().map(|prompt| Ok((setup.plain(&prompt)?.ids, prompt)));
        let texts = texts.collect::<Outcome<Vec<_>>>()?;
        for (turn, limit) in pair.limits().into_iter().enumerate() {
            for (number, plan) in Plan::ALL.into_iter().enumerate() {
                let (plain, prompt) = &texts[(turn + number) % texts.len()];
                let mut schedule = plan.schedule(limit);
                let made = if (mode + turn + number).is_multiple_of(2) {
                    setup.drafted(prompt, drafter, &mut *schedule)?
                } else {
                    // First all, then as many as the anchor's place says, so that every number of tokens stands.
                    let stays = |anchor: usize, at: usize| anchor >= prompt.len() && at - anchor > anchor % (limit + 1);
                    setup.corrected(prompt, drafter, Correction { plain, stays: &stays }, &mut *schedule)?
                };
                assert_eq!(made.ids, *plain, "{name}, {plan:?}, {limit} tokens, behind {}", prompt.len());
                proposed += made.stats.proposed;
                stood.extend(made.rounds.iter().map(|(round, _)| round.accepted));
            }
        }
    }
    assert!(proposed > 0, "{name} drafts nothing");
    // What is looked up is not always there.
    let is_lookup = matches!(drafter, Drafter::Lookup(_));
    let all = [0, 1, 2, 3, drafter.facts().limit];
    assert!(is_lookup || all.iter().all(|n| stood.contains(n)), "{name}: only {stood:?} tokens stood");
    Ok(())
}
