//! The target family's own drafter, with borrowed rows as the reference had them and as a target makes them.

use std::{fs, path::Path, rc::Rc};

use ::decode::{Drafter as _, Target, Token};
use ::drafters::{AssistantDrafter, Drafter, Lent, Step};
use gemma4::{Config, Conversation, Model};
use mlx_rs::{
    Array, Dtype,
    ops::{self, indexing::IndexOp},
};
use nn::{Donor, Donors, Draft, LayerKind, Vocabulary};
use serde_json::Value;
use tests::{
    Outcome, fixtures,
    lender::Lender,
    tensors::{Tensors, check_close},
};

use super::{TOLERANCE, greedy};

#[test]
fn assistants_give_the_reference_numbers_step_after_step() -> Outcome {
    for folder in fixtures::folders("drafters/gemma4_assistant")? {
        println!("{}", folder.display());
        let fixture = Fixture::read(&folder)?;
        for (number, round) in fixture.rounds.iter().enumerate() {
            let donors = fixture.donors(number, round)?;
            fixture.check_round(&format!("round{number}"), round, &donors, true)?;
            // The reference's own loop puts the queries one position further on.
            let further = Reference { position: donors.position + 1, ..donors };
            fixture.check_round(&format!("round{number}.position_P"), round, &further, false)?;
        }
    }
    Ok(())
}

#[test]
fn assistants_draft_the_same_from_what_a_target_lends() -> Outcome {
    for folder in fixtures::folders("drafters/gemma4_assistant")? {
        let fixture = Fixture::read(&folder)?;
        fixture.check_with_target(&folder.join("target"))?;
    }
    Ok(())
}

struct Fixture {
    drafter: Rc<AssistantDrafter>,
    vocabulary: Rc<dyn Vocabulary>,
    config: Config,
    inputs: Tensors,
    outputs: Tensors,
    rounds: Vec<Round>,
}

/// What `meta.json` says of a round.
struct Round {
    /// Rows that the target has committed, `P`.
    rows: usize,
    /// The newest rows of its sliding layers that the reference looked at.
    visible: usize,
    anchor: Token,
}

/// Rows as the reference had them.
#[derive(Clone)]
struct Reference {
    sliding: (Array, Array),
    full: (Array, Array),
    position: usize,
}

impl Donors for Reference {
    fn donor(&self, _kind: LayerKind) -> Option<Donor> {
        None
    }

    fn layers(&self) -> usize {
        0
    }

    fn position(&self) -> usize {
        self.position
    }

    fn rows(&self, kind: LayerKind) -> nn::Result<Option<(Array, Array)>> {
        Ok(Some(match kind {
            LayerKind::Sliding => self.sliding.clone(),
            LayerKind::Full => self.full.clone(),
        }))
    }
}

impl Fixture {
    fn read(folder: &Path) -> Outcome<Self> {
        let Drafter::Assistant(drafter) = ::drafters::open(&folder.join("checkpoint"), Dtype::Bfloat16)? else {
            return Err("it is no assistant".into());
        };
        let inputs = Tensors::read(&folder.join("inputs.safetensors"))?;
        let meta: Value = serde_json::from_slice(&fs::read(folder.join("meta.json"))?)?;
        let number = |value: &Value| value.as_u64().ok_or_else(|| format!("{value} is no number"));
        #[expect(clippy::cast_possible_truncation, reason = "the scale is small")]
        let scale = meta["embed_scale"].as_f64().ok_or("no embed_scale")? as f32;
        let rounds = meta["rounds"].as_array().ok_or("meta.json lists no rounds")?.iter().map(|round| {
            Ok(Round {
                rows: usize::try_from(number(&round["committed_rows"])?)?,
                visible: usize::try_from(number(&round["sliding_rows_visible_in_reference"])?)?,
                anchor: u32::try_from(number(&round["anchor"])?)?,
            })
        });
        Ok(Self {
            drafter,
            vocabulary: Rc::new(Lender::new(inputs.get("target_embed_tokens.weight")?.clone(), scale, None)),
            config: Config::read(&folder.join("target"))?,
            outputs: Tensors::read(&folder.join("outputs.safetensors"))?,
            rounds: rounds.collect::<Outcome<_>>()?,
            inputs,
        })
    }

    fn donors(&self, number: usize, round: &Round) -> Outcome<Reference> {
        let rows = |name: &str, newest: usize| {
            let rows = self.inputs.get(&format!("round{number}.{name}"))?;
            let first = (rows.dim(2) - i32::try_from(newest)?).max(0);
            Ok::<_, Box<dyn std::error::Error>>(rows.index((.., .., first.., ..)))
        };
        let sliding = (rows("sliding_k", round.visible)?, rows("sliding_v", round.visible)?);
        Ok(Reference {
            sliding,
            full: (rows("full_k", round.rows)?, rows("full_v", round.rows)?),
            position: round.rows,
        })
    }

    /// The steps of a round along the stored tokens, which are the best ones.
    fn check_round(&self, name: &str, round: &Round, donors: &Reference, rows: bool) -> Outcome {
        let number = name.split('.').next().unwrap_or(name);
        let lent: Lent = self.drafter.borrow(donors)?.ok_or("nothing is lent")?;
        let mut row = self.inputs.get(&format!("{number}.last_hidden"))?.clone();
        let mut token = round.anchor;
        for (k, &next) in self.outputs.ids(&format!("{name}.tokens"))?.iter().enumerate() {
            let step =
                self.drafter.step(&Array::from_slice(&[token], &[1]), &row, &[&lent], &*self.vocabulary)?.remove(0);
            let k = i32::try_from(k)?;
            let wanted = |part: &str| Ok::<_, Box<dyn std::error::Error>>(self.outputs.get(part)?.index((0, k, ..)));
            let logits = self.all(&step)?;
            check_close(name, &logits, &wanted(&format!("{name}.logits"))?, TOLERANCE)?;
            assert_eq!(ops::indexing::argmax(&logits, false)?.item_exact::<u32>(), next);
            if rows {
                check_close(name, &step.row, &wanted(&format!("{name}.next_hidden"))?, TOLERANCE)?;
            }
            (token, row) = (next, step.row);
        }
        Ok(())
    }

    /// The logits of all tokens, `[V]`: the reference gives those that it does not look at one less than the smallest.
    fn all(&self, step: &Step) -> Outcome<Array> {
        let logits = step.logits.reshape(&[-1])?;
        let Some(subset) = &step.subset else { return Ok(logits) };
        let others = ops::full::<f32>(&[self.vocabulary.size()], logits.min(None)?.subtract(Array::from_f32(1.0))?)?;
        Ok(others.put_along_axis(&subset.ids, logits, -1)?)
    }

    /// Reads the fixture's tokens with the target itself, every round's last two among rejected ones.
    fn check_with_target(&self, folder: &Path) -> Outcome {
        let model = Rc::new(Model::load(folder, Some(Dtype::Float32))?);
        let ids = self.inputs.ids("target.input_ids")?;
        let (taps, taken) = ([self.config.layers.len()], greedy());
        let mut conversation = Conversation::new(Rc::clone(&model));
        let donors = conversation.donors();
        let mut context = self.drafter.context(Rc::<Model>::clone(&model), Rc::clone(&donors))?;
        let mut read = 0;
        // What the reference saw beyond the window is no rule of ours.
        for (number, round) in self.rounds.iter().enumerate().filter(|(_, round)| round.visible <= self.config.window) {
            let mut target = conversation.verifier(taken.clone(), &taps);
            let mut proposer = context.proposer(taken.clone());
            if read < round.rows - 2 {
                let taps = target.prefill(&ids[read..round.rows - 2])?;
                proposer.commit(&ids[read..round.rows - 2], &taps)?;
            }
            let rejected = Draft { tokens: Array::from_slice(&[ids[round.rows - 1], 3, 5, 7], &[4]), ..Draft::empty() };
            let pass = target.verify(ids[round.rows - 2], Some(&rejected))?;
            target.commit(2)?;
            proposer.commit(&ids[round.rows - 2..round.rows], &pass.taps)?;
            read = round.rows;

            self.check_lent(number, round, &*donors)?;
            let wanted = self.outputs.ids(&format!("round{number}.tokens"))?;
            let draft = proposer.propose(round.anchor, round.rows, wanted.len())?;
            assert_eq!(draft.tokens.to_vec_exact::<u32>()?, wanted, "round {number}");
        }
        assert!(read > self.config.window);
        Ok(())
    }

    fn check_lent(&self, number: usize, round: &Round, donors: &dyn Donors) -> Outcome {
        let wanted = self.donors(number, round)?;
        for kind in [LayerKind::Sliding, LayerKind::Full] {
            let (keys, values) = donors.rows(kind)?.ok_or("nothing is lent")?;
            let (wanted_keys, wanted_values) = wanted.rows(kind)?.ok_or("nothing is stored")?;
            check_close("keys", &keys, &wanted_keys, TOLERANCE)?;
            check_close("values", &values, &wanted_values, TOLERANCE)?;
        }
        Ok(())
    }
}
