//! An answer is proven by letting its target read it again, and one that was changed is found out.

use std::sync::mpsc;

use app::{App, Phase, Question, Say};
use engine::{Answer, Claim, Controls, Divergence, Memory, Penalties, Precision, Proof, Rule, Sampling};
use gemma4::Model;
use mlx_rs::{Array, Dtype, ops::indexing::IndexOp};
use nn::Vocabulary;
use tests::{Outcome, bench::Bench, definition::best, tensors::floats, tiny};

const TOKENS: usize = 24;

/// Answers, and what becomes of them when they are read again.
struct Court(Bench);

impl Court {
    async fn new() -> Outcome<Self> {
        Ok(Self(Bench::new().await?))
    }

    /// A drafted answer.
    fn answer(&self, sampling: Sampling) -> Outcome<Answer> {
        let controls = Controls { max_tokens: TOKENS, sampling, ..Controls::default() };
        self.0.answer(self.0.request(Some(tiny::DRAFTER), controls))
    }

    fn prove(&self, answer: Answer) -> Outcome<Proof> {
        let target = self.0.folder(tiny::TARGET);
        let claim = Claim { target, precision: Precision::Float32, answer, memory: Memory::default() };
        let (done, proof) = mpsc::channel();
        self.0.engine.prove(claim, move |proven| drop(done.send(proven)));
        Ok(proof.recv()??)
    }

    /// What is found where token `at` is replaced.
    fn tamper(&self, answer: &Answer, at: usize, token: u32) -> Outcome<Divergence> {
        let mut ids = answer.ids.clone();
        ids[at] = token;
        match self.prove(Answer { ids, ..answer.clone() })? {
            Proof::Diverges(divergence) => Ok(divergence),
            proof => Err(format!("nothing was found: {proof:?}").into()),
        }
    }

    /// The logits of the token at `position` of an answer, from one pass over all before it.
    fn logits(&self, answer: &Answer, position: usize) -> Outcome<Vec<f32>> {
        let model = Model::load(&self.0.folder(tiny::TARGET), Some(Dtype::Float32))?;
        let text = [&*answer.prompt_ids, &answer.ids[..position]].concat();
        let ids = Array::from_slice(&text, &[1, i32::try_from(text.len())?]);
        let rows = model.forward(&ids, &mut model.caches(), &[])?;
        floats(&model.logits(&rows.normed)?.index((0, -1, ..)))
    }
}

fn greedy() -> Sampling {
    Sampling { temperature: 0.0, ..Sampling::default() }
}

fn hot(rule: Rule) -> Sampling {
    Sampling { temperature: 1.5, top_p: 1.0, top_k: 40, seed: 5, rule, ..Sampling::default() }
}

#[tokio::test]
async fn a_drafted_answer_is_what_plain_decoding_writes() -> Outcome {
    let court = Court::new().await?;
    let penalties = Penalties { repetition: 1.3, presence: 0.5, frequency: 0.2, window: 10 };
    for sampling in [greedy(), hot(Rule::Coupled), Sampling { penalties, ..hot(Rule::Coupled) }] {
        let answer = court.answer(sampling)?;
        assert!(answer.stats.proposed > 0);
        assert_eq!(court.prove(answer)?, Proof::Identical { tokens: TOKENS });
    }
    Ok(())
}

#[tokio::test]
async fn under_the_ratio_rule_each_token_is_one_that_the_target_may_draw() -> Outcome {
    let court = Court::new().await?;
    let answer = court.answer(hot(Rule::Ratio))?;
    assert_eq!(court.prove(answer.clone())?, Proof::Possible { tokens: TOKENS });
    // One that is not among the 40 most likely.
    let logits = court.logits(&answer, 9)?;
    let least = best(&logits.iter().map(|logit| -logit).collect::<Vec<_>>());
    let divergence = court.tamper(&answer, 9, least)?;
    assert_eq!((divergence.position, divergence.stored.id, divergence.margin), (9, least, None));
    assert!(!divergence.is_near_tie());
    Ok(())
}

#[tokio::test]
async fn a_record_that_was_changed_in_one_place_is_found_out_there_with_both_logits() -> Outcome {
    let court = Court::new().await?;
    for sampling in [greedy(), hot(Rule::Coupled)] {
        let answer = court.answer(sampling)?;
        for at in [0, 7, TOKENS - 1] {
            let (right, wrong) = (answer.ids[at], answer.ids[at] ^ 1);
            let found = court.tamper(&answer, at, wrong)?;
            assert_eq!((found.position, found.stored.id, found.plain.id), (at, wrong, right));
            assert!(!found.stored.text.is_empty() && !found.plain.text.is_empty());
            let logits = court.logits(&answer, at)?;
            let [stored, plain] = [wrong, right].map(|id| logits[id as usize]);
            assert!((found.stored.logit - stored).abs() < 1e-3 && (found.plain.logit - plain).abs() < 1e-3);
            if sampling.temperature == 0.0 {
                let margin = found.margin.ok_or("a greedy choice has a margin")?;
                assert!((margin - (plain - stored)).abs() < 2e-3, "{found:?}");
            }
            assert!(!found.is_near_tie(), "{found:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_token_that_the_target_does_not_know_is_refused() -> Outcome {
    let court = Court::new().await?;
    let mut answer = court.answer(greedy())?;
    answer.ids[3] = 100_000;
    let refused = court.prove(answer).err().ok_or("it was accepted")?;
    assert!(refused.to_string().contains("100000"), "{refused}");
    Ok(())
}

#[tokio::test]
async fn a_stored_answer_is_verified_from_its_record() -> Outcome {
    let (home, models) = (tempfile::tempdir()?, tiny::models().await?);
    tiny::register(home.path(), models.path(), TOKENS).await?;
    let app = App::open(home.path()).await?;
    let controls = app.preferences().await?.controls;
    let (target, drafter) = (tiny::TARGET.to_owned(), Some(tiny::DRAFTER.to_owned()));
    let question = Question::First { text: "Why?".into(), attachments: vec![], system: String::new() };
    let said = app
        .say(Say {
            question,
            target,
            drafter,
            controls,
            precision: Precision::default(),
            insist: false,
            observe: false,
        })
        .await?;
    let mut reader = said.answering.reader();
    while let Some(frame) = reader.next().await {
        if let Phase::Ended(Err(error)) = frame.phase {
            return Err(error.to_string().into());
        }
    }
    let verified = app.verify(None, false).await?;
    assert_eq!(verified, app.verify(Some(said.answer.id), false).await?);
    assert_eq!((verified.message, verified.proof), (said.answer.id, Proof::Identical { tokens: TOKENS }));
    Ok(())
}

#[tokio::test]
async fn a_proof_can_be_stopped() -> Outcome {
    let court = Court::new().await?;
    // Under the ratio rule any token may be drawn, so that this would be read to its end.
    let drawn = Sampling { temperature: 1.0, top_k: 0, top_p: 1.0, rule: Rule::Ratio, ..Sampling::default() };
    let mut answer = court.answer(drawn)?;
    answer.ids = answer.ids.repeat(1000);
    let target = court.0.folder(tiny::TARGET);
    let claim = Claim { target, precision: Precision::Float32, answer, memory: Memory::default() };
    let home = tempfile::tempdir()?;
    let app = App::open(home.path()).await?;
    let prover = app.clone();
    let proving = tokio::spawn(async move { prover.prove(claim).await });
    while !proving.is_finished() {
        app.stop_proving().await;
        tokio::task::yield_now().await;
    }
    assert!(matches!(proving.await?, Err(app::Error::Engine(engine::Error::Stopped))));
    Ok(())
}
