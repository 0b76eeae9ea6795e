//! `slipstream conversations`: what was said in the window, and finding it again.

use std::io::{self, Write as _};
use std::process::ExitCode;

use app::{App, Conversation, Found, Passage};
use serde_json::{Value, json};

use crate::args::ConversationsCommand;
use crate::failure::Failure;
use crate::models::print;
use crate::terminal::harmless;

/// Runs one of the commands.
pub(crate) async fn run(app: &App, command: ConversationsCommand, json: bool) -> Result<ExitCode, Failure> {
    let (value, text) = match command {
        ConversationsCommand::List { removed } => {
            let all = if removed { app.removed_conversations().await? } else { app.conversations().await? };
            (all.iter().map(value).collect(), list(&all))
        }
        ConversationsCommand::Show { id } => {
            let text = if json { app.conversation_json(id).await? } else { app.conversation_markdown(id).await? };
            writeln!(io::stdout(), "{}", if json { text } else { harmless(text.trim_end()) })?;
            return Ok(ExitCode::SUCCESS);
        }
        ConversationsCommand::Search { words } => {
            let found = app.search(&words.join(" ")).await?;
            (found.iter().map(found_value).collect(), found_list(&found))
        }
        ConversationsCommand::Remove { id } => {
            let conversation = app.conversation(id).await?;
            app.remove_conversation(id).await?;
            (json!({ "removed": id }), format!("removed {}; it can come back for 30 days", line(&conversation)))
        }
        ConversationsCommand::Restore { id } => {
            let conversation = app.restore_conversation(id).await?;
            (value(&conversation), format!("restored {}", line(&conversation)))
        }
        ConversationsCommand::Forget { id } => {
            app.forget_conversation(id).await?;
            (json!({ "forgotten": id }), format!("conversation {id} is gone for good"))
        }
    };
    print(json, &value, &text)
}

fn list(conversations: &[Conversation]) -> String {
    match conversations {
        [] => "no conversations".to_owned(),
        some => some.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

fn line(conversation: &Conversation) -> String {
    let Conversation { id, title, pinned, tags, .. } = conversation;
    let pinned = if *pinned { "  pinned" } else { "" };
    let tags = tags.iter().map(|tag| format!("  #{tag}")).collect::<Vec<_>>();
    format!("{id:>4}  {}{pinned}{}", one_line(title), tags.concat())
}

fn value(conversation: &Conversation) -> Value {
    json!({
        "id": conversation.id,
        "title": conversation.title,
        "pinned": conversation.pinned,
        "tags": conversation.tags,
        "target": conversation.target_id,
        "drafter": conversation.drafter,
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
        "removed_at": conversation.removed_at,
    })
}

fn found_list(found: &[Found]) -> String {
    let one = |found: &Found| {
        let passages = found.passages.iter().filter(|passage| passage.message.is_some());
        let passages = passages.map(|passage| format!("\n      {}", shown(passage)));
        line(&found.conversation) + &passages.collect::<String>()
    };
    match found {
        [] => "nothing found".to_owned(),
        some => some.iter().map(one).collect::<Vec<_>>().join("\n"),
    }
}

/// A passage in one line, what matches between two marks.
fn shown(passage: &Passage) -> String {
    let piece = |piece: &app::Piece| if piece.matches { format!("‹{}›", piece.text) } else { piece.text.clone() };
    one_line(&passage.pieces.iter().map(piece).collect::<String>())
}

fn found_value(found: &Found) -> Value {
    let passage = |passage: &Passage| {
        let piece = |piece: &app::Piece| json!({ "text": piece.text, "matches": piece.matches });
        json!({ "message": passage.message, "pieces": passage.pieces.iter().map(piece).collect::<Value>() })
    };
    let mut value = value(&found.conversation);
    value["passages"] = found.passages.iter().map(passage).collect();
    value
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
