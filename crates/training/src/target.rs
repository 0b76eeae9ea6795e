//! Training of a target itself, from nothing: for small ones, whose texts are known.

use std::{fs, path::Path};

use decode::Token;
use gemma4::{Config, Model};
use mlx_rs::{
    Array, Device, Dtype, Stream,
    error::Exception,
    ops::{self, indexing::take_along_axis},
    random,
    transforms::value_and_grad_with_argnums,
    with_stream,
};
use nn::{Cache, Vocabulary, Wanted, Weights, wait};

use crate::{
    AdamW, Error, Result, Settings, learning_rate,
    optimiser::clipped,
    state::{Files, Standing},
};

/// A text to learn from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Its tokens.
    pub ids: Vec<Token>,
    /// Which of them the target learns to say; the others it only reads. As many, and the first of all is never said.
    pub said: Vec<bool>,
}

/// How many parts of a step are computed beside each other.
const STREAMS: usize = 2;

/// A target in training, in float32.
#[derive(Debug)]
pub struct TargetTrainer {
    config: Config,
    settings: Settings,
    names: Vec<String>,
    parameters: Vec<Array>,
    adam: AdamW,
    files: Files,
    step: usize,
    streams: [Stream; STREAMS],
}

impl TargetTrainer {
    /// A training of a target of this configuration by the steps, rates, limits and seed of `settings`; what they say of
    /// blocks and measuring means nothing here. It keeps its file in `folder`, and goes on from one that is there.
    ///
    /// # Errors
    /// When the settings train nothing, are not those that the file in the folder was made with, or MLX fails.
    pub fn open(config: Config, settings: Settings, folder: &Path) -> Result<Self> {
        settings.check()?;
        let (names, mut parameters) = initial(&config, settings.seed)?.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        let mut adam = AdamW::new(&parameters, settings.weight_decay)?;
        let (files, mut step) = (Files::new(folder)?, 0);
        if let Some((standing, saved, moments)) = files.load(&names, settings.weight_decay)? {
            standing.check(&settings)?;
            (step, parameters, adam) = (standing.step, saved, moments);
        }
        let streams = std::array::from_fn(|_| Stream::new_with_device(&Device::default()));
        Ok(Self { config, settings, names, parameters, adam, files, step, streams })
    }

    /// Steps done.
    #[must_use]
    pub fn step(&self) -> usize {
        self.step
    }

    /// Whether all steps are done.
    #[must_use]
    pub fn done(&self) -> bool {
        self.step >= self.settings.steps
    }

    /// How many numbers the target consists of.
    #[must_use]
    pub fn numbers(&self) -> usize {
        self.parameters.iter().map(Array::size).sum()
    }

    /// One step on `texts`; gives their loss before it.
    ///
    /// # Errors
    /// When nothing in them is to be said, the loss is no longer a number, the state cannot be saved, or MLX fails.
    pub fn learn(&mut self, texts: &[Text]) -> Result<f32> {
        let (loss, gradients) = self.gradients(texts)?;
        let (gradients, _) = clipped(&gradients, self.settings.clip)?;
        let rate = learning_rate(&self.settings, self.step);
        self.parameters = self.adam.step(&self.parameters, &gradients, rate)?;
        wait(self.parameters.iter().chain(&self.adam.first).chain(&self.adam.second).chain([&loss]))?;
        self.step += 1;
        let loss = loss.item_exact::<f32>();
        if !loss.is_finite() {
            return Err(Error::Diverged { step: self.step, loss });
        }
        if self.done() || self.step.is_multiple_of(self.settings.save_every) {
            self.save()?;
        }
        Ok(loss)
    }

    /// The loss of `texts`, `−ln p` of a token that is to be said, and how it changes with each parameter.
    ///
    /// # Errors
    /// When nothing in them is to be said, or MLX fails.
    pub fn gradients(&self, texts: &[Text]) -> Result<(Array, Vec<Array>)> {
        let said = said(texts)?;
        let all = (0..self.parameters.len()).filter_map(|number| i32::try_from(number).ok()).collect::<Vec<_>>();
        let part = |(texts, stream): (&[Text], &Stream)| -> Result<Vec<Array>> {
            let loss = |parameters: &[Array]| -> Result<Vec<Array>, Exception> {
                let loss = self.of(parameters).and_then(|model| surprise(&model, texts, said));
                Ok(vec![loss.map_err(|error| Exception::custom(error.to_string()))?])
            };
            let differentiated = || value_and_grad_with_argnums(loss, &all[..])(&self.parameters);
            let (mut loss, gradients) = with_stream(stream, differentiated)?;
            loss.extend(gradients);
            Ok(loss)
        };
        // Most operations keep one processor busy, so every stream, which has a thread of its own, takes some texts.
        let mut parts = texts.chunks(texts.len().div_ceil(STREAMS)).zip(&self.streams).map(part);
        let mut sum = parts.next().ok_or(Error::NothingToSay)??;
        for part in parts {
            sum = sum.iter().zip(&part?).map(|(sum, part)| sum.add(part)).collect::<Result<_, _>>()?;
        }
        let loss = sum.remove(0);
        Ok((loss, sum))
    }

    /// The loss of `texts`, without learning from them.
    ///
    /// # Errors
    /// Likewise.
    pub fn loss(&self, texts: &[Text]) -> Result<f32> {
        let loss = surprise(&self.of(&self.parameters)?, texts, said(texts)?)?;
        wait([&loss])?;
        Ok(loss.item_exact::<f32>())
    }

    /// Every parameter under its canonical name.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.names.iter().map(String::as_str).zip(&self.parameters)
    }

    /// The same with other numbers, to see what they would do.
    #[must_use]
    pub fn with(self, parameters: Vec<Array>) -> Self {
        Self { parameters, ..self }
    }

    /// Writes the weights in float32 as `model.safetensors` of a text-only checkpoint, beside what is in the folder.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn export(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).map_err(|source| Error::File { path: folder.to_owned(), source })?;
        let names = self.names.iter().map(|name| format!("model.{name}")).collect::<Vec<_>>();
        let mut tensors = names.iter().map(String::as_str).zip(&self.parameters).collect::<Vec<_>>();
        tensors.sort_by_key(|(name, _)| *name);
        Ok(nn::save(tensors, &folder.join("model.safetensors"))?)
    }

    fn of(&self, parameters: &[Array]) -> Result<Model> {
        let named = self.names.iter().cloned().zip(parameters.iter().cloned());
        Ok(Model::of(self.config.clone(), &Weights::of(named, Dtype::Float32), Dtype::Float32)?)
    }

    fn save(&self) -> Result<()> {
        self.files.save(&Standing::new(self.step, &[], &self.settings), &self.names, &self.parameters, &self.adam)
    }
}

impl Text {
    /// The places of the tokens that are to be said, and these.
    fn learnt(&self) -> impl Iterator<Item = (usize, Token)> {
        let marked = self.ids.iter().zip(&self.said).enumerate().skip(1);
        marked.filter_map(|(at, (&id, &said))| said.then_some((at, id)))
    }
}

/// How many tokens are to be said.
fn said(texts: &[Text]) -> Result<usize> {
    match texts.iter().map(|text| text.learnt().count()).sum() {
        0 => Err(Error::NothingToSay),
        some => Ok(some),
    }
}

/// `−ln p` of the tokens of `texts` that are to be said, their sum divided by `among`.
fn surprise(model: &Model, texts: &[Text], among: usize) -> Result<Array> {
    let mut caches = texts.iter().map(|_| model.caches()).collect::<Vec<Vec<Cache>>>();
    let sequences = caches.iter_mut().zip(texts).map(|(caches, text)| (&mut caches[..], text.ids.len()));
    let ids = texts.iter().flat_map(|text| &text.ids).copied().collect::<Vec<_>>();
    let ids = Array::from_slice(&ids, &[1, count(ids.len())]);
    let normed = model.forward_all(&ids, sequences.collect(), &[])?.normed;
    // What a row says is the token behind it.
    let (mut rows, mut labels, mut start) = (Vec::new(), Vec::new(), 0);
    for text in texts {
        for (at, id) in text.learnt() {
            rows.push(count(start + at - 1));
            labels.push(id);
        }
        start += text.ids.len();
    }
    let said = count(rows.len());
    let logits = model.logits(&normed.take_axis(Array::from_slice(&rows, &[said]), 1)?)?;
    let chosen = take_along_axis(&logits, Array::from_slice(&labels, &[1, said, 1]), -1)?.squeeze_axes(&[-1])?;
    Ok(logits.logsumexp_axis(-1, false)?.subtract(chosen)?.sum(None)?.divide(Array::from_int(count(among)))?)
}

/// Numbers to begin with, under their canonical names: rows and scores of about unit size, and a stream that grows slowly.
fn initial(config: &Config, seed: u64) -> Result<Vec<(String, Array)>> {
    let draw = |(wanted, seed): (Wanted, u64)| -> Result<(String, Array)> {
        let (shape, part) = (wanted.shape(), wanted.name().trim_end_matches(".weight"));
        let part = part.rsplit('.').next().unwrap_or_default();
        let even = |value: f32| ops::full::<f32>(shape, Array::from_f32(value));
        let array = match part {
            // Scores are not divided by √D; the norm of the queries does that.
            "q_norm" => even(root(shape[0]))?,
            part if part.starts_with("post_") => even(root(2 * count(config.layers.len())))?,
            part if part.ends_with("norm") || part.ends_with("layernorm") || part == "layer_scalar" => even(1.0)?,
            _ => random::normal::<f32>(shape, 0.0, root(shape[shape.len() - 1]), &random::key(seed)?)?,
        };
        let name = if wanted.is_matrix() { format!("{}.weight", wanted.name()) } else { wanted.name().to_owned() };
        Ok((name, array))
    };
    // Each tensor has a key of its own, so that adding one would not change the others.
    config.tensors().into_iter().zip(seed.wrapping_mul(1 << 20)..).map(draw).collect()
}

/// `1/√n`.
#[expect(clippy::cast_precision_loss, reason = "a width is small")]
fn root(n: i32) -> f32 {
    1.0 / (n as f32).sqrt()
}

fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
