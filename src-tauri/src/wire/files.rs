//! Whether a model's files are there, and what they should be.

use app::Verdict;
use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Download, sentence};

/// How far the reading of a model's files is, in bytes.
#[derive(Serialize, Type)]
pub(crate) struct Checking {
    done: u64,
    total: u64,
}

impl From<app::Checking> for Checking {
    fn from(app::Checking { done, total }: app::Checking) -> Self {
        Self { done, total }
    }
}

/// What is done with a model's files.
#[derive(Clone, Copy, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Work {
    /// They are read and held against their hashes.
    Verify,
    /// The same, and what is broken is fetched again.
    Repair,
}

/// A check that runs.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Check {
    /// The model's id.
    pub(crate) model: String,
    pub(crate) work: Work,
}

/// What came of a check.
#[derive(Clone, Serialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum Checked {
    Verified {
        proof: FilesProof,
    },
    /// `download` fetches what is broken; null if nothing is.
    Repaired {
        download: Option<Download>,
    },
}

impl From<app::Verification> for Checked {
    fn from(verification: app::Verification) -> Self {
        Self::Verified { proof: verification.into() }
    }
}

impl From<Option<app::Download>> for Checked {
    fn from(download: Option<app::Download>) -> Self {
        Self::Repaired { download: download.map(Download::from) }
    }
}

/// The files of a model that are not there.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MissingFiles {
    /// The model's id.
    pub(crate) model: String,
    /// By path; none if nothing is missing.
    pub(crate) files: Vec<String>,
}

/// What reading a model's files again has shown.
#[derive(Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FilesProof {
    /// Whether nothing is wrong.
    holds: bool,
    /// What was proved, or what is wrong.
    sentence: String,
    /// The files that are broken or missing, by path.
    faulty: Vec<String>,
}

impl From<app::Verification> for FilesProof {
    fn from(verification: app::Verification) -> Self {
        let by_hash = verification.by_hash();
        let app::Verification { files, unknown, wrong, .. } = verification;
        let sentence = match &wrong {
            Some(wrong) => sentence(wrong),
            None if by_hash && unknown.is_empty() => format!("All {} files are what their hashes say.", files.len()),
            None if by_hash => {
                format!(
                    "{} files are what their hashes say; nobody knows those of {}.",
                    files.len(),
                    unknown.join(", ")
                )
            }
            None => "The sizes agree with the files' own headers; nobody knows their hashes.".to_owned(),
        };
        let faulty = files.into_iter().filter(|file| file.verdict != Verdict::Whole).map(|file| file.path);
        Self { holds: wrong.is_none(), sentence, faulty: faulty.collect() }
    }
}

#[cfg(test)]
mod tests {
    use app::{Checked, Verification};

    use super::*;

    fn proof(files: Vec<Checked>, wrong: Option<&str>) -> FilesProof {
        Verification { model: "m".into(), files, unknown: Vec::new(), wrong: wrong.map(str::to_owned) }.into()
    }

    #[test]
    fn a_proof_says_what_it_rests_on_and_names_the_faulty_files() {
        let file = |path: &str, verdict| Checked { path: path.into(), bytes: 1, verdict };
        let whole = proof(vec![file("a", Verdict::Whole), file("b", Verdict::Whole)], None);
        assert_eq!((whole.holds, whole.sentence.as_str()), (true, "All 2 files are what their hashes say."));
        let partly = vec![Checked { path: "a".into(), bytes: 1, verdict: Verdict::Whole }];
        let partly = Verification { model: "m".into(), files: partly, unknown: vec!["b".into()], wrong: None };
        assert!(FilesProof::from(partly).sentence.ends_with("nobody knows those of b."));
        assert!(proof(Vec::new(), None).sentence.contains("nobody knows their hashes"));
        let broken = proof(vec![file("a", Verdict::Whole), file("b", Verdict::Broken)], Some("one is broken"));
        assert_eq!((broken.holds, broken.sentence.as_str()), (false, "One is broken."));
        assert_eq!(broken.faulty, ["b"]);
    }
}
