//! Golden data of the reference implementations, on the CPU: in float32, and where they have it in bfloat16.

mod drafters;
mod gemma4;
mod reliability;
mod sampling;
