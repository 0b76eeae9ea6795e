//! Conversations: the list, their branches, and finding what was said.

use tauri::{State, WebviewWindow};

use crate::opened::Opened;
use crate::saving::{Saving, save};
use crate::wire::{Conversation, ConversationExport, Failure, Found, Message, Trace, UnsentMessage};

/// The conversations in the list: those that are pinned, then the others, the latest first.
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

/// Takes a conversation off the list; it can come back for 30 days.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_conversation(opened: State<'_, Opened>, id: i64) -> Result<(), Failure> {
    Ok(opened.app().await?.remove_conversation(id).await?)
}

/// The branch of a conversation that is shown, in order.
#[tauri::command]
#[specta::specta]
pub(crate) async fn messages(opened: State<'_, Opened>, conversation: i64) -> Result<Vec<Message>, Failure> {
    let messages = opened.app().await?.messages(conversation).await?;
    Ok(messages.into_iter().map(Message::from).collect())
}

/// Shows the branch through a message to the newest one behind it, and returns it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn show_branch(opened: State<'_, Opened>, message: i64) -> Result<Vec<Message>, Failure> {
    let messages = opened.app().await?.show_branch(message).await?;
    Ok(messages.into_iter().map(Message::from).collect())
}

/// What the rounds of an answer did, in order; null if none are kept.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rounds(opened: State<'_, Opened>, message: i64) -> Result<Option<Vec<Trace>>, Failure> {
    let rounds = opened.app().await?.rounds(message).await?;
    Ok(rounds.map(|rounds| rounds.into_iter().map(Trace::from).collect()))
}

/// The conversations in which a title or a message has all these words, the last of which may be a beginning: what suits
/// best first, at most 50.
#[tauri::command]
#[specta::specta]
pub(crate) async fn search(opened: State<'_, Opened>, text: String) -> Result<Vec<Found>, Failure> {
    Ok(opened.app().await?.search(&text).await?.into_iter().map(Found::from).collect())
}

/// Pins a conversation, so that it stands before those that are not; or does not any more.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pin_conversation(opened: State<'_, Opened>, id: i64, pinned: bool) -> Result<(), Failure> {
    Ok(opened.app().await?.pin_conversation(id, pinned).await?)
}

/// Gives a conversation these tags and no others, and returns them as they are kept.
#[tauri::command]
#[specta::specta]
pub(crate) async fn tag_conversation(
    opened: State<'_, Opened>,
    id: i64,
    tags: Vec<String>,
) -> Result<Vec<String>, Failure> {
    Ok(opened.app().await?.tag_conversation(id, &tags).await?)
}

/// The conversations that left the list and can come back, the last that left first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn removed_conversations(opened: State<'_, Opened>) -> Result<Vec<Conversation>, Failure> {
    Ok(opened.app().await?.removed_conversations().await?.into_iter().map(Conversation::from).collect())
}

/// Brings a conversation back that left the list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn restore_conversation(opened: State<'_, Opened>, id: i64) -> Result<Conversation, Failure> {
    Ok(opened.app().await?.restore_conversation(id).await?.into())
}

/// Deletes a conversation that left the list for good, with all that was said in it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forget_conversation(opened: State<'_, Opened>, id: i64) -> Result<(), Failure> {
    Ok(opened.app().await?.forget_conversation(id).await?)
}

/// Tells the models of a conversation something else before anything is said; nothing if it is empty.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_system(opened: State<'_, Opened>, id: i64, system: String) -> Result<(), Failure> {
    Ok(opened.app().await?.set_system(id, &system).await?)
}

/// What is typed and attached and not sent yet, of every conversation in which there is something.
#[tauri::command]
#[specta::specta]
pub(crate) async fn unsent_messages(opened: State<'_, Opened>) -> Result<Vec<UnsentMessage>, Failure> {
    Ok(opened.app().await?.unsent_messages().await?.into_iter().map(UnsentMessage::from).collect())
}

/// Keeps what is typed in a conversation, in place of what was there before.
#[tauri::command]
#[specta::specta]
pub(crate) async fn keep_unsent_message(opened: State<'_, Opened>, message: UnsentMessage) -> Result<(), Failure> {
    Ok(opened.app().await?.keep_unsent_message(&message.into()).await?)
}

/// Asks the user where to save a conversation, and saves it there; null when the dialog was dismissed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn export_conversation(
    opened: State<'_, Opened>,
    window: WebviewWindow,
    id: i64,
    what: ConversationExport,
) -> Result<Option<String>, Failure> {
    let app = opened.app().await?;
    let name = app.conversation(id).await?.title;
    let (text, kind, ending) = match what {
        ConversationExport::Markdown => (app.conversation_markdown(id).await?, "Markdown", "md"),
        ConversationExport::Json => (app.conversation_json(id).await?, "JSON", "json"),
    };
    save(&window, Saving { title: "Save the conversation", name, kind, ending, text }).await
}
