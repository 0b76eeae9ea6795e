//! What the layers of one forward pass share.

use mlx_rs::Array;
use nn::{Cache, Mask, Pace, Shares, Visible};

use crate::{LayerKind, Result, Route};

/// The state of one pass over `L` rows, of one sequence or of several behind each other.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    /// The inputs of all layers, `[1, L, N, P]`, if the model has any.
    pub(crate) per_layer: Option<Array>,
    /// Where rows went, for each layer with experts so far.
    pub(crate) routes: Vec<Route>,
    /// How far the device is behind.
    pub(crate) pace: Pace,
    sequences: Vec<Sequence<'a>>,
    shares: Shares,
}

/// A sequence's share of a pass: its rows see each other and their own past, and nothing of the others.
#[derive(Debug)]
pub(crate) struct Sequence<'a> {
    /// The position of its first row.
    pub(crate) position: usize,
    caches: &'a mut [Cache],
    rows: usize,
    window: usize,
    sliding: Option<Seen>,
    full: Option<Seen>,
}

/// The rows that layers of one kind may look at.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) visible: Visible,
    pub(crate) mask: Mask,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(sequences: Vec<Sequence<'a>>, per_layer: Option<Array>, pace: Pace) -> Self {
        let shares = Shares::new(sequences.iter().map(|sequence| sequence.rows));
        Self { per_layer, routes: Vec::new(), pace, sequences, shares }
    }

    /// What `attend` makes of each sequence's share of `parts`, `[1, L, heads, D]` each; behind each other again.
    pub(crate) fn apart<const N: usize>(
        &mut self,
        parts: [&Array; N],
        mut attend: impl FnMut(&mut Sequence<'a>, [Array; N]) -> Result<Array>,
    ) -> Result<Array> {
        let Self { sequences, shares, .. } = self;
        shares.apart(parts, 1, |sequence, parts| attend(&mut sequences[sequence], parts))
    }
}

impl<'a> Sequence<'a> {
    /// `rows` rows behind what `caches` hold, in which sliding layers see `window` rows.
    pub(crate) fn new(caches: &'a mut [Cache], rows: usize, window: usize) -> Self {
        let position = caches.first().map_or(0, Cache::position);
        Self { position, caches, rows, window, sliding: None, full: None }
    }

    /// Writes the keys and values of a layer of `kind` that owns some, `[1, groups, L, D]` each, undecided. Layers of that
    /// kind behind it that own none see them too. All layers of a kind see the same positions, so the mask is made once.
    pub(crate) fn write(&mut self, layer: usize, kind: LayerKind, keys: &Array, values: &Array) -> Result<()> {
        let visible = self.caches[layer].append(keys, values)?;
        let window = (kind == LayerKind::Sliding).then_some(self.window);
        let earlier = self.slot(kind).take();
        let mask = earlier.map_or_else(|| Mask::new(self.rows, visible.before, window), |seen| seen.mask);
        *self.slot(kind) = Some(Seen { visible, mask });
        Ok(())
    }

    /// The rows that a layer of `kind` may look at.
    pub(crate) fn seen(&self, kind: LayerKind) -> &Seen {
        let seen = match kind {
            LayerKind::Sliding => &self.sliding,
            LayerKind::Full => &self.full,
        };
        seen.as_ref().expect("the configuration was checked: some layer of this kind owns keys before it")
    }

    fn slot(&mut self, kind: LayerKind) -> &mut Option<Seen> {
        match kind {
            LayerKind::Sliding => &mut self.sliding,
            LayerKind::Full => &mut self.full,
        }
    }
}
