//! How many requests of a download run side by side.

use std::time::Duration;

use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

use crate::{Limits, meter::Meter};

/// Bytes per second. A request that brings so many needs no others beside it: this is more than lines carry, and what
/// comes in order is hashed while it is still in the processor's own memory.
const ENOUGH: f64 = 200e6;

/// A first lane, and others that open where it is not fast enough by itself.
pub(crate) struct Lanes {
    free: Semaphore,
    others: usize,
    alone: Duration,
}

impl Lanes {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { free: Semaphore::new(1), others: limits.connections.saturating_sub(1), alone: limits.alone }
    }

    /// Waits for a lane, which is free again when the permit is dropped. Never closed, so this never fails.
    pub(crate) async fn enter(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.free.acquire().await
    }

    /// Opens the others once the first brings too little, and then waits for ever.
    pub(crate) async fn widen(&self, meter: &Meter) {
        let enough = ENOUGH * self.alone.as_secs_f64();
        let mut before = 0;
        loop {
            tokio::time::sleep(self.alone).await;
            let now = meter.all_arrived();
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let new = (now - before) as f64;
            if new <= enough {
                break;
            }
            before = now;
        }
        self.free.add_permits(self.others);
        std::future::pending::<()>().await;
    }
}
