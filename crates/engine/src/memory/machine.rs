//! The machine: its processor, and its memory in bytes.

use serde::Serialize;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

/// The memory of this machine; on a Mac the processor and the GPU share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// All of it.
    pub physical: u64,
    /// What the system says that programs could be given now.
    pub available: u64,
}

impl Machine {
    /// Asks the system.
    #[must_use]
    pub fn here() -> Self {
        let only_memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(only_memory);
        let physical = system.total_memory();
        // On Linux that is the kernel's own estimate. On a Mac it is all that is neither wired nor compressed (active,
        // inactive and free pages): what other programs use counts too, since the system compresses it when it must. The
        // reserve is there for them.
        Self { physical, available: system.available_memory().min(physical) }
    }

    /// What stays free for everything else unless the user says otherwise: 15 %, and 2 GB at least.
    #[must_use]
    pub fn usual_reserve(self) -> u64 {
        (self.physical / 100 * 15).max(2_000_000_000)
    }
}

/// What the processor is called, such as `Apple M4 Pro`; empty if the system does not say.
#[must_use]
pub fn processor() -> String {
    let only_names = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
    let system = System::new_with_specifics(only_names);
    system.cpus().first().map_or_else(String::new, |cpu| cpu.brand().trim().to_owned())
}

/// What models may take of a machine's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Room {
    /// The machine at one moment.
    pub machine: Machine,
    /// What models hold already, bytes; it can be used again.
    pub held: u64,
    /// What stays free for everything else, bytes.
    pub reserve: u64,
}

impl Room {
    /// What may be taken here and now, with what stays free for everything else, or else the usual reserve; `lent` bytes
    /// of what is held cannot be used again.
    #[must_use]
    pub fn here(reserve: Option<u64>, lent: u64) -> Self {
        let machine = Machine::here();
        let reserve = reserve.unwrap_or(machine.usual_reserve());
        Self { machine, held: nn::memory_held().saturating_sub(lent), reserve }
    }

    /// All of it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let Self { machine, held, reserve } = self;
        machine.available.saturating_add(*held).min(machine.physical).saturating_sub(*reserve)
    }
}
