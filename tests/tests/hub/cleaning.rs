//! What nobody needs any more.

use std::{collections::HashSet, fs};

use tests::Outcome;

use crate::bench::{Bench, ID, SIZE, names, tree, weights};

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
    assert!(!folder.exists());
    assert_eq!(bench.client.blobs.remove_unreferenced(&HashSet::from([config]))?, SIZE);
    let left = tree(&bench.root())?.into_keys().collect::<Vec<_>>();
    assert_eq!(left, [format!("blobs/{config}"), "blobs/a note".to_owned()]);
    assert!(!bench.root().join("repos/owner").exists());
    Ok(())
}

#[tokio::test]
async fn a_revision_is_kept_however_its_folder_is_spelt() -> Outcome {
    let bench = Bench::usual()?;
    let folder = bench.client.download(ID).await?;
    let other = bench.folder.path().join("other");
    std::os::unix::fs::symlink(bench.root(), &other)?;
    let respelt = other.join(folder.strip_prefix(bench.root().canonicalize()?)?);
    bench.client.blobs.remove_revisions_but(&HashSet::from([respelt]))?;
    assert!(folder.is_dir());
    Ok(())
}

#[test]
fn what_was_left_half_put_together_is_removed_unless_somebody_works_on_it() -> Outcome {
    let bench = Bench::usual()?;
    let [left, held, bare] = ["left", "held", "bare"].map(|name| bench.root().join("placing").join(name));
    for folder in [&left, &held, &bare] {
        fs::create_dir_all(folder.join("new/deep"))?;
        fs::write(folder.join("new/config.json"), "{}")?;
    }
    fs::write(left.join("lock"), "")?;
    fs::write(bench.root().join("placing/file"), "a copy")?;
    let lock = fs::File::create(held.join("lock"))?;
    lock.lock()?;
    bench.client.blobs.remove_unreferenced(&HashSet::new())?;
    assert!(!left.exists() && !bare.exists() && held.exists());
    drop(lock);
    bench.client.blobs.remove_unreferenced(&HashSet::new())?;
    assert!(fs::read_dir(bench.root().join("placing"))?.next().is_none());
    Ok(())
}

#[test]
fn one_thing_that_cannot_be_removed_does_not_keep_the_others() -> Outcome {
    let bench = Bench::usual()?;
    for folder in ["blobs", "partial"] {
        let folder = bench.root().join(folder);
        // No file of ours is a folder.
        fs::create_dir(folder.join("0".repeat(64)))?;
        fs::write(folder.join("a".repeat(64)), "left over")?;
    }
    fs::create_dir(bench.root().join("placing/left"))?;
    assert!(bench.client.blobs.remove_unreferenced(&HashSet::new()).is_err());
    assert!(tree(&bench.root())?.is_empty());
    assert!(!bench.root().join("placing/left").exists());
    Ok(())
}

#[tokio::test]
async fn a_journal_without_its_file_is_removed() -> Outcome {
    let bench = Bench::usual()?;
    bench.client.download(ID).await?;
    let hash = weights()?.hash;
    let keep = HashSet::from([hash]);
    let journal = |name: &str| bench.root().join("partial").join(format!("{name}.journal"));
    // Of a process that was killed just after the last step but one, and of nobody.
    for name in [hash.to_string(), "a".repeat(64)] {
        fs::write(journal(&name), "left over")?;
    }
    bench.client.blobs.remove_unreferenced(&keep)?;
    assert!(names(&bench.root(), "partial")?.is_empty());
    Ok(())
}
