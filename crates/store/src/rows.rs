//! Rows read one by one, so that a damaged record hides no other.

use sqlx::sqlite::{Sqlite, SqliteRow};
use sqlx::{Decode, FromRow, Row, Type};

/// Each row, or the id of one that cannot be read.
pub(crate) fn each<'a, T, I>(rows: &'a [SqliteRow]) -> Vec<Result<T, I>>
where
    T: FromRow<'a, SqliteRow>,
    I: Decode<'a, Sqlite> + Type<Sqlite>,
{
    let read = |row: &'a SqliteRow| match T::from_row(row) {
        Ok(value) => Some(Ok(value)),
        Err(_) => row.try_get("id").ok().map(Err),
    };
    rows.iter().filter_map(read).collect()
}

/// The rows that can be read.
pub(crate) fn readable<'a, T: FromRow<'a, SqliteRow>>(rows: &'a [SqliteRow]) -> Vec<T> {
    rows.iter().filter_map(|row| T::from_row(row).ok()).collect()
}
