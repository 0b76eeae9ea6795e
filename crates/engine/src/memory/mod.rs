//! Whether what is asked for fits into memory, decided before it is loaded: a machine that runs out of memory does not
//! refuse, it freezes.

mod machine;
mod need;
mod shortage;
mod size;

use std::path::PathBuf;

pub use machine::{Machine, Room, processor};
pub use need::{Need, Plan};
pub(crate) use need::{dtype, exists};
pub use shortage::Shortage;
pub use size::size;

use crate::{DraftSource, Error, Precision, Request, Result};

/// What was let in.
#[derive(Debug)]
pub(crate) struct Admitted {
    target: PathBuf,
    drafter: Option<DraftSource>,
    precision: Precision,
    at_once: usize,
    plan: Plan,
    /// What was found to fit, bytes, or everything if the user insisted. It is not asked again for as much.
    agreed: u64,
}

/// Lets an answer in if there is room for it with this `drafter`, or if the user insists, or did for this target; `prompt`
/// is how many tokens it reads, as far as that is known, `at_once` how many such answers are made together, and `lent` how
/// many bytes of what is held are not theirs. Returns what they need.
pub(crate) fn admit(
    admitted: &mut Option<Admitted>,
    request: &Request,
    drafter: Option<&DraftSource>,
    at_once: usize,
    prompt: usize,
    lent: u64,
) -> Result<Need> {
    let before = admitted.take().filter(|admitted| admitted.target == request.target);
    let insists = request.memory.insist || before.as_ref().is_some_and(|before| before.agreed == u64::MAX);
    let admitted = admitted.insert(match before {
        Some(before) if before.is_for(request, drafter, at_once) => before,
        _ => Admitted::new(request, drafter, at_once)?,
    });
    if insists {
        admitted.agreed = u64::MAX;
    }
    // What this answer may come to, within the largest context that the user allows.
    let longest = prompt.saturating_add(request.controls.max_tokens);
    let context = request.controls.context.map_or(longest, |most| most.min(longest));
    let need = admitted.plan.need(context);
    if need.total() <= admitted.agreed {
        return Ok(need);
    }
    let room = Room::here(request.memory.reserve, lent);
    admitted.plan.check(context, room).map_err(Error::NoRoom)?;
    admitted.agreed = need.total();
    Ok(need)
}

impl Admitted {
    fn new(request: &Request, drafter: Option<&DraftSource>, at_once: usize) -> Result<Self> {
        let plan = Plan::of(&request.target, drafter, request.precision)?.at_once(at_once);
        let drafter = drafter.cloned();
        Ok(Self { target: request.target.clone(), drafter, precision: request.precision, at_once, plan, agreed: 0 })
    }

    fn is_for(&self, request: &Request, drafter: Option<&DraftSource>, at_once: usize) -> bool {
        self.at_once == at_once
            && self.target == request.target
            && self.drafter.as_ref() == drafter
            && self.precision == request.precision
    }
}
