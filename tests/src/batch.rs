//! Several answers at once, with one pass of each model a round.

use std::{ops::ControlFlow, rc::Rc};

use decode::{Answer, Batched, Schedule, Token};
use drafters::Drafter;
use gemma4::Conversation;

use crate::{
    Outcome,
    decoding::{Made, Setup},
};

/// One answer of a batch.
pub struct Asked {
    /// How it is made; the target is the same for all.
    pub setup: Setup,
    /// What it continues.
    pub prompt: Vec<Token>,
    /// How long its drafts are.
    pub schedule: Box<dyn Schedule>,
}

/// Makes these answers together. An answer that ends leaves the batch; those that `drafter` cannot draft for at all, as
/// there is none, decode plainly.
///
/// # Errors
/// When a model fails.
pub fn together(asked: &mut [Asked], drafter: Option<&Drafter>) -> Outcome<Vec<Made>> {
    let on = || ControlFlow::Continue(());
    let taps = |asked: &Asked| drafter.map_or_else(Vec::new, |it| it.taps(asked.setup.model.config().layers.len()));
    let taps = asked.first().map(taps).unwrap_or_default();
    let (mut conversations, mut contexts) = (Vec::new(), Vec::new());
    for Asked { setup, .. } in &*asked {
        let conversation = Conversation::new(Rc::clone(&setup.model));
        let context = drafter.map(|drafter| drafter.context(setup.model.clone(), conversation.donors()));
        contexts.push(context.transpose()?);
        conversations.push(conversation);
    }
    let (mut sides, mut answers) = (Vec::new(), Vec::new());
    for ((asked, conversation), context) in asked.iter().zip(&mut conversations).zip(&mut contexts) {
        let sampler = asked.setup.sampler(&asked.prompt)?;
        let mut target = conversation.verifier(sampler.clone(), &taps);
        let mut proposer = context.as_mut().map(|context| context.proposer(sampler));
        let before = &asked.prompt[..asked.prompt.len() - 1];
        decode::prefill(&mut target, proposer.as_mut(), before, 5, &mut |_| on())?;
        sides.push((target, proposer));
        answers.push((Answer::new(&asked.prompt, asked.setup.limits.clone())?, Vec::new()));
    }
    loop {
        let mut watches = asked.iter().map(|_| |_: Token| ControlFlow::Continue(())).collect::<Vec<_>>();
        let (mut batch, mut heard) = (Vec::new(), Vec::new());
        let rows = answers.iter_mut().zip(&mut sides).zip(&mut *asked).zip(&mut watches);
        for ((((answer, rounds), (target, proposer)), asked), watch) in rows {
            if answer.finish().is_none() {
                let (drafter, schedule) = (proposer.as_mut(), &mut *asked.schedule);
                batch.push(Batched { answer, target, drafter, schedule, watch });
                heard.push(rounds);
            }
        }
        if batch.is_empty() {
            break;
        }
        let waits = nn::waits();
        let rounds = decode::rounds(&mut batch)?;
        let waits = nn::waits() - waits;
        for (heard, round) in heard.into_iter().zip(rounds) {
            heard.push((round?, waits));
        }
    }
    let made = answers.into_iter().map(|(answer, rounds)| Made {
        ids: answer.emitted().to_vec(),
        stats: answer.stats().clone(),
        finish: answer.finish(),
        waits: rounds.iter().map(|(_, waits)| waits).sum(),
        rounds,
    });
    Ok(made.collect())
}
