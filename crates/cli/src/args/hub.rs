//! `slipstream hub`.

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum HubCommand {
    /// Search the Hub for targets of the family and drafters for them.
    Search {
        /// Words of the repo's name.
        #[arg(default_value = "")]
        text: String,
        /// What to look for.
        #[arg(long, value_enum, default_value_t = Kinds::All)]
        only: Kinds,
        /// Go on here: what an earlier search printed last.
        #[arg(long, value_name = "CURSOR")]
        after: Option<String>,
    },
    /// List the pairs of targets and drafters that are known, without asking the Hub.
    Pairs,
    /// Look at a repo before it is downloaded.
    Show {
        /// `owner/name`, or `owner/name@revision`: a branch, a tag or a commit.
        repo: String,
    },
    /// Keep a token for the Hub in the system's keychain. It is typed, or piped in; never an argument.
    Login,
    /// Forget the token.
    Logout,
    /// Show how the Hub is reached.
    Status,
    /// Leave the network alone, or no longer.
    Offline {
        /// `on` or `off`.
        #[arg(value_enum)]
        switch: Switch,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kinds {
    /// Targets and drafters.
    All,
    /// What answers.
    Targets,
    /// What guesses ahead.
    Drafters,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// The network is left alone.
    On,
    /// The network is used.
    Off,
}
