//! How fast plain decoding could be at most, by what this machine reads of its memory in a second.

use app::{App, Precision};
use engine::Plan;
use tests::{Outcome, tiny};

#[tokio::test]
async fn the_ceiling_is_what_the_machine_reads_in_a_second_by_what_a_token_reads() -> Outcome {
    let (home, models) = (tempfile::tempdir()?, tiny::models().await?);
    let folder = models.path().join(tiny::TARGET);
    let app = App::open(home.path()).await?;
    let target = app.add_model(&folder, None, None).await?.id;
    let ceiling = app.bandwidth_ceiling(&target, Precision::AsStored, 8).await?.ok_or("memory is short")?;

    assert_eq!(ceiling.bytes_per_token, Plan::of(&folder, None, Precision::AsStored)?.bytes_read(8));
    assert!(ceiling.bandwidth.is_finite() && ceiling.bandwidth > 0.0);
    #[expect(clippy::cast_precision_loss, reason = "the target is tiny")]
    let step = ceiling.bytes_per_token as f64;
    assert!((ceiling.tokens_per_s() * step / ceiling.bandwidth - 1.0).abs() < 1e-12);
    Ok(())
}
