//! A real Gemma tokenizer; Gemma 3 and 4 agree on ordinary text.

#![expect(clippy::unwrap_used, reason = "a checkpoint that does not open fails its test")]

use std::path::PathBuf;

use chat::Codec;

#[track_caller]
fn check(codec: &Codec, text: &str, expected: &[u32]) {
    let ids = codec.complete(text).unwrap();
    assert_eq!(ids, expected);
    assert_eq!(codec.decode(&ids), text);
}

#[test]
#[ignore = "needs SLIPSTREAM_REAL_MODEL: the folder of a Gemma checkpoint"]
fn a_real_gemma_tokenizer_encodes_as_the_reference_does() {
    let folder = std::env::var("SLIPSTREAM_REAL_MODEL").unwrap();
    let codec = Codec::open(&PathBuf::from(folder)).unwrap();
    check(&codec, "The capital of France is", &[2, 818, 5279, 529, 7001, 563]);
    check(&codec, "def fibonacci(n):\n    ", &[2, 2063, 10779, 78113, 236_769, 236_749, 1473, 107, 140]);
    assert_eq!(codec.decode(&[506, 5279, 529]), " the capital of");
}
