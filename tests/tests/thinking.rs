//! Thinking: what a model thinks is told apart from what it answers, nothing of either is lost, and both are the same
//! with and without drafts.

use std::path::PathBuf;

use chat::Codec;
use engine::{
    Answer, Begun, Controls, DraftSource, Engine, Event, Finish, Message, NewDrafter, Penalties, Precision, Prompt,
    Request, Role, Round, Sampling, Unfinished,
};
use tempfile::TempDir;
use tests::{
    Outcome,
    asking::{answer, events},
    copy::Copy,
    fluent::{self, PLAIN, THINKING},
};

/// A target of so few tokens that markers are often among those that it writes, and a drafter for it.
struct Thinker {
    target: Copy,
    drafter: PathBuf,
    engine: Engine,
    /// Where the drafter lies.
    _folder: TempDir,
}

impl Thinker {
    fn new(template: &str) -> Outcome<Self> {
        Self::of(fluent::thinker("gemma4/31b-dense", 40, template)?)
    }

    /// One that never ends a thought if it is greedy.
    fn endless() -> Outcome<Self> {
        Self::of(fluent::muser("gemma4/31b-dense", 40, THINKING)?)
    }

    fn of(target: Copy) -> Outcome<Self> {
        let (folder, engine) = (tempfile::tempdir()?, Engine::start());
        let drafter = folder.path().join("drafter");
        let (done, heard) = std::sync::mpsc::channel();
        let new = NewDrafter {
            target: target.path().to_owned(),
            out: drafter.clone(),
            gamma: 4,
            width: 32,
            ..NewDrafter::default()
        };
        engine.new_drafter(new, move |result| drop(done.send(result)));
        heard.recv()??;
        Ok(Self { target, drafter, engine, _folder: folder })
    }

    fn ask(&self, drafts: bool, messages: &[Message], controls: Controls) -> Request {
        Request {
            drafter: drafts.then(|| DraftSource::Folder(self.drafter.clone())),
            precision: Precision::Float32,
            controls,
            ..Request::new(self.target.path().to_owned(), Prompt::Chat(messages.to_vec()))
        }
    }
}

fn question() -> Vec<Message> {
    vec![Message::new(Role::User, "what is de do ba zulu")]
}

/// So hot that every token is about as likely as any other.
fn thinking(max_tokens: usize, seed: u64) -> Controls {
    let sampling = Sampling { temperature: 100.0, top_k: 0, top_p: 1.0, seed, ..Sampling::default() };
    Controls { max_tokens, sampling, thinking: true, ..Controls::default() }
}

fn greedy(max_tokens: usize) -> Controls {
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    Controls { sampling, ..thinking(max_tokens, 0) }
}

/// The last event as an answer, and what its rounds say together.
fn whole(events: Vec<Event>) -> Outcome<(Answer, String, String)> {
    let (mut thought, mut text) = (String::new(), String::new());
    for event in events {
        match event {
            Event::Round(round) => {
                thought.push_str(&round.thought);
                text.push_str(&round.text);
            }
            Event::End(answer) => return Ok((*answer, thought, text)),
            _ => {}
        }
    }
    Err("no end".into())
}

#[test]
fn thought_and_answer_are_told_apart_whole_and_alike_with_and_without_drafts() -> Outcome {
    let thinker = Thinker::new(THINKING)?;
    let codec = Codec::open(thinker.target.path())?;
    let (mut answered, mut called, mut unfinished, mut lengths) = (0, 0, 0, 0);
    for seed in 0..24 {
        let plain = answer(&thinker.engine, thinker.ask(false, &question(), thinking(40, seed)))?;
        let heard = events(&thinker.engine, thinker.ask(true, &question(), thinking(40, seed)), |_, _| ())?;
        let (made, thought, text) = whole(heard)?;
        assert_eq!((&made.ids, &made.thought, &made.text), (&plain.ids, &plain.thought, &plain.text));
        assert_eq!((&made.tool_calls, made.unfinished), (&plain.tool_calls, plain.unfinished));
        assert!(made.thought.starts_with(&thought) && made.text.starts_with(&text), "{made:?}");
        assert_eq!(!thought.is_empty(), made.stats.thought_s > 0.0, "{:?}", made.stats);

        let mut stream = codec.stream(&made.prompt_ids, Vec::new());
        let (mut thought, mut text) = (String::new(), String::new());
        for &id in &made.ids {
            let piece = stream.push(id);
            thought.push_str(&piece.thought);
            text.push_str(&piece.answer);
        }
        let rest = stream.finish();
        assert_eq!((thought + &rest.thought, text + &rest.answer), (made.thought.clone(), made.text.clone()));
        assert_eq!(made.unfinished.is_none(), rest.complete);
        assert_eq!(made.raw, codec.raw(&made.ids));

        answered += usize::from(!made.thought.is_empty() && !made.text.is_empty());
        called += usize::from(!made.tool_calls.is_empty());
        unfinished += usize::from(made.unfinished.is_some());
        lengths += usize::from(made.finish == Finish::Length);
    }
    assert!(answered > 3 && called > 3 && unfinished > 3 && lengths > 3, "{answered} {called} {unfinished} {lengths}");
    Ok(())
}

#[test]
fn a_thought_that_uses_up_the_budget_is_kept_and_said() -> Outcome {
    let thinker = Thinker::endless()?;
    let made = answer(&thinker.engine, thinker.ask(true, &question(), greedy(3)))?;
    assert_eq!((made.finish, made.unfinished), (Finish::Length, Some(Unfinished::Thought)));
    assert!(made.text.is_empty() && !made.thought.is_empty());
    assert_eq!(made.notes, ["The budget was used up while the model was thinking."]);
    Ok(())
}

#[test]
fn a_thought_that_is_stopped_keeps_what_was_written() -> Outcome {
    let thinker = Thinker::endless()?;
    let heard = events(&thinker.engine, thinker.ask(true, &question(), greedy(3000)), |event, cancel| {
        if matches!(event, Event::Round(Round { thought, .. }) if !thought.is_empty()) {
            cancel.cancel();
        }
    })?;
    let (made, thought, _) = whole(heard)?;
    assert_eq!((made.finish, made.unfinished), (Finish::Cancelled, Some(Unfinished::Thought)));
    assert!(!thought.is_empty() && made.thought.starts_with(&thought));
    assert_eq!(made.notes, ["The answer was stopped while the model was thinking."]);
    Ok(())
}

#[test]
fn a_thought_that_the_prompt_opens_and_nobody_goes_on_with_is_not_said_to_be_unfinished() -> Outcome {
    let thinker = Thinker::endless()?;
    let opened = Prompt::Raw("<|turn>model\n<|channel>thought\n".into());
    let request = Request { prompt: opened, ..thinker.ask(true, &[], greedy(3)) };
    let heard = events(&thinker.engine, request.clone(), |event, cancel| {
        if matches!(event, Event::Prefill { .. }) {
            cancel.cancel();
        }
    })?;
    let (made, ..) = whole(heard)?;
    assert_eq!((made.finish, made.ids.len(), made.unfinished, made.notes.len()), (Finish::Cancelled, 0, None, 0));
    assert_eq!(answer(&thinker.engine, request)?.unfinished, Some(Unfinished::Thought));
    Ok(())
}

#[test]
fn a_stop_string_ends_the_answer_and_not_the_thought() -> Outcome {
    let thinker = Thinker::new(THINKING)?;
    let mut ended = 0;
    for seed in 0..40 {
        let whole = answer(&thinker.engine, thinker.ask(false, &question(), thinking(40, seed)))?;
        let Some(stop) = whole.text.chars().nth(1).filter(|_| whole.unfinished.is_none()) else { continue };
        let stops = Controls { stop: vec![stop.to_string()], ..thinking(40, seed) };
        let made = answer(&thinker.engine, thinker.ask(true, &question(), stops))?;
        assert_eq!((made.finish, made.unfinished), (Finish::StopString, None));
        assert_eq!(Some(made.text.as_str()), whole.text.split(stop).next());
        assert!(whole.thought.starts_with(&made.thought));
        ended += usize::from(made.thought.contains(stop));
    }
    assert!(ended > 0, "no thought holds the stop string that ended its answer");
    Ok(())
}

#[test]
fn a_template_without_thinking_is_said_and_one_that_thinks_is_not() -> Outcome {
    let sentence = "This checkpoint's template has no thinking: the model answers at once.".to_owned();
    for (template, thinks) in [(PLAIN, false), (THINKING, true)] {
        let thinker = Thinker::new(template)?;
        let asked = answer(&thinker.engine, thinker.ask(false, &question(), thinking(8, 1)))?;
        assert_eq!(asked.notes.contains(&sentence), !thinks, "{:?}", asked.notes);
        let at_once = Controls { thinking: false, ..thinking(8, 1) };
        let at_once = answer(&thinker.engine, thinker.ask(false, &question(), at_once))?;
        assert!(!at_once.notes.contains(&sentence));
        assert_eq!(asked.prompt_ids == at_once.prompt_ids, !thinks);
    }
    Ok(())
}

#[test]
fn a_thought_of_an_earlier_turn_is_left_to_the_template_and_the_session_is_used_again() -> Outcome {
    let thinker = Thinker::new(THINKING)?;
    let (engine, mut messages) = (Engine::start(), question());
    let first = answer(&engine, thinker.ask(true, &messages, thinking(40, 2)))?;
    assert!(!first.thought.is_empty());
    let reasoning = Some(first.thought.clone());
    messages.push(Message { reasoning, ..Message::new(Role::Assistant, first.text.as_str()) });
    messages.push(Message::new(Role::User, "pi"));

    let request = thinker.ask(true, &messages, thinking(40, 3));
    let second = answer(&engine, request.clone())?;
    let forgotten = messages.iter().cloned().map(|message| Message { reasoning: None, ..message }).collect::<Vec<_>>();
    let without = answer(&Engine::start(), thinker.ask(false, &forgotten, thinking(40, 3)))?;
    assert_eq!(second.prompt_ids, without.prompt_ids);
    assert_eq!((&second.ids, &second.thought, &second.text), (&without.ids, &without.thought, &without.text));
    // All of the first question, up to where the model's turn began.
    assert!(second.stats.reused_tokens > 10, "{:?}", second.stats);
    assert_eq!(answer(&Engine::start(), request)?.ids, second.ids);
    Ok(())
}

#[test]
fn an_answer_that_goes_on_is_the_one_that_never_stopped() -> Outcome {
    let thinker = Thinker::new(THINKING)?;
    let penalties = Penalties { repetition: 1.3, presence: 0.5, frequency: 0.2, ..Penalties::default() };
    let mut within_a_thought = 0;
    for (seed, drafts, penalties) in [(1, true, Penalties::default()), (2, false, penalties), (3, true, penalties)] {
        let mut controls = thinking(24, seed);
        controls.sampling.penalties = penalties;
        let request = thinker.ask(drafts, &question(), controls.clone());
        let whole = answer(&thinker.engine, request.clone())?;
        for at in 1..whole.ids.len() {
            let first = Request { controls: Controls { max_tokens: at, ..controls.clone() }, ..request.clone() };
            let first = answer(&thinker.engine, first)?;
            assert_eq!(first.ids, whole.ids[..at]);
            within_a_thought += usize::from(first.unfinished == Some(Unfinished::Thought));
            let begun = Some(Begun { prompt_ids: first.prompt_ids, ids: first.ids });
            let heard = events(&thinker.engine, Request { begun, ..request.clone() }, |_, _| ())?;
            let written = heard.iter().find_map(|event| match event {
                Event::Written { thought, text } => Some((thought.clone(), text.clone())),
                _ => None,
            });
            let (thought, text) = written.ok_or("it does not say what was written")?;
            let (rest, more_thought, more_text) = crate::whole(heard)?;
            assert!(
                rest.thought.starts_with(&(thought + &more_thought)) && rest.text.starts_with(&(text + &more_text))
            );
            assert_eq!((&rest.ids, &rest.prompt_ids, rest.finish), (&whole.ids, &whole.prompt_ids, whole.finish));
            assert_eq!((&rest.thought, &rest.text, &rest.raw), (&whole.thought, &whole.text, &whole.raw));
            assert_eq!((&rest.tool_calls, rest.unfinished), (&whole.tool_calls, whole.unfinished));
            assert_eq!((rest.stats.written, rest.stats.tokens), (at, whole.ids.len() - at));
            // All but the newest token is in the session.
            assert_eq!(rest.stats.reused_tokens, rest.prompt_ids.len() + at - 1);
        }
    }
    assert!(within_a_thought > 3, "{within_a_thought}");
    Ok(())
}

#[test]
fn a_stop_string_is_found_over_the_place_where_an_answer_went_on() -> Outcome {
    let thinker = Thinker::new(PLAIN)?;
    let asked = |seed, stop: Option<String>| {
        let controls = Controls { stop: Vec::from_iter(stop), thinking: false, ..thinking(24, seed) };
        thinker.ask(true, &question(), controls)
    };
    let (seed, stop) = (0..40)
        .find_map(|seed| {
            let letters = answer(&thinker.engine, asked(seed, None)).ok()?.text.chars().collect::<Vec<_>>();
            Some((seed, letters.get(letters.len() / 2..)?.get(..3)?.iter().collect::<String>()))
        })
        .ok_or("its answers are too short")?;
    let request = asked(seed, Some(stop));
    let whole = answer(&thinker.engine, request.clone())?;
    assert_eq!(whole.finish, Finish::StopString);
    for at in 1..whole.ids.len() {
        let begun = Some(Begun { prompt_ids: whole.prompt_ids.clone(), ids: whole.ids[..at].to_vec() });
        let rest = answer(&thinker.engine, Request { begun, ..request.clone() })?;
        assert_eq!((&rest.ids, &rest.text, rest.finish), (&whole.ids, &whole.text, whole.finish), "{at}");
    }
    Ok(())
}
