//! The text of what a model thinks.

/// Takes the text of thoughts in pieces and leaves out what is no thought: the name of the channel, up to and including
/// the first newline, and one newline at the end. A further thought is a paragraph of its own.
#[derive(Default)]
pub(crate) struct Thoughts {
    /// What is the channel's name if a newline ends it.
    name: Option<String>,
    /// How much of that stands in the prompt.
    given: usize,
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
        *self = Self { name: Some(String::new()), given: 0, newline: false, begun: self.begun, gap };
    }

    /// What was taken so far stands in the prompt, so it is not for the model to say.
    pub(crate) fn given(&mut self) {
        self.given = self.name.as_ref().map_or(0, String::len);
    }

    /// Takes more text of the thought; returns what is certain to be shown.
    pub(crate) fn push(&mut self, text: &str) -> String {
        let Some(name) = &mut self.name else { return self.show(text) };
        name.push_str(text);
        let Some((_name, thought)) = name.split_once('\n') else { return String::new() };
        let thought = thought.to_owned();
        self.name = None;
        self.show(&thought)
    }

    /// The thought ends; returns what waited. Text without a newline is the thought itself, unless a name is all it is.
    pub(crate) fn close(&mut self) -> String {
        let text = self.name.take().filter(|text| !is_name(text));
        self.show(text.as_ref().map_or("", |text| &text[self.given..]))
    }

    fn show(&mut self, thought: &str) -> String {
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

/// Whether a text is nothing but a word such as `thought` or `analysis`.
fn is_name(text: &str) -> bool {
    text.trim().chars().all(|character| character.is_ascii_alphabetic() || character == '_')
}
