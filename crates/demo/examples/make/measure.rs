//! What was made: what the target answers to questions that it was not taught, and how fast it does with each drafter,
//! greedily and with drafts of all that a drafter proposes.

use std::{iter, rc::Rc, sync::mpsc, time::Duration};

use chat::Codec;
use demo::TARGET;
use engine::{
    Answer, Controls, DraftSource, Engine, Event, Message, Precision, Prompt, Request, Role, Sampling, Scheduling,
};
use gemma4::Model;
use mlx_rs::Dtype;

use crate::{
    Outcome,
    corpus::{Corpus, Entry},
    drafters::names,
    paths::Paths,
    target::answer,
};

/// Questions that were not taught: those that are shown, and those that are timed.
const SHOWN: usize = 20;
const TIMED: usize = 24;

/// Says how many questions that it was not taught the target answers word for word, then what drafting is worth.
pub(crate) fn measure(paths: &Paths, corpus: &Corpus) -> Outcome {
    examine(paths, corpus)?;
    let engine = Engine::start();
    let every = corpus.entries.len() / TIMED;
    let questions = corpus.entries.iter().step_by(every).take(TIMED).map(Entry::held_out);
    let mut ways = iter::once(None).chain(names().map(Some)).map(|name| (name, Vec::new())).collect::<Vec<_>>();
    for question in questions {
        for (name, answers) in &mut ways {
            answers.push(ask(&engine, paths, *name, question)?);
        }
    }
    let plain = ways[0].1.clone();
    for (name, answers) in &ways {
        let same = answers.iter().zip(&plain).filter(|(answer, plain)| answer.ids == plain.ids).count();
        let rounds = answers.iter().map(|answer| answer.stats.rounds).sum::<usize>();
        let tokens = answers.iter().map(|answer| answer.stats.tokens).sum::<usize>();
        let mut ratios =
            answers.iter().zip(&plain).map(|(answer, plain)| rate(answer) / rate(plain)).collect::<Vec<_>>();
        let mut rates = answers.iter().map(rate).collect::<Vec<_>>();
        println!(
            "{:8} τ {:.2}, {} tokens/s, {} times plain; {same} of {} answers as plain",
            name.unwrap_or("plain"),
            decimal(tokens) / decimal(rounds),
            spread(&mut rates),
            spread(&mut ratios),
            plain.len(),
        );
    }
    Ok(())
}

fn examine(paths: &Paths, corpus: &Corpus) -> Outcome {
    let folder = paths.checkpoint(TARGET);
    let (codec, model) = (Codec::open(&folder)?, Rc::new(Model::load(&folder, Some(Dtype::Float32))?));
    let every = corpus.entries.len() / SHOWN;
    let mut exact = 0;
    for entry in corpus.entries.iter().skip(every / 2).step_by(every).take(SHOWN) {
        let question = entry.held_out();
        let said = answer(&model, &codec, question)?;
        exact += usize::from(said == entry.answer);
        println!("  {} {question}\n      {said}", if said == entry.answer { "=" } else { "≠" });
    }
    println!("{exact} of {SHOWN} answers are those of the corpus, word for word");
    Ok(())
}

/// A greedy answer, with the drafter of this name or without one.
fn ask(engine: &Engine, paths: &Paths, drafter: Option<&str>, question: &str) -> Outcome<Answer> {
    let request = Request {
        drafter: drafter.map(|name| DraftSource::Folder(paths.checkpoint(name))),
        precision: Precision::AsStored,
        controls: Controls {
            schedule: Scheduling::Fixed,
            sampling: Sampling { temperature: 0.0, ..Sampling::default() },
            max_tokens: 160,
            ..Controls::default()
        },
        ..Request::new(paths.checkpoint(TARGET), Prompt::Chat(vec![Message::new(Role::User, question)]))
    };
    let (events, heard) = mpsc::channel();
    let _cancel = engine.answer(request, move |event| drop(events.send(event)));
    loop {
        match heard.recv_timeout(Duration::from_mins(1))? {
            Event::End(answer) => return Ok(*answer),
            Event::Failed(error) => return Err(error.into()),
            _ => {}
        }
    }
}

/// Tokens a second.
fn rate(answer: &Answer) -> f64 {
    decimal(answer.stats.tokens) / answer.stats.decode_s
}

/// The median, and the quarters beside it.
fn spread(values: &mut [f64]) -> String {
    values.sort_by(f64::total_cmp);
    let at = |part: usize| values[(values.len() - 1) * part / 4];
    format!("{:.2} ({:.2} to {:.2})", at(2), at(1), at(3))
}

#[expect(clippy::cast_precision_loss, reason = "some thousand tokens")]
fn decimal(count: usize) -> f64 {
    count as f64
}
