//! What the whole-system tests share: golden data, tiny models, fakes, and a way to compare.
//!
//! Golden data lies in `fixtures/`, made by the reference implementations. Every folder there is discovered;
//! `SLIPSTREAM_FIXTURES` names one more root with the same subfolders.

pub mod asking;
pub mod batch;
pub mod bench;
pub mod checkpoint;
pub mod chi_square;
pub mod clocked;
pub mod copy;
pub mod corrected;
pub mod decoding;
pub mod definition;
pub mod fixtures;
pub mod fluent;
pub mod hollow;
pub mod hub;
pub mod kinds;
pub mod lender;
pub mod library;
pub mod microscaling;
pub mod oracle;
pub mod pair;
pub mod program;
pub mod quantise;
pub mod random;
pub mod scaled;
pub mod schedules;
pub mod sized;
pub mod talk;
pub mod tensors;
pub mod tiny;
pub mod tokenizer;
pub mod weights;

/// A test's result: any error fails it with its sentence.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;
