//! `slipstream downloads`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum DownloadsCommand {
    /// List the downloads that are not over, and those that ended within a week.
    List,
    /// Let a download wait until it is resumed, wherever it runs.
    Pause {
        /// Its number.
        id: i64,
    },
    /// Go on with a download that is paused, or failed. Ctrl-C pauses it.
    Resume {
        /// Its number.
        id: i64,
    },
    /// End a download for good, and delete what has arrived of it.
    Cancel {
        /// Its number.
        id: i64,
    },
    /// Take a download that is over, or failed, off the list; of a failed one, what has arrived is deleted.
    Forget {
        /// Its number.
        id: i64,
    },
}
