//! Keeps message bodies from forging control tokens.
//!
//! While the template runs, every character of a body that could begin a control token is replaced
//! by a private character of its own, one for one, so that trimming, slicing and gluing in the
//! template work as ever and nothing in a body looks like a marker. Afterwards the characters come
//! back, and the text is cut behind each one that now does begin a marker. Encoded piece by piece,
//! `<turn|>` typed by a person is `<` followed by `turn|>`: plain text, wherever its parts came
//! from. A text without markers is never cut, so its ids are those of plain rendering.

use std::collections::{BTreeMap, BTreeSet, HashSet};

pub(crate) struct Mask<'a> {
    markers: HashSet<&'a str>,
    /// What stands in for each first character of a marker. `None` drops the character: it is a
    /// marker all by itself, or a body has used up every private character there is.
    stand_ins: BTreeMap<char, Option<char>>,
}

impl<'a> Mask<'a> {
    /// A mask against `markers` whose private characters occur nowhere in `texts`.
    pub(crate) fn new<'t>(markers: impl Iterator<Item = &'a str>, texts: impl Iterator<Item = &'t str>) -> Self {
        let markers: HashSet<&str> = markers.collect();
        let taken: HashSet<char> = texts.flat_map(str::chars).collect();
        let mut free = ('\u{F0000}'..=char::MAX).filter(|private| !taken.contains(private));
        let letters: BTreeSet<char> = markers.iter().filter_map(|m| m.chars().next()).collect();
        let stand_ins = letters.into_iter().map(|letter| {
            let whole = markers.contains(letter.encode_utf8(&mut [0; 4]) as &str);
            (letter, if whole { None } else { free.next() })
        });
        Self { stand_ins: stand_ins.collect(), markers }
    }

    /// The body as the template may see it.
    pub(crate) fn cover(&self, body: &str) -> String {
        let stand_in = |c: char| self.stand_ins.get(&c).copied().unwrap_or(Some(c));
        body.chars().filter_map(stand_in).collect()
    }

    /// The rendered text as the model is to read it, in the pieces to be encoded one by one.
    pub(crate) fn lift(&self, rendered: &str) -> Vec<String> {
        let letters: BTreeMap<char, char> =
            self.stand_ins.iter().filter_map(|(&letter, &c)| Some((c?, letter))).collect();
        let mut text = String::with_capacity(rendered.len());
        let mut from_bodies = Vec::new();
        for c in rendered.chars() {
            let letter = letters.get(&c);
            text.push(*letter.unwrap_or(&c));
            if letter.is_some() {
                from_bodies.push(text.len());
            }
        }
        let lengths: BTreeSet<usize> = self.markers.iter().map(|marker| marker.len()).collect();
        let begins_marker = |start: usize| {
            let candidates = lengths.iter().filter_map(|length| text.get(start..start + length));
            candidates.into_iter().any(|candidate| self.markers.contains(candidate))
        };
        let mut pieces = Vec::new();
        let mut piece_start = 0;
        for end in from_bodies {
            if text[..end].char_indices().next_back().is_some_and(|(start, _)| begins_marker(start)) {
                pieces.push(text[piece_start..end].to_owned());
                piece_start = end;
            }
        }
        pieces.push(text[piece_start..].to_owned());
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_body_keeps_a_marker_in_one_piece() {
        let alphabet = ['<', '>', 'x', '\u{1}', '\u{F0000}'];
        for number in 0..alphabet.len().pow(6) {
            let digits = (0..6).map(|place| number / alphabet.len().pow(place) % alphabet.len());
            let body: String = digits.map(|digit| alphabet[digit]).collect();
            let markers = ["<x", "<x>", "<<", "\u{1}"];
            let mask = Mask::new(markers.into_iter(), [body.as_str()].into_iter());
            let pieces = mask.lift(&mask.cover(&body));
            assert_eq!(pieces.concat(), body.replace('\u{1}', ""));
            assert!(!pieces.iter().any(|piece| markers.iter().any(|marker| piece.contains(marker))), "{body:?}");
        }
    }

    #[test]
    fn the_templates_own_markers_stay_whole() {
        let mask = Mask::new(["<x>"].into_iter(), ["a<x>"].into_iter());
        let rendered = format!("<x>{}<x>", mask.cover("a<x>"));
        assert_eq!(mask.lift(&rendered), ["<x>a<", "x><x>"]);
    }
}
