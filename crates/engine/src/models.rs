//! The models that are loaded: at most one target and one drafter, and the session that they share.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

use chat::Codec;
use drafters::Drafter;
use gemma4::{Config, Model};
use nn::Vocabulary;

use crate::{
    DraftSource, Need, Precision, Request, Result,
    memory::{self, Admitted, exists},
    pilot::Pilot,
    session::Session,
    settings::Settings,
};

/// The most tokens that are looked up a round: a copy that goes on goes on for long, and one that does not costs rows.
pub(crate) const LOOKUP: usize = 10;

/// The loaded models. Asking for another one drops the one before.
#[derive(Default)]
pub(crate) struct Models {
    target: Option<Target>,
    drafter: Option<(DraftSource, Drafter)>,
    session: Option<Session>,
    /// What was learned of each drafter that drafted for this target, which need not be loaded any more.
    pilots: Vec<(DraftSource, Pilot)>,
    admitted: Option<Admitted>,
    /// What a training holds.
    lent: Option<Lent>,
}

/// What a training holds for as long as it lasts.
struct Lent {
    target: Target,
    /// Of its target, bytes; an answer of the same target uses them too.
    weights: u64,
    /// All of it, bytes.
    total: u64,
}

/// A loaded target with its way from text to ids.
#[derive(Clone)]
pub(crate) struct Target {
    folder: PathBuf,
    precision: Precision,
    pub(crate) model: Rc<Model>,
    pub(crate) codec: Codec,
}

impl Target {
    fn is(&self, folder: &Path, precision: Precision) -> bool {
        self.folder == folder && self.precision == precision
    }
}

impl Models {
    /// Refuses what does not fit into memory, unless the user insists: before anything is loaded, and again when it is
    /// known how many tokens the `prompt` has. Returns what the answer needs, with as many like it as are made `at_once`.
    pub(crate) fn admit(&mut self, request: &Request, at_once: usize, prompt: usize) -> Result<Need> {
        let lent = self.lent.as_ref().map_or(0, |lent| {
            let shared = lent.target.is(&request.target, request.precision);
            if shared { lent.total.saturating_sub(lent.weights) } else { lent.total }
        });
        self.keep_drafter_of(request);
        let drafter = self.drafter.as_ref().map(|(loaded, _)| loaded);
        memory::admit(&mut self.admitted, request, request.drafting().or(drafter), at_once, prompt, lent)
    }

    /// Notes that a training has `target`, of whose weights these are the bytes, and `total` bytes in all.
    pub(crate) fn lend(&mut self, target: &Target, weights: u64, total: u64) {
        self.lent = Some(Lent { target: target.clone(), weights, total });
    }

    /// Whether a training has something.
    pub(crate) fn is_lending(&self) -> bool {
        self.lent.is_some()
    }

    /// Notes that the training has ended, or paused.
    pub(crate) fn take_back(&mut self) {
        self.lent = None;
        nn::release_memory();
    }

    /// The target in `folder`, loaded unless it is; `loading` hears of it first.
    pub(crate) fn target(
        &mut self,
        folder: &Path,
        precision: Precision,
        loading: impl FnOnce(&Path),
    ) -> Result<Target> {
        let lent = self.lent.as_ref().map(|lent| &lent.target);
        if let Some(target) = self.target.iter().find(|target| target.is(folder, precision)) {
            return Ok(target.clone());
        }
        let lent = lent.filter(|target| target.is(folder, precision)).cloned();
        exists(folder)?;
        loading(folder);
        self.clear(); // two targets at once may not fit into memory
        if let Some(target) = lent {
            return Ok(self.target.insert(target).clone());
        }
        nn::release_memory();
        Config::read(folder)?; // a folder of another kind is refused as such, not for lack of a tokenizer
        let codec = Codec::open(folder)?;
        let model = Rc::new(Model::load(folder, memory::dtype(precision))?);
        let target = Target { folder: folder.to_owned(), precision, model, codec };
        self.target = Some(target.clone());
        Ok(target)
    }

    /// The drafter that `source` names, loaded unless it is, if it fits `target`.
    pub(crate) fn drafter(
        &mut self,
        source: &DraftSource,
        target: &Target,
        loading: impl FnOnce(&Path),
    ) -> Result<Drafter> {
        let fits = |drafter: &Drafter| {
            let (model, layers) = (&target.model, target.model.config().layers.len());
            drafter.facts().fit(model.hidden_size(), model.size(), layers)
        };
        if let Some((known, drafter)) = &self.drafter
            && known == source
        {
            fits(drafter)?;
            return Ok(drafter.clone());
        }
        if let DraftSource::Folder(folder) = source {
            exists(folder)?;
            loading(folder);
        }
        self.drop_drafter();
        let drafter = match source {
            DraftSource::Folder(folder) => drafters::open(folder, target.model.dtype())?,
            DraftSource::Lookup => Drafter::lookup(LOOKUP),
        };
        fits(&drafter)?;
        self.drafter = Some((source.clone(), drafter.clone()));
        Ok(drafter)
    }

    /// The session, or a new one with `target`. Whoever takes it [keeps](Models::keep) it only if all goes well: after a
    /// failure nobody knows what its caches hold.
    pub(crate) fn session(&mut self, target: &Target) -> Session {
        self.session.take().unwrap_or_else(|| Session::new(Rc::clone(&target.model)))
    }

    /// Who decides how this drafter's rounds are made, with what was learned of it; to be [given back](Models::keep_pilot).
    pub(crate) fn pilot(
        &mut self,
        source: &DraftSource,
        drafter: &Drafter,
        settings: Settings,
        request: &Request,
    ) -> Pilot {
        let known = self.pilots.extract_if(.., |(of, _)| of == source).last();
        let before = known.filter(|_| !request.afresh).map(|(_, pilot)| pilot);
        Pilot::new(settings, drafter.facts(), before, &request.cost)
    }

    /// Keeps it for the next answer.
    pub(crate) fn keep_pilot(&mut self, source: &DraftSource, pilot: Pilot) {
        self.pilots.push((source.clone(), pilot));
    }

    /// Drops the model in `folder`, if it is loaded.
    pub(crate) fn release(&mut self, folder: &Path) {
        if self.target.as_ref().is_some_and(|target| target.folder == folder) {
            self.clear();
            nn::release_memory();
        }
        let is_it = |source: &DraftSource| matches!(source, DraftSource::Folder(known) if known == folder);
        self.pilots.retain(|(source, _)| !is_it(source));
        if self.drafter.as_ref().is_some_and(|(source, _)| is_it(source)) {
            self.drop_drafter();
        }
    }

    /// Drops what is loaded, but for what a training holds.
    pub(crate) fn clear(&mut self) {
        *self = Self { admitted: self.admitted.take(), lent: self.lent.take(), ..Self::default() };
    }

    /// Drops the session, whose memory is wanted for something else.
    pub(crate) fn drop_session(&mut self) {
        self.session = None;
    }

    /// Keeps a session for the next answer.
    pub(crate) fn keep(&mut self, session: Session) {
        self.session = Some(session);
    }

    /// Drops any drafter but the one that is chosen, which may stay though it is not asked for a draft this time.
    fn keep_drafter_of(&mut self, request: &Request) {
        if self.drafter.as_ref().is_some_and(|(loaded, _)| request.drafter.as_ref() != Some(loaded)) {
            self.drop_drafter();
        }
    }

    /// Drops the drafter, whose memory is wanted for something else.
    fn drop_drafter(&mut self) {
        self.session.iter_mut().for_each(Session::drop_drafter);
        if self.drafter.take().is_some() {
            nn::release_memory();
        }
    }
}
