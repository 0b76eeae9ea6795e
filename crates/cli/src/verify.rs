//! `slipstream verify`: whether the target alone would have written an answer.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, Candidate, Divergence, Proof};
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
    Ok(if is_fault(&verified.proof) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
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

/// Whether the answer is not what it should be.
pub(crate) fn is_fault(proof: &Proof) -> bool {
    matches!(proof, Proof::Diverges(divergence) if !divergence.is_near_tie())
}

/// A proof for people.
pub(crate) fn sentence(proof: &Proof) -> String {
    match proof {
        Proof::Identical { tokens } => format!("plain decoding writes the same {tokens} tokens."),
        Proof::Possible { tokens } => format!(
            "under the ratio rule the text depends on the drafts too, so no plain run is to be the same; the target may \
             draw each of the {tokens} tokens where it stands."
        ),
        Proof::Diverges(divergence) => diverges(divergence),
    }
}

fn diverges(divergence: &Divergence) -> String {
    let candidate =
        |Candidate { id, text, logit }: &Candidate| harmless(&format!("{text:?} (id {id}, logit {logit:.4})"));
    let Divergence { position, stored, plain, margin, step } = divergence;
    let verdict = match margin {
        Some(margin) if divergence.is_near_tie() => {
            format!(
                "the margin of {margin:.4} is not above one step of the numbers, {step:.4}: a near-tie, not a fault"
            )
        }
        Some(margin) => {
            format!("the margin of {margin:.4} is more than one step of the numbers, {step:.4}: something is wrong")
        }
        None => "the target never chooses that here: something is wrong".into(),
    };
    let (stored, plain) = (candidate(stored), candidate(plain));
    format!("token {} is {stored}, and plain decoding writes {plain}; {verdict}.", position + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divergence(margin: Option<f32>) -> Proof {
        let stored = Candidate { id: 7, text: "a\u{1b}".into(), logit: 29.0 };
        let plain = Candidate { id: 9, text: " b".into(), logit: 29.125 };
        Proof::Diverges(Divergence { position: 2, stored, plain, margin, step: 0.125 })
    }

    #[test]
    fn a_divergence_is_told_with_both_tokens_and_what_to_think_of_it() {
        let told = sentence(&divergence(Some(0.125)));
        let tokens =
            r#"token 3 is "a\u{1b}" (id 7, logit 29.0000), and plain decoding writes " b" (id 9, logit 29.1250)"#;
        assert!(told.starts_with(tokens), "{told}");
        assert!(told.ends_with("a near-tie, not a fault."), "{told}");
        assert!(sentence(&divergence(Some(2.0))).contains("2.0000 is more than one step"));
        assert!(sentence(&divergence(None)).contains("never chooses"));
    }

    #[test]
    fn only_what_no_near_tie_explains_is_a_fault() {
        let proofs = [Proof::Identical { tokens: 3 }, divergence(Some(0.1)), divergence(Some(0.2)), divergence(None)];
        assert_eq!(proofs.map(|proof| is_fault(&proof)), [false, false, true, true]);
    }

    #[test]
    fn programs_are_told_the_same() {
        let value = value(&divergence(Some(0.125)));
        assert_eq!((&value["event"], &value["proof"]), (&json!("verified"), &json!("diverges")));
        assert_eq!((&value["near_tie"], &value["plain"]["id"]), (&json!(true), &json!(9)));
    }
}
