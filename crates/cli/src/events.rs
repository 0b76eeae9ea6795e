//! An answer for programs: one JSON object per line.

use std::io::{self, Write};

use app::{Answer, Event, Frame, Phase};

use crate::follow::Transcript;

/// Writes the engine's events, the last of which is the end.
#[derive(Debug)]
pub(crate) struct Events<O> {
    out: O,
    decoding: bool,
}

impl<O: Write> Events<O> {
    pub(crate) fn new(out: O) -> Self {
        Self { out, decoding: false }
    }

    fn line(&mut self, event: &Event) -> io::Result<()> {
        let json = serde_json::to_string(event)?;
        writeln!(self.out, "{json}")?;
        self.out.flush()
    }

    fn begin(&mut self, frame: &Frame) -> io::Result<()> {
        let event = match &frame.phase {
            Phase::Loading { name } => Event::Loading { name: name.clone() },
            Phase::Prefill { done, total } => Event::Prefill { done: *done, total: *total },
            Phase::Measuring => Event::Measuring,
            Phase::Decoding { speculation } if !self.decoding => Event::Decoding { speculation: speculation.clone() },
            // A short answer may be over before its beginning was seen.
            Phase::Ended(Ok(answer)) if !self.decoding && !frame.rounds.is_empty() => {
                Event::Decoding { speculation: answer.speculation.clone() }
            }
            _ => return Ok(()),
        };
        self.decoding = matches!(event, Event::Decoding { .. });
        self.line(&event)
    }

    fn end(&mut self, answer: &Answer) -> io::Result<()> {
        self.line(&Event::End(Box::new(answer.clone())))
    }
}

impl<O: Write> Transcript for Events<O> {
    /// An answer that came to nothing has no last line here: the program's own failure is it.
    fn write(&mut self, frame: &Frame) -> io::Result<()> {
        self.begin(frame)?;
        for round in &frame.rounds {
            self.line(&Event::Round(round.clone()))?;
        }
        match &frame.phase {
            Phase::Ended(Ok(answer)) => self.end(answer),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use std::sync::Arc;

    use super::*;
    use crate::follow::script::{answer, round};

    fn written(frames: &[Frame]) -> Vec<serde_json::Value> {
        let mut events = Events::new(Vec::new());
        frames.iter().try_for_each(|frame| events.write(frame)).unwrap();
        let lines = String::from_utf8(events.out).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn every_line_is_an_event_and_the_last_is_the_end() {
        let decoding = Phase::Decoding { speculation: answer("ab").speculation };
        let lines = written(&[
            Frame { written: None, first_round: 0, rounds: vec![], phase: Phase::Waiting },
            Frame { written: None, first_round: 0, rounds: vec![], phase: Phase::Loading { name: "gemma".into() } },
            Frame { written: None, first_round: 0, rounds: vec![], phase: Phase::Prefill { done: 1, total: 2 } },
            Frame { written: None, first_round: 0, rounds: vec![round("a")], phase: decoding.clone() },
            Frame { written: None, first_round: 1, rounds: vec![round("b")], phase: decoding },
            Frame { written: None, first_round: 2, rounds: vec![], phase: Phase::Ended(Ok(Arc::new(answer("ab")))) },
        ]);
        let events: Vec<_> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
        assert_eq!(events, ["loading", "prefill", "decoding", "round", "round", "end"]);
        assert_eq!(lines[5]["text"], "ab");
        assert_eq!(lines[5]["finish"], "eos");
        assert_eq!(lines[5]["stats"]["tokens_per_s"], serde_json::Value::Null);
    }

    #[test]
    fn an_answer_seen_all_at_once_is_told_in_order() {
        let ended = Phase::Ended(Ok(Arc::new(answer("ab"))));
        let lines =
            written(&[Frame { written: None, first_round: 0, rounds: vec![round("a"), round("b")], phase: ended }]);
        let events: Vec<_> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
        assert_eq!(events, ["decoding", "round", "round", "end"]);
    }
}
