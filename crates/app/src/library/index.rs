//! The models on this machine, by the page: however many there are, none has to wait for all.

use store::{Model as Row, Store};

use crate::{App, Model, Result};

use super::blocking;

/// Some models.
#[derive(Debug, Clone, PartialEq)]
pub struct Shelf {
    /// Those that can be read, by id.
    pub models: Vec<Model>,
    /// The ids of those that cannot: their records are damaged, and all that can be done is to
    /// [remove](App::remove_model) them.
    pub damaged: Vec<String>,
    /// Where the next page begins, if there may be one.
    pub next: Option<String>,
}

/// Models on a page.
const PAGE: u32 = 200;

impl App {
    /// Some of the models on this machine: the first, or those behind `after`.
    ///
    /// # Errors
    /// The database fails.
    pub async fn shelf(&self, after: Option<&str>) -> Result<Shelf> {
        page(&self.store, after, PAGE).await
    }
}

async fn page(store: &Store, after: Option<&str>, limit: u32) -> Result<Shelf> {
    let rows = store.models_behind(after.unwrap_or_default(), limit).await?;
    let id = |row: &Result<Row, String>| row.as_ref().map_or_else(Clone::clone, |row| row.id.clone());
    let next = rows.last().filter(|_| rows.len() == limit as usize).map(id);
    // Each folder is looked for on its disk.
    blocking(move || {
        let mut shelf = Shelf { models: Vec::new(), damaged: Vec::new(), next };
        for row in rows {
            match row {
                Ok(row) => shelf.models.push(row.into()),
                Err(id) => shelf.damaged.push(id),
            }
        }
        Ok(shelf)
    })
    .await
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn page_after_page_every_model_comes_once() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let (mut ids, mut after) = (Vec::new(), None);
        loop {
            let shelf = page(&app.store, after.as_deref(), 1).await.unwrap();
            ids.extend(shelf.models.into_iter().map(|model| model.id));
            after = shelf.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(ids, ["d", "t"]);
        let all = app.shelf(None).await.unwrap();
        assert_eq!((all.models, all.next), (app.models().await.unwrap(), None));
    }
}
