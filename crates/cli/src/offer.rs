//! A repo before it is downloaded, for `slipstream hub show`.

use app::{Gated, Judgement, Offer, size};
use serde_json::{Value, json};

use crate::models::role;

/// A repo and a revision, of `owner/name@revision`.
pub(crate) fn parts(text: &str) -> (&str, &str) {
    text.split_once('@').unwrap_or((text, "main"))
}

/// Who gets a repo's files, as the command line calls it.
pub(crate) fn gated(gated: Gated) -> &'static str {
    match gated {
        Gated::No => "no",
        Gated::Auto => "auto",
        Gated::Manual => "manual",
    }
}

/// For programs.
pub(crate) fn value(offer: &Offer) -> Value {
    let files = offer.files.iter().map(|file| json!({ "path": file.path, "bytes": file.bytes, "here": file.is_here }));
    let skipped = offer.skipped.iter().map(|(path, why)| json!({ "path": path, "why": why }));
    let mut value = json!({
        "repo": offer.repo,
        "commit": offer.commit,
        "licence": offer.licence,
        "gated": gated(offer.gated),
        "page": offer.page,
        "bytes": offer.bytes,
        "to_fetch": offer.to_fetch,
        "to_write": offer.to_write,
        "free": offer.free,
        "folder": offer.located.as_ref().map(|located| &located.folder),
        "whole": offer.located.as_ref().is_some_and(app::Located::is_whole),
        "files": files.collect::<Vec<_>>(),
        "skipped": skipped.collect::<Vec<_>>(),
    });
    match &offer.judgement {
        Ok(judgement) => {
            value["checkpoint"] = json!(judgement.checkpoint);
            value["memory"] = match &judgement.memory {
                Some(Ok(need)) => json!({ "fits": true, "needs": need.total(), "why": null }),
                Some(Err(why)) => json!({ "fits": false, "why": why }),
                None => Value::Null,
            };
            let fits = judgement.fits.iter().map(|fit| json!({ "model": fit.model, "misfit": fit.misfit }));
            value["fits"] = fits.collect();
        }
        Err(why) => value["unknown"] = json!(why),
    }
    value
}

/// For people.
pub(crate) fn text(offer: &Offer) -> String {
    let mut lines = vec![line("repo", &offer.repo), line("commit", &offer.commit)];
    lines.push(line("licence", offer.licence.as_deref().unwrap_or("not named")));
    match offer.gated {
        Gated::No => {}
        Gated::Auto => lines.push(line("gated", &format!("accept the licence at {}", offer.page))),
        Gated::Manual => lines.push(line("gated", &format!("ask its publisher at {}", offer.page))),
    }
    match &offer.judgement {
        Ok(judgement) => lines.extend(judged(judgement)),
        Err(why) => lines.push(line("what", why)),
    }
    lines.push(line("files", &format!("{}, {} of them to fetch", size(offer.bytes), size(offer.to_fetch))));
    lines.push(line("disk", &format!("{} to write, {} free", size(offer.to_write), size(offer.free))));
    if let Some(located) = &offer.located {
        let state = if located.is_whole() { "whole" } else { "in part" };
        lines.push(line("here", &format!("{state}, in {}", located.folder.display())));
    }
    lines.extend(offer.files.iter().map(|file| {
        let here = if file.is_here { ", here" } else { "" };
        line("  needed", &format!("{}, {}{here}", file.path, size(file.bytes)))
    }));
    lines.extend(offer.skipped.iter().map(|(path, why)| line("  skipped", &format!("{path}: {why}"))));
    lines.join("\n")
}

fn judged(Judgement { checkpoint, memory, fits }: &Judgement) -> Vec<String> {
    let what = format!("{}, {}: {}", role(checkpoint.role), checkpoint.kind, checkpoint.summary);
    let mut lines = vec![line("what", &what)];
    match memory {
        Some(Ok(need)) => lines.push(line("memory", &format!("{} for {} tokens", size(need.total()), need.context))),
        Some(Err(why)) => lines.push(line("memory", why)),
        None => {}
    }
    lines.extend(fits.iter().map(|fit| match &fit.misfit {
        None => line("suits", &fit.model),
        Some(why) => line("not for", &format!("{}: {why}", fit.model)),
    }));
    lines
}

fn line(name: &str, value: &str) -> String {
    format!("{name:<12}{value}")
}
