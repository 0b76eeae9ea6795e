//! What is said of a checkpoint from its files alone.

use std::fs;

use engine::{Checkpoint, Drafts, inspect};
use gemma4::{Skipped, Spare, Survey};
use serde_json::{Value, json};
use tests::{Outcome, fixtures, tiny, weights};

#[test]
fn every_member_of_the_family_is_known_by_its_sizes() -> Outcome {
    let names = [
        ("e2b", "Gemma 4 E2B"),
        ("e4b", "Gemma 4 E4B"),
        ("12b", "Gemma 4 12B"),
        ("26b-a4b", "Gemma 4 26B-A4B"),
        ("31b", "Gemma 4 31B"),
        ("gemma3-270m", "Gemma 3 270M"),
        ("gemma3-1b", "Gemma 3 1B"),
    ];
    for (file, name) in names {
        let mut config: Value = serde_json::from_slice(&fs::read(fixtures::path(&format!("family/{file}.json")))?)?;
        assert_eq!(weights::parsed(&config)?.name(), name);

        let text = if config["text_config"].is_object() { &mut config["text_config"] } else { &mut config };
        text["intermediate_size"] = json!(64);
        let other = weights::parsed(&config)?.name();
        assert!(other.contains(" layers × "), "{file} of another width is called {other}");
    }
    Ok(())
}

#[test]
fn what_is_not_read_is_counted() -> Outcome {
    let spares = |name: &str| Ok::<_, gemma4::Error>(Survey::of(&fixtures::path(&format!("gemma4/{name}")))?.spares);
    let skipped = |tensors, bytes| Skipped { tensors, bytes };
    let original = spares("e-series")?;
    let wanted =
        [(Spare::Vision, skipped(4, 1346)), (Spare::Audio, skipped(2, 1152)), (Spare::Keys, skipped(12, 49_344))];
    assert_eq!(original, wanted.into());
    assert!(spares("e-series-text-only")?.is_empty());
    Ok(())
}

#[test]
fn packed_numbers_are_counted_as_those_that_they_stand_for() -> Outcome {
    let survey = |name: &str| Survey::of(&fixtures::path(&format!("gemma4/{name}")));
    let (plain, packed) = (survey("e-series")?, survey("e-series-q4g32")?);
    assert_eq!(plain.parameters, packed.parameters);
    assert!(plain.packings.is_empty() && !packed.packings.is_empty());
    assert!(packed.needs(None)?.weights < plain.needs(None)?.weights / 2);
    Ok(())
}

#[tokio::test]
async fn a_page_on_a_checkpoint_says_what_it_is_how_far_it_reads_and_which_code_is_never_run() -> Outcome {
    let models = tiny::models().await?;
    let target = models.path().join(tiny::TARGET);
    fs::write(target.join("modeling_gemma.py"), "raise SystemExit")?;
    let Checkpoint { name, quantization, reach, code, .. } = inspect(&target)?;
    assert!(name.starts_with("Gemma 3, "), "{name}");
    assert_eq!(quantization, "bfloat16");
    assert_eq!(reach.ok_or("a target reads")?.most, 1 << 20);
    assert_eq!(code, ["modeling_gemma.py"]);
    let drafter = inspect(&models.path().join(tiny::DRAFTER))?;
    let drafts = Drafts { limit: tiny::GAMMA, usual: tiny::GAMMA, confident: true };
    assert_eq!((drafter.reach, drafter.drafts), (None, Some(drafts)));
    Ok(())
}
