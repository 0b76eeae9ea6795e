//! Trying again: what may pass, how often, and after which time.

use std::{
    future::Future,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{
    Limits, Result,
    trouble::Trouble,
    web::{Errand, Web},
};

/// How often is asked, at most, what somebody waits for, and what was answered with something else.
const FEW: u32 = 4;

/// The longest that somebody who looks on is kept waiting because the server asks for it.
const SOON: Duration = Duration::from_secs(5);

/// As dates in headers spell them.
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl Web {
    /// Tries until it works, a few times: somebody waits for it, who would rather hear that it does not.
    pub(crate) async fn patiently<T, F: Future<Output = Result<T, Trouble>>>(
        &self,
        errand: &Errand,
        attempt: impl Fn() -> F,
    ) -> Result<T> {
        let mut failures = 0;
        loop {
            match attempt().await {
                Ok(value) => return Ok(value),
                Err(Trouble::Passing { reason, after: Some(after) }) if after > SOON => {
                    let reason = format!("{reason}, and it wants to be left alone for {} s", after.as_secs());
                    return Err(self.verdict(errand, Trouble::Passing { reason, after: None }, failures + 1));
                }
                Err(trouble) if failures + 1 < FEW => {
                    failures += 1;
                    self.wait(errand, trouble, failures).await?;
                }
                Err(trouble) => return Err(self.verdict(errand, trouble, FEW)),
            }
        }
    }

    /// Waits after the `failures`th failure in a row, or says that there is no point in it.
    pub(crate) async fn wait(&self, errand: &Errand, trouble: Trouble, failures: u32) -> Result<()> {
        let most = match trouble {
            Trouble::Passing { .. } => self.limits.attempts,
            Trouble::Wrong(_) => self.limits.attempts.min(FEW),
            _ => 0,
        };
        if failures >= most {
            return Err(self.verdict(errand, trouble, failures));
        }
        let after = if let Trouble::Passing { after, .. } = trouble { after } else { None };
        tokio::time::sleep(self.limits.wait(failures, after)).await;
        Ok(())
    }
}

impl Limits {
    /// How long to wait after the `failures`th failure in a row, if the server wants to be left alone for as long as
    /// `after`.
    pub(crate) fn wait(&self, failures: u32, after: Option<Duration>) -> Duration {
        let doubled = self.first_wait.saturating_mul(1 << (failures.max(1) - 1).min(16));
        let least = doubled.max(after.unwrap_or_default()).min(self.longest_wait);
        // Many connections that failed together must not come back together.
        least.saturating_add(least.mul_f64(fastrand::f64() / 2.0))
    }
}

/// How long a server wants to be left alone at the time `now`: seconds, or until a date (RFC 9110, 10.2.3).
pub(crate) fn retry_after(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    let now = now.duration_since(UNIX_EPOCH).ok()?;
    let seconds = text.parse().ok();
    seconds.map(Duration::from_secs).or_else(|| Some(Duration::from_secs(since_1970(text)?).saturating_sub(now)))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` in seconds since 1970.
fn since_1970(date: &str) -> Option<u64> {
    let words: Vec<&str> = date.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = words[..] else { return None };
    let number = |text: &str| text.parse().ok().filter(|number: &u64| *number < 10_000);
    let times: Vec<u64> = time.split(':').map(number).collect::<Option<_>>()?;
    let [hours, minutes, seconds] = times[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)?;
    let (day, year) = (number(day)?, number(year).filter(|year| *year >= 1970)?);
    // Years that begin in March end with their leap day.
    let (year, month) = if month < 2 { (year - 1, month as u64 + 10) } else { (year, month as u64 - 2) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    Some(days.checked_sub(719_469)? * 86_400 + hours * 3600 + minutes * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is waited, in all, before a download is given up.
    fn patience(limits: &Limits) -> Duration {
        (1..limits.attempts).map(|failures| limits.wait(failures, None)).sum()
    }

    #[test]
    fn a_download_outlasts_minutes_without_a_network_and_not_hours() {
        let patience = patience(&Limits::default());
        assert!((Duration::from_mins(3)..Duration::from_mins(10)).contains(&patience), "{patience:?}");
    }

    #[test]
    fn waits_grow_up_to_the_longest_and_vary() {
        let limits = Limits::default();
        for failures in 1..20 {
            let least = limits.first_wait.saturating_mul(1 << (failures - 1)).min(limits.longest_wait);
            let waits: Vec<_> = (0..50).map(|_| limits.wait(failures, None)).collect();
            assert!(waits.iter().all(|wait| (least..=least.mul_f64(1.5)).contains(wait)), "{failures}: {waits:?}");
            assert!(waits.iter().any(|wait| *wait != waits[0]), "connections would come back together");
        }
        assert!(limits.wait(limits.attempts - 1, None) >= limits.longest_wait);
    }

    #[test]
    fn a_server_is_left_alone_for_as_long_as_it_asks_within_bounds() {
        let limits = Limits::default();
        let asked = limits.wait(1, Some(Duration::from_secs(20)));
        assert!((Duration::from_secs(20)..=Duration::from_secs(30)).contains(&asked), "{asked:?}");
        assert!(limits.wait(1, Some(Duration::MAX)) <= limits.longest_wait.mul_f64(1.5));
    }

    #[test]
    fn what_a_server_asks_for_is_seconds_or_a_date() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let after = |text: &str| retry_after(text, now);
        assert_eq!(after(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert_eq!(after("Sun, 06 Nov 1994 08:51:38 GMT"), Some(Duration::from_secs(121)));
        assert_eq!(after("Thu, 29 Feb 1996 00:00:00 GMT"), Some(Duration::from_secs(825_552_000 - 784_111_777)));
        assert_eq!(after("Thu, 01 Jan 1970 00:00:00 GMT"), Some(Duration::ZERO));
        for text in ["", "soon", "-1", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 99999 Nov 1994 08:49:37 GMT", "1.5"] {
            assert_eq!(after(text), None, "{text:?}");
        }
    }
}
