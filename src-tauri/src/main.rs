//! The desktop program.

use std::process::ExitCode;

fn main() -> ExitCode {
    match desktop_lib::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Slipstream cannot open its window: {error}");
            ExitCode::FAILURE
        }
    }
}
