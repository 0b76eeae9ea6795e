//! Streams lists to the window: of downloads, of trainings, of calibrations, of comparisons.

use std::marker::PhantomData;
use std::time::Duration;

use app::{App, CalibrationRun, ComparisonRun, Download, DownloadState, Training};
use serde::Serialize;
use tauri::ipc::Channel;
use tauri::{Manager, Webview};
use tokio::time::sleep;

use crate::page::{Sight, Streaming, taken};
use crate::wire;

/// How often a list is looked at while something in it runs: nobody reads a rate faster.
const PACE: Duration = Duration::from_millis(250);

/// How often otherwise: other processes change it too.
const LOOK: Duration = Duration::from_secs(1);

/// Something of which the window watches all there are.
pub(crate) trait Listed: Clone + PartialEq + Send + Sync + 'static {
    /// What the window hears of one.
    type Shown: From<Self> + Serialize + Send;

    /// All there are.
    fn all(app: &App) -> impl Future<Output = app::Result<Vec<Self>>> + Send;

    /// Whether it may be another one in a moment.
    fn is_running(&self) -> bool;
}

/// Who streams a list to the window at present.
pub(crate) struct Watched<Row>(Streaming, PhantomData<fn() -> Row>);

impl<Row> Default for Watched<Row> {
    fn default() -> Self {
        Self(Streaming::default(), PhantomData)
    }
}

impl<Row: Listed> Watched<Row> {
    /// Streams the whole list whenever something in it has changed, for as long as the page is there.
    pub(crate) fn follow(&self, app: App, page: Webview, lists: Channel<Vec<Row::Shown>>) {
        self.0.replace(async move { stream::<Row, _>(&app, &page.state::<Sight>(), || taken(&page), lists).await });
    }
}

/// Nobody looks while nobody sees the page; `taken` says when it has taken a list.
async fn stream<Row: Listed, Taken: Future<Output = ()>>(
    app: &App,
    sight: &Sight,
    taken: impl Fn() -> Taken,
    lists: Channel<Vec<Row::Shown>>,
) {
    let mut sent = None;
    loop {
        sight.wait().await;
        // What fails here fails again when somebody does something with one of them, and is said then.
        let Ok(now) = Row::all(app).await else {
            sleep(LOOK).await;
            continue;
        };
        let is_running = now.iter().any(Row::is_running);
        if sent.as_ref() != Some(&now) {
            if lists.send(now.iter().cloned().map(Row::Shown::from).collect()).is_err() {
                return; // the window is gone
            }
            taken().await;
            sent = Some(now);
        }
        sleep(if is_running { PACE } else { LOOK }).await;
    }
}

impl Listed for Download {
    type Shown = wire::Download;

    async fn all(app: &App) -> app::Result<Vec<Self>> {
        app.downloads().await
    }

    fn is_running(&self) -> bool {
        self.state == DownloadState::Running
    }
}

impl Listed for Training {
    type Shown = wire::Training;

    async fn all(app: &App) -> app::Result<Vec<Self>> {
        app.trainings().await
    }

    fn is_running(&self) -> bool {
        self.is_running()
    }
}

impl Listed for CalibrationRun {
    type Shown = wire::Calibration;

    async fn all(app: &App) -> app::Result<Vec<Self>> {
        app.calibrations().await
    }

    fn is_running(&self) -> bool {
        self.is_running()
    }
}

impl Listed for ComparisonRun {
    type Shown = wire::Comparison;

    async fn all(app: &App) -> app::Result<Vec<Self>> {
        app.comparisons().await
    }

    fn is_running(&self) -> bool {
        self.is_running()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use std::pin::pin;
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::time::timeout;

    use super::*;

    /// How often the list was looked at.
    static LOOKS: AtomicU32 = AtomicU32::new(0);

    /// It is another one at every look.
    #[derive(Clone, PartialEq)]
    struct Job(u32);

    impl From<Job> for u32 {
        fn from(Job(job): Job) -> Self {
            job
        }
    }

    impl Listed for Job {
        type Shown = u32;

        async fn all(_: &App) -> app::Result<Vec<Self>> {
            Ok(vec![Self(LOOKS.fetch_add(1, Ordering::Relaxed))])
        }

        fn is_running(&self) -> bool {
            true
        }
    }

    #[tokio::test]
    async fn nobody_looks_at_a_list_while_nobody_sees_the_page() {
        let home = tempfile::tempdir().unwrap();
        let (app, sight, lists) = (App::open(home.path()).await.unwrap(), Sight::default(), Channel::new(|_| Ok(())));
        // The page is hidden as soon as it has a list.
        let taken = || async { sight.set(false) };
        let mut stream = pin!(stream::<Job, _>(&app, &sight, taken, lists));
        for (seen, looks) in [(false, 0), (true, 1), (false, 1), (true, 2)] {
            sight.set(seen);
            timeout(2 * PACE, &mut stream).await.unwrap_err();
            assert_eq!(LOOKS.load(Ordering::Relaxed), looks);
        }
    }
}
