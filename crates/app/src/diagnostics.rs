//! What somebody who looks for a fault needs to know of this machine, as text that can be shown to anyone: no secret, no
//! name of the user's folder, and nothing of what was said.

use std::fmt::Debug;
use std::path::Path;

use engine::{CheckpointRole, Machine, processor};
use serde_json::{Map, Value, json};

use crate::library::HubStatus;
use crate::{App, Preferences, Result, Storage};

/// How many failures are told of answers: the newest.
const FAILURES: i64 = 20;

impl App {
    /// The versions, the machine, the settings, the models, and what failed last, as JSON.
    ///
    /// # Errors
    /// The environment names an address or a token of the Hub that is none, or the database or the disk fails.
    pub async fn diagnostics(&self) -> Result<String> {
        let (hub, secrets) = self.way_and_secrets().await?;
        let secrets: Vec<_> = secrets.iter().map(|token| token.secret().to_owned()).collect();
        let homes = self.library.homes();
        let told = json!({
            "slipstream": env!("CARGO_PKG_VERSION"),
            "machine": machine(),
            "settings": self.settings(hub).await?,
            "storage": storage(&self.storage().await?),
            "models": self.known_models().await?,
            "jobs": self.jobs_told().await?,
            "failed answers": self.store.failures(FAILURES).await?.into_iter().map(
                |(at, why)| json!({ "at": at, "why": why })).collect::<Value>(),
        });
        let told = cleaned(told, &|text| homeless(&discreet(text, &secrets), &homes));
        // Numbers and texts always have a JSON form.
        Ok(serde_json::to_string_pretty(&told).unwrap_or_default())
    }

    async fn settings(&self, hub: String) -> Result<Value> {
        let Preferences { target, drafter, precision, controls, .. } = self.preferences().await?;
        let HubStatus { offline, kept_offline, token, no_keychain, .. } = self.hub_status().await?;
        let mut set = serde_json::to_value(&controls).unwrap_or_default();
        // They are words of the user's.
        set["stop"] = controls.stop.len().into();
        Ok(json!({
            "target": target,
            "drafter": drafter,
            "precision": precision,
            "controls": set,
            "memory reserve": self.memory_reserve().await?,
            "hub": {
                "address": hub,
                "offline": offline,
                "kept offline": kept_offline,
                "token from": format!("{token:?}"),
                "no keychain": no_keychain,
            },
        }))
    }

    async fn known_models(&self) -> Result<Value> {
        let models = self.models().await?.into_iter().map(|model| {
            json!({
                "id": model.id,
                "role": if model.role == CheckpointRole::Target { "target" } else { "drafter" },
                "kind": model.kind,
                "what": model.summary,
                "folder": model.folder,
                "source": format!("{:?}", model.source),
                "repo": model.repo,
                "commit": model.commit,
                "bytes": model.bytes,
                "broken": model.broken,
            })
        });
        let unreadable = self.damaged_models().await?.into_iter().map(|id| json!({ "id": id, "broken": "unreadable" }));
        Ok(models.chain(unreadable).collect())
    }

    /// Downloads, trainings, calibrations and comparisons, and why some of them failed.
    async fn jobs_told(&self) -> Result<Value> {
        let (downloads, trainings) = (self.downloads().await?, self.trainings().await?);
        let (calibrations, comparisons) = (self.calibrations().await?, self.comparisons().await?);
        let downloads = downloads.iter().map(|job| told("download", &job.repo, job.state, job.reason.as_deref()));
        let trainings = trainings.iter().map(|job| told("training", &job.name, job.state, job.failure.as_deref()));
        let calibrations =
            calibrations.iter().map(|job| told("calibration", &job.drafter, job.state, job.failure.as_deref()));
        let comparisons =
            comparisons.iter().map(|job| told("comparison", &job.target, job.state, job.failure.as_deref()));
        Ok(downloads.chain(trainings).chain(calibrations).chain(comparisons).collect())
    }
}

fn told(job: &str, of: &str, state: impl Debug, why: Option<&str>) -> Value {
    json!({ "job": job, "of": of, "state": format!("{state:?}"), "why": why })
}

fn machine() -> Value {
    let machine = Machine::here();
    json!({
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "processor": processor(),
        "memory": machine.physical,
        "available": machine.available,
    })
}

fn storage(storage: &Storage) -> Value {
    let Storage { folder, kept, elsewhere, trash, free } = storage;
    json!({ "folder": folder, "kept": kept, "elsewhere": elsewhere, "trash": trash, "free": free })
}

/// The same with every text cleaned.
fn cleaned(value: Value, clean: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => clean(&text).into(),
        Value::Array(values) => values.into_iter().map(|value| cleaned(value, clean)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, cleaned(value, clean))).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}

/// The text without these secrets, and without anything that looks like a token of the Hub.
fn discreet(text: &str, secrets: &[String]) -> String {
    let text = secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "[token]"));
    let mut parts = text.split("hf_");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
        if part.len() - rest.len() < 16 { text + "hf_" + part } else { text + "[token]" + rest }
    })
}

/// The text with `~` in place of the user's folders, the longest first.
fn homeless(text: &str, homes: &[String]) -> String {
    homes.iter().fold(text.to_owned(), |text, home| {
        let mut parts = text.split(home.as_str());
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| {
            // The folder of somebody whose name only begins like this one's is another.
            let goes_on = part.starts_with(|letter: char| letter.is_alphanumeric() || "_-.".contains(letter));
            text + if goes_on { home } else { "~" } + part
        })
    })
}

/// A folder by the paths that it may be called.
pub(crate) fn paths_of(folder: &Path) -> impl Iterator<Item = String> {
    let real = folder.canonicalize().ok();
    let paths = [Some(folder.to_owned()), real].into_iter().flatten();
    paths.filter(|path| path.components().count() > 1).map(|path| path.display().to_string())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use hub::Limits;
    use store::{Ask, Checkpoint, NewComparison, Role, Source, State, Written};

    use super::*;
    use crate::Surroundings;

    const TOKEN: &str = "hf_aSecretThatNobodyMaySee";
    const TYPED: &str = "another secret: of a Hub of its own";
    const SAID: &str = "my grandmother's recipe";

    #[tokio::test]
    async fn a_report_names_models_and_failures_but_no_token_no_home_and_nothing_that_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let user = folder.path().join("ada");
        let variables = [("HF_TOKEN", TOKEN.into()), ("HOME", user.clone().into())];
        let around = Surroundings::of(variables, Limits::default());
        let app = App::open_in(&user.join("data"), around).await.unwrap();
        let inside = user.join("models/gemma");
        std::fs::create_dir_all(&inside).unwrap();
        app.store.add_model(Some("t"), &target(inside.to_str().unwrap())).await.unwrap();
        let controls = engine::Controls { stop: vec![SAID.into()], ..engine::Controls::default() };
        app.set_preferences(&Preferences { controls, ..Preferences::default() }).await.unwrap();

        let conversation = app.store.add_conversation(SAID).await.unwrap().id;
        let ask = Ask::Next { conversation, text: SAID, attachments: &[] };
        let answer = app.store.ask(ask, "t", None).await.unwrap().answer.id;
        let why = format!("the file {}/x of {TOKEN} is gone", inside.display());
        let written = Written { thought: SAID, text: SAID };
        app.store.end_message(answer, written, State::Failed, Some(&why), None).await.unwrap();

        let new = NewComparison { target: "t", ordered: "{}", conditions: "{}", data: SAID, total: 1 };
        app.store.add_comparison(&new, &[]).await.unwrap();

        let report = app.diagnostics().await.unwrap();
        assert!(report.contains("\"job\": \"comparison\""), "{report}");
        assert!(report.contains("~/models/gemma") && report.contains("~/data"), "{report}");
        assert!(report.contains("the file ~/models/gemma/x of [token] is gone"), "{report}");
        for hidden in [TOKEN, SAID, user.to_str().unwrap()] {
            assert!(!report.contains(hidden), "{hidden} is in {report}");
        }
    }

    #[test]
    fn a_secret_of_any_form_is_hidden_and_so_is_what_looks_like_one() {
        let text = format!("asked with {TYPED}, or {TOKEN}.");
        assert_eq!(discreet(&text, &[TYPED.into()]), "asked with [token], or [token].");
        assert_eq!(discreet("hf_cache of hf_ and hf_hub", &[]), "hf_cache of hf_ and hf_hub");
    }

    #[test]
    fn only_the_users_own_folder_is_a_tilde() {
        let homes = ["/people/ada".to_owned()];
        assert_eq!(homeless("/people/ada, /people/ada/x", &homes), "~, ~/x");
        assert_eq!(homeless("/people/adam/x /people/ada.old", &homes), "/people/adam/x /people/ada.old");
    }

    fn target(folder: &str) -> Checkpoint {
        Checkpoint {
            role: Role::Target,
            kind: "gemma4".into(),
            folder: folder.into(),
            source: Source::Folder,
            revision_id: None,
            summary: "a target".into(),
            bytes: 1,
            draft_limit: None,
            draft_usual: None,
            draft_confident: None,
            chat_template: None,
        }
    }
}
