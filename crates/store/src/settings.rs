//! Table `settings`: a value for a key.

use crate::{Result, Store};

impl Store {
    /// The value of a key.
    ///
    /// # Errors
    /// The database fails.
    pub async fn setting(&self, key: &str) -> Result<Option<String>> {
        let value = sqlx::query_scalar("SELECT value FROM settings WHERE key = ?").bind(key);
        Ok(value.fetch_optional(&self.pool).await?)
    }

    /// Gives a key a value, or another value.
    ///
    /// # Errors
    /// The database fails.
    pub async fn set_setting(&self, key: &str, value: &str) -> Result<()> {
        let upsert = "INSERT INTO settings (key, value) VALUES (?, ?)
                      ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        sqlx::query(upsert).bind(key).bind(value).execute(&self.pool).await?;
        Ok(())
    }
}
