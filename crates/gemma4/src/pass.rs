//! What the layers of one forward pass share.

use mlx_rs::Array;
use nn::{Mask, Visible};

use crate::{LayerKind, Route};

/// The state of one pass over `L` rows.
#[derive(Debug)]
pub(crate) struct Pass {
    /// The position of the first row.
    pub(crate) position: usize,
    /// The inputs of all layers, `[1, L, N, P]`, if the model has any.
    pub(crate) per_layer: Option<Array>,
    /// Where rows went, for each layer with experts so far.
    pub(crate) routes: Vec<Route>,
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

impl Pass {
    pub(crate) fn new(rows: usize, position: usize, window: usize, per_layer: Option<Array>) -> Self {
        Self { position, per_layer, routes: Vec::new(), rows, window, sliding: None, full: None }
    }

    /// Remembers the rows of the newest layer of `kind` that owns keys and values: those behind it that own none read
    /// them too. All layers of a kind see the same positions, so the mask is made once.
    pub(crate) fn see(&mut self, kind: LayerKind, visible: Visible) {
        let window = (kind == LayerKind::Sliding).then_some(self.window);
        let earlier = self.slot(kind).take();
        let mask = earlier.map_or_else(|| Mask::new(self.rows, visible.before, window), |seen| seen.mask);
        *self.slot(kind) = Some(Seen { visible, mask });
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
