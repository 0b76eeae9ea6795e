//! A Hub on loopback: a real HTTP server with two origins, the Hub's own and the one that large files are sent from.
//!
//! What it does wrong is scripted with [`FakeHub::next`]; what it was asked is in [`FakeHub::seen`].

mod api;
mod client;
mod content;
mod quirk;
mod repo;
mod resolve;
mod sender;
mod wire;

use std::{
    collections::{HashMap, VecDeque},
    net::TcpListener,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use tokio::sync::watch;

use crate::Outcome;

pub use client::{Client, everything, hasty};
pub use content::Content;
pub use quirk::Quirk;
pub use repo::{File, Repo};

/// The token that opens gated and private repos.
pub const TOKEN: &str = "hf_the_token_of_the_tests";

/// Which of the two servers was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The Hub's own.
    Hub,
    /// The one that large files come from.
    Cdn,
}

/// A request that came in.
#[derive(Debug, Clone)]
pub struct Seen {
    /// At which server.
    pub origin: Origin,
    /// `GET` or `HEAD`.
    pub method: String,
    /// The path, and the query after `?`.
    pub target: String,
    /// The `Range` header.
    pub range: Option<String>,
    /// The `If-Range` header.
    pub if_range: Option<String>,
    /// The `Accept-Encoding` header.
    pub encoding: Option<String>,
    /// Whether an `Authorization` header came along.
    pub authorised: bool,
    /// How many bytes of a body were handed to the connection.
    pub sent: u64,
}

/// How a body is sent when it should take its time: so many bytes, then a pause, on each connection.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Bytes between two pauses.
    pub bytes: usize,
    /// The pause.
    pub pause: Duration,
}

/// What the servers serve and what they saw.
struct World {
    repos: Vec<Repo>,
    quirks: HashMap<String, VecDeque<Quirk>>,
    seen: Vec<Seen>,
    addresses: [String; 2],
    /// How many requests a signed address is good for.
    signed_for: usize,
    signatures: usize,
    page: usize,
    pace: Option<Pace>,
    weak_tags: bool,
    /// How many contents are being sent.
    busy: usize,
    /// The most that were being sent at once.
    busiest: usize,
}

impl World {
    fn address(&self, origin: Origin) -> &str {
        &self.addresses[usize::from(origin == Origin::Cdn)]
    }

    /// Counts a content that is being sent.
    fn begin(&mut self) {
        self.busy += 1;
        self.busiest = self.busiest.max(self.busy);
    }

    /// What is to go wrong with the next request for `what`.
    fn quirk(&mut self, what: &str) -> Option<Quirk> {
        self.quirks.get_mut(what)?.pop_front()
    }
}

/// The servers. They end when this is dropped.
pub struct FakeHub {
    world: Arc<Mutex<World>>,
    end: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl FakeHub {
    /// Starts both servers.
    ///
    /// # Errors
    /// There is no free port.
    pub fn start(repos: Vec<Repo>) -> Outcome<Self> {
        let listeners = [TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?];
        let mut addresses = [String::new(), String::new()];
        // Two hosts by name, as the Hub and the other are.
        for ((listener, address), host) in listeners.iter().zip(&mut addresses).zip(["127.0.0.1", "localhost"]) {
            listener.set_nonblocking(true)?;
            *address = format!("http://{host}:{}", listener.local_addr()?.port());
        }
        let (quirks, seen) = (HashMap::new(), Vec::new());
        let world = World {
            repos,
            quirks,
            seen,
            addresses,
            signed_for: usize::MAX,
            signatures: 0,
            page: 1000,
            pace: None,
            weak_tags: false,
            busy: 0,
            busiest: 0,
        };
        let world = Arc::new(Mutex::new(world));
        let end = watch::Sender::new(false);
        let (served, ended) = (Arc::clone(&world), end.subscribe());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::spawn(move || runtime.block_on(wire::serve(listeners, served, ended)));
        Ok(Self { world, end, thread: Some(thread) })
    }

    /// The address of the Hub. Below `/mirror` it is there once more.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.world().address(Origin::Hub).to_owned()
    }

    /// The address of the server that large files come from.
    #[must_use]
    pub fn cdn(&self) -> String {
        self.world().address(Origin::Cdn).to_owned()
    }

    /// What goes wrong with the next requests, one after the other: for the content of the file `what`, or for the
    /// `repo`, `tree` and `search` of the interface, or for where a file is (`resolve`).
    pub fn next(&self, what: &str, quirks: impl IntoIterator<Item = Quirk>) {
        self.world().quirks.entry(what.to_owned()).or_default().extend(quirks);
    }

    /// Nothing more goes wrong.
    pub fn heal(&self) {
        self.world().quirks.clear();
    }

    /// Sends another content for a file from now on, and lists the old one.
    pub fn swap(&self, path: &str, content: &Content) {
        let mut world = self.world();
        for file in world.repos.iter_mut().flat_map(|repo| &mut repo.files).filter(|file| file.path == path) {
            file.served = content.clone();
        }
    }

    /// Changes the repos.
    pub fn edit(&self, edit: impl FnOnce(&mut Vec<Repo>)) {
        edit(&mut self.world().repos);
    }

    /// How many requests a signed address is good for from now on.
    pub fn sign_for(&self, requests: usize) {
        self.world().signed_for = requests;
    }

    /// How many entries a page of a listing or a search has.
    pub fn page(&self, entries: usize) {
        self.world().page = entries;
    }

    /// Marks the names of contents as weak.
    pub fn weaken_tags(&self) {
        self.world().weak_tags = true;
    }

    /// Slows all bodies down.
    pub fn pace(&self, pace: Option<Pace>) {
        self.world().pace = pace;
    }

    /// All requests so far.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.world().seen.clone()
    }

    /// The requests for contents so far.
    #[must_use]
    pub fn fetched(&self) -> Vec<Seen> {
        let mut seen = self.seen();
        seen.retain(|seen| seen.method == "GET" && !seen.target.starts_with("/api/"));
        seen
    }

    /// How many bytes of contents were sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.fetched().iter().map(|seen| seen.sent).sum()
    }

    /// The most contents that were being sent at once.
    #[must_use]
    pub fn busiest(&self) -> usize {
        self.world().busiest
    }

    fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }
}

impl Drop for FakeHub {
    fn drop(&mut self) {
        self.end.send_replace(true);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn lock(world: &Mutex<World>) -> MutexGuard<'_, World> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}
