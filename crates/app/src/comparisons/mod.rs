//! Comparisons: drafters side by side, with each other and with plain decoding. All columns write the same text; which
//! is the fastest is measured here. Ordered, paused, resumed, shown, exported.

mod columns;
mod exporting;
mod order;
mod race;
mod report;
mod running;

#[cfg(test)]
mod tests;

use store::{ComparisonProgress, NewComparison};

use crate::{App, Error, Result};
use report::Evidence;

pub use order::{ComparisonOrder, Conditions, Contender};
pub use race::{Lane, Race, Races, Stage};
pub use report::{ComparedAnswer, ComparedPrompt, ComparisonReport, MeasuredColumn, Workload};
pub(crate) use running::Comparisons;
pub use store::ComparisonState;

/// A comparison, as far as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonRun {
    /// Its number, never used twice.
    pub id: i64,
    /// The id that the target had when it was ordered.
    pub target: String,
    /// What was ordered; `None` if that cannot be read.
    pub order: Option<ComparisonOrder>,
    /// What is asked, in a few words.
    pub data: String,
    /// Whether it is under way.
    pub state: ComparisonState,
    /// Answers that are done.
    pub done: usize,
    /// Answers in all.
    pub total: usize,
    /// How long it will take yet, seconds.
    pub seconds_left: Option<f64>,
    /// Why it failed, in a sentence.
    pub failure: Option<String>,
    /// Whether all columns wrote the same, and which is the fastest, in two sentences, once it is done.
    pub verdict: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// What a comparison would take, about.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonEstimate {
    /// Prompts that are asked.
    pub prompts: usize,
    /// Answers in all columns together.
    pub answers: usize,
    /// How long the answers take if each is as long as may be and written as fast as plainly, seconds; `None` before the
    /// target wrote anything here.
    pub seconds: Option<f64>,
}

impl ComparisonRun {
    /// Whether it is under way, or waits for its turn.
    #[must_use]
    pub fn is_running(&self) -> bool {
        is_running(self.state)
    }
}

impl App {
    /// Every comparison, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn comparisons(&self) -> Result<Vec<ComparisonRun>> {
        let mut runs = Vec::new();
        for row in self.store.comparisons().await? {
            runs.push(self.described_comparison(row).await?);
        }
        Ok(runs)
    }

    /// One comparison.
    ///
    /// # Errors
    /// There is no such comparison, or the database fails.
    pub async fn comparison(&self, id: i64) -> Result<ComparisonRun> {
        let row = self.comparison_row(id).await?;
        self.described_comparison(row).await
    }

    async fn comparison_row(&self, id: i64) -> Result<store::Comparison> {
        self.store.comparison(id).await?.ok_or(Error::NoSuchComparison(id))
    }

    /// What came of a comparison, as far as it is.
    ///
    /// # Errors
    /// There is no such comparison, its record is damaged, or the database fails.
    pub async fn comparison_report(&self, id: i64) -> Result<ComparisonReport> {
        let row = self.comparison_row(id).await?;
        let order: ComparisonOrder = read(&row.ordered, id)?;
        let (prompts, answers) = (self.store.comparison_prompts(id).await?, self.store.comparison_answers(id).await?);
        Ok(Evidence::new(order.titles(), prompts, &answers).report(order, read(&row.conditions, id)?))
    }

    /// What a comparison would take.
    ///
    /// # Errors
    /// The order cannot be met, or the database fails.
    pub async fn estimate_comparison(&self, order: &ComparisonOrder) -> Result<ComparisonEstimate> {
        let prompts = order.prompts()?.0.len();
        let order = self.checked(order.clone()).await?;
        let (answers, tokens) = (prompts * order.titles().len(), order.tokens as usize);
        let plain_s = self.plain_step(&order.target, order.precision, tokens).await?;
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let written = (tokens * answers) as f64;
        Ok(ComparisonEstimate { prompts, answers, seconds: plain_s.map(|plain_s| plain_s * written) })
    }

    /// Begins a comparison, or puts it behind what is measured at the moment.
    ///
    /// # Errors
    /// The order cannot be met, or the database fails.
    pub async fn start_comparison(&self, order: ComparisonOrder) -> Result<ComparisonRun> {
        let (prompts, data) = order.prompts()?;
        let order = self.checked(order).await?;
        let total = u32::try_from(prompts.len() * order.titles().len()).unwrap_or(u32::MAX);
        // Numbers and texts always have a JSON form.
        let ordered = &serde_json::to_string(&order).unwrap_or_default();
        let conditions = &serde_json::to_string(&self.conditions(&order).await?).unwrap_or_default();
        let new = NewComparison { target: &order.target, ordered, conditions, data: &data, total };
        let id = self.store.add_comparison(&new, &prompts).await?;
        let waiting = ComparisonProgress { total, ..ComparisonProgress::default() };
        if let Err(error) = self.run_comparison(id, &order, waiting).await {
            // Nothing is measured yet. Without a database the row stays, as one that can be removed.
            let _ = self.store.remove_comparison(id).await;
            return Err(error);
        }
        self.comparison(id).await
    }

    /// Lets a comparison wait until it is resumed. What was measured stays.
    ///
    /// # Errors
    /// There is no such comparison, another process runs it, or the database fails.
    pub async fn pause_comparison(&self, id: i64) -> Result<ComparisonRun> {
        let run = self.comparison(id).await?;
        if !self.comparisons.jobs.interrupt(id, false) && run.is_running() {
            return Err(Error::ComparedElsewhere(id));
        }
        Ok(run)
    }

    /// Lets a comparison that is paused, or failed, go on with the first prompt that not all columns have answered.
    ///
    /// # Errors
    /// There is no such comparison, it is over, a model is not what it was, another process runs it, or the database
    /// fails.
    pub async fn resume_comparison(&self, id: i64) -> Result<ComparisonRun> {
        if self.comparisons.jobs.get(id).is_some_and(|job| job.goes_on()) {
            return self.comparison(id).await;
        }
        self.comparisons.jobs.rested(id).await;
        let row = self.comparison_row(id).await?;
        if row.progress.state == ComparisonState::Done {
            return Err(Error::ComparisonOver(id));
        }
        let order: ComparisonOrder = read(&row.ordered, id)?;
        if self.conditions(&order).await? != read(&row.conditions, id)? {
            return Err(Error::StaleComparison(id));
        }
        self.run_comparison(id, &order, row.progress).await?;
        self.comparison(id).await
    }

    /// Takes a comparison off the list with all that was measured for it.
    ///
    /// # Errors
    /// It runs, here or in another process, or the database fails.
    pub async fn remove_comparison(&self, id: i64) -> Result<()> {
        if self.comparisons.jobs.get(id).is_some() {
            return Err(Error::ComparisonRuns(id));
        }
        let _claim = self.claim_comparison(id).await?;
        Ok(self.store.remove_comparison(id).await?)
    }

    /// A row with what is only known while it runs. What no process runs any more has paused.
    async fn described_comparison(&self, mut row: store::Comparison) -> Result<ComparisonRun> {
        let now = self.comparisons.jobs.get(row.id).map(|job| job.now);
        if is_running(row.progress.state) && now.is_none() && !self.is_comparison_claimed(row.id)? {
            // It may have come to its end meanwhile.
            row = self.comparison_row(row.id).await?;
            if is_running(row.progress.state) {
                row.progress.state = ComparisonState::Paused;
            }
        }
        let (progress, seconds_left) = now.map_or((row.progress, None), |now| (now.progress, now.pace.seconds_left()));
        let order = serde_json::from_str::<ComparisonOrder>(&row.ordered).ok();
        let damaged = order.is_none().then(|| Error::DamagedComparison(row.id).to_string());
        Ok(ComparisonRun {
            id: row.id,
            target: row.target,
            order,
            data: row.data,
            state: if damaged.is_some() { ComparisonState::Failed } else { progress.state },
            done: progress.done as usize,
            total: progress.total as usize,
            seconds_left,
            failure: damaged.or(row.failure),
            verdict: row.verdict,
            created_at: row.created_at,
        })
    }
}

fn read<T: serde::de::DeserializeOwned>(json: &str, id: i64) -> Result<T> {
    serde_json::from_str(json).map_err(|_| Error::DamagedComparison(id))
}

/// Whether some process is at it, unless that was killed.
fn is_running(state: ComparisonState) -> bool {
    matches!(state, ComparisonState::Waiting | ComparisonState::Running)
}
