//! Which files are needed.

use hub::{Error, Gated, Hash, Listing, Plan, RemoteFile, Why};
use serde_json::json;
use tests::{
    Outcome,
    hub::{Content, Repo},
};

use crate::bench::{Bench, ID};

fn listing(paths: &[&str]) -> Outcome<Listing> {
    let file = |path: &&str| Ok(RemoteFile { path: path.parse()?, size: 10, hash: Hash::GitSha1([0; 20]) });
    let files = paths.iter().map(file).collect::<Outcome<_>>()?;
    let (id, commit) = ("owner/name".parse()?, "0".repeat(40).parse()?);
    Ok(Listing { id, commit, files, refused: Vec::new(), licence: None, gated: Gated::No })
}

/// That of `needed` and `skipped` together, the first are needed and the others are not, each for its reason.
fn check(needed: &[&str], skipped: &[(&str, Why)]) -> Outcome {
    check_with(None, needed, skipped)
}

/// The same, if the index says `index`.
fn check_with(index: Option<&[u8]>, needed: &[&str], skipped: &[(&str, Why)]) -> Outcome {
    let all: Vec<_> = needed.iter().copied().chain(skipped.iter().map(|(path, _)| *path)).collect();
    let plan = Plan::of(&listing(&all)?, index)?;
    assert_eq!(plan.needed.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), needed);
    let left: Vec<_> = plan.skipped.iter().map(|(path, why)| (path.as_str(), *why)).collect();
    assert_eq!(left, skipped);
    assert_eq!(plan.bytes(), 10 * needed.len() as u64);
    Ok(())
}

#[test]
fn weights_and_what_describes_them_are_needed() -> Outcome {
    check(
        &[
            "model.safetensors",
            "config.json",
            "generation_config.json",
            "tokenizer.json",
            "tokenizer_config.json",
            "special_tokens_map.json",
            "chat_template.jinja",
            "processor_config.json",
            "dspark.json",
            "LICENSE",
            "LICENSE.md",
        ],
        &[
            ("README.md", Why::NotNeeded),
            (".gitattributes", Why::NotNeeded),
            ("picture.png", Why::NotNeeded),
            ("training_args.json", Why::NotNeeded),
            ("original/consolidated.safetensors", Why::Folder),
            ("onnx/config.json", Why::Folder),
            ("onnx/model.onnx", Why::Format),
            ("model-Q4_K_M.gguf", Why::Format),
            ("pytorch_model.bin", Why::Format),
            ("training_args.pt", Why::Format),
            ("modeling_gemma.py", Why::Code),
            ("tools/run.sh", Why::Code),
        ],
    )
}

#[test]
fn the_shards_of_an_index_are_taken_rather_than_one_file() -> Outcome {
    check(
        &[
            "model-00001-of-00002.safetensors",
            "model-00002-of-00002.safetensors",
            "model.safetensors.index.json",
            "vision.safetensors",
        ],
        &[("model.safetensors", Why::Duplicate), ("consolidated.safetensors", Why::Duplicate)],
    )
}

const INDEX: &[u8] =
    br#"{"metadata":{},"weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors","c":"model-1.safetensors"}}"#;

#[test]
fn of_the_weights_only_what_the_index_names_is_needed() -> Outcome {
    check_with(
        Some(INDEX),
        &["model-1.safetensors", "model-2.safetensors", "model.safetensors.index.json", "config.json"],
        &[
            ("model.safetensors", Why::NotNamed),
            ("vision.safetensors", Why::NotNamed),
            ("original/model-1.safetensors", Why::Folder),
        ],
    )
}

#[test]
fn an_index_that_names_what_is_not_there_is_refused_with_the_name() -> Outcome {
    let whole = ["model-1.safetensors", "model.safetensors.index.json"];
    let failed = Plan::of(&listing(&whole)?, Some(INDEX));
    let Err(error @ Error::MissingShard { .. }) = failed else { return Err(format!("{failed:?}").into()) };
    assert!(error.to_string().contains("\"model-2.safetensors\""), "{error}");
    for index in ["", "{}", "{\"weight_map\":3}", "<html>"] {
        let failed = Plan::of(&listing(&whole)?, Some(index.as_bytes()));
        assert!(matches!(failed, Err(Error::Odd { .. })), "{index}: {failed:?}");
    }
    for name in ["../x.safetensors", "/etc/passwd", "a/model-1.safetensors"] {
        let index = format!("{{\"weight_map\":{{\"a\":\"{name}\"}}}}");
        let failed = Plan::of(&listing(&["a/model-1.safetensors"])?, Some(index.as_bytes()));
        assert!(matches!(failed, Err(Error::MissingShard { .. })), "{name}: {failed:?}");
    }
    Ok(())
}

#[tokio::test]
async fn the_index_is_read_from_the_hub_unless_it_is_gated() -> Outcome {
    let (content, index) = (Content::of(*b"x"), Content::of(INDEX));
    let mut repo = Repo::new(ID).small("model.safetensors.index.json", index).large("model-1.safetensors", content);
    repo = repo.large("model-2.safetensors", Content::of(*b"y")).large("other.safetensors", Content::of(*b"z"));
    let bench = Bench::of(vec![repo])?;
    let listing = bench.client.listing(ID).await?;
    assert_eq!(bench.client.hub.plan(&listing).await?.skipped, [("other.safetensors".to_owned(), Why::NotNamed)]);
    bench.fake.edit(|repos| repos[0].gated = json!("auto"));
    assert!(bench.client.hub.plan(&listing).await?.skipped.is_empty());
    Ok(())
}

#[test]
fn without_an_index_the_one_file_is_taken() -> Outcome {
    check(
        &["model.safetensors", "adapter.safetensors"],
        &[("model-00001-of-00002.safetensors", Why::Duplicate), ("consolidated.safetensors", Why::Duplicate)],
    )?;
    check(&["model.safetensors", "model.safetensors.index.json"], &[])?;
    check(&["weights.00.safetensors", "weights.01.safetensors", "model.safetensors.index.json"], &[])
}

#[test]
fn sizes_that_no_disk_holds_do_not_overflow() -> Outcome {
    let mut listing = listing(&["a.safetensors", "b.safetensors"])?;
    listing.files.iter_mut().for_each(|file| file.size = u64::MAX);
    assert_eq!(Plan::of(&listing, None)?.bytes(), u64::MAX);
    Ok(())
}
