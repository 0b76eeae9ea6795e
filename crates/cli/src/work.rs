//! Following work of minutes to its end, with Ctrl-C: trainings, calibrations, comparisons.

use std::io;
use std::pin::pin;
use std::time::Duration;

use app::{App, Result};
use tokio::signal::ctrl_c;
use tokio::time::sleep;

use crate::INTERRUPTED;
use crate::failure::Failure;
use crate::progress::about;

/// How often it is looked at.
const PACE: Duration = Duration::from_millis(250);

/// Work of minutes that can be paused, as it stood when it was looked at.
pub(crate) trait Work: Sized {
    fn id(&self) -> i64;

    fn is_running(&self) -> bool;

    /// How it stands now.
    async fn look(app: &App, id: i64) -> Result<Self>;

    /// Asks it to pause.
    async fn pause(app: &App, id: i64) -> Result<Self>;

    /// Pauses all of its kind, and waits until they have.
    async fn rest(app: &App);
}

/// Follows it to its end, and tells how it stands again and again, at the end as well. Ctrl-C pauses it, a second one ends
/// the program: what was stored is there all the same.
pub(crate) async fn follow<W: Work>(
    app: &App,
    mut work: W,
    mut tell: impl FnMut(&W) -> io::Result<()>,
) -> std::result::Result<W, Failure> {
    let (id, mut interrupts) = (work.id(), 0);
    let mut interrupt = pin!(ctrl_c());
    let told = loop {
        let told = tell(&work);
        if told.is_err() || !work.is_running() {
            break told;
        }
        tokio::select! {
            () = sleep(PACE) => {}
            _ = &mut interrupt => {
                interrupts += 1;
                if interrupts > 1 {
                    app::leave(i32::from(INTERRUPTED));
                }
                W::pause(app, id).await?;
                interrupt.set(ctrl_c());
            }
        }
        work = W::look(app, id).await?;
    };
    // The engine is let go of only when it is done: a process must not end under it.
    W::rest(app).await;
    told?;
    Ok(work)
}

/// `what`, and how long it will take yet if that is known.
pub(crate) fn with_time_left(what: String, seconds: Option<f64>) -> String {
    match seconds.filter(|left| left.is_finite() && *left >= 0.0) {
        Some(left) => format!("{what}, {} left", about(left)),
        None => what,
    }
}
