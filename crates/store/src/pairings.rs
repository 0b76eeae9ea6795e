//! Table `pairings`: which drafter was used with which target.

use sqlx::SqliteConnection;

use crate::{Result, Store};

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Pairing {
    /// The target's id.
    pub target_id: String,
    /// The drafter's.
    pub drafter_id: String,
    /// When they were used together last; milliseconds since 1970.
    pub used_at: i64,
}

impl Store {
    /// All pairings, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn pairings(&self) -> Result<Vec<Pairing>> {
        Ok(sqlx::query_as("SELECT * FROM pairings ORDER BY used_at DESC").fetch_all(&self.pool).await?)
    }

    /// Notes that a target is used now, and with which drafter. What is no model is passed over.
    ///
    /// # Errors
    /// The database fails.
    pub async fn note_use(&self, target: &str, drafter: Option<&str>) -> Result<()> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        note(&mut transaction, target, drafter).await?;
        Ok(transaction.commit().await?)
    }
}

pub(crate) async fn note(connection: &mut SqliteConnection, target: &str, drafter: Option<&str>) -> Result<()> {
    sqlx::query("UPDATE models SET last_used_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE id IN (?, ?)")
        .bind(target)
        .bind(drafter)
        .execute(&mut *connection)
        .await?;
    sqlx::query(
        "INSERT INTO pairings (target_id, drafter_id, used_at)
         SELECT target.id, drafter.id, target.last_used_at FROM models AS target, models AS drafter
         WHERE target.id = ? AND drafter.id = ?
         ON CONFLICT DO UPDATE SET used_at = excluded.used_at",
    )
    .bind(target)
    .bind(drafter)
    .execute(connection)
    .await?;
    Ok(())
}
