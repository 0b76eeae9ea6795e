//! Waiting for the device, and its memory.
//!
//! The host waits as rarely as possible: every wait goes through [`wait`], which counts.

use std::{cell::Cell, time::Instant};

use mlx_rs::{Array, Device, DeviceType, memory, transforms};

use crate::Result;

thread_local! {
    static WAITS: Cell<u64> = const { Cell::new(0) };
    /// When the device was given something to do that has not been waited for yet.
    static BEGUN: Cell<Option<Instant>> = const { Cell::new(None) };
    static COMPUTED: Cell<f64> = const { Cell::new(0.0) };
}

/// Lets the device begin to compute `arrays` and all they depend on, while the host goes on with what comes behind them.
///
/// # Errors
/// When MLX fails.
pub fn begin<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> Result<()> {
    BEGUN.set(BEGUN.get().or_else(|| Some(Instant::now())));
    Ok(transforms::async_eval(arrays)?)
}

/// Computes `arrays` and all they depend on, and returns when they are there. Counts as one wait.
///
/// # Errors
/// When MLX fails.
pub fn wait<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> Result<()> {
    WAITS.set(WAITS.get() + 1);
    let begun = BEGUN.take().unwrap_or_else(Instant::now);
    let done = transforms::eval(arrays);
    COMPUTED.set(COMPUTED.get() + begun.elapsed().as_secs_f64());
    Ok(done?)
}

/// How often this thread has waited since it started.
#[must_use]
pub fn waits() -> u64 {
    WAITS.get()
}

/// Seconds in which the device had something to do for this thread since it started, up to the last wait.
#[must_use]
pub fn computed() -> f64 {
    COMPUTED.get()
}

/// The most memory that MLX has held since [`reset_memory_peak`], bytes.
#[must_use]
pub fn memory_peak() -> u64 {
    memory::peak_memory().map_or(0, |bytes| bytes as u64)
}

/// The memory that MLX holds now, what it keeps for reuse included, bytes.
#[must_use]
pub fn memory_held() -> u64 {
    let [active, kept] = [memory::active_memory(), memory::cache_memory()].map(Result::unwrap_or_default);
    (active + kept) as u64
}

/// Starts a new measurement of [`memory_peak`].
pub fn reset_memory_peak() {
    // A figure to show, never to act on: failing to reset it must not fail an answer.
    let _ = memory::reset_peak_memory();
}

/// Gives the memory that MLX keeps for reuse back to the system.
pub fn release_memory() {
    let _ = memory::clear_cache();
}

/// Whether products with gathered matrices know float32 only: MLX's CPU backend has no other kernel for them.
#[must_use]
pub fn gathers_only_float32() -> bool {
    is_cpu()
}

/// Whether MLX computes on its CPU backend, which has no kernels for norms and rotations: `mlx::core::fast` composes them of
/// many small operations there, each of which costs more than what it computes for a row.
pub(crate) fn is_cpu() -> bool {
    let kind = Device::try_default().and_then(|device| device.get_type());
    matches!(kind, Ok(DeviceType::Cpu))
}
