//! The memory-bandwidth ceiling of plain decoding: it reads the whole target for each token, and memory is read only so
//! fast.

use engine::{CheckpointRole, Plan, Precision, second_best};
use tokio::sync::oneshot;

use crate::costs::machine;
use crate::library::blocking;
use crate::{App, Result};

/// Fewer bytes than this a processor may keep to itself: who reads them again need not wait for memory.
const CACHED: u64 = 128_000_000;

/// How many starts are remembered.
const STARTS: usize = 5;

/// How fast a target could decode plainly at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandwidthCeiling {
    /// What this machine was measured to read in a second, bytes.
    pub bandwidth: f64,
    /// What the target reads for a token, by its files, bytes; layers that share keys and values, and experts whose numbers
    /// are made wider, may read more.
    pub bytes_per_token: u64,
}

impl BandwidthCeiling {
    /// Tokens per second if nothing took any time but reading.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "nobody counts so many bytes one by one")]
    pub fn tokens_per_s(&self) -> f64 {
        self.bandwidth / self.bytes_per_token.max(1) as f64
    }
}

impl App {
    /// How fast a target could decode plainly at most behind `context` tokens. For the first that is ever asked
    /// about, this machine is measured behind whatever the engine does at the moment; `None` if that cannot be
    /// done now, or if the target reads so little that the processor may keep it to itself.
    ///
    /// # Errors
    /// The target is not in the list or cannot be used, or the database fails.
    pub async fn bandwidth_ceiling(
        &self,
        target: &str,
        precision: Precision,
        context: usize,
    ) -> Result<Option<BandwidthCeiling>> {
        let folder = self.usable(target, CheckpointRole::Target).await?.folder;
        let plan = blocking(move || Ok(Plan::of(&folder, None, precision)?)).await?;
        let bytes_per_token = plan.bytes_read(context);
        if bytes_per_token < CACHED {
            return Ok(None);
        }
        Ok(self.bandwidth().await?.map(|bandwidth| BandwidthCeiling { bandwidth, bytes_per_token }))
    }

    /// Bytes of memory that this machine reads in a second: the second best that the last starts have measured, since other
    /// programs may have read too meanwhile. What is known is answered at once; a start that has not measured yet does so
    /// for the next time.
    async fn bandwidth(&self) -> Result<Option<f64>> {
        let known = self.bandwidths().await?;
        if known.is_empty() {
            self.measure_bandwidth().await?;
            return Ok(second_best(&self.bandwidths().await?));
        }
        if self.bandwidth_measured.try_lock().is_ok_and(|measured| !*measured) {
            let app = self.clone();
            tokio::spawn(async move { app.measure_bandwidth().await });
        }
        Ok(second_best(&known))
    }

    /// Measures behind whatever the engine does at the moment, once in a start, and remembers it.
    async fn measure_bandwidth(&self) -> Result<()> {
        let mut measured = self.bandwidth_measured.lock().await;
        if *measured {
            return Ok(());
        }
        let (done, told) = oneshot::channel();
        // Nobody waits any more if the send fails.
        self.engine.bandwidth(self.memory_reserve().await?, move |result| drop(done.send(result)));
        if let Some(bandwidth) = told.await.unwrap_or(Err(engine::Error::Closed))? {
            let mut known = self.bandwidths().await?;
            known.insert(0, bandwidth);
            known.truncate(STARTS);
            self.choose(&key(), &known).await?;
            *measured = true;
        }
        Ok(())
    }

    /// What the last starts have measured, the newest first.
    async fn bandwidths(&self) -> Result<Vec<f64>> {
        self.chosen(&key()).await
    }
}

fn key() -> String {
    format!("bandwidth: {}, {}", machine(), env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::{STARTS, key};
    use crate::testing;

    #[tokio::test]
    async fn what_is_known_is_answered_at_once() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        app.choose(&key(), &[1e30]).await.unwrap();
        // Who measures holds this; nobody can now.
        let _measuring = app.bandwidth_measured.lock().await;
        assert_eq!(app.bandwidth().await.unwrap(), Some(1e30));
    }

    #[tokio::test]
    async fn a_start_that_was_out_of_line_is_not_believed_for_ever() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        app.set_memory_reserve(Some(0)).await.unwrap();
        app.choose(&key(), &[1e30]).await.unwrap();
        for _ in 0..2 {
            app.measure_bandwidth().await.unwrap();
        }
        let known = app.bandwidths().await.unwrap();
        assert_eq!((known.len(), known[1]), (2, 1e30));
        assert_eq!(app.bandwidth().await.unwrap(), Some(known[0]));
    }

    #[tokio::test]
    async fn only_the_last_starts_count() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        app.set_memory_reserve(Some(0)).await.unwrap();
        app.choose(&key(), &[1e30; STARTS]).await.unwrap();
        app.measure_bandwidth().await.unwrap();
        assert_eq!(app.bandwidths().await.unwrap().len(), STARTS);
    }
}
