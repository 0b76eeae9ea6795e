//! Work that one process does at a time: each claims it by a lock on a file, which ends with the process at the latest.

use std::fs::{File, TryLockError};
use std::time::Duration;

use tokio::time::sleep;

use super::Library;
use crate::{Error, Result};

/// How long to wait for another look at who holds a claim, and how often.
const AGAIN: Duration = Duration::from_millis(50);
const TIMES: usize = 4;

impl Library {
    /// The right to do the work of this name, until it is dropped; nothing if another process has it, or somebody here.
    pub(crate) async fn claim(&self, name: &str) -> Result<Option<File>> {
        let file = self.lock_file(name)?;
        for _ in 0..TIMES {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::WouldBlock) => sleep(AGAIN).await, // somebody may only look
                Err(TryLockError::Error(source)) => return Err(Error::Home { path: self.home.clone(), source }),
            }
        }
        Ok(None)
    }

    /// Whether somebody has claimed it.
    pub(crate) fn is_claimed(&self, name: &str) -> Result<bool> {
        Ok(matches!(self.lock_file(name)?.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}
