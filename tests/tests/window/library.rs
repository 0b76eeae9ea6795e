//! From the search to chatting with what was downloaded, and keeping it: a Hub on loopback, and everything else real.

use std::time::Duration;

use serde_json::json;
use tests::{
    Outcome,
    hub::{Origin, Pace, Repo, TOKEN},
    library::{Bench, bare, cached, of_folder, spoil},
    tiny,
};

use crate::{alone, page::Window};

const TARGET: &str = "Owner/gemma-4-tiny-it";
const DRAFTER: &str = "Owner/gemma-4-tiny-dspark";
const OBSTACLE: &str = "[data-testid=obstacle]";
const FACTS: &str = "[data-testid=offer] dl";
const WEIGHTS: &str = "model.safetensors";

#[tokio::test]
async fn from_the_search_to_chatting_with_what_was_downloaded() -> Outcome {
    alone(async {
        let mut target = repo(TARGET, tiny::TARGET).await?;
        target.gated = json!("auto");
        let bench = hub_with([target, repo(DRAFTER, tiny::DRAFTER).await?]).await?;
        let window = Window::open_at(&bench).await?;
        search(&window, "tiny").await?;

        window.click_on("hit", TARGET).await?;
        window.text_of(OBSTACLE, |why| why.contains("enter a token")).await?;
        window.fill("[data-testid=offer] [type=password]", TOKEN).await?;
        window.press("Use token").await?;
        window.text_of(FACTS, |facts| facts.contains("Target, gemma3") && facts.contains("gemma;")).await?;
        download(&window).await?;
        window.text_of("[data-testid=download][data-state=done]", |job| job.contains(TARGET)).await?;
        window.press("Back").await?;

        window.click_on("hit", DRAFTER).await?;
        window.text_of(FACTS, |facts| facts.contains("Suits gemma-4-tiny-it")).await?;
        download(&window).await?;
        window.text_of("[data-testid=download]:nth-of-type(2)[data-state=done]", |_| true).await?;

        window.click("nav li:first-child button").await?;
        window.pick_named("Target", "gemma-4-tiny-it").await?;
        window.pick_named("Drafter", "gemma-4-tiny-dspark").await?;
        window.limit(40).await?;
        window.write("What does the wind say?").await?;
        window.see("[data-testid=answer][data-state=complete]").await?;
        assert!(window.number("[data-testid=acceptance]", "data-rounds").await? > 0, "it was drafted");

        let seen = bench.fake.seen();
        assert!(seen.iter().any(|seen| seen.authorised), "the token was used");
        assert!(seen.iter().all(|seen| seen.origin == Origin::Hub || !seen.authorised), "and went nowhere else");
        window.close().await
    })
    .await
}

#[tokio::test]
async fn a_download_outlives_a_kill_and_a_model_its_damage_and_its_removal() -> Outcome {
    alone(async {
        let (target, drafter) = (repo(TARGET, tiny::TARGET).await?, repo(DRAFTER, tiny::DRAFTER).await?);
        let bytes: u64 = target.files.iter().map(|file| file.served.size()).sum();
        let bench = hub_with([target, drafter.clone()]).await?;
        cached(&bench.user(), &drafter, |_| true)?;
        let window = pause_and_kill(&bench).await?;
        window.click_on("download", "Resume").await?;
        window.see("[data-testid=download][data-state=done]").await?;
        assert!(bench.fake.sent() < 2 * bytes, "it went on where it was");

        window.press("Your models").await?;
        damage_and_repair(&window, &bench).await?;
        window.press("Remove").await?;
        window.text_of("[data-testid=removed]", |said| said.contains("gemma-4-tiny-it")).await?;
        window.gone("[data-testid=model]").await?;
        window.press("Undo").await?;
        window.see("[data-testid=model][data-role=target]").await?;

        window.text_of("[data-testid=found]", |place| place.contains(DRAFTER)).await?;
        window.click("[data-testid=found] button").await?;
        window.text_of("[data-testid=model][data-role=drafter]", |model| model.contains("Hugging Face cache")).await?;
        window.close().await
    })
    .await
}

/// One of the tiny models as a publisher would show it.
async fn repo(id: &str, name: &str) -> Outcome<Repo> {
    let models = tiny::models().await?;
    let mut repo = of_folder(id, &models.path().join(name))?;
    repo.tags = json!(["gemma-4", "license:gemma"]);
    repo.card = json!({ "license": "gemma" });
    Ok(repo)
}

/// Surroundings whose Hub has these repos.
async fn hub_with(repos: impl IntoIterator<Item = Repo>) -> Outcome<Bench> {
    let bench = Bench::new().await?;
    bench.fake.edit(|known| *known = repos.into_iter().collect());
    bare(&bench.app().await?).await?;
    Ok(bench)
}

async fn search(window: &Window, text: &str) -> Outcome {
    window.click("nav li:nth-child(2) button").await?;
    window.press("Discover").await?;
    window.fill("[aria-label='Search the Hub']", text).await
}

async fn download(window: &Window) -> Outcome {
    window.click("[data-testid=offer] .main:not([disabled])").await
}

/// Pauses a download on its way, kills the app and finds it paused.
async fn pause_and_kill(bench: &Bench) -> Outcome<Window> {
    let window = Window::open_at(bench).await?;
    search(&window, "tiny-it").await?;
    window.click_on("hit", TARGET).await?;
    window.see(".main:not([disabled])").await?;
    bench.fake.pace(Some(Pace { bytes: 1 << 12, pause: Duration::from_millis(200) }));
    download(&window).await?;
    window.see("[data-testid=download][data-state=running]").await?;
    window.press("Pause").await?;
    window.see("[data-testid=download][data-state=paused]").await?;
    window.kill().await;

    bench.fake.pace(None);
    let window = Window::open_at(bench).await?;
    window.click("nav li:nth-child(2) button").await?;
    window.see("[data-testid=download][data-state=paused]").await?;
    Ok(window)
}

/// A changed byte is found, and that file alone is fetched again.
async fn damage_and_repair(window: &Window, bench: &Bench) -> Outcome {
    const PROOF: &str = "[data-testid=proof]";
    window.press("Verify files").await?;
    window.text_of(PROOF, |said| said.contains("are what their hashes say")).await?;
    let models = bench.app().await?.models().await?;
    spoil(&models.first().ok_or("there is no model")?.folder.join(WEIGHTS))?;
    window.press("Verify files").await?;
    window.text_of(PROOF, |said| said.contains("1 are broken") && said.contains(WEIGHTS)).await?;
    let before = bench.app().await?.downloads().await?.into_iter().map(|download| download.id).max();
    window.press("Repair").await?;
    let repair = before.unwrap_or(0) + 1;
    window.see(&format!("[data-download='{repair}'][data-state=done]")).await?;
    window.press("Verify files").await?;
    window.text_of(PROOF, |said| said.contains("are what their hashes say")).await?;
    Ok(())
}
