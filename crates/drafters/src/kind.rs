//! Which kind of drafter a folder holds: told from its files, never from its name.

use std::{fmt, path::Path};

use crate::{
    Error, Result,
    config::{CONFIG, ConfigFile, Entry},
    dspark,
};

/// The kinds of drafters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `DSpark` in its own format.
    DSpark,
    /// `DSpark` in the format of its authors' training program.
    DeepSpec,
    /// `DFlash` in the format of its authors.
    DFlash,
    /// `DFlash` 2 likewise.
    DFlash2,
    /// One of these algorithms in the layout of the speculators library.
    Speculators(Algorithm),
    /// The small decoder that the target's publisher ships beside it.
    Assistant,
    /// No model: what followed before follows again.
    Lookup,
}

/// The algorithms that the speculators library's layout is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// Each row by itself.
    DFlash,
    /// With a sequential head.
    DSpark,
    /// With convolutions and a candidate selector.
    DFlash2,
}

/// What the class names of drafters have in them.
const DRAFTERS: [&str; 7] = ["Draft", "DSpark", "DFlash", "Domino", "Eagle", "Speculator", "Medusa"];

impl Kind {
    /// What it is called in lists and records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DSpark => "dspark",
            Self::DeepSpec => "deepspec",
            Self::DFlash => "dflash",
            Self::DFlash2 => "dflash2",
            Self::Speculators(Algorithm::DFlash) => "speculators-dflash",
            Self::Speculators(Algorithm::DSpark) => "speculators-dspark",
            Self::Speculators(Algorithm::DFlash2) => "speculators-dflash2",
            Self::Assistant => "assistant",
            Self::Lookup => "lookup",
        }
    }

    /// The kind of the drafter in `folder`. Class names come last: the speculators library writes those of other
    /// formats for different arithmetic.
    ///
    /// # Errors
    /// When it holds none that runs here.
    pub fn of(folder: &Path) -> Result<Self> {
        if folder.join(dspark::DOCUMENT).exists() {
            return Ok(Self::DSpark);
        }
        if !folder.join(CONFIG).exists() {
            return Err(Error::NoDrafter { folder: folder.to_owned(), architecture: None });
        }
        let config = ConfigFile::read(folder)?;
        let top = config.top();
        if let Some(name) = top.get::<String>("speculators_model_type")? {
            let other = || other(folder, format!("a drafter of the speculators type {name:?}"));
            return Algorithm::named(&name).map(Self::Speculators).ok_or_else(other);
        }
        match top.get::<String>("model_type")?.as_deref() {
            Some("gemma4_assistant" | "gemma4_unified_assistant") => return Ok(Self::Assistant),
            Some("dspark_assistant") => return Err(Error::NoDocument { folder: folder.to_owned() }),
            Some(name) if name.ends_with("_assistant") => {
                return Err(other(folder, format!("an assistant of the model type {name:?}")));
            }
            _ => {}
        }
        by_class(folder, &top)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Algorithm {
    /// As the library spells it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::DFlash => "dflash",
            Self::DSpark => "dspark",
            Self::DFlash2 => "dflash2",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::DFlash, Self::DSpark, Self::DFlash2].into_iter().find(|algorithm| algorithm.name() == name)
    }
}

fn by_class(folder: &Path, top: &Entry<'_>) -> Result<Kind> {
    let nested = top.entry("dflash_config")?;
    let class = top.get::<Vec<String>>("architectures")?.and_then(|classes| classes.into_iter().next());
    let kind = match class.as_deref() {
        Some("Gemma4DSparkModel") => return Ok(Kind::DeepSpec),
        Some("DFlashDraftModel") => Kind::DFlash,
        Some("DFlash2DraftModel") => Kind::DFlash2,
        Some(class) if nested.exists() || DRAFTERS.iter().any(|part| class.contains(part)) => {
            return Err(other(folder, format!("a drafter of the class {class:?}")));
        }
        _ => return Err(Error::NoDrafter { folder: folder.to_owned(), architecture: class }),
    };
    for entry in [top, &nested] {
        let rank = entry.get::<i64>("markov_rank")?.unwrap_or(0);
        let head = entry.get::<String>("markov_head_type")?;
        if rank > 0 || head.is_some() {
            let head = head.map_or_else(|| format!("markov_rank {rank}"), |head| format!("markov_head_type {head:?}"));
            return Err(other(folder, format!("a hybrid, {kind} with an added Markov head ({head})")));
        }
    }
    Ok(kind)
}

/// That `folder` holds `what`, which is a drafter, but none that runs here.
fn other(folder: &Path, what: String) -> Error {
    Error::OtherKind { folder: folder.to_owned(), what }
}
