//! Penalties: each row is penalised for the text before it, drafted tokens included, as plain decoding does it.

use std::collections::BTreeSet;

use decode::Fixed;
use mlx_rs::{Array, ops, ops::indexing::IndexOp};
use nn::{Penalties, Rule, Sampler, Sampling, Subset, Vocabulary};
use tests::{
    Outcome,
    decoding::Setup,
    definition::{best, penalised},
    fixtures,
    oracle::Oracle,
    tensors::floats,
};

const TOKENS: usize = 20;

/// Some of each kind, which look back over all of the text, over a part of it, and less far than a draft reaches.
const PENALTIES: [Penalties; 4] = [
    Penalties { repetition: 1.6, presence: 0.0, frequency: 0.0, window: 0 },
    Penalties { repetition: 1.0, presence: 1.5, frequency: 0.7, window: 20 },
    Penalties { repetition: 1.3, presence: -0.5, frequency: 0.9, window: 6 },
    Penalties { repetition: 1.2, presence: 3.0, frequency: 0.0, window: 2 },
];

/// Longer than the target's window of 8.
fn prompt() -> Vec<u32> {
    [2].into_iter().chain((0..11).map(|i| (i * 37 + 11) % 250 + 3)).collect()
}

fn greedy(penalties: Penalties) -> Sampling {
    Sampling { temperature: 0.0, penalties, ..Sampling::default() }
}

fn coupled(penalties: Penalties, seed: u64) -> Sampling {
    Sampling { temperature: 2.0, top_p: 0.95, min_p: 0.01, top_k: 60, penalties, seed, rule: Rule::Coupled }
}

fn setup() -> Outcome<Setup> {
    Setup::greedy(&fixtures::path("gemma4/31b-dense"), TOKENS)
}

#[test]
fn greedy_choices_are_the_best_after_penalties_by_their_definition() -> Outcome {
    let setup = setup()?;
    let free = setup.plain(&prompt())?.ids;
    for penalties in PENALTIES {
        let made = setup.sampled(greedy(penalties)).plain(&prompt())?.ids;
        assert_ne!(made, free, "{penalties:?} change nothing");
        let text = [prompt(), made.clone()].concat();
        let ids = Array::from_slice(&text, &[1, i32::try_from(text.len())?]);
        let rows = setup.model.forward(&ids, &mut setup.model.caches(), &[])?;
        let logits = setup.model.logits(&rows.normed)?;
        for (position, &token) in (prompt().len()..).zip(&made) {
            let logits = floats(&logits.index((0, i32::try_from(position - 1)?, ..)))?;
            assert_eq!(best(&penalised(&logits, &text[..position], penalties)), token, "{penalties:?}, {position}");
        }
    }
    Ok(())
}

#[test]
fn a_strong_presence_penalty_lets_no_token_come_twice() -> Outcome {
    let penalties = Penalties { presence: 1000.0, window: 0, ..Penalties::default() };
    let made = setup()?.sampled(greedy(penalties)).plain(&prompt())?.ids;
    assert_eq!(made.iter().copied().chain(prompt()).collect::<BTreeSet<_>>().len(), TOKENS + prompt().len());
    Ok(())
}

#[test]
fn penalised_ids_are_those_of_plain_decoding_whatever_is_drafted() -> Outcome {
    // A few tokens only, so that they come again and again.
    let free = setup()?;
    let free = free.suppressing(8..free.model.size().unsigned_abs());
    let drafters = [free.fresh_drafter(6, false, 1)?, free.fresh_drafter(3, true, 2)?];
    for penalties in PENALTIES {
        for sampling in [greedy(penalties), coupled(penalties, 3), coupled(penalties, 4)] {
            let setup = free.sampled(sampling);
            let plain = setup.plain(&prompt())?.ids;
            for drafter in &drafters {
                assert_eq!(setup.drafted(&prompt(), drafter, &mut Fixed(6))?.ids, plain, "{sampling:?}");
            }
            let sequence = [prompt(), plain.clone()].concat();
            for wrong in [&|_, _| false, &|anchor, at| at - anchor == 3, &|_, at| at % 3 == 0]
                as [&dyn Fn(usize, usize) -> bool; 3]
            {
                let mut oracle = Oracle { sequence: &sequence, limit: 5, wrong, rows: 0 };
                let made = setup.run(&prompt(), Some(&mut oracle), &[0], &mut Fixed(5))?;
                assert_eq!(made.ids, plain, "{sampling:?}");
                assert!(made.stats.accepted > 0);
            }
        }
    }
    Ok(())
}

#[test]
fn a_round_waits_once_whatever_is_penalised() -> Outcome {
    let free = setup()?;
    let drafter = free.fresh_drafter(5, false, 3)?;
    for penalties in PENALTIES {
        let ratio = Sampling { rule: Rule::Ratio, ..coupled(penalties, 1) };
        for sampling in [greedy(penalties), coupled(penalties, 1), ratio] {
            let made = free.sampled(sampling).drafted(&prompt(), &drafter, &mut Fixed(5))?;
            assert!(made.stats.proposed > 0);
            assert!(made.rounds.iter().all(|(_, waits)| *waits == 1), "{sampling:?}");
        }
    }
    Ok(())
}

#[test]
fn a_drafter_sees_the_penalties_for_what_it_has_drafted_so_far() -> Outcome {
    // Nearly alike, so that what was drawn once is not drawn again before the others.
    let logits = [1.0, 1.1, 1.2, 1.3, 1.25, 1.15];
    let row = Array::from_slice::<f32>(&logits, &[1, 6]);
    let ids = [1, 3, 4];
    let subset = Subset { ids: Array::from_slice::<u32>(&ids, &[3]), of: 6 };
    let few = row.take_axis(&subset.ids, 1)?;
    let penalties = Penalties { presence: 1.0, repetition: 1.1, frequency: 0.2, window: 4 };
    for (prompt, length) in [(vec![3], 3), (vec![0, 3, 1, 1, 4], 6)] {
        let sampler = || Sampler::new(greedy(penalties)).following(&prompt, 6);
        let (one, other, third) = (sampler()?, sampler()?, sampler()?);
        let rows = ops::broadcast_to(&row, &[length, 6])?;
        let picked = third.pick(&rows, None, prompt.len())?.token.to_vec_exact::<u32>()?;
        let (mut whole, mut part) = (prompt.clone(), prompt.clone());
        for position in prompt.len()..prompt.len() + picked.len() {
            let wanted = best(&penalised(&logits, &whole, penalties));
            whole.push(one.draw(&row, None, position)?.token.item_exact::<u32>());
            assert_eq!(whole.last(), Some(&wanted), "{whole:?}");

            let left = penalised(&logits, &part, penalties);
            let wanted = ids[best(&ids.map(|id| left[id as usize])) as usize];
            part.push(other.draw(&few, Some(&subset), position)?.token.item_exact::<u32>());
            assert_eq!(part.last(), Some(&wanted), "{part:?}");
        }
        assert_eq!(picked, whole[prompt.len()..]);
        // Another round from the same anchor begins anew.
        let again = one.draw(&row, None, prompt.len())?.token.item_exact::<u32>();
        assert_eq!(again, picked[0]);
    }
    Ok(())
}
