//! How far a download is.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use tokio::{
    sync::watch,
    time::{Instant, MissedTickBehavior, interval},
};

/// How often progress is told: with the end's own message, never more than ten times in a second.
const TICK: Duration = Duration::from_millis(120);

/// The rate is an average over about this many seconds.
const MEMORY: f64 = 5.0;

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// What has arrived, now or earlier, bytes.
    pub done: u64,
    /// What there is to fetch in all, bytes.
    pub total: u64,
    /// Bytes per second, averaged over about five seconds.
    pub rate: Option<f64>,
    /// How long the rest takes at this rate.
    pub remaining: Option<Duration>,
}

/// What a download is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Bytes arrive.
    Fetching,
    /// All bytes have arrived, and are being hashed.
    Verifying,
    /// The revision's folder is put together.
    Placing,
}

impl Progress {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self { phase: Phase::Fetching, done: 0, total: 0, rate: None, remaining: None }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

/// Counts what arrives, and tells it a few times a second however often it is counted.
#[derive(Debug)]
pub(crate) struct Meter {
    total: u64,
    done: AtomicU64,
    arrived: AtomicU64,
    placing: AtomicBool,
}

impl Meter {
    pub(crate) fn new(total: u64) -> Self {
        Self { total, done: AtomicU64::new(0), arrived: AtomicU64::new(0), placing: AtomicBool::new(false) }
    }

    /// Bytes that were here already.
    pub(crate) fn found(&self, bytes: u64) {
        self.done.fetch_add(bytes, Relaxed);
    }

    /// Bytes that have just arrived.
    pub(crate) fn arrived(&self, bytes: u64) {
        self.found(bytes);
        self.arrived.fetch_add(bytes, Relaxed);
    }

    /// All bytes that have arrived in this download, those that were worthless too.
    pub(crate) fn all_arrived(&self) -> u64 {
        self.arrived.load(Relaxed)
    }

    /// Bytes that turned out to be worthless.
    pub(crate) fn lost(&self, bytes: u64) {
        self.done.fetch_sub(bytes, Relaxed);
    }

    /// From now on the files are put in place.
    pub(crate) fn place(&self) {
        self.placing.store(true, Relaxed);
    }

    /// Tells `listener` how far the download is, eight times a second and only what is new, for ever.
    pub(crate) async fn tell(&self, listener: &watch::Sender<Progress>) {
        let (start, mut ticks) = (Instant::now(), interval(TICK));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let tick = async || {
            ticks.tick().await;
            start.elapsed()
        };
        self.tell_at(tick, listener).await;
    }

    /// Tells `listener` at each tick, which says how long all has taken.
    async fn tell_at(&self, mut tick: impl AsyncFnMut() -> Duration, listener: &watch::Sender<Progress>) {
        let mut rate = Rate::default();
        loop {
            let now = tick().await;
            rate.take(self.all_arrived(), now);
            self.say(listener, rate.value());
        }
    }

    /// Tells `listener` how it stands.
    pub(crate) fn say(&self, listener: &watch::Sender<Progress>, rate: Option<f64>) {
        let (done, total) = (self.done.load(Relaxed), self.total);
        let phase = match () {
            () if self.placing.load(Relaxed) => Phase::Placing,
            () if done >= total => Phase::Verifying,
            () => Phase::Fetching,
        };
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let left = total.saturating_sub(done) as f64;
        let remaining = rate.filter(|rate| *rate > 0.0);
        let remaining = remaining.and_then(|rate| Duration::try_from_secs_f64(left / rate).ok());
        let progress = Progress { phase, done, total, rate, remaining };
        listener.send_if_modified(|before| std::mem::replace(before, progress) != progress);
    }
}

/// An average that forgets.
#[derive(Debug, Default)]
struct Rate {
    bytes: u64,
    at: Duration,
    average: f64,
    weight: f64,
}

impl Rate {
    /// Takes the count of all bytes at the time `now`.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn take(&mut self, bytes: u64, now: Duration) {
        let passed = now.saturating_sub(self.at).as_secs_f64();
        if passed <= 0.0 {
            return;
        }
        let new = 1.0 - (-passed / MEMORY).exp();
        let rate = bytes.saturating_sub(self.bytes) as f64 / passed;
        self.average += new * (rate - self.average);
        // What came before the first byte counts for nothing, rather than for a rate of nought.
        self.weight += new * (1.0 - self.weight);
        (self.bytes, self.at) = (bytes, now);
    }

    fn value(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.average / self.weight)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    /// The rate after `seconds` ticks of one second, at each of which `bytes` more have come.
    fn after(rate: &mut Rate, from: u64, seconds: u64, bytes: u64) -> f64 {
        for second in from + 1..=from + seconds {
            let total = rate.bytes + bytes;
            rate.take(total, Duration::from_secs(second));
        }
        rate.value().unwrap_or(f64::NAN)
    }

    #[test]
    fn ten_messages_a_second_are_the_most_whatever_arrives() {
        let (meter, (listener, mut heard)) = (Meter::new(u64::MAX), watch::channel(Progress::new()));
        let (mut ticks, mut messages) = (0, 0);
        let tick = async || {
            messages += u32::from(heard.has_changed().is_ok_and(|changed| changed));
            heard.mark_unchanged();
            if TICK * ticks >= Duration::from_secs(1) {
                std::future::pending::<()>().await;
            }
            ticks += 1;
            for _ in 0..1000 {
                meter.arrived(1);
                meter.found(1);
            }
            TICK * (ticks - 1)
        };
        assert!(meter.tell_at(tick, &listener).now_or_never().is_none());
        // The end's own.
        messages += 1;
        assert!((5..=10).contains(&messages), "{messages}");
    }

    #[test]
    fn a_steady_rate_is_shown_from_the_first_second_on() {
        let mut rate = Rate::default();
        assert!((after(&mut rate, 0, 1, 1000) - 1000.0).abs() < 1e-6);
        assert!((after(&mut rate, 1, 9, 1000) - 1000.0).abs() < 1e-6);
    }

    #[test]
    fn a_new_rate_wins_within_a_few_seconds() {
        let mut rate = Rate::default();
        after(&mut rate, 0, 20, 1000);
        let settled = after(&mut rate, 20, 15, 4000);
        assert!((3800.0..4000.0).contains(&settled), "{settled}");
    }

    #[test]
    fn before_anything_was_measured_there_is_no_rate() {
        assert_eq!(Rate::default().value(), None);
    }
}
