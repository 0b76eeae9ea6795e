//! What comes in through stdin.

use std::io::{self, IsTerminal, Read};

use tokio::sync::mpsc;

/// Whether somebody sits there and types.
pub(crate) fn is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Everything that is piped in, without the line break that ends a text file.
pub(crate) fn everything() -> io::Result<String> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    if text.ends_with('\n') {
        text.pop();
    }
    Ok(text)
}

/// The lines as they are typed.
pub(crate) fn lines() -> mpsc::Receiver<io::Result<String>> {
    let (sender, lines) = mpsc::channel(1);
    // A thread of its own: the runtime would not end before its own threads do, and this one waits for a key.
    std::thread::spawn(move || {
        for line in io::stdin().lines() {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}
