//! What an answer's rounds did, as it is kept: each token with its provenance, and what the round took.

use engine::{Provenance, Round};
use serde::{Deserialize, Serialize};

use crate::{App, Result};

/// One round of an answer, token by token. Names are short where it is kept, as an answer has thousands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// What each emitted token says by itself, in order.
    #[serde(rename = "t")]
    pub pieces: Vec<String>,
    /// Where each of them comes from.
    #[serde(rename = "f", with = "letters")]
    pub provenance: Vec<Provenance>,
    /// What the drafted tokens say that did not stand, in order.
    #[serde(rename = "r", default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<String>,
    /// The drafter's confidence in each proposed token, those that stood before those that did not; empty if it has none.
    #[serde(rename = "c", default, skip_serializing_if = "Vec::is_empty")]
    pub confidences: Vec<f32>,
    /// The same as the calibration scaled them; empty without one.
    #[serde(rename = "k", default, skip_serializing_if = "Vec::is_empty")]
    pub calibrated: Vec<f32>,
    /// The target's probability of each proposed token; empty unless the answer was observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub p: Vec<f32>,
    /// The drafter's, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub q: Vec<f32>,
    /// The target's probability of its own token; `None` likewise, or if the answer ended before it.
    #[serde(rename = "o", default, skip_serializing_if = "Option::is_none")]
    pub own_p: Option<f32>,
    /// How many drafted tokens the target never saw.
    #[serde(rename = "x", default, skip_serializing_if = "is_zero")]
    pub cut: usize,
    /// Wall clock.
    #[serde(rename = "s")]
    pub seconds: f64,
    /// Seconds of them until the draft was there; `None` where it cannot be told from verifying, or nothing was drafted.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub draft_s: Option<f64>,
    /// The others, likewise.
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub verify_s: Option<f64>,
    /// Seconds in which the device had something to do; the rest is the host's own work.
    #[serde(rename = "w")]
    pub device_s: f64,
}

impl From<&Round> for Trace {
    fn from(round: &Round) -> Self {
        let digits = |numbers: &[f32]| numbers.iter().copied().map(digits).collect();
        Self {
            pieces: round.pieces.clone(),
            provenance: round.provenance.clone(),
            rejected: round.rejected_pieces.clone(),
            confidences: digits(&round.confidences),
            calibrated: digits(&round.calibrated),
            p: digits(&round.p),
            q: digits(&round.q),
            own_p: round.own_p.map(self::digits),
            cut: round.cut,
            seconds: microseconds(round.seconds),
            draft_s: round.draft_s.map(microseconds),
            verify_s: round.verify_s.map(microseconds),
            device_s: microseconds(round.device_s),
        }
    }
}

impl App {
    /// What the rounds of an answer did, in order; `None` if none are kept: it runs, was interrupted, or was
    /// written by another release.
    ///
    /// # Errors
    /// There is no such message.
    pub async fn rounds(&self, message: i64) -> Result<Option<Vec<Trace>>> {
        let kept = self.store.rounds(self.message(message).await?.id).await?;
        Ok(kept.and_then(|json| serde_json::from_str(&json).ok()))
    }
}

/// A number with four digits, which is more than anybody is shown, and in JSON no more than these.
fn digits(number: f32) -> f32 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

/// Seconds to the microsecond.
fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// One letter for each token.
mod letters {
    use engine::Provenance;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    const LETTERS: [(Provenance, char); 4] =
        [(Provenance::Accepted, 'a'), (Provenance::Bonus, 'b'), (Provenance::Resampled, 'r'), (Provenance::Plain, 'p')];

    pub(super) fn serialize<S: Serializer>(provenance: &[Provenance], serializer: S) -> Result<S::Ok, S::Error> {
        let letter = |one: &Provenance| LETTERS.iter().find(|(of, _)| of == one).map(|(_, letter)| letter);
        serializer.serialize_str(&provenance.iter().filter_map(letter).collect::<String>())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Provenance>, D::Error> {
        let of = |letter| {
            let known = LETTERS.iter().find(|(_, one)| *one == letter).map(|(of, _)| *of);
            known.ok_or_else(|| D::Error::custom(format!("“{letter}” is no provenance")))
        };
        String::deserialize(deserializer)?.chars().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;
    use crate::answering::testing::round;

    /// A round of a drafter with a calibrated confidence, of which four of seven tokens stand, of an observed answer.
    fn observed(number: usize) -> Round {
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let some = |count: usize| (0..count).map(|at| ((number * 7 + at) as f32).sin().abs()).collect::<Vec<_>>();
        Round {
            pieces: ["▁tokens", " of", " aver", "age", "\n\n"].map(String::from).into(),
            provenance: [&[Provenance::Accepted; 4][..], &[Provenance::Resampled]].concat(),
            rejected_pieces: [" \"q\"", " length", "."].map(String::from).into(),
            confidences: some(7),
            calibrated: some(7),
            p: some(7),
            q: some(7),
            own_p: some(1).first().copied(),
            cut: 1,
            seconds: 0.043_217_365_1,
            draft_s: Some(0.012_345_678),
            verify_s: Some(0.030_871_687),
            device_s: 0.041_234_567,
            ..round("")
        }
    }

    #[test]
    fn what_is_kept_of_a_round_is_read_back() {
        for round in [observed(3), round("a")] {
            let trace = Trace::from(&round);
            let json = serde_json::to_string(&trace).unwrap();
            assert_eq!(serde_json::from_str::<Trace>(&json).unwrap(), trace, "{json}");
        }
        let plain = serde_json::to_string(&Trace::from(&round("a"))).unwrap();
        assert_eq!(plain, r#"{"t":["a"],"f":"p","s":0.1,"w":0.09}"#);
        assert!(serde_json::from_str::<Trace>(&plain.replace("\"p\"", "\"?\"")).is_err());
    }

    #[test]
    fn numbers_keep_four_digits_however_small() {
        let kept = [0.912_345_6, 1.234_567e-7, 0.0, 1.0].map(digits).map(|number| number.to_string());
        assert_eq!(kept, ["0.9123", "0.0000001235", "0", "1"]);
    }

    #[test]
    fn four_thousand_tokens_need_well_below_a_megabyte() {
        let plain = Round { own_p: Some(0.912_345_6), ..round(" word") };
        let size = |rounds: Vec<Round>| {
            let traces = rounds.iter().map(Trace::from).collect::<Vec<_>>();
            serde_json::to_string(&traces).unwrap().len()
        };
        let (drafted, plain) = (size((0..800).map(observed).collect()), size(vec![plain; 4000]));
        println!("4,000 tokens: {drafted} bytes drafted, {plain} bytes plain");
        assert!(drafted < 500_000 && plain < 500_000);
    }
}
