//! Where the numbers of a tensor lie in the files: publishers fuse, split and stack the same matrices differently.

use std::collections::BTreeMap;

use mlx_rs::{Array, ops};

use super::{Inventory, Stored};
use crate::{Error, Result};

/// Where a stored tensor belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// It is the tensor of this name.
    Whole(String),
    /// It is two tensors, one behind the other along the last but one axis.
    Halves([String; 2]),
    /// It is the part with this number of a stack.
    Part(String, usize),
}

impl Place {
    /// The names of the tensors that it belongs to.
    pub(super) fn into_names(self) -> Vec<String> {
        match self {
            Self::Whole(name) | Self::Part(name, _) => vec![name],
            Self::Halves(names) => names.into(),
        }
    }
}

/// Where a tensor's numbers lie, by the names that files give them.
#[derive(Debug, Clone)]
pub(super) enum Source {
    Whole(String),
    /// The first or second half along the last but one axis.
    Half(String, usize),
    /// Stacked by their numbers.
    Stack(BTreeMap<usize, String>),
}

impl Inventory {
    /// The sources of all tensors that belong somewhere, by name.
    pub(super) fn sources(&self, place: impl Fn(&str) -> Option<Place>) -> Result<BTreeMap<String, Source>> {
        let mut sources = BTreeMap::new();
        for stored in self.tensors().keys() {
            match place(stored) {
                None => {}
                Some(Place::Whole(name)) => insert(&mut sources, name, Source::Whole(stored.clone()))?,
                Some(Place::Halves(names)) => {
                    for (half, name) in names.into_iter().enumerate() {
                        insert(&mut sources, name, Source::Half(stored.clone(), half))?;
                    }
                }
                Some(Place::Part(name, number)) => match sources.get_mut(&name) {
                    Some(Source::Stack(parts)) => {
                        if let Some(first) = parts.insert(number, stored.clone()) {
                            let name = format!("{name} (part {number})");
                            return Err(Error::Twice { name, first, second: stored.clone() });
                        }
                    }
                    _ => insert(&mut sources, name, Source::Stack([(number, stored.clone())].into()))?,
                },
            }
        }
        Ok(sources)
    }
}

fn insert(sources: &mut BTreeMap<String, Source>, name: String, source: Source) -> Result<()> {
    let second = source.names().next().unwrap_or_default().to_owned();
    match sources.insert(name.clone(), source) {
        None => Ok(()),
        Some(other) => Err(Error::Twice { name, first: other.names().next().unwrap_or_default().to_owned(), second }),
    }
}

impl Source {
    /// The names that files give the numbers.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let (one, stack) = match self {
            Self::Whole(stored) | Self::Half(stored, _) => (Some(stored), None),
            Self::Stack(parts) => (None, Some(parts.values())),
        };
        one.into_iter().chain(stack.into_iter().flatten()).map(String::as_str)
    }

    pub(super) fn into_names(self) -> Vec<String> {
        match self {
            Self::Whole(stored) | Self::Half(stored, _) => vec![stored],
            Self::Stack(parts) => parts.into_values().collect(),
        }
    }

    /// What the tensor called `name` will be like.
    pub(super) fn stored(&self, name: &str, inventory: &Inventory) -> Result<Stored> {
        match self {
            Self::Whole(stored) => Ok(inventory.tensors()[stored].clone()),
            Self::Half(stored, _) => {
                let mut stored = inventory.tensors()[stored].clone();
                let axis = stored.shape.len().checked_sub(2).and_then(|axis| stored.shape.get_mut(axis));
                let halved = axis.filter(|rows| rows.is_multiple_of(2)).map(|rows| *rows /= 2);
                let odd = || Error::Layout { name: name.to_owned(), reason: "it has no two halves".into() };
                halved.map(|()| stored).ok_or_else(odd)
            }
            Self::Stack(parts) => {
                let part = |number: usize| {
                    let missing = || inventory.lacks(&format!("{name} (part {number})"));
                    parts.get(&number).map(|stored| &inventory.tensors()[stored]).ok_or_else(missing)
                };
                let first = part(0)?;
                for number in 1..parts.len() {
                    if part(number)? != first {
                        let reason = format!("part {number} has another shape or type than part 0");
                        return Err(Error::Layout { name: name.to_owned(), reason });
                    }
                }
                let shape = [parts.len()].into_iter().chain(first.shape.iter().copied()).collect();
                Ok(Stored { dtype: first.dtype.clone(), shape })
            }
        }
    }

    /// The tensor, given those of the files.
    pub(super) fn array(&self, stored: impl Fn(&str) -> Result<Array>) -> Result<Array> {
        match self {
            Self::Whole(name) => stored(name),
            Self::Half(name, half) => {
                // A view would be copied again by every product with packed numbers.
                Ok(stored(name)?.split_equal(2, -2)?[*half].contiguous()?)
            }
            Self::Stack(parts) => {
                let parts = parts.values().map(|name| stored(name)).collect::<Result<Vec<_>>>()?;
                Ok(ops::stack(&parts, 0)?)
            }
        }
    }
}
