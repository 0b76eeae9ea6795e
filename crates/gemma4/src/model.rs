//! The weights of a target and its forward pass. Immutable and shared; what changes lies in the caches.

use std::path::Path;

use mlx_rs::{Array, Dtype, ops};
use nn::{
    Cache, Embedding, Fitted, Inventory, Linear, Norm, Pace, Place, Surplus, Vocabulary, Weights, scalar, softcap,
};

use crate::{
    Config, Error, Family, LayerKind, Result, Route,
    attention::rope,
    layer::Layer,
    names::place,
    norm::norm,
    pass::{Pass, Sequence},
    per_layer::PerLayerInputs,
};

/// A loaded target.
#[derive(Debug)]
pub struct Model {
    config: Config,
    dtype: Dtype,
    table: Embedding,
    embed_scale: Array,
    per_layer: Option<PerLayerInputs>,
    layers: Vec<Layer>,
    norm: Norm,
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
    /// Loads a checkpoint; everything is converted to `dtype` and computed in it. Without one it is the embedding
    /// table's own type, except that float16 becomes bfloat16: Gemma's activations leave the range of float16.
    ///
    /// # Errors
    /// When the configuration or the weights are not those of a target that runs here.
    pub fn load(folder: &Path, dtype: Option<Dtype>) -> Result<Self> {
        let config = Config::read(folder)?;
        let inventory = Inventory::read(folder)?;
        let dtype = dtype.unwrap_or_else(|| stored_dtype(&config, &inventory));
        let weights = Weights::read(&fit(&config, &inventory)?, dtype)?;
        Self::of(config, &weights, dtype)
    }

    /// The target that `weights`, those of [`Config::tensors`] in `dtype`, make.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn of(config: Config, weights: &Weights, dtype: Dtype) -> Result<Self> {
        let table = Embedding::new(weights.matrix("embed_tokens"));
        let per_layer = |width| PerLayerInputs::new(&config, width, weights, dtype);
        // All layers of a kind turn by the same angles, which are worked out once for all of them.
        let [sliding, full] = [LayerKind::Sliding, LayerKind::Full].map(|kind| rope(config.geometry(kind)));
        let layer = |(layer, kind)| {
            let rope = if kind == LayerKind::Sliding { &sliding } else { &full };
            Layer::new(&config, layer, weights, rope.clone())
        };
        Ok(Self {
            per_layer: config.per_layer_width.map(per_layer).transpose()?,
            layers: config.layers.iter().copied().enumerate().map(layer).collect::<Result<_>>()?,
            head: if config.tied { table.head() } else { Linear::new(weights.matrix("lm_head")) },
            embed_scale: embed_scale(&config, dtype)?,
            norm: norm(&config, weights, "norm")?,
            config,
            dtype,
            table,
        })
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Empty caches for one sequence, one for each layer that owns keys and values.
    #[must_use]
    pub fn caches(&self) -> Vec<Cache> {
        let cache = |kind: &LayerKind| match kind {
            LayerKind::Sliding => Cache::sliding(self.config.window),
            LayerKind::Full => Cache::full(),
        };
        self.config.layers[..self.config.first_shared].iter().map(cache).collect()
    }

    /// Runs ids `[1, L]` through the model. Their keys and values go into `caches`, undecided.
    ///
    /// A tap `i` below the number of layers is the stream after layer `i`; the number itself is the stream after the
    /// final norm. Taps only read: with and without them the same numbers are computed.
    ///
    /// # Errors
    /// When a tap is out of range (nothing is written then), or MLX fails.
    pub fn forward(&self, ids: &Array, caches: &mut [Cache], taps: &[usize]) -> Result<Rows> {
        Ok(self.run(ids, vec![(caches, rows_of(ids))], taps, self.pace(ids))?.0)
    }

    /// The same for several sequences behind each other in `ids`, each with its caches and how many rows are its own. The
    /// weights are read once for all of them; attention is each one's own. Nothing of it is computed yet, so that gradients can
    /// be taken through it.
    ///
    /// # Errors
    /// As for one.
    pub fn forward_all(&self, ids: &Array, sequences: Vec<(&mut [Cache], usize)>, taps: &[usize]) -> Result<Rows> {
        Ok(self.run(ids, sequences, taps, Pace::free())?.0)
    }

    /// The same at some pace, and where the rows went.
    fn run(
        &self,
        ids: &Array,
        sequences: Vec<(&mut [Cache], usize)>,
        taps: &[usize],
        pace: Pace,
    ) -> Result<(Rows, Vec<Route>)> {
        self.check_taps(taps)?;
        let mut stream = self.embed(ids)?;
        let sequence = |(caches, rows)| Sequence::new(caches, rows, self.config.window);
        let sequences = sequences.into_iter().map(sequence).collect();
        let mut pass = Pass::new(sequences, self.per_layer_inputs(ids, &stream)?, pace);
        let mut tapped = Vec::with_capacity(taps.len());
        for (i, layer) in self.layers.iter().enumerate() {
            stream = layer.forward(&stream, &mut pass)?;
            if taps.contains(&i) {
                tapped.push(stream.clone());
            }
        }
        let normed = self.norm.forward(&stream)?;
        if taps.contains(&self.layers.len()) {
            tapped.push(normed.clone());
        }
        let taps = match tapped.as_slice() {
            [] => ops::zeros_dtype(&[1, ids.dim(1), 0], self.dtype)?,
            tapped => ops::concatenate(tapped, -1)?,
        };
        Ok((Rows { normed, taps }, pass.routes))
    }

    /// What each of `N` layers gets of ids `[1, L]` beside the stream, `[1, L, N, P]`, given their
    /// [scaled embedding](Vocabulary::embed) `[1, L, H]`; `None` if the model has no such inputs.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn per_layer_inputs(&self, ids: &Array, embedded: &Array) -> Result<Option<Array>> {
        self.per_layer.as_ref().map(|inputs| inputs.forward(ids, embedded)).transpose()
    }

    /// Which experts ids `[1, L]` go through, if they are read as a sequence of their own: one route for each layer, or
    /// none at all if the model has no experts.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn routes(&self, ids: &Array) -> Result<Vec<Route>> {
        Ok(self.run(ids, vec![(&mut self.caches(), rows_of(ids))], &[], self.pace(ids))?.1)
    }

    fn pace(&self, ids: &Array) -> Pace {
        Pace::new(ids.dim(1), self.layers.len())
    }

    /// Whether every tap names a layer, or the final norm.
    fn check_taps(&self, taps: &[usize]) -> Result<()> {
        let layers = self.layers.len();
        match taps.iter().find(|&&tap| tap > layers) {
            Some(&tap) => Err(Error::Tap { tap, last: layers - 1, layers }),
            None => Ok(()),
        }
    }
}

impl Vocabulary for Model {
    fn embed_raw(&self, ids: &Array) -> nn::Result<Array> {
        self.table.rows(ids)
    }

    fn embed(&self, ids: &Array) -> nn::Result<Array> {
        Ok(self.table.rows(ids)?.multiply(&self.embed_scale)?)
    }

    fn head(&self, hidden: &Array) -> nn::Result<Array> {
        self.head.forward(hidden)
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

/// How many rows ids `[1, L]` are.
fn rows_of(ids: &Array) -> usize {
    usize::try_from(ids.dim(1)).unwrap_or_default()
}

/// Finds every tensor of the model among those of the files.
pub(crate) fn fit<'a>(config: &Config, inventory: &'a Inventory) -> nn::Result<Fitted<'a>> {
    inventory.fit(&config.tensors(), &config.quantization, Surplus::Refuse, |name| place(name, config))
}

/// The type that an unconverted model computes in, the table's own or that of its scales: one for all, or a stray
/// float32 norm would turn the whole stream into float32.
pub(crate) fn stored_dtype(config: &Config, inventory: &Inventory) -> Dtype {
    let is_table = |name: &str| {
        let parts = ["embed_tokens.weight", "embed_tokens.scales"];
        matches!(place(name, config), Some(Place::Whole(name)) if parts.contains(&name.as_str()))
    };
    let wide = inventory.tensors().iter().any(|(name, stored)| is_table(name) && stored.dtype == "F32");
    if wide { Dtype::Float32 } else { Dtype::Bfloat16 }
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
