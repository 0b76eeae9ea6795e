//! Which prompts a drafter learns from, and which it is only measured with.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Error, Prompt, Result};

/// One in so many prompts is held out.
const EVERY: usize = 10;

/// Puts the held-out ones of `items` behind the others, which both stay in their order, and returns how many they are: about
/// a tenth, and never one that begins as one of the others does.
///
/// # Errors
/// When all begin alike.
pub(super) fn last<T>(items: Vec<T>, prompt: impl Fn(&T) -> &Prompt) -> Result<(Vec<T>, usize)> {
    let mut conversations = BTreeMap::<String, usize>::new();
    let beginnings = items.iter().map(|item| prompt(item).beginning()).collect::<Vec<_>>();
    for beginning in &beginnings {
        *conversations.entry(beginning.clone()).or_default() += 1;
    }
    if conversations.len() < 2 {
        return Err(Error::OneConversation);
    }
    let mut left = (items.len() / EVERY).max(1);
    let mut held = BTreeSet::new();
    // From the end: of prompts that all begin otherwise, the last ones are held out.
    for beginning in beginnings.iter().rev() {
        let count = conversations[beginning];
        if count <= left && held.insert(beginning) {
            left -= count;
        }
    }
    if held.is_empty() {
        held.extend(conversations.iter().min_by_key(|(_, count)| **count).map(|(beginning, _)| beginning));
    }
    let (held, taught): (Vec<_>, Vec<_>) =
        items.into_iter().zip(&beginnings).partition(|(_, beginning)| held.contains(beginning));
    let count = held.len();
    Ok((taught.into_iter().chain(held).map(|(item, _)| item).collect(), count))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use chat::{Message, Role};

    use super::*;

    /// Conversations by their first messages, each with so many questions, in turns.
    fn prompts(conversations: &[(&str, usize)]) -> Vec<Prompt> {
        let longest = conversations.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let round = |turn: usize| {
            conversations.iter().filter(move |(_, count)| turn < *count).map(move |(first, _)| {
                let later = (0..turn).map(|turn| Message::new(Role::User, format!("{turn}")));
                Prompt::Chat([Message::new(Role::User, *first)].into_iter().chain(later).collect())
            })
        };
        (0..longest).flat_map(round).collect()
    }

    fn held(prompts: &[Prompt]) -> Vec<String> {
        let (all, count) = last(prompts.to_vec(), |prompt| prompt).unwrap();
        assert_eq!(all.len(), prompts.len());
        let (taught, held) = all.split_at(all.len() - count);
        assert!(held.iter().all(|one| taught.iter().all(|other| one.beginning() != other.beginning())));
        held.iter().map(Prompt::beginning).collect()
    }

    #[test]
    fn a_tenth_is_held_out_and_no_conversation_is_on_both_sides() {
        let names = (0..40).map(|number| format!("Question {number}?")).collect::<Vec<_>>();
        let single = names.iter().map(|name| (name.as_str(), 1)).collect::<Vec<_>>();
        assert_eq!(held(&prompts(&single)), names[36..]);
        assert_eq!(held(&prompts(&[("a", 8), ("b", 3), ("c", 8), ("d", 1), ("e", 20)])), ["b", "d", "b", "b"]);
        assert_eq!(held(&prompts(&[("long", 12), ("longer", 30)])), ["long"; 12], "the shortest, if all are long");
    }

    #[test]
    fn equal_prompts_stay_together_and_a_system_prompt_is_no_beginning() {
        let with_system =
            |text: &str| Prompt::Chat(vec![Message::new(Role::System, "Be brief."), Message::new(Role::User, text)]);
        let many = ["a", "b", "a", "c", "a"].map(with_system);
        assert_eq!(held(&many), ["c"]);
        assert!(matches!(last(prompts(&[("a", 12)]), |prompt| prompt), Err(Error::OneConversation)));
        assert!(matches!(last(vec![Prompt::Raw("a".into()); 3], |prompt| prompt), Err(Error::OneConversation)));
    }
}
