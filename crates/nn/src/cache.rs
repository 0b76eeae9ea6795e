//! Keys and values of the rows seen so far, with rounds that can be undone exactly.
//!
//! A pass [`append`](Cache::append)s its rows; they stay undecided until [`commit`](Cache::commit) keeps the first few
//! and drops the others. Nothing that the undo might need is overwritten before: a sliding cache forgets rows that
//! left its window only when the *next* pass begins. A ring buffer, which overwrites as it writes, could not undo.

use mlx_rs::{
    Array, ops,
    ops::indexing::{TryIndexMutOp, TryIndexOp},
};

use crate::{Error, Result};

/// Rows are allotted in steps, so that a token rarely moves the buffer.
const STEP: usize = 256;

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

    /// How many rows are allotted for `rows` that are in use at once.
    #[must_use]
    pub fn allotted(rows: usize) -> usize {
        (rows + 1).next_multiple_of(STEP) + STEP
    }

    /// How many committed rows a pass that starts now may look at.
    fn visible_before(&self) -> usize {
        let stored = self.buffer.as_ref().map_or(0, |buffer| buffer.end - buffer.start);
        self.window.map_or(stored, |window| stored.min(window - 1))
    }

    /// Writes the rows of a pass, undecided. Keys and values are `[1, groups, L, D]`.
    ///
    /// # Errors
    /// When the last pass is still undecided (nothing is written then), or MLX fails (the cache is unusable then).
    pub fn append(&mut self, keys: &Array, values: &Array) -> Result<Visible> {
        if self.pending > 0 {
            return Err(Error::Commit { rows: 0, pending: self.pending });
        }
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
