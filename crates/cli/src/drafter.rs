//! `slipstream drafter`: making drafters.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, CheckpointRole, NewDrafter, size};
use serde_json::json;

use crate::args::{Head, NewArguments};
use crate::failure::Failure;
use crate::models::role;

/// Makes a drafter with fresh weights.
pub(crate) async fn new(app: &App, new: NewArguments, json: bool) -> Result<ExitCode, Failure> {
    let out = new.out.clone();
    let made = app
        .new_drafter(NewDrafter {
            target: app.resolve(&new.target, CheckpointRole::Target).await?,
            out: new.out,
            gamma: new.gamma,
            width: new.width,
            layers: new.layers,
            heads: new.heads,
            markov_rank: new.markov_rank,
            taps: new.taps,
            recurrent: new.head == Head::Rnn,
            seed: new.seed,
        })
        .await?;
    let value = json!({
        "folder": out,
        "role": role(made.role),
        "kind": made.kind,
        "summary": made.summary,
        "bytes": made.bytes,
        "drafts": made.drafts,
    });
    let text = format!("made {}: {}, {}, {}", out.display(), made.kind, made.summary, size(made.bytes));
    writeln!(io::stdout(), "{}", if json { value.to_string() } else { text })?;
    Ok(ExitCode::SUCCESS)
}
