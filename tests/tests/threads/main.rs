//! Conversations as trees: what an answer reads, what a kill leaves, and what a search, an undo and another run find there.

mod app;
mod kill;
mod terminal;
