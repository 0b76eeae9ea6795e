//! What the Hub says of repos.

use hub::{Access, Error, Gated, Hash, Hub, Search};
use serde_json::json;
use tests::{
    Outcome,
    hub::{Client, Content, Origin, Quirk, Repo, Seen, hasty},
};

use crate::bench::{Bench, ID, SIZE, WEIGHTS, check_whole, usual};

#[tokio::test]
async fn a_listing_has_the_canonical_id_the_commit_and_every_hash() -> Outcome {
    let mut repo = usual();
    (repo.id, repo.gated) = ("Owner/Name".to_owned(), json!("auto"));
    repo.card = json!({ "license": "gemma" });
    let bench = Bench::of(vec![repo.clone()])?;
    let listing = bench.client.listing("owner/NAME").await?;
    assert_eq!(listing.id.to_string(), "Owner/Name");
    assert_eq!(listing.commit.to_string(), repo.commit);
    assert_eq!((listing.licence.as_deref(), listing.gated), (Some("gemma"), Gated::Auto));
    let files: Vec<_> = listing.files.iter().map(|file| (file.path.as_str(), file.size, file.hash)).collect();
    let weights = Content::noise(SIZE, 1).hash(true);
    // `git hash-object` of `{}`.
    let config: Hash = "9e26dfeeb6e641a33dae4961196235bdb965b21b".parse()?;
    assert_eq!(files, [(WEIGHTS, SIZE, weights), ("config.json", 2, config)]);
    Ok(())
}

#[tokio::test]
async fn what_the_card_leaves_out_the_tags_say() -> Outcome {
    let mut repo = usual();
    repo.tags = json!(["mlx", "license:apache-2.0"]);
    let listing = Bench::of(vec![repo])?.client.listing(ID).await?;
    assert_eq!(listing.licence.as_deref(), Some("apache-2.0"));
    Ok(())
}

#[tokio::test]
async fn pages_are_followed_on_the_hub_alone() -> Outcome {
    let repo = (0..25).fold(Repo::new(ID), |repo, at| repo.small(&format!("{at}.json"), Content::of(*b"x")));
    let bench = Bench::of(vec![repo])?;
    // Their addresses are another server's, as behind a mirror.
    bench.fake.page(4);
    assert_eq!(bench.client.listing(ID).await?.files.len(), 25);
    for link in ["</elsewhere?a=b&cursor=24>; rel=next", "<//other:1/x?cursor=24>;title=\"a, b\"; rel=\"next\", <y>"] {
        bench.fake.next("tree", [Quirk::Status(200, vec![("Link", link.to_owned())], "[]".to_owned())]);
        assert_eq!(bench.client.listing(ID).await?.files.len(), 2, "{link}");
    }
    let tree = format!("/api/models/{ID}/tree/");
    let is_known = |seen: &Seen| seen.target.starts_with(&tree) || seen.target.ends_with("/revision/main");
    assert!(bench.fake.seen().iter().all(|seen| seen.origin == Origin::Hub && is_known(seen)));
    bench.fake.next("tree", [Quirk::Status(200, vec![("Link", "</x>; rel=\"next\"".to_owned())], "[]".to_owned())]);
    assert!(matches!(bench.client.listing(ID).await, Err(Error::Odd { .. })));
    Ok(())
}

#[tokio::test]
async fn pages_end() -> Outcome {
    let bench = Bench::usual()?;
    let link = "</api/models/owner/name/tree/x?cursor=y>; rel=\"next\"".to_owned();
    bench.fake.next("tree", vec![Quirk::Status(200, vec![("Link", link)], "[]".to_owned()); 1001]);
    assert!(matches!(bench.client.listing(ID).await, Err(Error::Odd { .. })));
    Ok(())
}

#[tokio::test]
async fn answers_are_capped_and_the_cap_is_named() -> Outcome {
    let bench = Bench::usual()?;
    bench.fake.next("tree", [Quirk::Length((32 << 20) + 1)]);
    let failed = bench.client.listing(ID).await;
    assert!(matches!(failed, Err(Error::TooLarge { limit: 33_554_432, .. })), "{failed:?}");
    bench.fake.next("repo", [Quirk::Status(400, Vec::new(), "x".repeat(1 << 20))]);
    assert!(matches!(bench.client.listing(ID).await, Err(Error::Refused { status: 400, .. })));
    Ok(())
}

#[tokio::test]
async fn an_answer_that_is_no_listing_says_what_it_is() -> Outcome {
    let bench = Bench::usual()?;
    for what in ["repo", "tree"] {
        bench.fake.next(what, [Quirk::Text("text/html", "<html>Sign in to the hotel</html>")]);
        let failed = bench.client.listing(ID).await;
        let Err(error @ Error::Odd { .. }) = failed else { return Err(format!("{failed:?}").into()) };
        assert!(error.to_string().contains("an HTML page"), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn a_listing_survives_transient_failures() -> Outcome {
    let bench = Bench::usual()?;
    bench.fake.next("repo", [Quirk::status(503), Quirk::busy("0"), Quirk::Drop(10)]);
    bench.fake.next("tree", [Quirk::Stall(10), Quirk::status(500)]);
    assert_eq!(bench.client.listing(ID).await?.files.len(), 2);
    Ok(())
}

#[tokio::test]
async fn a_revision_that_is_none_is_not_asked_for() -> Outcome {
    let bench = Bench::usual()?;
    let id = ID.parse()?;
    for revision in ["", ".", "..", "a/../b", "a b", "a\nb", "a\\b", &"x".repeat(300)] {
        let failed = bench.client.hub.listing(&id, revision).await;
        assert!(matches!(failed, Err(Error::BadRevision { .. })), "{revision:?}");
    }
    assert!(bench.fake.seen().is_empty());
    assert!(matches!(bench.client.hub.listing(&id, "refs/pr/1").await, Err(Error::NotFound { .. })));
    assert!(bench.fake.seen()[0].target.ends_with("/revision/refs%2Fpr%2F1"));
    Ok(())
}

#[tokio::test]
async fn one_content_has_one_length() -> Outcome {
    let bench = Bench::usual()?;
    let entry = |path: &str, size: u64| json!({ "type": "file", "path": path, "size": size, "oid": "a".repeat(40) });
    let entries = json!([entry("a.json", 1), entry("b.json", 1), entry("c.json", 2)]).to_string();
    bench.fake.next("tree", [Quirk::Status(200, Vec::new(), entries)]);
    let failed = bench.client.listing(ID).await;
    let Err(error @ Error::Odd { .. }) = failed else { return Err(format!("{failed:?}").into()) };
    assert!(error.to_string().contains("c.json"), "{error}");
    Ok(())
}

#[tokio::test]
async fn a_redirect_may_name_a_path_alone() -> Outcome {
    let bench = Bench::usual()?;
    let absolute = format!("/api/models/{ID}/revision/main");
    bench.fake.next("repo", [Quirk::Redirect(absolute), Quirk::Redirect("main".to_owned()), Quirk::Fine]);
    assert_eq!(bench.client.listing(ID).await?.files.len(), 2);
    bench.fake.next(WEIGHTS, [Quirk::Redirect(format!("../name/{WEIGHTS}?again")), Quirk::Drop(10)]);
    check_whole(&bench.client.download(ID).await?, &usual())
}

#[tokio::test]
async fn a_small_file_is_read_without_a_download_and_verified() -> Outcome {
    let big = Content::noise((16 << 20) + 1, 1);
    // This takes a while, once.
    let _ = big.hash(true);
    let repo = usual().large("big.json", big);
    let bench = Bench::of(vec![repo])?;
    let listing = bench.client.listing(ID).await?;
    let small = async |path: &str| bench.client.hub.small(&listing, &path.parse()?).await;
    assert_eq!(small("config.json").await?, b"{}");
    assert_eq!(small(WEIGHTS).await?, Content::noise(SIZE, 1).bytes());
    assert!(matches!(small("big.json").await, Err(Error::TooLarge { limit: 16_777_216, .. })));
    assert!(matches!(small("none.json").await, Err(Error::NotFound { .. })));
    bench.fake.next("config.json", [Quirk::Text("text/plain", "version https://git-lfs.github.com/spec/v1\n")]);
    let Err(error) = small("config.json").await else { return Err("a pointer passed for the file".into()) };
    assert!(error.to_string().contains("a Git LFS pointer"), "{error}");
    bench.fake.next("config.json", [Quirk::Corrupt]);
    assert!(matches!(small("config.json").await, Err(Error::Odd { .. })));
    Ok(())
}

#[tokio::test]
async fn the_beginning_of_a_file_is_read_alone() -> Outcome {
    let bench = Bench::usual()?;
    let listing = bench.client.listing(ID).await?;
    let weights = WEIGHTS.parse()?;
    let all = Content::noise(SIZE, 1).bytes();
    assert_eq!(bench.client.hub.head_of(&listing, &weights, 1000).await?, all[..1000]);
    assert_eq!(bench.fake.sent(), 1000);
    assert_eq!(bench.client.hub.head_of(&listing, &weights, SIZE * 2).await?, all);
    bench.fake.next(WEIGHTS, [Quirk::Whole]);
    assert_eq!(bench.client.hub.head_of(&listing, &weights, 1000).await?, all[..1000]);
    for wrong in [Quirk::Whole, Quirk::Shifted, Quirk::Encoded] {
        bench.fake.heal();
        bench.fake.next(WEIGHTS, vec![wrong.clone(); 9]);
        let failed = bench.client.hub.head_of(&listing, &weights, 1000).await;
        assert!(matches!(failed, Err(Error::Odd { .. })), "{wrong:?}: {failed:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_search_comes_in_pages() -> Outcome {
    let mut repos: Vec<_> = (0..5).map(|at| Repo::new(&format!("google/gemma-{at}"))).collect();
    repos.push(Repo::new("gemma-without-owner"));
    repos.push(Repo::new("google/else"));
    let bench = Bench::of(repos)?;
    let mut search = Search { text: "gemma".into(), limit: 2, cursor: None };
    let mut found = Vec::new();
    loop {
        let page = bench.client.hub.search(&search).await?;
        assert!(page.items.len() <= 2);
        found.extend(page.items.into_iter().map(|found| found.id.name().to_owned()));
        search.cursor = page.next;
        if search.cursor.is_none() {
            break;
        }
    }
    assert_eq!(found, ["gemma-0", "gemma-1", "gemma-2", "gemma-3", "gemma-4"]);
    Ok(())
}

#[tokio::test]
async fn an_endpoint_may_have_a_path() -> Outcome {
    let bench = Bench::usual()?;
    let endpoint = Access::endpoint(&format!("{}/mirror/", bench.fake.endpoint()))?;
    let hub = Hub::with(Access { endpoint, token: None, offline: false }, hasty())?;
    let client = Client { hub, ..bench.client.clone() };
    bench.fake.page(1);
    check_whole(&client.download(ID).await?, &usual())?;
    let seen = bench.fake.seen();
    assert!(seen.iter().all(|seen| seen.target.starts_with("/mirror/") == (seen.origin == Origin::Hub)), "{seen:?}");
    Ok(())
}

#[tokio::test]
async fn nobody_who_looks_on_waits_for_as_long_as_a_server_asks() -> Outcome {
    let bench = Bench::usual()?;
    bench.fake.next("repo", [Quirk::busy("100000")]);
    let refused = bench.client.listing(ID).await.err().ok_or("it was listed")?;
    assert!(refused.to_string().contains("left alone for 100000 s"), "{refused}");
    assert_eq!(bench.fake.seen().len(), 1);
    Ok(())
}
