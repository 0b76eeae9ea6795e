//! A home with a model, and the program in it.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// A home whose list holds the checkpoint `fixture` as `model`, which came with code, and with a tokenizer of as many
/// words as it has tokens: `w4` to `w255`.
pub(crate) fn home(fixture: &str) -> Outcome<tempfile::TempDir> {
    let home = tempfile::tempdir()?;
    let folder = home.path().join("checkpoint");
    fs::create_dir(&folder)?;
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    for file in ["config.json", "model.safetensors"] {
        fs::copy(fixtures.join("gemma4").join(fixture).join(file), folder.join(file))?;
    }
    let control = ["<pad>", "<eos>", "<bos>", "<unk>"].map(String::from);
    let special = control.iter().enumerate().map(|(id, content)| {
        json!({ "id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true })
    });
    let special = special.collect::<Vec<_>>();
    let words = (4..256).map(|id| format!("w{id}"));
    let vocabulary = control.into_iter().chain(words).zip(0..).collect::<BTreeMap<String, u32>>();
    let tokenizer = json!({
        "version": "1.0",
        "added_tokens": special,
        "pre_tokenizer": { "type": "WhitespaceSplit" },
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>" },
    });
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string())?;
    fs::write(folder.join("modeling_gemma.py"), "raise SystemExit")?;
    slipstream(home.path(), &["models", "add", &folder.to_string_lossy(), "--id", "model"])?;
    Ok(home)
}

/// What the program prints; what it says instead if it fails.
pub(crate) fn slipstream(home: &Path, arguments: &[&str]) -> Outcome<String> {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_slipstream"));
    let output = Command::new(program).arg("--home").arg(home).args(arguments).output()?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        Err(String::from_utf8(output.stderr)?.into())
    }
}
