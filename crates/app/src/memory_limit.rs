//! What the memory of this machine allows: plain decoding reads the whole target for each token, and memory is read only
//! so fast.

use engine::{CheckpointRole, Plan, Precision};
use tokio::sync::oneshot;

use crate::costs::machine;
use crate::{App, Result};

/// How fast a target could decode plainly at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryLimit {
    /// The most that this machine was ever measured to read in a second, bytes.
    pub bandwidth: f64,
    /// What the target reads for a token, bytes.
    pub step: u64,
}

impl MemoryLimit {
    /// Tokens per second if nothing took any time but reading.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "nobody counts so many bytes one by one")]
    pub fn tokens_per_s(&self) -> f64 {
        self.bandwidth / self.step.max(1) as f64
    }
}

impl App {
    /// How fast a target could decode plainly at most behind `context` tokens. For the first that is asked about, this
    /// machine is measured behind whatever the engine does at the moment; `None` if that cannot be done now and never was.
    ///
    /// # Errors
    /// The target is not in the list or cannot be used, or the database fails.
    pub async fn memory_limit(
        &self,
        target: &str,
        precision: Precision,
        context: usize,
    ) -> Result<Option<MemoryLimit>> {
        let folder = self.usable(target, CheckpointRole::Target).await?.folder;
        let step = move || Ok(Plan::of(&folder, None, precision)?.step(context));
        let step = tokio::task::spawn_blocking(step).await.unwrap_or(Err(engine::Error::Closed))?;
        Ok(self.bandwidth().await?.map(|bandwidth| MemoryLimit { bandwidth, step }))
    }

    /// Bytes of memory that this machine reads in a second: the most that any start has measured, for other programs may
    /// have read too while it did.
    async fn bandwidth(&self) -> Result<Option<f64>> {
        let (done, measured) = oneshot::channel();
        // Nobody waits any more if the send fails.
        self.engine.bandwidth(move |result| drop(done.send(result)));
        let measured = measured.await.unwrap_or(Err(engine::Error::Closed))?;
        let known = self.chosen::<Option<f64>>(&key()).await?;
        // Nothing is less than any number.
        if known >= measured {
            return Ok(known);
        }
        self.choose(&key(), &measured).await?;
        Ok(measured)
    }
}

fn key() -> String {
    format!("bandwidth: {}, {}", machine(), env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::key;
    use crate::testing;

    #[tokio::test]
    async fn the_most_that_was_ever_measured_is_remembered() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        for known in [1e30, 1e31] {
            app.choose(&key(), &Some(known)).await.unwrap();
            assert_eq!(app.bandwidth().await.unwrap(), Some(known));
        }
        app.choose(&key(), &Some(1.0)).await.unwrap();
        assert!(app.bandwidth().await.unwrap() > Some(1.0));
    }
}
