//! Decoding with a tiny target, with or without a drafter, exactly as the engine does it.

use std::{collections::BTreeSet, ops::ControlFlow, path::Path, rc::Rc};

use decode::{Answer, Drafter, Finish, Limits, Round, Schedule, Stats, Token};
use drafters::{DSpark, Drafter as Loaded, New, Proposer};
use gemma4::{Conversation, Model};
use mlx_rs::{Array, Dtype};
use nn::{Draft, Sampler, Sampling, Vocabulary};

use crate::{
    Outcome,
    corrected::{Corrected, Correction},
};

/// A target, and how its answers are made.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The target.
    pub model: Rc<Model>,
    /// How it chooses.
    pub sampling: Sampling,
    /// What ends an answer.
    pub limits: Limits,
    /// The tokens that are never chosen.
    pub suppressed: BTreeSet<Token>,
    /// Whether rounds say how probable their tokens were.
    pub observed: bool,
    /// Who ends an answer early.
    pub interrupt: Interrupt,
}

/// Who ends an answer that would go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupt {
    /// Nobody.
    Nobody,
    /// Whoever watches, with the token of this number, 0-based.
    Watcher(usize),
    /// The user, after so many rounds.
    User(usize),
}

/// What came out.
#[derive(Debug)]
pub struct Made {
    /// The tokens emitted.
    pub ids: Vec<Token>,
    /// The counts.
    pub stats: Stats,
    /// Why it ended.
    pub finish: Option<Finish>,
    /// Waits for the device while decoding.
    pub waits: u64,
    /// What each round did, and how often it waited.
    pub rounds: Vec<(Round, u64)>,
}

impl Setup {
    /// Greedy answers of `max_tokens` of the target in `folder`.
    ///
    /// # Errors
    /// When it cannot be loaded.
    pub fn greedy(folder: &Path, max_tokens: usize) -> Outcome<Self> {
        Ok(Self {
            model: Rc::new(Model::load(folder, Some(Dtype::Float32))?),
            sampling: Sampling { temperature: 0.0, ..Sampling::default() },
            limits: Limits { max_tokens, ..Limits::default() },
            suppressed: BTreeSet::new(),
            observed: false,
            interrupt: Interrupt::Nobody,
        })
    }

    /// The same, sampled.
    #[must_use]
    pub fn sampled(&self, sampling: Sampling) -> Self {
        Self { sampling, ..self.clone() }
    }

    /// The same, with other limits.
    #[must_use]
    pub fn limited(&self, limits: Limits) -> Self {
        Self { limits, ..self.clone() }
    }

    /// The same, without some tokens.
    #[must_use]
    pub fn suppressing(&self, suppressed: impl IntoIterator<Item = Token>) -> Self {
        Self { suppressed: suppressed.into_iter().collect(), ..self.clone() }
    }

    /// The same, observed.
    #[must_use]
    pub fn observed(&self) -> Self {
        Self { observed: true, ..self.clone() }
    }

    /// The same, interrupted.
    #[must_use]
    pub fn interrupted(&self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self.clone() }
    }

    /// What both sides of an answer to `prompt` choose with.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn sampler(&self, prompt: &[Token]) -> Outcome<Sampler> {
        let size = self.model.size();
        let sampler = Sampler::new(self.sampling).suppressing(&self.suppressed, size).observed(self.observed);
        Ok(sampler.following(prompt, size)?)
    }

    /// Plain decoding.
    ///
    /// # Errors
    /// When the target fails.
    pub fn plain(&self, prompt: &[Token]) -> Outcome<Made> {
        self.run(prompt, None::<&mut Proposer<'_>>, &[], &mut decode::Fixed(0))
    }

    /// Decoding with a drafter.
    ///
    /// # Errors
    /// When a model fails.
    pub fn drafted(&self, prompt: &[Token], drafter: &Loaded, schedule: &mut dyn Schedule) -> Outcome<Made> {
        self.corrected(prompt, drafter, Correction { plain: &[], stays: &|_, _| true }, schedule)
    }

    /// Decoding with a drafter whose proposals are put right.
    ///
    /// # Errors
    /// When a model fails.
    pub fn corrected(
        &self,
        prompt: &[Token],
        drafter: &Loaded,
        correction: Correction<'_>,
        schedule: &mut dyn Schedule,
    ) -> Outcome<Made> {
        let mut conversation = Conversation::new(Rc::clone(&self.model));
        let mut context = drafter.context(self.model.clone(), conversation.donors())?;
        let sampler = self.sampler(prompt)?;
        let mut proposer = context.proposer(sampler.clone());
        let taps = drafter.taps(self.model.config().layers.len());
        let mut corrected = Corrected { inner: &mut proposer, prompt: prompt.len(), correction };
        self.run_in(&mut conversation, sampler, prompt, Some(&mut corrected), &taps, schedule)
    }

    /// Decoding with any drafter that reads the layers `taps`, and has a sampler of its own or none.
    ///
    /// # Errors
    /// When a model fails.
    pub fn run<D>(
        &self,
        prompt: &[Token],
        drafter: Option<&mut D>,
        taps: &[usize],
        schedule: &mut dyn Schedule,
    ) -> Outcome<Made>
    where
        D: Drafter<Draft = Draft, Taps = Array, Error = nn::Error>,
    {
        self.run_with(self.sampler(prompt)?, prompt, drafter, taps, schedule)
    }

    /// The same with this sampler, of which the drafter has a clone.
    ///
    /// # Errors
    /// When a model fails.
    pub fn run_with<D>(
        &self,
        sampler: Sampler,
        prompt: &[Token],
        drafter: Option<&mut D>,
        taps: &[usize],
        schedule: &mut dyn Schedule,
    ) -> Outcome<Made>
    where
        D: Drafter<Draft = Draft, Taps = Array, Error = nn::Error>,
    {
        self.run_in(&mut Conversation::new(Rc::clone(&self.model)), sampler, prompt, drafter, taps, schedule)
    }

    /// The same in an empty conversation, whose keys and values the drafter may read.
    fn run_in<D>(
        &self,
        conversation: &mut Conversation,
        sampler: Sampler,
        prompt: &[Token],
        mut drafter: Option<&mut D>,
        taps: &[usize],
        schedule: &mut dyn Schedule,
    ) -> Outcome<Made>
    where
        D: Drafter<Draft = Draft, Taps = Array, Error = nn::Error>,
    {
        let mut target = conversation.verifier(sampler, taps);
        let on = &mut |_| ControlFlow::Continue(());
        decode::prefill(&mut target, drafter.as_deref_mut(), &prompt[..prompt.len() - 1], 5, on)?;
        let mut answer = Answer::new(prompt, self.limits.clone())?;
        let mut rounds = Vec::new();
        let mut seen = 0;
        let mut watch = |_| {
            seen += 1;
            if self.interrupt == Interrupt::Watcher(seen - 1) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        while answer.finish().is_none() {
            let waits = nn::waits();
            let round = answer.round(&mut target, drafter.as_deref_mut(), schedule, &mut watch)?;
            rounds.push((round, nn::waits() - waits));
            if self.interrupt == Interrupt::User(rounds.len()) {
                answer.cancel();
            }
        }
        Ok(Made {
            ids: answer.emitted().to_vec(),
            stats: answer.stats().clone(),
            finish: answer.finish(),
            waits: rounds.iter().map(|(_, waits)| waits).sum(),
            rounds,
        })
    }

    /// A fresh drafter for this target that proposes up to `gamma` tokens.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn fresh_drafter(&self, gamma: usize, recurrent: bool, seed: u32) -> Outcome<Loaded> {
        Ok(Loaded::Block(Rc::new(self.fresh(gamma, recurrent, seed)?.drafter())))
    }

    /// The same as its files would hold it.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn fresh(&self, gamma: usize, recurrent: bool, seed: u32) -> Outcome<DSpark> {
        let layers = self.model.config().layers.len();
        Ok(DSpark::fresh(&New {
            target_name: "tiny".into(),
            hidden_size: self.model.hidden_size(),
            vocab_size: self.model.size(),
            taps: vec![0, layers / 2, layers],
            gamma,
            width: 32,
            layers: 2,
            heads: 4,
            markov_rank: 8,
            ff_mult: 2,
            recurrent,
            eps: 1e-6,
            seed,
        })?)
    }
}
