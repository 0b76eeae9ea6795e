//! Several answers at once, by the same models: weights are read once a round for all of them. An answer that ends leaves
//! its place to the next one.

use std::{sync::Arc, time::Instant};

use calibration::{Calibration, Spent};
use decode::{Batched, Fixed, Parking, Schedule};

use crate::{
    Answer, Cancel, Course, Error, Event, Request, Result, Scheduling, event::Took, making::Making, models::Models,
    pilot::Known, session::Session,
};

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
    let at_once = at_once.clamp(1, requests.len().max(1));
    let mut waiting = requests.iter().enumerate();
    let mut batch = Batch::default();
    loop {
        while batch.places.len() < at_once {
            let Some((number, request)) = waiting.next() else { break };
            let place = if request.shares_models_with(&requests[0]) {
                Place::take(models, number, request, at_once, cancel, sink)
            } else {
                Err(Error::OtherModels)
            };
            match place {
                Ok(place) => batch.places.push(place),
                Err(error) => sink(number, Event::Failed(error)),
            }
        }
        if batch.places.is_empty() {
            return;
        }
        batch.rounds(cancel, sink);
        batch.leave(sink);
    }
}

/// Of an answer without a drafter.
static UNCALIBRATED: Calibration = Calibration { temperatures: Vec::new(), thresholds: Vec::new() };

/// The answers that are being made.
#[derive(Default)]
struct Batch<'a> {
    places: Vec<Place<'a>>,
    /// Whether drafting is worth it for so many, per token of any of them; asked if none of them has settled that.
    parking: Parking,
}

/// An answer that is being made, with a conversation of its own.
struct Place<'a> {
    number: usize,
    making: Making<'a>,
    session: Session,
    schedule: Box<dyn Schedule>,
    decode_s: f64,
    failed: Option<Error>,
}

impl Batch<'_> {
    /// Rounds until an answer ends.
    fn rounds(&mut self, cancel: &Cancel, sink: &mut dyn FnMut(usize, Event)) {
        self.parking = Parking::default(); // others are worth something else
        while self.places.iter().all(|place| place.failed.is_none() && place.making.answer.finish().is_none()) {
            if cancel.is_asked() {
                for place in &mut self.places {
                    place.making.answer.cancel();
                }
                return;
            }
            if let Err(error) = self.round(sink) {
                // Nobody knows what the caches hold by now.
                let error = Arc::new(error);
                for place in &mut self.places {
                    place.failed = Some(Error::Batch(Arc::clone(&error)));
                }
            }
        }
    }

    /// A round of each answer.
    fn round(&mut self, sink: &mut dyn FnMut(usize, Event)) -> Result<()> {
        let (started, waits, computed) = (Instant::now(), nn::waits(), nn::computed());
        let left_to_us = self.places.iter().all(Place::leaves_it_to_us);
        let course = if left_to_us { Course::of(&self.parking) } else { Course::Drafting };
        let rounds = rounds(&mut self.places, course)?;
        let (seconds, waits, device_s) =
            (started.elapsed().as_secs_f64(), nn::waits() - waits, nn::computed() - computed);
        let drafted = |round: &decode::Round| round.proposed + round.cut > 0;
        let tokens = rounds.iter().flatten().map(|round| round.emitted.len()).sum::<usize>();
        let turn = if rounds.iter().flatten().any(drafted) {
            self.parking.drafting_round(tokens, seconds)
        } else {
            self.parking.plain_step(seconds / count(tokens.max(1)))
        };
        for (place, round) in self.places.iter_mut().zip(rounds) {
            place.decode_s += seconds;
            match round {
                Ok(round) => {
                    let spent = if drafted(&round) { Spent::Together(seconds) } else { Spent::Plain(seconds) };
                    let took = Took { course, turn, spent, seconds, waits, device_s };
                    place.making.tell(round, took, &mut |event| sink(place.number, event));
                }
                Err(error) => place.failed = Some(error),
            }
        }
        Ok(())
    }

    /// Lets those go that have ended.
    fn leave(&mut self, sink: &mut dyn FnMut(usize, Event)) {
        let plain_step_s = self.parking.plain_s();
        let has_ended = |place: &mut Place<'_>| place.failed.is_some() || place.making.answer.finish().is_some();
        for mut place in self.places.extract_if(.., has_ended) {
            let (number, failed) = (place.number, place.failed.take());
            sink(number, failed.map_or_else(|| Event::End(Box::new(place.end(plain_step_s))), Event::Failed));
        }
    }
}

/// One pass of each model for all of them.
fn rounds(places: &mut [Place<'_>], course: Course) -> Result<Vec<Result<decode::Round>>> {
    let mut sides = Vec::with_capacity(places.len());
    for Place { making, session, schedule, .. } in places {
        let Making { answer, writing, sampler, drafting, .. } = making;
        let watch = |token| writing.push(token);
        let calibration = drafting.as_ref().map_or(&UNCALIBRATED, |(_, settings)| &settings.calibration);
        sides.push((answer, session.sides(sampler), calibration.over(&mut **schedule), Fixed(0), watch));
    }
    let batched = sides.iter_mut().map(|(answer, (target, drafter), schedule, plain, watch)| Batched {
        answer,
        target,
        drafter: drafter.as_mut(),
        schedule: if course == Course::Drafting { schedule } else { plain },
        watch,
    });
    let rounds = decode::rounds(&mut batched.collect::<Vec<_>>())?;
    Ok(rounds.into_iter().map(|round| Ok(round?)).collect())
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
        let schedule = making.share();
        let mut session = Session::of_one_answer(making.target.model.clone());
        if making.read(&mut session, cancel, &mut sink)? {
            sink(Event::Decoding { speculation: making.speculation.clone() });
        }
        Ok(Self { number, making, session, schedule, decode_s: 0.0, failed: None })
    }

    /// Whether there are drafts, and the user has not settled how long they are.
    fn leaves_it_to_us(&self) -> bool {
        let Making { request: Request { controls, .. }, drafting, .. } = &self.making;
        drafting.is_some()
            && controls.schedule == Scheduling::Auto
            && controls.gamma.is_none()
            && controls.min_conf.is_none()
    }

    fn end(self, plain_step_s: Option<f64>) -> Answer {
        self.making.end(self.decode_s, Known { plain_step_s, ..Known::default() }, [])
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few tokens")]
fn count(tokens: usize) -> f64 {
    tokens as f64
}
