//! The folder of contents.

use std::{
    collections::HashSet,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
    time::{Duration, SystemTime},
};

use hub::{Blobs, Error, Hash, Verdict};
use tests::{Outcome, hub::Content};

use crate::bench::{Bench, ID, SIZE, WEIGHTS, check_whole, names, tree, usual};

fn weights() -> Hash {
    Content::noise(SIZE, 1).hash(true)
}

/// Changes a byte of a content behind everybody's back.
fn spoil(bench: &Bench) -> Outcome {
    let blob = bench.root().join("blobs").join(weights().to_string());
    fs::set_permissions(&blob, fs::Permissions::from_mode(0o600))?;
    let mut bytes = fs::read(&blob)?;
    bytes[1234] ^= 1;
    Ok(fs::write(&blob, bytes)?)
}

#[tokio::test]
async fn a_revision_is_links_to_contents_that_cannot_be_written() -> Outcome {
    let bench = Bench::usual()?;
    let placed = fs::metadata(bench.client.download(ID).await?.join(WEIGHTS))?;
    let blob = fs::metadata(bench.root().join("blobs").join(weights().to_string()))?;
    assert_eq!((placed.ino(), placed.dev()), (blob.ino(), blob.dev()));
    assert_eq!(placed.permissions().mode() & 0o222, 0);
    Ok(())
}

#[tokio::test]
async fn a_content_is_verified_on_demand_and_repaired_by_fetching_it_alone() -> Outcome {
    let bench = Bench::usual()?;
    let blobs = &bench.client.blobs;
    assert_eq!(blobs.verify(&weights())?, Verdict::Missing);
    let folder = bench.client.download(ID).await?;
    assert_eq!(blobs.verify(&weights())?, Verdict::Whole);
    spoil(&bench)?;
    assert_eq!(blobs.verify(&weights())?, Verdict::Broken);
    blobs.discard(&weights())?;
    let before = bench.fake.sent();
    assert_eq!(bench.client.download(ID).await?, folder);
    check_whole(&folder, &usual())?;
    assert_eq!(bench.fake.sent() - before, SIZE);
    Ok(())
}

#[tokio::test]
async fn what_nobody_refers_to_is_removed_and_nothing_else() -> Outcome {
    let bench = Bench::usual()?;
    let listing = bench.client.listing(ID).await?;
    let folder = bench.client.fetch(&listing).await?;
    fs::write(bench.root().join("blobs/a note"), "mine")?;
    fs::write(bench.root().join("partial").join("a".repeat(64)), "left over")?;
    let config = listing.files[1].hash;
    bench.client.blobs.remove_revisions_but(&HashSet::from([folder.clone()]))?;
    assert!(folder.exists());
    bench.client.blobs.remove_revisions_but(&HashSet::new())?;
    assert_eq!(bench.client.blobs.remove_unreferenced(&HashSet::from([config]))?, SIZE);
    let left = tree(&bench.root())?.into_keys().collect::<Vec<_>>();
    assert_eq!(left, [format!("blobs/{config}"), "blobs/a note".to_owned()]);
    assert!(!bench.root().join("repos/owner").exists());
    Ok(())
}

#[tokio::test]
async fn a_revision_that_was_left_half_put_together_is_removed_after_a_while() -> Outcome {
    let bench = Bench::usual()?;
    let [old, new] = ["old", "new"].map(|name| bench.root().join("placing").join(name));
    for folder in [&old, &new] {
        fs::create_dir(folder)?;
        fs::write(folder.join("config.json"), "{}")?;
    }
    fs::File::open(&old)?.set_modified(SystemTime::now() - Duration::from_hours(2))?;
    bench.client.blobs.remove_unreferenced(&HashSet::new())?;
    assert!(!old.exists() && new.exists());
    Ok(())
}

#[tokio::test]
async fn a_link_in_the_place_of_a_folder_is_refused_and_what_it_leads_to_is_left_alone() -> Outcome {
    let bench = Bench::usual()?;
    let listing = bench.client.listing(ID).await?;
    let foreign = bench.folder.path().join("foreign");
    let inside = foreign.join("name").join(listing.commit.to_string());
    fs::create_dir_all(&inside)?;
    fs::write(inside.join("dear.txt"), "dear")?;
    symlink(&foreign, bench.root().join("repos/owner"))?;
    assert!(matches!(bench.client.fetch(&listing).await, Err(Error::Foreign { .. })));
    bench.client.blobs.remove_revisions_but(&HashSet::new())?;
    assert_eq!(tree(&foreign)?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_link_in_the_place_of_a_content_is_never_written_through() -> Outcome {
    let bench = Bench::usual()?;
    let dear = bench.folder.path().join("dear.txt");
    fs::write(&dear, "dear")?;
    for name in [weights().to_string(), format!("{}.journal", weights())] {
        let link = bench.root().join("partial").join(name);
        symlink(&dear, &link)?;
        let failed = bench.client.download(ID).await;
        assert!(failed.is_ok() || matches!(failed, Err(Error::Foreign { .. })), "{failed:?}");
        assert_eq!(fs::read_to_string(&dear)?, "dear");
        fs::remove_file(&link).or_else(|error| if link.exists() { Err(error) } else { Ok(()) })?;
    }
    Ok(())
}

#[test]
fn a_link_in_the_place_of_the_stores_own_folders_is_refused() -> Outcome {
    let folder = tempfile::tempdir()?;
    fs::create_dir(folder.path().join("foreign"))?;
    symlink(folder.path().join("foreign"), folder.path().join("blobs"))?;
    assert!(matches!(Blobs::open(folder.path()), Err(Error::Foreign { .. })));
    Ok(())
}

#[tokio::test]
async fn the_folder_itself_may_be_reached_through_a_link() -> Outcome {
    let bench = Bench::usual()?;
    let link = bench.folder.path().join("link");
    symlink(bench.root(), &link)?;
    check_whole(&bench.another("link", None)?.download(ID).await?, &usual())?;
    assert!(bench.client.blobs.has(&weights()));
    Ok(())
}

#[tokio::test]
async fn half_a_revision_is_never_in_place() -> Outcome {
    let bench = Bench::usual()?;
    bench.fake.next("config.json", [tests::hub::Quirk::status(404)]);
    assert!(bench.client.download(ID).await.is_err());
    assert!(names(&bench.root(), "repos")?.is_empty());
    let listing = bench.client.listing(ID).await?;
    assert!(bench.client.blobs.place(&listing.id, &listing.commit, &listing.files).is_err());
    assert!(names(&bench.root(), "repos")?.is_empty() && names(&bench.root(), "placing")?.is_empty());
    let missing = bench.client.blobs.missing(&listing.files);
    assert!(missing.iter().any(|file| file.path.as_str() == "config.json"));
    assert!(!Path::new(&bench.client.blobs.folder(&listing.id, &listing.commit)).exists());
    Ok(())
}

#[tokio::test]
async fn a_revision_of_which_a_file_was_taken_away_is_put_together_again() -> Outcome {
    let bench = Bench::usual()?;
    let folder = bench.client.download(ID).await?;
    fs::remove_file(folder.join(WEIGHTS))?;
    let before = bench.fake.sent();
    check_whole(&bench.client.download(ID).await?, &usual())?;
    assert_eq!(bench.fake.sent(), before);
    Ok(())
}
