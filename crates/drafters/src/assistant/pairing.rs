//! Whether a target's keys and values are those that an assistant was made to read.

use nn::{Donor, LayerKind};

use super::Config;
use crate::{Error, Result};

/// Compares what layers of `kind` want with what the target has, if it has any.
///
/// # Errors
/// Names the first thing that differs, and both values.
pub(super) fn check(config: &Config, kind: LayerKind, donor: Option<Donor>) -> Result<()> {
    let name = match kind {
        LayerKind::Sliding => "sliding",
        LayerKind::Full => "full",
    };
    let wanted = config.wants(kind);
    let Some(donor) = donor else { return Err(Error::NoDonor { kind: name }) };
    let same = |what: &str, drafter: f64, target: f64| {
        let apart = (drafter - target).abs() > 1e-6 * drafter.abs();
        if apart { Err(Error::Donor { what: format!("{what} of {name} layers"), drafter, target }) } else { Ok(()) }
    };
    same("head size", wanted.head_dim.into(), donor.head_dim.into())?;
    same("number of key/value heads", wanted.groups.into(), donor.groups.into())?;
    same("window", rows(wanted), rows(donor))?;
    same("rotary base", wanted.rope_base.into(), donor.rope_base.into())?;
    same("rotating part", wanted.rope_partial.into(), donor.rope_partial.into())?;
    same("rotary factor", wanted.rope_factor.into(), donor.rope_factor.into())
}

#[expect(clippy::cast_precision_loss, reason = "a window is far below 2⁵²")]
fn rows(donor: Donor) -> f64 {
    donor.window.map_or(f64::INFINITY, |window| window as f64)
}
