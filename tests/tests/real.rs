//! A real checkpoint against the reference's greedy ids, plainly and with a fresh drafter.

use std::{env, path::PathBuf};

use chat::Codec;
use decode::{Fixed, Limits};
use serde::Deserialize;
use tests::{Outcome, decoding::Setup, fixtures};

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    prompt: String,
    prompt_ids: Vec<u32>,
    greedy_ids: Vec<u32>,
}

#[test]
#[ignore = "needs a real Gemma 3 270M: set SLIPSTREAM_REAL_MODEL to its folder"]
fn gemma_3_270m_writes_what_the_reference_writes_with_and_without_a_drafter() -> Outcome {
    let folder = PathBuf::from(env::var_os("SLIPSTREAM_REAL_MODEL").ok_or("SLIPSTREAM_REAL_MODEL is not set")?);
    let reference: Reference = serde_json::from_slice(&std::fs::read(fixtures::path("real/gemma3_270m.json"))?)?;
    let codec = Codec::open(&folder)?;
    let setup = Setup::greedy(&folder, 0)?;
    let drafter = setup.fresh_drafter(5, false, 0)?;
    for case in reference.cases {
        assert_eq!(codec.complete(&case.prompt)?, case.prompt_ids);
        let limits = Limits { max_tokens: case.greedy_ids.len(), ..Limits::default() };
        let setup = setup.limited(limits);
        assert_eq!(setup.plain(&case.prompt_ids)?.ids, case.greedy_ids, "{}", case.prompt);
        for gamma in [1, 3, 5] {
            let made = setup.drafted(&case.prompt_ids, &drafter, &mut Fixed(gamma))?;
            assert_eq!(made.ids, case.greedy_ids, "γ {gamma}: {}", case.prompt);
            assert_eq!(made.waits, made.stats.rounds as u64);
        }
    }
    Ok(())
}
