//! Where the token goes, and what the Hub says without one.

use std::{collections::HashMap, ffi::OsString, fs};

use hub::{Access, Error, Hub, Token};
use serde_json::json;
use tests::{
    Outcome,
    hub::{Origin, Quirk, TOKEN, hasty},
};

use crate::bench::{Bench, ID, WEIGHTS, check_whole, usual};

fn gated() -> tests::hub::Repo {
    let mut repo = usual();
    repo.gated = json!("manual");
    repo
}

#[tokio::test]
async fn the_token_goes_to_the_hub_and_never_to_another_origin() -> Outcome {
    let bench = Bench::of(vec![gated()])?;
    bench.fake.next(WEIGHTS, [Quirk::Drop(1000), Quirk::status(503), Quirk::Corrupt, Quirk::status(403)]);
    bench.fake.sign_for(2);
    let client = bench.another("mine", Some(TOKEN))?;
    check_whole(&client.download(ID).await?, &gated())?;
    let weights = WEIGHTS.parse()?;
    client.hub.head_of(&client.listing(ID).await?, &weights, 100).await?;
    let seen = bench.fake.seen();
    assert!(seen.iter().filter(|seen| seen.origin == Origin::Cdn).count() > 6);
    for seen in seen {
        assert_eq!(seen.authorised, seen.origin == Origin::Hub, "{seen:?}");
    }
    Ok(())
}

#[tokio::test]
async fn another_port_and_another_name_of_the_same_machine_are_other_origins() -> Outcome {
    let bench = Bench::usual()?;
    let client = bench.another("mine", Some(TOKEN))?;
    let elsewhere = [bench.fake.cdn(), bench.fake.endpoint().replace("127.0.0.1", "localhost")];
    for place in elsewhere {
        bench.fake.next("repo", [Quirk::Redirect(format!("{place}/marked"))]);
        assert!(client.listing(ID).await.is_err());
    }
    let marked: Vec<_> = bench.fake.seen().into_iter().filter(|seen| seen.target == "/marked").collect();
    assert_eq!(marked.len(), 2);
    assert!(marked.iter().all(|seen| !seen.authorised), "{marked:?}");
    Ok(())
}

#[tokio::test]
async fn redirects_end() -> Outcome {
    let bench = Bench::usual()?;
    let here = format!("{}/api/models/{ID}/revision/main", bench.fake.endpoint());
    bench.fake.next("repo", vec![Quirk::Redirect(here.clone()); 5]);
    bench.client.listing(ID).await?;
    bench.fake.next("repo", vec![Quirk::Redirect(here); 6]);
    assert!(matches!(bench.client.listing(ID).await, Err(Error::Redirect { .. })));
    for nowhere in ["file:///etc/passwd", "ftp://127.0.0.1/x"] {
        bench.fake.heal();
        bench.fake.next("repo", [Quirk::Redirect(nowhere.to_owned())]);
        assert!(matches!(bench.client.listing(ID).await, Err(Error::Redirect { .. })), "{nowhere}");
    }
    Ok(())
}

#[tokio::test]
async fn a_gated_repo_says_where_its_licence_is() -> Outcome {
    let bench = Bench::of(vec![gated()])?;
    let failed = bench.client.download(ID).await;
    let Err(error @ Error::Gated { .. }) = failed else { return Err(format!("{failed:?}").into()) };
    let sentence = error.to_string();
    assert!(sentence.contains(&format!("{}/{ID}", bench.fake.endpoint())), "{sentence}");
    assert!(sentence.contains("licence") && sentence.contains("token"), "{sentence}");
    assert_eq!(bench.fake.fetched().len(), bench.fake.fetched().iter().filter(|seen| seen.sent == 0).count());
    Ok(())
}

#[tokio::test]
async fn a_private_or_missing_repo_asks_for_a_token() -> Outcome {
    let bench = Bench::usual()?;
    let failed = bench.client.listing("owner/secret").await;
    let Err(error @ Error::Unauthorized { .. }) = failed else { return Err(format!("{failed:?}").into()) };
    assert!(error.to_string().contains("/settings/tokens"), "{error}");
    Ok(())
}

#[tokio::test]
async fn offline_nothing_is_asked() -> Outcome {
    let bench = Bench::usual()?;
    let listing = bench.client.listing(ID).await?;
    let before = bench.fake.seen().len();
    let access = Access { endpoint: Access::endpoint(&bench.fake.endpoint())?, token: None, offline: true };
    let client = tests::hub::Client { hub: Hub::with(access, hasty())?, ..bench.client.clone() };
    assert!(matches!(client.listing(ID).await, Err(Error::Offline { .. })));
    assert!(matches!(client.fetch(&listing).await, Err(Error::Offline { .. })));
    assert_eq!(bench.fake.seen().len(), before);
    bench.client.fetch(&listing).await?;
    client.fetch(&listing).await?;
    Ok(())
}

#[test]
fn a_token_shows_itself_to_nobody() -> Outcome {
    let token: Token = "hf_secret".parse()?;
    assert!(!format!("{token:?} {token}").contains("secret"));
    let access = Access { endpoint: Access::endpoint("https://example.com")?, token: Some(token), offline: false };
    assert!(!format!("{access:?} {:?}", Hub::new(access.clone())?).contains("secret"));
    Ok(())
}

#[test]
fn what_cannot_be_a_token_is_refused() {
    for text in ["", "  ", "hf_a b", "hf_a\nX-Evil: 1", "hf_ä", "hf_\u{7f}"] {
        assert!(text.parse::<Token>().is_err(), "{text:?}");
    }
}

/// The token that is found with these variables.
fn found(variables: &[(&str, &str)]) -> Outcome<Option<String>> {
    let variables: HashMap<&str, OsString> = variables.iter().map(|(name, value)| (*name, value.into())).collect();
    Ok(Token::found(|name| variables.get(name).cloned())?.map(|token| token.secret().to_owned()))
}

#[test]
fn a_token_is_found_where_the_hubs_own_tools_keep_it() -> Outcome {
    let home = tempfile::tempdir()?;
    let path = |name: &str| home.path().join(name).display().to_string();
    fs::create_dir_all(home.path().join(".cache/huggingface"))?;
    fs::write(path("own"), "hf_own\n")?;
    fs::write(path("token"), "hf_home\n")?;
    fs::write(path(".cache/huggingface/token"), "hf_cache")?;
    let (folder, own) = (path("."), path("own"));
    let is = |variables: &[(&str, &str)], token: Option<&str>| -> Outcome {
        assert_eq!(found(variables)?.as_deref(), token, "{variables:?}");
        Ok(())
    };
    is(&[("HF_TOKEN", "hf_said"), ("HF_TOKEN_PATH", &own)], Some("hf_said"))?;
    is(&[("HF_TOKEN", " "), ("HF_TOKEN_PATH", &own), ("HF_HOME", &folder)], Some("hf_own"))?;
    is(&[("HF_HOME", &folder), ("HOME", &folder)], Some("hf_home"))?;
    is(&[("HOME", &folder)], Some("hf_cache"))?;
    is(&[("HOME", &own)], None).or_else(|_| is(&[("HF_HOME", &path("nowhere"))], None))?;
    is(&[], None)?;
    is(&[("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1"), ("HF_TOKEN", "hf_said")], None)
}

#[test]
fn an_endpoint_is_a_web_server_without_a_password() {
    for text in ["", "huggingface.co", "file:///etc", "https://me:pw@example.com", "https://example.com/?a=b"] {
        assert!(matches!(Access::endpoint(text), Err(Error::BadEndpoint { .. })), "{text:?}");
    }
    assert!(Access::endpoint("http://127.0.0.1:8080/mirror/").is_ok());
}
