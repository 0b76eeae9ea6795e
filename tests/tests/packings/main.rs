//! Packed models.

mod gemma4;
