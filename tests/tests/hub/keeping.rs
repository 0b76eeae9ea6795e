//! The folder of contents.

use std::{
    collections::HashSet,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use hub::{Blobs, Error};
use tests::{
    Outcome,
    hub::{Content, Repo},
};

use crate::bench::{Bench, ID, SIZE, WEIGHTS, check_whole, names, tree, usual, weights};

fn blob(bench: &Bench) -> Outcome<PathBuf> {
    Ok(bench.root().join("blobs").join(weights()?.hash.to_string()))
}

/// Changes a byte of a content behind everybody's back.
fn spoil(bench: &Bench) -> Outcome {
    let blob = blob(bench)?;
    fs::set_permissions(&blob, fs::Permissions::from_mode(0o600))?;
    let mut bytes = fs::read(&blob)?;
    bytes[1234] ^= 1;
    Ok(fs::write(&blob, bytes)?)
}

#[tokio::test]
async fn a_revision_is_links_to_contents_that_cannot_be_written() -> Outcome {
    let bench = Bench::usual()?;
    let placed = fs::metadata(bench.client.download(ID).await?.join(WEIGHTS))?;
    let blob = fs::metadata(blob(&bench)?)?;
    assert_eq!((placed.ino(), placed.dev()), (blob.ino(), blob.dev()));
    assert_eq!(placed.permissions().mode() & 0o222, 0);
    Ok(())
}

#[tokio::test]
async fn a_broken_content_is_repaired_by_fetching_it_alone() -> Outcome {
    let bench = Bench::usual()?;
    let folder = bench.client.download(ID).await?;
    bench.client.blobs.discard_broken(&weights()?.hash)?;
    assert!(bench.client.blobs.has(&weights()?), "what is whole stays");
    spoil(&bench)?;
    bench.client.blobs.discard_broken(&weights()?.hash)?;
    let before = bench.fake.sent();
    assert_eq!(bench.client.download(ID).await?, folder);
    check_whole(&folder, &usual())?;
    assert_eq!(bench.fake.sent() - before, SIZE);
    Ok(())
}

#[tokio::test]
async fn a_content_of_another_length_than_listed_is_fetched_again() -> Outcome {
    let bench = Bench::usual()?;
    let folder = bench.client.download(ID).await?;
    let blob = blob(&bench)?;
    fs::set_permissions(&blob, fs::Permissions::from_mode(0o600))?;
    fs::File::options().write(true).open(&blob)?.set_len(1000)?;
    assert!(!bench.client.blobs.has(&weights()?));
    assert_eq!(bench.client.download(ID).await?, folder);
    check_whole(&folder, &usual())
}

#[tokio::test]
async fn a_file_that_was_put_in_a_contents_place_is_replaced_however_young_it_is() -> Outcome {
    let bench = Bench::usual()?;
    let folder = bench.client.download(ID).await?;
    fs::remove_file(folder.join(WEIGHTS))?;
    fs::write(folder.join(WEIGHTS), Content::noise(SIZE, 2).bytes())?;
    fs::File::open(folder.join(WEIGHTS))?.set_modified(SystemTime::now() + Duration::from_hours(1))?;
    check_whole(&bench.client.download(ID).await?, &usual())
}

#[tokio::test]
async fn what_is_not_a_content_yet_can_be_written() -> Outcome {
    let bench = Bench::usual()?;
    // Whatever keeps the last step from being taken, be it a full disk or a kill.
    fs::create_dir(blob(&bench)?)?;
    assert!(bench.client.download(ID).await.is_err());
    for entry in fs::read_dir(bench.root().join("partial"))? {
        assert_eq!(entry?.metadata()?.permissions().mode() & 0o600, 0o600);
    }
    fs::remove_dir(blob(&bench)?)?;
    check_whole(&bench.client.download(ID).await?, &usual())?;
    assert_eq!(bench.fake.sent(), SIZE + 2);
    Ok(())
}

#[tokio::test]
async fn a_content_that_was_left_writable_is_placed_read_only() -> Outcome {
    let bench = Bench::usual()?;
    let listing = bench.client.listing(ID).await?;
    bench.client.fetch(&listing).await?;
    bench.client.blobs.remove_revisions_but(&HashSet::new())?;
    fs::set_permissions(blob(&bench)?, fs::Permissions::from_mode(0o600))?;
    bench.client.fetch(&listing).await?;
    assert_eq!(fs::metadata(blob(&bench)?)?.permissions().mode() & 0o222, 0);
    Ok(())
}

#[tokio::test]
async fn a_revision_may_be_put_together_by_several_at_once() -> Outcome {
    let bench = Bench::usual()?;
    let listing = bench.client.listing(ID).await?;
    let folder = bench.client.fetch(&listing).await?;
    let place = || bench.client.blobs.place(&listing.id, &listing.commit, &listing.files);
    for round in 0..40 {
        // In half of the rounds it has to be replaced.
        if round % 2 == 0 {
            fs::remove_dir_all(&folder)?;
        } else {
            fs::remove_file(folder.join(WEIGHTS))?;
        }
        std::thread::scope(|scope| {
            let placing: Vec<_> = (0..4).map(|_| scope.spawn(place)).collect();
            placing.into_iter().try_for_each(|placed| {
                let placed = placed.join().map_err(|_| "a panic")?;
                placed.map(drop).map_err(|error| error.to_string().into())
            })
        })
        .map_err(|error: Box<dyn std::error::Error + Send + Sync>| error.to_string())?;
        check_whole(&folder, &usual())?;
    }
    Ok(())
}

#[tokio::test]
async fn a_revision_without_files_is_an_empty_folder() -> Outcome {
    let bench = Bench::of(vec![Repo::new(ID)])?;
    assert!(tree(&bench.client.download(ID).await?)?.is_empty());
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
    let place = |name: String| bench.root().join("partial").join(name);
    symlink(&dear, place(weights()?.hash.to_string()))?;
    let failed = bench.client.download(ID).await;
    assert!(matches!(failed, Err(Error::Foreign { .. })), "{failed:?}");
    fs::remove_file(place(weights()?.hash.to_string()))?;
    symlink(&dear, place(format!("{}.journal", weights()?.hash)))?;
    check_whole(&bench.client.download(ID).await?, &usual())?;
    assert_eq!(fs::read_to_string(&dear)?, "dear");
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
    assert!(bench.client.blobs.has(&weights()?));
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
