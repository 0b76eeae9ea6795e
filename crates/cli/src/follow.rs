//! Following an answer to its end, with Ctrl-C.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use app::{Answer, Answering, Frame, Phase};
use tokio::signal::ctrl_c;

use crate::INTERRUPTED;
use crate::failure::Failure;

/// Writes down an answer as it comes.
pub(crate) trait Transcript {
    /// Writes what is new.
    fn write(&mut self, frame: &Frame) -> io::Result<()>;
}

/// Follows an answer to its end. Ctrl-C cancels it, a second one ends the program.
pub(crate) async fn follow(answering: &Answering, transcript: &mut dyn Transcript) -> Result<Arc<Answer>, Failure> {
    let mut reader = answering.reader();
    let mut interrupt = pin!(ctrl_c());
    let mut cancelled = false;
    let mut written = Ok(());
    loop {
        tokio::select! {
            frame = reader.next() => {
                let Some(frame) = frame else { return Err(Failure::Sentence("the answer has no end".into())) };
                // The engine is let go of only when it is done: a process must not end under it.
                if written.is_ok() {
                    written = transcript.write(&frame);
                    if written.is_err() {
                        answering.cancel();
                    }
                }
                if let Phase::Ended(end) = frame.phase {
                    written?;
                    return Ok(end?);
                }
            }
            _ = &mut interrupt => {
                if cancelled {
                    app::leave(i32::from(INTERRUPTED));
                }
                cancelled = true;
                answering.cancel();
                interrupt.set(ctrl_c());
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod script {
    use app::{Answer, Bound, Controls, Cost, Course, Finish, Provenance, Round, Speculation, Stats};

    /// A plain round that made one token certain.
    pub(crate) fn round(text: &str) -> Round {
        Round {
            ids: vec![1],
            provenance: vec![Provenance::Plain],
            pieces: vec![text.into()],
            thought: String::new(),
            text: text.into(),
            proposed: 0,
            accepted: 0,
            rejected: Vec::new(),
            rejected_pieces: Vec::new(),
            confidences: Vec::new(),
            calibrated: Vec::new(),
            p: Vec::new(),
            q: Vec::new(),
            own_p: None,
            cut: 0,
            bound: Bound::Limit,
            course: Course::Drafting,
            turn: None,
            seconds: 0.1,
            draft_s: None,
            verify_s: None,
            device_s: 0.09,
            waits: 1,
        }
    }

    /// An answer that came to its own end, and counted nothing.
    pub(crate) fn answer(text: &str) -> Answer {
        Answer {
            prompt_ids: vec![2],
            ids: vec![1],
            thought: String::new(),
            text: text.into(),
            tool_calls: Vec::new(),
            unfinished: None,
            raw: text.into(),
            finish: Finish::Eos,
            speculation: Speculation::Off { reason: "no drafter".into() },
            turns: Vec::new(),
            cost: Cost::default(),
            notes: Vec::new(),
            controls: Controls::default(),
            stats: Stats::default(),
        }
    }
}
