//! Saying something, and the answer that runs.

use app::{App, Question};
use tauri::ipc::Channel;
use tauri::{State, Webview, WebviewWindow};
use tauri_plugin_dialog::DialogExt;
use tokio::sync::oneshot;

use crate::opened::Opened;
use crate::outside::{browse, link};
use crate::watcher::Watcher;
use crate::wire::{Asking, Attachment, Failure, Frame, Proof, Said};

/// Stores a question and begins to answer it; without a conversation, in a new one, whose models are told `system` before.
#[tauri::command]
#[specta::specta]
pub(crate) async fn say(
    opened: State<'_, Opened>,
    conversation: Option<i64>,
    text: String,
    attachments: Vec<Attachment>,
    system: String,
    asking: Asking,
) -> Result<Said, Failure> {
    let attachments = attachments.into_iter().map(app::Attachment::from).collect();
    let question = match conversation {
        Some(conversation) => Question::Next { conversation, text, attachments },
        None => Question::First { text, attachments, system },
    };
    begin(&opened, question, asking).await
}

/// Stores another question beside one, with the same files, and begins to answer it: a branch of its own.
#[tauri::command]
#[specta::specta]
pub(crate) async fn edit_message(
    opened: State<'_, Opened>,
    message: i64,
    text: String,
    asking: Asking,
) -> Result<Said, Failure> {
    begin(&opened, Question::Beside { message, text }, asking).await
}

/// Opens the system's dialog for text files that are to go with a question, and reads them; none when it was dismissed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn choose_attachments(window: WebviewWindow) -> Result<Vec<Attachment>, Failure> {
    let (chosen, files) = oneshot::channel();
    let dialog = window.dialog().file().set_parent(&window).set_title("Attach text files");
    // Nobody waits any more if the send fails: the window is gone.
    dialog.pick_files(move |files| drop(chosen.send(files)));
    let mut attachments = Vec::new();
    for file in files.await.ok().flatten().unwrap_or_default() {
        attachments.push(App::read_attachment(file.to_string().as_ref()).await?.into());
    }
    Ok(attachments)
}

/// Begins to answer a question once more, beside its other answers. The message is the question, or one of these.
#[tauri::command]
#[specta::specta]
pub(crate) async fn answer_again(opened: State<'_, Opened>, message: i64, asking: Asking) -> Result<Said, Failure> {
    begin(&opened, Question::Again { message }, asking).await
}

/// Begins to write an answer again, beside it, with the models, the settings and the seed of its record. The new one's
/// record says whether the ids are the same.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rerun(
    opened: State<'_, Opened>,
    message: i64,
    insist: bool,
    observe: bool,
) -> Result<Said, Failure> {
    Ok(opened.app().await?.rerun(message, insist, observe).await?.into())
}

/// Lets an answer go on where it ended, by so many tokens at most.
#[tauri::command]
#[specta::specta]
pub(crate) async fn go_on(
    opened: State<'_, Opened>,
    message: i64,
    more: usize,
    insist: bool,
    observe: bool,
) -> Result<Said, Failure> {
    Ok(opened.app().await?.go_on(message, more, insist, observe).await?.into())
}

async fn begin(opened: &Opened, question: Question, asking: Asking) -> Result<Said, Failure> {
    Ok(opened.app().await?.say(asking.about(question)).await?.into())
}

/// Streams the running answer from its beginning; false when none runs. The end is the phase `ended`, not this reply.
#[tauri::command]
#[specta::specta]
pub(crate) async fn watch(
    opened: State<'_, Opened>,
    watcher: State<'_, Watcher>,
    page: Webview,
    frames: Channel<Frame>,
) -> Result<bool, Failure> {
    let app = opened.app().await?;
    let Some(running) = app.running().await else { return Ok(false) };
    watcher.follow(app.clone(), running, page, frames);
    Ok(true)
}

/// Stops the running answer, if any. What it says so far is kept.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop(opened: State<'_, Opened>) -> Result<(), Failure> {
    opened.app().await?.stop().await;
    Ok(())
}

/// Lets the target read an answer again with no drafter. Whoever insists wants it loaded although there is not enough
/// memory.
#[tauri::command]
#[specta::specta]
pub(crate) async fn verify(opened: State<'_, Opened>, message: i64, insist: bool) -> Result<Proof, Failure> {
    Ok(opened.app().await?.verify(Some(message), insist).await?.proof.into())
}

/// Stops the verification that runs, if any; it then fails.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_verifying(opened: State<'_, Opened>) -> Result<(), Failure> {
    opened.app().await?.stop_proving().await;
    Ok(())
}

/// Opens a link of an answer with the program that the system has for it: one of http, https or mailto, and no other.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_link(url: String) -> Result<(), Failure> {
    let link = link(&url).map_err(|why| Failure::new(&format!("this link is not opened: {why}")))?;
    browse(link.as_str()).map_err(|error| Failure::new(&format!("no program could be opened for {link}: {error}")))
}
