//! Contents of other programs' folders.

use std::{fs, ops::ControlFlow, os::unix::fs::PermissionsExt, path::PathBuf};

use hub::{Control, Error, Hash, Verdict};
use tests::{Outcome, hub::Content};

use crate::bench::{Bench, ID, SIZE, check_whole, tree, usual, weights};

/// Another program's file, with the content that is listed or another one, as its owner left it.
fn theirs(bench: &Bench, content: &Content) -> Outcome<PathBuf> {
    let path = bench.folder.path().join("theirs");
    fs::write(&path, content.bytes())?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444))?;
    Ok(path)
}

#[tokio::test]
async fn a_content_that_is_elsewhere_is_copied_and_not_fetched() -> Outcome {
    let bench = Bench::usual()?;
    let path = theirs(&bench, &Content::noise(SIZE, 1))?;
    let mut heard = 0;
    assert!(bench.client.blobs.adopt(&weights()?, &path, 0, &Control::new(), |read| heard += read)?);
    assert_eq!(heard, SIZE);
    check_whole(&bench.client.download(ID).await?, &usual())?;
    assert_eq!(bench.fake.sent(), 2);
    assert_eq!(fs::read(&path)?, Content::noise(SIZE, 1).bytes());
    Ok(())
}

#[test]
fn another_content_is_not_taken() -> Outcome {
    let bench = Bench::usual()?;
    let blobs = &bench.client.blobs;
    let missing = bench.folder.path().join("missing");
    for path in [theirs(&bench, &Content::noise(SIZE, 2))?, missing, bench.folder.path().to_owned()] {
        assert!(!blobs.adopt(&weights()?, &path, 0, &Control::new(), |_| {})?, "{}", path.display());
        assert!(tree(&bench.root())?.is_empty());
    }
    Ok(())
}

#[test]
fn copying_is_stopped_in_its_middle_and_leaves_nothing() -> Outcome {
    for (stop, is_cancelled) in [(Control::pause as fn(&Control), false), (Control::cancel, true)] {
        let bench = Bench::usual()?;
        let path = theirs(&bench, &Content::noise(SIZE, 1))?;
        let (control, mut parts) = (Control::new(), 0);
        let ended = bench.client.blobs.adopt(&weights()?, &path, 0, &control, |_| {
            parts += 1;
            stop(&control);
        });
        assert!(matches!(ended, Err(Error::Cancelled)) == is_cancelled, "{ended:?}");
        assert!(matches!(ended, Err(Error::Paused)) != is_cancelled, "{ended:?}");
        assert_eq!(parts, 1);
        assert!(tree(&bench.root())?.is_empty());
        assert!(fs::read_dir(bench.root().join("placing"))?.next().is_none());
    }
    Ok(())
}

#[test]
fn what_does_not_fit_beside_the_reserve_is_not_copied() -> Outcome {
    let bench = Bench::usual()?;
    let path = theirs(&bench, &Content::noise(SIZE, 1))?;
    let ended = bench.client.blobs.adopt(&weights()?, &path, u64::MAX / 2, &Control::new(), |_| {});
    // A disk that shares blocks needs no room.
    assert!(matches!(ended, Ok(true) | Err(Error::DiskFull { needed: Some(_), .. })), "{ended:?}");
    assert_eq!(tree(&bench.root())?.is_empty(), ended.is_err());
    Ok(())
}

#[test]
fn a_file_is_whole_broken_or_missing() -> Outcome {
    let bench = Bench::usual()?;
    let path = theirs(&bench, &Content::noise(SIZE, 1))?;
    let mut heard = 0;
    let mut check = |hash: &Hash, path: PathBuf| {
        hash.check(&path, |read| {
            heard += read;
            ControlFlow::Continue(())
        })
    };
    let (right, wrong) = (weights()?.hash, Content::noise(SIZE, 2).hash(true));
    assert_eq!(check(&right, path.clone())?, Verdict::Whole);
    assert_eq!(check(&wrong, path.clone())?, Verdict::Broken);
    assert_eq!(check(&right, bench.folder.path().to_owned())?, Verdict::Missing);
    assert_eq!(check(&right, path.join("below"))?, Verdict::Missing);
    assert_eq!(check(&right, path.with_extension("x"))?, Verdict::Missing);
    assert_eq!(heard, 2 * SIZE);
    Ok(())
}
