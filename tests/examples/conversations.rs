//! How long it takes to list, open and search with ten thousand messages, as the window does: medians.
//!
//! `cargo run --release -p tests --example conversations --features desktop/custom-protocol`, or without `--release`.

use std::time::{Duration, Instant};

use app::{App, Suite};
use store::{Ask, Checkpoint, Role, Source, State, Store, Written};
use tests::{Outcome, random::Random};

const CONVERSATIONS: usize = 200;

/// Questions in each, and as many answers.
const QUESTIONS: usize = 25;

/// Words of an answer.
const WORDS: usize = 150;

/// How often each thing is done.
const TIMES: usize = 21;

#[tokio::main]
async fn main() -> Outcome {
    let home = tempfile::tempdir()?;
    let app = App::open(home.path()).await?;
    let store = Store::open(&home.path().join("slipstream.sqlite3")).await?;
    let began = Instant::now();
    fill(&store).await?;
    println!(
        "{CONVERSATIONS} conversations of {} messages each: made in {:.1} s",
        2 * QUESTIONS,
        began.elapsed().as_secs_f64()
    );
    report("list", async || Ok(app.conversations().await?.len())).await?;
    report("open a conversation", async || Ok(app.messages(7).await?.len())).await?;
    for text in ["the", "t", "a", "water fre", "river wh", "what is the differen", "meander", "nowhere"] {
        let found = async || {
            let found = app.search(text).await?;
            Ok(found.iter().map(|found| found.passages.len()).sum())
        };
        report(&format!("search “{text}”"), found).await?;
    }
    Ok(())
}

/// Prints the median of how long `work` takes, and how much it gives.
async fn report(what: &str, work: impl AsyncFn() -> Outcome<usize>) -> Outcome {
    let mut times = Vec::new();
    let mut given = 0;
    for _ in 0..TIMES {
        let began = Instant::now();
        given = work().await?;
        times.push(began.elapsed());
    }
    times.sort();
    let median: Duration = times[TIMES / 2];
    println!("{what:<32} {:>8.2} ms   ({given})", median.as_secs_f64() * 1e3);
    Ok(())
}

/// Conversations in the words of the built-in suites, as often as they come there.
async fn fill(store: &Store) -> Outcome {
    let target = Checkpoint {
        role: Role::Target,
        kind: "gemma4".into(),
        folder: "/t".into(),
        source: Source::Folder,
        revision_id: None,
        summary: String::new(),
        bytes: 0,
        draft_limit: None,
        draft_usual: None,
        draft_confident: None,
        chat_template: Some(true),
    };
    store.add_model(Some("t"), &target).await?;
    let prompts = Suite::ALL.iter().flat_map(Suite::prompts).collect::<Vec<_>>();
    let words = prompts.iter().flat_map(|prompt| prompt.split_whitespace()).collect::<Vec<_>>();
    let mut random = Random::new(1);
    for _ in 0..CONVERSATIONS {
        let title = *random.pick(&prompts);
        let conversation = store.add_conversation(title).await?.id;
        for _ in 0..QUESTIONS {
            let text = *random.pick(&prompts);
            let answer = store.ask(Ask::Next { conversation, text, attachments: &[] }, "t", None).await?.answer.id;
            let text = (0..WORDS).map(|_| *random.pick(&words)).collect::<Vec<_>>().join(" ");
            let written = Written { thought: "", text: &text };
            store.end_message(answer, written, State::Complete, None, None).await?;
        }
    }
    Ok(())
}
