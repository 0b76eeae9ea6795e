//! What comes in through stdin.

use std::io::{self, IsTerminal, Read};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
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

/// A line that is typed without being shown, or piped in.
pub(crate) fn secret() -> io::Result<String> {
    let stdin = io::stdin();
    let mut text = String::new();
    if !stdin.is_terminal() {
        stdin.read_line(&mut text)?;
        return Ok(text);
    }
    let usual = tcgetattr(&stdin)?;
    let mut silent = usual.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Flush, &silent)?;
    let read = stdin.read_line(&mut text);
    tcsetattr(&stdin, OptionalActions::Now, &usual)?;
    read.map(|_| text)
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
