//! Drafters in the formats of others: `DFlash` and `DFlash` 2 of their authors, and whatever the speculators library writes.

use std::{cell::RefCell, collections::BTreeSet, fs, path::Path, rc::Rc};

use ::decode::{Draft as _, Drafter as _};
use ::drafters::{BlockContext, BlockDrafter, Kind};
use mlx_rs::{Array, ops};
use nn::{Q, Rule, Sampler, Sampling, Vocabulary};
use serde_json::Value;
use tests::{
    Outcome,
    lender::Lender,
    tensors::{Tensors, check_close},
};

use super::{TOLERANCE, folders, greedy, open, told::Told};

fn is_published(kind: Kind) -> bool {
    matches!(kind, Kind::DFlash | Kind::DFlash2 | Kind::Speculators(_))
}

#[test]
fn published_drafters_give_the_reference_numbers_round_after_round() -> Outcome {
    let mut kinds = BTreeSet::new();
    for folder in folders(is_published)? {
        println!("{}", folder.display());
        let golden = Golden::read(&folder)?;
        kinds.insert(golden.drafter.facts().kind.name());
        let mut context = golden.drafter.context(golden.target.clone());
        let rounds = golden.rounds()?;
        for round in &rounds {
            commit(&mut context, &round.taps)?;
            golden.check_rows(&mut context, round)?;
            golden.check_greedy(&mut context, round)?;
            golden.check_path(&mut context, round, "greedy", 0.0)?;
            golden.check_path(&mut context, round, "t08", 0.8)?;
        }
        golden.check_from_scratch(&rounds)?;
        let all = golden.outputs.names().map(str::to_owned).collect();
        assert_eq!(golden.compared.into_inner(), all, "not everything was compared");
    }
    let all = ["dflash", "dflash2", "speculators-dflash", "speculators-dflash2", "speculators-dspark"];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), all);
    Ok(())
}

fn commit(context: &mut BlockContext, taps: &Array) -> Outcome {
    Ok(context.proposer(greedy()).commit(&vec![0; usize::try_from(taps.dim(1))?], taps)?)
}

struct Golden {
    drafter: Rc<BlockDrafter>,
    target: Rc<dyn Vocabulary>,
    inputs: Tensors,
    outputs: Tensors,
    /// The outputs that something was compared with.
    compared: RefCell<BTreeSet<String>>,
}

struct Round {
    number: usize,
    /// The new rows, `[1, n, m·H]`.
    taps: Array,
    anchor: u32,
    /// Where the anchor stands.
    position: usize,
    /// How many tokens are proposed.
    limit: usize,
}

impl Golden {
    fn read(folder: &Path) -> Outcome<Self> {
        let inputs = Tensors::read(&folder.join("inputs.safetensors"))?;
        let meta: Value = serde_json::from_slice(&fs::read(folder.join("meta.json"))?)?;
        let drafter = open(&folder.join("checkpoint"))?;
        // Where the reference scales nothing and caps nothing, a drafter that does would be found out.
        #[expect(clippy::cast_possible_truncation, reason = "the scales are short numbers")]
        let scale = meta["embed_scale"].as_f64().unwrap_or(8.0) as f32;
        let table = inputs.get("target_embed_tokens.weight")?.clone();
        let outputs = Tensors::read(&folder.join("outputs.safetensors"))?;
        Ok(Self {
            drafter,
            target: Rc::new(Lender::new(table, scale, Some(1.0))),
            inputs,
            outputs,
            compared: RefCell::default(),
        })
    }

    fn rounds(&self) -> Outcome<Vec<Round>> {
        let (mut rounds, mut position) = (Vec::new(), 0);
        let taps = |number: usize| format!("round{number}.context_hidden");
        for number in (0..).take_while(|&number| self.inputs.has(&taps(number))) {
            let taps = self.inputs.get(&taps(number))?.clone();
            position += usize::try_from(taps.dim(1))?;
            let anchor = self.inputs.ids(&format!("round{number}.block_ids"))?[0];
            let limit = self.tokens(number, "greedy")?.ok_or("no tokens")?.len();
            rounds.push(Round { number, taps, anchor, position, limit });
        }
        Ok(rounds)
    }

    /// The reference's tokens of a path; where there is only one, it is the greedy one and has no name.
    fn tokens(&self, round: usize, path: &str) -> Outcome<Option<Vec<u32>>> {
        let of_path = Some(format!("round{round}.{path}.tokens"));
        let of_all = (path == "greedy").then(|| format!("round{round}.tokens"));
        let Some(name) = of_path.into_iter().chain(of_all).find(|name| self.outputs.has(name)) else { return Ok(None) };
        let tokens = self.outputs.ids(&name)?;
        self.compared.borrow_mut().insert(name);
        Ok(Some(tokens))
    }

    /// Compares if the reference has such a tensor.
    fn check(&self, round: &Round, name: &str, found: &Array) -> Outcome {
        self.check_named(&format!("round{}.{name}", round.number), found)
    }

    fn check_named(&self, name: &str, found: &Array) -> Outcome {
        if self.outputs.has(name) {
            self.compared.borrow_mut().insert(name.to_owned());
            check_close(name, found, self.outputs.get(name)?, TOLERANCE)?;
        }
        Ok(())
    }

    /// The last round's rows from a context that was read at once.
    fn check_from_scratch(&self, rounds: &[Round]) -> Outcome {
        let taps = rounds.iter().map(|round| &round.taps).collect::<Vec<_>>();
        let last = rounds.last().ok_or("no rounds")?;
        let mut context = self.drafter.context(self.target.clone());
        commit(&mut context, &ops::concatenate(&taps, 1)?)?;
        let (rows, _) = context.proposer(greedy()).block(last.anchor, last.limit)?;
        self.check_named(&format!("round{}.hidden", last.number), &rows)?;
        for name in ["hidden", "block_hidden"] {
            self.check_named(&format!("last_round_from_scratch.{name}"), &rows)?;
        }
        Ok(())
    }

    fn check_rows(&self, context: &mut BlockContext, round: &Round) -> Outcome {
        self.check(round, "h_ctx", &self.drafter.project(&round.taps)?)?;
        let mut proposer = context.proposer(greedy());
        let (rows, base) = proposer.block(round.anchor, round.limit)?;
        self.check(round, "hidden", &rows)?;
        self.check(round, "logits", &base)?;
        self.check(round, "base_logits", &proposer.logits(&rows)?)
    }

    fn check_greedy(&self, context: &mut BlockContext, round: &Round) -> Outcome {
        let draft = context.proposer(greedy()).propose(round.anchor, round.position, round.limit)?;
        assert_eq!(Some(draft.tokens.as_slice::<u32>().to_vec()), self.tokens(round.number, "greedy")?);
        assert_eq!(draft.confidences.is_some(), self.drafter.facts().confident);
        Ok(())
    }

    /// What a position's token is chosen from depends on the tokens before it: they are the reference's own.
    fn check_path(&self, context: &mut BlockContext, round: &Round, path: &str, temperature: f32) -> Outcome {
        let Some(tokens) = self.tokens(round.number, path)? else { return Ok(()) };
        let sampling =
            Sampling { temperature, top_p: 1.0, top_k: 0, seed: 0, rule: Rule::Ratio, ..Sampling::default() };
        let (sampler, position) = (Sampler::new(sampling), round.position + 1);
        let told = Told { sampler, tokens: &tokens, position, choices: RefCell::default() };
        let draft = context.proposer(&told).propose(round.anchor, round.position, tokens.len())?;

        let choices = told.choices.into_inner();
        let logits = ops::concatenate(&choices.iter().map(|choice| &choice.logits).collect::<Vec<_>>(), 0)?;
        self.check(round, &format!("{path}.corrected_logits"), &logits)?;
        self.check(round, &format!("{path}.scores_sorted"), &logits)?;
        if let Some(ids) = choices.iter().map(|choice| choice.ids.as_ref()).collect::<Option<Vec<_>>>() {
            self.check(round, &format!("{path}.candidates_sorted"), &ops::stack(&ids, 0)?)?;
        }
        if let Some(confidences) = draft.confidences()? {
            // The reference stops before the sigmoid.
            let odds = confidences.iter().map(|confidence| (confidence / (1.0 - confidence)).ln());
            let logits = Array::from_iter(odds, &[i32::try_from(tokens.len())?]);
            self.check(round, &format!("{path}.confidence_logits"), &logits)?;
        }
        if let Some(Q::Dense(log_q) | Q::Sparse { log_q, .. }) = draft.q {
            let probabilities = ops::exp(log_q)?;
            self.check(round, &format!("{path}.draft_probs"), &probabilities)?;
            self.check(round, &format!("{path}.probs_for_sorted_candidates"), &probabilities)?;
        }
        Ok(())
    }
}
