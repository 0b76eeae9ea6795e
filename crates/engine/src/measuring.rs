//! What rounds cost where nothing is known of it yet: a few are tried, timed and rolled back.

use std::{
    iter,
    time::{Duration, Instant},
};

use decode::{Draft as _, Drafter as _, Target as _, Token};
use nn::{Penalties, Sampler, Sampling};

use crate::{
    Cancel, Request, Result,
    pilot::Pilot,
    rounds::{Proposing, Stopwatch, Verifying},
    session::Session,
};

/// How often a round of each length is tried, if there is time; the faster counts. The answer's own first step is the
/// third plain one that parking asks for, so nobody drafts before a row has been committed: until then an assistant
/// would see one row less of the target's window.
const REPEATS: usize = 2;

/// After this time, counted from the end of the first, no further round is tried.
const BUDGET: Duration = Duration::from_secs(2);

/// Tries rounds of every length behind `anchor` unless the `pilot`, if there is one, knows what they cost or does not
/// care. Returns the seconds that it took. No word of the answer depends on them, neither by the caches nor by what it is
/// drawn with.
///
/// The first round is not counted: it may read weights and make kernels ready. Of those that are, a plain step and the
/// longest draft come first, so that there is a line between them whenever time is up.
pub(crate) fn measure(
    session: &mut Session,
    pilot: Option<&mut Pilot>,
    request: &Request,
    anchor: Token,
    cancel: &Cancel,
) -> Result<f64> {
    let (started, position) = (Instant::now(), session.position());
    let Some(pilot) = pilot else { return Ok(0.0) };
    let Some(limit) = pilot.unmeasured(position) else { return Ok(0.0) };
    // Penalties count the text, and what is tried here is not part of it.
    let sampler = Sampler::new(Sampling { penalties: Penalties::default(), ..request.controls.sampling });
    let (verifier, Some(proposer)) = session.sides(&sampler) else { return Ok(0.0) };
    let (watch, confident) = (Stopwatch::default(), pilot.reads_confidence());
    let (mut target, mut drafter) = (Verifying { verifier, watch: &watch }, Proposing::new(proposer, &watch));

    let mut warm = None::<Instant>;
    let counted = iter::repeat_n([0, limit].into_iter().chain(1..limit), REPEATS).flatten();
    for length in iter::once(limit).chain(counted) {
        if cancel.is_asked() || warm.is_some_and(|warm| warm.elapsed() > BUDGET) {
            break;
        }
        let (began, asked) = (Instant::now(), if confident && length > 0 { limit } else { length });
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
        match warm {
            Some(_) => pilot.measure(position, asked, length + 1, spent),
            None => warm = Some(Instant::now()),
        }
    }
    Ok(started.elapsed().as_secs_f64())
}
