//! HTTP/1.1, as little as a fake needs: requests without bodies.

use std::{
    fmt::Write as _,
    net::TcpListener as StdListener,
    ops::Range,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
};

use super::{Content, Origin, Pace, Quirk, Seen, World, api, lock, resolve};

/// The most that is handed to a connection at once, bytes.
const BLOCK: u64 = 1 << 18;

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
    body: Body,
    framing: Framing,
    /// After how many bytes of the body nothing more comes, and whether the connection stays open.
    cut: Option<(u64, bool)>,
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

    fn head(&self) -> String {
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
        let mut sender = Sender { stream: &mut stream, world: &world, seen, pace };
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

struct Sender<'a> {
    stream: &'a mut BufReader<TcpStream>,
    world: &'a Mutex<World>,
    seen: usize,
    pace: Option<Pace>,
}

impl Sender<'_> {
    async fn send(&mut self, reply: &Reply, is_head: bool) -> std::io::Result<()> {
        self.stream.get_mut().write_all(reply.head().as_bytes()).await?;
        if is_head {
            return Ok(());
        }
        let most = reply.cut.map_or(u64::MAX, |(after, _)| after);
        match &reply.body {
            Body::Text(text) => {
                let end = text.len().min(usize::try_from(most).unwrap_or(usize::MAX));
                self.stream.get_mut().write_all(&text.as_bytes()[..end]).await
            }
            Body::Part(content, range) => {
                let (mut at, end) = (range.start, range.end.min(range.start.saturating_add(most)));
                let block = self.pace.map_or(BLOCK, |pace| pace.bytes as u64);
                while at < end {
                    let bytes = content.at(at, (end - at).min(block));
                    self.write(reply.framing, bytes).await?;
                    at += bytes.len() as u64;
                    lock(self.world).seen[self.seen].sent += bytes.len() as u64;
                    if let Some(pace) = self.pace {
                        tokio::time::sleep(pace.pause).await;
                    }
                }
                if reply.cut.is_none() { self.write(reply.framing, &[]).await } else { Ok(()) }
            }
        }
    }

    /// Some bytes of a body; none are its end.
    async fn write(&mut self, framing: Framing, bytes: &[u8]) -> std::io::Result<()> {
        let stream = self.stream.get_mut();
        if framing != Framing::Chunks {
            return stream.write_all(bytes).await;
        }
        stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).await?;
        stream.write_all(bytes).await?;
        stream.write_all(b"\r\n").await
    }
}
