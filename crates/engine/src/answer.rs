//! One answer: load, read the prompt, decode, tell.

use std::time::Instant;

use calibration::Spent;
use decode::{Fixed, Schedule};

use crate::{
    Answer, Cancel, Course, Event, Request, Result,
    event::Took,
    making::Making,
    measuring,
    models::Models,
    pilot::{Known, Pilot},
    rounds::{Proposing, Stopwatch, Verifying},
    session::Session,
};

/// Makes the answer that `request` asks for.
pub(crate) fn make(
    models: &mut Models,
    request: &Request,
    cancel: &Cancel,
    sink: &mut dyn FnMut(Event),
) -> Result<Answer> {
    nn::reset_memory_peak();
    let mut making = Making::begin(models, request, 1, sink)?;
    let mut session = models.session(&making.target);
    let goes_on = making.read(&mut session, cancel, sink)?;
    let drafting = making.drafting.as_ref().zip(request.drafting());
    let mut pilot =
        drafting.map(|((drafter, settings), source)| models.pilot(source, drafter, settings.clone(), request));
    if goes_on {
        let anchor = making.prompt.anchor();
        making.stats.measuring_s = measuring::measure(&mut session, pilot.as_mut(), request, anchor, cancel, sink)?;
        sink(Event::Decoding { speculation: making.speculation.clone() });
    }
    let started = Instant::now();
    decode(&mut making, &mut session, pilot.as_mut(), cancel, sink)?;
    let decode_s = started.elapsed().as_secs_f64();
    let known = pilot.as_ref().map_or_else(Known::default, Pilot::known);
    let remarks = pilot.iter_mut().flat_map(Pilot::remarks).collect::<Vec<_>>();
    if let Some((source, pilot)) = request.drafting().zip(pilot) {
        models.keep_pilot(source, pilot);
    }
    session.hold(making.prompt.prompt().iter().chain(making.answer.emitted()).copied());
    models.keep(session);
    Ok(making.end(decode_s, known, remarks))
}

/// Round after round, until the answer ends.
fn decode(
    making: &mut Making<'_>,
    session: &mut Session,
    mut pilot: Option<&mut Pilot>,
    cancel: &Cancel,
    sink: &mut dyn FnMut(Event),
) -> Result<()> {
    let (watch, mut position) = (Stopwatch::default(), session.position());
    let (verifier, proposer) = session.sides(&making.sampler);
    let mut verifier = Verifying { verifier, watch: &watch };
    let mut proposer = proposer.map(|proposer| Proposing::new(proposer, &watch));
    let mut plain = Fixed(0);
    while making.answer.finish().is_none() {
        if cancel.is_asked() {
            making.answer.cancel();
            break;
        }
        let (started, waits, computed) = (Instant::now(), nn::waits(), nn::computed());
        let course = pilot.as_ref().map_or(Course::Drafting, |pilot| pilot.course());
        let mut scaled = pilot.as_mut().map(|pilot| pilot.schedule(position));
        let schedule: &mut dyn Schedule = match &mut scaled {
            Some(scaled) => scaled,
            None => &mut plain,
        };
        let Making { answer, writing, .. } = &mut *making;
        let round = answer.round(&mut verifier, proposer.as_mut(), schedule, &mut |token| writing.push(token))?;
        let mut spent = watch.lap(started);
        if round.proposed + round.cut == 0 {
            spent = Spent::Plain(spent.seconds()); // the drafter had nothing to say
        }
        position += round.emitted.len();
        // A round that ends the answer may have ended within its draft: its time is no measure.
        let goes_on = answer.finish().is_none();
        let turn = pilot.as_mut().filter(|_| goes_on).and_then(|pilot| pilot.learn(&round, spent));
        let (waits, device_s) = (nn::waits() - waits, nn::computed() - computed);
        let seconds = started.elapsed().as_secs_f64();
        making.tell(round, Took { course, turn, spent, seconds, waits, device_s }, sink);
    }
    proposer.as_mut().map_or(Ok(()), Proposing::catch_up)?;
    Ok(())
}
