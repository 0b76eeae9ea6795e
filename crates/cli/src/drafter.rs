//! `slipstream drafter`: making and training drafters.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, CheckpointRole, NewDrafter, size};
use serde_json::json;

use crate::args::{DrafterCommand, Head, NewArguments};
use crate::failure::Failure;
use crate::models::role;
use crate::train;

/// Runs one of the commands.
pub(crate) async fn run(app: &App, command: DrafterCommand, json: bool) -> Result<ExitCode, Failure> {
    match command {
        DrafterCommand::New(arguments) => new(app, arguments, json).await,
        DrafterCommand::Train(arguments) => train::run(app, (*arguments).into(), json).await,
        DrafterCommand::Trainings => train::list(app, json).await,
        DrafterCommand::Resume { id, longer } => train::resume(app, id, longer.into(), json).await,
        DrafterCommand::Stop { id } => train::stop(app, id, json).await,
        DrafterCommand::Forget { id } => train::forget(app, id, json).await,
    }
}

/// Makes a drafter with fresh weights.
async fn new(app: &App, new: NewArguments, json: bool) -> Result<ExitCode, Failure> {
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
