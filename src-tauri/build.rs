//! Embeds the window's configuration, its icons and its permissions.

/// Every command. Named here, each needs a permission of its own in `capabilities/`, and the window can call nothing else.
const COMMANDS: &[&str] = &[
    "models",
    "model_details",
    "add_model",
    "remove_model",
    "orphans",
    "choose_folder",
    "missing_files",
    "check_files",
    "running_checks",
    "stop_checking",
    "trash",
    "restore_model",
    "empty_trash",
    "watch_downloads",
    "pause_download",
    "resume_download",
    "cancel_download",
    "forget_download",
    "catalogue",
    "discover",
    "offer",
    "get",
    "open_page",
    "hub_status",
    "log_in",
    "log_out",
    "set_offline",
    "found",
    "conversations",
    "rename_conversation",
    "remove_conversation",
    "messages",
    "say",
    "watch",
    "stop",
    "verify",
    "stop_verifying",
    "preferences",
    "save_preferences",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let commands = tauri_build::AppManifest::new().commands(COMMANDS);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(commands))?;
    Ok(())
}
