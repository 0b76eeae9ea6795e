//! What is known of a file on its way, so that it can go on after the process was killed.
//!
//! The layout, little-endian: a magic number (8 bytes), the file's size (8), the size of a piece (4), two validators of
//! 254 bytes with their length (2) before each; at 1024, for each piece, how many of its bytes have arrived (4).
//! Records are written in place after the bytes they count. Only a loss of power can bring the two out of order: then
//! the final hash tells, and that file starts again.

use std::{
    fs::{File, OpenOptions},
    io::Read,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use crate::{Result, blobs};

const MAGIC: [u8; 8] = *b"slipjnl1";

/// Where the records begin.
const RECORDS: u64 = 1024;

/// Where the validators stand.
const VALIDATORS: [usize; 2] = [20, 276];

/// The longest validator that is kept.
const LONGEST: usize = 254;

/// The largest piece, bytes: what fits a record.
const LARGEST_PIECE: u32 = 1 << 30;

/// The most pieces; a file with more is refused.
const MOST_PIECES: u64 = 1 << 20;

/// What says that a file is still the same on the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Validator {
    /// The content's name at the Hub.
    Hub,
    /// The content's name at the server that sends it.
    Server,
}

/// The journal of one file.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

/// What a journal says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    /// The size of a piece, bytes; the last may be shorter.
    pub(crate) piece: u32,
    /// How many bytes of each piece have arrived, from its beginning.
    pub(crate) arrived: Vec<u32>,
    /// What the Hub and the server called the content.
    pub(crate) validators: [Option<String>; 2],
    /// How often this process began anew; not in the journal.
    pub(crate) attempt: u32,
}

impl State {
    /// Nothing has arrived of a file of `size` bytes. `None` if it has too many pieces.
    pub(crate) fn empty(size: u64, piece: u32) -> Option<Self> {
        let piece = piece.clamp(1, LARGEST_PIECE);
        let pieces = size.div_ceil(u64::from(piece));
        let pieces = usize::try_from(pieces).ok().filter(|_| pieces <= MOST_PIECES)?;
        Some(Self { piece, arrived: vec![0; pieces], validators: [None, None], attempt: 0 })
    }

    /// How many bytes have arrived.
    pub(crate) fn done(&self) -> u64 {
        self.arrived.iter().copied().map(u64::from).sum()
    }

    /// How many bytes of a file of `size` follow each other from `offset` on, of which at most `most` are looked for; all
    /// before it are there.
    pub(crate) fn ready(&self, size: u64, offset: u64, most: usize) -> usize {
        let (piece, end) = (u64::from(self.piece), size.min(offset.saturating_add(most as u64)));
        let mut at = offset;
        while at < end {
            let index = at / piece;
            let arrived = usize::try_from(index).ok().and_then(|index| self.arrived.get(index));
            let before = at;
            at = index * piece + arrived.copied().map_or(0, u64::from);
            if at <= before || at < end.min((index + 1) * piece) {
                break;
            }
        }
        usize::try_from(at.min(end).saturating_sub(offset)).unwrap_or(most)
    }

    /// The state of the file at `path`, if it is the journal of a file of `size` bytes.
    pub(crate) fn read(path: &Path, size: u64) -> Option<Self> {
        let mut file = blobs::open(OpenOptions::new().read(true), path).ok()?;
        let mut head = [0; 1024];
        file.read_exact(&mut head).ok()?;
        let number = |at: usize| Some(u64::from_le_bytes(head[at..at + 8].try_into().ok()?));
        if head[..8] != MAGIC || number(8)? != size {
            return None;
        }
        let piece = u32::from_le_bytes(head[16..20].try_into().ok()?);
        let mut state = Self::empty(size, piece).filter(|state| state.piece == piece)?;
        let mut records = vec![0; state.arrived.len() * 4];
        file.read_exact(&mut records).ok()?;
        for (index, record) in records.chunks_exact(4).enumerate() {
            state.arrived[index] = u32::from_le_bytes(record.try_into().ok()?);
            if u64::from(state.arrived[index]) > length(size, piece, index) {
                return None;
            }
        }
        for (validator, at) in state.validators.iter_mut().zip(VALIDATORS) {
            let length = usize::from(u16::from_le_bytes([head[at], head[at + 1]])).min(LONGEST);
            let text = std::str::from_utf8(&head[at + 2..at + 2 + length]).ok()?;
            *validator = Some(text.to_owned()).filter(|text| !text.is_empty());
        }
        Some(state)
    }
}

/// The length of the piece at `index`.
pub(crate) fn length(size: u64, piece: u32, index: usize) -> u64 {
    let before = (index as u64).saturating_mul(u64::from(piece));
    size.saturating_sub(before).min(u64::from(piece))
}

impl Journal {
    /// Begins a journal at `path` for a file of `size` bytes in pieces of `piece`, of which nothing has arrived.
    pub(crate) fn create(path: &Path, size: u64, state: &State) -> Result<Self> {
        let file = blobs::open(OpenOptions::new().write(true).create(true).truncate(true), path)?;
        let journal = Self { path: path.to_owned(), file };
        let mut bytes = vec![0; 1024 + state.arrived.len() * 4];
        bytes[8..16].copy_from_slice(&size.to_le_bytes());
        bytes[16..20].copy_from_slice(&state.piece.to_le_bytes());
        journal.put(0, &bytes)?;
        // Last, so that what was interrupted before is no journal.
        journal.put(0, &MAGIC)?;
        Ok(journal)
    }

    /// Goes on with the journal at `path`.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = blobs::open(OpenOptions::new().write(true), path)?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Remembers a validator.
    pub(crate) fn validator(&self, which: Validator, text: &str) -> Result<()> {
        let text = if text.len() <= LONGEST { text.as_bytes() } else { &[] };
        let mut slot = u16::try_from(text.len()).unwrap_or_default().to_le_bytes().to_vec();
        slot.extend_from_slice(text);
        self.put(VALIDATORS[which as usize] as u64, &slot)
    }

    /// Remembers how much of a piece has arrived.
    pub(crate) fn arrived(&self, index: usize, bytes: u32) -> Result<()> {
        self.put(RECORDS + index as u64 * 4, &bytes.to_le_bytes())
    }

    fn put(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.file.write_all_at(bytes, offset).map_err(blobs::at(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_is_counted_to_the_first_gap_and_no_further_than_asked() {
        let mut state = State { piece: 10, arrived: vec![10, 10, 4, 10, 3], validators: [None, None], attempt: 0 };
        for offset in 0..=43 {
            let ready = state.ready(43, offset, 7);
            let gap = if offset < 24 { 24 } else { offset };
            let is_after = offset >= 30;
            let wanted = if is_after { 43 - offset } else { gap - offset }.min(7);
            assert_eq!(ready as u64, wanted, "from {offset} on");
        }
        state.arrived[2] = 10;
        assert_eq!((state.ready(43, 5, 100), state.ready(43, 43, 100), state.ready(43, 99, 1)), (38, 0, 0));
    }
}
