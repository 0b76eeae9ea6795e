//! How often a round waits for the device, for each kind of drafter in each mode.

use std::collections::BTreeSet;

use decode::{Probabilities, Round};
use nn::{Rule, Sampling};
use tests::{
    Outcome,
    kinds::{Pair, pairs},
    schedules::Plan,
};

use super::{TOKENS, hot, prompts};

/// Each mode: what a table calls it, how tokens are chosen, and the schedule.
fn modes() -> [(&'static str, Sampling, Plan); 9] {
    let greedy = Sampling { temperature: 0.0, ..Sampling::default() };
    let (coupled, ratio) = (hot(Rule::Coupled, 3), hot(Rule::Ratio, 3));
    [
        ("fixed, greedy", greedy, Plan::Fixed),
        ("fixed, coupled", coupled, Plan::Fixed),
        ("fixed, ratio", ratio, Plan::Fixed),
        ("thresholds", coupled, Plan::Thresholds),
        ("gate", coupled, Plan::Gate),
        ("adaptive", coupled, Plan::Adaptive),
        ("auto, confident", coupled, Plan::Confident),
        ("auto, not", coupled, Plan::Unconfident),
        ("auto, parked", coupled, Plan::Parked),
    ]
}

#[test]
fn a_round_waits_once_whatever_drafts_and_once_more_where_confidence_prunes() -> Outcome {
    println!("waits a round\n{:28}{}", "", modes().map(|(mode, ..)| format!("{mode:>17}")).concat());
    for Pair { name, setup, drafter } in pairs(TOKENS)? {
        let mut cells = Vec::new();
        for (mode, sampling, plan) in modes() {
            let limit = drafter.facts().limit;
            let made = setup.sampled(sampling).drafted(&prompts()[3], &drafter, &mut *plan.schedule(limit))?;
            let drafting = made.rounds.iter().filter(|(round, _)| round.proposed + round.cut > 0).count();
            assert!(drafting > 0, "{name}, {mode}: nothing is drafted");
            let waits = made.rounds.iter().map(|(_, waits)| *waits).collect::<Vec<_>>();
            let (least, most) = waits.iter().fold((u64::MAX, 0), |(least, most), &n| (n.min(least), n.max(most)));
            let allowed = if plan.reads_confidence() && drafter.facts().confident { 2 } else { 1 };
            assert!(1 <= least && most == allowed, "{name}, {mode}: {waits:?}");
            // Whoever looks on changes nothing, and nothing waits for it.
            let setup = setup.sampled(sampling).observed();
            let observed = setup.drafted(&prompts()[3], &drafter, &mut *plan.schedule(limit))?;
            assert_eq!((&observed.ids, observed.waits), (&made.ids, made.waits), "{name}, {mode}");
            assert!(observed.rounds.iter().all(|(round, _)| told(round)), "{name}, {mode}: {:?}", observed.rounds);
            assert!(made.rounds.iter().all(|(round, _)| round.probabilities.is_none()));
            let cell = if least == most { most.to_string() } else { format!("{least}–{most}") };
            cells.push(format!("{cell:>17}"));
        }
        println!("{name:28}{}", cells.concat());
    }
    Ok(())
}

/// Whether an observed round tells of each token how probable it was.
fn told(round: &Round) -> bool {
    let Some(Probabilities { p, q, own }) = &round.probabilities else { return false };
    let is_probability = |value: &f32| (0.0..=1.000_001).contains(value);
    [p, q].iter().all(|of| of.len() == round.proposed && of.iter().all(is_probability))
        && own.is_some() == (round.emitted.len() > round.accepted)
        && own.iter().all(is_probability)
}

#[test]
fn a_round_whose_draft_stands_as_a_whole_waits_once_too() -> Outcome {
    let mut kinds = BTreeSet::new();
    for Pair { name, setup, drafter } in pairs(TOKENS)? {
        // So hot that the noise decides alone, and it is the same for both.
        let setup = setup.sampled(Sampling { temperature: 1e4, ..hot(Rule::Coupled, 3) });
        let limit = drafter.facts().limit;
        let made = setup.drafted(&prompts()[3], &drafter, &mut *Plan::Fixed.schedule(limit))?;
        assert!(made.rounds.iter().all(|(_, waits)| *waits == 1), "{name}: {:?}", made.rounds);
        if made.rounds.iter().any(|(round, _)| round.accepted == limit) {
            kinds.insert(drafter.facts().kind.name());
        }
    }
    // The others choose from a part of the vocabulary.
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        ["assistant", "deepspec", "dflash", "dspark", "speculators-dspark"]
    );
    Ok(())
}
