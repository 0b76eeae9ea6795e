//! `slipstream models show`: the page on a model, as people and as programs read it.

use serde_json::{Value, json};

use crate::home::{Outcome, home, slipstream};

/// The page has all of `lines`, and for programs all of `values`; its parts of the memory add up.
fn check(fixture: &str, lines: &[(&str, &str)], values: &[(&str, Value)]) -> Outcome {
    let home = home(fixture)?;
    let show = ["models", "show", "model", "--context", "1000"];
    let page = slipstream(home.path(), &show)?;
    for (name, value) in lines {
        let line = format!("\n{name:<12}{value}");
        assert!(page.contains(&line), "{line:?} is not in\n{page}");
    }
    let page: Value = serde_json::from_str(&slipstream(home.path(), &[&show[..], &["--json"]].concat())?)?;
    for (pointer, value) in values {
        assert_eq!(page.pointer(pointer), Some(value), "{pointer} of\n{page:#}");
    }
    let memory = |part: &str| page["memory"][part].as_u64().ok_or_else(|| format!("no {part}"));
    let parts = ["weights", "caches", "drafter", "working"].map(memory);
    assert_eq!(memory("total")?, parts.into_iter().sum::<Result<u64, _>>()?);
    Ok(())
}

#[test]
fn the_page_on_an_original_checkpoint_says_what_it_is_how_far_it_reads_and_what_is_left_out() -> Outcome {
    let lines = [
        ("role", "target\n"),
        ("kind", "gemma4\n"),
        ("what", "Gemma 4, 9 layers × 64\n"),
        ("parameters", "511177\n"),
        ("stored as", "bfloat16\n"),
        ("context", "4096 tokens at most; 256 B each, and 512 B for each of the newest 8\n"),
        ("stop ids", "1, 106\n"),
        ("not read", "the vision tower: 4 tensors, 1.35 kB\n"),
        ("not read", "the audio tower: 2 tensors, 1.15 kB\n"),
        ("not read", "keys and values of layers that read those of others: 12 tensors, 49.3 kB\n"),
        ("never run", "modeling_gemma.py\n"),
        ("files", "1.09 MB\n"),
        ("chat", "has no chat template: it continues plain text\n"),
    ];
    let values = [
        ("/role", json!("target")),
        ("/checkpoint/name", json!("Gemma 4, 9 layers × 64")),
        ("/checkpoint/parameters", json!(511_177)),
        ("/checkpoint/quantization", json!("bfloat16")),
        ("/checkpoint/reach/bytes_per_token", json!(256)),
        ("/checkpoint/stop_ids", json!([1, 106])),
        ("/checkpoint/skipped/0", json!({ "what": "the vision tower", "tensors": 4, "bytes": 1346 })),
        ("/checkpoint/code", json!(["modeling_gemma.py"])),
    ];
    check("e-series", &lines, &values)
}

#[test]
fn the_page_on_a_packed_checkpoint_says_how_it_is_packed_and_what_it_needs() -> Outcome {
    let packed = "4-bit in groups of 32: 59 matrices; 8-bit in groups of 64: 6 matrices";
    let values = [
        ("/checkpoint/quantization", json!(packed)),
        ("/checkpoint/skipped", json!([])),
        ("/memory/context", json!(1000)),
        ("/memory/weights", json!(327_596)),
    ];
    check("26b-a4b-q4g32", &[("stored as", packed), ("parameters", "514422\n"), ("memory", "")], &values)
}
