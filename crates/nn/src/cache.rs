//! Keys and values of the rows seen so far, with rounds that can be undone exactly.
//!
//! A pass [`append`](Cache::append)s its rows; they stay undecided until [`commit`](Cache::commit) keeps the first few
//! and drops the others. Nothing that the undo might need is overwritten before: a sliding cache forgets rows that
//! left its window only when the *next* pass begins. A ring buffer, which overwrites as it writes, could not undo.
//!
//! Further back than the last pass a cache goes by [`rewind`](Cache::rewind): as far as it holds every row that is
//! visible from there, and to the one place that it [`remember`](Cache::remember)s.

use mlx_rs::{
    Array, ops,
    ops::indexing::{TryIndexMutOp, TryIndexOp},
};

use crate::{Error, Result, begin};

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
    remembered: Option<Remembered>,
}

/// Rows `start..end` of the two arrays are in use; they lie in the order of their positions. Older ones are still there
/// before `start`, until all of them move.
#[derive(Debug)]
struct Buffer {
    keys: Array,
    values: Array,
    start: usize,
    end: usize,
}

/// A place to go back to.
#[derive(Debug)]
struct Remembered {
    position: usize,
    /// The rows that are visible from there, `[1, groups, rows, D]` each, in memory of their own, once the buffer has moved
    /// without them.
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
        Self { window: None, buffer: None, committed: 0, pending: 0, remembered: None }
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

    /// The first position from which on [`Cache::rewind`] goes back anywhere: everything visible from there is still stored.
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
            Some(buffer) if buffer.has_room(rows) => buffer.extended(before, keys, values)?,
            Some(buffer) => {
                self.save(&buffer, before)?;
                buffer.moved(before, Some((keys, values)))?
            }
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

    /// Remembers this place, in the stead of the one before. It costs memory only once the rows that are visible from here
    /// would be lost, which are fewer than the window has.
    ///
    /// # Errors
    /// When the last pass is undecided.
    pub fn remember(&mut self) -> Result<()> {
        self.check_decided()?;
        if self.remembered() != Some(self.committed) {
            self.remembered = Some(Remembered { position: self.committed, rows: None });
        }
        Ok(())
    }

    /// The place that is remembered.
    #[must_use]
    pub fn remembered(&self) -> Option<usize> {
        self.remembered.as_ref().map(|remembered| remembered.position)
    }

    /// Drops every committed row from `position` on: the cache is then as if nothing had ever followed. Memory that most of
    /// is out of use by then is given back.
    ///
    /// # Errors
    /// When the last pass is undecided, when there is no such position, or when rows that are visible from there are
    /// forgotten (nothing is written then), or MLX fails.
    pub fn rewind(&mut self, position: usize) -> Result<()> {
        self.check_decided()?;
        let (floor, end) = (self.floor(), self.committed);
        if position == 0 {
            *self = Self { window: self.window, ..Self::full() };
            return Ok(());
        }
        if !(floor..=end).contains(&position) && self.remembered() != Some(position) {
            return Err(Error::Rewind { position, floor, end });
        }
        if position < floor {
            self.restore()?;
        } else if let Some(buffer) = &mut self.buffer {
            buffer.end -= end - position;
        }
        self.committed = position;
        self.remembered = self.remembered.take().filter(|remembered| remembered.position <= position);
        self.shrink()
    }

    /// Shows again what is visible from the remembered place.
    fn restore(&mut self) -> Result<()> {
        let (Some(buffer), Some(remembered)) = (&mut self.buffer, &self.remembered) else { return Ok(()) };
        if let Some((keys, values)) = &remembered.rows {
            *buffer = Buffer::new(keys, values)?;
        } else {
            buffer.end -= self.committed - remembered.position;
            buffer.start = visible_from(self.window, buffer.end);
        }
        Ok(())
    }

    /// Copies what is visible from the remembered place before all but the newest `kept` rows are lost.
    fn save(&mut self, buffer: &Buffer, kept: usize) -> Result<()> {
        let Some(remembered) = self.remembered.as_mut().filter(|remembered| remembered.rows.is_none()) else {
            return Ok(());
        };
        let end = buffer.end - (self.committed - remembered.position);
        let start = visible_from(self.window, end);
        if start + kept < buffer.end {
            // A slice would keep the whole buffer alive.
            let copy = |array| -> Result<Array> { Ok(slice(array, start, end)?.contiguous()?) };
            let (keys, values) = (copy(&buffer.keys)?, copy(&buffer.values)?);
            begin([&keys, &values])?;
            remembered.rows = Some((keys, values));
        }
        Ok(())
    }

    /// Moves what is stored to where it has room enough, if that is half of what it has or less.
    fn shrink(&mut self) -> Result<()> {
        let kept = self.stored();
        let roomy = |buffer: &mut Buffer| 2 * Self::allotted(kept) <= rows_of(&buffer.keys);
        if let Some(buffer) = self.buffer.take_if(roomy) {
            self.save(&buffer, kept)?;
            let buffer = buffer.moved(kept, None)?;
            begin([&buffer.keys, &buffer.values])?;
            self.buffer = Some(buffer);
        }
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

impl Buffer {
    fn new(keys: &Array, values: &Array) -> Result<Self> {
        let end = rows_of(keys);
        Ok(Self { keys: padded(&[keys], end)?, values: padded(&[values], end)?, start: 0, end })
    }

    fn has_room(&self, rows: usize) -> bool {
        self.end + rows <= rows_of(&self.keys)
    }

    /// This buffer with its newest `kept` rows and the new ones, which it has room for, behind them.
    fn extended(mut self, kept: usize, keys: &Array, values: &Array) -> Result<Self> {
        let end = self.end + rows_of(keys);
        let range = index(self.end)..index(end);
        self.keys.try_index_mut((.., .., range.clone(), ..), keys)?;
        self.values.try_index_mut((.., .., range, ..), values)?;
        Ok(Self { start: self.end - kept, end, ..self })
    }

    /// Its newest `kept` rows, and new ones behind them if there are any, in another place.
    fn moved(&self, kept: usize, new: Option<(&Array, &Array)>) -> Result<Self> {
        let end = kept + new.map_or(0, |(keys, _)| rows_of(keys));
        let moved = |old: &Array, new: Option<&Array>| {
            let old = slice(old, self.end - kept, self.end)?;
            padded(&[Some(&old), new].into_iter().flatten().collect::<Vec<_>>(), end)
        };
        let (keys, values) = new.unzip();
        Ok(Self { keys: moved(&self.keys, keys)?, values: moved(&self.values, values)?, start: 0, end })
    }

    fn view(&self, array: &Array) -> Result<Array> {
        slice(array, self.start, self.end)
    }
}

/// `parts`, `rows` rows in all, and room for more behind them.
fn padded(parts: &[&Array], rows: usize) -> Result<Array> {
    let first = parts[0];
    let shape = [first.dim(0), first.dim(1), index(Cache::allotted(rows)), first.dim(3)];
    let (mut whole, mut end) = (ops::zeros_dtype(&shape, first.dtype())?, 0);
    for part in parts {
        let start = end;
        end += part.dim(2);
        whole.try_index_mut((.., .., start..end, ..), part)?;
    }
    Ok(whole)
}

fn slice(array: &Array, start: usize, end: usize) -> Result<Array> {
    Ok(array.try_index((.., .., index(start)..index(end), ..))?)
}

/// The first of the rows before `end` that the next one sees.
fn visible_from(window: Option<usize>, end: usize) -> usize {
    window.map_or(0, |window| end.saturating_sub(window - 1))
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
