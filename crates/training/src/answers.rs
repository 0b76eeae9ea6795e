//! The target's own answers: a drafter learns what this target says, not what somebody wrote.

use std::{ops::ControlFlow, rc::Rc};

use decode::{Answer, Fixed, Limits, Token, prefill};
use drafters::Proposer;
use gemma4::{Conversation, Model};
use nn::Sampler;

use crate::Result;

/// Tokens of a prompt that pass the target at once.
pub(crate) const CHUNK: usize = 512;

/// What the target answers to `prompt`, a stop token included; `sampler` chooses, greedily or not. `watch` may end the
/// answer with a token.
///
/// # Errors
/// When the prompt is empty, or the target fails.
pub fn regenerate(
    model: &Rc<Model>,
    prompt: &[Token],
    sampler: Sampler,
    limits: Limits,
    watch: &mut dyn FnMut(Token) -> ControlFlow<()>,
) -> Result<Vec<Token>> {
    let mut answer = Answer::new(prompt, limits)?;
    let mut conversation = Conversation::new(Rc::clone(model));
    let mut target = conversation.verifier(sampler, &[]);
    let nobody = || None::<&mut Proposer<'_>>;
    let before = &prompt[..prompt.len() - 1];
    prefill(&mut target, nobody(), before, CHUNK, &mut |_| ControlFlow::Continue(()))?;
    while answer.finish().is_none() {
        answer.round(&mut target, nobody(), &mut Fixed(0), watch)?;
    }
    Ok(answer.emitted().to_vec())
}
