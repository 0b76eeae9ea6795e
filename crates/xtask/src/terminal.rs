//! What is printed. A reader that has gone away, as `head` does, is no reason to stop.

use std::io::{Write, stdout};

/// One line.
pub(crate) fn print(line: &str) {
    let _ = writeln!(stdout(), "{line}");
}

/// One line about one step of the set-up.
pub(crate) fn say(step: &str, what: &str) {
    print(&format!("{step:<22} {what}"));
}
