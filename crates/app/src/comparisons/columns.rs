//! What a comparison does: each prompt is answered in every column before the next one, all by ordinary answers.

use std::collections::BTreeSet;

use calibration::in_turn;
use engine::{
    Answer, Calibration, CheckpointRole, Claim, Controls, Cost, DraftSource, Mode, Proof, Request, Rule, Sampling,
    Scheduling,
};
use store::{ComparisonAnswer, ComparisonPrompt};
use tokio::sync::oneshot;

use super::report::Evidence;
use super::{ComparisonOrder, Lane, Race, Stage, order};
use crate::{App, Likeness, Result};

/// Tokens of the answer before the one that counts: first rounds read weights and make kernels ready.
const WARM_UP: usize = 16;

/// A comparison that runs.
pub(super) struct Run {
    app: App,
    id: i64,
    titles: Vec<String>,
    columns: Vec<Column>,
    /// An answer without drafts, to nothing yet.
    request: Request,
}

/// How a column drafts.
struct Column {
    source: Option<DraftSource>,
    mode: Mode,
    calibration: Option<Calibration>,
    /// What its rounds are known to cost by now.
    cost: Cost,
}

impl Run {
    pub(super) async fn new(app: &App, id: i64, order: &ComparisonOrder) -> Result<Self> {
        let target = app.usable(&order.target, CheckpointRole::Target).await?.folder;
        let mut columns = vec![Column { source: None, mode: Mode::Plain, calibration: None, cost: Cost::default() }];
        for contender in &order.contenders {
            let source = Some(app.usable_drafter(&contender.drafter).await?.1);
            let (precision, thinking) = (order.precision, order.thinking);
            let calibration = app.calibration_for(&target, source.as_ref(), precision, thinking).await?;
            let cost = app.cost(&target, source.as_ref(), precision).await?;
            columns.push(Column { source, mode: contender.mode, calibration, cost });
        }
        let sampling =
            Sampling { temperature: order.temperature, seed: order.seed, rule: Rule::Coupled, ..Sampling::default() };
        let request = Request {
            precision: order.precision,
            controls: Controls {
                sampling,
                max_tokens: order.tokens as usize,
                thinking: order.thinking,
                ..Controls::default()
            },
            memory: app.memory(false).await?,
            ..Request::new(target, order::prompt(""))
        };
        Ok(Self { app: app.clone(), id, titles: order.titles(), columns, request })
    }

    /// Does what is left of it. Returns whether it came to its end; otherwise it was interrupted.
    pub(super) async fn go_on(mut self) -> Result<bool> {
        let prompts = self.app.store.comparison_prompts(self.id).await?;
        let known = self.app.store.comparison_answers(self.id).await?;
        let known = known.iter().map(|answer| (answer.prompt, answer.place)).collect::<BTreeSet<_>>();
        let places = (0..).zip(&self.columns).map(|(place, _)| place).collect::<Vec<u32>>();
        for (before, prompt) in prompts.iter().enumerate() {
            // The columns of a prompt are answered one behind the other, so that they meet the same machine.
            let is_whole = places.iter().all(|&place| known.contains(&(prompt.number, place)));
            if !is_whole && !self.answer(prompt, &places, before, prompts.len()).await? {
                return Ok(false);
            }
        }
        for column in &self.columns {
            let request = Request { drafter: column.source.clone(), ..self.request.clone() };
            self.app.keep_cost(&request, &column.cost).await?;
        }
        let evidence = Evidence::new(self.titles, prompts, &self.app.store.comparison_answers(self.id).await?);
        self.app.store.end_comparison(self.id, &evidence.outcome()).await?;
        Ok(true)
    }

    /// Answers a prompt in every column, and lets the target judge where they differ. Returns whether it was not
    /// interrupted.
    async fn answer(&mut self, prompt: &ComparisonPrompt, places: &[u32], before: usize, total: usize) -> Result<bool> {
        let count = places.len();
        let lanes = vec![Lane::empty(Stage::Waiting); count];
        let (comparison, question) = (self.id, prompt.text.clone());
        self.app.comparisons.show(Race { comparison, prompt: before, question, lanes });
        let mut answers = Vec::new();
        for (done, place) in in_turn(places, before).into_iter().enumerate() {
            self.stands(before * count + done, total * count).await?;
            let Some(answer) = self.timed(prompt, place as usize).await? else { return Ok(false) };
            self.keep(prompt, place, &answer, None).await?;
            answers.push((place, answer));
        }
        let plain = answers.iter().find(|(place, _)| *place == 0).map(|(_, answer)| answer.clone());
        for (place, answer) in answers {
            if plain.as_ref().is_some_and(|plain| matches!(Likeness::of(plain, &answer), Likeness::Until { .. })) {
                let Some(proof) = self.prove(&answer).await? else { return Ok(false) };
                self.keep(prompt, place, &answer, Some(proof)).await?;
            }
        }
        Ok(true)
    }

    /// Answers a prompt in a column, with models that are loaded and warm; nothing if it was interrupted.
    async fn timed(&mut self, prompt: &ComparisonPrompt, place: usize) -> Result<Option<Box<Answer>>> {
        let (app, column) = (&self.app, &self.columns[place]);
        let Column { source, mode, calibration, cost } = column;
        let mut request = Request {
            drafter: source.clone(),
            prompt: order::prompt(&prompt.text),
            controls: self.request.controls.clone().drafting(*mode),
            cost: cost.clone(),
            calibration: calibration.clone(),
            ..self.request.clone()
        };
        let lane = |change: &dyn Fn(&mut Lane)| app.comparisons.change(|race| change(&mut race.lanes[place]));
        lane(&|lane| lane.stage = Stage::WarmingUp);
        let mut warm_up = request.clone();
        warm_up.controls.max_tokens = WARM_UP.min(warm_up.controls.max_tokens);
        // How it fares is learned from answers alone: an opening that came twice would count twice.
        warm_up.controls.schedule = Scheduling::Fixed;
        let jobs = &app.comparisons.jobs;
        let Some(warm) = app.made(jobs, self.id, warm_up, |_| ()).await? else { return Ok(None) };
        request.cost = warm.answer.cost;
        loop {
            lane(&Lane::begin);
            let made = app.made(jobs, self.id, request.clone(), |round| lane(&|lane| lane.add(round))).await?;
            let Some(made) = made else { return Ok(None) };
            // A chat that came between may have had its own models.
            if !made.loaded {
                lane(&|lane| lane.stage = Stage::Done);
                if place > 0 {
                    self.columns[place].cost.clone_from(&made.answer.cost);
                }
                return Ok(Some(made.answer));
            }
        }
    }

    /// Lets the target read an answer again, plainly; nothing if it was interrupted.
    async fn prove(&self, answer: &Answer) -> Result<Option<Proof>> {
        let (target, precision, memory) = (self.request.target.clone(), self.request.precision, self.request.memory);
        let (done, proof) = oneshot::channel();
        // Nobody waits any more if the send fails, so nobody misses the proof.
        let cancel =
            self.app.engine.prove(Claim { target, precision, answer: answer.clone(), memory }, move |proven| {
                drop(done.send(proven));
            });
        self.app.comparisons.jobs.hear(self.id, cancel);
        match proof.await.unwrap_or(Err(engine::Error::Closed)) {
            Err(engine::Error::Stopped) => Ok(None),
            proof => Ok(Some(proof?)),
        }
    }

    async fn keep(&self, prompt: &ComparisonPrompt, place: u32, answer: &Answer, proof: Option<Proof>) -> Result<()> {
        let divergence = match proof {
            Some(Proof::Diverges(divergence)) => serde_json::to_string(&divergence).ok(),
            _ => None,
        };
        // Numbers and texts always have a JSON form.
        let record = serde_json::to_string(answer).unwrap_or_default();
        let answer = ComparisonAnswer { prompt: prompt.number, place, record, divergence };
        Ok(self.app.store.keep_comparison_answer(self.id, &answer).await?)
    }

    /// Notes how far it is, for other processes and for after a kill.
    async fn stands(&self, done: usize, total: usize) -> Result<()> {
        let progress = self.app.comparisons.stands(self.id, done, total);
        Ok(self.app.store.note_comparison(self.id, progress, None).await?)
    }
}
