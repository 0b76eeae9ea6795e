//! `slipstream memory`: what the machine has, and what of it stays free.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, Machine, size};
use serde_json::json;

use crate::failure::Failure;

/// Shows the machine's memory, once the reserve is set if it is to be.
pub(crate) async fn run(app: &App, reserve: Option<f32>, json: bool) -> Result<ExitCode, Failure> {
    if let Some(gigabytes) = reserve {
        app.set_memory_reserve(bytes(gigabytes)).await?;
    }
    let (machine, set) = (Machine::here(), app.memory_reserve().await?);
    let reserve = set.unwrap_or(machine.usual_reserve());
    let value = json!({
        "physical": machine.physical,
        "available": machine.available,
        "reserve": reserve,
        "reserve_is_set": set.is_some(),
    });
    let how = if set.is_some() { "as you set it" } else { "15 %, and 2 GB at least" };
    let text = format!(
        "memory     {}\navailable  {} at this moment\nreserve    {} stay free ({how})",
        size(machine.physical),
        size(machine.available),
        size(reserve),
    );
    writeln!(io::stdout(), "{}", if json { value.to_string() } else { text })?;
    Ok(ExitCode::SUCCESS)
}

/// From gigabytes; none go back to the usual reserve.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and cut off at the largest")]
fn bytes(gigabytes: f32) -> Option<u64> {
    Some((f64::from(gigabytes) * 1e9) as u64).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn gigabytes_are_decimal_and_none_is_the_usual_reserve() {
        assert_eq!([2.5, 0.0].map(bytes), [Some(2_500_000_000), None]);
    }
}
