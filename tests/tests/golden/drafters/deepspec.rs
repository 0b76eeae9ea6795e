//! `DSpark` and `DFlash` in the format of `DeepSpec`.

use std::{cell::RefCell, fs, ops::ControlFlow, path::Path, rc::Rc};

use ::decode::{Answer, Draft as _, Drafter as _, Gate, Limits};
use ::drafters::{BlockContext, BlockDrafter, Context as _, Kind};
use mlx_rs::{Array, ops};
use nn::Vocabulary;
use serde_json::Value;
use tests::{
    Outcome, fixtures,
    lender::Lender,
    tensors::{Tensors, check_close},
};

use super::{TOLERANCE, agreeing::Agreeing, greedy, open, told::Told};

/// That of the stored draws.
const TEMPERATURE: f32 = 0.8;

#[test]
fn deepspec_drafters_give_the_reference_numbers_round_after_round() -> Outcome {
    for folder in fixtures::folders("drafters/dspark_deepspec")? {
        println!("{}", folder.display());
        let fixture = Fixture::read(&folder)?;
        let mut context = fixture.context();
        let mut position = 0;
        for (round, taps) in fixture.rounds()?.into_iter().enumerate() {
            let wanted = format!("round{round}.h_ctx");
            if fixture.outputs.has(&wanted) {
                let rows = fixture.drafter.project(&taps)?;
                check_close("context rows", &rows, fixture.outputs.get(&wanted)?, TOLERANCE)?;
            }
            position += commit(&mut context, &taps)?;
            fixture.check_round(&mut context, round, position)?;
        }
    }
    Ok(())
}

#[test]
fn deepspec_drafters_read_all_rows_at_once_as_they_read_them_in_pieces() -> Outcome {
    for folder in fixtures::folders("drafters/dspark_deepspec")? {
        let fixture = Fixture::read(&folder)?;
        let rounds = fixture.rounds()?;
        let mut context = fixture.context();
        commit(&mut context, &ops::concatenate(&rounds, 1)?)?;
        let anchor = fixture.inputs.ids(&format!("round{}.block_ids", rounds.len() - 1))?[0];
        let (rows, _) = context.proposer(greedy()).block(anchor, fixture.drafter.facts().limit)?;
        check_close("rows", &rows, fixture.outputs.get("last_round_from_scratch.block_hidden")?, TOLERANCE)?;
    }
    Ok(())
}

#[test]
fn deepspec_drafts_are_gated_where_the_reference_gates() -> Outcome {
    let mut gated = 0;
    for folder in fixtures::folders("drafters/dspark_deepspec")? {
        let fixture = Fixture::read(&folder)?;
        let meta: Value = serde_json::from_slice(&fs::read(folder.join("meta.json"))?)?;
        let rounds = meta["rounds"].as_array().ok_or("meta.json lists no rounds")?;
        for (round, facts) in rounds.iter().enumerate() {
            let lengths = facts["proposal_length_by_threshold"].as_object();
            for (threshold, length) in lengths.into_iter().flatten() {
                let wanted = usize::try_from(length.as_u64().ok_or("a length is no number")?)?;
                assert_eq!(fixture.gated(round, threshold.parse()?)?, wanted, "round {round}, {threshold}");
                gated += 1;
            }
        }
    }
    assert!(gated > 0);
    Ok(())
}

/// Takes tapped rows into a context; returns how many.
fn commit(context: &mut BlockContext, taps: &Array) -> Outcome<usize> {
    let rows = usize::try_from(taps.dim(1))?;
    context.proposer(greedy()).commit(&vec![0; rows], taps)?;
    Ok(rows)
}

struct Fixture {
    drafter: Rc<BlockDrafter>,
    inputs: Tensors,
    outputs: Tensors,
}

impl Fixture {
    fn read(folder: &Path) -> Outcome<Self> {
        let drafter = open(&folder.join("checkpoint"))?;
        assert_eq!(drafter.facts().kind, Kind::DeepSpec);
        Ok(Self {
            drafter,
            inputs: Tensors::read(&folder.join("inputs.safetensors"))?,
            outputs: Tensors::read(&folder.join("outputs.safetensors"))?,
        })
    }

    /// Nothing is borrowed but what is of no use.
    fn context(&self) -> BlockContext {
        let facts = self.drafter.facts();
        let table = Array::zeros::<f32>(&[facts.vocab_size, facts.hidden_size]);
        let lender: Rc<dyn Vocabulary> =
            Rc::new(Lender::new(table.unwrap_or_else(|_| Array::from_f32(0.0)), 1.0, None));
        self.drafter.context(lender)
    }

    /// The new tapped rows of each round.
    fn rounds(&self) -> Outcome<Vec<Array>> {
        let names = (0..).map(|round| format!("round{round}.context_hidden"));
        names.take_while(|name| self.inputs.has(name)).map(|name| Ok(self.inputs.get(&name)?.clone())).collect()
    }

    fn check_round(&self, context: &mut BlockContext, round: usize, position: usize) -> Outcome {
        let wanted = |name: &str| self.outputs.get(&format!("round{round}.{name}"));
        let (limit, anchor) = (self.drafter.facts().limit, self.inputs.ids(&format!("round{round}.block_ids"))?[0]);
        let mut proposer = context.proposer(greedy());
        let (rows, base) = proposer.block(anchor, limit)?;
        check_close("block rows", &rows, wanted("block_hidden")?, TOLERANCE)?;
        check_close("base logits", &base, wanted("base_logits")?, TOLERANCE)?;

        let tokens = self.outputs.ids(&format!("round{round}.tokens"))?;
        let draft = proposer.propose(anchor, position, limit)?;
        assert_eq!(draft.tokens.as_slice::<u32>(), tokens);
        self.check_confidences(&format!("round{round}"), draft.confidences()?)?;
        let logits = self.check_told(context, anchor, &format!("round{round}"))?;
        check_close("corrected logits", &logits, wanted("corrected_logits")?, TOLERANCE)?;

        let logits = self.check_told(context, anchor, &format!("round{round}.t08"))?;
        let drawn_from = ops::softmax_axis(logits.divide(Array::from_f32(TEMPERATURE))?, -1, true)?;
        check_close("probabilities", &drawn_from, wanted("t08.draft_probs")?, TOLERANCE)
    }

    /// Along the stored tokens: checks the confidences, returns the logits.
    fn check_told(&self, context: &mut BlockContext, anchor: u32, name: &str) -> Outcome<Array> {
        let (tokens, position) = (self.outputs.ids(&format!("{name}.tokens"))?, context.position());
        let told = Told { sampler: greedy(), tokens: &tokens, position: position + 1, choices: RefCell::default() };
        let draft = context.proposer(&told).propose(anchor, position, tokens.len())?;
        self.check_confidences(name, draft.confidences()?)?;
        let logits = told.choices.into_inner().into_iter().map(|choice| choice.logits).collect::<Vec<_>>();
        Ok(ops::concatenate(&logits, 0)?)
    }

    /// The reference stores them before the sigmoid.
    fn check_confidences(&self, name: &str, found: Option<Vec<f32>>) -> Outcome {
        let name = format!("{name}.confidence_logits");
        assert_eq!(found.is_some(), self.outputs.has(&name));
        let Some(found) = found else { return Ok(()) };
        let logits = found.iter().map(|c| (c / (1.0 - c)).ln()).collect::<Vec<_>>();
        check_close(
            &name,
            &Array::from_slice(&logits, &[i32::try_from(found.len())?]),
            self.outputs.get(&name)?,
            TOLERANCE,
        )
    }

    /// How many tokens a gate leaves, as decoding makes the round.
    fn gated(&self, round: usize, threshold: f32) -> Outcome<usize> {
        let rounds = self.rounds()?;
        let mut context = self.context();
        let position = commit(&mut context, &ops::concatenate(&rounds[..=round], 1)?)?;
        let limit = self.drafter.facts().limit;
        let anchor = self.inputs.ids(&format!("round{round}.block_ids"))?[0];
        let prompt = [vec![0; position], vec![anchor]].concat();
        let mut answer = Answer::new(&prompt, Limits { max_tokens: usize::MAX, ..Limits::default() })?;
        let mut target = Agreeing { taps: Array::zeros::<f32>(&[1, i32::try_from(limit)? + 1, rounds[0].dim(2)])? };
        let (mut proposer, mut gate) = (context.proposer(greedy()), Gate { limit, threshold });
        let watch = &mut |_| ControlFlow::Continue(());
        let made = answer.round(&mut target, Some(&mut proposer), &mut gate, watch)?;
        assert_eq!(made.proposed + made.cut, limit);
        Ok(made.proposed)
    }
}
