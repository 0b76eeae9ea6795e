//! How much of a draft stands, and what follows it.

use crate::Token;

/// What the target says of a draft of `d` tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The target's own token after the anchor and after each drafted token, `d + 1` in all: its argmax, or its draw
    /// where drafter and target share their noise. The draft stands as far as it agrees.
    Choices(Vec<Token>),
    /// The ratio rule has decided on the device: the first `accepted` tokens stand and `next` follows.
    Ruled {
        /// How many drafted tokens stand, 0..=d.
        accepted: usize,
        /// The token drawn from the residual, or from the last row if everything stands.
        next: Token,
    },
}

/// The length of the longest agreed prefix, and the one token of the target's own behind it.
///
/// # Panics
/// If the verdict is not one token longer than the draft: that is a fault in the target's code.
#[must_use]
pub fn agree(draft: &[Token], verdict: &Verdict) -> (usize, Token) {
    match verdict {
        Verdict::Choices(choices) => {
            assert_eq!(choices.len(), draft.len() + 1, "a verdict has one row more than the draft");
            let accepted = draft.iter().zip(choices).take_while(|(drafted, chosen)| drafted == chosen).count();
            (accepted, choices[accepted])
        }
        Verdict::Ruled { accepted, next } => (*accepted, *next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(draft: &[Token], choices: &[Token], want: (usize, Token)) {
        assert_eq!(agree(draft, &Verdict::Choices(choices.to_vec())), want);
    }

    #[test]
    fn an_empty_draft_yields_the_targets_token() {
        check(&[], &[7], (0, 7));
    }

    #[test]
    fn everything_agreed_yields_the_bonus_token() {
        check(&[1, 2], &[1, 2, 3], (2, 3));
    }

    #[test]
    fn agreement_after_the_first_difference_does_not_count() {
        check(&[1, 9, 3], &[1, 2, 3, 4], (1, 2));
    }
}
