//! The library as a whole: the use cases, a real database, a Hub on loopback, other programs' folders.

mod access;
mod discovering;
mod elsewhere;
mod getting;
mod jobs;
mod keeping;
mod terminal;
mod trashing;
