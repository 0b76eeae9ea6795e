//! Whether a drafter was made for this target: its files may fit and its guesses be worth nothing all the same.

/// Drafts that were judged before anything is said. A drafter of whose first tokens one in four stands fails with
/// sixteen in a row once in a hundred times.
const ENOUGH: usize = 16;
/// Tokens a draft, of those that stood, below which nothing stands to speak of.
const HARDLY: f64 = 1.0 / 16.0;

/// What became of the drafts of one session.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Doubt {
    drafts: usize,
    proposed: usize,
    accepted: usize,
    told: bool,
}

impl Doubt {
    /// Takes in a round.
    pub(crate) fn learn(&mut self, proposed: usize, accepted: usize) {
        self.drafts += usize::from(proposed > 0);
        self.proposed += proposed;
        self.accepted += accepted;
    }

    /// What the user should know of it: once, as nothing is gained by hearing it again.
    #[expect(clippy::cast_precision_loss, reason = "counts of one session fit a double exactly")]
    pub(crate) fn remark(&mut self) -> Option<String> {
        let &mut Self { drafts, proposed, accepted, told } = self;
        let a_draft = accepted as f64 / drafts.max(1) as f64;
        self.told = told || (drafts >= ENOUGH && a_draft < HARDLY);
        (self.told && !told).then(|| {
            format!(
                "This drafter may not match the target: of {proposed} tokens in {drafts} drafts {accepted} stood, which is {:.2} tokens a round; choose the one that was made for it.",
                1.0 + a_draft
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said after rounds of four drafted tokens, of which `accepted(round)` stood.
    fn remark(rounds: usize, accepted: impl Fn(usize) -> usize) -> Option<String> {
        let mut doubt = Doubt::default();
        (0..rounds).for_each(|round| doubt.learn(4, accepted(round)));
        doubt.remark()
    }

    #[test]
    fn drafts_of_which_nothing_stands_are_remarked_once_with_the_evidence() {
        let mut doubt = Doubt::default();
        (0..20).for_each(|_| doubt.learn(4, 0));
        let said = doubt.remark().unwrap_or_default();
        assert!(said.contains("of 80 tokens in 20 drafts 0 stood, which is 1.00 tokens a round"), "{said}");
        assert_eq!(doubt.remark(), None);
    }

    #[test]
    fn few_drafts_prove_nothing_and_plain_steps_are_none() {
        assert_eq!(remark(15, |_| 0), None);
        let mut doubt = Doubt::default();
        (0..100).for_each(|_| doubt.learn(0, 0));
        assert_eq!(doubt.remark(), None);
    }

    #[test]
    fn a_token_now_and_then_is_a_poor_match_but_one() {
        assert_eq!(remark(160, |round| usize::from(round % 10 == 0)), None);
        assert!(remark(160, |round| usize::from(round % 20 == 0)).is_some());
    }
}
