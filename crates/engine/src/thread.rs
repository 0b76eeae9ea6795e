//! The engine's thread and the handle to it.

use std::{
    collections::{BTreeSet, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use crate::{
    Checkpoint, Claim, Error, Event, Lesson, LessonEvent, NewDrafter, Proof, Request, Result, answer, bandwidth, batch,
    models::Models,
    new_drafter,
    training::{self, Desk},
    verify,
};

/// A handle to the engine. When the last one is dropped, a running answer is stopped and the thread ends.
#[derive(Debug, Clone)]
pub struct Engine {
    thread: Arc<Thread>,
}

/// The thread behind the handles.
#[derive(Debug)]
struct Thread {
    jobs: Option<mpsc::Sender<Job>>,
    closing: Arc<AtomicBool>,
    handle: Option<thread::JoinHandle<()>>,
}

impl Drop for Thread {
    /// Waits for the thread: if the process ended while models are being dropped, MLX would free memory that its own
    /// clean-up has freed already.
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        self.jobs = None;
        // An event's receiver may hold the last handle; the thread cannot wait for itself.
        if let Some(handle) = self.handle.take().filter(|handle| handle.thread().id() != thread::current().id()) {
            let _ = handle.join(); // a panic outside of any job has been reported already
        }
    }
}

/// Stops one answer between two rounds, or two chunks of its prompt.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    asked: Arc<AtomicBool>,
    closing: Arc<AtomicBool>,
}

impl Cancel {
    /// Asks for the answer to stop.
    pub fn cancel(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether somebody, or the end of the program, asked.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed) || self.closing.load(Ordering::Relaxed)
    }
}

type Sink = Box<dyn FnMut(Event) + Send>;
type Done<T> = Box<dyn FnOnce(Result<T>) + Send>;

/// What the thread is asked to do.
enum Job {
    Answer { request: Box<Request>, cancel: Cancel, sink: Sink },
    Answers { requests: Vec<Request>, at_once: usize, cancel: Cancel, sink: Box<dyn FnMut(usize, Event) + Send> },
    NewDrafter { new: NewDrafter, done: Done<Checkpoint> },
    Prove { claim: Box<Claim>, cancel: Cancel, done: Done<Proof> },
    Release { folder: PathBuf },
    Bandwidth { reserve: Option<u64>, done: Done<Option<f64>> },
    Teach(Teaching),
}

/// A lesson, and who hears of it.
struct Teaching {
    lesson: Box<Lesson>,
    cancel: Cancel,
    sink: Box<dyn FnMut(LessonEvent) + Send>,
}

impl Engine {
    /// Starts the thread.
    ///
    /// # Panics
    /// If the system refuses a thread.
    #[must_use]
    pub fn start() -> Self {
        let (jobs, queue) = mpsc::channel();
        let work = move || {
            let (mut models, mut waiting) = (Models::default(), VecDeque::new());
            loop {
                let lesson = match waiting.pop_front() {
                    None => match queue.recv() {
                        Ok(job) => run(job, &mut models),
                        Err(mpsc::RecvError) => return,
                    },
                    lesson => lesson,
                };
                if let Some(lesson) = lesson {
                    teach(lesson, &mut models, &queue, &mut waiting);
                }
            }
        };
        #[expect(clippy::expect_used, reason = "without a thread there is no program")]
        let handle = thread::Builder::new().name("engine".into()).spawn(work).expect("the system starts a thread");
        Self { thread: Arc::new(Thread { jobs: Some(jobs), closing: Arc::default(), handle: Some(handle) }) }
    }

    /// Makes one answer, after those asked for before, and returns at once. `sink` hears every event on the engine's
    /// thread, so it must be quick; the last one is [`Event::End`] or [`Event::Failed`].
    pub fn answer(&self, request: Request, sink: impl FnMut(Event) + Send + 'static) -> Cancel {
        let cancel = self.cancel();
        self.post(Job::Answer { request: Box::new(request), cancel: cancel.clone(), sink: Box::new(sink) });
        cancel
    }

    /// Makes several answers with the same models, `at_once` of them at a time, and returns at once. Each model's weights
    /// are read once a round for all of them. An answer is the one that it is by itself, up to what several rows in a pass
    /// change in the last digits of narrow types, and up to the draft's lengths under the ratio rule. `sink` hears every event with the number of the request that it is about, on the
    /// engine's thread; the last one of each is [`Event::End`] or [`Event::Failed`].
    pub fn answers(
        &self,
        requests: Vec<Request>,
        at_once: usize,
        sink: impl FnMut(usize, Event) + Send + 'static,
    ) -> Cancel {
        let cancel = self.cancel();
        self.post(Job::Answers { requests, at_once, cancel: cancel.clone(), sink: Box::new(sink) });
        cancel
    }

    /// Makes a fresh drafter for a target and saves it as a folder.
    pub fn new_drafter(&self, new: NewDrafter, done: impl FnOnce(Result<Checkpoint>) + Send + 'static) {
        self.post(Job::NewDrafter { new, done: Box::new(done) });
    }

    /// Proves an answer by plain decoding.
    pub fn prove(&self, claim: Claim, done: impl FnOnce(Result<Proof>) + Send + 'static) -> Cancel {
        let cancel = self.cancel();
        self.post(Job::Prove { claim: Box::new(claim), cancel: cancel.clone(), done: Box::new(done) });
        cancel
    }

    /// Trains a drafter, from wherever the lesson's folder says, and returns at once. One lesson follows another; whatever
    /// else is asked for comes between two of its steps. `sink` hears every event on the engine's thread; the last one is
    /// [`LessonEvent::Paused`], if it was cancelled, [`LessonEvent::Done`] or [`LessonEvent::Failed`].
    pub fn teach(&self, lesson: Lesson, sink: impl FnMut(LessonEvent) + Send + 'static) -> Cancel {
        let cancel = self.cancel();
        self.post(Job::Teach(Teaching { lesson: Box::new(lesson), cancel: cancel.clone(), sink: Box::new(sink) }));
        cancel
    }

    /// Lets go of the model in `folder` if it is loaded: its files have changed, or are gone.
    pub fn release(&self, folder: PathBuf) {
        self.post(Job::Release { folder });
    }

    /// Measures how many bytes of memory this machine reads in a second, for half a second about, when nothing else is done.
    /// `None` while a drafter is trained, or while there is no room for it beside what is held and the `reserve` (bytes, or
    /// else the usual one).
    pub fn bandwidth(&self, reserve: Option<u64>, done: impl FnOnce(Result<Option<f64>>) + Send + 'static) {
        self.post(Job::Bandwidth { reserve, done: Box::new(done) });
    }

    fn cancel(&self) -> Cancel {
        Cancel { asked: Arc::default(), closing: Arc::clone(&self.thread.closing) }
    }

    fn post(&self, job: Job) {
        let unsent = match &self.thread.jobs {
            Some(jobs) => jobs.send(job).err().map(|mpsc::SendError(job)| job),
            None => Some(job),
        };
        match unsent {
            None | Some(Job::Release { .. }) => {}
            Some(Job::Answer { mut sink, .. }) => sink(Event::Failed(Error::Closed)),
            Some(Job::Answers { requests, mut sink, .. }) => {
                (0..requests.len()).for_each(|number| sink(number, Event::Failed(Error::Closed)));
            }
            Some(Job::NewDrafter { done, .. }) => done(Err(Error::Closed)),
            Some(Job::Prove { done, .. }) => done(Err(Error::Closed)),
            Some(Job::Bandwidth { done, .. }) => done(Err(Error::Closed)),
            Some(Job::Teach(mut teaching)) => (teaching.sink)(LessonEvent::Failed(Error::Closed)),
        }
    }
}

/// Does a job, unless it is a lesson, which is returned.
fn run(job: Job, models: &mut Models) -> Option<Teaching> {
    match job {
        Job::Answer { request, cancel, mut sink } => {
            let result = guarded(models, |models| answer::make(models, &request, &cancel, &mut sink));
            sink(match result {
                Ok(answer) => Event::End(Box::new(answer)),
                Err(error) => Event::Failed(error),
            });
        }
        Job::Answers { requests, at_once, cancel, mut sink } => {
            answers(models, &requests, at_once, &cancel, &mut sink);
        }
        Job::NewDrafter { new, done } => done(guarded(models, |_| new_drafter::make(&new))),
        Job::Prove { claim, cancel, done } => {
            done(guarded(models, |models| verify::prove(models, &claim, &cancel)));
        }
        Job::Release { folder } => models.release(&folder),
        Job::Bandwidth { reserve, done } => {
            let measured = |models: &mut Models| {
                if models.is_lending() { Ok(None) } else { bandwidth::bandwidth(reserve) }
            };
            done(guarded(models, measured));
        }
        Job::Teach(teaching) => return Some(teaching),
    }
    None
}

/// Teaches a lesson; what is in the `queue` meanwhile comes between its steps, but for other lessons, which are left
/// `waiting`.
fn teach(teaching: Teaching, models: &mut Models, queue: &mpsc::Receiver<Job>, waiting: &mut VecDeque<Teaching>) {
    let Teaching { lesson, cancel, mut sink } = teaching;
    let mut others = |models: &mut Models| {
        waiting.extend(queue.try_iter().filter_map(|job| run(job, models)));
        // Who does not want a lesson any more is not to wait for its turn.
        waiting.retain_mut(|other| {
            let wanted = !other.cancel.is_asked();
            if !wanted {
                (other.sink)(LessonEvent::Paused);
            }
            wanted
        });
    };
    let done = guarded(models, |models| {
        let (others, cancel, sink) = (&mut others, &cancel, &mut *sink);
        training::teach(&lesson, &mut Desk { models, others, cancel, sink, elsewhere: Duration::ZERO })
    });
    models.take_back();
    sink(match done {
        Ok(true) => LessonEvent::Done,
        Ok(false) => LessonEvent::Paused,
        Err(error) => LessonEvent::Failed(error),
    });
}

/// Makes the answers of a batch; those that a panic cuts short fail with it.
fn answers(
    models: &mut Models,
    requests: &[Request],
    at_once: usize,
    cancel: &Cancel,
    sink: &mut dyn FnMut(usize, Event),
) {
    let mut open = (0..requests.len()).collect::<BTreeSet<_>>();
    let done = guarded(models, |models| {
        batch::make(models, requests, at_once, cancel, &mut |number, event| {
            if matches!(event, Event::End(_) | Event::Failed(_)) {
                open.remove(&number);
            }
            sink(number, event);
        });
        Ok(())
    });
    if let Err(error) = done {
        let error = Arc::new(error);
        for number in open {
            sink(number, Event::Failed(Error::Batch(Arc::clone(&error))));
        }
    }
}

/// Runs `work`; a panic in it drops the models, since nobody knows what state they are in, and becomes an error.
fn guarded<T>(models: &mut Models, work: impl FnOnce(&mut Models) -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(|| work(models))).unwrap_or_else(|panic| {
        models.clear(); // but for what a training has, which goes on
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Error::Panicked(text.unwrap_or_else(|| "without a message".into())))
    })
}
