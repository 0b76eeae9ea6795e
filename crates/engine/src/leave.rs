//! Ending the process while the engine is at work.

/// Ends the process at once with this exit code, for when the engine's thread cannot be waited for.
///
/// An ordinary exit would run MLX's clean-up while that thread still computes with what is being cleaned up, and
/// crash. Nothing of ours needs one: the database is safe at any moment.
pub fn leave(code: i32) -> ! {
    #[expect(unsafe_code, reason = "the standard library has no exit without clean-up")]
    // SAFETY: `_exit` takes any code, touches no memory of ours, and does not return.
    unsafe {
        libc::_exit(code)
    }
}
