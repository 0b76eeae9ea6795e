//! Whether and how drafts are made, and what became of it.

use app::{Bound as Ended, Course as Was, Scheduling, Turn};
use serde::{Deserialize, Serialize};
use specta::Type;

/// How long drafts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Schedule {
    /// As γ and minConf say; where neither says anything, as long as is worth the time, and not at all while it loses.
    Auto,
    /// Always γ tokens.
    Fixed,
    /// γ tokens, or fewer where a confidence lies below its threshold; the first is always verified.
    Thresholds,
    /// γ tokens, or fewer, down to none, where a confidence lies below minConf.
    Gate,
    /// Up to γ tokens, by how many of the last drafts stood.
    Adaptive,
}

impl From<Scheduling> for Schedule {
    fn from(scheduling: Scheduling) -> Self {
        match scheduling {
            Scheduling::Auto => Self::Auto,
            Scheduling::Fixed => Self::Fixed,
            Scheduling::Thresholds => Self::Thresholds,
            Scheduling::Gate => Self::Gate,
            Scheduling::Adaptive => Self::Adaptive,
        }
    }
}

impl From<Schedule> for Scheduling {
    fn from(schedule: Schedule) -> Self {
        match schedule {
            Schedule::Auto => Self::Auto,
            Schedule::Fixed => Self::Fixed,
            Schedule::Thresholds => Self::Thresholds,
            Schedule::Gate => Self::Gate,
            Schedule::Adaptive => Self::Adaptive,
        }
    }
}

/// Whether drafts are made.
#[derive(Serialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum Speculation {
    /// They are.
    On {
        /// The most tokens a round (γ).
        limit: usize,
        /// What settles how long each is, once everything that the user left open is settled.
        schedule: Schedule,
        /// Whether a calibration scales the drafter's confidences.
        calibrated: bool,
    },
    /// Plain decoding.
    Off {
        /// Why.
        reason: String,
    },
}

impl From<app::Speculation> for Speculation {
    fn from(speculation: app::Speculation) -> Self {
        match speculation {
            app::Speculation::On { limit, schedule, calibrated } => {
                Self::On { limit, schedule: schedule.into(), calibrated }
            }
            app::Speculation::Off { reason } => Self::Off { reason },
        }
    }
}

/// Why a round drafted, or did not.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Course {
    /// A draft was made, or there is no drafter to make one.
    Drafting,
    /// A plain step, to compare drafting with.
    Comparing,
    /// A plain step, because drafting lost.
    Parked,
}

impl From<Was> for Course {
    fn from(course: Was) -> Self {
        match course {
            Was::Drafting => Self::Drafting,
            Was::Comparing => Self::Comparing,
            Was::Parked => Self::Parked,
        }
    }
}

/// What drafting was worth when it was judged.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Standing {
    /// Tokens a round (τ) while drafts were made.
    tokens_per_round: f64,
    round_seconds: f64,
    plain_seconds: f64,
}

impl From<Turn> for Standing {
    fn from(turn: Turn) -> Self {
        let (Turn::Parked { standing, .. } | Turn::Resumed { standing }) = turn;
        let app::Standing { tokens_per_round, round_s, plain_s, .. } = standing;
        Self { tokens_per_round, round_seconds: round_s, plain_seconds: plain_s }
    }
}

/// Why a round sent no more drafted tokens to the target.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Bound {
    /// γ.
    Limit,
    /// The drafter had no more to propose.
    Drafter,
    /// So many may still be written.
    Budget,
    /// A confidence lay below its threshold.
    Threshold,
    /// Too few tokens of the last rounds stood.
    Acceptance,
    /// One more would have cost more time than it was likely to save.
    Cost,
}

impl From<Ended> for Bound {
    fn from(bound: Ended) -> Self {
        match bound {
            Ended::Limit => Self::Limit,
            Ended::Drafter => Self::Drafter,
            Ended::Budget => Self::Budget,
            Ended::Threshold => Self::Threshold,
            Ended::Acceptance => Self::Acceptance,
            Ended::Cost => Self::Cost,
        }
    }
}
