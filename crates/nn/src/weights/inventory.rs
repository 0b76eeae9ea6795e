//! What a checkpoint's files hold, from their headers alone.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{ErrorKind, Read},
    path::{Component, Path, PathBuf},
};

use safetensors::tensor::Metadata;
use serde::Deserialize;

use crate::{Error, Result};

/// The largest header that is read; the largest published one has a few megabytes.
const MAX_HEADER: u64 = 100 << 20;

/// The tensors of a checkpoint and the files that they lie in. Every file is as long as its header says.
#[derive(Debug, Clone)]
pub struct Inventory {
    folder: PathBuf,
    files: Vec<PathBuf>,
    tensors: BTreeMap<String, Stored>,
    bytes: u64,
}

/// How a tensor is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The type of its numbers, as the file spells it (`BF16`).
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<usize>,
}

/// What the numbers of a tensor are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    Floats,
    Integers,
    Flags,
}

impl Numbers {
    /// The types that such numbers may have, as files spell them.
    fn types(self) -> &'static [&'static str] {
        match self {
            Self::Floats => &["F32", "BF16", "F16"],
            Self::Integers => &["I64", "I32"],
            Self::Flags => &["BOOL"],
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Floats => "float32, bfloat16 and float16",
            Self::Integers => "int64 and int32",
            Self::Flags => "bool",
        }
    }
}

impl Stored {
    /// Refuses another shape, and other numbers.
    pub(super) fn check(&self, name: &str, shape: &[i32], numbers: Numbers) -> Result<()> {
        let wanted = shape.iter().map(|&n| usize::try_from(n).unwrap_or(0));
        if !self.shape.iter().copied().eq(wanted) {
            return Err(Error::Shape { name: name.to_owned(), found: self.shape.clone(), wanted: shape.to_vec() });
        }
        self.check_numbers(name, numbers)
    }

    pub(super) fn check_numbers(&self, name: &str, numbers: Numbers) -> Result<()> {
        let found = &self.dtype;
        if numbers.types().contains(&found.as_str()) {
            return Ok(());
        }
        Err(Error::Dtype { name: name.to_owned(), found: found.clone(), wanted: numbers.in_words() })
    }

    /// How many numbers there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }
}

/// `model.safetensors.index.json`.
#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

impl Inventory {
    /// Reads the headers of `model.safetensors`, or of the shards that `model.safetensors.index.json` names, or of all
    /// shards if there is no index.
    ///
    /// # Errors
    /// When there are no weights, a file is damaged, or a shard is missing or lacks a tensor that the index promises.
    pub fn read(folder: &Path) -> Result<Self> {
        let index = folder.join("model.safetensors.index.json");
        let single = folder.join("model.safetensors");
        if index.exists() {
            Self::sharded(folder, &index)
        } else if single.exists() {
            Self::of(folder, [single])
        } else {
            Self::of(folder, shards(folder).ok_or_else(|| Error::NoWeights { folder: folder.to_owned() })?)
        }
    }

    fn sharded(folder: &Path, path: &Path) -> Result<Self> {
        let damaged = |reason| Error::Damaged { path: path.to_owned(), reason };
        let text = std::fs::read(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        let index: Index = serde_json::from_slice(&text).map_err(|error| damaged(what_is_wrong(&text, &error)))?;
        let names = index.weight_map.values().collect::<BTreeSet<_>>();
        let inside =
            |name: &str| matches!(Path::new(name).components().collect::<Vec<_>>()[..], [Component::Normal(_)]);
        if let Some(name) = names.iter().find(|name| !inside(name)) {
            return Err(damaged(format!("it names the file {name:?}, which is not in the folder")));
        }
        let inventory = Self::of(folder, names.into_iter().map(|name| folder.join(name)))?;
        match index.weight_map.into_keys().find(|name| !inventory.tensors.contains_key(name)) {
            Some(name) => Err(damaged(format!("it promises the tensor {name}, which no shard holds"))),
            None => Ok(inventory),
        }
    }

    fn of(folder: &Path, files: impl IntoIterator<Item = PathBuf>) -> Result<Self> {
        let mut inventory = Self { folder: folder.to_owned(), files: Vec::new(), tensors: BTreeMap::new(), bytes: 0 };
        for path in files {
            inventory.bytes += read_header(&path, &mut inventory.tensors)?;
            inventory.files.push(path);
        }
        Ok(inventory)
    }

    /// The tensors by the names that the files give them.
    #[must_use]
    pub fn tensors(&self) -> &BTreeMap<String, Stored> {
        &self.tensors
    }

    /// The checkpoint's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// That the tensor called `name` is not there.
    pub(super) fn lacks(&self, name: &str) -> Error {
        Error::Missing { name: name.to_owned(), folder: self.folder.clone() }
    }

    pub(super) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The size of the files, bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Adds the tensors of one file and returns its size.
///
/// MLX would map the missing end of a truncated file as zeros, so the length is checked here.
fn read_header(path: &Path, tensors: &mut BTreeMap<String, Stored>) -> Result<u64> {
    let failed = |source| Error::File { path: path.to_owned(), source };
    let damaged = |reason: String| Error::Damaged { path: path.to_owned(), reason };
    let mut file = File::open(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound => Error::MissingFile { path: path.to_owned() },
        _ => failed(source),
    })?;
    let size = file.metadata().map_err(failed)?.len();
    let mut header = vec![0; 8];
    file.read_exact(&mut header).map_err(|_| damaged(format!("it has {size} bytes")))?;
    let length = u64::from_le_bytes(header[..8].try_into().unwrap_or_default());
    if length > MAX_HEADER {
        return Err(damaged(impostor(&header).map_or_else(
            || format!("its header claims {length} bytes, more than the {MAX_HEADER} that are read"),
            |kind| format!("it is {kind}"),
        )));
    }
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let read = file.take(length as u64).read_to_end(&mut header).map_err(failed)?;
    if read < length {
        return Err(damaged(format!("its header should have {length} bytes and has {read}")));
    }
    let metadata: Metadata = serde_json::from_slice(&header[8..]).map_err(|error| damaged(error.to_string()))?;
    let expected = (header.len() + metadata.data_len()) as u64;
    if size != expected {
        return Err(damaged(format!("it has {size} bytes, its header describes {expected}")));
    }
    for (name, info) in metadata.tensors() {
        let stored = Stored { dtype: format!("{:?}", info.dtype), shape: info.shape.clone() };
        if tensors.insert(name.clone(), stored).is_some() {
            return Err(damaged(format!("another shard holds the tensor {name} too")));
        }
    }
    Ok(size)
}

/// The shards of a folder without an index, as many as their names say there are.
fn shards(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut names = folder.read_dir().ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let of = |name: String| {
        let (number, of) = name.strip_prefix("model-")?.strip_suffix(".safetensors")?.split_once("-of-")?;
        let digits = |text: &str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
        (digits(number) && digits(of)).then(|| of.to_owned())
    };
    let of = names.find_map(of)?;
    let count = of.parse::<u32>().ok()?;
    Some((1..=count).map(|number| folder.join(format!("model-{number:05}-of-{of}.safetensors"))).collect())
}

/// What is wrong with a text that should be JSON: what it is instead, or else what the parser says.
#[must_use]
pub fn what_is_wrong(text: &[u8], error: &serde_json::Error) -> String {
    match impostor(text).filter(|_| !text.starts_with(b"{")) {
        Some(kind) => format!("it is {kind}"),
        None => error.to_string(),
    }
}

/// What a file that is no safetensors file is instead, as far as its first bytes tell.
fn impostor(start: &[u8]) -> Option<&'static str> {
    match start {
        [b'v', b'e', b'r', b's', b'i', b'o', b'n', ..] => Some("a Git LFS pointer, not the file itself"),
        [b'<', ..] => Some("a web page"),
        [b'{', ..] => Some("a JSON text"),
        [b'G', b'G', b'U', b'F', ..] => Some("a GGUF file"),
        _ => None,
    }
}
