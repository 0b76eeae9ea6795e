//! The files that the user chose in the system's dialog: only those are read for the page.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// What was chosen since the app began.
#[derive(Default)]
pub(crate) struct Chosen(Mutex<HashSet<PathBuf>>);

impl Chosen {
    /// The user chose a file.
    pub(crate) fn put(&self, path: PathBuf) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
    }

    /// Whether the user chose a file.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&PathBuf::from(path))
    }
}

#[cfg(test)]
mod tests {
    use super::Chosen;

    #[test]
    fn only_what_was_chosen_is_there() {
        let chosen = Chosen::default();
        chosen.put("/data/prompts.txt".into());
        assert!(chosen.has("/data/prompts.txt") && !chosen.has("/data/letters.txt"));
    }
}
