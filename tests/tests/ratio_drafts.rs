//! The ratio rule draws from the target whatever a draft was drawn from, however long it is, and whatever filters and
//! penalties there are.

use decode::agree;
use mlx_rs::{Array, ops};
use nn::{Draft, Drawn, Penalties, Q, Rule, Sampler, Sampling, Subset};
use tests::{Outcome, chi_square, definition, random::Random};

const DRAWS: u64 = 600;
/// Tokens of the vocabulary.
const SIZE: u32 = 5;
const TARGET: [f32; 5] = [-0.5, 1.6, 1.1, 0.4, 0.8];
const DRAFTER: [f32; 5] = [1.5, 0.9, 0.2, -1.0, -0.4];
const PROMPT: [u32; 3] = [1, 4, 1];

/// What a draft is drawn from.
#[derive(Debug, Clone, Copy)]
enum From {
    /// Every token.
    Everything,
    /// Those that a table of offsets from a smaller vocabulary names.
    Offsets([u32; 3]),
    /// A few that differ from position to position.
    Candidates([[u32; 2]; 2]),
    /// Nothing: the most likely tokens.
    Best,
}

const ALL: [From; 4] = [From::Everything, From::Offsets([0, 1, 2]), From::Candidates([[0, 1], [2, 4]]), From::Best];

fn row(logits: &[f32]) -> Array {
    Array::from_iter(logits.iter().copied(), &[1, 5])
}

impl From {
    fn draft(self, length: usize, sampler: &Sampler, position: usize) -> Outcome<Draft> {
        let drafter = row(&DRAFTER);
        let among = |ids: &[u32], k| {
            let ids = Array::from_iter(ids.iter().copied(), &[i32::try_from(ids.len())?]);
            let logits = drafter.take_axis(&ids, 1)?;
            Ok(sampler.draw(&logits, Some(&Subset { ids, of: 5 }), position + k)?)
        };
        let draw = |k: usize| -> Outcome<Drawn> {
            match self {
                Self::Everything => Ok(sampler.draw(&drafter, None, position + k)?),
                Self::Offsets(d2t) => among(&[d2t[0], 1 + d2t[1], 2 + d2t[2]], k),
                Self::Candidates(candidates) => among(&candidates[(position + k) % 2], k),
                Self::Best => Ok(sampler.pick(&drafter, None, position + k)?),
            }
        };
        let drawn = (0..length).map(draw).collect::<Outcome<Vec<_>>>()?;
        let tokens = ops::concatenate(&drawn.iter().map(|drawn| &drawn.token).collect::<Vec<_>>(), 0)?;
        let q = Q::concatenate(&drawn.into_iter().filter_map(|drawn| drawn.q).collect::<Vec<_>>())?;
        Ok(Draft { tokens, q, confidences: None })
    }

    /// The first two tokens behind the prompt, in as many rounds as it takes.
    fn answer(self, sampling: Sampling, lengths: &mut Random, longest: Option<usize>) -> Outcome<[u32; 2]> {
        let sampler = Sampler::new(sampling).following(&PROMPT, 5)?;
        let mut answer = Vec::new();
        while answer.len() < 2 {
            let length = longest.unwrap_or_else(|| lengths.below(4));
            let position = PROMPT.len() + answer.len();
            let draft = if length > 0 { Some(self.draft(length, &sampler, position)?) } else { None };
            let logits = ops::concatenate(&vec![row(&TARGET); length + 1], 0)?;
            let judged = sampler.judge(&logits, draft.as_ref(), position)?;
            let (accepted, next) = agree(&judged.draft, &judged.verdict);
            answer.extend_from_slice(&judged.draft[..accepted]);
            answer.push(next);
        }
        Ok([answer[0], answer[1]])
    }
}

/// The joint distribution of two tokens behind the prompt.
fn joint(sampling: Sampling) -> Vec<f64> {
    let first = definition::distribution(&TARGET, &PROMPT, sampling);
    let behind = |token| definition::distribution(&TARGET, &[&PROMPT[..], &[token]].concat(), sampling);
    (0..SIZE).zip(first).flat_map(|(token, p)| behind(token).into_iter().map(move |q| p * q)).collect()
}

/// Counts pairs of tokens over many seeds, with drafts of a fixed length and of random ones.
fn check(what: &str, sampling: Sampling) -> Outcome {
    let expected = joint(sampling);
    for from in ALL {
        for longest in [Some(2), None] {
            let mut lengths = Random::new(7);
            let mut counts = vec![0; expected.len()];
            for seed in 0..DRAWS {
                let [a, b] = from.answer(Sampling { seed, ..sampling }, &mut lengths, longest)?;
                counts[(a * SIZE + b) as usize] += 1;
            }
            chi_square::check(&format!("{what}, drafts of {longest:?} from {from:?}"), &counts, &expected)?;
        }
    }
    Ok(())
}

fn ratio() -> Sampling {
    Sampling { temperature: 0.8, top_p: 1.0, top_k: 0, rule: Rule::Ratio, ..Sampling::default() }
}

#[test]
fn pairs_are_drawn_from_the_target_through_top_p_and_top_k() -> Outcome {
    check("top-p and top-k", Sampling { top_p: 0.93, top_k: 3, ..ratio() })
}

#[test]
fn pairs_are_drawn_from_the_target_through_min_p() -> Outcome {
    check("min-p", Sampling { min_p: 0.25, ..ratio() })
}

#[test]
fn pairs_are_drawn_from_the_target_with_penalties_on_each_other() -> Outcome {
    let penalties = Penalties { repetition: 1.5, presence: 0.3, frequency: 0.4, window: 0 };
    check("penalties", Sampling { penalties, ..ratio() })
}

#[test]
fn pairs_are_drawn_from_the_target_with_penalties_of_a_short_memory_and_filters() -> Outcome {
    let penalties = Penalties { repetition: 1.2, presence: 0.9, frequency: -0.2, window: 2 };
    check("a short memory", Sampling { penalties, min_p: 0.1, top_k: 4, ..ratio() })
}
