//! Bytes that wait in memory to be hashed, so that they need not be read back from the file.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use bytes::Bytes;

/// The most that all files of a download hold, bytes.
const MOST: usize = 16 << 20;

/// How much all files of a download hold together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Budget(Arc<AtomicUsize>);

/// Some parts of one content, by where they begin. What does not fit the budget is not kept.
#[derive(Debug, Default)]
pub(crate) struct Held {
    parts: BTreeMap<u64, Bytes>,
    budget: Budget,
}

impl Held {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self { parts: BTreeMap::new(), budget: budget.clone() }
    }

    pub(crate) fn keep(&mut self, start: u64, bytes: Bytes) {
        if self.budget.0.load(Relaxed) + bytes.len() <= MOST {
            self.budget.0.fetch_add(bytes.len(), Relaxed);
            self.parts.insert(start, bytes);
        }
    }

    /// The part that begins at `start`, to be hashed and let go.
    pub(crate) fn take(&mut self, start: u64) -> Option<Bytes> {
        let part = self.parts.remove(&start)?;
        self.budget.0.fetch_sub(part.len(), Relaxed);
        Some(part)
    }

    /// Where the first part begins that is held.
    pub(crate) fn first(&self) -> Option<u64> {
        self.parts.keys().next().copied()
    }

    pub(crate) fn clear(&mut self) {
        while let Some(start) = self.first() {
            self.take(start);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.clear();
    }
}
