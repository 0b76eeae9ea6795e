//! One answer: load, read the prompt, decode, tell.

use std::time::Instant;

use chat::Codec;
use decode::{Fixed, Limits, Schedule, Token, Turn};
use drafters::Drafter;
use nn::{Sampler, Vocabulary};

use crate::{
    Answer, Cancel, Course, Error, Event, Finish, Request, Result, Round, Speculation, Stats, Unfinished,
    event::Took,
    measuring,
    models::{Models, Target},
    pilot::{Pilot, Settings},
    reading::Reading,
    rounds::{Proposing, Stopwatch, Verifying},
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
    let Loaded { target, drafter, speculation, mut notes } = Loaded::load(models, request, sink)?;
    let load_s = started.elapsed().as_secs_f64();

    let prompt = Reading::new(request, &target, &mut notes)?;
    let room = room(&prompt.ids, &target, request.controls.context, speculation.limit() + 1)?;
    let need = models.admit(request, prompt.ids.len())?.total();
    let mut making = Making::new(&prompt.ids, &target.codec, request, room)?;
    let sampler = sampler(request, &target, &prompt.ids)?;
    let mut session = models.session(&target);

    let (started, mut measuring_s) = (Instant::now(), 0.0);
    let (reused_tokens, reuse) = session.resume(&prompt.ids, drafter.as_ref())?;
    let mut pilot = session.take_pilot(&request.controls, &request.cost);
    if prompt.read(&mut session, &sampler, need, cancel, sink)? {
        measuring_s = measuring::measure(&mut session, pilot.as_mut(), request, prompt.anchor(), cancel)?;
        sink(Event::Decoding { speculation: speculation.clone() });
    } else {
        making.answer.cancel();
    }
    let prefill_s = started.elapsed().as_secs_f64() - measuring_s;
    let started = Instant::now();
    making.decode(&mut session, &sampler, pilot.as_mut(), cancel, sink)?;
    let decode_s = started.elapsed().as_secs_f64();
    let (cost, plain_step_s) = pilot.as_ref().map(Pilot::known).unwrap_or_default();
    notes.extend(pilot.as_ref().and_then(Pilot::remark));
    session.keep_pilot(pilot);

    session.hold(prompt.ids.iter().chain(making.answer.emitted()).copied());
    models.keep(session);
    let turns = std::mem::take(&mut making.turns);
    let (ids, Written { thought, text, tool_calls, unfinished }, finish, counts) = making.end();
    notes.extend(remarks(finish, unfinished, &tool_calls));
    let prompt_tokens = prompt.ids.len();
    let counts = Stats { prompt_tokens, reused_tokens, reuse, plain_step_s, ..counts.over(decode_s) };
    Ok(Answer {
        stats: Stats { load_s, prefill_s, measuring_s, ..counts },
        prompt_ids: prompt.ids,
        raw: target.codec.raw(&ids),
        ids,
        thought,
        text,
        tool_calls,
        unfinished,
        finish,
        speculation,
        turns,
        cost,
        notes,
        controls: request.controls.clone(),
    })
}

/// What the answer is drawn with, by both models.
fn sampler(request: &Request, target: &Target, prompt: &[Token]) -> Result<Sampler> {
    let size = target.model.size();
    let sampler = Sampler::new(request.controls.sampling).suppressing(target.codec.suppressed_ids(), size);
    Ok(sampler.following(prompt, size)?)
}

/// What the user should know of how an answer ended.
fn remarks(finish: Finish, unfinished: Option<Unfinished>, tool_calls: &[String]) -> impl Iterator<Item = String> {
    let padding = (finish == Finish::Padding).then(|| ONLY_PADDING.to_owned());
    let unfinished = unfinished.map(|unfinished| unfinished.sentence(finish));
    let tools = (!tool_calls.is_empty()).then(|| NO_TOOLS.to_owned());
    [padding, unfinished, tools].into_iter().flatten()
}

/// What an answer decodes with.
struct Loaded {
    target: Target,
    drafter: Option<Drafter>,
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
        let Settings { limit, scheduling, .. } = Settings::new(&request.controls, facts);
        let too_many = gamma
            .filter(|&gamma| gamma > limit)
            .map(|gamma| format!("γ {gamma} is more than this drafter can propose; it drafts {limit} tokens a round."));
        Ok(Self {
            notes: too_many.into_iter().collect(),
            drafter: Some(drafter),
            target,
            speculation: Speculation::On { limit, schedule: scheduling },
        })
    }

    fn plain(target: Target, speculation: Speculation) -> Self {
        Self { target, drafter: None, speculation, notes: Vec::new() }
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
    parked: usize,
    turns: Vec<Turn>,
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
            parked: 0,
            turns: Vec::new(),
        })
    }

    fn decode(
        &mut self,
        session: &mut Session,
        sampler: &Sampler,
        mut pilot: Option<&mut Pilot>,
        cancel: &Cancel,
        sink: &mut dyn FnMut(Event),
    ) -> Result<()> {
        let (watch, mut position) = (Stopwatch::default(), session.position());
        let (verifier, proposer) = session.sides(sampler);
        let mut verifier = Verifying { verifier, watch: &watch };
        let mut proposer = proposer.map(|proposer| Proposing::new(proposer, &watch));
        let mut plain = Fixed(0);
        while self.answer.finish().is_none() {
            if cancel.is_asked() {
                self.answer.cancel();
                break;
            }
            let (started, waits, waited) = (Instant::now(), nn::waits(), nn::waited());
            let course = pilot.as_ref().map_or(Course::Drafting, |pilot| pilot.course());
            let schedule: &mut dyn Schedule = match &mut pilot {
                Some(pilot) => pilot.schedule(position),
                None => &mut plain,
            };
            let writing = &mut self.writing;
            let round =
                self.answer.round(&mut verifier, proposer.as_mut(), schedule, &mut |token| writing.push(token))?;
            let spent = watch.lap(started);
            position += round.emitted.len();
            // A round that ends the answer may have ended within its draft: its time is no measure.
            let goes_on = self.answer.finish().is_none();
            let turn = pilot.as_mut().filter(|_| goes_on).and_then(|pilot| pilot.learn(&round, spent));
            let (waits, waited_s) = (nn::waits() - waits, nn::waited() - waited);
            let seconds = started.elapsed().as_secs_f64();
            self.tell(round, Took { course, turn, spent, seconds, waits, waited_s }, sink);
        }
        proposer.as_mut().map_or(Ok(()), Proposing::catch_up)?;
        Ok(())
    }

    /// Counts a round and tells of it.
    fn tell(&mut self, round: decode::Round, took: Took, sink: &mut dyn FnMut(Event)) {
        let written = self.writing.take();
        self.waits += took.waits;
        self.parked += usize::from(took.course == Course::Parked);
        self.turns.extend(took.turn);
        self.thought_s += if written.thought.is_empty() { 0.0 } else { took.seconds };
        sink(Event::Round(Round::new(round, written, took)));
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
            parked: self.parked,
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
