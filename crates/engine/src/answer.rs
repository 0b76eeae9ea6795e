//! One answer: load, read the prompt, decode, tell.

use std::{ops::ControlFlow, time::Instant};

use chat::{Codec, PromptOptions, Stream};
use decode::{Limits, Thresholds};
use drafters::{Context, Proposer};
use gemma4::{Conversation, Verifier};
use nn::Sampler;

use crate::{
    Answer, Cancel, Error, Event, Finish, Prompt, Request, Result, Round, Speculation, Stats,
    models::{Models, Target},
};

/// Rows of the prompt that go through the target at once.
pub(crate) const CHUNK: usize = 512;

/// Makes the answer that `request` asks for.
pub(crate) fn make(
    models: &mut Models,
    request: &Request,
    cancel: &Cancel,
    sink: &mut dyn FnMut(Event),
) -> Result<Answer> {
    request.controls.check()?;
    nn::reset_memory_peak();
    let started = Instant::now();
    let Loaded { target, mut context, schedule, speculation, mut notes } = Loaded::load(models, request, sink)?;
    let load_s = started.elapsed().as_secs_f64();

    let prompt_ids = read(&request.prompt, &target, &mut notes)?;
    let room = room(&prompt_ids, &target, schedule.limit + 1)?;
    models.admit(request, prompt_ids.len())?;
    let mut making = Making::new(&prompt_ids, &target.codec, request, room)?;
    let sampler = Sampler::new(request.controls.sampling);
    let taps = context.as_ref().map_or_else(Vec::new, |(_, taps)| taps.clone());
    let mut conversation = Conversation::new(target.model.clone());
    let mut verifier = conversation.verifier(sampler, &taps);
    let mut proposer = context.as_mut().map(|(context, _)| context.proposer(sampler));

    let started = Instant::now();
    if prefill(&mut verifier, proposer.as_mut(), &prompt_ids, cancel, sink)? {
        sink(Event::Decoding { speculation: speculation.clone() });
    } else {
        making.answer.cancel();
    }
    let prefill_s = started.elapsed().as_secs_f64();
    let started = Instant::now();
    making.decode(&mut verifier, proposer.as_mut(), schedule, cancel, sink)?;
    let decode_s = started.elapsed().as_secs_f64();

    let (ids, text, finish, counts) = making.end();
    Ok(Answer {
        stats: Stats { prompt_tokens: prompt_ids.len(), load_s, prefill_s, ..counts.over(decode_s) },
        prompt_ids,
        ids,
        text,
        finish,
        speculation,
        notes,
        controls: request.controls.clone(),
    })
}

/// What an answer decodes with.
struct Loaded {
    target: Target,
    /// The drafter's context and the layers that it reads.
    context: Option<(Context, Vec<usize>)>,
    schedule: Thresholds,
    speculation: Speculation,
    /// What the user should know, a sentence each.
    notes: Vec<String>,
}

impl Loaded {
    fn load(models: &mut Models, request: &Request, sink: &mut dyn FnMut(Event)) -> Result<Self> {
        let mut loading = |folder: &std::path::Path| {
            let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
            sink(Event::Loading { name });
        };
        models.admit(request, 0)?;
        let target = models.target(&request.target, request.precision, &mut loading)?;
        let off = |reason: &str| Speculation::Off { reason: reason.to_owned() };
        let (folder, gamma) = match (&request.drafter, request.controls.gamma) {
            (None, _) => {
                models.drop_drafter();
                return Ok(Self::plain(target, off("no drafter is chosen")));
            }
            (Some(_), Some(0)) => {
                models.drop_drafter();
                return Ok(Self::plain(target, off("γ is 0")));
            }
            (Some(folder), gamma) => (folder, gamma),
        };
        let drafter = models.drafter(folder, &target, &mut loading)?;
        let document = drafter.document();
        let limit = gamma.unwrap_or(document.limit).min(document.limit);
        // What the user sets replaces what the checkpoint brings; 0 keeps every token, so nothing need be read.
        let schedule = match request.controls.min_conf {
            None => Thresholds { limit, thresholds: document.thresholds.clone(), min_conf: None },
            Some(min_conf) => {
                Thresholds { limit, min_conf: Some(min_conf).filter(|&c| c > 0.0), ..Thresholds::default() }
            }
        };
        let too_many = gamma
            .filter(|&gamma| gamma > limit)
            .map(|gamma| format!("γ {gamma} is more than this drafter can propose; it drafts {limit} tokens a round."));
        Ok(Self {
            notes: too_many.into_iter().collect(),
            schedule,
            context: Some((drafter.context(target.model.clone()), document.taps.clone())),
            target,
            speculation: Speculation::On { limit },
        })
    }

    fn plain(target: Target, speculation: Speculation) -> Self {
        Self { target, context: None, schedule: Thresholds::default(), speculation, notes: Vec::new() }
    }
}

/// The prompt's ids; `notes` hears what the user should know of how they came about.
fn read(prompt: &Prompt, target: &Target, notes: &mut Vec<String>) -> Result<Vec<u32>> {
    let ids = match prompt {
        Prompt::Raw(text) => target.codec.complete(text)?,
        Prompt::Chat(messages) => {
            let prompt = target.codec.prompt(messages, PromptOptions::default())?;
            notes.extend(prompt.notes.iter().map(ToString::to_string));
            prompt.ids
        }
    };
    let vocabulary = usize::try_from(target.model.config().vocab_size).unwrap_or(0);
    match ids.iter().find(|&&id| id as usize >= vocabulary) {
        Some(&id) => Err(Error::Vocabulary { id, vocabulary }),
        None => Ok(ids),
    }
}

/// How many tokens fit behind the prompt, of which `reserved` must.
fn room(prompt: &[u32], target: &Target, reserved: usize) -> Result<usize> {
    let most = target.model.config().max_positions;
    match most.checked_sub(prompt.len()) {
        Some(room) if room >= reserved => Ok(room),
        _ => Err(Error::TooLong { prompt: prompt.len(), most, reserved }),
    }
}

/// Reads the prompt; returns whether to go on.
fn prefill(
    verifier: &mut Verifier<'_>,
    proposer: Option<&mut Proposer<'_>>,
    prompt: &[u32],
    cancel: &Cancel,
    sink: &mut dyn FnMut(Event),
) -> Result<bool> {
    let mut progress = |done, total| {
        nn::release_memory(); // or MLX would keep every size that attention scores have, and they grow with each chunk
        if total > 0 {
            sink(Event::Prefill { done, total });
        }
        if cancel.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    Ok(decode::prefill(verifier, proposer, prompt, CHUNK, &mut progress)?)
}

/// An answer while it is made.
struct Making {
    answer: decode::Answer,
    stream: Stream,
    text: String,
    waits: u64,
}

impl Making {
    fn new(prompt: &[u32], codec: &Codec, request: &Request, room: usize) -> Result<Self> {
        let limits = Limits { stop: codec.stop_ids().clone(), max_tokens: request.controls.max_tokens.min(room) };
        Ok(Self {
            answer: decode::Answer::new(prompt, limits)?,
            stream: codec.stream(request.controls.stop.clone()),
            text: String::new(),
            waits: 0,
        })
    }

    fn decode(
        &mut self,
        verifier: &mut Verifier<'_>,
        mut proposer: Option<&mut Proposer<'_>>,
        mut schedule: Thresholds,
        cancel: &Cancel,
        sink: &mut dyn FnMut(Event),
    ) -> Result<()> {
        while self.answer.finish().is_none() {
            if cancel.is_asked() {
                self.answer.cancel();
                break;
            }
            let (started, waits) = (Instant::now(), nn::waits());
            let mut text = String::new();
            let round = self.answer.round(verifier, proposer.as_deref_mut(), &mut schedule, &mut |token| {
                let piece = self.stream.push(token);
                text.push_str(&piece.text);
                if piece.stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            self.text.push_str(&text);
            let waits = nn::waits() - waits;
            self.waits += waits;
            sink(Event::Round(Round::new(round, text, started.elapsed().as_secs_f64(), waits)));
        }
        Ok(())
    }

    /// What was emitted, its text, why it ended, and the counts.
    fn end(mut self) -> (Vec<u32>, String, Finish, Stats) {
        self.text.push_str(&self.stream.finish());
        let counts = self.answer.stats();
        let stats = Stats {
            tokens: counts.emitted,
            rounds: counts.rounds,
            proposed: counts.proposed,
            accepted: counts.accepted,
            proposed_at: counts.proposed_at.clone(),
            accepted_at: counts.accepted_at.clone(),
            tokens_per_round: counts.tokens_per_round(),
            waits: self.waits,
            peak_memory_bytes: nn::memory_peak(),
            ..Stats::default()
        };
        let finish = self.answer.finish().unwrap_or(decode::Finish::Cancelled);
        (self.answer.emitted().to_vec(), self.text, finish, stats)
    }
}
