//! The built-in suites of prompts: something to answer for whoever has nothing of their own to ask.

use store::Source;

/// A built-in suite of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suite {
    /// What commands call it.
    pub id: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Whether it is chosen where nobody chooses; the one about this app is not.
    pub usual: bool,
    text: &'static str,
}

impl Suite {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self { id: "chat", title: "Chat", usual: true, text: include_str!("../suites/chat.txt") },
        Self { id: "code", title: "Code", usual: true, text: include_str!("../suites/code.txt") },
        Self { id: "maths", title: "Maths", usual: true, text: include_str!("../suites/maths.txt") },
        Self {
            id: "structured",
            title: "Structured text",
            usual: true,
            text: include_str!("../suites/structured.txt"),
        },
        Self {
            id: "slipstream",
            title: "About Slipstream",
            usual: false,
            text: include_str!("../suites/slipstream.txt"),
        },
    ];

    /// Whether it is chosen for a target from there where nobody chooses: that of the demo knows only what the others are not
    /// asked.
    #[must_use]
    pub fn is_usual_for(&self, source: Source) -> bool {
        self.usual != (source == Source::Demo)
    }

    /// The ids of those that are chosen for a target from there where nobody chooses.
    #[must_use]
    pub fn usual_for(source: Source) -> Vec<String> {
        let usual = Self::ALL.into_iter().filter(|suite| suite.is_usual_for(source));
        usual.map(|suite| suite.id.to_owned()).collect()
    }

    /// The ids of all.
    #[must_use]
    pub fn ids() -> [&'static str; 5] {
        Self::ALL.map(|suite| suite.id)
    }

    /// The suite of this id.
    #[must_use]
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.id == id)
    }

    /// Its prompts, one line each.
    pub fn prompts(&self) -> impl Iterator<Item = &'static str> {
        self.text.lines()
    }
}
