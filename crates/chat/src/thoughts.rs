//! The text of what a model thinks.

/// Takes the text of thoughts in pieces and leaves out what is no thought: the name of the channel, up to and including
/// the first newline, and one newline at the end. A further thought is a paragraph of its own.
#[derive(Default)]
pub(crate) struct Thoughts {
    /// The channel's name has not ended.
    naming: bool,
    /// A newline waits: it may be the last.
    newline: bool,
    /// Something was thought.
    begun: bool,
    /// What comes between an earlier thought and the next text.
    gap: &'static str,
}

impl Thoughts {
    /// A thought begins, even in the middle of another.
    pub(crate) fn open(&mut self) {
        let gap = if self.begun { "\n\n" } else { "" };
        *self = Self { naming: true, newline: false, begun: self.begun, gap };
    }

    /// Takes more text of the thought; returns what is certain to be shown.
    pub(crate) fn push(&mut self, text: &str) -> String {
        let thought = match text.split_once('\n') {
            Some((_name, thought)) if self.naming => thought,
            None if self.naming => return String::new(),
            _ => text,
        };
        self.naming = false;
        if thought.is_empty() {
            return String::new();
        }
        let mut shown = if std::mem::take(&mut self.newline) { "\n".to_owned() + thought } else { thought.to_owned() };
        if shown.ends_with('\n') {
            shown.pop();
            self.newline = true;
        }
        if shown.is_empty() {
            return shown;
        }
        self.begun = true;
        std::mem::take(&mut self.gap).to_owned() + &shown
    }
}
