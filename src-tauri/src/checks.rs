//! The checks of models' files that run: one for each model, until it ends or somebody stops it, whatever becomes of the
//! page.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use app::{App, Checking};
use tauri::async_runtime::{self, JoinHandle};
use tauri::ipc::Channel;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::wire::{self, Checked, Failure, Work};

/// The shortest time between two figures of progress.
const PACE: Duration = Duration::from_millis(100);

/// The checks that run, by the model's id.
#[derive(Default)]
pub(crate) struct Checks(Mutex<HashMap<String, Check>>);

struct Check {
    work: Work,
    heard: watch::Receiver<Checking>,
    end: watch::Receiver<End>,
    task: JoinHandle<()>,
}

/// What came of a check, once it has ended.
type End = Option<Result<Checked, Failure>>;

impl Checks {
    /// Joins the check of a model that runs, or begins one, and follows it to its end. Of one that is stopped comes
    /// nothing.
    pub(crate) async fn follow(
        &self,
        app: &App,
        id: String,
        work: Work,
        page: Channel<wire::Checking>,
    ) -> Result<Option<Checked>, Failure> {
        let app = app.clone();
        let begin = |id: String| {
            Check::begin(work, |noted| async move {
                match work {
                    Work::Verify => Ok(app.verify_files(&id, noted).await?.into()),
                    Work::Repair => Ok(app.repair_model(&id, noted).await?.into()),
                }
            })
        };
        self.join(id, page, begin).await
    }

    async fn join(
        &self,
        id: String,
        page: Channel<wire::Checking>,
        begin: impl FnOnce(String) -> Check,
    ) -> Result<Option<Checked>, Failure> {
        let (heard, mut end) = {
            let mut checks = self.running();
            let check = checks.entry(id.clone()).or_insert_with(|| begin(id));
            (check.heard.clone(), check.end.clone())
        };
        let told = async_runtime::spawn(tell(heard, page));
        let ended = end.wait_for(Option::is_some).await.map(|end| end.clone());
        told.abort();
        ended.ok().flatten().transpose()
    }

    /// Those that run, and what each does.
    pub(crate) fn now(&self) -> Vec<wire::Check> {
        self.running().iter().map(|(model, check)| wire::Check { model: model.clone(), work: check.work }).collect()
    }

    /// Stops the check of a model, if one runs.
    pub(crate) fn stop(&self, id: &str) {
        if let Some(check) = self.running().remove(id) {
            check.task.abort();
        }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, Check>> {
        let mut checks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        checks.retain(|_, check| check.end.borrow().is_none());
        checks
    }
}

impl Check {
    fn begin<F: Future<Output = Result<Checked, Failure>> + Send + 'static>(
        work: Work,
        check: impl FnOnce(watch::Sender<Checking>) -> F,
    ) -> Self {
        let (noted, heard) = watch::channel(Checking::default());
        let (ends, end) = watch::channel(None);
        let check = check(noted);
        let task = async_runtime::spawn(async move { drop(ends.send_replace(Some(check.await))) });
        Self { work, heard, end, task }
    }
}

/// Tells the page how far a check is, from where it stands now.
async fn tell(mut heard: watch::Receiver<Checking>, page: Channel<wire::Checking>) {
    loop {
        let now = *heard.borrow_and_update();
        if page.send(now.into()).is_err() || heard.changed().await.is_err() {
            return; // the window is gone, or all is read
        }
        sleep(PACE).await;
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use std::future::{pending, ready};

    use tokio::join;

    use super::*;

    fn page() -> Channel<wire::Checking> {
        Channel::new(|_| Ok(()))
    }

    fn endless(_: String) -> Check {
        Check::begin(Work::Verify, |noted| async move {
            let _kept = noted;
            pending().await
        })
    }

    #[test]
    fn a_model_has_one_check_which_a_stop_ends_for_everybody() {
        async_runtime::block_on(async {
            let checks = Checks::default();
            let again = |_| unreachable!("it is checked already");
            let (one, other, ()) =
                join!(checks.join("m".into(), page(), endless), checks.join("m".into(), page(), again), async {
                    assert_eq!(checks.now().into_iter().map(|check| check.model).collect::<Vec<_>>(), ["m"]);
                    checks.stop("m");
                });
            assert!(one.unwrap().is_none() && other.unwrap().is_none());
            assert!(checks.now().is_empty());
        });
    }

    #[test]
    fn a_check_that_has_ended_makes_way_for_the_next() {
        async_runtime::block_on(async {
            let checks = Checks::default();
            let failing = |_| Check::begin(Work::Verify, |_| ready(Err(Failure::new("the disk is gone"))));
            assert!(checks.join("m".into(), page(), failing).await.is_err());
            let whole = |_| Check::begin(Work::Repair, |_| ready(Ok(Checked::Repaired { download: None })));
            assert!(matches!(
                checks.join("m".into(), page(), whole).await,
                Ok(Some(Checked::Repaired { download: None }))
            ));
        });
    }
}
