//! The session: what one answer leaves behind changes nothing about the next but the time that it takes.

use engine::{
    Answer, Controls, DraftSource, Engine, Event, Finish, Message, NewDrafter, Precision, Prompt, Request, Reuse, Role,
    Sampling, Scheduling,
};
use tempfile::TempDir;
use tests::{
    Outcome,
    asking::{answer, events, failure},
    copy::Copy,
    fixtures,
    fluent::{self, PLAIN, QUIRKY},
    random::Random,
};

/// A target with the drafters that fit it; the last has no model.
struct Models {
    target: Copy,
    drafters: Vec<DraftSource>,
    /// Where the fresh ones lie.
    _folder: TempDir,
}

impl Models {
    /// `fixture` with 256 tokens and two fresh drafters, one of each kind.
    fn fresh(fixture: &str, template: &str) -> Outcome<Self> {
        let target = fluent::target(fixture, 256, template)?;
        let folder = tempfile::tempdir()?;
        let mut drafters = Vec::new();
        for (name, gamma, recurrent) in [("markov", 6, false), ("recurrent", 3, true)] {
            let out = folder.path().join(name);
            let (done, heard) = std::sync::mpsc::channel();
            let (target, width) = (target.path().to_owned(), 32);
            let new = NewDrafter { target, out: out.clone(), gamma, recurrent, width, ..NewDrafter::default() };
            Engine::start().new_drafter(new, move |result| drop(done.send(result)));
            heard.recv()??;
            drafters.push(DraftSource::Folder(out));
        }
        drafters.push(DraftSource::Lookup);
        Ok(Self { target, drafters, _folder: folder })
    }

    /// A target cut down to the vocabulary of the reference's drafters, and those.
    fn golden(template: &str) -> Outcome<Self> {
        let folders = fixtures::folders("drafters/dspark_seed")?.into_iter();
        let drafters =
            folders.map(|folder| DraftSource::Folder(folder.join("checkpoint"))).chain([DraftSource::Lookup]);
        let target = fluent::target("gemma4/12b-unified", 96, template)?;
        Ok(Self { target, drafters: drafters.collect(), _folder: tempfile::tempdir()? })
    }

    fn ask(&self, drafter: Option<usize>, messages: &[Message], controls: Controls) -> Request {
        Request {
            drafter: drafter.map(|i| self.drafters[i].clone()),
            precision: Precision::Float32,
            controls,
            ..Request::new(self.target.path().to_owned(), Prompt::Chat(messages.to_vec()))
        }
    }
}

fn greedy(max_tokens: usize) -> Controls {
    // By no clock: what is drafted must not depend on the machine's mood.
    Controls {
        schedule: Scheduling::Fixed,
        max_tokens,
        sampling: Sampling { temperature: 0.0, ..Sampling::default() },
        ..Controls::default()
    }
}

fn sampled(max_tokens: usize, seed: u64) -> Controls {
    let sampling = Sampling { temperature: 2.0, top_k: 0, top_p: 1.0, seed, ..Sampling::default() };
    Controls { schedule: Scheduling::Fixed, max_tokens, sampling, ..Controls::default() }
}

fn user(text: &str) -> Message {
    Message::new(Role::User, text)
}

fn assistant(text: &str) -> Message {
    Message::new(Role::Assistant, text)
}

#[test]
fn a_dialogue_of_any_turns_is_the_same_with_and_without_a_session() -> Outcome {
    let mut tally = Tally::default();
    for template in [PLAIN, QUIRKY] {
        for (fixture, seed) in ["gemma4/gemma3-text", "gemma4/31b-dense", "gemma4/e-series"].into_iter().zip(0..) {
            Dialogue::new(Models::fresh(fixture, template)?, seed).hold(&mut tally)?;
        }
        Dialogue::new(Models::golden(template)?, 9).hold(&mut tally)?;
    }
    println!("{tally:?}");
    assert!(tally.reused > tally.read, "most of a dialogue is a repetition");
    assert!(tally.everything > 10 && tally.window_moved_on > 5 && tally.new_drafter > 5, "{tally:?}");
    Ok(())
}

/// How often each thing happened.
#[derive(Debug, Default)]
struct Tally {
    reused: usize,
    read: usize,
    everything: usize,
    window_moved_on: usize,
    new_drafter: usize,
}

impl Tally {
    fn add(&mut self, answer: &Answer) {
        self.reused += answer.stats.reused_tokens;
        self.read += answer.stats.prompt_tokens - answer.stats.reused_tokens;
        match answer.stats.reuse {
            Reuse::NoSession => {}
            Reuse::Everything => self.everything += 1,
            Reuse::WindowMovedOn { .. } => self.window_moved_on += 1,
            Reuse::NewDrafter { .. } => self.new_drafter += 1,
        }
    }
}

/// A dialogue in which the user writes, edits, and asks again, with changing drafters.
struct Dialogue {
    models: Models,
    random: Random,
    messages: Vec<Message>,
    drafter: Option<usize>,
}

impl Dialogue {
    fn new(models: Models, seed: u32) -> Self {
        Self { models, random: Random::new(seed), messages: Vec::new(), drafter: Some(0) }
    }

    fn hold(&mut self, tally: &mut Tally) -> Outcome {
        let engine = Engine::start();
        for turn in 0..10 {
            self.turn();
            let controls = self.controls();
            let request = self.models.ask(self.drafter, &self.messages, controls);
            let made = answer(&engine, request.clone())?;
            let fresh = answer(&Engine::start(), request)?;
            assert_eq!((&made.ids, &made.text), (&fresh.ids, &fresh.text), "turn {turn}");
            assert_eq!((made.finish, &made.prompt_ids), (fresh.finish, &fresh.prompt_ids));
            // The drafter's context is what it would have been, so it proposes the same.
            assert_eq!(made.stats.accepted_at, fresh.stats.accepted_at, "turn {turn}");
            assert_eq!(fresh.stats.reuse, Reuse::NoSession);
            tally.add(&made);
            self.messages.push(assistant(&made.text));
        }
        Ok(())
    }

    /// What the user does: mostly goes on, sometimes edits an earlier message or asks for another answer.
    fn turn(&mut self) {
        if self.random.below(4) == 0 {
            let lookup = self.models.drafters.len() - 1;
            self.drafter = *self.random.pick(&[None, Some(0), Some(1), Some(lookup)]);
        }
        let said = self.random.below(1 + self.messages.len() / 2);
        match self.random.below(5) {
            0 if !self.messages.is_empty() => drop(self.messages.pop()),
            1 if !self.messages.is_empty() => {
                self.messages.truncate(2 * said);
                let text = self.words();
                self.messages.push(user(&text));
            }
            _ => {
                let text = self.words();
                self.messages.push(user(&text));
            }
        }
    }

    fn words(&mut self) -> String {
        let count = 1 + self.random.below(4);
        let words = (0..count).map(|_| *self.random.pick(&["ba", "zulu", "what", "pi", "de do", "x"]));
        words.collect::<Vec<_>>().join(" ")
    }

    fn controls(&mut self) -> Controls {
        let max_tokens = self.random.below(30);
        let seed = self.random.below(1000) as u64;
        let gamma = *self.random.pick(&[None, None, Some(2), Some(0)]);
        let controls = if self.random.below(3) == 0 { greedy(max_tokens) } else { sampled(max_tokens, seed) };
        Controls { gamma, ..controls }
    }
}

/// An answer, and how many rows of its prompt were read.
fn read(engine: &Engine, request: Request) -> Outcome<(Answer, usize)> {
    let events = events(engine, request, |_, _| ())?;
    let rows = events.iter().filter_map(|event| match event {
        Event::Prefill { done, total } if done == total => Some(*total),
        _ => None,
    });
    let rows = rows.max().unwrap_or(0);
    match events.into_iter().next_back() {
        Some(Event::End(answer)) => {
            assert_eq!(answer.stats.reused_tokens + rows + 1, answer.stats.prompt_tokens);
            Ok((*answer, rows))
        }
        other => Err(format!("no answer but {other:?}").into()),
    }
}

/// A first turn whose answer passes the window of 8, and the session that it leaves.
fn begun(template: &str) -> Outcome<(Models, Engine, Vec<Message>)> {
    let models = Models::fresh("gemma4/31b-dense", template)?;
    let engine = Engine::start();
    let question = user("what is de do ba zulu");
    let first = answer(&engine, models.ask(Some(0), std::slice::from_ref(&question), sampled(24, 5)))?;
    assert_eq!(first.ids.len(), 24);
    Ok((models, engine, vec![question, assistant(&first.text)]))
}

#[test]
fn a_second_turn_reads_only_what_is_new() -> Outcome {
    for template in [PLAIN, QUIRKY] {
        let (models, engine, mut messages) = begun(template)?;
        let asked = answer(&Engine::start(), models.ask(None, &messages[..1], greedy(0)))?.stats.prompt_tokens;
        messages.push(user("pi"));
        let (second, rows) = read(&engine, models.ask(Some(0), &messages, greedy(4)))?;
        if template == PLAIN {
            // The first answer's rows are those of the history as far as it is written the same way.
            assert_eq!(second.stats.reuse, Reuse::Everything);
            assert!(second.stats.reused_tokens > asked + 8, "{:?}", second.stats);
        } else {
            // Back to where the model's turn began, two tokens before the template's ways part.
            assert_eq!(second.stats.reused_tokens, asked - 4);
            assert_eq!(second.stats.reuse, Reuse::Everything);
        }
        assert!(rows < second.stats.prompt_tokens - asked + 5);
    }
    Ok(())
}

#[test]
fn another_answer_to_the_same_question_reads_nothing_but_the_opening_of_the_models_turn() -> Outcome {
    for (template, opening) in [(PLAIN, 2), (QUIRKY, 4)] {
        let (models, engine, messages) = begun(template)?;
        let (again, rows) = read(&engine, models.ask(Some(0), &messages[..1], sampled(24, 6)))?;
        assert_eq!(rows, opening - 1);
        assert_eq!((again.stats.reuse, again.stats.read_again()), (Reuse::Everything, None));
        let fresh = answer(&Engine::start(), models.ask(Some(0), &messages[..1], sampled(24, 6)))?;
        assert_eq!(again.ids, fresh.ids);
    }
    Ok(())
}

#[test]
fn an_edit_behind_the_window_begins_anew_and_says_so() -> Outcome {
    let (models, engine, _) = begun(PLAIN)?;
    let (edited, rows) = read(&engine, models.ask(Some(0), &[user("what is zulu")], greedy(4)))?;
    assert_eq!((edited.stats.reused_tokens, rows), (0, edited.stats.prompt_tokens - 1));
    assert!(matches!(edited.stats.reuse, Reuse::WindowMovedOn { common } if common > 8));
    assert!(edited.stats.read_again().is_some_and(|sentence| sentence.contains("sliding layers")));
    Ok(())
}

#[test]
fn a_drafter_that_has_not_read_the_prompt_reads_it_and_the_record_says_so() -> Outcome {
    let (models, engine, mut messages) = begun(PLAIN)?;
    messages.push(user("pi"));
    let request = models.ask(Some(1), &messages, greedy(8));
    let made = answer(&engine, request.clone())?;
    let Reuse::NewDrafter { common } = made.stats.reuse else { return Err(format!("{:?}", made.stats).into()) };
    assert!(common > 20 && made.stats.reused_tokens == 0);
    assert_eq!(made.stats.accepted_at, answer(&Engine::start(), request)?.stats.accepted_at);
    assert!(made.stats.read_again().is_some_and(|sentence| sentence.contains("the drafter")));

    // Without one the target's rows are all that is needed.
    messages.extend([assistant(&made.text), user("x")]);
    assert!(answer(&engine, models.ask(None, &messages, greedy(8)))?.stats.reused_tokens > 0);
    Ok(())
}

#[test]
fn a_drafter_that_reads_tokens_only_has_read_whatever_the_session_holds() -> Outcome {
    let (models, engine, mut messages) = begun(PLAIN)?;
    messages.push(user("pi"));
    let request = models.ask(Some(2), &messages, greedy(8));
    let made = answer(&engine, request.clone())?;
    assert_eq!(made.stats.reuse, Reuse::Everything);
    assert!(made.stats.reused_tokens > 20);
    let fresh = answer(&Engine::start(), request)?;
    assert_eq!((made.ids, made.stats.accepted_at), (fresh.ids, fresh.stats.accepted_at));
    Ok(())
}

#[test]
fn what_was_read_before_a_cancel_is_kept() -> Outcome {
    let models = Models::fresh("gemma4/31b-dense", PLAIN)?;
    let engine = Engine::start();
    let long = [user(&"what is zulu ".repeat(100))];
    let ask = || models.ask(Some(0), &long, sampled(400, 3));
    let stop_at = |rows: usize| {
        events(&engine, ask(), move |event, cancel| {
            if matches!(event, Event::Prefill { done, .. } if *done >= rows) {
                cancel.cancel();
            }
        })
    };
    let Some(Event::End(stopped)) = stop_at(1)?.pop() else { return Err("no end".into()) };
    assert_eq!((stopped.finish, stopped.ids.len()), (Finish::Cancelled, 0));

    let started = events(&engine, ask(), |event, cancel| {
        if matches!(event, Event::Round(_)) {
            cancel.cancel();
        }
    })?;
    let Some(Event::End(started)) = started.last() else { return Err("no end".into()) };
    assert!(started.stats.reused_tokens >= 512, "{:?}", started.stats);

    let messages = [&long[..], &[assistant(&started.text), user("pi")]].concat();
    let request = models.ask(Some(0), &messages, greedy(8));
    let (after, rows) = read(&engine, request.clone())?;
    assert!(rows < 512 && after.stats.reused_tokens > started.stats.reused_tokens);
    assert_eq!(after.ids, answer(&Engine::start(), request)?.ids);
    Ok(())
}

#[test]
fn text_that_grows_is_read_once() -> Outcome {
    let models = Models::fresh("gemma4/gemma3-text", PLAIN)?;
    let engine = Engine::start();
    let mut text = "zulu".to_owned();
    let mut before = 0;
    for turn in 0..4 {
        let raw = Request { prompt: Prompt::Raw(text.clone()), ..models.ask(Some(1), &[], greedy(1)) };
        let made = answer(&engine, raw)?;
        assert_eq!(made.stats.reused_tokens, before, "turn {turn}");
        before = made.stats.prompt_tokens; // the first round has read the last token too
        text.push_str(" de do ba what is pi");
    }
    Ok(())
}

#[test]
fn another_precision_and_a_panic_end_the_session_and_a_refusal_does_not() -> Outcome {
    let (models, engine, mut messages) = begun(PLAIN)?;
    messages.push(user("pi"));
    let ask = || models.ask(Some(0), &messages, greedy(2));

    let refused = Request { controls: Controls { context: Some(10), ..greedy(2) }, ..ask() };
    assert!(failure(&engine, refused)?.contains("the context holds 10, 7 of which"));
    assert_eq!(answer(&engine, ask())?.stats.reuse, Reuse::Everything);

    let stored = Request { precision: Precision::AsStored, ..ask() };
    assert_eq!(answer(&engine, stored)?.stats.reuse, Reuse::NoSession);
    assert_eq!(answer(&engine, ask())?.stats.reuse, Reuse::NoSession);

    check_panic(&engine, ask())?;
    assert_eq!(answer(&engine, ask())?.stats.reuse, Reuse::NoSession);
    Ok(())
}

/// A listener that panics in the middle of an answer.
fn check_panic(engine: &Engine, request: Request) -> Outcome {
    let (failed, heard) = std::sync::mpsc::channel();
    engine.answer(request, move |event| match event {
        Event::Round(_) => panic!("on purpose"),
        Event::Failed(error) => drop(failed.send(error.to_string())),
        _ => {}
    });
    assert!(heard.recv()?.contains("on purpose"));
    Ok(())
}

#[test]
fn room_for_a_draft_is_kept_behind_a_prompt_that_is_held_already() -> Outcome {
    let (models, engine, messages) = begun(PLAIN)?;
    let bounded = |context| Controls { context: Some(context), ..greedy(100) };
    let asked = answer(&engine, models.ask(Some(0), &messages[..1], greedy(0)))?.stats.prompt_tokens;
    // A draft of six and one token more fit exactly, or not.
    let made = answer(&engine, models.ask(Some(0), &messages[..1], bounded(asked + 7)))?;
    assert_eq!((made.ids.len(), made.finish), (7, Finish::Context));
    assert!(made.stats.reused_tokens > 0);
    let sentence = failure(&engine, models.ask(Some(0), &messages[..1], bounded(asked + 6)))?;
    assert!(sentence.contains(&format!("the prompt has {asked} tokens")), "{sentence}");
    let sentence = failure(&engine, models.ask(None, &messages, bounded(5000)))?;
    assert!(sentence.contains("set to 5000") && sentence.contains("at most 4096"), "{sentence}");
    Ok(())
}
