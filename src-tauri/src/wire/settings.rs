//! What the settings show of this machine.

use serde::Serialize;
use specta::Type;

/// What models take of this machine's disks.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Storage {
    /// The data folder, where everything lies that the app keeps itself.
    folder: String,
    /// What the models in the list take of it, bytes.
    kept: u64,
    /// What the models in the list take that lie in folders of other programs and of the user, bytes.
    elsewhere: u64,
    /// What emptying the trash would free, bytes.
    trash: u64,
    /// What is free of the disk that the data folder lies on, bytes.
    free: u64,
}

impl From<app::Storage> for Storage {
    fn from(storage: app::Storage) -> Self {
        let app::Storage { folder, kept, elsewhere, trash, free } = storage;
        Self { folder: folder.display().to_string(), kept, elsewhere, trash, free }
    }
}

/// The machine's memory, and what of it models leave alone.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryReserve {
    /// What the machine has, bytes.
    physical: u64,
    /// What stays free for everything else, bytes, as the user set it; null is the usual.
    set: Option<u64>,
    /// What is usual on this machine, bytes.
    usual: u64,
}

impl MemoryReserve {
    pub(crate) fn here(set: Option<u64>) -> Self {
        let machine = app::Machine::here();
        Self { physical: machine.physical, set, usual: machine.usual_reserve() }
    }
}

/// What this is, and what it runs on.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct About {
    version: String,
    /// Under which it may be used.
    licence: String,
    /// The operating system and the kind of machine.
    system: String,
    /// What the processor calls itself.
    processor: String,
}

impl About {
    pub(crate) fn here() -> Self {
        let system = match std::env::consts::OS {
            "macos" => "macOS",
            "linux" => "Linux",
            other => other,
        };
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            licence: env!("CARGO_PKG_LICENSE").to_owned(),
            system: format!("{system}, {}", std::env::consts::ARCH),
            processor: app::processor(),
        }
    }
}
