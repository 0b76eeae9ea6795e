//! Whether counts follow a distribution.

use crate::Outcome;

/// Pearson's χ² of `counts` against `probabilities`; fails if chance alone would exceed it less than once in ten
/// thousand times. Cells that expect fewer than five are put together.
///
/// # Errors
/// Says the statistic and its bound.
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
pub fn check(what: &str, counts: &[usize], probabilities: &[f64]) -> Outcome {
    let total = counts.iter().sum::<usize>() as f64;
    let mut cells = Vec::new();
    let mut rest = (0.0, 0.0);
    for (&count, &probability) in counts.iter().zip(probabilities) {
        let (seen, expected) = (count as f64, probability * total);
        if probability == 0.0 && count > 0 {
            return Err(format!("{what}: {count} draws of something impossible").into());
        }
        if expected < 5.0 {
            rest = (rest.0 + seen, rest.1 + expected);
        } else {
            cells.push((seen, expected));
        }
    }
    cells.extend((rest.1 >= 1.0).then_some(rest));
    let statistic = cells.iter().map(|(seen, expected)| (seen - expected).powi(2) / expected).sum::<f64>();
    let bound = bound((cells.len() - 1) as f64);
    if statistic <= bound {
        Ok(())
    } else {
        Err(format!("{what}: χ² is {statistic:.1}, above {bound:.1} for {} cells", cells.len()).into())
    }
}

/// The 99.99 % point of χ² (Wilson and Hilferty's approximation).
fn bound(degrees: f64) -> f64 {
    const NORMAL: f64 = 3.719;
    let spread = 2.0 / (9.0 * degrees);
    degrees * (1.0 - spread + NORMAL * spread.sqrt()).powi(3)
}
