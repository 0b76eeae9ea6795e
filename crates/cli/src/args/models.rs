//! `slipstream models`.

use std::path::PathBuf;

use app::USUAL_CONTEXT;
use clap::Subcommand;

use super::Dtype;

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Add a folder to the list. Nothing is copied.
    Add {
        /// A target's or a drafter's checkpoint folder.
        folder: PathBuf,
        /// What to call it [default: the folder's name].
        #[arg(long)]
        id: Option<String>,
    },
    /// List all models.
    List,
    /// Show one model: what its files hold, and what it needs of memory.
    Show {
        /// Its id.
        id: String,
        /// With this drafter: an id, a folder, or `lookup`.
        #[arg(long, value_name = "DRAFTER")]
        drafter: Option<String>,
        /// Computing in this number type.
        #[arg(long, value_enum, default_value_t = Dtype::Stored)]
        dtype: Dtype,
        /// For prompts and answers of so many tokens together.
        #[arg(long, value_name = "TOKENS", default_value_t = USUAL_CONTEXT)]
        context: usize,
    },
    /// Download a repo, or use it where another program has it. Ctrl-C pauses; the same command goes on.
    Get {
        /// `owner/name`, or `owner/name@revision`: a branch, a tag or a commit.
        repo: String,
        /// Have a copy of one's own also of what another program has: only that can be repaired. Whatever is whole there
        /// is copied, not downloaded.
        #[arg(long)]
        copy: bool,
    },
    /// Add the models that come with Slipstream: a small target that knows what Slipstream is, and drafters for it.
    Demo,
    /// List what other programs have: the cache of the Hub's own tools and LM Studio's models.
    Found,
    /// Use what another program has, where it lies.
    Import {
        /// `owner/name` as `models found` lists it, or a folder.
        name: String,
    },
    /// Read a model's files again and hold them against their hashes.
    Verify {
        /// Its id.
        id: String,
    },
    /// Fetch again what is broken or missing of a model, and nothing else.
    Repair {
        /// Its id.
        id: String,
    },
    /// Put a model into the trash. What Slipstream keeps itself is deleted when the trash is emptied, or after a week;
    /// any other folder stays.
    Remove {
        /// Its id.
        id: String,
    },
    /// Take a model out of the trash.
    Restore {
        /// Its id.
        id: String,
    },
    /// List what is in the trash.
    Trash {
        /// Delete it for good.
        #[arg(long)]
        empty: bool,
    },
}
