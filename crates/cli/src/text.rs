//! An answer for people: its text on stdout as it comes, everything else on stderr.

use std::io::{self, Write};

use app::{Answer, Frame, Phase, Speculation};

use crate::follow::Transcript;
use crate::terminal::harmless;

/// Writes the text, the progress until it comes, and one line on how it went.
#[derive(Debug)]
pub(crate) struct Text<O, E> {
    /// Takes the text.
    pub(crate) out: O,
    /// Whether `out` is a terminal.
    pub(crate) out_is_terminal: bool,
    /// Takes the rest.
    pub(crate) err: E,
    /// Whether `err` is a terminal; otherwise it gets no progress.
    pub(crate) err_is_terminal: bool,
    /// Whether to end with what the model really wrote.
    pub(crate) show_raw: bool,
    /// How much of the thought has been told.
    thought: String,
    /// What `out` has got so far.
    written: String,
}

impl<O: Write, E: Write> Text<O, E> {
    pub(crate) fn new(out: O, out_is_terminal: bool, err: E, err_is_terminal: bool, show_raw: bool) -> Self {
        Self { out, out_is_terminal, err, err_is_terminal, show_raw, thought: String::new(), written: String::new() }
    }

    fn progress(&mut self, text: &str) -> io::Result<()> {
        if self.err_is_terminal {
            write!(self.err, "\r\x1b[K{text}")?;
            self.err.flush()?;
        }
        Ok(())
    }

    /// A thought is no part of the answer, so it is told where people look and programs do not.
    fn thought(&mut self, thought: &str) -> io::Result<()> {
        if self.err_is_terminal && !thought.is_empty() {
            self.thought.push_str(thought);
            write!(self.err, "\x1b[2m{}\x1b[0m", harmless(thought))?;
            self.err.flush()?;
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        if self.written.is_empty() && !self.thought.is_empty() && !text.is_empty() {
            write!(self.err, "\n\n")?;
            self.err.flush()?;
        }
        self.written.push_str(text);
        if self.out_is_terminal {
            self.out.write_all(harmless(text).as_bytes())?;
        } else {
            self.out.write_all(text.as_bytes())?;
        }
        self.out.flush()
    }

    fn end(&mut self, answer: &Answer) -> io::Result<()> {
        // What was held back as the possible beginning of a stop text comes with the end.
        let rest = answer.thought.strip_prefix(self.thought.as_str()).unwrap_or_default().to_owned();
        self.thought(&rest)?;
        let rest = answer.text.strip_prefix(self.written.as_str()).unwrap_or_default().to_owned();
        self.text(&rest)?;
        self.text("\n")?;
        for note in &answer.notes {
            writeln!(self.err, "{}", harmless(note))?;
        }
        if let Some(reason) = answer.stats.read_again() {
            writeln!(self.err, "{reason}")?;
        }
        if self.show_raw {
            writeln!(self.err, "{}", harmless(&answer.raw))?;
        }
        let summary = summary(answer);
        if self.err_is_terminal {
            writeln!(self.err, "\x1b[2m{summary}\x1b[0m")
        } else {
            writeln!(self.err, "{summary}")
        }
    }
}

impl<O: Write, E: Write> Transcript for Text<O, E> {
    fn write(&mut self, frame: &Frame) -> io::Result<()> {
        if !frame.rounds.is_empty() {
            if frame.first_round == 0 {
                self.progress("")?;
            }
            for round in &frame.rounds {
                self.thought(&round.thought)?;
                self.text(&round.text)?;
            }
        }
        match &frame.phase {
            Phase::Loading { name } => self.progress(&harmless(&format!("loading {name} …"))),
            Phase::Prefill { done, total } => self.progress(&format!("reading the prompt: {done} of {total} tokens")),
            Phase::Measuring => self.progress("measuring what rounds cost here"),
            Phase::Waiting | Phase::Decoding { .. } => Ok(()),
            Phase::Ended(Ok(answer)) => self.end(answer),
            Phase::Ended(Err(_)) => self.progress(""),
        }
    }
}

/// How an answer went, in one line.
fn summary(answer: &Answer) -> String {
    let stats = &answer.stats;
    let drafting = match &answer.speculation {
        Speculation::On { limit, schedule, .. } => {
            let (accepted, proposed, schedule) = (stats.accepted, stats.proposed, schedule.name());
            format!("{accepted} of {proposed} drafted accepted ({schedule}, γ {limit})")
        }
        Speculation::Off { reason } => format!("plain decoding: {reason}"),
    };
    let reused = match stats.reused_tokens {
        0 => String::new(),
        reused => format!(" · {reused} of {} prompt tokens reused", stats.prompt_tokens),
    };
    let speed = rate(stats.tokens_per_s, 1);
    let per_round = rate(stats.tokens_per_round, 2);
    format!("{speed} tokens/s · τ {per_round} · {drafting} · {} tokens · {} waits{reused}", stats.tokens, stats.waits)
}

/// Without a denominator there is a dash, not a number.
fn rate(rate: Option<f64>, decimals: usize) -> String {
    rate.map_or_else(|| "–".into(), |rate| format!("{rate:.decimals$}"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use std::sync::Arc;

    use app::{Reuse, Round, Scheduling, Stats};

    use super::*;
    use crate::follow::script::{answer, round};

    fn written(terminal: bool, frames: &[Frame]) -> (String, String) {
        let mut text = Text::new(Vec::new(), terminal, Vec::new(), terminal, false);
        frames.iter().try_for_each(|frame| text.write(frame)).unwrap();
        (String::from_utf8(text.out).unwrap(), String::from_utf8(text.err).unwrap())
    }

    fn told() -> [Frame; 3] {
        let ended = Phase::Ended(Ok(Arc::new(answer("a\u{1b}[2Jbc\t"))));
        [
            Frame { written: None, first_round: 0, rounds: vec![], phase: Phase::Prefill { done: 1, total: 2 } },
            Frame {
                written: None,
                first_round: 0,
                rounds: vec![round("a\u{1b}[2J"), round("b")],
                phase: Phase::Waiting,
            },
            Frame { written: None, first_round: 2, rounds: vec![], phase: ended },
        ]
    }

    #[test]
    fn a_pipe_gets_the_text_as_it_is_and_one_line_about_it() {
        let (out, err) = written(false, &told());
        assert_eq!(out, "a\u{1b}[2Jbc\t\n");
        assert_eq!(err, "– tokens/s · τ – · plain decoding: no drafter · 0 tokens · 0 waits\n");
    }

    #[test]
    fn a_terminal_gets_progress_and_takes_no_orders_from_the_text() {
        let (out, err) = written(true, &told());
        assert_eq!(out, "a[2Jbc\t\n");
        assert!(err.starts_with("\r\u{1b}[Kreading the prompt: 1 of 2 tokens\r\u{1b}[K"));
    }

    #[test]
    fn a_thought_is_told_to_people_and_not_to_pipes() {
        let thinking = Round { thought: "hm\u{1b}[2J".into(), ..round("") };
        let end = Answer { thought: "hm\u{1b}[2J!".into(), ..answer("") };
        let frames = |end: Answer| {
            [
                Frame { written: None, first_round: 0, rounds: vec![thinking.clone()], phase: Phase::Waiting },
                Frame { written: None, first_round: 1, rounds: vec![], phase: Phase::Ended(Ok(Arc::new(end))) },
            ]
        };
        let (out, err) = written(true, &frames(end.clone()));
        assert_eq!(out, "\n");
        assert!(err.starts_with("\r\u{1b}[K\u{1b}[2mhm[2J\u{1b}[0m\u{1b}[2m!\u{1b}[0m\n\n"), "{err:?}");
        let (out, err) = written(false, &frames(Answer { text: "4".into(), ..end }));
        assert_eq!(out, "4\n");
        assert!(!err.contains("hm"), "{err:?}");
    }

    #[test]
    fn what_was_read_once_more_is_said_with_the_reason() {
        let reuse = Reuse::NewDrafter { common: 12 };
        let stats = Stats { prompt_tokens: 20, reused_tokens: 4, reuse, ..Stats::default() };
        let ended = Phase::Ended(Ok(Arc::new(Answer { stats, ..answer("") })));
        let (_, err) = written(false, &[Frame { written: None, first_round: 0, rounds: vec![], phase: ended }]);
        let sentence = "8 of the prompt's tokens were read once more: the drafter had not read them yet.";
        let lines = err.lines().collect::<Vec<_>>();
        assert_eq!(lines[0], sentence);
        assert!(lines[1].ends_with(" · 4 of 20 prompt tokens reused"), "{err}");
    }

    #[test]
    fn the_last_line_says_what_drafting_was_worth() {
        let stats = Stats {
            tokens: 12,
            proposed: 20,
            accepted: 8,
            waits: 4,
            tokens_per_round: Some(3.0),
            tokens_per_s: Some(51.26),
            ..Stats::default()
        };
        let answer = Answer {
            speculation: Speculation::On { limit: 5, schedule: Scheduling::Fixed, calibrated: false },
            stats,
            ..answer("")
        };
        let expected = "51.3 tokens/s · τ 3.00 · 8 of 20 drafted accepted (fixed, γ 5) · 12 tokens · 4 waits";
        assert_eq!(summary(&answer), expected);
    }
}
