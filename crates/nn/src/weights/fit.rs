//! Finds what a model needs among the tensors of a checkpoint's files, before a number is read.

use std::collections::BTreeMap;

use super::{
    Inventory, Quantization, Stored,
    inventory::Numbers,
    source::{Place, Source},
};
use crate::{
    Error, Result,
    matrix::{Mode, Packing, SUPPORTED},
};

/// A tensor that a model needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    name: String,
    shape: Vec<i32>,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Tensor(Numbers),
    Matrix,
}

impl Wanted {
    /// Floats of this shape.
    #[must_use]
    pub fn tensor(name: impl Into<String>, shape: &[i32]) -> Self {
        Self { name: name.into(), shape: shape.to_vec(), form: Form::Tensor(Numbers::Floats) }
    }

    /// Integers of this shape; they stay what they are.
    #[must_use]
    pub fn integers(name: impl Into<String>, shape: &[i32]) -> Self {
        Self { name: name.into(), shape: shape.to_vec(), form: Form::Tensor(Numbers::Integers) }
    }

    /// Truth values of this shape, likewise.
    #[must_use]
    pub fn flags(name: impl Into<String>, shape: &[i32]) -> Self {
        Self { name: name.into(), shape: shape.to_vec(), form: Form::Tensor(Numbers::Flags) }
    }

    /// `{name}.weight`, `[out, in]` or a stack `[E, out, in]`: floats, or packed with `{name}.scales` beside it.
    #[must_use]
    pub fn matrix(name: impl Into<String>, shape: &[i32]) -> Self {
        Self { name: name.into(), shape: shape.to_vec(), form: Form::Matrix }
    }

    /// What the model calls it; a matrix has its module's name, without `.weight`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its shape, unpacked.
    #[must_use]
    pub fn shape(&self) -> &[i32] {
        &self.shape
    }

    /// Whether it may be packed.
    #[must_use]
    pub fn is_matrix(&self) -> bool {
        self.form == Form::Matrix
    }

    /// How many numbers there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.shape.iter().map(|&n| u64::try_from(n).unwrap_or(0)).product()
    }
}

/// What becomes of tensors that nobody asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surplus {
    /// They are an error: the checkpoint is of another kind than its configuration says.
    Refuse,
    /// They are not read.
    Skip,
}

/// An inventory that holds everything a model needs, and where.
#[derive(Debug)]
pub struct Fitted<'a> {
    pub(super) inventory: &'a Inventory,
    /// By the name that was asked for.
    pub(super) sources: BTreeMap<String, Source>,
    /// How the packed matrices are packed, by name.
    pub(super) packings: BTreeMap<String, Packing>,
    /// How many numbers were asked for.
    pub(super) numbers: u64,
}

impl Fitted<'_> {
    /// How the packed matrices are packed, by name.
    #[must_use]
    pub fn packings(&self) -> &BTreeMap<String, Packing> {
        &self.packings
    }

    /// The files that hold it all.
    #[must_use]
    pub fn inventory(&self) -> &Inventory {
        self.inventory
    }
}

impl Inventory {
    /// Checks that the files hold all that is `wanted`, in its shape, once `place` has said where each of their
    /// tensors belongs; those that belong nowhere are skipped. How a matrix is packed follows from its shapes; a
    /// contradiction to `quantization` is an error.
    ///
    /// # Errors
    /// When a tensor is missing, misshapen, of a type that is not read, there twice, packed in a way that MLX does not
    /// have, or was not asked for while `surplus` refuses that.
    pub fn fit(
        &self,
        wanted: &[Wanted],
        quantization: &Quantization,
        surplus: Surplus,
        place: impl Fn(&str) -> Option<Place>,
    ) -> Result<Fitted<'_>> {
        let declared = Declared::new(quantization, &place)?;
        let mut fitting = Fitting { found: self.sources(place)?, inventory: self, sources: BTreeMap::new() };
        let mut packings = BTreeMap::new();
        for Wanted { name, shape, form } in wanted {
            match form {
                Form::Tensor(numbers) => fitting.tensor(name, shape, *numbers)?,
                Form::Matrix => {
                    let packing = fitting.matrix(name, shape)?;
                    declared.check(name, packing)?;
                    packings.extend(packing.map(|packing| (name.clone(), packing)));
                }
            }
        }
        declared.check_default(&packings)?;
        let numbers = wanted.iter().map(Wanted::count).sum();
        let Fitting { found, sources, .. } = fitting;
        if surplus == Surplus::Refuse && !found.is_empty() {
            let names = found.into_values().flat_map(Source::into_names).collect();
            return Err(Error::Unused { folder: self.folder().to_owned(), names });
        }
        Ok(Fitted { inventory: self, sources, packings, numbers })
    }
}

/// The search, half done.
struct Fitting<'a> {
    inventory: &'a Inventory,
    /// What nobody has asked for yet.
    found: BTreeMap<String, Source>,
    sources: BTreeMap<String, Source>,
}

impl Fitting<'_> {
    fn tensor(&mut self, name: &str, shape: &[i32], numbers: Numbers) -> Result<()> {
        self.take(name)?.check(name, shape, numbers)
    }

    /// The packing that a matrix's shapes tell, if it is packed.
    fn matrix(&mut self, name: &str, shape: &[i32]) -> Result<Option<Packing>> {
        let [weight, scales, biases] = ["weight", "scales", "biases"].map(|part| format!("{name}.{part}"));
        if !self.found.contains_key(&scales) {
            let stored = self.take(&weight)?;
            if stored.dtype == "U32" {
                return Err(self.inventory.lacks(&scales)); // words are no numbers without them
            }
            stored.check(&weight, shape, Numbers::Floats)?;
            return Ok(None);
        }
        let global = format!("{name}.global_scale");
        if self.found.contains_key(&global) {
            let reason = "it carries a scale for the whole matrix, which MLX's products do not take".into();
            return Err(Error::Layout { name: name.to_owned(), reason });
        }
        let (words, scales) = (self.take(&weight)?, self.take(&scales)?);
        let packing = infer(name, shape, &words, &scales)?;
        if packing.mode == Mode::Affine {
            let shape = scales.shape.iter().map(|&n| i32::try_from(n).unwrap_or(i32::MAX)).collect::<Vec<_>>();
            self.tensor(&biases, &shape, Numbers::Floats)?;
        }
        Ok(Some(packing))
    }

    /// Moves a source from those found to those that will be read.
    fn take(&mut self, name: &str) -> Result<Stored> {
        let source = self.found.remove(name).ok_or_else(|| self.inventory.lacks(name))?;
        let stored = source.stored(name, self.inventory)?;
        self.sources.insert(name.to_owned(), source);
        Ok(stored)
    }
}

/// The packing that these shapes belong to.
fn infer(name: &str, shape: &[i32], words: &Stored, scales: &Stored) -> Result<Packing> {
    let refuse = |reason: String| Err(Error::Layout { name: name.to_owned(), reason });
    let shape = shape.iter().map(|&n| usize::try_from(n).unwrap_or(0)).collect::<Vec<_>>();
    let (Some((columns, rows)), Some((words_per_row, word_rows)), Some((groups, scale_rows))) =
        (shape.split_last(), words.shape.split_last(), scales.shape.split_last())
    else {
        return refuse("a matrix has at least one axis".into());
    };
    let apart = words.dtype != "U32" || word_rows != rows || scale_rows != rows;
    if apart || *groups == 0 || !columns.is_multiple_of(*groups) || !(words_per_row * 32).is_multiple_of(*columns) {
        let Stored { dtype, shape: found } = words;
        return refuse(format!(
            "{dtype} {found:?} with scales {:?} cannot hold the {shape:?} that the configuration asks for",
            scales.shape
        ));
    }
    let (bits, group) = (words_per_row * 32 / columns, columns / groups);
    let (bits, group) = (i32::try_from(bits).unwrap_or(i32::MAX), i32::try_from(group).unwrap_or(i32::MAX));
    let mode = match (scales.dtype.as_str(), bits, group) {
        ("U8", 4, 16) => Mode::Nvfp4,
        ("U8", 8, _) => Mode::Mxfp8,
        ("U8", _, _) => Mode::Mxfp4,
        _ => Mode::Affine,
    };
    if mode == Mode::Affine {
        scales.check_numbers(&format!("{name}.scales"), Numbers::Floats)?;
    }
    let packing = Packing { mode, bits, group };
    if packing.is_supported() { Ok(packing) } else { refuse(format!("it is {packing}; {SUPPORTED}")) }
}

/// What the configuration says, by the names that a model uses.
struct Declared<'a> {
    quantization: &'a Quantization,
    modules: BTreeMap<String, Option<Packing>>,
}

impl<'a> Declared<'a> {
    /// Module paths are renamed like the weights that they speak of; those of parts that nobody needs are passed over.
    fn new(quantization: &'a Quantization, place: impl Fn(&str) -> Option<Place>) -> Result<Self> {
        let mut modules = BTreeMap::new();
        for path in quantization.modules() {
            for name in place(&format!("{path}.weight")).map(Place::into_names).unwrap_or_default() {
                if let Some(name) = name.strip_suffix(".weight") {
                    modules.insert(name.to_owned(), quantization.module(path)?);
                }
            }
        }
        Ok(Self { quantization, modules })
    }

    fn check(&self, name: &str, found: Option<Packing>) -> Result<()> {
        match self.modules.get(name) {
            Some(said) if *said != found => {
                let in_words = |packing: Option<Packing>| packing.map_or("not packed".into(), |p| p.to_string());
                let reason = format!("config.json says {}, the file holds it {}", in_words(*said), in_words(found));
                Err(Error::Layout { name: name.to_owned(), reason })
            }
            _ => Ok(()),
        }
    }

    /// Matrices that are not listed may differ from the default, as writers forget to list some; if all of them do,
    /// configuration and weights do not belong together.
    fn check_default(&self, packings: &BTreeMap<String, Packing>) -> Result<()> {
        let mut unlisted = packings.iter().filter(|(name, _)| !self.modules.contains_key(*name)).peekable();
        let Some(&(name, found)) = unlisted.peek() else { return Ok(()) };
        let Some(default) = self.quantization.unlisted()? else { return Ok(()) };
        if unlisted.any(|(_, packing)| *packing == default) {
            return Ok(());
        }
        let reason = format!("config.json says {default} and the files hold nothing so; {name} is {found}");
        Err(Error::Layout { name: "quantization".into(), reason })
    }
}
