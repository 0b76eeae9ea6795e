//! Several answers at once, by the same models: weights are read once a round for all of them. An answer that ends leaves
//! its place to the next one.

use std::time::Instant;

use calibration::Spent;
use decode::{Batched, Fixed, Schedule};

use crate::{
    Answer, Cancel, Cost, Course, Error, Event, Request, Result, event::Took, making::Making, models::Models,
    session::Session,
};

/// An answer that is being made, with a conversation of its own.
struct Place<'a> {
    number: usize,
    making: Making<'a>,
    session: Session,
    schedule: Box<dyn Schedule>,
    decode_s: f64,
}

/// Makes the answers that `requests` ask for, `at_once` of them at a time. `sink` hears of each by its number.
pub(crate) fn make(
    models: &mut Models,
    requests: &[Request],
    at_once: usize,
    cancel: &Cancel,
    sink: &mut dyn FnMut(usize, Event),
) {
    nn::reset_memory_peak();
    models.drop_session(); // its memory is wanted by the batch
    let mut waiting = requests.iter().enumerate();
    let mut places = Vec::new();
    loop {
        while places.len() < at_once.max(1) {
            let Some((number, request)) = waiting.next() else { break };
            let place = if request.shares_models_with(&requests[0]) {
                Place::take(models, number, request, at_once, cancel, sink)
            } else {
                Err(Error::OtherModels)
            };
            match place {
                Ok(place) => places.push(place),
                Err(error) => sink(number, Event::Failed(error)),
            }
        }
        if places.is_empty() {
            return;
        }
        if let Err(error) = rounds(&mut places, cancel, sink) {
            // One of them failed, and nobody knows what the caches of the others hold by now.
            let why = error.to_string();
            places.drain(..).for_each(|place| sink(place.number, Event::Failed(Error::Batch(why.clone()))));
        }
        for place in places.extract_if(.., |place| place.making.answer.finish().is_some()) {
            sink(place.number, Event::End(Box::new(place.end())));
        }
    }
}

/// Rounds until an answer ends.
fn rounds(places: &mut [Place<'_>], cancel: &Cancel, sink: &mut dyn FnMut(usize, Event)) -> Result<()> {
    while places.iter().all(|place| place.making.answer.finish().is_none()) {
        if cancel.is_asked() {
            for place in &mut *places {
                place.making.answer.cancel();
            }
            break;
        }
        let (started, waits, waited) = (Instant::now(), nn::waits(), nn::waited());
        let rounds = round(places)?;
        let (seconds, waits, waited_s) = (started.elapsed().as_secs_f64(), nn::waits() - waits, nn::waited() - waited);
        for (place, round) in places.iter_mut().zip(rounds) {
            let spent = if round.proposed + round.cut > 0 { Spent::Together(seconds) } else { Spent::Plain(seconds) };
            place.decode_s += seconds;
            let took = Took { course: Course::Drafting, turn: None, spent, seconds, waits, waited_s };
            place.making.tell(round, took, &mut |event| sink(place.number, event));
        }
    }
    Ok(())
}

/// A round of each answer.
fn round(places: &mut [Place<'_>]) -> Result<Vec<decode::Round>> {
    let mut sides = Vec::with_capacity(places.len());
    for Place { making, session, schedule, .. } in places {
        let Making { answer, writing, sampler, .. } = making;
        let watch = |token| writing.push(token);
        sides.push((answer, session.sides(sampler), schedule, watch));
    }
    let batched = sides.iter_mut().map(|(answer, (target, drafter), schedule, watch)| Batched {
        answer,
        target,
        drafter: drafter.as_mut(),
        schedule: &mut ***schedule,
        watch,
    });
    Ok(decode::rounds(&mut batched.collect::<Vec<_>>())?)
}

impl<'a> Place<'a> {
    /// Loads what is not loaded, and reads the prompt.
    fn take(
        models: &mut Models,
        number: usize,
        request: &'a Request,
        at_once: usize,
        cancel: &Cancel,
        sink: &mut dyn FnMut(usize, Event),
    ) -> Result<Self> {
        let mut sink = |event| sink(number, event);
        let mut making = Making::begin(models, request, at_once, &mut sink)?;
        let mut session = Session::new(making.target.model.clone());
        let goes_on = making.read(&mut session, cancel, &mut sink)?;
        let schedule = making.drafting.as_ref().and_then(|(drafter, settings)| settings.schedule(drafter.facts()));
        if goes_on {
            sink(Event::Decoding { speculation: making.speculation.clone() });
        }
        Ok(Self { number, making, session, schedule: schedule.unwrap_or(Box::new(Fixed(0))), decode_s: 0.0 })
    }

    fn end(self) -> Answer {
        self.making.end(self.decode_s, (Cost::default(), None), [])
    }
}
