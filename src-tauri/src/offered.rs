//! What was looked at last, and what was offered: only that can be got.

use std::sync::{Mutex, MutexGuard, PoisonError};

use app::Offer;

/// What was looked at last.
#[derive(Default)]
pub(crate) struct Offered(Mutex<Look>);

#[derive(Default)]
struct Look {
    repo: String,
    offer: Option<Offer>,
}

impl Offered {
    /// Somebody wants to know what the Hub has of this repo.
    pub(crate) fn look_at(&self, repo: &str) {
        *self.last() = Look { repo: repo.to_owned(), offer: None };
    }

    /// What the Hub has of it, unless somebody looks at another by now. The Hub may spell it otherwise.
    pub(crate) fn put(&self, repo: &str, offer: Offer) {
        let mut last = self.last();
        if last.repo == repo {
            last.offer = Some(offer);
        }
    }

    pub(crate) fn was_looked_at(&self, repo: &str) -> bool {
        let last = self.last();
        let names = [Some(last.repo.as_str()), last.offer.as_ref().map(|offer| offer.repo.as_str())];
        names.into_iter().flatten().any(|name| name.eq_ignore_ascii_case(repo))
    }

    /// The offer of this commit, if it is the last.
    pub(crate) fn find(&self, repo: &str, commit: &str) -> Option<Offer> {
        let offer = self.last().offer.clone();
        offer.filter(|offer| offer.repo == repo && offer.commit == commit)
    }

    fn last(&self) -> MutexGuard<'_, Look> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Offered;

    #[test]
    fn a_page_is_shown_of_the_repo_that_was_looked_at_last_and_of_no_other() {
        let offered = Offered::default();
        assert!(!offered.was_looked_at("ada/one"));
        offered.look_at("ada/one");
        offered.look_at("ada/two");
        assert!(offered.was_looked_at("Ada/Two") && !offered.was_looked_at("ada/one"));
        assert!(offered.find("ada/two", "").is_none());
    }
}
