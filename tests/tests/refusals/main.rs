//! Bad files: each is refused with one sentence that names what is wrong, nothing panics, and the process goes on as if
//! nothing had been.

mod configuration;
mod copy;
mod drafters;
mod experts;
mod files;
mod lent;
mod packings;
mod published;
mod tensors;

/// The error is one sentence with all of `words` in it.
fn check_sentence(error: Option<impl std::fmt::Display>, words: &[&str]) {
    let sentence = error.map_or_else(|| "it was accepted".to_owned(), |error| error.to_string());
    for word in words {
        assert!(sentence.contains(word), "{word:?} is not in: {sentence}");
    }
    assert!(!sentence.contains('\n'), "more than one line: {sentence}");
}
