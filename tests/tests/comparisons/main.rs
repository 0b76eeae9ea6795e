//! Comparisons of drafters: all columns write the same, an interruption loses nothing that was measured, and the same
//! from a terminal.

mod app;
mod terminal;
