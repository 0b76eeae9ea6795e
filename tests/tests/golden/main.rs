//! Golden data of the reference implementations, on the CPU in float32.

mod drafters;
mod gemma4;
