//! Asking an engine, and hearing what it does.

use std::{sync::mpsc, time::Duration};

use engine::{Answer, Cancel, Engine, Event, Request};

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

/// An answer.
///
/// # Errors
/// When there is none.
pub fn answer(engine: &Engine, request: Request) -> Outcome<Answer> {
    match events(engine, request, |_, _| ())?.pop() {
        Some(Event::End(answer)) => Ok(*answer),
        other => Err(format!("no answer but {other:?}").into()),
    }
}

/// Why there is no answer.
///
/// # Errors
/// When there is one.
pub fn failure(engine: &Engine, request: Request) -> Outcome<String> {
    match events(engine, request, |_, _| ())?.pop() {
        Some(Event::Failed(error)) => Ok(error.to_string()),
        other => Err(format!("it was accepted: {other:?}").into()),
    }
}
