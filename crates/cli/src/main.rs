//! `slipstream`: the use cases from a terminal. Text goes to stdout; progress and remarks go to stderr.
//!
//! What this crate does **not** know: models, databases, tensors. It speaks to `app` alone.

use std::process::ExitCode;

use app::App;
use clap::Parser;

use crate::args::{Arguments, Command};
use crate::failure::Failure;

mod args;
mod asking;
mod batch;
mod bench;
mod calibrate;
mod calibrations;
mod chat;
mod compare;
mod comparisons;
mod controls;
mod conversations;
mod downloads;
mod drafter;
mod events;
mod failure;
mod fetch;
mod follow;
mod hub;
mod keyboard;
mod memory;
mod models;
mod offer;
mod page;
mod progress;
mod terminal;
mod text;
mod train;
mod trash;
mod verify;
mod work;

/// What shells expect of a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let json = arguments.json;
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::from(error).report(json),
    };
    match runtime.block_on(run(arguments)) {
        Ok(code) => code,
        Err(failure) => failure.report(json),
    }
}

async fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    let home = match arguments.home {
        Some(home) => home,
        None => app::home()?,
    };
    let app = App::open(&home).await?;
    match arguments.command {
        Command::Models { command } => models::run(&app, command, arguments.json).await,
        Command::Conversations { command } => conversations::run(&app, command, arguments.json).await,
        Command::Downloads { command } => downloads::run(&app, command, arguments.json).await,
        Command::Hub { command } => hub::run(&app, command, arguments.json).await,
        Command::Drafter { command } => drafter::run(&app, command, arguments.json).await,
        Command::Calibrate(order) => calibrate::run(&app, (*order).into(), arguments.json).await,
        Command::Calibrations { command } => calibrations::run(&app, command, arguments.json).await,
        Command::Compare(order) => compare::run(&app, (*order).into(), arguments.json).await,
        Command::Comparisons { command } => comparisons::run(&app, command, arguments.json).await,
        Command::Bench(bench) => bench::run(&app, *bench, arguments.json).await,
        Command::Memory { reserve } => memory::run(&app, reserve, arguments.json).await,
        Command::Chat(chat) => chat::run(&app, *chat, arguments.json).await,
        Command::Batch(batch) => batch::run(&app, *batch, arguments.json).await,
        Command::Verify { answer, over_memory } => verify::run(&app, answer, over_memory, arguments.json).await,
    }
}
