//! Something else arrives than was listed.

use hub::Error;
use tests::{
    Outcome,
    hub::{Content, Quirk, Repo},
};

use crate::bench::{Bench, ID, SIZE, WEIGHTS, check_whole, names, usual};

/// That the download fails with a sentence that holds `why`, and leaves nothing that counts.
async fn check_refused(bench: &Bench, why: &str) -> Outcome {
    let failed = bench.client.download(ID).await;
    let Err(error @ (Error::Content { .. } | Error::Unreachable { .. })) = &failed else {
        return Err(format!("{failed:?}").into());
    };
    let sentence = error.to_string();
    assert!(sentence.contains(why) && sentence.contains(WEIGHTS), "{sentence}");
    assert!(names(&bench.root(), "repos")?.is_empty());
    assert!(!bench.client.blobs.has(&Content::noise(SIZE, 1).hash(true)));
    Ok(())
}

#[tokio::test]
async fn a_wrong_answer_starts_the_file_again_once() -> Outcome {
    let wrongs = [
        Quirk::Empty,
        Quirk::Length(10),
        Quirk::Length(SIZE * 2),
        Quirk::Shifted,
        Quirk::Whole,
        Quirk::Corrupt,
        Quirk::status(416),
        Quirk::Text("text/html", "<!DOCTYPE html><title>Sign in</title>"),
    ];
    for wrong in wrongs {
        let bench = Bench::usual()?;
        let folder = bench.after([Quirk::Fine, wrong.clone()]).await.map_err(|error| format!("{wrong:?}: {error}"))?;
        check_whole(&folder, &usual())?;
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_that_stays_wrong_is_an_error_that_says_what_came() -> Outcome {
    let wrongs = [
        (Quirk::Empty, "0 are announced"),
        (Quirk::Length(10), "10 are announced"),
        (Quirk::Length(SIZE * 2), "are announced"),
        (Quirk::Shifted, "holds others"),
        (Quirk::Corrupt, "another hash"),
        (Quirk::status(416), "fewer bytes"),
        (Quirk::Text("text/html", "<!DOCTYPE html><title>Sign in</title>"), "an HTML page"),
        (Quirk::Text("application/json", "{\"error\":\"no\"}"), "a message about an error"),
        (Quirk::Text("text/plain", "version https://git-lfs.github.com/spec/v1\noid"), "a Git LFS pointer"),
    ];
    for (wrong, why) in wrongs {
        let bench = Bench::usual()?;
        bench.fake.next(WEIGHTS, vec![wrong; 100]);
        check_refused(&bench, why).await?;
    }
    Ok(())
}

#[tokio::test]
async fn other_content_under_the_same_path_is_refused() -> Outcome {
    let bench = Bench::usual()?;
    bench.fake.swap(WEIGHTS, &Content::noise(SIZE, 2));
    check_refused(&bench, "another content").await?;
    bench.fake.swap(WEIGHTS, &Content::noise(SIZE - 1, 1));
    check_refused(&bench, "bytes now").await
}

#[tokio::test]
async fn a_small_file_is_verified_too() -> Outcome {
    let bench = Bench::of(vec![Repo::new(ID).small(WEIGHTS, Content::noise(SIZE, 1))])?;
    bench.fake.swap(WEIGHTS, &Content::noise(SIZE, 2));
    check_refused(&bench, "another hash").await
}

#[tokio::test]
async fn a_content_that_changes_between_two_pieces_is_noticed() -> Outcome {
    let bench = Bench::usual()?;
    let listing = bench.client.listing(ID).await?;
    bench.fake.next(WEIGHTS, vec![Quirk::Drop(1000); 100]);
    bench.fake.next(WEIGHTS, [Quirk::Stall(10)]);
    let control = hub::Control::new();
    let (ended, ()) = tokio::join!(bench.client.fetch_under(&listing, &control), async {
        while bench.fake.sent() < 20_000 {
            tokio::task::yield_now().await;
        }
        bench.fake.swap(WEIGHTS, &Content::noise(SIZE, 2));
    });
    assert!(matches!(ended, Err(Error::Content { .. })), "{ended:?}");
    Ok(())
}
