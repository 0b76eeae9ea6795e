//! Saving what the user wants saved, where the user wants it.

use app::App;
use tauri::WebviewWindow;
use tauri_plugin_dialog::DialogExt;
use tokio::sync::oneshot;

use crate::wire::Failure;

/// A file to save.
pub(crate) struct Saving<'a> {
    /// What the dialog says that it is for.
    pub(crate) title: &'a str,
    /// What the file is called unless the user says otherwise, without its ending.
    pub(crate) name: String,
    /// The kind of file.
    pub(crate) kind: &'a str,
    /// What its name ends with.
    pub(crate) ending: &'a str,
    /// What it holds.
    pub(crate) text: String,
}

/// Asks the user where to save a file, and saves it there; `None` when the dialog was dismissed.
pub(crate) async fn save(window: &WebviewWindow, saving: Saving<'_>) -> Result<Option<String>, Failure> {
    let Saving { title, name, kind, ending, text } = saving;
    let (chosen, file) = oneshot::channel();
    let dialog = window.dialog().file().set_parent(window).set_title(title);
    let dialog = dialog.set_file_name(format!("{}.{ending}", harmless(&name))).add_filter(kind, &[ending]);
    // Nobody waits any more if the send fails: the window is gone.
    dialog.save_file(move |file| drop(chosen.send(file)));
    let Some(file) = file.await.ok().flatten() else { return Ok(None) };
    let file = file.to_string();
    App::save_export(file.as_ref(), text).await?;
    Ok(Some(file))
}

/// A name of which no system takes a part for something else.
fn harmless(name: &str) -> String {
    let kept =
        name.chars().map(|letter| if letter.is_alphanumeric() || " -_,".contains(letter) { letter } else { ' ' });
    let name = kept.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { "untitled".to_owned() } else { name.chars().take(80).collect() }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn a_title_becomes_the_name_of_a_file() {
        assert_eq!(harmless("Why do rivers bend?"), "Why do rivers bend");
        assert_eq!(harmless("../../.ssh/config"), "ssh config");
        assert_eq!(harmless("川はなぜ曲がる？"), "川はなぜ曲がる");
        assert_eq!(harmless("???"), "untitled");
        assert_eq!(harmless(&"x".repeat(200)).len(), 80);
    }
}
