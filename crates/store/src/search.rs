//! Tables `title_words` and `message_words`: finding what was said. Triggers keep them.

use sqlx::FromRow;

use crate::{Conversation, Result, Store};

/// The most conversations that are found at once.
const MOST: u32 = 50;
/// The most words that are looked for: whoever pastes a page wants something with its beginning.
const WORDS: usize = 32;

/// A conversation in which something was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The conversation.
    pub conversation: Conversation,
    /// Where: in its title, and in the messages that it suits best, at most three places in all.
    pub passages: Vec<Passage>,
}

/// A passage in which something was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The message that it stands in, on whatever branch; `None` for the title.
    pub message: Option<i64>,
    /// Its text, cut where something that was looked for begins or ends.
    pub pieces: Vec<Piece>,
}

/// A piece of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it says.
    pub text: String,
    /// Whether it is what was looked for.
    pub matches: bool,
}

/// A passage as the database gives it: with a mark where a match begins or ends, and once more with another mark.
#[derive(FromRow)]
struct Row {
    #[sqlx(flatten)]
    conversation: Conversation,
    message_id: Option<i64>,
    marked: String,
    remarked: String,
}

/// Hits by what suits best, at most three of each conversation; then their passages, from one more look at the index: a
/// look for each of them would gather all words with the same beginning every time.
const FIND: &str = "
    WITH hits AS MATERIALIZED (
        SELECT rowid AS conversation_id, NULL AS message_id, rank FROM title_words WHERE title_words MATCH ?1
        UNION ALL
        SELECT conversation_id, messages.id, rank FROM message_words
        JOIN messages ON messages.id = message_words.rowid WHERE message_words MATCH ?1
    ),
    placed AS MATERIALIZED (
        SELECT *, row_number() OVER (
            PARTITION BY conversation_id ORDER BY message_id IS NOT NULL, rank, message_id DESC
        ) AS place FROM hits
    ),
    best AS (
        SELECT conversation_id, message_id IS NOT NULL AS in_message, rank AS best FROM placed
        JOIN conversations ON id = conversation_id WHERE place = 1 AND removed_at IS NULL
        ORDER BY in_message, best, updated_at DESC, id DESC LIMIT ?2
    ),
    chosen AS MATERIALIZED (SELECT * FROM best JOIN placed USING (conversation_id) WHERE place <= 3),
    passages AS MATERIALIZED (
        SELECT rowid AS title_of, NULL AS message, snippet(title_words, 0, char(1), char(1), '…', 24) AS marked,
            snippet(title_words, 0, char(2), char(2), '…', 24) AS remarked
        FROM title_words WHERE title_words MATCH ?1 AND +rowid IN (SELECT conversation_id FROM chosen)
        UNION ALL
        SELECT NULL, rowid, snippet(message_words, 0, char(1), char(1), '…', 24),
            snippet(message_words, 0, char(2), char(2), '…', 24)
        FROM message_words WHERE message_words MATCH ?1 AND +rowid IN (SELECT message_id FROM chosen)
    )
    SELECT conversations.*, message_id, marked, remarked FROM chosen
    JOIN passages ON iif(message_id IS NULL, title_of = conversation_id, message = message_id)
    JOIN conversations ON id = conversation_id
    ORDER BY in_message, best, updated_at DESC, id DESC, place";

impl Store {
    /// The conversations of the list in which a title or a message has all words of `text`, the last of which may be a
    /// beginning. Upper case, accents and signs make no difference. Titles come first, then what suits best; the latest
    /// first among equals, and at most 50.
    ///
    /// # Errors
    /// The database fails.
    pub async fn search(&self, text: &str) -> Result<Vec<Found>> {
        let Some(words) = words(text) else { return Ok(Vec::new()) };
        let passages = sqlx::query_as::<_, Row>(FIND);
        let mut all: Vec<Found> = Vec::new();
        for row in passages.bind(words).bind(MOST).fetch_all(&self.pool).await? {
            let passage = Passage { message: row.message_id, pieces: pieces(&row.marked, &row.remarked) };
            match all.last_mut().filter(|last| last.conversation.id == row.conversation.id) {
                Some(last) => last.passages.push(passage),
                None => all.push(Found { conversation: row.conversation, passages: vec![passage] }),
            }
        }
        Ok(all)
    }
}

/// The words of a text as FTS5 looks for them: each quoted, so that none is taken for an operator, and the last as a
/// beginning. `None` if there are none.
fn words(text: &str) -> Option<String> {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let quoted = words.filter(|word| !word.is_empty()).take(WORDS).map(|word| word.replace('"', "\"\""));
    let quoted = quoted.map(|word| format!("\"{word}\"")).collect::<Vec<_>>();
    if quoted.is_empty() { None } else { Some(quoted.join(" ") + "*") }
}

/// The pieces of a text that is marked in two ways. A mark is wherever they differ, whatever the text itself may hold.
fn pieces(marked: &str, remarked: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut piece = Piece { text: String::new(), matches: false };
    for (letter, other) in marked.chars().zip(remarked.chars()) {
        if letter == other {
            piece.text.push(letter);
        } else {
            let next = Piece { text: String::new(), matches: !piece.matches };
            pieces.push(std::mem::replace(&mut piece, next));
        }
    }
    pieces.push(piece);
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_never_operators() {
        assert_eq!(words(" a  OR\tb* "), Some(r#""a" "OR" "b*"*"#.into()));
        assert_eq!(words("say \"NEAR(\0x"), Some(r#""say" """NEAR(" "x"*"#.into()));
        assert_eq!(words(" \n\0"), None);
    }

    #[test]
    fn marks_are_told_from_the_letters_of_a_text() {
        let piece = |text: &str, matches| Piece { text: text.into(), matches };
        assert_eq!(
            pieces("a \u{1}b\u{1}\u{1}", "a \u{2}b\u{2}\u{1}"),
            [piece("a ", false), piece("b", true), piece("\u{1}", false)]
        );
        assert_eq!(pieces("", ""), []);
    }
}
