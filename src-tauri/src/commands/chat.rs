//! Conversations, and the answer that runs.

use app::Say;
use tauri::ipc::Channel;
use tauri::{State, Webview};

use crate::opened::Opened;
use crate::outside::{browse, link};
use crate::watcher::Watcher;
use crate::wire::{Controls, Conversation, Failure, Frame, Message, Proof, Said};

/// Every conversation, the latest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn conversations(opened: State<'_, Opened>) -> Result<Vec<Conversation>, Failure> {
    let conversations = opened.app().await?.conversations().await?;
    Ok(conversations.into_iter().map(Conversation::from).collect())
}

/// Gives a conversation another title.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rename_conversation(opened: State<'_, Opened>, id: i64, title: String) -> Result<(), Failure> {
    Ok(opened.app().await?.rename_conversation(id, &title).await?)
}

/// Removes a conversation with its messages.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_conversation(opened: State<'_, Opened>, id: i64) -> Result<(), Failure> {
    Ok(opened.app().await?.remove_conversation(id).await?)
}

/// The messages of a conversation in order.
#[tauri::command]
#[specta::specta]
pub(crate) async fn messages(opened: State<'_, Opened>, conversation: i64) -> Result<Vec<Message>, Failure> {
    let messages = opened.app().await?.messages(conversation).await?;
    Ok(messages.into_iter().map(Message::from).collect())
}

/// Stores a question and begins to answer it; without a conversation, in a new one. Whoever insists wants the models
/// loaded although they need more memory than is to be had.
#[tauri::command]
#[specta::specta]
pub(crate) async fn say(
    opened: State<'_, Opened>,
    conversation: Option<i64>,
    text: String,
    target: String,
    drafter: Option<String>,
    controls: Controls,
    insist: bool,
) -> Result<Said, Failure> {
    let precision = controls.precision();
    let say = Say { conversation, text, target, drafter, precision, controls: controls.into(), insist };
    Ok(opened.app().await?.say(say).await?.into())
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
