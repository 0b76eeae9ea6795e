//! Which token is used, and what becomes of one that is typed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use app::{App, Error, HubToken, Keychain, Surroundings, TokenSource};
use tests::{
    Outcome,
    hub::TOKEN,
    library::{Bench, TARGET},
};

/// A keychain in memory. What is locked can be read and not changed.
#[derive(Debug, Default)]
struct Ring {
    tokens: Mutex<HashMap<String, HubToken>>,
    is_locked: bool,
}

impl Ring {
    fn change(&self, change: impl FnOnce(&mut HashMap<String, HubToken>)) -> Result<(), String> {
        if self.is_locked {
            return Err("it is locked".into());
        }
        change(&mut self.tokens.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }
}

impl Keychain for Ring {
    fn token(&self, origin: &str) -> Result<Option<HubToken>, String> {
        Ok(self.tokens.lock().unwrap_or_else(PoisonError::into_inner).get(origin).cloned())
    }

    fn keep(&self, origin: &str, token: &HubToken) -> Result<(), String> {
        self.change(|tokens| drop(tokens.insert(origin.to_owned(), token.clone())))
    }

    fn forget(&self, origin: &str) -> Result<(), String> {
        self.change(|tokens| drop(tokens.remove(origin)))
    }
}

/// A process with this keychain and these variables.
async fn process(bench: &Bench, ring: &Arc<Ring>, variables: &[(&str, &str)]) -> Outcome<App> {
    let endpoint = bench.fake.endpoint();
    let usual = [("HF_ENDPOINT", endpoint.as_str())];
    let variables = usual.iter().chain(variables).map(|&(name, value)| (name, value.into()));
    let around = Surroundings::of(variables, bench.limits.clone()).with_keychain(Arc::clone(ring) as _);
    Ok(App::open_in(&bench.home(), around).await?)
}

#[tokio::test]
async fn a_typed_token_lies_in_the_keychain_for_its_hub_and_reaches_every_process() -> Outcome {
    let (bench, ring) = (Bench::new().await?, Arc::new(Ring::default()));
    bench.fake.edit(|repos| repos[0].gated = "manual".into());
    let (window, terminal) = (process(&bench, &ring, &[]).await?, process(&bench, &ring, &[]).await?);
    assert!(window.offer(TARGET, "main").await?.judgement.is_err());
    let status = terminal.log_in(TOKEN.parse()?).await?;
    assert_eq!((status.token, status.no_keychain), (TokenSource::Keychain, None));
    assert!(window.offer(TARGET, "main").await?.judgement.is_ok());
    let elsewhere = process(&bench, &ring, &[("HF_ENDPOINT", "http://127.0.0.1:9")]).await?;
    assert_eq!(elsewhere.hub_status().await?.token, TokenSource::None);

    assert_eq!(window.log_out().await?.token, TokenSource::None);
    assert_eq!(terminal.hub_status().await?.token, TokenSource::None);
    Ok(())
}

#[tokio::test]
async fn a_keychain_that_fails_says_so_and_the_latest_token_counts() -> Outcome {
    let old = ("http://old".to_owned(), "hf_old".parse()?);
    let bench = Bench::new().await?;
    let ring = Ring { tokens: Mutex::new([(bench.fake.endpoint(), old.1)].into()), is_locked: true };
    let app = process(&bench, &Arc::new(ring), &[]).await?;
    assert_eq!(app.hub_status().await?.token, TokenSource::Keychain);
    let status = app.log_in(TOKEN.parse()?).await?;
    assert_eq!((status.token, status.no_keychain.as_deref()), (TokenSource::ThisRun, Some("it is locked")));
    let refused = app.log_out().await;
    assert!(matches!(&refused, Err(Error::Keychain(why)) if why == "it is locked"), "{refused:?}");
    Ok(())
}

#[tokio::test]
async fn what_is_named_for_one_run_comes_before_what_was_kept() -> Outcome {
    let (bench, ring) = (Bench::new().await?, Arc::new(Ring::default()));
    process(&bench, &ring, &[]).await?.log_in(TOKEN.parse()?).await?;
    let source = async |variables: &[(&str, &str)]| -> Outcome<TokenSource> {
        Ok(process(&bench, &ring, variables).await?.hub_status().await?.token)
    };
    assert_eq!(source(&[("HF_TOKEN", "hf_other")]).await?, TokenSource::Variable);
    let file = bench.folder.path().join("token");
    std::fs::write(&file, "hf_of_the_tools")?;
    let file = file.to_string_lossy().into_owned();
    assert_eq!(source(&[("HF_TOKEN_PATH", &file)]).await?, TokenSource::Keychain);
    assert_eq!(source(&[("HF_TOKEN_PATH", &file), ("HF_TOKEN", " ")]).await?, TokenSource::Keychain);
    process(&bench, &ring, &[]).await?.log_out().await?;
    assert_eq!(source(&[("HF_TOKEN_PATH", &file), ("HF_TOKEN", " ")]).await?, TokenSource::File);
    Ok(())
}
