//! Downloading: pieces side by side, proof, and the revision in its place.

use std::{collections::HashSet, path::PathBuf, sync::Arc};

use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::{Semaphore, oneshot, watch};

use crate::{
    Blobs, Control, Error, Hub, Listing, Plan, Progress, RemoteFile, Result,
    blobs::at,
    listing::impostor,
    meter::Meter,
    space,
    web::{Errand, Trouble, Web},
};

mod follower;
mod held;
mod journal;
mod partial;
mod piece;
mod source;

use follower::Follower;
use held::Budget;
use journal::State;
use partial::Partial;
use piece::Errands;
use source::Source;

/// One download.
struct Download {
    web: Web,
    listing: Listing,
    plan: Plan,
    blobs: Blobs,
    meter: Meter,
    permits: Semaphore,
    budget: Budget,
}

impl Hub {
    /// Fetches what `plan` needs of `listing` and `blobs` lacks, proves it by its hashes, puts the revision in place and
    /// returns its folder. Goes on where an earlier call ended, however it ended.
    ///
    /// `progress` hears how far it is, at most ten times a second and once at the end. What another download is
    /// fetching is waited for. To drop the future is to pause.
    ///
    /// # Errors
    /// Too little room; the Hub refuses; a file does not come, or twice not as listed; `control` wants it to end.
    pub async fn fetch(
        &self,
        listing: &Listing,
        plan: &Plan,
        blobs: &Blobs,
        control: &Control,
        progress: &watch::Sender<Progress>,
    ) -> Result<PathBuf> {
        // Connections belong to the thread that made them, so it needs its own.
        let web = Web::new(self.web.access.clone(), self.web.limits.clone())?;
        let download = Download::new(web, listing, plan, blobs);
        let (control, progress) = (control.clone(), progress.clone());
        let (ended, end) = oneshot::channel();
        let (caller, gone) = oneshot::channel::<()>();
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let result = runtime.map_err(at(download.blobs.root())).and_then(|runtime| {
                runtime.block_on(async {
                    tokio::select! {
                        result = download.run(&control, &progress) => result,
                        _ = gone => Err(Error::Paused),
                    }
                })
            });
            drop(ended.send(result));
        };
        // Disks make a download wait, and must not make its caller's other work wait.
        std::thread::Builder::new().name("download".to_owned()).spawn(work).map_err(at(blobs.root()))?;
        let result = end.await.unwrap_or(Err(Error::Paused));
        drop(caller);
        result
    }
}

impl Download {
    fn new(web: Web, listing: &Listing, plan: &Plan, blobs: &Blobs) -> Self {
        let total = contents(plan).fold(0_u64, |sum, file| sum.saturating_add(file.size));
        let permits = Semaphore::new(web.limits.connections.max(1));
        let (listing, plan, blobs) = (listing.clone(), plan.clone(), blobs.clone());
        Self { web, listing, plan, blobs, meter: Meter::new(total), permits, budget: Budget::default() }
    }

    async fn run(&self, control: &Control, progress: &watch::Sender<Progress>) -> Result<PathBuf> {
        let result = tokio::select! {
            biased;
            wish = control.stopped() => Err(wish),
            result = self.files() => result,
            () = self.meter.tell(progress) => Err(Error::Paused),
        };
        self.meter.say(progress, None);
        if matches!(result, Err(Error::Cancelled)) {
            contents(&self.plan).try_for_each(|file| Partial::discard(&self.blobs, file))?;
        }
        result
    }

    async fn files(&self) -> Result<PathBuf> {
        let left = contents(&self.plan).fold(0_u64, |sum, file| sum.saturating_add(self.left(file)));
        space::check(self.blobs.root(), left, self.web.limits.reserve)?;
        let files = stream::iter(contents(&self.plan)).map(|file| self.file(file));
        files.buffer_unordered(self.web.limits.connections.max(1)).try_collect::<()>().await?;
        self.meter.place();
        self.blobs.place(&self.listing.id, &self.listing.commit, &self.plan.needed)
    }

    /// How much of a file is still to come, bytes.
    fn left(&self, file: &RemoteFile) -> u64 {
        if self.blobs.has(&file.hash) {
            return 0;
        }
        let state = State::read(&self.blobs.journal(&file.hash), file.size);
        file.size - state.map_or(0, |state| state.done())
    }

    /// Fetches one file. If what arrives is not what was listed, it starts again, once.
    async fn file(&self, remote: &RemoteFile) -> Result<()> {
        let web = &self.web;
        let Some(partial) = Partial::claim(&self.blobs, remote, web.limits.piece, &self.budget).await? else {
            self.meter.found(remote.size);
            return Ok(());
        };
        let (partial, errand) = (Arc::new(partial), Errand::file(&self.listing, &remote.path));
        self.meter.found(partial.done());
        let mut wrong = String::new();
        for _ in 0..2 {
            match self.attempt(&errand, &partial).await {
                Ok(()) => return Ok(()),
                Err(Trouble::Wrong(why)) => {
                    wrong = why;
                    self.meter.lost(partial.restart()?);
                }
                Err(trouble) => return Err(web.verdict(&errand, trouble)),
            }
        }
        Err(Error::Content { what: errand.what, why: wrong })
    }

    async fn attempt(&self, errand: &Errand, partial: &Arc<Partial>) -> Result<(), Trouble> {
        let Self { web, listing, meter, .. } = self;
        let follower = Follower::start(partial);
        let remote = partial.remote();
        // One request for what fits one; where to send many is asked first.
        let is_direct = partial.done() == 0 && remote.size <= u64::from(web.limits.piece);
        let source = Source::new(web.content(listing, &remote.path), is_direct);
        let errands = Errands { web, meter, errand, partial, source: &source };
        let pieces = stream::iter(partial.missing()).map(async |index| {
            // Closed by nobody.
            let _permit = self.permits.acquire().await;
            errands.piece(index).await
        });
        pieces.buffer_unordered(web.limits.connections.max(1)).try_collect::<()>().await?;
        match follower.finish().await? {
            Some(hash) if hash == remote.hash => Ok(partial.commit()?),
            Some(_) => Err(Trouble::Wrong(what_is(partial)?)),
            None => Err(Error::Paused.into()),
        }
    }
}

/// The files to fetch: two paths may have one content.
fn contents(plan: &Plan) -> impl Iterator<Item = &RemoteFile> {
    let mut seen = HashSet::new();
    plan.needed.iter().filter(move |file| seen.insert(file.hash))
}

/// What arrived with the right length and the wrong hash.
fn what_is(partial: &Partial) -> Result<String> {
    let mut beginning = [0; 512];
    let length = beginning.len().min(usize::try_from(partial.remote().size).unwrap_or(usize::MAX));
    partial.read(0, &mut beginning[..length])?;
    let kind = impostor(&beginning[..length]).map(|kind| format!("it is {kind}"));
    Ok(kind.unwrap_or_else(|| "its content has another hash".to_owned()))
}
