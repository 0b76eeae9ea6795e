//! Calibrations: what one changes of a round, how the app makes it, keeps it and puts it in force, and the same from a
//! terminal that is killed.

mod app;
mod rounds;
mod terminal;
