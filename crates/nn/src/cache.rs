//! Keys and values of the rows seen so far, with rounds that can be undone exactly.
//!
//! A pass [`append`](Cache::append)s its rows; they stay undecided until [`commit`](Cache::commit) keeps the first few
//! and drops the others. Nothing that the undo might need is overwritten before: a sliding cache forgets rows that
//! left its window only when the *next* pass begins. A ring buffer, which overwrites as it writes, could not undo.
//!
//! Further back than the last pass a cache goes by [`rewind`](Cache::rewind), as long as it holds every row that is
//! visible from there, or else to a [`Snapshot`] of those rows.

use mlx_rs::{
    Array, ops,
    ops::indexing::{TryIndexMutOp, TryIndexOp},
};

use crate::{Error, Result};

/// Rows are allotted in steps, so that a token rarely moves the buffer.
const STEP: usize = 256;

/// The most rows that are allotted ahead.
const MOST_AHEAD: usize = 4096;

/// The keys and values of one layer, `[1, groups, rows, D]` each.
#[derive(Debug)]
pub struct Cache {
    window: Option<usize>,
    buffer: Option<Buffer>,
    /// Rows committed since the beginning, those forgotten included.
    committed: usize,
    /// Rows of the last pass, undecided.
    pending: usize,
}

/// Rows `start..end` of the two arrays are in use; they lie in the order of their positions.
#[derive(Debug)]
struct Buffer {
    keys: Array,
    values: Array,
    start: usize,
    end: usize,
}

/// What a cache held at a position, in memory of its own. A cache that keeps every row needs no copy of them.
#[derive(Debug)]
pub struct Snapshot {
    position: usize,
    /// The rows that are visible from there, `[1, groups, rows, D]` each, if they would be forgotten.
    rows: Option<(Array, Array)>,
}

/// What the rows of a pass may look at.
#[derive(Debug)]
pub struct Visible {
    /// Keys of the older rows and then of the new ones, `[1, groups, S, D]`.
    pub keys: Array,
    /// Values, likewise.
    pub values: Array,
    /// How many older rows there are.
    pub before: usize,
}

impl Cache {
    /// A cache that keeps every row.
    #[must_use]
    pub fn full() -> Self {
        Self { window: None, buffer: None, committed: 0, pending: 0 }
    }

    /// A cache of a layer whose rows see the newest `window` rows, themselves included.
    #[must_use]
    pub fn sliding(window: usize) -> Self {
        Self { window: Some(window), ..Self::full() }
    }

    /// The position of the next row: how many rows are committed.
    #[must_use]
    pub fn position(&self) -> usize {
        self.committed
    }

    /// The first position that [`Cache::rewind`] can go back to: everything visible from there is still stored.
    #[must_use]
    pub fn floor(&self) -> usize {
        match (self.window, self.committed - (self.stored() - self.pending)) {
            (_, 0) => 0,
            (Some(window), forgotten) => forgotten + window - 1,
            (None, _) => self.committed,
        }
    }

    /// How many rows are allotted for `rows` that are in use at once: up to a quarter more, within bounds, so that a long
    /// prompt, which comes in pieces, does not move the buffer with each of them.
    #[must_use]
    pub fn allotted(rows: usize) -> usize {
        (rows + 1).next_multiple_of(STEP) + (rows / 4).min(MOST_AHEAD) / STEP * STEP
    }

    /// How many committed rows a pass that starts now may look at.
    fn visible_before(&self) -> usize {
        self.window.map_or(self.stored(), |window| self.stored().min(window - 1))
    }

    fn stored(&self) -> usize {
        self.buffer.as_ref().map_or(0, |buffer| buffer.end - buffer.start)
    }

    /// Writes the rows of a pass, undecided. Keys and values are `[1, groups, L, D]`.
    ///
    /// # Errors
    /// When the last pass is still undecided (nothing is written then), or MLX fails (the cache is unusable then).
    pub fn append(&mut self, keys: &Array, values: &Array) -> Result<Visible> {
        self.check_decided()?;
        let before = self.visible_before();
        let rows = rows_of(keys);
        let buffer = match self.buffer.take() {
            Some(buffer) => buffer.extended(before, keys, values)?,
            None => Buffer::new(keys, values)?,
        };
        let visible = Visible { keys: buffer.view(&buffer.keys)?, values: buffer.view(&buffer.values)?, before };
        self.buffer = Some(buffer);
        self.pending = rows;
        Ok(visible)
    }

    /// Keeps the first `rows` rows of the last pass and drops the others.
    ///
    /// # Errors
    /// When the pass had fewer rows.
    pub fn commit(&mut self, rows: usize) -> Result<()> {
        let dropped = self.pending.checked_sub(rows).ok_or(Error::Commit { rows, pending: self.pending })?;
        if let Some(buffer) = &mut self.buffer {
            buffer.end -= dropped;
        }
        self.committed += rows;
        self.pending = 0;
        Ok(())
    }

    /// Drops every committed row from `position` on.
    ///
    /// # Errors
    /// When the last pass is undecided, when there is no such position, or when rows that are visible from there are
    /// forgotten. Nothing is written then.
    pub fn rewind(&mut self, position: usize) -> Result<()> {
        self.check_decided()?;
        let (floor, end) = (self.floor(), self.committed);
        if !(floor..=end).contains(&position) {
            return Err(Error::Rewind { position, floor, end });
        }
        if let Some(buffer) = &mut self.buffer {
            buffer.end -= end - position;
        }
        self.committed = position;
        Ok(())
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self { window: self.window, ..Self::full() };
    }

    /// What [`Cache::restore`] needs to come back here: of a sliding cache one row fewer than its window.
    ///
    /// # Errors
    /// When the last pass is undecided, or MLX fails.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.check_decided()?;
        let rows = self.window.map_or(0, |_| self.visible_before());
        let rows = match self.newest(rows)? {
            // A slice would keep the whole buffer alive.
            Some((keys, values)) if rows > 0 => Some((keys.contiguous()?, values.contiguous()?)),
            _ => None,
        };
        Ok(Snapshot { position: self.committed, rows })
    }

    /// Goes back to where `snapshot` was taken of this cache; it must not have been rewound behind that place since.
    ///
    /// # Errors
    /// When the last pass is undecided, or the cache has never been there (nothing is written then), or MLX fails.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let &Snapshot { position, ref rows } = snapshot;
        if self.window.is_none() || position > self.committed {
            return self.rewind(position);
        }
        self.check_decided()?;
        self.buffer = rows.as_ref().map(|(keys, values)| Buffer::new(keys, values)).transpose()?;
        self.committed = position;
        Ok(())
    }

    fn check_decided(&self) -> Result<()> {
        match self.pending {
            0 => Ok(()),
            pending => Err(Error::Commit { rows: 0, pending }),
        }
    }

    /// The newest `rows` rows that are stored, undecided ones included, `[1, groups, rows, D]` each; `None` before the
    /// first pass.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn newest(&self, rows: usize) -> Result<Option<(Array, Array)>> {
        let Some(buffer) = &self.buffer else { return Ok(None) };
        let newest = |array: &Array| slice(array, buffer.end - rows.min(self.stored()), buffer.end);
        Ok(Some((newest(&buffer.keys)?, newest(&buffer.values)?)))
    }

    /// The committed rows that are stored, `[1, groups, rows, D]` each, oldest first; `None` before the first pass. A
    /// sliding cache may still store some that have left its window.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn rows(&self) -> Result<Option<(Array, Array)>> {
        let Some(buffer) = &self.buffer else { return Ok(None) };
        let rows = |array: &Array| slice(array, buffer.start, buffer.end - self.pending);
        Ok(Some((rows(&buffer.keys)?, rows(&buffer.values)?)))
    }

    /// The arrays behind the cache, to wait for.
    pub fn arrays(&self) -> impl Iterator<Item = &Array> {
        self.buffer.iter().flat_map(|buffer| [&buffer.keys, &buffer.values])
    }
}

impl Snapshot {
    /// The position of the next row.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The arrays behind it, to wait for: until then they keep the cache's own alive.
    pub fn arrays(&self) -> impl Iterator<Item = &Array> {
        self.rows.iter().flat_map(|(keys, values)| [keys, values])
    }
}

impl Buffer {
    fn new(keys: &Array, values: &Array) -> Result<Self> {
        let end = rows_of(keys);
        Ok(Self { keys: padded(&[keys], end)?, values: padded(&[values], end)?, start: 0, end })
    }

    /// This buffer with its newest `kept` rows and the new ones behind them. Rows move only if there is no room.
    fn extended(mut self, kept: usize, keys: &Array, values: &Array) -> Result<Self> {
        let rows = rows_of(keys);
        self.start = self.end - kept;
        if self.end + rows > rows_of(&self.keys) {
            let moved = |old: &Array, new: &Array| padded(&[&self.view(old)?, new], kept + rows);
            return Ok(Self {
                keys: moved(&self.keys, keys)?,
                values: moved(&self.values, values)?,
                start: 0,
                end: kept + rows,
            });
        }
        let range = index(self.end)..index(self.end + rows);
        self.keys.try_index_mut((.., .., range.clone(), ..), keys)?;
        self.values.try_index_mut((.., .., range, ..), values)?;
        self.end += rows;
        Ok(self)
    }

    fn view(&self, array: &Array) -> Result<Array> {
        slice(array, self.start, self.end)
    }
}

/// `parts`, `rows` rows in all, and room for more behind them.
fn padded(parts: &[&Array], rows: usize) -> Result<Array> {
    let room = Cache::allotted(rows) - rows;
    let first = parts[0];
    let room = ops::zeros_dtype(&[first.dim(0), first.dim(1), index(room), first.dim(3)], first.dtype())?;
    let parts = parts.iter().copied().chain([&room]).collect::<Vec<_>>();
    Ok(ops::concatenate(&parts, 2)?)
}

fn slice(array: &Array, start: usize, end: usize) -> Result<Array> {
    Ok(array.try_index((.., .., index(start)..index(end), ..))?)
}

#[expect(clippy::cast_sign_loss, reason = "a dimension is never negative")]
fn rows_of(array: &Array) -> usize {
    array.dim(2) as usize
}

#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "row counts are far below 2³¹")]
fn index(row: usize) -> i32 {
    row as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_in_pieces_moves_a_few_times_and_is_allotted_no_more_than_is_said() -> Result<()> {
        let (mut cache, mut allotted, mut moves) = (Cache::full(), 0, 0);
        let piece = ops::zeros_dtype(&[1, 1, 512, 1], mlx_rs::Dtype::Float32)?;
        for pieces in 1..=64 {
            cache.append(&piece, &piece)?;
            cache.commit(512)?;
            let rows = cache.arrays().map(rows_of).max().unwrap_or(0);
            assert!((512 * pieces..=Cache::allotted(512 * pieces)).contains(&rows), "{rows}");
            moves += usize::from(rows != allotted);
            allotted = rows;
        }
        assert!(moves < 20, "{moves}");
        Ok(())
    }
}
