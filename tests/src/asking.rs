//! Asking an engine, and hearing what it does.

use std::{sync::mpsc, time::Duration};

use engine::{Answer, Cancel, Engine, Error, Event, Request};

use crate::Outcome;

/// Every event of an answer; `act` sees each and may cancel.
///
/// # Errors
/// When the engine is silent for a minute.
pub fn events(engine: &Engine, request: Request, act: impl Fn(&Event, &Cancel)) -> Outcome<Vec<Event>> {
    let (events, heard) = mpsc::channel();
    let cancel = engine.answer(request, move |event| drop(events.send(event)));
    let mut all = Vec::new();
    loop {
        let event = heard.recv_timeout(Duration::from_mins(1))?;
        act(&event, &cancel);
        let last = matches!(event, Event::End(_) | Event::Failed(_));
        all.push(event);
        if last {
            return Ok(all);
        }
    }
}

/// An answer, or why there is none.
///
/// # Errors
/// When there is neither.
pub fn outcome(engine: &Engine, request: Request) -> Outcome<Result<Answer, Error>> {
    match events(engine, request, |_, _| ())?.pop() {
        Some(Event::End(answer)) => Ok(Ok(*answer)),
        Some(Event::Failed(error)) => Ok(Err(error)),
        other => Err(format!("it ends with {other:?}").into()),
    }
}

/// An answer.
///
/// # Errors
/// When there is none.
pub fn answer(engine: &Engine, request: Request) -> Outcome<Answer> {
    Ok(outcome(engine, request)??)
}

/// Why there is no answer.
///
/// # Errors
/// When there is one.
pub fn failure(engine: &Engine, request: Request) -> Outcome<String> {
    match outcome(engine, request)? {
        Err(error) => Ok(error.to_string()),
        Ok(answer) => Err(format!("it was accepted: {answer:?}").into()),
    }
}

/// Every event of several answers that are made at once, by the number of the request; `act` sees each and may cancel.
///
/// # Errors
/// When the engine is silent for a minute.
pub fn events_of_all(
    engine: &Engine,
    requests: Vec<Request>,
    at_once: usize,
    act: impl Fn(usize, &Event, &Cancel),
) -> Outcome<Vec<Vec<Event>>> {
    let mut all = requests.iter().map(|_| Vec::new()).collect::<Vec<_>>();
    let (events, heard) = mpsc::channel();
    let cancel = engine.answers(requests, at_once, move |number, event| drop(events.send((number, event))));
    let mut open = all.len();
    while open > 0 {
        let (number, event) = heard.recv_timeout(Duration::from_mins(1))?;
        act(number, &event, &cancel);
        open -= usize::from(matches!(event, Event::End(_) | Event::Failed(_)));
        all[number].push(event);
    }
    Ok(all)
}
