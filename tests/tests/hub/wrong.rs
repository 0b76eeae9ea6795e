//! Something else arrives than was listed.

use hub::Error;
use tests::{
    Outcome,
    hub::{Content, Quirk, Repo, Seen},
};

use crate::bench::{Bench, ID, SIZE, WEIGHTS, check_whole, in_turn, names, usual, weights};

/// That the download fails with a sentence that holds `why`, and leaves nothing that counts.
async fn check_refused(bench: &Bench, why: &str) -> Outcome {
    let failed = bench.client.download(ID).await;
    let Err(error @ (Error::Content { .. } | Error::Unreachable { .. } | Error::Odd { .. })) = &failed else {
        return Err(format!("{failed:?}").into());
    };
    let sentence = error.to_string();
    assert!(sentence.contains(why) && sentence.contains(WEIGHTS), "{sentence}");
    assert!(names(&bench.root(), "repos")?.is_empty());
    assert!(!bench.client.blobs.has(&weights()?));
    Ok(())
}

/// Answers that are not what was asked for, with what they are.
fn answers() -> Vec<(Quirk, &'static str)> {
    vec![
        (Quirk::Empty, "0 are announced"),
        (Quirk::Length(10), "10 are announced"),
        (Quirk::Length(SIZE * 2), "are announced"),
        (Quirk::Shifted, "holds others"),
        (Quirk::status(416), "fewer bytes"),
        (Quirk::Encoded, "compressed"),
        (Quirk::Text("text/html", "<!DOCTYPE html><title>Sign in</title>"), "an HTML page"),
        (Quirk::Text("application/json", "{\"error\":\"no\"}"), "a message about an error"),
        (Quirk::Text("text/plain", "version https://git-lfs.github.com/spec/v1\noid"), "a Git LFS pointer"),
    ]
}

/// How often the beginning of the weights was asked for.
fn begun(bench: &Bench) -> usize {
    let is_first = |seen: &&Seen| seen.range.as_ref().is_some_and(|range| range.starts_with("bytes=0-"));
    bench.fake.fetched().iter().filter(is_first).count()
}

#[tokio::test]
async fn another_content_starts_the_file_again_once() -> Outcome {
    let bench = Bench::usual()?;
    check_whole(&bench.after([Quirk::Fine, Quirk::Corrupt]).await?, &usual())
}

#[tokio::test]
async fn a_wrong_answer_costs_no_piece_but_its_own() -> Outcome {
    let whole = [(Quirk::Whole, ""), (Quirk::Excess, "")];
    for (wrong, _) in answers().into_iter().chain(whole) {
        let bench = Bench::limited(vec![usual()], in_turn())?;
        let folder = bench.after([Quirk::Fine, Quirk::Fine, wrong.clone()]).await;
        check_whole(&folder.map_err(|error| format!("{wrong:?}: {error}"))?, &usual())?;
        assert_eq!(begun(&bench), 1, "{wrong:?}");
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_that_stays_wrong_ends_the_download_and_what_has_arrived_stays() -> Outcome {
    for (wrong, why) in answers() {
        let bench = Bench::limited(vec![usual()], in_turn())?;
        bench.fake.next(WEIGHTS, [Quirk::Fine, Quirk::Fine]);
        bench.fake.next(WEIGHTS, vec![wrong.clone(); 100]);
        check_refused(&bench, why).await?;
        assert_eq!(bench.fake.fetched().iter().filter(|seen| seen.range.is_some()).count(), 6, "{wrong:?}");
        bench.fake.heal();
        check_whole(&bench.client.download(ID).await?, &usual())?;
        assert_eq!(begun(&bench), 1, "{wrong:?}");
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_that_is_wrong_from_the_beginning_is_an_error_that_says_what_came() -> Outcome {
    for (wrong, why) in answers().into_iter().chain([(Quirk::Corrupt, "another hash")]) {
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
