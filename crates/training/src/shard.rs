//! Captured sequences on disk: folders `shard_00000` and so on, each with a `model.safetensors` and a `shard.json`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use decode::Token;
use mlx_rs::{Array, Dtype, ops, ops::indexing::TryIndexOp};
use serde::{Deserialize, Serialize};

use crate::{Error, Result, state::sync};

/// The advice about a shard that cannot be read.
const ADVICE: &str = "remove this shard and capture its answers again";

/// Rows that make a shard whole, however few sequences they are: it is held in memory while it fills.
pub const SHARD_ROWS: usize = 1 << 14;

/// A sequence, and what the target computed of it.
#[derive(Debug, Clone)]
pub struct Sequence {
    /// Prompt and answer.
    pub ids: Vec<Token>,
    /// The last token of the prompt, which is the first that may be an anchor.
    pub response_start: usize,
    /// The captured rows side by side, `[L, m·H]` bfloat16; the last `H` columns are those after the final norm.
    pub rows: Array,
}

/// `shard.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Document {
    pub(crate) n_seq: usize,
    pub(crate) n_tokens: usize,
    pub(crate) hidden_size: usize,
    pub(crate) m: usize,
    pub(crate) tap_layers: Vec<usize>,
}

/// Writes sequences as shards.
#[derive(Debug)]
pub struct ShardWriter {
    folder: PathBuf,
    taps: Vec<usize>,
    hidden_size: usize,
    per_shard: usize,
    waiting: Vec<Sequence>,
}

/// A shard that has been read.
#[derive(Debug)]
pub(crate) struct Shard {
    /// Its sequences' ids behind each other.
    pub(crate) ids: Vec<Token>,
    /// `[ΣL, m·H]`, bfloat16; not read before it is needed.
    pub(crate) rows: Array,
    /// Where each sequence lies.
    pub(crate) spans: Vec<Span>,
}

/// Where a sequence lies in its shard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) response_start: usize,
}

impl ShardWriter {
    /// A writer into `folder`, behind the shards that are there, of rows of the layers `taps` of a target whose rows have
    /// `hidden_size` numbers; each shard has `per_shard` sequences, or fewer if
    /// these are long ([`SHARD_ROWS`]) or the last.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn new(folder: &Path, taps: &[usize], hidden_size: usize, per_shard: usize) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|source| Error::File { path: folder.to_owned(), source })?;
        let (folder, taps, per_shard) = (folder.to_owned(), taps.to_vec(), per_shard.max(1));
        Ok(Self { folder, taps, hidden_size, per_shard, waiting: Vec::new() })
    }

    /// Takes a sequence, and writes a shard if that makes it whole.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn push(&mut self, sequence: Sequence) -> Result<()> {
        self.waiting.push(sequence);
        let rows = self.waiting.iter().map(|sequence| sequence.ids.len()).sum::<usize>();
        if self.waiting.len() < self.per_shard && rows < SHARD_ROWS { Ok(()) } else { self.write() }
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> Result<()> {
        if self.waiting.is_empty() { Ok(()) } else { self.write() }
    }

    /// Writes one shard, whole or not at all.
    fn write(&mut self) -> Result<()> {
        let sequences = std::mem::take(&mut self.waiting);
        let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let numbers =
            |numbers: Vec<usize>| Array::from_iter(numbers.iter().map(|&n| count(n)), &[count(numbers.len())]);
        let rows = sequences.iter().map(|sequence| &sequence.rows).collect::<Vec<_>>();
        let ids = sequences.iter().flat_map(|sequence| &sequence.ids).copied().collect::<Vec<_>>();
        let tensors = [
            ("hidden_ml", ops::concatenate(&rows, 0)?),
            ("ids", Array::from_slice(&ids, &[count(ids.len())]).as_dtype(Dtype::Int32)?),
            ("seq_lens", numbers(sequences.iter().map(|sequence| sequence.ids.len()).collect())),
            ("resp_starts", numbers(sequences.iter().map(|sequence| sequence.response_start).collect())),
        ];
        let document = Document {
            n_seq: sequences.len(),
            n_tokens: ids.len(),
            hidden_size: self.hidden_size,
            m: self.taps.len(),
            tap_layers: self.taps.clone(),
        };
        let path = self.folder.join(format!("shard_{:05}", folders(&self.folder)?.len()));
        let unfinished = path.with_extension("unfinished");
        let failed = |source| Error::File { path: path.clone(), source };
        fs::create_dir_all(&unfinished).map_err(failed)?;
        nn::save(tensors.iter().map(|(name, tensor)| (*name, tensor)), &unfinished.join("model.safetensors"))?;
        let text = serde_json::to_vec_pretty(&document).map_err(|error| failed(error.into()))?;
        fs::write(unfinished.join("shard.json"), text).map_err(failed)?;
        for name in ["model.safetensors", "shard.json"] {
            sync(&unfinished.join(name)).map_err(failed)?;
        }
        fs::rename(&unfinished, &path).map_err(failed)
    }
}

impl Document {
    /// Reads the description of a shard.
    pub(crate) fn read(shard: &Path) -> Result<Self> {
        let path = shard.join("shard.json");
        let text = fs::read(&path).map_err(|source| Error::File { path: path.clone(), source })?;
        let document = serde_json::from_slice::<Self>(&text).map_err(|error| Error::Damaged {
            path: path.clone(),
            reason: error.to_string(),
            advice: ADVICE,
        })?;
        if document.m == document.tap_layers.len() && document.m > 0 {
            return Ok(document);
        }
        let reason = format!("it names {} layers, and m is {}", document.tap_layers.len(), document.m);
        Err(Error::Damaged { path, reason, advice: ADVICE })
    }
}

impl Shard {
    /// Reads a shard of which this is known.
    pub(crate) fn read(shard: &Path, document: &Document) -> Result<Self> {
        let path = shard.join("model.safetensors");
        let damaged = |reason: String| Error::Damaged { path: path.clone(), reason, advice: ADVICE };
        let mut tensors = Array::load_safetensors(&path).map_err(|error| damaged(error.to_string()))?;
        let mut take = |name: &str| tensors.remove(name).ok_or_else(|| damaged(format!("it lacks {name}")));
        let (rows, ids) = (take("hidden_ml")?, numbers(&take("ids")?)?);
        let (lens, starts) = (numbers(&take("seq_lens")?)?, numbers(&take("resp_starts")?)?);
        let spans = lens.iter().zip(&starts).scan(0, |end, (&len, &response_start)| {
            let start = *end;
            *end += len as usize;
            Some(Span { start, len: len as usize, response_start: response_start as usize })
        });
        let spans = spans.collect::<Vec<_>>();
        let tokens = spans.last().map_or(0, |span| span.start + span.len);
        let wanted = [document.n_tokens, document.m * document.hidden_size];
        let found = rows.shape().iter().map(|&n| n.unsigned_abs() as usize).collect::<Vec<_>>();
        let whole = ids.len() == tokens && lens.len() == starts.len() && lens.len() == document.n_seq;
        if found == wanted && whole && tokens == document.n_tokens {
            return Ok(Self { ids, rows, spans });
        }
        Err(damaged(format!(
            "its {} sequences of {tokens} tokens and rows of shape {found:?} are not those of its shard.json",
            lens.len()
        )))
    }

    /// Columns `columns` of the rows `first..end` of a sequence, `[end − first, n]`.
    pub(crate) fn rows(&self, span: Span, first: usize, end: usize, columns: std::ops::Range<i32>) -> Result<Array> {
        let row = |row: usize| i32::try_from(span.start + row).unwrap_or(i32::MAX);
        Ok(self.rows.try_index((row(first)..row(end), columns))?)
    }

    /// Tokens `first..end` of a sequence.
    pub(crate) fn tokens(&self, span: Span, first: usize, end: usize) -> &[Token] {
        &self.ids[span.start + first..span.start + end]
    }
}

/// The shards in a folder, in order.
pub(crate) fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::File { path: folder.to_owned(), source };
    let entries = fs::read_dir(folder).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let number = |path: &PathBuf| {
        let number = path.file_name()?.to_str()?.strip_prefix("shard_")?.parse::<u32>().ok();
        number.filter(|_| path.is_dir())
    };
    let mut shards =
        entries.into_iter().map(|entry| entry.path()).filter(|path| number(path).is_some()).collect::<Vec<_>>();
    shards.sort_by_key(number);
    Ok(shards)
}

/// Integers as unsigned ones.
fn numbers(array: &Array) -> Result<Vec<u32>> {
    let numbers = array.as_dtype(Dtype::Uint32)?.reshape(&[-1])?;
    Ok(numbers.try_as_slice::<u32>().map_err(|error| nn::Error::Device(error.to_string()))?.to_vec())
}
