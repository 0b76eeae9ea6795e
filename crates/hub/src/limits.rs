//! How hard, how long and how far a download tries.

use std::time::Duration;

/// What bounds a download. The defaults suit large files and a home connection, and outlast a few minutes without one.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How many requests run side by side.
    pub connections: usize,
    /// For how long the first of them is alone before it is judged: the others wait while it is fast enough.
    pub alone: Duration,
    /// How much of a file one request fetches, bytes.
    pub piece: u32,
    /// How many failures in a row, with no byte between them, end a download. A listing or a search is given up sooner.
    pub attempts: u32,
    /// A server that sends nothing for this long is asked again.
    pub stall: Duration,
    /// The wait after a first failure; it doubles with each one that follows, and chance adds up to half of it.
    pub first_wait: Duration,
    /// The longest wait, whatever the server asks for, but for what chance adds.
    pub longest_wait: Duration,
    /// What a download leaves free on the disk, bytes.
    pub reserve: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 6,
            alone: Duration::from_millis(200),
            piece: 8 << 20,
            attempts: 10,
            stall: Duration::from_secs(30),
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_mins(1),
            reserve: 1 << 30,
        }
    }
}
