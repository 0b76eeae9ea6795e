//! Names that would lead somewhere else.

use std::str::FromStr;

use hub::{Commit, Error, Hash, RepoId, RepoPath};
use tests::{
    Outcome,
    hub::{Content, Repo},
    random::Random,
};

use crate::bench::{Bench, ID, check_whole, tree, usual};

#[test]
fn an_id_is_an_owner_and_a_name() {
    for text in ["google/gemma-4-E2B-it", "z-lab/gemma4-12B-it-DFlash", "a/b", "a.b/c_d", "1/2", "a/_b", "_a/b_"] {
        assert!(RepoId::from_str(text).is_ok_and(|id| id.to_string() == text), "{text:?}");
    }
    let long = format!("a/{}", "b".repeat(97));
    let refused = [
        "", "..", "a", "a/", "/a", "a/b/c", "../a", "a/..", "./a", "a/.b", "-a/b", "a/b-", "a/b..c", "a--b/c",
        "a/b.git", "a/b.GIT", "a/b c", "a\\b", "a/b\\c", "a/b\0", "a/b\n", "C:/b", "a/b:c", "ä/b", "a/b%2f", "a/b.",
        "~/b", &long,
    ];
    for text in refused {
        assert!(matches!(RepoId::from_str(text), Err(Error::BadId { .. })), "{text:?}");
    }
}

#[test]
fn a_path_stays_where_it_is_joined() {
    for text in ["config.json", "a/b/c.json", ".gitattributes", "über.txt", "a b/c d.txt", "con1/x", "a..b", "...a"] {
        assert!(RepoPath::from_str(text).is_ok_and(|path| path.as_str() == text), "{text:?}");
    }
    let (long, deep) = ("x".repeat(256), "x/".repeat(520) + "x");
    let refused = [
        "",
        "/",
        "/etc/passwd",
        "../x",
        "a/../../x",
        "..",
        ".",
        "./x",
        "a/./b",
        "a//b",
        "a/",
        "a\0b",
        "a\nb",
        "a\u{85}b",
        "..\\x",
        "a\\b",
        "C:",
        "C:/x",
        "c:x",
        "a:stream",
        "CON",
        "nul.txt",
        "a/Aux",
        "com1",
        "LPT9.json",
        "COM¹",
        "con .x",
        "a.",
        "a /b",
        "a/b ",
        &long,
        &deep,
    ];
    for text in refused {
        assert!(matches!(RepoPath::from_str(text), Err(Error::BadPath { .. })), "{text:?}");
    }
}

#[test]
fn commits_and_hashes_are_digits() {
    for text in ["", "main", &"g".repeat(40), &"A".repeat(40), &"a".repeat(41), &format!("../{}", "a".repeat(37))] {
        assert!(Commit::from_str(text).is_err() && Hash::from_str(text).is_err(), "{text:?}");
    }
    assert!(Hash::from_str(&"é".repeat(32)).is_err());
}

#[test]
fn hashes_are_those_of_git_and_of_sha_256() -> Outcome {
    let of = |kind: Hash, text: &[u8]| {
        let mut hasher = kind.hasher(text.len() as u64);
        for byte in text {
            hasher.update(&[*byte]);
        }
        hasher.finish().to_string()
    };
    let (large, small) = (Hash::Sha256([0; 32]), Hash::GitSha1([0; 20]));
    assert_eq!(of(large, b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(of(large, b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    // `printf 'hello\n' | git hash-object --stdin`, and of nothing.
    assert_eq!(of(small, b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    assert_eq!(of(small, b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    assert_eq!(of(large, b"abc").parse::<Hash>()?.to_string(), of(large, b"abc"));
    Ok(())
}

#[tokio::test]
async fn a_hostile_path_is_refused_before_anything_is_made() -> Outcome {
    for path in ["../../escaped", "/escaped", "a/../../escaped", "a\\..\\escaped", "a//b", "./a", "a\0b"] {
        let bench = Bench::of(vec![usual().small(path, Content::of(*b"x"))])?;
        let before = tree(bench.folder.path())?;
        let failed = bench.client.download(ID).await;
        let Err(error @ Error::BadPath { .. }) = failed else { return Err(format!("{path:?}: {failed:?}").into()) };
        assert!(error.to_string().contains(&format!("{path:?}")), "{error}");
        assert_eq!(tree(bench.folder.path())?, before);
    }
    Ok(())
}

#[tokio::test]
async fn a_path_that_some_system_cannot_have_matters_only_if_it_is_needed() -> Outcome {
    let odd = ["C:escaped", "nul", "a.", "samples/12:30.wav", "aux.json"];
    let repo = odd.iter().fold(usual(), |repo, path| repo.small(path, Content::of(*b"odd")));
    let repo = repo.small("readme.md", Content::of(*b"1")).small("README.md", Content::of(*b"2"));
    let bench = Bench::of(vec![repo])?;
    let listing = bench.client.listing(ID).await?;
    let plan = bench.client.hub.plan(&listing).await?;
    assert!(odd.iter().all(|path| plan.skipped.iter().any(|(skipped, _)| skipped == path)), "{:?}", plan.skipped);
    check_whole(&bench.client.fetch_planned(&listing, &plan).await?, &usual())?;
    for (path, is_bad) in [("nul.safetensors", true), ("Model.safetensors", false), ("LICENSE:1", true)] {
        let bench = Bench::of(vec![usual().small(path, Content::of(*b"odd"))])?;
        let failed = bench.client.hub.plan(&bench.client.listing(ID).await?).await;
        assert_eq!(matches!(failed, Err(Error::BadPath { .. })), is_bad, "{path}: {failed:?}");
        assert_eq!(matches!(failed, Err(Error::SamePath { .. })), !is_bad, "{path}: {failed:?}");
    }
    Ok(())
}

#[tokio::test]
async fn paths_that_some_disk_takes_for_one_are_refused() -> Outcome {
    let pairs = [
        ("config.json", "Config.json"),
        ("caf\u{e9}.txt", "cafe\u{301}.txt"),
        ("stra\u{df}e", "STRASSE"),
        ("a", "A/b"),
        ("x/y", "X/Y/z"),
        ("same", "same"),
    ];
    for (first, second) in pairs {
        let repo = Repo::new(ID).small(first, Content::of(*b"1")).small(second, Content::of(*b"2"));
        let failed = Bench::of(vec![repo])?.client.download(ID).await;
        assert!(matches!(failed, Err(Error::SamePath { .. })), "{first} {second}: {failed:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_hostile_id_or_commit_in_an_answer_is_refused() -> Outcome {
    for (id, commit) in [("..", "0"), ("owner/..", "0"), ("a/b/c", "0"), ("owner/name", ".."), ("owner/name", "")] {
        let bench = Bench::usual()?;
        let commit = if commit == "0" { "0".repeat(40) } else { commit.to_owned() };
        let body = format!("{{\"id\":{id:?},\"sha\":{commit:?}}}");
        bench.fake.next("repo", [tests::hub::Quirk::Status(200, Vec::new(), body)]);
        let failed = bench.client.download(ID).await;
        assert!(matches!(failed, Err(Error::BadId { .. } | Error::BadCommit { .. })), "{failed:?}");
    }
    Ok(())
}

/// A path made of what has ever led astray.
fn path(random: &mut Random) -> String {
    const PARTS: &[&str] = &[
        "..",
        ".",
        "",
        "a",
        "b.json",
        "..a",
        "a..",
        "/",
        "\\",
        "C:",
        "nul",
        "\0",
        "x\u{301}",
        "é",
        "~",
        "%2e%2e",
        "$HOME",
        " ",
        "config.json",
        "\u{202e}",
        "*",
        "-rf",
        "\r\n",
        "blobs",
        "partial",
        "COM1",
        "....",
        "repos",
    ];
    let parts: Vec<_> = (0..=random.below(4)).map(|_| *random.pick(PARTS)).collect();
    parts.join(*random.pick(&["/", "/", "/", "", "//", "\\"]))
}

#[tokio::test]
async fn nothing_is_written_outside_of_the_store_whatever_is_listed() -> Outcome {
    let mut random = Random::new(3);
    let mut arrived = 0;
    for round in 0..150 {
        let mut repo = Repo::new(ID);
        for _ in 0..=random.below(3) {
            let content = Content::noise(random.below(100_000) as u64, round);
            let path = path(&mut random);
            repo = if random.below(2) == 0 { repo.large(&path, content) } else { repo.small(&path, content) };
        }
        let bench = Bench::of(vec![repo.clone()])?;
        let ended = bench.client.download(ID).await;
        let inside = ["blobs/", "partial/", "placing/", &format!("repos/{ID}/{}/", repo.commit)];
        for path in tree(bench.folder.path())?.into_keys() {
            let below = path.strip_prefix("store/").ok_or_else(|| format!("{path} lies outside, of {repo:?}"))?;
            assert!(inside.iter().any(|folder| below.starts_with(folder)), "{path} of {repo:?}");
        }
        arrived += usize::from(ended.is_ok());
    }
    assert!(arrived > 10, "only {arrived} were harmless, so little was tried");
    Ok(())
}
