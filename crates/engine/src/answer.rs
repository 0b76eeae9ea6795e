//! One answer: load, read the prompt, decode, tell.

use std::time::Instant;

use chat::Codec;
use decode::{Limits, Thresholds, Token};
use drafters::Drafter;
use nn::{Sampler, Vocabulary};

use crate::{
    Answer, Cancel, Error, Event, Finish, Request, Result, Round, Speculation, Stats,
    models::{Models, Target},
    reading::Reading,
    session::Session,
    writing::{Writing, Written},
};

/// What the user should know of an answer that ended for this reason.
const ONLY_PADDING: &str = "The target writes only <pad>: its files may be damaged, so download them again, or its \
                            numbers need a wider type, so choose float32.";

/// What the user should know of an answer that waits for a tool.
const NO_TOOLS: &str = "The model called a tool, and there is none to call.";

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
    let Loaded { target, drafter, schedule, speculation, mut notes } = Loaded::load(models, request, sink)?;
    let load_s = started.elapsed().as_secs_f64();

    let prompt = Reading::new(request, &target, &mut notes)?;
    let room = room(&prompt.ids, &target, request.controls.context, schedule.limit + 1)?;
    let need = models.admit(request, prompt.ids.len())?.total();
    let mut making = Making::new(&prompt.ids, &target.codec, request, room)?;
    let sampler =
        Sampler::new(request.controls.sampling).suppressing(target.codec.suppressed_ids(), target.model.size());
    let mut session = models.session(&target);

    let started = Instant::now();
    let (reused_tokens, reuse) = session.resume(&prompt.ids, drafter.as_ref())?;
    if prompt.read(&mut session, &sampler, need, cancel, sink)? {
        sink(Event::Decoding { speculation: speculation.clone() });
    } else {
        making.answer.cancel();
    }
    let prefill_s = started.elapsed().as_secs_f64();
    let started = Instant::now();
    making.decode(&mut session, &sampler, schedule, cancel, sink)?;
    let decode_s = started.elapsed().as_secs_f64();

    session.hold(prompt.ids.iter().chain(making.answer.emitted()).copied());
    models.keep(session);
    let (ids, Written { thought, text, tool_calls, unfinished }, finish, counts) = making.end();
    notes.extend((finish == Finish::Padding).then(|| ONLY_PADDING.to_owned()));
    notes.extend(unfinished.map(|unfinished| unfinished.sentence(finish)));
    notes.extend((!tool_calls.is_empty()).then(|| NO_TOOLS.to_owned()));
    let prompt_tokens = prompt.ids.len();
    Ok(Answer {
        stats: Stats { prompt_tokens, reused_tokens, reuse, load_s, prefill_s, ..counts.over(decode_s) },
        prompt_ids: prompt.ids,
        raw: target.codec.raw(&ids),
        ids,
        thought,
        text,
        tool_calls,
        unfinished,
        finish,
        speculation,
        notes,
        controls: request.controls.clone(),
    })
}

/// What an answer decodes with.
struct Loaded {
    target: Target,
    drafter: Option<Drafter>,
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
        let facts = drafter.facts();
        let limit = gamma.unwrap_or(facts.limit).min(facts.limit);
        // What the user sets replaces what the checkpoint brings; 0 keeps every token, so nothing need be read.
        let schedule = match request.controls.min_conf {
            None => Thresholds { limit, thresholds: facts.thresholds.clone(), min_conf: None },
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
            drafter: Some(drafter),
            target,
            speculation: Speculation::On { limit },
        })
    }

    fn plain(target: Target, speculation: Speculation) -> Self {
        Self { target, drafter: None, schedule: Thresholds::default(), speculation, notes: Vec::new() }
    }
}

/// How many tokens fit behind the prompt, of which `reserved` must, in the context that the user asks for.
fn room(prompt: &[Token], target: &Target, asked: Option<usize>, reserved: usize) -> Result<usize> {
    let most = target.model.config().max_positions;
    let context = asked.unwrap_or(most);
    if context > most {
        return Err(Error::Context { context, most });
    }
    match context.checked_sub(prompt.len()) {
        Some(room) if room >= reserved => Ok(room),
        _ => Err(Error::TooLong { prompt: prompt.len(), most: context, reserved }),
    }
}

/// An answer while it is made.
struct Making {
    answer: decode::Answer,
    writing: Writing,
    /// Seconds of the rounds that wrote a thought.
    thought_s: f64,
    waits: u64,
}

impl Making {
    fn new(prompt: &[Token], codec: &Codec, request: &Request, room: usize) -> Result<Self> {
        let limits = Limits {
            stop: codec.stop_ids().clone(),
            pad: codec.pad_id(),
            max_tokens: request.controls.max_tokens.min(room),
        };
        Ok(Self {
            answer: decode::Answer::new(prompt, limits)?,
            writing: Writing::new(codec.stream(prompt, request.controls.stop.clone())),
            thought_s: 0.0,
            waits: 0,
        })
    }

    fn decode(
        &mut self,
        session: &mut Session,
        sampler: &Sampler,
        mut schedule: Thresholds,
        cancel: &Cancel,
        sink: &mut dyn FnMut(Event),
    ) -> Result<()> {
        let (mut verifier, mut proposer) = session.sides(sampler);
        while self.answer.finish().is_none() {
            if cancel.is_asked() {
                self.answer.cancel();
                break;
            }
            let (started, waits) = (Instant::now(), nn::waits());
            let writing = &mut self.writing;
            let round = self
                .answer
                .round(&mut verifier, proposer.as_deref_mut(), &mut schedule, &mut |token| writing.push(token))?;
            let (written, seconds, waits) = (writing.take(), started.elapsed().as_secs_f64(), nn::waits() - waits);
            self.waits += waits;
            self.thought_s += if written.thought.is_empty() { 0.0 } else { seconds };
            sink(Event::Round(Round::new(round, written, seconds, waits)));
        }
        Ok(())
    }

    /// What was emitted, what it says, why it ended, and the counts.
    fn end(self) -> (Vec<Token>, Written, Finish, Stats) {
        let counts = self.answer.stats();
        let stats = Stats {
            tokens: counts.emitted,
            rounds: counts.rounds,
            proposed: counts.proposed,
            accepted: counts.accepted,
            proposed_at: counts.proposed_at.clone(),
            accepted_at: counts.accepted_at.clone(),
            tokens_per_round: counts.tokens_per_round(),
            thought_s: self.thought_s,
            waits: self.waits,
            peak_memory_bytes: nn::memory_peak(),
            ..Stats::default()
        };
        let finish = self.answer.finish().unwrap_or(decode::Finish::Cancelled);
        let (emitted, mut written) = (self.answer.emitted().to_vec(), self.writing.finish());
        // A prompt may open a thought that the model never came to.
        written.unfinished = written.unfinished.filter(|_| !emitted.is_empty() || finish != Finish::Cancelled);
        (emitted, written, finish, stats)
    }
}
