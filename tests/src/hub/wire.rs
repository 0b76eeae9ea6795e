//! HTTP/1.1, as little as a fake needs: requests without bodies.

use std::{
    fmt::Write as _,
    net::TcpListener as StdListener,
    ops::Range,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
};

use super::{Content, Origin, Pace, Quirk, Seen, World, api, lock, resolve, sender::Sender};

pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: String,
    headers: Vec<(String, String)>,
}

pub(super) enum Body {
    Text(String),
    Part(Content, Range<u64>),
}

/// How a body's end is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    Length,
    Chunks,
    /// By the connection's end.
    Close,
}

pub(super) struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: Body,
    pub(super) framing: Framing,
    /// After how many bytes of the body nothing more comes, and whether the connection stays open.
    pub(super) cut: Option<(u64, bool)>,
}

impl Request {
    /// The path, which a mirror has below another.
    pub(super) fn path(&self) -> &str {
        let path = self.target.split('?').next().unwrap_or_default();
        path.strip_prefix("/mirror").unwrap_or(path)
    }

    pub(super) fn query(&self, key: &str) -> Option<String> {
        let (_, query) = self.target.split_once('?')?;
        let value = query.split('&').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))?;
        Some(value.replace('+', " "))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    async fn read(stream: &mut BufReader<TcpStream>) -> Option<Self> {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let mut words = line.split_whitespace();
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut headers = Vec::new();
        loop {
            line.clear();
            stream.read_line(&mut line).await.ok()?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        Some(Self { method, target, headers })
    }
}

impl Reply {
    pub(super) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Body::Text(String::new()), framing: Framing::Length, cut: None }
    }

    pub(super) fn json(value: &Value) -> Self {
        Self::status(200).header("Content-Type", "application/json").body(Body::Text(value.to_string()))
    }

    /// What `quirk` makes of an answer that has no content.
    pub(super) fn broken(quirk: &Quirk) -> Self {
        match quirk {
            Quirk::Status(status, headers, body) => {
                let reply = Self::status(*status).body(Body::Text(body.clone()));
                headers.iter().fold(reply, |reply, (name, value)| reply.header(name, value))
            }
            Quirk::Redirect(to) => Self::status(302).header("Location", to),
            Quirk::Text(kind, text) => {
                Self::status(200).header("Content-Type", kind).body(Body::Text((*text).to_owned()))
            }
            Quirk::Length(length) => Self::status(200).body(Body::Part(Content::noise(*length, 1), 0..*length)),
            Quirk::Drop(after) => Self::status(200).body(Body::Text(" ".repeat(1 << 16))).cut(*after, false),
            Quirk::Stall(after) => Self::status(200).body(Body::Text(" ".repeat(1 << 16))).cut(*after, true),
            _ => Self::status(200),
        }
    }

    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn body(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    pub(super) fn framed(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    pub(super) fn cut(mut self, after: u64, stays_open: bool) -> Self {
        self.cut = Some((after, stays_open));
        self
    }

    pub(super) fn head(&self) -> String {
        let length = match &self.body {
            Body::Text(text) => text.len() as u64,
            Body::Part(_, range) => range.end - range.start,
        };
        let framing = match self.framing {
            Framing::Length => format!("Content-Length: {length}"),
            Framing::Chunks => "Transfer-Encoding: chunked".to_owned(),
            Framing::Close => "Connection: close".to_owned(),
        };
        let mut head = format!("HTTP/1.1 {} .\r\n{framing}\r\n", self.status);
        for (name, value) in &self.headers {
            // Writing to a string cannot fail.
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head + "\r\n"
    }
}

pub(super) async fn serve(listeners: [StdListener; 2], world: Arc<Mutex<World>>, mut end: watch::Receiver<bool>) {
    let [hub, cdn] = listeners.map(TcpListener::from_std);
    let (Ok(hub), Ok(cdn)) = (hub, cdn) else { return };
    loop {
        let (stream, origin) = tokio::select! {
            Ok((stream, _)) = hub.accept() => (stream, Origin::Hub),
            Ok((stream, _)) = cdn.accept() => (stream, Origin::Cdn),
            _ = end.wait_for(|end| *end) => return,
        };
        tokio::spawn(converse(stream, origin, Arc::clone(&world)));
    }
}

/// Answers the requests of one connection until it ends.
async fn converse(stream: TcpStream, origin: Origin, world: Arc<Mutex<World>>) {
    drop(stream.set_nodelay(true));
    let mut stream = BufReader::new(stream);
    while let Some(request) = Request::read(&mut stream).await {
        let (reply, seen, pace) = answer(&world, origin, &request);
        let mut sender = Sender { stream: stream.get_mut(), world: &world, seen, pace };
        if sender.send(&reply, request.method == "HEAD").await.is_err() {
            return;
        }
        match reply.cut {
            Some((_, true)) => std::future::pending::<()>().await,
            Some((_, false)) => return,
            None if reply.framing == Framing::Close => return,
            None => {}
        }
    }
}

fn answer(world: &Mutex<World>, origin: Origin, request: &Request) -> (Reply, usize, Option<Pace>) {
    let mut world = lock(world);
    world.seen.push(Seen {
        origin,
        method: request.method.clone(),
        target: request.target.clone(),
        range: request.header("range").map(str::to_owned),
        if_range: request.header("if-range").map(str::to_owned),
        encoding: request.header("accept-encoding").map(str::to_owned),
        authorised: request.header("authorization").is_some(),
        sent: 0,
    });
    let seen = world.seen.len() - 1;
    let reply = match origin {
        Origin::Cdn => resolve::large(&mut world, request),
        Origin::Hub if request.path().starts_with("/api/models") => api::answer(&mut world, request),
        Origin::Hub => resolve::file(&mut world, request),
    };
    (reply, seen, world.pace)
}
