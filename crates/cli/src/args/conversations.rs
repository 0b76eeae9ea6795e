//! `slipstream conversations`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum ConversationsCommand {
    /// List the conversations: those that are pinned, then the others, the latest first.
    List {
        /// List those that were removed and can come back.
        #[arg(long)]
        removed: bool,
    },
    /// Print the branch of a conversation that is shown, as Markdown; with --json all of it, and how each answer came
    /// about.
    Show {
        /// Its number.
        id: i64,
    },
    /// Find the conversations in which a title or a message has all these words; the last may be a beginning.
    Search {
        /// The words.
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Take a conversation off the list; it can come back for 30 days.
    Remove {
        /// Its number.
        id: i64,
    },
    /// Bring a conversation back that was removed.
    Restore {
        /// Its number.
        id: i64,
    },
    /// Delete a conversation that was removed for good.
    Forget {
        /// Its number.
        id: i64,
    },
}
