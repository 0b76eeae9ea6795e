//! How long it takes to list and open with ten thousand repos in the index, as the window does: medians. It searches in
//! what is listed (`cd ui && npx vitest bench`).
//!
//! `cargo run --release -p tests --example library --features desktop/custom-protocol`, or without `--release`.

use std::{
    fs,
    time::{Duration, Instant},
};

use app::{App, Surroundings};
use store::{Checkpoint, File, Gated, NewRevision, Role, Source, Store};
use tests::Outcome;

const REPOS: usize = 10_000;

/// Files of each repo.
const FILES: usize = 12;

/// How often each thing is done.
const TIMES: usize = 21;

#[tokio::main]
async fn main() -> Outcome {
    let home = tempfile::tempdir()?;
    let app = App::open_in(home.path(), Surroundings::of([], hub::Limits::default())).await?;
    let began = Instant::now();
    fill(home.path()).await?;
    println!(
        "{REPOS} repos with {FILES} files each, all of them models: made in {:.1} s",
        began.elapsed().as_secs_f64()
    );
    report("list: the first page", async || Ok(app.shelf(None).await?.models.len())).await?;
    report("list: a page in the middle", async || Ok(app.shelf(Some("name-5050")).await?.models.len())).await?;
    report("list: what is missing of 50", async || missing(&app).await).await?;
    report("open: a model", async || Ok(app.model("name-7777").await?.id.len())).await?;
    report("open: where a model is", async || Ok(usize::from(app.locate("name-7777").await?.is_some()))).await
}

/// How many of the models that a window shows at once lack a file.
async fn missing(app: &App) -> Outcome<usize> {
    let mut lacking = 0;
    for number in 0..50 {
        let located = app.locate(&format!("name-{number}")).await?;
        lacking += usize::from(located.is_some_and(|located| !located.is_whole()));
    }
    Ok(lacking)
}

/// Prints the median of how long `work` takes, and what it gives.
async fn report(what: &str, work: impl AsyncFn() -> Outcome<usize>) -> Outcome {
    let mut times = Vec::new();
    let mut found = 0;
    for _ in 0..TIMES {
        let began = Instant::now();
        found = work().await?;
        times.push(began.elapsed());
    }
    times.sort();
    let median: Duration = times[TIMES / 2];
    println!("{what:<28} {:>8.2} ms   ({found} found)", median.as_secs_f64() * 1e3);
    Ok(())
}

async fn fill(home: &std::path::Path) -> Outcome {
    let store = Store::open(&home.join("slipstream.sqlite3")).await?;
    for number in 0..REPOS {
        let repo = format!("owner-{}/name-{number}", number / 100);
        let hash = |file: usize| format!("{:064x}", number * FILES + file);
        let file = |file| File { path: format!("part-{file}.safetensors"), bytes: 1 << 30, hash: hash(file) };
        let files = (0..FILES).map(file).collect::<Vec<_>>();
        let commit_hash = &format!("{number:040x}");
        let new = NewRevision {
            repo: &repo,
            commit_hash,
            licence: Some("gemma"),
            gated: Gated::No,
            is_listed: true,
            files: &files,
        };
        let revision = store.note_revision(new).await?;
        let folder = home.join(&repo);
        fs::create_dir_all(&folder)?;
        store.add_model(None, &model(folder.to_string_lossy().into_owned(), revision)).await?;
    }
    Ok(())
}

fn model(folder: String, revision: i64) -> Checkpoint {
    Checkpoint {
        role: Role::Target,
        kind: "gemma4".into(),
        folder,
        source: Source::Hub,
        revision_id: Some(revision),
        summary: "Gemma 4 12B, 11.9 B parameters, 4-bit".into(),
        bytes: 12 << 30,
        draft_limit: None,
        draft_usual: None,
        draft_confident: None,
        chat_template: Some(true),
    }
}
