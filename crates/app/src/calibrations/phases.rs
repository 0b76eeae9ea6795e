//! What a calibration does: it records rounds, times them, and compares the ways of drafting, all by ordinary answers.
//! One prompt is done as a whole or not at all, so that whatever interrupts it costs no more than that.

use std::collections::BTreeMap;
use std::iter;

use calibration::{Recorded, Recording, Timed, in_turn};
use engine::{
    Answer, Calibration, CheckpointRole, Controls, Cost, DraftSource, Message, Mode, Prompt, Request, Role, Round,
    Sampling, Stats,
};
use serde::{Deserialize, Serialize};
use store::{CalibrationPhase, CalibrationPrompt};

use super::{CalibrationOrder, report};
use crate::measuring::Made;
use crate::{App, Error, Model, Result, Suite};

/// A context in which rounds are timed whatever is asked, tokens: conversations grow.
const LONG: usize = 1024;
/// More characters than a token of English text has.
const CHARACTERS: usize = 5;

/// One prompt, answered in every way of drafting.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Runs {
    /// How long each took.
    pub(super) timed: Vec<(Mode, Timed)>,
    /// Whether all wrote the same tokens.
    pub(super) alike: bool,
}

/// A calibration that runs.
pub(super) struct Run {
    app: App,
    id: i64,
    /// An answer without drafts, to nothing yet.
    request: Request,
    /// The most tokens of a draft (γ).
    limit: usize,
}

impl Run {
    pub(super) async fn new(app: &App, id: i64, order: &CalibrationOrder) -> Result<Self> {
        let target = app.usable(&order.target, CheckpointRole::Target).await?;
        let drafter = app.usable(&order.drafter, CheckpointRole::Drafter).await?;
        let limit = limit(&drafter)?;
        let request = Request {
            drafter: Some(DraftSource::Folder(drafter.folder)),
            precision: order.precision,
            controls: Controls {
                sampling: Sampling { temperature: 0.0, ..Sampling::default() },
                max_tokens: order.tokens as usize,
                thinking: order.thinking,
                ..Controls::default()
            },
            memory: app.memory(false).await?,
            ..Request::new(target.folder, Prompt::Chat(Vec::new()))
        };
        Ok(Self { app: app.clone(), id, request, limit })
    }

    /// Does what is left of it. Returns whether it came to its end; otherwise it was interrupted.
    pub(super) async fn to_its_end(&self) -> Result<bool> {
        if !self.collect().await? {
            return Ok(false);
        }
        self.stands(CalibrationPhase::Fit, 0, 1).await?;
        let fitted = self.evidence().await?.fit()?;
        let Some(mut cost) = self.cost().await? else { return Ok(false) };
        if !self.measure(&fitted, &mut cost).await? {
            return Ok(false);
        }
        let known = self.app.cost(&self.request.target, self.request.drafter.as_ref(), self.request.precision).await?;
        self.app.keep_cost(&self.request, &cost.clone().or(known)).await?;
        let report = self.evidence().await?.report(fitted, &cost)?;
        // Numbers and texts always have a JSON form.
        let report = serde_json::to_string(&report).unwrap_or_default();
        self.app.store.end_calibration(self.id, &report).await?;
        Ok(true)
    }

    /// The prompts, with what is known of them. Each phase asks anew: those of a conversation go with it.
    async fn prompts(&self) -> Result<Vec<CalibrationPrompt>> {
        Ok(self.app.store.calibration_prompts(self.id).await?)
    }

    async fn evidence(&self) -> Result<report::Evidence> {
        Ok(report::Evidence::new(&self.prompts().await?, self.limit))
    }

    /// Records the rounds of each prompt that has none yet, with nothing cut.
    async fn collect(&self) -> Result<bool> {
        let prompts = self.prompts().await?;
        for (done, prompt) in prompts.iter().enumerate() {
            if prompt.recording.is_some() {
                continue;
            }
            self.stands(CalibrationPhase::Collect, done, prompts.len()).await?;
            let made = self.answer(prompt, self.request_for(Mode::Fixed { gamma: self.limit })).await;
            let recording = match made {
                Ok(None) => return Ok(false),
                Ok(Some(made)) => recording(made),
                // A question of a long conversation may not fit; the others do.
                Err(Error::Engine(engine::Error::TooLong { .. } | engine::Error::NoRoom(_))) => Recording::default(),
                Err(error) => return Err(error),
            };
            let recording = serde_json::to_string(&recording).unwrap_or_default();
            self.app.store.keep_recording(self.id, prompt.number, &recording).await?;
        }
        Ok(true)
    }

    /// What rounds of each length cost: in contexts about as long as those of the prompts, and in a long one if both models
    /// can read that. Nothing counts that an earlier answer learned.
    async fn cost(&self) -> Result<Option<Cost>> {
        let prompts = self.prompts().await?;
        let long = (Cost::about(LONG), vec![Message::new(Role::User, text_of(LONG))]);
        let asked = prompts.iter().filter_map(|prompt| {
            let recording = report::recording(prompt).filter(|recording| !recording.rounds.is_empty())?;
            Some((Cost::about(recording.context), messages(prompt)?))
        });
        let contexts = iter::once(long).chain(asked).collect::<BTreeMap<_, _>>();
        let (mut cost, total) = (Cost::default(), contexts.len());
        for (done, messages) in contexts.into_values().enumerate() {
            self.stands(CalibrationPhase::Cost, done, total).await?;
            let mut request = Request { cost: cost.clone(), afresh: true, ..self.request_for(Mode::Auto) };
            request.controls.max_tokens = 1;
            match self.answer_to(messages, request).await {
                Ok(Some(made)) => cost = made.answer.cost,
                Ok(None) => return Ok(None),
                // Nobody asked for the long one, for which these models, or this machine, may have no room.
                Err(Error::Engine(engine::Error::TooLong { .. } | engine::Error::NoRoom(_))) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Some(cost))
    }

    /// Answers each prompt that was kept out of the fit in every way of drafting, one behind the other, so that all meet
    /// the same machine. Their rounds add to what is known of the `cost`.
    async fn measure(&self, fitted: &Calibration, cost: &mut Cost) -> Result<bool> {
        let is_measured = |prompt: &CalibrationPrompt| {
            prompt.held_out && report::recording(prompt).is_some_and(|recording| !recording.rounds.is_empty())
        };
        let held_out = self.prompts().await?.into_iter().filter(is_measured).collect::<Vec<_>>();
        let modes = Mode::all(self.limit);
        let total = held_out.len() * modes.len();
        for (before, prompt) in held_out.iter().enumerate() {
            if prompt.runs.is_some() {
                continue;
            }
            let (mut runs, mut written) = (Runs { alike: true, ..Runs::default() }, None);
            for (done, mode) in in_turn(&modes, before).into_iter().enumerate() {
                self.stands(CalibrationPhase::Measure, before * modes.len() + done, total).await?;
                let calibration = Some(fitted.clone());
                let request = Request { calibration, cost: cost.clone(), ..self.request_for(mode) };
                let Some(answer) = self.timed(prompt, request).await? else { return Ok(false) };
                let Stats { tokens, rounds, decode_s, .. } = answer.stats;
                runs.timed.push((mode, Timed { tokens, rounds, seconds: decode_s }));
                runs.alike &= *written.get_or_insert_with(|| answer.ids.clone()) == answer.ids;
                if mode != Mode::Plain {
                    *cost = answer.cost;
                }
            }
            let runs = serde_json::to_string(&runs).unwrap_or_default();
            self.app.store.keep_runs(self.id, prompt.number, &runs).await?;
        }
        Ok(true)
    }

    /// Answers a prompt, and once more if a model was loaded for it, since first rounds read weights and make kernels
    /// ready; nothing if it was interrupted.
    async fn timed(&self, prompt: &CalibrationPrompt, request: Request) -> Result<Option<Box<Answer>>> {
        let mut made = self.answer(prompt, request.clone()).await?;
        if made.as_ref().is_some_and(|made| made.loaded) {
            made = self.answer(prompt, request).await?;
        }
        Ok(made.map(|made| made.answer))
    }

    /// An answer in one way of drafting, to nothing yet.
    fn request_for(&self, mode: Mode) -> Request {
        Request { controls: self.request.controls.clone().drafting(mode), ..self.request.clone() }
    }

    /// Answers a prompt; nothing if it was interrupted.
    async fn answer(&self, prompt: &CalibrationPrompt, request: Request) -> Result<Option<Made>> {
        self.answer_to(messages(prompt).ok_or(Error::DamagedCalibration(self.id))?, request).await
    }

    /// Answers these messages; nothing if it was interrupted.
    async fn answer_to(&self, messages: Vec<Message>, request: Request) -> Result<Option<Made>> {
        let request = Request { prompt: Prompt::Chat(messages), ..request };
        self.app.made(&self.app.calibrations, self.id, request, |_| ()).await
    }

    /// Notes how far it is, for other processes and for after a kill.
    async fn stands(&self, phase: CalibrationPhase, done: usize, total: usize) -> Result<()> {
        let progress = self.app.calibrations.phase_stands(self.id, phase, done, total);
        Ok(self.app.store.note_calibration(self.id, progress, None).await?)
    }
}

/// How many tokens a drafter is usually asked for, if it says how sure it is of each.
pub(super) fn limit(drafter: &Model) -> Result<usize> {
    let drafts = drafter.drafts.filter(|drafts| drafts.confident);
    drafts.map(|drafts| drafts.usual).ok_or_else(|| Error::NothingToCalibrate(drafter.id.clone()))
}

/// What is asked.
fn messages(prompt: &CalibrationPrompt) -> Option<Vec<Message>> {
    serde_json::from_str(prompt.prompt.as_deref()?).ok()
}

/// English text of about so many tokens, and rather more.
fn text_of(tokens: usize) -> String {
    let text = Suite::ALL.iter().flat_map(Suite::prompts).collect::<Vec<_>>().join(" ");
    text.chars().cycle().take(CHARACTERS * tokens).collect()
}

fn recording(Made { answer, rounds, .. }: Made) -> Recording {
    let judged = rounds.into_iter().filter(|round| round.proposed > 0);
    let recorded = |round: Round| Recorded { confidences: round.confidences, accepted: round.accepted };
    Recording { context: answer.stats.prompt_tokens, rounds: judged.map(recorded).collect() }
}
