//! Which rows of a block predict a token: the library has trained both layouts, and a drafter that is read with the
//! wrong one is off by one everywhere.

use crate::{Error, Result, block::Slots, config::Entry, dflash::sizes, kind::Algorithm};

/// What says whether the anchor's own row predicts.
const KEY: &str = "sample_from_anchor";

/// The rows of a block, of which the file has `promised` so many tokens.
///
/// # Errors
/// When the layout is one that the algorithm does not have, or nothing says which it is.
pub(super) fn read(top: &Entry<'_>, algorithm: Algorithm, promised: Option<usize>) -> Result<Slots> {
    let rows = sizes::rows(top, top.require("block_size")?, 1)?;
    let said = top.get(KEY)?;
    let Some(from_anchor) = from_anchor(algorithm, rows, promised, said) else {
        return Err(match said {
            Some(said) => top.unsupported(KEY, &said, "false (for dflash2)"),
            None => unsaid(top, rows, promised),
        });
    };
    sizes::rows(top, rows, if from_anchor { 1 } else { 2 })?;
    // Whether a block may be narrowed depends on its layers.
    Ok(Slots { rows, first: usize::from(!from_anchor), narrow: false })
}

/// Whether the anchor's own row predicts, if that can be told. Producers disagree on what goes without saying.
fn from_anchor(algorithm: Algorithm, rows: usize, promised: Option<usize>, said: Option<bool>) -> Option<bool> {
    match (algorithm, said) {
        (Algorithm::DFlash2, Some(true)) => None,
        (_, Some(said)) => Some(said),
        (Algorithm::DFlash | Algorithm::DFlash2, None) => Some(false),
        (Algorithm::DSpark, None) => match promised? {
            promised if promised == rows => Some(true),
            promised if promised + 1 == rows => Some(false),
            _ => None,
        },
    }
}

fn unsaid(top: &Entry<'_>, rows: usize, promised: Option<usize>) -> Error {
    let promised = promised.map_or_else(|| "missing too".to_owned(), |promised| promised.to_string());
    let but_one = rows.saturating_sub(1);
    let reason =
        format!("is missing; speculative_tokens is {promised}, and of {rows} rows only {rows} or {but_one} go");
    top.malformed(KEY, &reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of `rows` predict a token.
    #[track_caller]
    fn check(algorithm: Algorithm, rows: usize, promised: usize, said: Option<bool>, limit: Option<usize>) {
        let from_anchor = from_anchor(algorithm, rows, Some(promised), said);
        assert_eq!(from_anchor.map(|from_anchor| rows - usize::from(!from_anchor)), limit);
    }

    #[test]
    fn the_layout_follows_from_the_key_and_without_it_from_the_promised_tokens() {
        check(Algorithm::DSpark, 7, 6, None, Some(6));
        check(Algorithm::DSpark, 5, 5, None, Some(5));
        check(Algorithm::DSpark, 8, 7, Some(false), Some(7));
        check(Algorithm::DSpark, 8, 5, None, None);
        check(Algorithm::DFlash, 8, 8, Some(false), Some(7));
        check(Algorithm::DFlash, 8, 7, None, Some(7));
        check(Algorithm::DFlash2, 8, 7, Some(true), None);
    }

    #[test]
    fn a_file_that_promises_nothing_says_nothing_of_the_layout() {
        assert_eq!(from_anchor(Algorithm::DSpark, 8, None, None), None);
        assert_eq!(from_anchor(Algorithm::DSpark, 8, None, Some(true)), Some(true));
    }
}
