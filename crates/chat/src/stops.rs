//! Finds the first stop string in a text that arrives in pieces.

/// Holds back what might be the beginning of a stop string.
///
/// The first stop string is the one that is completed first (of several at once, the longest), so
/// the outcome does not depend on how the text was cut into pieces.
pub(crate) struct StopStrings {
    stops: Vec<String>,
    held: String,
    found: bool,
}

/// Text that can no longer belong to a stop string, and the stop string that ended it, if any.
pub(crate) type Released = (String, Option<String>);

impl StopStrings {
    /// Empty stop strings are ignored: they would end every text before it begins.
    pub(crate) fn new(mut stops: Vec<String>) -> Self {
        stops.retain(|stop| !stop.is_empty());
        stops.sort_by_key(|stop| std::cmp::Reverse(stop.len()));
        Self { stops, held: String::new(), found: false }
    }

    /// Takes more text. After a stop string everything is dropped.
    pub(crate) fn push(&mut self, text: &str) -> Released {
        if self.found {
            return (String::new(), None);
        }
        for character in text.chars() {
            self.held.push(character);
            if let Some(stop) = self.stops.iter().find(|stop| self.held.ends_with(*stop)) {
                self.found = true;
                self.held.truncate(self.held.len() - stop.len());
                return (std::mem::take(&mut self.held), Some(stop.clone()));
            }
        }
        let certain = self.held.len() - self.possible_beginning();
        (self.held.drain(..certain).collect(), None)
    }

    /// Whether the text has ended with a stop string.
    pub(crate) fn found(&self) -> bool {
        self.found
    }

    /// What was held back in vain.
    pub(crate) fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// Length of the longest end of the held text that a stop string begins with.
    fn possible_beginning(&self) -> usize {
        let longest = self.stops.first().map_or(0, |stop| stop.len() - 1);
        let candidates = self.held.char_indices().map(|(start, _)| self.held.len() - start);
        candidates
            .filter(|&length| length <= longest)
            .find(|&length| {
                let end = &self.held[self.held.len() - length..];
                self.stops.iter().any(|stop| stop.starts_with(end))
            })
            .unwrap_or(0)
    }
}
