//! What an earlier conversation looks like to a model, and to the list of conversations.

use engine::{Message, Role};
use store::{Attachment, Author, State};

/// The prompt: what the model is told before anything is said, if that is something; what was said so far on the
/// question's branch; then the question.
///
/// An answer that failed or says nothing is left out together with its question: a question that was too long to
/// answer would make every later one too long as well, and chat templates insist that turns alternate.
pub(crate) fn history(system: &str, earlier: &[store::Message], question: &store::Message) -> Vec<Message> {
    let told = Some(system).filter(|system| !system.trim().is_empty());
    let mut turns = told.map(|system| Message::new(Role::System, system)).into_iter().collect::<Vec<_>>();
    for pair in earlier.windows(2) {
        let [asked, answer] = pair else { continue };
        let answered = answer.state != State::Failed && !answer.text.is_empty();
        if asked.author == Author::User && answer.author == Author::Assistant && answered {
            turns.push(Message::new(Role::User, said(&asked.text, &asked.attachments)));
            // Whether a thought is read again is the template's choice.
            let reasoning = Some(answer.thought.clone()).filter(|thought| !thought.is_empty());
            turns.push(Message { reasoning, ..Message::new(Role::Assistant, &answer.text) });
        }
    }
    turns.push(Message::new(Role::User, said(&question.text, &question.attachments)));
    turns
}

/// What the user says, behind the files that go with it: each in a block of code under its name.
pub(crate) fn said(text: &str, attachments: &[Attachment]) -> String {
    let block = |Attachment { name, text }: &Attachment| {
        // Longer than any fence in the file itself.
        let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(3.max(longest + 1));
        format!("{name}:\n{fence}\n{}\n{fence}\n\n", text.trim_end_matches('\n'))
    };
    attachments.iter().map(block).collect::<String>() + text
}

/// A conversation's title: the beginning of its first message, in one line.
pub(crate) fn title(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = line.char_indices().nth(MOST) else { return line };
    let cut = &line[..end];
    // At a space, unless the last word is most of the title, or the script has no spaces.
    let whole_words = cut.rfind(' ').filter(|space| *space > end / 2).map_or(cut, |space| &cut[..space]);
    format!("{whole_words}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(author: Author, text: &str, state: State) -> store::Message {
        let (thought, text) = (String::new(), text.to_owned());
        store::Message {
            id: 0,
            conversation_id: 0,
            parent_id: None,
            siblings: Vec::new(),
            author,
            attachments: Vec::new(),
            thought,
            text,
            state,
            note: None,
            answer: None,
            created_at: 0,
        }
    }

    #[test]
    fn what_was_answered_is_kept_and_what_failed_goes_with_its_question() {
        let earlier = [
            message(Author::User, "one", State::Complete),
            message(Author::Assistant, "first", State::Complete),
            message(Author::User, "two", State::Complete),
            message(Author::Assistant, "half", State::Interrupted),
            message(Author::User, "three", State::Complete),
            message(Author::Assistant, "broken", State::Failed),
            message(Author::User, "four", State::Complete),
            message(Author::Assistant, "", State::Stopped),
        ];
        let expected = [
            (Role::User, "one"),
            (Role::Assistant, "first"),
            (Role::User, "two"),
            (Role::Assistant, "half"),
            (Role::User, "five"),
        ];
        let expected = expected.map(|(role, text)| Message::new(role, text));
        let five = message(Author::User, "five", State::Complete);
        assert_eq!(history(" \n", &earlier, &five), expected);
        let told = history("Be brief.", &earlier, &five);
        assert_eq!((&told[0], &told[1..]), (&Message::new(Role::System, "Be brief."), &expected[..]));
    }

    #[test]
    fn a_thought_goes_with_its_answer_and_alone_it_is_no_answer() {
        let thinking =
            |text| store::Message { thought: "Hm.".into(), ..message(Author::Assistant, text, State::Complete) };
        let earlier = [
            message(Author::User, "one", State::Complete),
            thinking("first"),
            message(Author::User, "two", State::Complete),
            thinking(""),
        ];
        let turns = history("", &earlier, &message(Author::User, "three", State::Complete));
        assert_eq!(turns.iter().map(|turn| turn.content.text()).collect::<Vec<_>>(), ["one", "first", "three"]);
        assert_eq!(turns[1].reasoning.as_deref(), Some("Hm."));
    }

    #[test]
    fn a_file_stands_before_its_question_in_a_block_that_it_cannot_close() {
        let file = |name: &str, text: &str| Attachment { name: name.into(), text: text.into() };
        let attachments = vec![file("a.md", "One:\n````\ntwo\n````\n"), file("b.txt", "")];
        let asked = store::Message { attachments, ..message(Author::User, "Why?", State::Complete) };
        let expected = "a.md:\n`````\nOne:\n````\ntwo\n````\n`````\n\nb.txt:\n```\n\n```\n\nWhy?";
        assert_eq!(history("", &[], &asked), [Message::new(Role::User, expected)]);
        let answered = message(Author::Assistant, "So.", State::Complete);
        assert_eq!(history("", &[asked.clone(), answered], &asked)[0], Message::new(Role::User, expected));
    }

    #[test]
    fn a_title_is_one_short_line_of_whole_words() {
        assert_eq!(title("  Why is\n the sky blue?  "), "Why is the sky blue?");
        assert_eq!(title(&"word ".repeat(20)), format!("{}…", ["word"; 12].join(" ")));
        assert_eq!(title(&"あ".repeat(61)), format!("{}…", "あ".repeat(60)));
        assert_eq!(title(&"あ".repeat(60)), "あ".repeat(60));
    }
}
