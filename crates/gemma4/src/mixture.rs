//! The mixture of experts that some members run beside the dense feed-forward part of every layer.

use mlx_rs::{
    Array, Dtype,
    ops::{self, indexing::TryIndexOp},
};
use nn::{Experts, Linear, Norm, Weights, gelu, scalar};

use crate::{Config, Result, config::Mixture as Sizes, norm::norm, pass::Pass};

/// Pairs of a row and an expert from which on they are sorted by expert, so that a matrix is read once for all its
/// rows; fewer are not worth the sorting.
const SORTED: i32 = 64;

/// Router and experts of one layer, each behind a norm of its own.
#[derive(Debug)]
pub(crate) struct Mixture {
    router: Router,
    before: Norm,
    gate: Experts,
    up: Experts,
    down: Experts,
    after: Norm,
}

/// Where the rows of a pass go in one layer with experts, `[1, L, k]` both.
#[derive(Debug, Clone)]
pub struct Route {
    /// The numbers of each row's experts, in no particular order.
    pub experts: Array,
    /// What each of them counts. The weights are a softmax over the chosen ones alone times the experts' own scales, so
    /// they need not sum to 1.
    pub weights: Array,
}

/// Chooses the experts of a row.
#[derive(Debug)]
struct Router {
    chosen: i32,
    /// Carries the router's scale and 1/√H.
    norm: Norm,
    projection: Linear,
    expert_scale: Array,
}

impl Mixture {
    pub(crate) fn new(config: &Config, sizes: Sizes, weights: &Weights, layer: &str) -> Result<Self> {
        let experts = |part: &str| Experts::new(weights.matrix(&format!("{layer}.experts.{part}_proj")));
        Ok(Self {
            router: Router::new(config, sizes, weights, &format!("{layer}.router"))?,
            before: norm(config, weights, &format!("{layer}.pre_feedforward_layernorm_2"))?,
            gate: experts("gate")?,
            up: experts("up")?,
            down: experts("down")?,
            after: norm(config, weights, &format!("{layer}.post_feedforward_layernorm_2"))?,
        })
    }

    /// From the stream, not normed, `[1, L, H]` to `[1, L, H]`: `Σ_j w_j · down_j(gelu(gate_j(y)) ⊙ up_j(y))` over the
    /// chosen experts `j`.
    pub(crate) fn forward(&self, x: &Array, pass: &mut Pass<'_>) -> Result<Array> {
        let route = self.router.choose(x)?;
        let (chosen, hidden) = (self.router.chosen, x.dim(2));
        let rows = self.before.forward(x)?.reshape(&[-1, 1, hidden])?;
        // From here on a row for each pair, by row and then by expert.
        let rows = ops::repeat_axis::<f32>(rows, chosen, 0)?;
        let experts = route.experts.reshape(&[-1])?;
        let rows = if experts.dim(0) < SORTED {
            self.feed(&rows, &experts, false)?
        } else {
            let order = ops::argsort(&experts)?;
            let rows = self.feed(&rows.take_axis(&order, 0)?, &experts.take_axis(&order, 0)?, true)?;
            rows.take_axis(ops::argsort(order)?, 0)?
        };
        let rows = rows.reshape(&[1, -1, chosen, hidden])?.multiply(route.weights.expand_dims(-1)?)?;
        pass.routes.push(route);
        Ok(self.after.forward(&rows.sum_axis(2, false)?)?)
    }

    /// Row `j` of `[n, 1, H]` through expert `experts[j]`.
    fn feed(&self, rows: &Array, experts: &Array, sorted: bool) -> Result<Array> {
        let gate = gelu(&self.gate.forward(rows, experts, sorted)?)?;
        let gated = gate.multiply(self.up.forward(rows, experts, sorted)?)?;
        Ok(self.down.forward(&gated, experts, sorted)?)
    }
}

impl Router {
    #[expect(clippy::cast_precision_loss, reason = "a width is small")]
    fn new(config: &Config, sizes: Sizes, weights: &Weights, name: &str) -> Result<Self> {
        let scale = weights.tensor(&format!("{name}.scale"));
        let root = scalar((config.hidden_size as f32).powf(-0.5), scale.dtype())?;
        Ok(Self {
            chosen: sizes.chosen,
            norm: Norm::new(scale.multiply(root)?, config.eps),
            projection: Linear::new(weights.matrix(&format!("{name}.proj"))),
            expert_scale: weights.tensor(&format!("{name}.per_expert_scale")),
        })
    }

    /// For rows `[1, L, H]` of the stream; the softmax is computed in float32.
    fn choose(&self, x: &Array) -> Result<Route> {
        let scores = self.projection.forward(&self.norm.forward(x)?)?;
        let best = ops::argpartition_axis(scores.negative()?, self.chosen - 1, -1)?;
        let experts = best.try_index((.., .., ..self.chosen))?;
        let scores = ops::indexing::take_along_axis(scores, &experts, -1)?.as_dtype(Dtype::Float32)?;
        let weights = ops::softmax_axis(scores, -1, None)?.as_dtype(x.dtype())?;
        let scales = self.expert_scale.take_axis(&experts, 0)?;
        Ok(Route { weights: weights.multiply(scales)?, experts })
    }
}
