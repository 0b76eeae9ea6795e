//! Comparisons that run: which, how far, and how each is interrupted.

use std::fs::File;

use store::{ComparisonProgress, ComparisonState};
use tokio::sync::watch;

use super::columns::Run;
use super::{ComparisonOrder, Race};
use crate::awake::Awake;
use crate::jobs::Jobs;
use crate::measuring::Pace;
use crate::{App, Error, Result};

/// The comparisons that this process runs, and what the one that has its turn writes.
#[derive(Debug, Default)]
pub(crate) struct Comparisons {
    pub(super) jobs: Jobs<Stands>,
    pub(super) race: watch::Sender<Option<Race>>,
}

/// How far a comparison is that this process runs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stands {
    pub(super) progress: ComparisonProgress,
    pub(super) pace: Pace,
}

impl Comparisons {
    /// Notes how far one is.
    pub(super) fn stands(&self, id: i64, done: usize, total: usize) -> ComparisonProgress {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (state, done, total) = (ComparisonState::Running, number(done), number(total));
        let progress = ComparisonProgress { state, done, total };
        self.jobs.stands(id, |now| *now = Stands { progress, pace: now.pace.at(done, total) });
        progress
    }

    /// Shows a prompt that is answered from now on.
    pub(super) fn show(&self, race: Race) {
        self.race.send_replace(Some(race));
    }

    /// Notes what is written.
    pub(super) fn change(&self, change: impl FnOnce(&mut Race)) {
        self.race.send_if_modified(|race| race.as_mut().map(change).is_some());
    }
}

impl App {
    /// Pauses what runs, and waits until it has; for a program that ends.
    pub async fn pause_comparisons(&self) {
        self.comparisons.jobs.pause_all().await;
    }

    /// The right to run a comparison, until it is dropped.
    pub(super) async fn claim_comparison(&self, id: i64) -> Result<File> {
        self.library.claim(&format!("comparison-{id}")).await?.ok_or(Error::ComparedElsewhere(id))
    }

    /// Whether some process runs a comparison.
    pub(super) fn is_comparison_claimed(&self, id: i64) -> Result<bool> {
        self.library.is_claimed(&format!("comparison-{id}"))
    }

    /// Runs a comparison from where it stands; returns once it is on its way.
    pub(super) async fn run_comparison(
        &self,
        id: i64,
        order: &ComparisonOrder,
        before: ComparisonProgress,
    ) -> Result<()> {
        let waiting = ComparisonProgress { state: ComparisonState::Waiting, ..before };
        let Some(entered) = self.comparisons.jobs.enter(id, Stands { progress: waiting, ..Stands::default() }) else {
            return Ok(()); // somebody here lets it run at this very moment
        };
        let claim = self.claim_comparison(id).await?;
        let run = Run::new(self, id, order).await?;
        self.store.note_comparison(id, waiting, None).await?;
        let app = self.clone();
        tokio::spawn(async move {
            let _awake = Awake::new("Drafters are compared");
            let ended = match app.turn_to_measure(&app.comparisons.jobs, id).await {
                Ok(Some(_turn)) => run.go_on().await,
                Ok(None) => Ok(false),
                Err(error) => Err(error),
            };
            let state = if ended.is_ok() { ComparisonState::Paused } else { ComparisonState::Failed };
            if !ended.as_ref().is_ok_and(|&is_done| is_done) {
                let progress = app.comparisons.jobs.get(id).map_or(waiting, |job| job.now.progress);
                let failure = ended.err().map(|error| error.to_string());
                // Without a database there is nowhere to write it down.
                let now = ComparisonProgress { state, ..progress };
                let _ = app.store.note_comparison(id, now, failure.as_deref()).await;
            }
            app.comparisons.race.send_if_modified(|race| race.take_if(|race| race.comparison == id).is_some());
            drop((entered, claim));
        });
        Ok(())
    }
}
