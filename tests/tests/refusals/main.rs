//! Bad files: each is refused with one sentence that names what is wrong, nothing panics, and the process goes on as if
//! nothing had been.

mod drafters;
mod gemma4;
mod lent;
mod published;

use ::gemma4::Model;
use tests::{Outcome, copy::Copy, decoding::Setup, fixtures, tensors::Tensors};

/// A copy of the dense target, in one file, to be spoilt.
fn dense() -> Outcome<Copy> {
    Copy::of("gemma4/31b-dense")
}

/// A spoilt target is refused with one sentence with all of `words` in it, and after that a good checkpoint still
/// answers.
fn check(copy: &Copy, words: &[&str]) {
    check_sentence(Model::load(copy.path(), None).err(), words);
    if let Err(error) = still_well() {
        panic!("after {words:?} a good checkpoint does not answer: {error}");
    }
}

/// A good checkpoint gives the reference's first tokens.
fn still_well() -> Outcome {
    const TOKENS: usize = 4;
    let folder = fixtures::path("gemma4/31b-dense");
    let golden = Tensors::read(&folder.join("golden.safetensors"))?;
    let made = Setup::greedy(&folder, TOKENS)?.plain(&golden.ids("input_ids")?)?;
    assert_eq!(made.ids, golden.ids("greedy_ids")?[..TOKENS]);
    Ok(())
}

/// The error is one sentence with all of `words` in it.
fn check_sentence(error: Option<impl std::fmt::Display>, words: &[&str]) {
    let sentence = error.map_or_else(|| "it was accepted".to_owned(), |error| error.to_string());
    for word in words {
        assert!(sentence.contains(word), "{word:?} is not in: {sentence}");
    }
    assert!(!sentence.contains('\n'), "more than one line: {sentence}");
}
