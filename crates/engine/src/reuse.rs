//! How much of the session a new prompt can go on from. Pure arithmetic on ids and positions.

use decode::Token;
use serde::{Deserialize, Serialize};

/// Whether all that a prompt has in common with the session was used again; if not, why.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reuse", rename_all = "snake_case")]
pub enum Reuse {
    /// There was no session: the first answer since the target was loaded.
    #[default]
    NoSession,
    /// All of it was, but perhaps for the opening of the model's turn: a template may write an answer otherwise in the
    /// history than where it is asked for, so the session goes back to where that turn begins.
    Everything,
    /// The sliding layers had forgotten what stands before its end.
    WindowMovedOn {
        /// How many tokens the prompt and the session have in common.
        common: usize,
    },
    /// The drafter had not read it with the target, because it was chosen later.
    NewDrafter {
        /// How many tokens the prompt and the session have in common.
        common: usize,
    },
}

impl Reuse {
    /// Why fewer than the common tokens were used again, namely `reused`, in a sentence.
    pub(crate) fn sentence(self, reused: usize) -> Option<String> {
        let (common, reason) = match self {
            Self::NoSession | Self::Everything => return None,
            Self::WindowMovedOn { common } => (common, "the target's sliding layers no longer hold what stands before"),
            Self::NewDrafter { common } => (common, "the drafter had not read them yet"),
        };
        let tokens = common.saturating_sub(reused);
        Some(format!("{tokens} of the prompt's tokens were read once more: {reason}."))
    }
}

/// What a session holds.
#[derive(Debug)]
pub(crate) struct Held<'a> {
    /// The tokens whose rows are in the target's caches.
    pub(crate) ids: &'a [Token],
    /// The first position from which on the caches can go back anywhere.
    pub(crate) floor: usize,
    /// The one place before it that they can go back to.
    pub(crate) remembered: Option<usize>,
    /// How many tokens open the model's turn, which begins there.
    pub(crate) opening: usize,
    /// How many tokens the drafter has read; `None` if none drafts.
    pub(crate) drafter: Option<usize>,
}

impl Held<'_> {
    /// The position where reading `prompt` goes on, and whether that is all that could be hoped for. The last token is
    /// the first anchor, so it is never read.
    pub(crate) fn resume(&self, prompt: &[Token]) -> (usize, Reuse) {
        let common = common_prefix(self.ids, prompt).min(prompt.len().saturating_sub(1));
        let read_by_both = self.drafter.map_or(common, |rows| common.min(rows));
        let position = self.reachable(read_by_both);
        let opened = self.remembered == Some(position) && common <= position + self.opening;
        let reuse = if self.ids.is_empty() {
            Reuse::NoSession
        } else if position < self.reachable(common) {
            Reuse::NewDrafter { common }
        } else if position == common || opened {
            Reuse::Everything
        } else {
            Reuse::WindowMovedOn { common }
        };
        (position, reuse)
    }

    /// The last position up to `position` that the caches can go back to exactly.
    fn reachable(&self, position: usize) -> usize {
        let remembered = self.remembered.filter(|&remembered| remembered <= position);
        if position >= self.floor { position } else { remembered.unwrap_or(0) }
    }
}

/// How many tokens two texts begin with alike.
fn common_prefix(a: &[Token], b: &[Token]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A session of the tokens 0 to 19, of which the sliding layers have forgotten all that a position before 15 sees.
    const SESSION: [Token; 20] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19];
    const FORGETFUL: Held<'_> = Held { ids: &SESSION, floor: 15, remembered: Some(10), opening: 2, drafter: None };

    /// Resumes with a prompt that is like the session for `common` tokens and has `more` others.
    fn check(held: &Held<'_>, common: usize, more: usize, want: (usize, Reuse)) {
        let prompt = SESSION.iter().copied().take(common).chain((0..).map(|i| 100 + i).take(more)).collect::<Vec<_>>();
        assert_eq!(held.resume(&prompt), want);
    }

    #[test]
    fn a_prompt_that_continues_the_session_goes_on_at_its_end() {
        check(&FORGETFUL, 20, 5, (20, Reuse::Everything));
    }

    #[test]
    fn the_last_token_of_the_prompt_is_left_to_the_first_round() {
        check(&FORGETFUL, 20, 0, (19, Reuse::Everything));
        check(&FORGETFUL, 1, 0, (0, Reuse::Everything));
        check(&FORGETFUL, 0, 0, (0, Reuse::Everything));
    }

    #[test]
    fn what_is_still_visible_can_be_cut_off_anywhere() {
        check(&FORGETFUL, 16, 3, (16, Reuse::Everything));
        check(&FORGETFUL, 15, 3, (15, Reuse::Everything));
        check(&Held { floor: 0, remembered: None, ..FORGETFUL }, 4, 3, (4, Reuse::Everything));
    }

    #[test]
    fn what_is_forgotten_is_read_again_from_the_remembered_place_or_from_the_start() {
        check(&FORGETFUL, 14, 3, (10, Reuse::WindowMovedOn { common: 14 }));
        check(&FORGETFUL, 13, 3, (10, Reuse::WindowMovedOn { common: 13 }));
        check(&FORGETFUL, 10, 3, (10, Reuse::Everything));
        check(&FORGETFUL, 9, 3, (0, Reuse::WindowMovedOn { common: 9 }));
        check(&Held { remembered: None, ..FORGETFUL }, 14, 3, (0, Reuse::WindowMovedOn { common: 14 }));
        check(&FORGETFUL, 0, 3, (0, Reuse::Everything));
    }

    #[test]
    fn the_opening_of_the_models_turn_is_nothing_to_miss() {
        check(&FORGETFUL, 12, 3, (10, Reuse::Everything));
        check(&FORGETFUL, 11, 3, (10, Reuse::Everything));
        check(&Held { remembered: None, ..FORGETFUL }, 2, 3, (0, Reuse::WindowMovedOn { common: 2 }));
        check(&Held { drafter: Some(9), ..FORGETFUL }, 12, 3, (0, Reuse::NewDrafter { common: 12 }));
    }

    #[test]
    fn a_drafter_goes_no_further_than_it_has_read() {
        let drafter = |rows| Held { drafter: Some(rows), ..FORGETFUL };
        check(&drafter(20), 20, 5, (20, Reuse::Everything));
        check(&drafter(0), 20, 5, (0, Reuse::NewDrafter { common: 20 }));
        check(&drafter(17), 20, 5, (17, Reuse::NewDrafter { common: 20 }));
        check(&drafter(12), 20, 5, (10, Reuse::NewDrafter { common: 20 }));
        // Without the drafter nothing more could have been used.
        check(&drafter(12), 14, 5, (10, Reuse::WindowMovedOn { common: 14 }));
    }

    #[test]
    fn without_a_session_everything_is_read() {
        let empty = Held { ids: &[], floor: 0, remembered: None, opening: 0, drafter: Some(0) };
        check(&empty, 0, 5, (0, Reuse::NoSession));
    }

    #[test]
    fn a_reason_counts_what_is_read_once_more() {
        assert_eq!(Reuse::Everything.sentence(7), None);
        let sentence = Reuse::WindowMovedOn { common: 14 }.sentence(10).unwrap_or_default();
        assert!(sentence.starts_with("4 of the prompt's tokens"), "{sentence}");
    }
}
