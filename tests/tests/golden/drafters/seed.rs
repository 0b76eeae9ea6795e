//! `DSpark` in its own format.

use std::{ops::ControlFlow, path::Path, rc::Rc};

use ::decode::{Answer, Draft as _, Drafter, Limits, Provenance, Thresholds};
use ::drafters::{BlockContext, BlockDrafter, DSpark};
use mlx_rs::{Array, ops::indexing::IndexOp};
use nn::Vocabulary;
use serde_json::Value;
use tests::{
    Outcome, fixtures,
    lender::Lender,
    tensors::{Tensors, check_close},
};

use super::{TOLERANCE, agreeing::Agreeing, greedy};

#[test]
fn dspark_seed_drafters_give_the_reference_numbers_round_after_round() -> Outcome {
    for folder in fixtures::folders("drafters/dspark_seed")? {
        println!("{}", folder.display());
        let fixture = Fixture::read(&folder)?;
        let mut context = fixture.drafter.context(fixture.target.clone());
        let mut position = 0;
        for (round, &anchor) in fixture.inputs.ids("anchors")?.iter().enumerate() {
            let taps = fixture.inputs.get(&format!("round{round}.context_rows"))?;
            let rows = usize::try_from(taps.dim(1))?;
            context.proposer(greedy()).commit(&vec![0; rows], taps)?;
            position += rows;
            fixture.check_round(&mut context, round, anchor, position)?;
        }
    }
    Ok(())
}

#[test]
fn dspark_seed_drafts_are_pruned_where_the_reference_prunes() -> Outcome {
    for folder in fixtures::folders("drafters/dspark_seed")? {
        let fixture = Fixture::read(&folder)?;
        let meta: Value = serde_json::from_slice(&std::fs::read(folder.join("meta.json"))?)?;
        let thresholds = serde_json::from_value::<Vec<f32>>(meta["thresholds"].clone())?;
        let limit = fixture.drafter.facts().limit;
        fixture.check_pruned("thresholds", Thresholds { limit, thresholds, min_conf: None })?;
        let min_conf = serde_json::from_value::<Option<f32>>(meta["minConf"].clone())?;
        fixture.check_pruned("minconf", Thresholds { limit, thresholds: Vec::new(), min_conf })?;
    }
    Ok(())
}

#[test]
fn a_saved_drafter_loads_as_it_was() -> Outcome {
    let folder = fixtures::path("drafters/dspark_seed/rnn/checkpoint");
    let copy = tempfile::tempdir()?;
    let drafter = DSpark::load(&folder)?;
    drafter.save(copy.path())?;
    let again = DSpark::load(copy.path())?;
    for ((name, saved), (_, loaded)) in drafter.parameters().iter().zip(again.parameters()) {
        check_close(name, loaded, saved, 0.0)?;
    }
    let json = |folder: &Path| {
        Ok::<Value, Box<dyn std::error::Error>>(serde_json::from_slice(&std::fs::read(folder.join("dspark.json"))?)?)
    };
    assert_eq!(json(copy.path())?, json(&folder)?);
    Ok(())
}

struct Fixture {
    drafter: Rc<BlockDrafter>,
    target: Rc<dyn Vocabulary>,
    inputs: Tensors,
    outputs: Tensors,
}

impl Fixture {
    fn read(folder: &Path) -> Outcome<Self> {
        let inputs = Tensors::read(&folder.join("inputs.safetensors"))?;
        let table = inputs.get("target_embed.weight")?.clone();
        Ok(Self {
            drafter: Rc::new(DSpark::load(&folder.join("checkpoint"))?.drafter()),
            target: Rc::new(Lender::new(table, 1.0, Some(30.0))),
            outputs: Tensors::read(&folder.join("outputs.safetensors"))?,
            inputs,
        })
    }

    fn check_round(&self, context: &mut BlockContext, round: usize, anchor: u32, position: usize) -> Outcome {
        let wanted = |name: &str| self.outputs.get(&format!("round{round}.{name}"));
        let limit = self.drafter.facts().limit;
        for (layer, cache) in context.caches()?.layers().iter().enumerate() {
            let (keys, values) = cache.rows()?.ok_or("the context is empty")?;
            check_close("context keys", &keys.index(0), wanted(&format!("ctx_k.{layer}"))?, TOLERANCE)?;
            check_close("context values", &values.index(0), wanted(&format!("ctx_v.{layer}"))?, TOLERANCE)?;
        }
        let mut proposer = context.proposer(greedy());
        let (rows, base) = proposer.block(anchor, limit)?;
        check_close("block rows", &rows, wanted("block_hidden")?, TOLERANCE)?;
        check_close("base logits", &base, wanted("base_logits")?, TOLERANCE)?;
        let draft = proposer.propose(anchor, position, limit)?;
        let confidences = draft.confidences()?.ok_or("no confidences")?;
        check_close(
            "confidences",
            &Array::from_slice(&confidences, &[i32::try_from(limit)?]),
            wanted("conf")?,
            TOLERANCE,
        )?;
        assert_eq!(draft.tokens.as_slice::<u32>(), self.outputs.ids(&format!("round{round}.tokens"))?);
        Ok(())
    }

    /// The first round, as decoding makes it with a target that agrees to everything: what it emits before its own token
    /// is what the schedule left.
    fn check_pruned(&self, name: &str, mut schedule: Thresholds) -> Outcome {
        let mut context = self.drafter.context(self.target.clone());
        let taps = self.inputs.get("round0.context_rows")?;
        let rows = usize::try_from(taps.dim(1))?;
        let mut proposer = context.proposer(greedy());
        proposer.commit(&vec![0; rows], taps)?;
        let prompt = [vec![0; rows], vec![self.inputs.ids("anchors")?[0]]].concat();
        let mut answer = Answer::new(&prompt, Limits { max_tokens: usize::MAX, ..Limits::default() })?;
        let mut target = Agreeing { taps: taps.clone() };
        let round =
            answer.round(&mut target, Some(&mut proposer), &mut schedule, &mut |_| ControlFlow::Continue(()))?;
        let drafted = round.emitted.iter().filter(|emitted| emitted.provenance == Provenance::Accepted);
        let drafted = drafted.map(|emitted| emitted.token).collect::<Vec<_>>();
        let wanted = self.outputs.ids(&format!("round0.pruned_{name}.tokens"))?;
        assert_eq!(drafted, wanted, "{name}");
        assert_eq!((round.proposed, round.cut), (wanted.len(), schedule.limit - wanted.len()), "{name}");
        Ok(())
    }
}
