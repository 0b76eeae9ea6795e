//! The Hub against a real server on loopback that does everything wrong that servers do.

mod adopting;
mod bench;
mod cleaning;
mod fetching;
mod keeping;
mod listing;
mod names;
mod plan;
mod resuming;
mod stopping;
mod token;
mod wrong;
