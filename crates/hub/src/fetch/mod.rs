//! Downloading: pieces side by side, proof, and the revision in its place.

use std::{collections::HashSet, path::PathBuf, sync::Arc, time::Duration};

use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::{
    sync::{oneshot, watch},
    task::{JoinError, spawn_blocking},
};

use crate::{
    Blobs, Control, Error, Hub, Listing, Plan, Progress, RemoteFile, Result,
    blobs::at,
    listing::impostor,
    meter::Meter,
    space,
    trouble::Trouble,
    web::{Errand, Web},
};

mod follower;
mod journal;
mod lanes;
mod partial;
mod piece;
mod source;

use follower::Follower;
use journal::State;
use lanes::Lanes;
use partial::Partial;
use piece::Errands;
use source::Source;

/// How long an end waits for the threads that hash and write, so that nobody holds a file any more. Without a network,
/// the look-up of a name takes longer.
const GRACE: Duration = Duration::from_secs(2);

/// One download.
struct Download {
    web: Web,
    listing: Listing,
    plan: Plan,
    blobs: Blobs,
    meter: Meter,
    lanes: Lanes,
}

impl Hub {
    /// Fetches what `plan` needs of `listing` and `blobs` lacks, proves it by its hashes, puts the revision in place and
    /// returns its folder. Goes on where an earlier call ended, however it ended.
    ///
    /// `progress` hears how far it is, at most ten times a second with the message at the end. What another download is
    /// fetching is waited for. To drop the future is to pause. What has arrived stays for another call, until
    /// [`Blobs::remove_unreferenced`].
    ///
    /// # Errors
    /// Too little room; the Hub refuses; a file does not come, or twice not as listed; two files would be one;
    /// `control` wants it to end.
    pub async fn fetch(
        &self,
        listing: &Listing,
        plan: &Plan,
        blobs: &Blobs,
        control: &Control,
        progress: &watch::Sender<Progress>,
    ) -> Result<PathBuf> {
        plan.check_distinct()?;
        // Connections belong to the thread that made them, so it needs its own.
        let web = Web::new(self.web.access.clone(), self.web.limits.clone())?;
        let download = Download::new(web, listing, plan, blobs);
        let (control, progress) = (control.clone(), progress.clone());
        let (ended, end) = oneshot::channel();
        let (caller, gone) = oneshot::channel::<()>();
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let result = runtime.map_err(at(download.blobs.root())).and_then(|runtime| {
                let result = runtime.block_on(async {
                    tokio::select! {
                        result = download.run(&control, &progress) => result,
                        _ = gone => Err(Error::Paused),
                    }
                });
                runtime.shutdown_timeout(GRACE);
                result
            });
            drop(ended.send(result));
        };
        // Disks make a download wait, and must not make its caller's other work wait.
        std::thread::Builder::new().name("download".to_owned()).spawn(work).map_err(at(blobs.root()))?;
        let result = end.await.unwrap_or(Err(Error::Crashed));
        drop(caller);
        result
    }
}

impl Download {
    fn new(web: Web, listing: &Listing, plan: &Plan, blobs: &Blobs) -> Self {
        let total = contents(plan).fold(0_u64, |sum, file| sum.saturating_add(file.size));
        let lanes = Lanes::new(&web.limits);
        let (listing, plan, blobs) = (listing.clone(), plan.clone(), blobs.clone());
        Self { web, listing, plan, blobs, meter: Meter::new(total), lanes }
    }

    async fn run(&self, control: &Control, progress: &watch::Sender<Progress>) -> Result<PathBuf> {
        let result = tokio::select! {
            biased;
            wish = control.stopped() => Err(wish),
            result = self.files() => result,
            () = self.meter.tell(progress) => Err(Error::Paused),
            () = self.lanes.widen(&self.meter) => Err(Error::Paused),
        };
        self.meter.say(progress, None);
        result
    }

    async fn files(&self) -> Result<PathBuf> {
        let left = contents(&self.plan).fold(0_u64, |sum, file| sum.saturating_add(self.left(file)));
        space::check(self.blobs.root(), left, self.web.limits.reserve)?;
        let files = stream::iter(contents(&self.plan)).map(|file| self.file(file));
        files.buffer_unordered(self.web.limits.connections.max(1)).try_collect::<()>().await?;
        self.meter.place();
        let (blobs, id, commit) = (self.blobs.clone(), self.listing.id.clone(), self.listing.commit.clone());
        let needed = self.plan.needed.clone();
        joined(spawn_blocking(move || blobs.place(&id, &commit, &needed))).await
    }

    /// How much of a file is still to come, bytes.
    fn left(&self, file: &RemoteFile) -> u64 {
        if self.blobs.has(file) {
            return 0;
        }
        let state = State::read(&self.blobs.journal(&file.hash), file.size);
        file.size - state.map_or(0, |state| state.done())
    }

    /// Fetches one file. If it is another than what was listed, it starts again, once.
    async fn file(&self, remote: &RemoteFile) -> Result<()> {
        let piece = self.web.limits.piece;
        let Some(partial) = Partial::claim(&self.blobs, remote, piece).await? else {
            self.meter.found(remote.size);
            return Ok(());
        };
        let (partial, errand) = (Arc::new(partial), Errand::file(&self.listing, &remote.path));
        self.meter.found(partial.done());
        let mut is_again = false;
        loop {
            match self.attempt(&errand, &partial).await {
                Err(Trouble::Changed(_)) if !is_again => {}
                Err(trouble @ Trouble::Changed(_)) => {
                    partial.restart()?;
                    return Err(self.web.verdict(&errand, trouble, 2));
                }
                ended => return ended.map_err(|trouble| self.web.verdict(&errand, trouble, 1)),
            }
            self.meter.lost(partial.restart()?);
            is_again = true;
        }
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
            let _lane = self.lanes.enter().await;
            errands.piece(index).await
        });
        pieces.buffer_unordered(web.limits.connections.max(1)).try_collect::<()>().await?;
        if follower.finish().await? != remote.hash {
            return Err(Trouble::Changed(what_is(partial)?));
        }
        let partial = Arc::clone(partial);
        Ok(joined(spawn_blocking(move || partial.commit())).await?)
    }
}

/// What another thread did, unless a fault ended it.
async fn joined<T>(task: impl Future<Output = Result<Result<T>, JoinError>>) -> Result<T> {
    task.await.unwrap_or(Err(Error::Crashed))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::panic, reason = "the fault in question")]
    fn a_fault_in_a_thread_is_no_pause() -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let ended = runtime.block_on(async { joined::<()>(spawn_blocking(|| panic!("on purpose"))).await });
        assert!(matches!(ended, Err(Error::Crashed)), "{ended:?}");
        Ok(())
    }
}
