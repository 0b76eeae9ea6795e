//! The ratio rule for each kind of drafter under each schedule: what is drawn follows the target's distribution.

use decode::Fixed;
use nn::Rule;
use tests::{
    Outcome, chi_square,
    decoding::Setup,
    definition::answers,
    kinds::{Pair, pairs},
    schedules::Plan,
};

use super::hot;

/// It repeats itself, so that there is something to look up.
const PROMPT: [u32; 2] = [7, 7];

/// Tokens of an answer, of which each is one of two.
const ANSWER: usize = 3;

/// Answers of a kind under a schedule.
const ANSWERS: usize = 15;

/// The target with two tokens alone, and these: the first that the drafter proposes behind the prompt, so that drafts may
/// stand.
fn two(Pair { setup, drafter, .. }: &Pair) -> Outcome<(Setup, [u32; 2])> {
    let all = 0..setup.model.config().vocab_size.unsigned_abs();
    let mut drafted = Vec::new();
    for seed in 0..4 {
        let setup = setup.sampled(hot(Rule::Ratio, seed));
        for (round, _) in setup.drafted(&PROMPT, drafter, &mut Fixed(ANSWER))?.rounds {
            drafted.extend(round.emitted[..round.accepted].iter().map(|emitted| emitted.token));
            drafted.extend(round.rejected);
        }
    }
    let first = *drafted.first().ok_or("nothing is drafted")?;
    let second = drafted.into_iter().chain(all.clone()).find(|&token| token != first).unwrap_or(first);
    Ok((setup.suppressing(all.filter(|&token| token != first && token != second)), [first, second]))
}

/// How often each answer was drawn, and its probability, added up over as many draws each. The drafter's own tokens come
/// first, so that counts of several kinds, put together, show what it would do to all of them if they were drawn too often.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    seen: [usize; 1 << ANSWER],
    probabilities: [f64; 1 << ANSWER],
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.seen.iter_mut().zip(other.seen).for_each(|(all, seen)| *all += seen);
        self.probabilities.iter_mut().zip(other.probabilities).for_each(|(all, p)| *all += p);
    }

    fn check(&self, what: &str) -> Outcome {
        let total = self.probabilities.iter().sum::<f64>();
        let probabilities = self.probabilities.map(|p| p / total);
        println!("{what}: {:?} of {probabilities:.3?}", self.seen);
        chi_square::check(what, &self.seen, &probabilities)
    }
}

/// Of all answers of a kind, and of all under a schedule: of those of different kinds, each with its own target, χ² is
/// rather too small than too large.
#[test]
fn answers_are_drawn_from_the_target_whatever_drafts_and_cuts() -> Outcome {
    let mut of_plans = [Counts::default(); Plan::ALL.len()];
    // Each answer has its own: kinds with the same target would draw the same.
    let mut seeds = 0..;
    for pair in pairs(ANSWER)? {
        let (setup, tokens) = two(&pair)?;
        let place = |answer: &[u32]| answer.iter().fold(0, |place, &token| 2 * place + usize::from(token != tokens[0]));
        let mut probabilities = [0.0; 1 << ANSWER];
        for (answer, p) in answers(&setup.sampled(hot(Rule::Ratio, 0)), &PROMPT)? {
            probabilities[place(&answer)] = p;
        }
        let (mut of_kind, mut accepted, mut proposed) = (Counts::default(), 0, 0);
        for (plan, of_plan) in Plan::ALL.into_iter().zip(&mut of_plans) {
            let mut counts = Counts { seen: [0; 1 << ANSWER], probabilities };
            for seed in seeds.by_ref().take(ANSWERS) {
                let setup = setup.sampled(hot(Rule::Ratio, seed));
                let made = setup.drafted(&PROMPT, &pair.drafter, &mut *plan.schedule(ANSWER))?;
                assert!(made.ids.iter().all(|token| tokens.contains(token)), "something impossible was drawn");
                counts.seen[place(&made.ids)] += 1;
                (accepted, proposed) = (accepted + made.stats.accepted, proposed + made.stats.proposed);
            }
            of_kind.add(&counts);
            of_plan.add(&counts);
        }
        assert!(0 < accepted && accepted < proposed, "{}: {accepted} of {proposed} stood", pair.name);
        of_kind.check(&format!("{}, {accepted} of {proposed} drafted tokens stood", pair.name))?;
    }
    Plan::ALL.iter().zip(of_plans).try_for_each(|(plan, counts)| counts.check(&format!("{plan:?}")))
}
