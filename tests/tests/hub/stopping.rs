//! Pausing, cancelling, and two downloads at once.

use std::{collections::HashSet, time::Duration};

use hub::{Control, Error, Limits};
use tests::{
    Outcome,
    hub::{Pace, Quirk, hasty},
};

use crate::bench::{Bench, ID, SIZE, WEIGHTS, check_whole, names, usual, weights};

/// A download that `stop` ends in its middle.
async fn stopped(bench: &Bench, stop: fn(&Control)) -> Outcome<hub::Result<std::path::PathBuf>> {
    let listing = bench.client.listing(ID).await?;
    bench.fake.pace(Some(Pace { bytes: 512, pause: Duration::from_millis(5) }));
    let control = Control::new();
    let (ended, ()) = tokio::join!(bench.client.fetch_under(&listing, &control), async {
        while bench.fake.sent() < SIZE / 4 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        stop(&control);
    });
    bench.fake.pace(None);
    Ok(ended)
}

#[tokio::test]
async fn a_paused_download_keeps_what_has_arrived() -> Outcome {
    let bench = Bench::usual()?;
    assert!(matches!(stopped(&bench, Control::pause).await?, Err(Error::Paused)));
    assert!(!names(&bench.root(), "partial")?.is_empty());
    check_whole(&bench.client.download(ID).await?, &usual())?;
    let twice = bench.fake.sent() - SIZE;
    assert!(twice < SIZE / 10, "{twice} bytes were fetched more than once");
    Ok(())
}

#[tokio::test]
async fn what_a_cancelled_download_had_begun_is_free_to_be_removed() -> Outcome {
    let bench = Bench::usual()?;
    assert!(matches!(stopped(&bench, Control::cancel).await?, Err(Error::Cancelled)));
    // Another download may need it.
    assert!(!names(&bench.root(), "partial")?.is_empty());
    bench.client.blobs.remove_unreferenced(&HashSet::new())?;
    assert!(names(&bench.root(), "partial")?.is_empty());
    assert!(names(&bench.root(), "repos")?.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_wish_hits_its_own_download_and_none_that_comes_later() -> Outcome {
    let bench = Bench::usual()?;
    let listing = bench.client.listing(ID).await?;
    let (old, new) = (Control::new(), Control::new());
    old.cancel();
    old.pause();
    assert!(matches!(bench.client.fetch_under(&listing, &old).await, Err(Error::Cancelled)));
    check_whole(&bench.client.fetch_under(&listing, &new).await?, &usual())
}

#[tokio::test]
async fn a_download_that_waits_for_a_slow_server_can_be_stopped() -> Outcome {
    let bench = Bench::usual()?;
    bench.fake.next(WEIGHTS, vec![Quirk::Stall(1); 100]);
    let listing = bench.client.listing(ID).await?;
    let control = Control::new();
    let (ended, ()) = tokio::join!(bench.client.fetch_under(&listing, &control), async {
        while bench.fake.sent() < 4 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        control.pause();
    });
    assert!(matches!(ended, Err(Error::Paused)), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn a_download_that_waits_to_try_again_can_be_stopped() -> Outcome {
    let long = Duration::from_hours(1);
    let bench = Bench::limited(vec![usual()], Limits { first_wait: long, longest_wait: long, ..hasty() })?;
    let listing = bench.client.listing(ID).await?;
    bench.fake.next("config.json", [Quirk::status(503)]);
    let control = Control::new();
    let (ended, ()) = tokio::join!(bench.client.fetch_under(&listing, &control), async {
        while bench.fake.fetched().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        control.pause();
    });
    assert!(matches!(ended, Err(Error::Paused)), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn a_download_that_waits_for_another_can_be_stopped() -> Outcome {
    let bench = Bench::usual()?;
    let listing = bench.client.listing(ID).await?;
    let held = std::fs::File::create(bench.root().join("partial").join(weights()?.hash.to_string()))?;
    held.lock()?;
    let control = Control::new();
    let (ended, ()) = tokio::join!(bench.client.fetch_under(&listing, &control), async {
        while !bench.client.blobs.has(&listing.files[1]) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        control.pause();
    });
    assert!(matches!(ended, Err(Error::Paused)), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn two_downloads_of_one_content_share_it() -> Outcome {
    let bench = Bench::usual()?;
    let second = bench.another("store", None)?;
    bench.fake.pace(Some(Pace { bytes: 4096, pause: Duration::from_millis(1) }));
    let (one, other) = tokio::join!(bench.client.download(ID), second.download(ID));
    check_whole(&one?, &usual())?;
    check_whole(&other?, &usual())?;
    assert_eq!(bench.fake.sent(), SIZE + 2);
    assert!(names(&bench.root(), "partial")?.is_empty());
    Ok(())
}

#[tokio::test]
async fn when_the_first_of_two_downloads_is_paused_the_second_goes_on() -> Outcome {
    let bench = Bench::usual()?;
    let second = bench.another("store", None)?;
    let listing = bench.client.listing(ID).await?;
    bench.fake.pace(Some(Pace { bytes: 1024, pause: Duration::from_millis(5) }));
    let control = Control::new();
    let (one, other, ()) = tokio::join!(bench.client.fetch_under(&listing, &control), second.fetch(&listing), async {
        while bench.fake.sent() < SIZE / 4 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        control.pause();
    });
    assert!(matches!(one, Err(Error::Paused)), "{one:?}");
    check_whole(&other?, &usual())
}
