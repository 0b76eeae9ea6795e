//! How fast plain decoding could be at most, by what this machine reads of its memory in a second.

use std::path::PathBuf;

use app::{App, Precision};
use engine::Plan;
use tempfile::TempDir;
use tests::{Outcome, tiny};

/// So many tokens that their keys and values are more than a processor keeps to itself.
const MANY: usize = 1 << 20;

/// An app for which memory is never short, its tiny target's id and folder, and what they lie in.
async fn app() -> Outcome<(App, String, PathBuf, [TempDir; 2])> {
    let (home, models) = (tempfile::tempdir()?, tiny::models().await?);
    let folder = models.path().join(tiny::TARGET);
    let app = App::open(home.path()).await?;
    app.set_memory_reserve(Some(0)).await?;
    let target = app.add_model(&folder, None, None).await?.id;
    Ok((app, target, folder, [home, models]))
}

#[tokio::test]
async fn the_ceiling_is_what_the_machine_reads_in_a_second_by_what_a_token_reads() -> Outcome {
    let (app, target, folder, _home) = app().await?;
    let ceiling = app.bandwidth_ceiling(&target, Precision::Float32, MANY).await?.ok_or("memory is short")?;

    assert_eq!(ceiling.bytes_per_token, Plan::of(&folder, None, Precision::Float32)?.bytes_read(MANY));
    assert!(ceiling.bandwidth.is_finite() && ceiling.bandwidth > 0.0);
    #[expect(clippy::cast_precision_loss, reason = "the target is tiny")]
    let bytes = ceiling.bytes_per_token as f64;
    assert!((ceiling.tokens_per_s() * bytes / ceiling.bandwidth - 1.0).abs() < 1e-12);
    Ok(())
}

#[tokio::test]
async fn what_a_processor_keeps_to_itself_has_no_ceiling() -> Outcome {
    let (app, target, _folder, _home) = app().await?;
    assert_eq!(app.bandwidth_ceiling(&target, Precision::Float32, 8).await?, None);
    Ok(())
}
