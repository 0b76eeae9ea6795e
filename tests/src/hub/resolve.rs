//! Contents: where they are, and their bytes.

use super::{
    Content, File, Origin, Quirk, Repo, World, api,
    wire::{Body, Framing, Reply, Request},
};

/// The answer of the Hub to a request for a file of a repo: a small one's bytes, or the way to a large one's.
pub(super) fn file(world: &mut World, request: &Request) -> Reply {
    let parts: Vec<&str> = request.path().splitn(6, '/').collect();
    let [_, owner, name, "resolve", revision, path] = parts[..] else { return Reply::status(404) };
    let (id, path) = (format!("{owner}/{name}"), decoded(path));
    let Some(repo) = world.repos.iter().find(|repo| repo.id == id && repo.commit == revision).cloned() else {
        return Reply::status(404).header("X-Error-Code", "RepoNotFound");
    };
    if !api::is_allowed(&repo, request) {
        return Reply::status(403)
            .header("X-Error-Code", "GatedRepo")
            .header("X-Error-Message", "Access is restricted");
    }
    let Some(file) = repo.files.iter().find(|file| file.path == path).cloned() else {
        return Reply::status(404).header("X-Error-Code", "EntryNotFound");
    };
    let mut name = file.served.hash(file.is_large).to_string();
    let quirk = if file.is_large || request.method == "HEAD" { world.quirk("resolve") } else { None };
    match quirk {
        Some(Quirk::Renamed) => name = name.replace(['0', '1', '2'], "3"),
        None | Some(Quirk::Fine) => {}
        Some(quirk) => return Reply::broken(&quirk),
    }
    if !file.is_large {
        return content(world, &repo, &file, request);
    }
    world.signatures += 1;
    let path = request.path().splitn(6, '/').last().unwrap_or_default();
    let location = format!("{}/{id}/{path}?signature={}-0", world.address(Origin::Cdn), world.signatures);
    Reply::status(302)
        .header("Location", &location)
        .header("X-Linked-Etag", &format!("\"{name}\""))
        .header("X-Linked-Size", &file.served.size().to_string())
        .header("X-Repo-Commit", &repo.commit)
        .header("X-Xet-Hash", &name)
}

/// The answer of the other server.
pub(super) fn large(world: &mut World, request: &Request) -> Reply {
    let parts: Vec<&str> = request.path().splitn(4, '/').collect();
    let [_, owner, name, path] = parts[..] else { return Reply::status(404) };
    let (id, path) = (format!("{owner}/{name}"), decoded(path));
    let used = world.seen.iter().filter(|seen| seen.origin == Origin::Cdn && seen.target == request.target).count();
    if used > world.signed_for {
        return Reply::status(403);
    }
    let repo = world.repos.iter().find(|repo| repo.id == id).cloned();
    let file = repo.and_then(|repo| Some((repo.files.iter().find(|file| file.path == path)?.clone(), repo)));
    match file {
        Some((file, repo)) => content(world, &repo, &file, request),
        None => Reply::status(404),
    }
}

/// A path of an address as it was meant; of anything else nothing.
fn decoded(path: &str) -> String {
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let code = part.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.extend(code);
        bytes.extend_from_slice(part.get(2..).unwrap_or_default().as_bytes());
    }
    String::from_utf8(bytes).unwrap_or_default()
}

fn content(world: &mut World, repo: &Repo, file: &File, request: &Request) -> Reply {
    let quirk = if request.method == "GET" { world.quirk(&file.path) } else { None }.unwrap_or(Quirk::Fine);
    let (content, size) = (&file.served, file.served.size());
    let mark = if world.weak_tags { "W/" } else { "" };
    let tag = format!("{mark}\"{}\"", content.hash(file.is_large));
    let is_same = request.header("if-range").is_none_or(|wanted| wanted == tag && !world.weak_tags);
    let range = request.header("range").filter(|_| is_same && quirk != Quirk::Whole);
    let range = range.and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
    let range = range
        .and_then(|(start, last)| Some(start.parse().ok()?..last.parse::<u64>().ok()?.min(size.saturating_sub(1)) + 1));
    let reply = match &range {
        Some(range) if range.start >= size => {
            return Reply::status(416).header("Content-Range", &format!("bytes */{size}"));
        }
        Some(range) => {
            let start = range.start + u64::from(quirk == Quirk::Shifted);
            Reply::status(206).header("Content-Range", &format!("bytes {start}-{}/{size}", range.end - 1))
        }
        None => Reply::status(200),
    };
    let reply = reply.header("ETag", &tag).header("X-Repo-Commit", &repo.commit).header("Accept-Ranges", "bytes");
    send(reply, content, range.unwrap_or(0..size), &quirk)
}

fn send(reply: Reply, content: &Content, range: std::ops::Range<u64>, quirk: &Quirk) -> Reply {
    let part = |content: &Content| Body::Part(content.clone(), range.clone());
    match quirk {
        Quirk::Drop(after) => reply.body(part(content)).cut(*after, false),
        Quirk::Stall(after) => reply.body(part(content)).cut(*after, true),
        Quirk::Chunked => reply.body(part(content)).framed(Framing::Chunks),
        Quirk::Unframed => reply.body(part(content)).framed(Framing::Close),
        Quirk::Cut(quirk, after) => send(reply, content, range, quirk).cut(*after, false),
        Quirk::Excess => {
            let more = range.start..(range.end + 100).min(content.size());
            reply.body(Body::Part(content.clone(), more)).framed(Framing::Chunks)
        }
        Quirk::Encoded => reply.header("Content-Encoding", "gzip").body(part(content)),
        Quirk::Empty => reply.body(Body::Part(content.clone(), 0..0)),
        Quirk::Length(length) => reply.body(Body::Part(Content::noise(*length, 1), 0..*length)),
        Quirk::Text(kind, text) => reply.header("Content-Type", kind).body(Body::Text((*text).to_owned())),
        Quirk::Corrupt => {
            let mut bytes = content.bytes();
            if let Some(byte) = bytes.get_mut(usize::try_from(range.start).unwrap_or(0)) {
                *byte ^= 1;
            }
            reply.body(part(&Content::of(bytes)))
        }
        Quirk::Status(..) | Quirk::Redirect(_) => Reply::broken(quirk),
        Quirk::Fine | Quirk::Shifted | Quirk::Whole | Quirk::Renamed => reply.body(part(content)),
    }
}
