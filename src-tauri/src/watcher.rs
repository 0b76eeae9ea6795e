//! Streams the running answer to the window, in frames of whole rounds.

use std::time::Duration;

use app::{App, Phase, Running, State};
use tauri::Webview;
use tauri::ipc::Channel;
use tokio::time::sleep;

use crate::page::{Streaming, taken};
use crate::wire::{self, Frame, Message};

/// The shortest time between two frames: at most 30 a second.
const PACE: Duration = Duration::from_millis(34);

/// Who streams the answer to the window at present.
#[derive(Default)]
pub(crate) struct Watcher(Streaming);

impl Watcher {
    /// Streams an answer from its beginning to its end.
    pub(crate) fn follow(&self, app: App, running: Running, page: Webview, frames: Channel<Frame>) {
        self.0.replace(stream(app, running, page, frames));
    }
}

/// Whatever happens while a frame is on its way or the pause lasts is part of the next frame.
async fn stream(app: App, running: Running, page: Webview, frames: Channel<Frame>) {
    let mut reader = running.answering.reader();
    let (mut thought, mut text) = (String::new(), String::new());
    while let Some(news) = reader.next().await {
        if let Some(written) = &news.written {
            (thought, text) = written.clone();
        }
        thought.extend(news.rounds.iter().map(|round| round.thought.as_str()));
        text.extend(news.rounds.iter().map(|round| round.text.as_str()));
        let frame = Frame {
            conversation: running.conversation,
            message: running.message,
            written: news.written.map(|(thought, text)| wire::Written { thought, text }),
            first_round: news.first_round,
            rounds: news.rounds.into_iter().map(wire::Round::from).collect(),
            phase: phase(&app, &running, news.phase, (&thought, &text)).await,
        };
        // The window is gone.
        if frames.send(frame).is_err() {
            return;
        }
        taken(&page).await;
        sleep(PACE).await;
    }
}

async fn phase(app: &App, running: &Running, phase: Phase, streamed: (&str, &str)) -> wire::Phase {
    match phase {
        Phase::Waiting => wire::Phase::Waiting,
        Phase::Loading { name } => wire::Phase::Loading { what: name },
        Phase::Prefill { done, total } => wire::Phase::Prefill { done, total },
        Phase::Measuring => wire::Phase::Measuring,
        Phase::Decoding { speculation } => wire::Phase::Decoding { speculation: speculation.into() },
        Phase::Ended(end) => {
            let error = end.err();
            let message = ended(app, running, error.as_deref(), streamed).await;
            wire::Phase::Ended { message: Box::new(message.with_code(error.as_deref())) }
        }
    }
}

/// The message as the database has it by now, or else with the thought and the text that were `streamed`.
async fn ended(app: &App, running: &Running, error: Option<&app::Error>, streamed: (&str, &str)) -> Message {
    match app.message(running.message).await {
        Ok(message) if message.state != State::Running => message.into(),
        // The database failed at the end of the answer, or the conversation was deleted under it.
        _ => {
            let why = error.map_or_else(|| "its conversation was deleted".to_owned(), ToString::to_string);
            let (thought, text) = streamed;
            Message::failed(running.message, thought.to_owned(), text.to_owned(), &why)
        }
    }
}
