//! Rounds of several answers at once: each model's weights are read once for all of them.

use std::ops::ControlFlow;

use crate::{Answer, Ask, Block, Draft, Drafter, Round, Schedule, Target, Token, answer::Sent};

/// An answer of a batch, and what its rounds need. Lengths, schedules and ends are its own.
pub struct Batched<'a, T, D> {
    /// The answer, which has not [finished](Answer::finish).
    pub answer: &'a mut Answer,
    /// The target, with the caches of this answer's conversation.
    pub target: &'a mut T,
    /// The drafter, likewise.
    pub drafter: Option<&'a mut D>,
    /// How long its drafts are.
    pub schedule: &'a mut dyn Schedule,
    /// Sees each token as it is emitted, and may end the answer with it.
    pub watch: &'a mut dyn FnMut(Token) -> ControlFlow<()>,
}

/// One [round](Answer::round) of each answer, with one pass of each model for all. What an answer says does not depend on
/// the others. One that fails by itself leaves the others as they are.
///
/// # Errors
/// When a pass fails for all of them. The caches are then unusable, the tokens emitted before stay right.
pub fn rounds<T, D>(batch: &mut [Batched<'_, T, D>]) -> Result<Vec<Result<Round, T::Error>>, T::Error>
where
    T: Target,
    D: Drafter<Draft = T::Draft, Taps = T::Taps>,
    T::Draft: Draft<Error = D::Error>,
    T::Error: From<D::Error>,
{
    let sent = propose(batch)?;
    let blocks = batch.iter_mut().zip(&sent);
    let blocks = blocks.map(|(one, sent)| Block {
        target: &mut *one.target,
        anchor: one.answer.anchor(),
        draft: sent.draft.as_ref(),
    });
    let passes = T::verify_all(blocks.collect())?;
    let settled = batch.iter_mut().zip(sent).zip(passes).map(|((one, sent), pass)| {
        let drafter = one.drafter.as_deref_mut();
        one.answer.settle(&sent, &pass?, one.target, drafter, one.schedule, one.watch)
    });
    Ok(settled.collect())
}

/// Every answer's draft as its schedule leaves it.
fn propose<T, D>(batch: &mut [Batched<'_, T, D>]) -> Result<Vec<Sent<T::Draft>>, D::Error>
where
    T: Target,
    D: Drafter<Draft = T::Draft, Taps = T::Taps>,
    T::Draft: Draft<Error = D::Error>,
{
    let (mut wanted, mut asks) = (Vec::with_capacity(batch.len()), Vec::new());
    for one in &mut *batch {
        let limit = one.drafter.as_ref().map_or(0, |drafter| drafter.limit());
        let want = one.answer.want(one.schedule, limit);
        if let Some(drafter) = one.drafter.as_deref_mut().filter(|_| want.limit > 0) {
            let (anchor, position) = (one.answer.anchor(), one.answer.position());
            asks.push(Ask { drafter, anchor, position, limit: want.limit });
        }
        wanted.push(want);
    }
    let mut proposed = D::propose_all(asks)?.into_iter();
    let drafts = wanted.iter().map(|want| if want.limit > 0 { proposed.next() } else { None }).collect::<Vec<_>>();

    let read =
        |(one, draft): (&Batched<'_, T, D>, &Option<T::Draft>)| draft.is_some() && one.schedule.reads_confidence();
    let read = batch.iter().zip(&drafts).map(read).collect::<Vec<_>>();
    let judged = drafts.iter().zip(&read).filter_map(|(draft, read)| draft.as_ref().filter(|_| *read));
    let mut confidences = T::Draft::confidences_of(&judged.collect::<Vec<_>>())?.into_iter();
    let sent = batch.iter_mut().zip(wanted).zip(drafts).zip(read).map(|(((one, want), draft), read)| {
        let confidences = if read { confidences.next().flatten() } else { None };
        match draft {
            Some(draft) => want.send(one.schedule, draft, confidences.as_deref()),
            None => Ok(want.nothing()),
        }
    });
    sent.collect()
}
