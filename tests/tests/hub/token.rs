//! Where the token goes, and what the Hub says without one.

use std::{collections::HashMap, ffi::OsString, fs};

use hub::{Access, Error, Hub, Login, Token, TokenPlace};
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
    let cdn = bench.fake.cdn();
    let elsewhere =
        [cdn.replace("localhost", "127.0.0.1"), bench.fake.endpoint().replace("127.0.0.1", "localhost"), cdn];
    for place in elsewhere {
        bench.fake.next("repo", [Quirk::Redirect(format!("{place}/marked"))]);
        assert!(client.listing(ID).await.is_err());
    }
    let marked: Vec<_> = bench.fake.seen().into_iter().filter(|seen| seen.target == "/marked").collect();
    assert_eq!(marked.len(), 3);
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

/// What is said if the Hub answers `status` to somebody with a token.
async fn sentence(status: u16, headers: &[(&'static str, &str)], login: Login) -> Outcome<String> {
    let bench = Bench::usual()?;
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    bench.fake.next("repo", [Quirk::Status(status, headers, String::new())]);
    match bench.another("mine", Some("hf_another"))?.listing(ID).await {
        Err(error @ (Error::Unauthorized { login: found, .. } | Error::Gated { login: found, .. }))
            if found == login =>
        {
            Ok(error.to_string())
        }
        other => Err(format!("{status}: {other:?}").into()),
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_token_is_said() -> Outcome {
    let invalid = [("X-Error-Message", "Invalid credentials in Authorization header")];
    let said = sentence(401, &invalid, Login::Refused).await?;
    assert!(said.contains("refused the token") && said.contains("says: Invalid credentials in"), "{said}");
    let said = sentence(401, &[("X-Error-Code", "RepoNotFound")], Login::Known).await?;
    assert!(said.contains("the token may not read"), "{said}");
    let said = sentence(403, &[("X-Error-Code", "GatedRepo")], Login::Known).await?;
    assert!(said.contains("the account of the token has no access") && said.contains(ID), "{said}");
    let said = sentence(403, &[("X-Error-Message", "  no \t rights ")], Login::Known).await?;
    assert!(said.contains("(the server says: no rights)"), "{said}");
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
    assert!(!format!("{access:?} {:?}", Hub::with(access.clone(), hasty())?).contains("secret"));
    Ok(())
}

#[test]
fn what_cannot_be_a_token_is_refused() {
    for text in ["", "  ", "hf_a b", "hf_a\nX-Evil: 1", "hf_ä", "hf_\u{7f}"] {
        assert!(text.parse::<Token>().is_err(), "{text:?}");
    }
}

/// The token that is found with these variables, and where.
fn access(variables: &[(&str, &str)]) -> Outcome<(Option<String>, Option<TokenPlace>)> {
    let variables: HashMap<&str, OsString> = variables.iter().map(|(name, value)| (*name, value.into())).collect();
    let (access, place) = Access::found(|name| variables.get(name).cloned())?;
    Ok((access.token.map(|token| token.secret().to_owned()), place))
}

#[test]
fn where_a_token_came_from_is_known() -> Outcome {
    let home = tempfile::tempdir()?;
    let file = home.path().join("token").display().to_string();
    fs::write(&file, "hf_file")?;
    let (variable, file) = (("HF_TOKEN", "hf_variable"), ("HF_TOKEN_PATH", file.as_str()));
    let is = |found: (Option<String>, Option<TokenPlace>), token: &str, place| {
        assert_eq!(found, (Some(token.to_owned()), Some(place)));
    };
    is(access(&[variable, file])?, "hf_variable", TokenPlace::Variable);
    is(access(&[("HF_TOKEN", " "), file])?, "hf_file", TokenPlace::File);
    assert_eq!(access(&[])?, (None, None));
    Ok(())
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
        assert_eq!(access(variables)?.0.as_deref(), token, "{variables:?}");
        Ok(())
    };
    is(&[("HF_TOKEN", "hf_said"), ("HF_TOKEN_PATH", &own)], Some("hf_said"))?;
    is(&[("HF_TOKEN", " "), ("HF_TOKEN_PATH", &own), ("HF_HOME", &folder)], Some("hf_own"))?;
    is(&[("HF_HOME", &folder), ("HOME", &folder)], Some("hf_home"))?;
    is(&[("HOME", &folder)], Some("hf_cache"))?;
    is(&[("HOME", &own)], None)?;
    is(&[("HF_HOME", &path("nowhere"))], None)?;
    is(&[], None)?;
    is(&[("HF_HUB_DISABLE_IMPLICIT_TOKEN", "false"), ("HF_TOKEN", "hf_said")], Some("hf_said"))?;
    is(&[("HF_HUB_DISABLE_IMPLICIT_TOKEN", "0"), ("HF_TOKEN", "hf_said")], Some("hf_said"))?;
    is(&[("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1"), ("HF_TOKEN", "hf_said")], None)
}

#[test]
fn an_endpoint_is_a_web_server_without_a_password() -> Outcome {
    let refused = [
        "",
        "huggingface.co",
        "file:///etc",
        "https://me:secret@example.com",
        "https://me:sec/secret@example.com",
        "me:secret@example.com",
        "https://example.com/?token=secret",
        "https://example.com/#secret",
    ];
    for text in refused {
        let failed = Access::endpoint(text);
        let Err(error @ Error::BadEndpoint { .. }) = failed else { return Err(format!("{failed:?}").into()) };
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    Access::endpoint("http://127.0.0.1:8080/mirror/")?;
    Ok(())
}
