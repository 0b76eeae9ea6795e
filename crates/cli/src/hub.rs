//! `slipstream hub`: what Hugging Face has, and how it is reached.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, CataloguePair, Discovered, Gated, HubStatus, HubToken, TokenSource, Wanted, size};
use serde_json::{Value, json};

use crate::args::{HubCommand, Kinds, Switch};
use crate::failure::Failure;
use crate::models::print;
use crate::{keyboard, offer};

/// Runs one of the commands.
pub(crate) async fn run(app: &App, command: HubCommand, json: bool) -> Result<ExitCode, Failure> {
    let (value, text) = match command {
        HubCommand::Search { text, only, after } => {
            let wanted = match only {
                Kinds::All => Wanted::All,
                Kinds::Targets => Wanted::Targets,
                Kinds::Drafters => Wanted::Drafters,
            };
            let found = app.discover(&text, wanted, after).await?;
            (found_value(&found), found_text(&found))
        }
        HubCommand::Pairs => {
            let pairs = app.catalogue().await?;
            (pairs.iter().map(pair_value).collect(), pairs.iter().map(pair_text).collect::<Vec<_>>().join("\n"))
        }
        HubCommand::Show { repo } => {
            let (repo, revision) = offer::parts(&repo);
            let offer = app.offer(repo, revision).await?;
            (offer::value(&offer), offer::text(&offer))
        }
        HubCommand::Login => {
            if keyboard::is_terminal() {
                write!(io::stderr(), "Paste a token; it is not shown: ")?;
            }
            let token: HubToken = keyboard::secret()?.parse().map_err(app::Error::from)?;
            let now = app.log_in(token).await?;
            // Here the run is over at once.
            if let (TokenSource::ThisRun, Some(why)) = (now.token, &now.no_keychain) {
                return Err(Failure::Sentence(format!("the token cannot be kept: {why}; set HF_TOKEN instead")));
            }
            status(&now)
        }
        HubCommand::Logout => status(&app.log_out().await?),
        HubCommand::Status => status(&app.hub_status().await?),
        HubCommand::Offline { switch } => {
            app.set_offline(switch == Switch::On).await?;
            status(&app.hub_status().await?)
        }
    };
    print(json, &value, &text)
}

fn status(status: &HubStatus) -> (Value, String) {
    let (name, token) = match status.token {
        TokenSource::None => ("none", "there is no token".to_owned()),
        TokenSource::Keychain => ("keychain", "the token lies in the system's keychain".to_owned()),
        TokenSource::ThisRun => ("this-run", "the token is kept for this run only".to_owned()),
        TokenSource::Variable => ("variable", "the token is that of HF_TOKEN".to_owned()),
        TokenSource::File => ("file", "the token is that of the Hub's own tools".to_owned()),
    };
    let value = json!({
        "endpoint": status.endpoint,
        "offline": status.offline,
        "token": name,
        "no_keychain": status.no_keychain,
    });
    let network = if status.offline { "the network is left alone" } else { "the network is used" };
    let mut text = format!("{}\n{network}\n{token}", status.endpoint);
    if let (TokenSource::ThisRun | TokenSource::None, Some(why)) = (status.token, &status.no_keychain) {
        text = format!("{text}\n{why}; set HF_TOKEN to be known at each run");
    }
    (value, text)
}

fn found_value(found: &Discovered) -> Value {
    let hits = found.hits.iter().map(|hit| {
        json!({
            "repo": hit.repo,
            "downloads": hit.downloads,
            "likes": hit.likes,
            "gated": offer::gated(hit.gated),
            "updated": hit.updated,
            "looks_like_drafter": hit.looks_like_drafter,
            "model": hit.model,
        })
    });
    json!({ "hits": hits.collect::<Vec<_>>(), "next": found.next })
}

fn found_text(found: &Discovered) -> String {
    let mut lines: Vec<_> = found
        .hits
        .iter()
        .map(|hit| {
            let mut line = format!("{:<52}  {:>9} downloads", hit.repo, hit.downloads);
            for (is_so, note) in [(hit.gated != Gated::No, "gated"), (hit.looks_like_drafter, "drafter?")] {
                line += if is_so { "  " } else { "" };
                line += if is_so { note } else { "" };
            }
            line + &here(hit.model.as_ref())
        })
        .collect();
    if lines.is_empty() {
        lines.push("nothing was found".into());
    }
    lines.extend(found.next.as_ref().map(|next| format!("more with --after {next}")));
    lines.join("\n")
}

fn pair_value(pair: &CataloguePair) -> Value {
    let published = pair.published.as_ref();
    json!({
        "target": pair.target,
        "drafter": pair.drafter,
        "kind": pair.kind,
        "limit": pair.limit,
        "licence": pair.licence,
        "bytes": pair.bytes,
        "published": published.map(|published| json!({ "tokens_per_round": published.tokens_per_round, "on": published.on })),
        "target_here": pair.target_here,
        "drafter_here": pair.drafter_here,
    })
}

fn pair_text(pair: &CataloguePair) -> String {
    let mut line = format!("{:<44}  for {:<28}  {}", pair.drafter, pair.target, pair.kind);
    line.extend(pair.bytes.map(|bytes| format!(", {}", size(bytes))));
    line.extend(pair.published.as_ref().map(|published| {
        let on = published.on.as_ref().map(|on| format!(" on {on}")).unwrap_or_default();
        format!(", {} tokens per round{on}, measured by the publisher", published.tokens_per_round)
    }));
    line + &here(pair.drafter_here.as_ref())
}

fn here(model: Option<&String>) -> String {
    model.map(|model| format!("  in the list as {model}")).unwrap_or_default()
}
