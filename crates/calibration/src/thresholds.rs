//! Thresholds by position, as mlx-bun's `fitStsThresholds` fits them (`drafters.md` F.1).

use crate::Sample;

/// The share of kept tokens that should stand, if nobody says otherwise.
pub const PRECISION: f64 = 0.5;

/// Samples without which a position is not cut.
pub const ENOUGH_SAMPLES: usize = 50;

/// For each of `limit` positions the least confidence from which on a share of at least `precision` of the samples stood,
/// one of either kind added; 1 if there is none, so that nothing is kept. The first position is always kept (0), and so
/// is one with fewer than `enough` samples. The order of the samples changes nothing.
#[must_use]
pub fn thresholds(samples: &[Sample], limit: usize, precision: f64, enough: usize) -> Vec<f32> {
    let mut positions = vec![Vec::new(); limit];
    for sample in samples.iter().filter(|sample| sample.confidence.is_finite()) {
        if let Some(position) = positions.get_mut(sample.position) {
            position.push((sample.confidence, sample.accepted));
        }
    }
    let fitted = positions.iter_mut().enumerate().map(|(position, samples)| {
        let thin = position == 0 || samples.len() < enough;
        if thin { 0.0 } else { least(samples, precision).unwrap_or(1.0) }
    });
    fitted.collect()
}

/// From the surest sample down, those of one confidence at a time.
fn least(samples: &mut [(f32, bool)], precision: f64) -> Option<f32> {
    samples.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let (mut total, mut accepted, mut least) = (0.0, 0.0, None);
    for equal in samples.chunk_by(|(one, _), (other, _)| one.total_cmp(other).is_eq()) {
        for &(_, stood) in equal {
            total += 1.0;
            accepted += f64::from(u8::from(stood));
        }
        if (accepted + 1.0) / (total + 2.0) >= precision {
            least = Some(equal[0].0);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(position: usize, confidence: f32, accepted: bool) -> Sample {
        Sample { position, confidence, accepted }
    }

    /// The first vector of F.1: tokens stand where the confidence is above 0.6, but for the last position.
    fn vector() -> Vec<Sample> {
        let counts = [200, 200, 200, 10, 200_u16];
        let position = |(position, count): (usize, u16)| {
            (0..count).map(move |number| {
                let confidence = (f32::from(number) + 0.5) / f32::from(count);
                sample(position, confidence, position < 4 && confidence > 0.6)
            })
        };
        counts.into_iter().enumerate().flat_map(position).collect()
    }

    #[test]
    fn the_vectors_of_the_reference_hold() {
        let fitted = thresholds(&vector(), 5, 0.9, ENOUGH_SAMPLES);
        assert!(fitted[1..3].iter().all(|threshold| (0.5..0.65).contains(threshold)), "{fitted:?}");
        assert_eq!((fitted[0], fitted[3], fitted[4]), (0.0, 0.0, 1.0));

        assert_eq!(thresholds(&[], 5, 0.9, ENOUGH_SAMPLES), [0.0; 5]);
        assert_eq!(thresholds(&[sample(1, f32::NAN, true); 60], 5, 0.9, ENOUGH_SAMPLES), [0.0; 5]);
        let two = [[sample(1, 0.5, false); 60], [sample(1, 0.6, true); 60]].concat();
        assert_eq!(thresholds(&two, 5, 0.9, ENOUGH_SAMPLES), [0.0, 0.6, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn the_order_of_the_samples_changes_nothing() {
        let (samples, mut shuffled) = (vector(), vector());
        shuffled.reverse();
        shuffled.rotate_left(123);
        assert_eq!(thresholds(&shuffled, 5, 0.9, 50), thresholds(&samples, 5, 0.9, 50));
    }

    #[test]
    fn a_position_beyond_the_limit_counts_for_nothing() {
        assert_eq!(thresholds(&[sample(7, 0.5, false); 60], 2, 0.5, 50), [0.0, 0.0]);
    }
}
