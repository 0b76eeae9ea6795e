//! A download that goes well, or well enough.

use std::time::Duration;

use hub::{Control, Error, Phase, Progress};
use tests::{
    Outcome,
    hub::{Content, Origin, Pace, Quirk, Repo, everything, hasty},
};
use tokio::sync::watch;

use crate::bench::{Bench, ID, SIZE, WEIGHTS, check_whole, names, usual};

#[tokio::test]
async fn a_revision_arrives_whole_and_is_fetched_once() -> Outcome {
    let bench = Bench::usual()?;
    let folder = bench.client.download(ID).await?;
    check_whole(&folder, &usual())?;
    assert_eq!(bench.fake.sent(), SIZE + 2);
    assert_eq!(bench.client.download(ID).await?, folder);
    assert_eq!(bench.fake.sent(), SIZE + 2, "the second download fetched something");
    assert!(names(&bench.root(), "partial")?.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_file_without_bytes_is_complete_at_once() -> Outcome {
    let repo = Repo::new(ID).small("empty.txt", Content::of(*b"")).large("empty.safetensors", Content::of(*b""));
    let bench = Bench::of(vec![repo.clone()])?;
    check_whole(&bench.client.download(ID).await?, &repo)?;
    assert!(bench.fake.fetched().is_empty());
    Ok(())
}

#[tokio::test]
async fn one_content_under_two_paths_is_fetched_and_kept_once() -> Outcome {
    let content = Content::noise(SIZE, 3);
    let repo = Repo::new(ID).large("a.safetensors", content.clone()).large("deep/er/b.safetensors", content);
    let bench = Bench::of(vec![repo.clone()])?;
    check_whole(&bench.client.download(ID).await?, &repo)?;
    assert_eq!(bench.fake.sent(), SIZE);
    assert_eq!(names(&bench.root(), "blobs")?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn two_revisions_share_what_they_have_in_common() -> Outcome {
    let bench = Bench::usual()?;
    bench.client.download(ID).await?;
    let mut next = usual().small("generation_config.json", Content::of(*b"{\"top_k\":64}"));
    next.commit = "f".repeat(40);
    bench.fake.edit(|repos| repos[0] = next.clone());
    let before = bench.fake.sent();
    check_whole(&bench.client.download(ID).await?, &next)?;
    assert_eq!(bench.fake.sent() - before, 12);
    assert_eq!(names(&bench.root(), "blobs")?.len(), 3);
    Ok(())
}

#[tokio::test]
async fn transient_failures_are_survived() -> Outcome {
    let troubles = [
        Quirk::status(500),
        Quirk::status(503),
        Quirk::status(408),
        Quirk::busy("0"),
        Quirk::busy("100000"),
        Quirk::busy("soon"),
        Quirk::busy("Sun, 06 Nov 1994 08:49:37 GMT"),
        Quirk::Drop(0),
        Quirk::Drop(1000),
        Quirk::Stall(0),
        Quirk::Stall(1000),
    ];
    for trouble in troubles {
        let bench = Bench::usual()?;
        let folder = bench.after([trouble.clone()]).await.map_err(|error| format!("{trouble:?}: {error}"))?;
        check_whole(&folder, &usual())?;
    }
    Ok(())
}

#[tokio::test]
async fn a_drop_costs_no_byte_twice() -> Outcome {
    let bench = Bench::usual()?;
    bench.after([Quirk::Drop(1000), Quirk::Drop(64), Quirk::Drop(7)]).await?;
    assert_eq!(bench.fake.sent(), SIZE + 2);
    Ok(())
}

#[tokio::test]
async fn a_server_that_always_fails_is_left_after_a_bounded_number_of_attempts() -> Outcome {
    let bench = Bench::of(vec![Repo::new(ID).large(WEIGHTS, Content::noise(1000, 1))])?;
    let failed = bench.after(vec![Quirk::status(502); 100]).await;
    assert!(matches!(failed, Err(Error::Unreachable { attempts: 4, .. })), "{failed:?}");
    assert_eq!(bench.fake.fetched().iter().filter(|seen| seen.origin == Origin::Cdn).count(), 4);
    assert!(names(&bench.root(), "repos")?.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_listing_is_given_up_sooner_than_a_download() -> Outcome {
    let limits = hub::Limits { attempts: 20, ..hasty() };
    let bench = Bench::limited(vec![Repo::new(ID).large(WEIGHTS, Content::noise(1000, 1))], limits)?;
    bench.fake.next("repo", vec![Quirk::status(503); 4]);
    assert!(matches!(bench.client.listing(ID).await, Err(Error::Unreachable { attempts: 4, .. })));
    bench.after(vec![Quirk::status(503); 19]).await?;
    Ok(())
}

#[tokio::test]
async fn a_body_need_not_tell_its_length() -> Outcome {
    for quirk in [Quirk::Chunked, Quirk::Unframed] {
        let bench = Bench::usual()?;
        bench.fake.next("config.json", [quirk.clone()]);
        check_whole(&bench.after(vec![quirk.clone(); 6]).await?, &usual())?;
        assert_eq!(bench.fake.sent(), SIZE + 2, "{quirk:?}");
        // Closed early, it looks as if it were complete.
        let bench = Bench::of(vec![Repo::new(ID).small("config.json", Content::noise(1000, 1))])?;
        bench.fake.next("config.json", [Quirk::Cut(Box::new(quirk), 10)]);
        bench.client.download(ID).await?;
        assert_eq!(bench.fake.sent(), 1000);
    }
    Ok(())
}

#[tokio::test]
async fn contents_are_asked_for_as_they_are() -> Outcome {
    let bench = Bench::usual()?;
    bench.client.download(ID).await?;
    assert!(bench.fake.seen().iter().all(|seen| seen.encoding.as_deref() == Some("identity")));
    Ok(())
}

#[tokio::test]
async fn more_requests_run_side_by_side_where_the_first_is_slow() -> Outcome {
    let hour = Duration::from_hours(1);
    for (alone, pause, most) in [(hour, 0, 1), (Duration::from_millis(10), 20, 6)] {
        let repo = Repo::new(ID).large(WEIGHTS, Content::noise(8 * SIZE, 1));
        let bench = Bench::limited(vec![repo.clone()], hub::Limits { alone, ..hasty() })?;
        bench.fake.pace(Some(Pace { bytes: 16 << 10, pause: Duration::from_millis(pause) }));
        check_whole(&bench.client.download(ID).await?, &repo)?;
        assert_eq!(bench.fake.busiest(), most, "alone for {alone:?}");
    }
    Ok(())
}

#[tokio::test]
async fn only_a_strong_name_guards_a_range() -> Outcome {
    for is_weak in [false, true] {
        let bench = Bench::usual()?;
        if is_weak {
            bench.fake.weaken_tags();
        }
        check_whole(&bench.after([Quirk::Drop(1000)]).await?, &usual())?;
        check_whole(&bench.client.download(ID).await?, &usual())?;
        assert_eq!(bench.fake.seen().iter().all(|seen| seen.if_range.is_none()), is_weak);
        assert_eq!(bench.fake.sent(), SIZE + 2);
    }
    Ok(())
}

#[tokio::test]
async fn any_progress_renews_the_patience() -> Outcome {
    let bench = Bench::of(vec![Repo::new(ID).large(WEIGHTS, Content::noise(1000, 1))])?;
    bench.after(vec![Quirk::Drop(10); 20]).await?;
    Ok(())
}

#[tokio::test]
async fn what_the_server_refuses_is_not_asked_again() -> Outcome {
    for status in [400, 401, 403, 404, 410, 451] {
        let repo = Repo::new(ID).small("config.json", Content::of(*b"{}"));
        let bench = Bench::of(vec![repo])?;
        bench.fake.next("config.json", vec![Quirk::status(status); 9]);
        assert!(bench.client.download(ID).await.is_err());
        assert_eq!(bench.fake.fetched().len(), 1, "{status}");
    }
    Ok(())
}

#[tokio::test]
async fn what_another_server_does_not_have_is_not_asked_again() -> Outcome {
    for status in [404, 410, 451] {
        let bench = Bench::of(vec![Repo::new(ID).large(WEIGHTS, Content::noise(1000, 1))])?;
        assert!(bench.after(vec![Quirk::status(status); 9]).await.is_err());
        assert_eq!(bench.fake.fetched().iter().filter(|seen| seen.origin == Origin::Cdn).count(), 1, "{status}");
    }
    Ok(())
}

#[tokio::test]
async fn an_expired_address_is_signed_again() -> Outcome {
    let bench = Bench::usual()?;
    bench.fake.sign_for(2);
    check_whole(&bench.client.download(ID).await?, &usual())?;
    assert_eq!(bench.fake.sent(), SIZE + 2);
    Ok(())
}

#[tokio::test]
async fn an_address_that_is_refused_when_it_is_fresh_ends_the_download() -> Outcome {
    let bench = Bench::usual()?;
    bench.fake.sign_for(0);
    let failed = bench.client.download(ID).await;
    assert!(matches!(failed, Err(Error::Refused { status: 403, .. })), "{failed:?}");
    for status in [401, 403] {
        let bench = Bench::of(vec![Repo::new(ID).large(WEIGHTS, Content::noise(1000, 1))])?;
        assert!(bench.after(vec![Quirk::status(status); 99]).await.is_err());
        assert_eq!(bench.fake.fetched().iter().filter(|seen| seen.origin == Origin::Cdn).count(), 4, "{status}");
    }
    Ok(())
}

#[tokio::test]
async fn a_download_that_does_not_fit_beside_the_reserve_does_not_begin() -> Outcome {
    let bench = Bench::limited(vec![usual()], hub::Limits { reserve: u64::MAX / 2, ..hasty() })?;
    let failed = bench.client.download(ID).await;
    assert!(matches!(failed, Err(Error::DiskFull { needed: Some(needed), free }) if needed > free), "{failed:?}");
    assert!(bench.fake.fetched().is_empty());
    Ok(())
}

#[tokio::test]
async fn progress_ends_with_everything_and_is_told_in_order() -> Outcome {
    let bench = Bench::usual()?;
    let listing = bench.client.listing(ID).await?;
    let (progress, heard) = watch::channel(Progress::new());
    let (plan, control) = (everything(&listing), Control::new());
    bench.client.hub.fetch(&listing, &plan, &bench.client.blobs, &control, &progress).await?;
    let last = *heard.borrow();
    assert_eq!((last.phase, last.done, last.total), (Phase::Placing, SIZE + 2, SIZE + 2));
    Ok(())
}
