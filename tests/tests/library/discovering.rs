//! Finding repos.

use app::Wanted;
use serde_json::json;
use tests::{
    Outcome,
    hub::Repo,
    library::{Bench, TARGET, install},
};

fn repo(id: &str, tags: &[&str]) -> Repo {
    Repo { tags: json!(tags), ..Repo::new(id) }
}

#[tokio::test]
async fn a_search_finds_what_looks_like_the_family_and_tells_drafters_from_targets() -> Outcome {
    let bench = Bench::new().await?;
    bench.fake.edit(|repos| {
        repos.push(repo("google/gemma-4-12B-it", &["gemma4"]));
        repos.push(repo("lab/gemma4-12b-dflash", &[]));
        repos.push(repo("lab/gemma-helper", &["gemma4", "speculative-decoding"]));
        repos.push(repo("lab/gemma-of-old", &["bert"]));
    });
    let app = bench.app().await?;
    let names = async |wanted| {
        let hits = app.discover("", wanted, None).await?.hits;
        Ok::<_, app::Error>(hits.into_iter().map(|hit| hit.repo).collect::<Vec<_>>())
    };
    assert_eq!(names(Wanted::Targets).await?, ["google/gemma-4-12B-it"]);
    assert_eq!(names(Wanted::Drafters).await?, ["lab/gemma4-12b-dflash", "lab/gemma-helper"]);
    assert_eq!(names(Wanted::All).await?.len(), 3);
    Ok(())
}

#[tokio::test]
async fn a_search_goes_on_page_by_page() -> Outcome {
    let bench = Bench::new().await?;
    bench.fake.edit(|repos| repos.extend((0..5).map(|number| repo(&format!("lab/gemma-4-{number}"), &[]))));
    bench.fake.page(2);
    let app = bench.app().await?;
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let page = app.discover("gemma-4", Wanted::All, cursor).await?;
        found.extend(page.hits.into_iter().map(|hit| hit.repo));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(found.len(), 5);
    Ok(())
}

#[tokio::test]
async fn what_is_on_this_machine_is_marked_in_a_search_and_in_the_catalogue() -> Outcome {
    let bench = Bench::new().await?;
    let drafter = "z-lab/gemma4-12B-it-DFlash";
    bench.fake.edit(|repos| {
        let id = drafter.to_owned();
        let copy = Repo { id, ..repos[1].clone() };
        repos.push(copy);
    });
    let app = bench.app().await?;
    install(&app, TARGET).await?;
    let id = install(&app, "Z-LAB/gemma4-12b-it-dflash").await?;
    let hits = app.discover("gemma4", Wanted::Drafters, None).await?.hits;
    assert_eq!((hits[0].repo.as_str(), hits[0].model.as_ref()), (drafter, Some(&id)));
    let pairs = app.catalogue().await?;
    let pair = pairs.iter().find(|pair| pair.drafter == drafter).ok_or("it is not in the catalogue")?;
    assert_eq!((pair.drafter_here.as_ref(), pair.target_here.as_ref()), (Some(&id), None));
    let published = pairs.iter().filter(|pair| pair.published.is_some()).count();
    assert!(published > 0 && published < pairs.len());
    Ok(())
}
