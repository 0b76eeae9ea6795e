//! The weights of a target and its forward pass. Immutable and shared; what changes lies in the caches.

use std::path::Path;

use mlx_rs::{Array, Dtype, fast, ops};
use nn::{Cache, Inventory, Linear, Vocabulary, Weights, scalar, softcap};

use crate::{
    Config, Error, Family, LayerKind, Result,
    attention::Masks,
    layer::{Layer, norm_weight},
    names::canonical,
};

/// A loaded target.
#[derive(Debug)]
pub struct Model {
    config: Config,
    dtype: Dtype,
    table: Array,
    embed_scale: Array,
    layers: Vec<Layer>,
    norm: Array,
    head: Linear,
}

/// What a pass leaves behind of its `L` rows.
#[derive(Debug)]
pub struct Rows {
    /// After the last layer and the final norm, `[1, L, H]`: what the head reads.
    pub normed: Array,
    /// The tapped rows side by side, `[1, L, m·H]` for `m` taps.
    pub taps: Array,
}

impl Model {
    /// Loads a checkpoint; with a `dtype` everything is converted to it and computed in it.
    ///
    /// # Errors
    /// When the configuration or the weights are not those of a target that runs here.
    pub fn load(folder: &Path, dtype: Option<Dtype>) -> Result<Self> {
        let config = Config::read(folder)?;
        let inventory = Inventory::read(folder)?;
        let mut weights = Weights::open(&inventory, dtype, |name| canonical(name, config.tied))?;
        let model = Self::take(config, &mut weights)?;
        weights.finish()?;
        Ok(model)
    }

    fn take(config: Config, weights: &mut Weights) -> Result<Self> {
        let table = weights.take("embed_tokens.weight", &[config.vocab_size, config.hidden_size])?;
        let layers = config.layers.iter().enumerate();
        let layers = layers
            .map(|(i, &kind)| Layer::load(&config, kind, weights, &format!("layers.{i}")))
            .collect::<Result<Vec<_>>>()?;
        let head = if config.tied {
            Linear::from_out_in(&table)
        } else {
            Linear::from_out_in(&weights.take("lm_head.weight", &[config.vocab_size, config.hidden_size])?)
        };
        let dtype = table.dtype();
        Ok(Self {
            embed_scale: embed_scale(&config, dtype)?,
            norm: norm_weight(&config, weights, "norm", config.hidden_size)?,
            config,
            dtype,
            table,
            layers,
            head,
        })
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Empty caches for one sequence, one per layer.
    #[must_use]
    pub fn caches(&self) -> Vec<Cache> {
        let cache = |kind: &LayerKind| match kind {
            LayerKind::Sliding => Cache::sliding(self.config.window),
            LayerKind::Full => Cache::full(),
        };
        self.config.layers.iter().map(cache).collect()
    }

    /// Runs ids `[1, L]` through the model. Their keys and values go into `caches`, undecided.
    ///
    /// A tap `i` below the number of layers is the stream after layer `i`; the number itself is the stream after the
    /// final norm. Taps only read: with and without them the same numbers are computed.
    ///
    /// # Errors
    /// When a tap is out of range (nothing is written then), or MLX fails.
    pub fn forward(&self, ids: &Array, caches: &mut [Cache], taps: &[usize]) -> Result<Rows> {
        self.check_taps(taps)?;
        let rows = usize::try_from(ids.dim(1)).unwrap_or_default();
        let mut masks = Masks::new(rows, self.config.window);
        let mut stream = self.embed_raw(ids)?.multiply(&self.embed_scale)?;
        let mut tapped = Vec::with_capacity(taps.len());
        for (i, (layer, cache)) in self.layers.iter().zip(caches).enumerate() {
            stream = layer.forward(&stream, cache, &mut masks)?;
            if taps.contains(&i) {
                tapped.push(stream.clone());
            }
        }
        let normed = fast::rms_norm(&stream, Some(&self.norm), self.config.eps)?;
        if taps.contains(&self.layers.len()) {
            tapped.push(normed.clone());
        }
        let taps = match tapped.as_slice() {
            [] => ops::zeros_dtype(&[1, ids.dim(1), 0], self.dtype)?,
            tapped => ops::concatenate(tapped, -1)?,
        };
        Ok(Rows { normed, taps })
    }

    /// Whether every tap names a layer, or the final norm.
    ///
    /// # Errors
    /// Names the first that does not.
    pub fn check_taps(&self, taps: &[usize]) -> Result<()> {
        let layers = self.layers.len();
        match taps.iter().find(|&&tap| tap > layers) {
            Some(&tap) => Err(Error::Tap { tap, last: layers - 1, layers }),
            None => Ok(()),
        }
    }
}

impl Vocabulary for Model {
    fn embed_raw(&self, ids: &Array) -> nn::Result<Array> {
        Ok(self.table.take_axis(ids, 0)?)
    }

    fn logits(&self, hidden: &Array) -> nn::Result<Array> {
        let logits = self.head.forward(hidden)?;
        match self.config.softcap {
            Some(cap) => softcap(&logits, cap),
            None => Ok(logits),
        }
    }

    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn hidden_size(&self) -> i32 {
        self.config.hidden_size
    }

    fn size(&self) -> i32 {
        self.config.vocab_size
    }
}

/// √H in the type of the stream. mlx-lm rounds Gemma 3's to bfloat16 first, whatever it computes in; so do we, or the
/// numbers would drift from the reference in the third digit.
#[expect(clippy::cast_precision_loss, reason = "a width is small")]
fn embed_scale(config: &Config, dtype: Dtype) -> Result<Array> {
    let root = (config.hidden_size as f32).sqrt();
    let rounded = match config.family {
        Family::Gemma4 => scalar(root, dtype)?,
        Family::Gemma3 => scalar(root, Dtype::Bfloat16)?.as_dtype(dtype)?,
    };
    Ok(rounded)
}
