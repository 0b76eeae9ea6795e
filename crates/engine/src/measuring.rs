//! What rounds cost where nothing is known of it yet: a few are tried, timed and rolled back.

use std::time::{Duration, Instant};

use decode::{Draft as _, Drafter as _, Target as _, Token};
use nn::{Penalties, Sampler, Sampling};

use crate::{
    Cancel, Event, Request, Result,
    pilot::Pilot,
    rounds::{Proposing, Stopwatch, Verifying},
    session::Session,
};

/// After this time, counted from the end of the first round, no further one is tried, unless all are to be.
const BUDGET: Duration = Duration::from_secs(2);

/// Tries the rounds behind `anchor` whose cost the `pilot`, if there is one, [must know](Pilot::to_measure). Returns the
/// seconds that it took. No word of the answer depends on them, neither by the caches nor by what it is drawn with.
///
/// The first round is not counted, since it may read weights and make kernels ready, unless it alone uses up the time that
/// there is:
/// then it is the only one of its length, and a plain step is all that is tried beside it.
pub(crate) fn measure(
    session: &mut Session,
    pilot: Option<&mut Pilot>,
    request: &Request,
    anchor: Token,
    cancel: &Cancel,
    sink: &mut dyn FnMut(Event),
) -> Result<f64> {
    let (started, position) = (Instant::now(), session.position());
    let Some(pilot) = pilot else { return Ok(0.0) };
    let lengths = pilot.to_measure(position);
    if lengths.is_empty() {
        return Ok(0.0);
    }
    sink(Event::Measuring);
    let longest = lengths.iter().copied().max().unwrap_or(0);
    // Penalties count the text, and what is tried here is not part of it.
    let sampler = Sampler::new(Sampling { penalties: Penalties::default(), ..request.controls.sampling });
    let (verifier, Some(proposer)) = session.sides(&sampler) else { return Ok(0.0) };
    let (watch, confident) = (Stopwatch::default(), pilot.reads_confidence());
    let (mut target, mut drafter) = (Verifying { verifier, watch: &watch }, Proposing::new(proposer, &watch));

    let (mut warm, mut slow) = (None::<Instant>, false);
    for (tried, &length) in lengths.iter().enumerate() {
        let over = warm.is_some_and(|warm| warm.elapsed() > BUDGET) || slow && length > 0;
        if cancel.is_asked() || over && !request.afresh {
            break;
        }
        // Who reads confidences always asks for the longest; to know what others cost is for people to see.
        let all_asked = confident && length > 0 && !request.afresh;
        let (began, asked) = (Instant::now(), if all_asked { longest } else { length });
        let mut draft = None;
        if asked > 0 {
            let mut proposal = drafter.propose(anchor, position, asked)?;
            if proposal.len() < asked {
                break; // here it has little to say, so there is little to be timed
            }
            if confident {
                proposal.confidences()?;
                proposal.truncate(length)?;
            }
            draft = Some(proposal);
        }
        target.verify(anchor, draft.as_ref())?;
        target.commit(0)?;
        let spent = watch.lap(began);
        slow |= tried == 0 && began.elapsed() > BUDGET;
        if tried > 0 || slow {
            pilot.measure(position, asked, length + 1, spent);
        }
        warm.get_or_insert_with(Instant::now);
    }
    Ok(started.elapsed().as_secs_f64())
}
