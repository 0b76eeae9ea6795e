//! Text on its way to a terminal.

/// The same text without control characters, which a terminal obeys: neither a model nor a checkpoint's files are to
/// give it orders.
pub(crate) fn harmless(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect()
}
