//! How far something is, in one line of a terminal that is written over and over. Nobody else is told.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use app::{Checking, Download, DownloadPhase, DownloadState, size};

/// The line.
#[derive(Debug)]
pub(crate) struct Line {
    shown: bool,
    length: usize,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self { shown: io::stderr().is_terminal(), length: 0 }
    }

    /// Writes `text` over what is there.
    pub(crate) fn write(&mut self, text: &str) -> io::Result<()> {
        if !self.shown {
            return Ok(());
        }
        let length = text.chars().count();
        write!(io::stderr(), "\r{text}{:1$}", "", self.length.saturating_sub(length))?;
        self.length = length;
        io::stderr().flush()
    }

    /// Clears the line.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.write("")?;
        if self.shown { write!(io::stderr(), "\r") } else { Ok(()) }
    }
}

/// How far a download is.
pub(crate) fn download(download: &Download) -> String {
    let Download { arrived, total, .. } = *download;
    let what = match (download.state, download.phase) {
        (DownloadState::Running, Some(DownloadPhase::Copying)) => "copying what is on this machine",
        (DownloadState::Running, Some(DownloadPhase::Verifying)) => "verifying",
        (DownloadState::Running, Some(DownloadPhase::Placing)) => "placing",
        (DownloadState::Running, _) => "fetching",
        _ => "waiting",
    };
    let mut text = format!("{what}: {} of {}", size(arrived), size(total));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "three digits are shown")]
    if let Some(rate) = download.rate.filter(|rate| *rate >= 1.0) {
        text.extend([", ", &size(rate as u64), "/s"]);
    }
    if let Some(remaining) = download.remaining {
        text.extend([", ", &time(remaining), " left"]);
    }
    text
}

/// How far a verification is.
pub(crate) fn checking(Checking { done, total }: Checking) -> String {
    format!("reading: {} of {}", size(done), size(total))
}

/// `about 5 min 20 s`.
pub(crate) fn about(seconds: f64) -> String {
    format!("about {}", time(Duration::from_secs_f64(seconds.clamp(0.0, 1e9))))
}

fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (hours, minutes) => format!("{hours} h {} min", minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_much_has_come_how_fast_and_how_long_it_takes() {
        let mut line = Download {
            id: 1,
            repo: "owner/name".into(),
            commit: String::new(),
            state: DownloadState::Running,
            reason: None,
            code: None,
            total: 17_000_000_000,
            arrived: 1_000_000_000,
            phase: Some(DownloadPhase::Fetching),
            rate: Some(50e6),
            remaining: Some(Duration::from_secs(320)),
            model: None,
        };
        assert_eq!(download(&line), "fetching: 1.00 GB of 17.0 GB, 50.0 MB/s, 5 min 20 s left");
        line.remaining = Some(Duration::from_mins(184));
        assert!(download(&line).ends_with(", 3 h 4 min left"));
        (line.state, line.rate, line.remaining) = (DownloadState::Queued, None, None);
        assert_eq!(download(&line), "waiting: 1.00 GB of 17.0 GB");
    }
}
