//! An answer from its request to its record. How its rounds are made is left to others.

use std::time::Instant;

use chat::Codec;
use decode::{Finish, Fixed, Limits, Schedule, Token, Turn};
use drafters::Drafter;
use nn::{Sampler, Vocabulary};

use crate::{
    Answer, Cancel, Course, Error, Event, Request, Result, Round, Speculation, Stats, Unfinished,
    event::Took,
    models::{Models, Target},
    pilot::Known,
    reading::Reading,
    session::Session,
    settings::Settings,
    writing::{Writing, Written},
};

/// What the user should know of an answer that ended for this reason.
const ONLY_PADDING: &str = "The target writes only <pad>: its files may be damaged, so download them again, or its \
                            numbers need a wider type, so choose float32.";

/// What the user should know of an answer that waits for a tool.
const NO_TOOLS: &str = "The model called a tool, and there is none to call.";

/// An answer while it is made.
pub(crate) struct Making<'a> {
    pub(crate) request: &'a Request,
    pub(crate) target: Target,
    /// What drafts, if anything does, and how.
    pub(crate) drafting: Option<(Drafter, Settings)>,
    pub(crate) speculation: Speculation,
    pub(crate) prompt: Reading,
    /// What both models choose with.
    pub(crate) sampler: Sampler,
    pub(crate) answer: decode::Answer,
    /// How many tokens fill the context, if it may be that and not the user's limit which ends it.
    full: Option<usize>,
    pub(crate) writing: Writing,
    /// Bytes that it was said to need.
    need: u64,
    pub(crate) stats: Stats,
    turns: Vec<Turn>,
    /// What the user should know, a sentence each.
    notes: Vec<String>,
}

impl<'a> Making<'a> {
    /// Loads what `request` asks for, unless it is loaded, and lays out the prompt; nothing of it is read yet.
    /// It is one of `at_once` that are made at a time.
    pub(crate) fn begin(
        models: &mut Models,
        request: &'a Request,
        at_once: usize,
        sink: &mut dyn FnMut(Event),
    ) -> Result<Self> {
        request.controls.check()?;
        let started = Instant::now();
        models.admit(request, at_once, 0)?;
        let (target, drafting) = load(models, request, sink)?;
        let load_s = started.elapsed().as_secs_f64();

        let speculation = speculation(request, drafting.as_ref());
        let mut notes = drafting.as_ref().map_or_else(Vec::new, |(_, settings)| settings.notes(&request.controls));
        let prompt = Reading::new(request, &target, &mut notes)?;
        let reserved = request.written().len() + speculation.limit() + 1;
        let room = room(prompt.prompt(), &target, request.controls.context, reserved)?;
        let full = (room < request.controls.max_tokens).then_some(room);
        let limits = limits(&target.codec, request, request.controls.max_tokens.min(room));
        let mut answer = decode::Answer::new(prompt.prompt(), limits)?;
        let mut writing = Writing::new(target.codec.stream(prompt.prompt(), request.controls.stop.clone()));
        if let Some(begun) = &request.begun {
            answer.go_on(&begun.ids, &mut |token| writing.push(token));
            let Written { thought, text, .. } = writing.take();
            sink(Event::Written { thought, text });
        }
        Ok(Self {
            need: models.admit(request, at_once, prompt.prompt().len())?.total(),
            sampler: sampler(request, &target, &prompt.ids)?,
            answer,
            full,
            writing,
            stats: Stats {
                load_s,
                prompt_tokens: prompt.ids.len(),
                written: request.written().len(),
                ..Stats::default()
            },
            request,
            target,
            drafting,
            speculation,
            prompt,
            turns: Vec::new(),
            notes,
        })
    }

    /// Lets it share its rounds with other answers. Returns the schedule of its drafts.
    pub(crate) fn share(&mut self) -> Box<dyn Schedule> {
        let Some((_, settings)) = &mut self.drafting else { return Box::new(Fixed(0)) };
        let schedule = settings.share();
        self.speculation = settings.speculation();
        schedule
    }

    /// Reads the prompt into `session`. Returns whether to go on.
    pub(crate) fn read(&mut self, session: &mut Session, cancel: &Cancel, sink: &mut dyn FnMut(Event)) -> Result<bool> {
        let started = Instant::now();
        let drafter = self.drafting.as_ref().map(|(drafter, _)| drafter);
        (self.stats.reused_tokens, self.stats.reuse) = session.resume(&self.prompt.ids, drafter)?;
        let goes_on = self.prompt.read(session, &self.sampler, self.need, cancel, sink)?;
        self.stats.prefill_s = started.elapsed().as_secs_f64();
        if !goes_on {
            self.answer.cancel();
        }
        Ok(goes_on)
    }

    /// Counts a round and tells of it.
    pub(crate) fn tell(&mut self, round: decode::Round, took: Took, sink: &mut dyn FnMut(Event)) {
        let written = self.writing.take();
        let calibrated = self.drafting.as_ref().map(|(_, settings)| settings.calibrated(&round.confidences));
        let Stats { load_s, prefill_s, measuring_s, .. } = self.stats;
        self.stats.first_token_s.get_or_insert(load_s + prefill_s + measuring_s + took.seconds);
        self.stats.waits += took.waits;
        self.stats.parked += usize::from(took.course == Course::Parked);
        self.stats.thought_s += if written.thought.is_empty() { 0.0 } else { took.seconds };
        self.turns.extend(took.turn);
        sink(Event::Round(Round::new(round, calibrated.unwrap_or_default(), written, took, &self.target.codec)));
    }

    /// The record, of an answer whose rounds took `decode_s` seconds, left this behind of their cost, and these remarks for
    /// the user.
    pub(crate) fn end(
        self,
        decode_s: f64,
        Known { cost, plain_step_s }: Known,
        remarks: impl IntoIterator<Item = String>,
    ) -> Answer {
        let counts = self.answer.stats();
        let stats = Stats {
            tokens: counts.emitted,
            rounds: counts.rounds,
            proposed: counts.proposed,
            accepted: counts.accepted,
            proposed_at: counts.proposed_at.clone(),
            accepted_at: counts.accepted_at.clone(),
            tokens_per_round: counts.tokens_per_round(),
            peak_memory_bytes: nn::memory_peak(),
            plain_step_s,
            ..self.stats
        };
        let ids = self.answer.emitted().to_vec();
        let finish = match self.answer.finish().unwrap_or(Finish::Cancelled) {
            Finish::Length if self.full == Some(ids.len()) => Finish::Context,
            finish => finish,
        };
        let Written { thought, text, tool_calls, unfinished } = self.writing.finish();
        // A prompt may open a thought that the model never came to.
        let unfinished = unfinished.filter(|_| !ids.is_empty() || finish != Finish::Cancelled);
        let mut notes = self.notes;
        notes.extend(remarks);
        notes.extend(endings(finish, unfinished, &tool_calls));
        Answer {
            stats: stats.over(decode_s),
            prompt_ids: self.prompt.prompt().to_vec(),
            raw: self.target.codec.raw(&ids),
            ids,
            thought,
            text,
            tool_calls,
            unfinished,
            finish,
            speculation: self.speculation,
            turns: self.turns,
            cost,
            notes,
            controls: self.request.controls.clone(),
        }
    }
}

/// The models that `request` names.
fn load(
    models: &mut Models,
    request: &Request,
    sink: &mut dyn FnMut(Event),
) -> Result<(Target, Option<(Drafter, Settings)>)> {
    let mut loading = |folder: &std::path::Path| {
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
        sink(Event::Loading { name });
    };
    let target = models.target(&request.target, request.precision, &mut loading)?;
    let Some(source) = request.drafting() else { return Ok((target, None)) };
    let drafter = models.drafter(source, &target, &mut loading)?;
    let settings = Settings::new(&request.controls, drafter.facts(), request.calibration.as_ref())?;
    Ok((target, Some((drafter, settings))))
}

/// Whether there will be drafts.
fn speculation(request: &Request, drafting: Option<&(Drafter, Settings)>) -> Speculation {
    match drafting {
        Some((_, settings)) => settings.speculation(),
        None if request.drafter.is_none() => Speculation::Off { reason: "no drafter is chosen".into() },
        None => Speculation::Off { reason: "γ is 0".into() },
    }
}

fn limits(codec: &Codec, request: &Request, max_tokens: usize) -> Limits {
    if request.endless {
        return Limits { max_tokens, ..Limits::default() };
    }
    Limits { stop: codec.stop_ids().clone(), pad: codec.pad_id(), max_tokens }
}

/// What the answer is drawn with, by both models.
fn sampler(request: &Request, target: &Target, prompt: &[Token]) -> Result<Sampler> {
    let size = target.model.size();
    let sampler = Sampler::new(request.controls.sampling).suppressing(target.codec.suppressed_ids(), size);
    let sampler = sampler.observed(request.observe);
    Ok(sampler.following(prompt, size)?)
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

/// What the user should know of how an answer ended.
fn endings(finish: Finish, unfinished: Option<Unfinished>, tool_calls: &[String]) -> impl Iterator<Item = String> {
    let padding = (finish == Finish::Padding).then(|| ONLY_PADDING.to_owned());
    let unfinished = unfinished.map(|unfinished| unfinished.sentence(finish));
    let tools = (!tool_calls.is_empty()).then(|| NO_TOOLS.to_owned());
    [padding, unfinished, tools].into_iter().flatten()
}
