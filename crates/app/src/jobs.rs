//! Work that this process does for minutes or hours, by id: how far it is, and how somebody interrupts it.

use std::collections::{HashMap, hash_map::Entry};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::Cancel;
use tokio::time::sleep;

/// How long to wait for another look.
const AGAIN: Duration = Duration::from_millis(50);

/// What this process does; `T` says how far each is.
#[derive(Debug)]
pub(crate) struct Jobs<T>(Arc<Mutex<HashMap<i64, Job<T>>>>);

/// That one runs, for as long as this is held: however its task ends, it is not entered any more.
#[derive(Debug)]
pub(crate) struct Entered<T> {
    jobs: Jobs<T>,
    id: i64,
}

impl<T> Drop for Entered<T> {
    fn drop(&mut self) {
        self.jobs.all().remove(&self.id);
    }
}

/// One that runs.
#[derive(Debug, Clone)]
pub(crate) struct Job<T> {
    cancel: Cancel,
    /// Whether it is to end for good when it pauses.
    stops: bool,
    /// Whether it came to an end, so that nobody reads any more what it is to do.
    ended: bool,
    /// How far it is.
    pub(crate) now: T,
}

impl<T> Default for Jobs<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Jobs<T> {
    fn all(&self) -> MutexGuard<'_, HashMap<i64, Job<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Job<T> {
    /// Whether nobody wants it to pause.
    pub(crate) fn goes_on(&self) -> bool {
        !self.ended && !self.cancel.is_asked()
    }
}

impl<T: Clone> Jobs<T> {
    pub(crate) fn get(&self, id: i64) -> Option<Job<T>> {
        self.all().get(&id).cloned()
    }

    /// Enters one that is about to run, unless it is here already.
    pub(crate) fn enter(&self, id: i64, now: T) -> Option<Entered<T>> {
        let mut all = self.all();
        let Entry::Vacant(place) = all.entry(id) else { return None };
        place.insert(Job { cancel: Cancel::default(), stops: false, ended: false, now });
        Some(Entered { jobs: Self(Arc::clone(&self.0)), id })
    }

    /// Lets one be interrupted by `cancel` from now on, and at once if somebody wanted that meanwhile.
    pub(crate) fn hear(&self, id: i64, cancel: Cancel) {
        if let Some(job) = self.all().get_mut(&id) {
            if job.cancel.is_asked() {
                cancel.cancel();
            }
            job.cancel = cancel;
        }
    }

    /// Notes how far one is.
    pub(crate) fn stands(&self, id: i64, change: impl FnOnce(&mut T)) {
        if let Some(job) = self.all().get_mut(&id) {
            change(&mut job.now);
        }
    }

    /// Notes that one came to an end. Returns whether it is to stop for good: nothing that is wanted later is heard.
    pub(crate) fn end(&self, id: i64) -> bool {
        self.all().get_mut(&id).is_some_and(|job| {
            job.ended = true;
            job.stops
        })
    }

    /// Wants one to pause, or to stop. Returns whether it runs here and will hear that.
    pub(crate) fn interrupt(&self, id: i64, stops: bool) -> bool {
        let mut all = self.all();
        let Some(job) = all.get_mut(&id).filter(|job| !job.ended) else { return false };
        job.stops |= stops;
        job.cancel.cancel();
        true
    }

    /// Waits until this process does not run one any more.
    pub(crate) async fn rested(&self, id: i64) {
        while self.get(id).is_some() {
            sleep(AGAIN).await;
        }
    }

    /// Waits until somebody wants one to pause, or it is gone.
    pub(crate) async fn unwanted(&self, id: i64) {
        while self.get(id).is_some_and(|job| job.goes_on()) {
            sleep(AGAIN).await;
        }
    }

    /// Pauses all, and waits until they have; for a program that ends.
    pub(crate) async fn pause_all(&self) {
        let ids = self.all().keys().copied().collect::<Vec<_>>();
        for &id in &ids {
            self.interrupt(id, false);
        }
        for id in ids {
            self.rested(id).await;
        }
    }
}
