//! How much of the machine's memory models may take.

use engine::Memory;

use crate::{App, Result};

/// The setting's key; its value is a number of bytes, or null.
const RESERVE: &str = "memory_reserve";

impl App {
    /// What stays free for everything else, bytes; `None` is the usual reserve.
    ///
    /// # Errors
    /// The database fails.
    pub async fn memory_reserve(&self) -> Result<Option<u64>> {
        self.chosen(RESERVE).await
    }

    /// Sets what stays free, bytes; `None` goes back to the usual reserve.
    ///
    /// # Errors
    /// The database fails.
    pub async fn set_memory_reserve(&self, bytes: Option<u64>) -> Result<()> {
        self.choose(RESERVE, &bytes).await
    }

    /// What an answer may take, as it is set; `insist` says that the user wants it all the same.
    ///
    /// # Errors
    /// The database fails.
    pub async fn memory(&self, insist: bool) -> Result<Memory> {
        Ok(Memory { reserve: self.memory_reserve().await?, insist })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use crate::testing;

    #[tokio::test]
    async fn the_reserve_is_remembered_and_can_be_the_usual_one_again() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        for reserve in [None, Some(7_000_000_000), None] {
            app.set_memory_reserve(reserve).await.unwrap();
            assert_eq!(app.memory(false).await.unwrap().reserve, reserve);
        }
    }
}
