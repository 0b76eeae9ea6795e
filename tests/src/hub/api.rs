//! The Hub's interface: repos, their trees, the search.

use serde_json::{Value, json};

use super::{
    Origin, Quirk, Repo, TOKEN, World,
    wire::{Reply, Request},
};

/// The answer to a request for something below `/api/models`.
pub(super) fn answer(world: &mut World, request: &Request) -> Reply {
    let parts: Vec<&str> = request.path().split('/').skip(3).collect();
    let what = match parts[..] {
        [""] | [] => "search",
        [_, _, "revision", _] | [_, _] => "repo",
        [_, _, "tree", _] => "tree",
        _ => return Reply::status(404),
    };
    match world.quirk(what) {
        None | Some(Quirk::Fine) => {}
        Some(quirk) => return Reply::broken(&quirk),
    }
    if what == "search" {
        return search(world, request);
    }
    let id = format!("{}/{}", parts[0], parts[1]);
    let Some(repo) = world.repos.iter().find(|repo| repo.id.eq_ignore_ascii_case(&id)) else {
        // The Hub does not say which repos are there that one may not read.
        return Reply::status(401)
            .header("X-Error-Code", "RepoNotFound")
            .header("X-Error-Message", "Repository not found");
    };
    if parts.get(3).is_some_and(|revision| *revision != "main" && *revision != repo.commit) {
        return Reply::status(404).header("X-Error-Code", "RevisionNotFound");
    }
    if what == "repo" {
        let Repo { id, commit, gated, card, tags, .. } = repo;
        return Reply::json(&json!({ "id": id, "sha": commit, "gated": gated, "cardData": card, "tags": tags }));
    }
    let mut entries: Vec<Value> = repo.files.iter().map(super::File::entry).collect();
    entries.insert(0, json!({ "type": "directory", "path": "some", "size": 0, "oid": "0".repeat(40) }));
    page(world, request, &entries)
}

fn search(world: &World, request: &Request) -> Reply {
    let wanted = request.query("search").unwrap_or_default().to_lowercase();
    let is_named = |repo: &&Repo| wanted.split_whitespace().all(|word| repo.id.to_lowercase().contains(word));
    let found = world.repos.iter().filter(is_named);
    let items: Vec<Value> = found
        .map(|repo| json!({ "id": repo.id, "downloads": 7, "likes": 3, "gated": repo.gated, "tags": repo.tags, "lastModified": "2026-01-02T03:04:05.000Z" }))
        .collect();
    page(world, request, &items)
}

/// One page of `entries`, and where the next is.
fn page(world: &World, request: &Request, entries: &[Value]) -> Reply {
    let from: usize = request.query("cursor").and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
    let size = request.query("limit").and_then(|limit| limit.parse().ok()).unwrap_or(world.page).min(world.page);
    let to = entries.len().min(from + size);
    let reply = Reply::json(&json!(entries.get(from..to).unwrap_or_default()));
    if to == entries.len() {
        return reply;
    }
    // A mirror passes on what the Hub said: an address of its own, which is none of the mirror's.
    let cdn = world.address(Origin::Cdn);
    reply.header("Link", &format!("<{cdn}{}?cursor={to}&limit={size}>; rel=\"next\"", request.path()))
}

/// Whether the request may read what `repo` holds.
pub(super) fn is_allowed(repo: &Repo, request: &Request) -> bool {
    repo.gated == json!(false) || request.header("authorization") == Some(&format!("Bearer {TOKEN}"))
}
