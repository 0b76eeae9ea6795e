//! The training itself: steps, measurements, and going on after any interruption.

use std::{
    ops::ControlFlow,
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};

use drafters::Trainable;
use mlx_rs::{Array, error::Exception, transforms::value_and_grad_with_argnums};
use nn::{Vocabulary, wait};

use crate::{
    AdamW, Batch, Data, Error, Parts, Result, Settings, acceptance,
    batch::View,
    data::Place,
    learning_rate,
    optimiser::clipped,
    position_weights,
    random::Random,
    state::{Files, Standing},
    tokens_per_round,
};

/// Steps that a shard serves before the next one is read.
const SERVED: usize = 20;

/// How much time a kill may cost, however long a step takes.
const LOST: Duration = Duration::from_mins(1);

/// Streams of random numbers besides those of the steps, which are numbered from 0.
const SHARDS: u64 = 1 << 62;
const MEASURED: u64 = 1 << 63;

/// A drafter in training.
pub struct Trainer<'a> {
    vocabulary: Rc<dyn Vocabulary>,
    data: &'a Data,
    settings: Settings,
    view: View,
    drafter: Trainable,
    names: Vec<String>,
    parameters: Vec<Array>,
    adam: AdamW,
    files: Files,
    step: usize,
    /// The step of each measurement, and its τ.
    measured: Vec<(usize, f64)>,
    saved: Instant,
    teach: Vec<Vec<Place>>,
    measure: Vec<Place>,
    weights: Array,
    /// Seconds that a step takes, measurements included, and smoothed.
    pace: Option<f64>,
}

/// What happens while a drafter is trained.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A step is done.
    Step {
        /// Steps done.
        step: usize,
        /// Steps in all.
        of: usize,
        /// The weighed loss.
        loss: f32,
        /// Its parts, unweighed: of the token that followed,
        cross_entropy: f32,
        /// of the distance to the target's distribution,
        total_variation: f32,
        /// and of the confidence.
        confidence: f32,
        /// How long it will take yet, seconds.
        seconds_left: f64,
    },
    /// Some of the blocks are measured, others are yet to be. A stop waits for the last of them.
    Measuring,
    /// The drafter was measured on blocks that it was not taught.
    Measured {
        /// Steps done.
        step: usize,
        /// How it does.
        held: Held,
        /// Whether it never did better.
        best: bool,
    },
}

/// How a drafter does on blocks that it was not taught.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Tokens of a round (τ), the target's own included.
    pub tokens_per_round: f64,
    /// How likely the token of each position is accepted, given those before it.
    pub acceptance: Vec<f64>,
}

/// Why a training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// All steps are done.
    Done,
    /// Whoever watches said stop; it can go on from here.
    Stopped,
}

impl<'a> Trainer<'a> {
    /// A training of `drafter` for the target that lends `vocabulary`, on what was captured of that target. It keeps its
    /// files in `folder`, and goes on from those that are there.
    ///
    /// # Errors
    /// When settings, drafter, data or the files in the folder do not go together.
    pub fn open(
        vocabulary: Rc<dyn Vocabulary>,
        data: &'a Data,
        drafter: Trainable,
        settings: Settings,
        folder: &Path,
    ) -> Result<Self> {
        settings.check()?;
        let facts = drafter.facts();
        let target = vocabulary.hidden_size();
        if i32::try_from(data.hidden_size()) != Ok(target) {
            let target = usize::try_from(target).unwrap_or(0);
            return Err(Error::Width { shards: data.hidden_size(), target });
        }
        facts.fit(target, vocabulary.size(), data.taps().last().copied().unwrap_or(0))?;
        let view = View::new(data, &facts.taps, facts.limit, settings.max_context)?;
        let [teach, measure] = data.split(settings.held_out, facts.limit)?;
        let (names, mut parameters) = drafter.parameters().iter().cloned().unzip::<_, _, Vec<_>, Vec<_>>();
        let mut adam = AdamW::new(&parameters, settings.weight_decay)?;
        let (files, mut step, mut measured) = (Files::new(folder)?, 0, Vec::new());
        if let Some((standing, saved, moments)) = files.load(&names, settings.weight_decay)? {
            standing.check(&settings)?;
            (step, measured, parameters, adam) = (standing.step, standing.measured(), saved, moments);
        }
        let weights = position_weights(facts.limit, settings.decay.unwrap_or(count(facts.limit)));
        let teach = by_shard(&teach);
        Ok(Self {
            vocabulary,
            data,
            settings,
            view,
            drafter,
            names,
            parameters,
            adam,
            files,
            step,
            measured,
            saved: Instant::now(),
            teach,
            measure,
            weights,
            pace: None,
        })
    }

    /// Steps done.
    #[must_use]
    pub fn step(&self) -> usize {
        self.step
    }

    /// The step of each measurement, and the tokens per round (τ) there. The first is that before the first step.
    #[must_use]
    pub fn measured(&self) -> &[(usize, f64)] {
        &self.measured
    }

    /// Trains until all steps are done, or `watch`, which hears of every event, says stop.
    ///
    /// # Errors
    /// When the loss is no longer a number, a file cannot be written, or MLX fails. What was saved last stays.
    pub fn run(&mut self, watch: &mut dyn FnMut(&Event) -> ControlFlow<()>) -> Result<Ended> {
        if self.measured.is_empty() {
            let event = self.look(watch)?;
            self.save()?;
            if watch(&event).is_break() {
                return Ok(Ended::Stopped);
            }
        }
        while self.step < self.settings.steps {
            let started = Instant::now();
            let parts = self.train()?;
            let done = self.step == self.settings.steps;
            let measured = if done || self.step.is_multiple_of(self.settings.measure_every) {
                Some(self.look(watch)?)
            } else {
                None
            };
            self.keep_pace(started.elapsed().as_secs_f64());
            let mut flow = watch(&self.event(&parts));
            if let Some(event) = &measured {
                flow = if watch(event).is_break() { ControlFlow::Break(()) } else { flow };
            }
            let is_time = self.step.is_multiple_of(self.settings.save_every) || self.saved.elapsed() > LOST;
            if done || flow.is_break() || measured.is_some() || is_time {
                self.save()?;
            }
            if flow.is_break() && !done {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::Done)
    }

    /// The drafter that did best so far.
    ///
    /// # Errors
    /// When it was never measured, or its file cannot be read.
    pub fn best(&self) -> Result<Trainable> {
        Ok(self.drafter.with(self.names.iter().cloned().zip(self.files.load_best(&self.names)?).collect()))
    }

    /// The drafter as it is now.
    #[must_use]
    pub fn now(&self) -> Trainable {
        self.drafter.with(self.names.iter().cloned().zip(self.parameters.clone()).collect())
    }

    /// How the drafter does on blocks that it was not taught; they are always the same.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn measure(&self) -> Result<Held> {
        self.measure_between(&mut || ())
    }

    /// The same, with something to do between two of their batches.
    fn measure_between(&self, between: &mut dyn FnMut()) -> Result<Held> {
        let drafter = self.now().drafter();
        let mut random = Random::new(self.settings.seed, MEASURED);
        let each = self.settings.measured.div_ceil(self.measure.len());
        let mut acceptances = Vec::new();
        for place in self.measure.iter().take(self.settings.measured) {
            let mut left = each;
            while left > 0 {
                let anchors = left.min(self.settings.sequences * self.settings.anchors);
                let batch = Batch::draw(self.data, &[*place], anchors, &self.view, &mut random)?;
                let told = batch.told(&drafter, &*self.vocabulary)?;
                let accepted = acceptance(&told.logits, &batch.target(&*self.vocabulary)?)?;
                wait([&accepted])?;
                acceptances.extend(accepted.as_slice::<f32>().chunks(self.view.gamma).map(<[f32]>::to_vec));
                left -= anchors;
                between();
            }
        }
        let mean = |k: usize| {
            let sum = acceptances.iter().map(|block| f64::from(block[k])).sum::<f64>();
            sum / f64::from(count(acceptances.len()))
        };
        let acceptance = (0..self.view.gamma).map(mean).collect();
        Ok(Held { tokens_per_round: tokens_per_round(&acceptances), acceptance })
    }

    /// One step.
    fn train(&mut self) -> Result<Parts> {
        let batch = self.batch()?;
        let target = batch.target(&*self.vocabulary)?;
        let (parts, gradients) = self.gradients(&batch, &target)?;
        let (gradients, _) = clipped(&gradients, self.settings.clip)?;
        let rate = learning_rate(&self.settings, self.step);
        self.parameters = self.adam.step(&self.parameters, &gradients, rate)?;
        let losses = [&parts.total, &parts.cross_entropy, &parts.total_variation, &parts.confidence];
        wait(self.parameters.iter().chain(&self.adam.first).chain(&self.adam.second).chain(losses))?;
        self.step += 1;
        let loss = parts.total.item_exact::<f32>();
        if loss.is_finite() { Ok(parts) } else { Err(Error::Diverged { step: self.step, loss }) }
    }

    /// The blocks of the next step, which follow from its number alone.
    fn batch(&self) -> Result<Batch> {
        let visit = self.step / SERVED;
        let mut order = (0..self.teach.len()).collect::<Vec<_>>();
        let mut shuffle = Random::new(self.settings.seed, SHARDS + wide(visit / order.len()));
        for end in (1..order.len()).rev() {
            order.swap(end, shuffle.below(end + 1));
        }
        let places = &self.teach[order[visit % order.len()]];
        let mut random = Random::new(self.settings.seed, wide(self.step));
        let drawn = (0..self.settings.sequences).map(|_| places[random.below(places.len())]).collect::<Vec<_>>();
        Batch::draw(self.data, &drawn, self.settings.anchors, &self.view, &mut random)
    }

    /// The loss of a batch, and how it changes with each parameter.
    fn gradients(&self, batch: &Batch, target: &Array) -> Result<(Parts, Vec<Array>)> {
        let loss = |parameters: &[Array]| -> Result<Vec<Array>, Exception> {
            let named = self.names.iter().cloned().zip(parameters.iter().cloned()).collect();
            let drafter = self.drafter.with(named).drafter();
            let parts = batch.told(&drafter, &*self.vocabulary).and_then(|told| {
                self.settings.loss.of(&told.logits, told.confidences.as_ref(), target, &batch.labels, &self.weights)
            });
            let parts = parts.map_err(|error| Exception::custom(error.to_string()))?;
            Ok(vec![parts.total, parts.cross_entropy, parts.total_variation, parts.confidence])
        };
        let all = (0..self.parameters.len()).filter_map(|number| i32::try_from(number).ok()).collect::<Vec<_>>();
        let (values, gradients) = value_and_grad_with_argnums(loss, &all[..])(&self.parameters)?;
        let [total, cross_entropy, total_variation, confidence] =
            <[Array; 4]>::try_from(values).map_err(|_| nn::Error::Device("a loss has four parts".into()))?;
        Ok((Parts { total, cross_entropy, total_variation, confidence }, gradients))
    }

    /// Measures, and keeps the drafter if it is the best so far.
    fn look(&mut self, watch: &mut dyn FnMut(&Event) -> ControlFlow<()>) -> Result<Event> {
        let held = self.measure_between(&mut || {
            let _ = watch(&Event::Measuring);
        })?;
        let best = self.measured.iter().all(|&(_, before)| held.tokens_per_round > before);
        self.measured.push((self.step, held.tokens_per_round));
        if best {
            self.files.save_best(&self.names, &self.parameters)?;
        }
        Ok(Event::Measured { step: self.step, held, best })
    }

    fn save(&mut self) -> Result<()> {
        let standing = Standing::new(self.step, &self.measured, &self.settings);
        self.files.save(&standing, &self.names, &self.parameters, &self.adam)?;
        self.saved = Instant::now();
        Ok(())
    }

    fn keep_pace(&mut self, seconds: f64) {
        self.pace = Some(self.pace.map_or(seconds, |pace| 0.95 * pace + 0.05 * seconds));
    }

    fn event(&self, parts: &Parts) -> Event {
        let number = |array: &Array| array.item_exact::<f32>();
        let left = f64::from(count(self.settings.steps - self.step));
        Event::Step {
            step: self.step,
            of: self.settings.steps,
            loss: number(&parts.total),
            cross_entropy: number(&parts.cross_entropy),
            total_variation: number(&parts.total_variation),
            confidence: number(&parts.confidence),
            seconds_left: self.pace.unwrap_or(0.0) * left,
        }
    }
}

/// Sequences of one shard together.
fn by_shard(places: &[Place]) -> Vec<Vec<Place>> {
    places.chunk_by(|one, next| one.shard == next.shard).map(<[Place]>::to_vec).collect()
}

fn wide(number: usize) -> u64 {
    number as u64
}

#[expect(clippy::cast_precision_loss, reason = "steps and blocks are counted in thousands")]
fn count(number: usize) -> f32 {
    number as f32
}
