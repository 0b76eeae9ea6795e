//! A machine that does not fall asleep in the middle of long work.

/// While it lives, an idle Mac does not fall asleep; its display may. Where that cannot be had, work is interrupted and
/// goes on afterwards. Other systems are for development.
#[must_use]
pub(crate) struct Awake {
    #[cfg(target_os = "macos")]
    _assertion: Option<keepawake::KeepAwake>,
}

impl Awake {
    /// With a reason for those who ask the system who keeps it awake.
    #[cfg(target_os = "macos")]
    pub(crate) fn new(reason: &str) -> Self {
        let mut wanted = keepawake::Builder::default();
        wanted.idle(true).reason(reason).app_name("Slipstream").app_reverse_domain("dev.slipstream");
        Self { _assertion: wanted.create().ok() }
    }

    /// With a reason for those who ask the system who keeps it awake.
    #[cfg(not(target_os = "macos"))]
    pub(crate) fn new(_reason: &str) -> Self {
        Self {}
    }
}
