//! Room on a disk.

use std::{io, path::Path};

use crate::{Error, Result};

/// What an ordinary user may still write to the disk that holds `folder`, bytes.
pub(crate) fn free(folder: &Path) -> Result<u64> {
    let failed = |source: rustix::io::Errno| Error::File { path: folder.to_owned(), source: source.into() };
    let disk = rustix::fs::statvfs(folder).map_err(failed)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Refuses to begin what would not fit beside the reserve.
pub(crate) fn check(folder: &Path, needed: u64, reserve: u64) -> Result<()> {
    let needed = needed.saturating_add(if needed == 0 { 0 } else { reserve });
    let free = free(folder)?;
    if needed > free { Err(Error::DiskFull { needed: Some(needed), free }) } else { Ok(()) }
}

/// Whether the disk, or this user's share of it, is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_failures() {
        // Always full, where there is such a thing.
        if let Ok(mut full) = std::fs::OpenOptions::new().write(true).open("/dev/full") {
            let error = io::Write::write_all(&mut full, b"x").err();
            assert!(error.is_some_and(|error| is_full(&error)));
        }
        assert!(!is_full(&io::ErrorKind::PermissionDenied.into()));
    }

    #[test]
    fn what_is_complete_needs_no_reserve() {
        let here = Path::new(".");
        assert!(check(here, 0, u64::MAX).is_ok());
        assert!(matches!(check(here, 1, u64::MAX), Err(Error::DiskFull { needed: Some(u64::MAX), .. })));
    }
}
