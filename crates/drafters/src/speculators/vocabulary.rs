//! The draft vocabulary: a drafter may know only the target's most frequent tokens, and numbers them anew.

use decode::Token;

/// A table from the drafter's ids to the target's.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// By the drafter's id, strictly increasing.
    pub(super) ids: Vec<Token>,
    /// Whether the file held these ids themselves, and not what to add to the drafter's.
    pub(super) absolute: bool,
}

impl Table {
    /// From `d2t`, which holds what to add to each id; a file whose numbers only make sense as the ids themselves is
    /// taken at its word. `t2d`, where there is one, marks the same tokens among the target's `vocab`.
    ///
    /// # Errors
    /// Says why the numbers make no sense as either.
    pub(super) fn new(d2t: &[i64], t2d: Option<&[bool]>, vocab: usize) -> Result<Self, String> {
        let added = (0_i64..).zip(d2t).map(|(id, offset)| id.saturating_add(*offset)).collect::<Vec<_>>();
        match checked(&added, t2d, vocab) {
            Ok(ids) => Ok(Self { ids, absolute: false }),
            Err(reason) => match checked(d2t, t2d, vocab) {
                Ok(ids) => Ok(Self { ids, absolute: true }),
                Err(_) => Err(reason),
            },
        }
    }
}

/// `images` as tokens of the target, if they can be.
fn checked(images: &[i64], t2d: Option<&[bool]>, vocab: usize) -> Result<Vec<Token>, String> {
    let mut ids = Vec::with_capacity(images.len());
    for (id, &image) in images.iter().enumerate() {
        let token = Token::try_from(image).ok().filter(|&token| (token as usize) < vocab);
        let outside = || format!("d2t maps {id} to {image}, and the target's vocabulary ends at {}", vocab - 1);
        let token = token.ok_or_else(outside)?;
        if let Some(&last) = ids.last().filter(|&&last| last >= token) {
            return Err(format!(
                "d2t maps {id} to {token} and the id before to {last}, and must be strictly increasing"
            ));
        }
        ids.push(token);
    }
    let Some(t2d) = t2d else { return Ok(ids) };
    let marked = t2d.iter().filter(|&&marked| marked).count();
    if marked != ids.len() {
        return Err(format!("d2t maps {} ids and t2d marks {marked}", ids.len()));
    }
    match ids.iter().find(|&&token| !t2d[token as usize]) {
        Some(token) => Err(format!("d2t maps an id to {token}, which t2d does not mark")),
        None => Ok(ids),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(ids: &[usize], vocab: usize) -> Vec<bool> {
        (0..vocab).map(|id| ids.contains(&id)).collect()
    }

    #[track_caller]
    fn check(d2t: &[i64], t2d: Option<&[bool]>, want: Option<(&[Token], bool)>) {
        let want = want.map(|(ids, absolute)| Table { ids: ids.to_vec(), absolute });
        assert_eq!(Table::new(d2t, t2d, 6).ok(), want);
    }

    #[test]
    fn numbers_are_added_to_the_drafters_ids() {
        check(&[1, 1, 2], None, Some((&[1, 2, 4], false)));
        check(&[1, 1, 2], Some(&marks(&[1, 2, 4], 6)), Some((&[1, 2, 4], false)));
        check(&[0, 0, 0, 0, 0, 0], None, Some((&[0, 1, 2, 3, 4, 5], false)));
    }

    #[test]
    fn numbers_that_only_make_sense_as_ids_are_ids() {
        check(&[1, 2, 4], Some(&marks(&[1, 2, 4], 6)), Some((&[1, 2, 4], true)));
        check(&[0, 1, 3, 4, 5], None, Some((&[0, 1, 3, 4, 5], true)));
    }

    #[test]
    fn numbers_that_make_no_sense_are_refused() {
        check(&[1, 1, 9], None, None);
        check(&[-1, 1, 2], None, None);
        check(&[2, 0, 0], None, None);
        check(&[1, 1, 2], Some(&marks(&[1, 2, 5], 6)), None);
        check(&[1, 1, 2], Some(&marks(&[1, 2, 4, 5], 6)), None);
    }
}
