//! Days, for what people read.

/// The day of a time in milliseconds since 1970, in UTC (Hinnant, "chrono-compatible low-level date algorithms").
pub(crate) fn date(time: i64) -> String {
    let days = time.div_euclid(86_400_000) + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + later)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn a_day_is_the_calendars() {
        let days = [0, 951_782_400_000, 1_709_164_800_000, 1_735_689_599_999, -1];
        assert_eq!(days.map(date), ["1970-01-01", "2000-02-29", "2024-02-29", "2024-12-31", "1969-12-31"]);
    }
}
