//! Which files are needed.

use hub::{Gated, Hash, Listing, Plan, RemoteFile, Why};
use tests::Outcome;

fn listing(paths: &[&str]) -> Outcome<Listing> {
    let file = |path: &&str| Ok(RemoteFile { path: path.parse()?, size: 10, hash: Hash::GitSha1([0; 20]) });
    let files = paths.iter().map(file).collect::<Outcome<_>>()?;
    let (id, commit) = ("owner/name".parse()?, "0".repeat(40).parse()?);
    let (licence, base_models, tags) = (None, Vec::new(), Vec::new());
    Ok(Listing { id, commit, files, licence, gated: Gated::No, base_models, tags })
}

/// That of `needed` and `skipped` together, the first are needed and the others are not, each for its reason.
fn check(needed: &[&str], skipped: &[(&str, Why)]) -> Outcome {
    let all: Vec<_> = needed.iter().copied().chain(skipped.iter().map(|(path, _)| *path)).collect();
    let plan = Plan::new(&listing(&all)?);
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
    assert_eq!(Plan::new(&listing).bytes(), u64::MAX);
    Ok(())
}
