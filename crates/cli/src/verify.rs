//! `slipstream verify`: whether the target alone would have written an answer.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, Proof};
use serde_json::{Value, json};
use tokio::signal::ctrl_c;

use crate::INTERRUPTED;
use crate::args::Stored;
use crate::failure::Failure;
use crate::terminal::harmless;

/// Verifies a stored answer. What no near-tie explains is a failure.
pub(crate) async fn run(app: &App, answer: Stored, insist: bool, json: bool) -> Result<ExitCode, Failure> {
    let message = match answer {
        Stored::Last => None,
        Stored::Number(number) => Some(number),
    };
    let verified = patiently(app.verify(message, insist)).await?;
    let text = if json {
        let mut value = value(&verified.proof);
        value["answer"] = json!(verified.message);
        value.to_string()
    } else {
        format!("answer {}: {}", verified.message, sentence(&verified.proof))
    };
    writeln!(io::stdout(), "{text}")?;
    Ok(if verified.proof.is_fault() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Waits for a proof. Nothing is lost if Ctrl-C ends the program meanwhile.
pub(crate) async fn patiently<T>(proof: impl Future<Output = app::Result<T>>) -> Result<T, Failure> {
    tokio::select! {
        proof = proof => Ok(proof?),
        _ = ctrl_c() => app::leave(i32::from(INTERRUPTED)),
    }
}

/// A proof for programs.
pub(crate) fn value(proof: &Proof) -> Value {
    let mut value = json!(proof);
    value["event"] = json!("verified");
    if let Proof::Diverges(divergence) = proof {
        value["near_tie"] = json!(divergence.is_near_tie());
    }
    value
}

/// A proof for people.
pub(crate) fn sentence(proof: &Proof) -> String {
    harmless(&format!("{proof}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use app::{Candidate, Divergence};

    #[test]
    fn programs_are_told_what_people_are_told() {
        let candidate = |id, logit| Candidate { id, text: "a".into(), logit };
        let (stored, plain) = (candidate(7, 29.0), candidate(9, 29.125));
        let proof = Proof::Diverges(Divergence { position: 2, stored, plain, margin: Some(0.125), step: 0.125 });
        assert!(sentence(&proof).starts_with("token 3 is"));
        let value = value(&proof);
        assert_eq!((&value["event"], &value["proof"]), (&json!("verified"), &json!("diverges")));
        assert_eq!((&value["near_tie"], &value["plain"]["id"]), (&json!(true), &json!(9)));
    }
}
