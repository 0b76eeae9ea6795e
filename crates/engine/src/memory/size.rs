//! Sizes as people read them.

/// Three digits, decimal units.
#[must_use]
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let mut amount = bytes as f64 / 1000.0;
    let mut unit = 0;
    while amount >= 999.5 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    let decimals = if amount < 9.995 { 2 } else { usize::from(amount < 99.95) };
    format!("{amount:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn a_size_has_three_digits() {
        let sizes = [0, 999, 1000, 99_949, 999_499, 999_500, 536_000_000, 12_345_678_901, u64::MAX];
        let texts = ["0 B", "999 B", "1.00 kB", "99.9 kB", "999 kB", "1.00 MB", "536 MB", "12.3 GB", "18446744 TB"];
        assert_eq!(sizes.map(size), texts);
    }
}
