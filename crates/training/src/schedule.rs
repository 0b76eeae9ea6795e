//! The learning rate of a step.

use crate::Settings;

/// The learning rate of step `step`, counted from 0: a linear warm-up, and a cosine down to a part of the peak.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "steps are counted in thousands")]
pub fn learning_rate(settings: &Settings, step: usize) -> f32 {
    let Settings { learning_rate: peak, least_rate, warm_up, steps, .. } = *settings;
    if step < warm_up {
        return peak * (step + 1) as f32 / warm_up as f32;
    }
    let least = peak * least_rate;
    let done = (step - warm_up) as f32 / steps.saturating_sub(warm_up).max(1) as f32;
    least + 0.5 * (peak - least) * (1.0 + (std::f32::consts::PI * done.min(1.0)).cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(step: usize, wanted: f32) {
        let settings = Settings { steps: 110, warm_up: 10, learning_rate: 1.0, least_rate: 0.1, ..Settings::default() };
        let found = learning_rate(&settings, step);
        assert!((found - wanted).abs() < 1e-5, "step {step}: {found}, not {wanted}");
    }

    #[test]
    fn it_rises_in_a_line_and_falls_in_a_cosine_to_a_part_of_the_peak() {
        check(0, 0.1);
        check(9, 1.0);
        check(10, 1.0);
        check(60, 0.55);
        check(110, 0.1);
        check(1000, 0.1);
    }
}
