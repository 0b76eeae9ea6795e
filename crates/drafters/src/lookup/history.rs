//! The tokens of a conversation, and where each short run of them stood last.

use std::collections::HashMap;

use decode::Token;

/// Runs of up to this many tokens are remembered.
const LONGEST: usize = 3;

/// A run of tokens, filled up with zeros, and its length.
type Run = ([Token; LONGEST], usize);

/// A sequence that grows at its end. A token costs the same wherever it stands, and taking it back undoes all that it did.
#[derive(Debug, Default)]
pub(super) struct History {
    tokens: Vec<Token>,
    /// Behind which token each run ended last.
    ends: HashMap<Run, usize>,
    /// For each token, where the runs that end with it had ended before, by length.
    before: Vec<[Option<usize>; LONGEST]>,
}

impl History {
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn push(&mut self, token: Token) {
        let end = self.tokens.len() + 1;
        let mut before = [None; LONGEST];
        for length in 1..=LONGEST.min(end) {
            before[length - 1] = self.ends.insert(self.run(length, token), end);
        }
        self.tokens.push(token);
        self.before.push(before);
    }

    pub(super) fn truncate(&mut self, len: usize) {
        while self.tokens.len() > len
            && let (Some(token), Some(before)) = (self.tokens.pop(), self.before.pop())
        {
            for length in 1..=LONGEST.min(self.tokens.len() + 1) {
                let run = self.run(length, token);
                match before[length - 1] {
                    Some(end) => self.ends.insert(run, end),
                    None => self.ends.remove(&run),
                };
            }
        }
    }

    /// Up to `limit` tokens that followed where the longest run that ends with `anchor` stood last. A run that reaches
    /// the end of the sequence repeats itself, so the copy goes on into what it has copied.
    pub(super) fn continuation(&self, anchor: Token, limit: usize) -> Vec<Token> {
        let longest = LONGEST.min(self.tokens.len() + 1);
        let found = (1..=longest).rev().find_map(|length| self.ends.get(&self.run(length, anchor)));
        let Some(&end) = found else { return Vec::new() };
        self.tokens[end..].iter().copied().chain([anchor]).cycle().take(limit).collect()
    }

    /// The `length` newest tokens if `token` came next.
    fn run(&self, length: usize, token: Token) -> Run {
        let mut run = [0; LONGEST];
        run[..length - 1].copy_from_slice(&self.tokens[self.tokens.len() + 1 - length..]);
        run[length - 1] = token;
        (run, length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(tokens: &[Token]) -> History {
        let mut history = History::default();
        for &token in tokens {
            history.push(token);
        }
        history
    }

    #[track_caller]
    fn check(tokens: &[Token], anchor: Token, limit: usize, wanted: &[Token]) {
        assert_eq!(history(tokens).continuation(anchor, limit), wanted);
    }

    #[test]
    fn what_followed_the_longest_run_follows_again() {
        check(&[1, 2, 3, 7, 8, 9, 3, 5, 6, 1, 2], 3, 3, &[7, 8, 9]);
        check(&[4, 2, 3, 7, 8, 9, 3, 5, 6, 1, 2], 3, 2, &[7, 8]);
        check(&[4, 5, 3, 7, 8, 9, 3, 5, 6, 1, 2], 3, 2, &[5, 6]);
    }

    #[test]
    fn of_equal_runs_the_newest_counts() {
        check(&[1, 2, 7, 1, 2, 8, 1], 2, 1, &[8]);
    }

    #[test]
    fn nothing_follows_what_was_never_there() {
        check(&[], 1, 4, &[]);
        check(&[1, 2, 3], 4, 4, &[]);
    }

    #[test]
    fn a_text_that_repeats_itself_goes_on_doing_so() {
        check(&[5], 5, 3, &[5, 5, 5]);
        check(&[9, 1, 2, 1], 2, 5, &[1, 2, 1, 2, 1]);
    }

    #[test]
    fn tokens_taken_back_leave_no_trace() {
        let tokens = [1, 2, 3, 1, 2, 4, 1, 2, 3, 3, 3, 1];
        for len in 0..=tokens.len() {
            let mut shortened = history(&tokens);
            shortened.truncate(len);
            let fresh = history(&tokens[..len]);
            assert_eq!((shortened.tokens, shortened.ends, shortened.before), (fresh.tokens, fresh.ends, fresh.before));
        }
    }
}
