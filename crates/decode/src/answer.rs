//! One answer: the state that lives from the prompt's last token to the last emitted one, and the round itself.

use std::{collections::BTreeSet, ops::ControlFlow};

use serde::{Deserialize, Serialize};

use crate::{Bound, Draft, Drafter, Pass, Probabilities, Schedule, Stats, Target, Token, agree, schedule::cut};

/// Padding tokens in a row that nobody means to write.
const PADDING: usize = 8;

/// Where an answer must end, whatever the models say.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// The tokens that end it; such a token is emitted, and nothing after it.
    pub stop: BTreeSet<Token>,
    /// The token that only fills space, if there is one: eight of them in a row end the answer.
    pub pad: Option<Token>,
    /// The most tokens to emit.
    pub max_tokens: usize,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The target chose a stop token.
    Eos,
    /// The watcher asked for it, because a stop string is complete.
    StopString,
    /// The token limit is reached.
    Length,
    /// The same, because no more fits into the context.
    Context,
    /// The target writes only padding, which a sound one never does.
    Padding,
    /// The user asked for it.
    Cancelled,
}

/// Where an emitted token comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// Drafted, and the target agreed.
    Accepted,
    /// The target's own token after a draft that stood as a whole.
    Bonus,
    /// The target's own token in place of a drafted one.
    Resampled,
    /// The target's own token; nothing was drafted.
    Plain,
}

/// An emitted token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emitted {
    /// Its id.
    pub token: Token,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// What one round did.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The tokens it emitted, in order; never empty.
    pub emitted: Vec<Emitted>,
    /// How many drafted tokens the target judged.
    pub proposed: usize,
    /// How many of them were emitted.
    pub accepted: usize,
    /// The drafted tokens that did not stand.
    pub rejected: Vec<Token>,
    /// The drafter's confidence in each proposed token; empty if it has none.
    pub confidences: Vec<f32>,
    /// How probable its tokens were, those that it did not come to left out, if that was asked for.
    pub probabilities: Option<Probabilities>,
    /// How many tokens the schedule dropped before the target saw them.
    pub cut: usize,
    /// Why no more than those left were sent to the target.
    pub bound: Bound,
}

/// How much of a draft is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Want {
    /// The most tokens.
    pub(crate) limit: usize,
    bound: Bound,
}

/// What is sent to the target behind the anchor.
pub(crate) struct Sent<D> {
    /// `None` if that is nothing.
    pub(crate) draft: Option<D>,
    cut: usize,
    bound: Bound,
}

impl Want {
    /// No draft.
    pub(crate) fn nothing<D>(self) -> Sent<D> {
        Sent { draft: None, cut: 0, bound: self.bound }
    }

    /// The draft as the schedule leaves it, given its confidences if the schedule reads them and there are any.
    pub(crate) fn send<D: Draft>(
        self,
        schedule: &mut dyn Schedule,
        mut draft: D,
        confidences: Option<&[f32]>,
    ) -> Result<Sent<D>, D::Error> {
        if draft.is_empty() {
            return Ok(Sent { bound: Bound::Drafter, ..self.nothing() });
        }
        let cut = confidences.map_or(Ok(0), |confidences| cut(schedule, &mut draft, confidences))?;
        let bound = if cut > 0 { schedule.why() } else { self.bound };
        Ok(Sent { draft: (!draft.is_empty()).then_some(draft), cut, bound })
    }
}

/// A prompt without a token: there is nothing to continue.
#[derive(Debug, thiserror::Error)]
#[error("the prompt is empty; write at least one token")]
pub struct EmptyPrompt;

/// One answer in the making.
///
/// The newest token, prompt or emitted, is the *anchor*: it has not been through the target yet, so the target's
/// caches hold exactly the tokens before it.
#[derive(Debug)]
pub struct Answer {
    limits: Limits,
    anchor: Token,
    position: usize,
    emitted: Vec<Token>,
    stats: Stats,
    finish: Option<Finish>,
}

impl Answer {
    /// Starts an answer to `prompt`, of which all but the last token is in the caches, or on its way there by
    /// [`crate::prefill`].
    ///
    /// # Errors
    /// If the prompt is empty.
    pub fn new(prompt: &[Token], limits: Limits) -> Result<Self, EmptyPrompt> {
        let (&anchor, before) = prompt.split_last().ok_or(EmptyPrompt)?;
        let finish = (limits.max_tokens == 0).then_some(Finish::Length);
        Ok(Self { limits, anchor, position: before.len(), emitted: Vec::new(), stats: Stats::default(), finish })
    }

    /// Takes what an earlier answer to the prompt emitted as its own, and goes on behind it. The counts are of what comes.
    /// All of it but the last token has to be in the caches, like the prompt. `watch` sees each token.
    pub fn go_on(&mut self, written: &[Token], watch: &mut dyn FnMut(Token) -> ControlFlow<()>) {
        for &token in written {
            self.emitted.push(token);
            self.anchor = token;
            self.position += 1;
            self.finish = self.ends_with(token, watch);
            if self.finish.is_some() {
                return;
            }
        }
    }

    /// The tokens emitted so far, a stop token included.
    #[must_use]
    pub fn emitted(&self) -> &[Token] {
        &self.emitted
    }

    /// The counts so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Why it ended, or `None` while it goes on.
    #[must_use]
    pub fn finish(&self) -> Option<Finish> {
        self.finish
    }

    /// Ends it between two rounds.
    pub fn cancel(&mut self) {
        self.finish.get_or_insert(Finish::Cancelled);
    }

    /// Propose, cut, verify, accept, commit. `watch` sees each token as it is emitted and may end the answer with it.
    /// Only for an answer that has not [finished](Answer::finish).
    ///
    /// # Errors
    /// When the target or the drafter fails. The caches are then unusable, the tokens emitted so far stay right.
    pub fn round<T, D>(
        &mut self,
        target: &mut T,
        mut drafter: Option<&mut D>,
        schedule: &mut dyn Schedule,
        watch: &mut dyn FnMut(Token) -> ControlFlow<()>,
    ) -> Result<Round, T::Error>
    where
        T: Target,
        D: Drafter<Draft = T::Draft, Taps = T::Taps>,
        T::Draft: Draft<Error = D::Error>,
        T::Error: From<D::Error>,
    {
        let want = self.want(schedule, drafter.as_ref().map_or(0, |drafter| drafter.limit()));
        let sent = match &mut drafter {
            Some(drafter) if want.limit > 0 => {
                let draft = drafter.propose(self.anchor, self.position, want.limit)?;
                let confidences = if schedule.reads_confidence() { draft.confidences()? } else { None };
                want.send(schedule, draft, confidences.as_deref())?
            }
            _ => want.nothing(),
        };
        let pass = target.verify(self.anchor, sent.draft.as_ref())?;
        self.settle(&sent, &pass, target, drafter, schedule, watch)
    }

    /// The newest token.
    pub(crate) fn anchor(&self) -> Token {
        self.anchor
    }

    /// Where it stands.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// How much the next round drafts with a drafter that proposes up to `most` tokens; 0 without one.
    pub(crate) fn want(&self, schedule: &dyn Schedule, most: usize) -> Want {
        // The target adds one token of its own, so one fewer than what is still allowed is worth drafting.
        let allowed = self.limits.max_tokens.saturating_sub(self.emitted.len() + 1);
        let wanted = schedule.limit().min(most);
        let limit = wanted.min(allowed);
        let bound = if limit < wanted {
            Bound::Budget
        } else if limit < schedule.ceiling().min(most) {
            schedule.why()
        } else {
            Bound::Limit
        };
        Want { limit, bound }
    }

    /// Accepts what stands of a verified draft, and commits both models to it.
    pub(crate) fn settle<T, D>(
        &mut self,
        sent: &Sent<T::Draft>,
        pass: &Pass<T::Taps>,
        target: &mut T,
        drafter: Option<&mut D>,
        schedule: &mut dyn Schedule,
        watch: &mut dyn FnMut(Token) -> ControlFlow<()>,
    ) -> Result<Round, T::Error>
    where
        T: Target,
        D: Drafter<Draft = T::Draft, Taps = T::Taps>,
        T::Error: From<D::Error>,
    {
        let anchor = self.anchor;
        let round = Round { cut: sent.cut, bound: sent.bound, ..self.accept(pass, watch) };
        schedule.learn(round.proposed, round.accepted);
        // The anchor and all that was emitted, but for the newest.
        let emitted = round.emitted.iter().map(|emitted| emitted.token);
        let committed = [anchor].into_iter().chain(emitted).take(round.emitted.len()).collect::<Vec<_>>();
        target.commit(committed.len())?;
        if let Some(drafter) = drafter {
            drafter.commit(&committed, &pass.taps)?;
        }
        Ok(round)
    }

    /// Emits the agreed prefix and the target's token, up to the first that ends the answer.
    fn accept<Taps>(&mut self, pass: &Pass<Taps>, watch: &mut dyn FnMut(Token) -> ControlFlow<()>) -> Round {
        let (agreed, next) = agree(&pass.draft, &pass.verdict);
        let own = match pass.draft.len() {
            0 => Provenance::Plain,
            drafted if drafted == agreed => Provenance::Bonus,
            _ => Provenance::Resampled,
        };
        let drafted = pass.draft[..agreed].iter().map(|&token| Emitted { token, provenance: Provenance::Accepted });
        let mut emitted = Vec::with_capacity(agreed + 1);
        for next in drafted.chain([Emitted { token: next, provenance: own }]) {
            emitted.push(next);
            self.emitted.push(next.token);
            self.finish = self.ends_with(next.token, watch);
            if self.finish.is_some() {
                break;
            }
        }
        let accepted = agreed.min(emitted.len());
        // A round that ends inside its agreed run says nothing of the positions behind the end.
        let proposed = if emitted.len() <= agreed { accepted } else { pass.draft.len() };
        self.anchor = emitted[emitted.len() - 1].token;
        self.position += emitted.len();
        self.stats.add(proposed, accepted, emitted.len());
        Round {
            rejected: pass.draft[accepted..proposed].to_vec(),
            confidences: first(&pass.confidences, proposed),
            probabilities: pass.probabilities.as_ref().map(|Probabilities { p, q, own }| Probabilities {
                p: first(p, proposed),
                q: first(q, proposed),
                own: own.filter(|_| emitted.len() > agreed),
            }),
            emitted,
            proposed,
            accepted,
            cut: 0,
            bound: Bound::Limit,
        }
    }

    /// Whether the newest token ends the answer.
    fn ends_with(&self, token: Token, watch: &mut dyn FnMut(Token) -> ControlFlow<()>) -> Option<Finish> {
        if self.limits.stop.contains(&token) {
            Some(Finish::Eos)
        } else if watch(token).is_break() {
            Some(Finish::StopString)
        } else if self.is_padding() {
            Some(Finish::Padding)
        } else if self.emitted.len() >= self.limits.max_tokens {
            Some(Finish::Length)
        } else {
            None
        }
    }

    /// Whether the newest tokens are a run of padding.
    fn is_padding(&self) -> bool {
        let newest = self.emitted.iter().rev().take(PADDING);
        newest.len() == PADDING && newest.copied().all(|token| self.limits.pad == Some(token))
    }
}

/// The first `count` of these, or all if they are fewer.
fn first(numbers: &[f32], count: usize) -> Vec<f32> {
    numbers.iter().copied().take(count).collect()
}
