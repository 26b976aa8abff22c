//! Work of the engine without the GIL, which Ctrl-C ends.
//!
//! Python delivers signals to the main thread only, when that runs Python. So work of the main thread is done by a thread of
//! the connection, while the main thread waits, looks for signals and tells of the progress:
//!
//! ```text
//!   main thread     send the work -- wait 50 ms -- signals? progress? -- wait ... -- result
//!   worker                 run the statement .................................. done
//! ```
//! Work of any other thread runs on that thread, unless somebody wants to hear of its progress or its time is limited here.
//! So does work for a connection whose worker waits for that thread ([`chain`]); the outermost call of the connection limits
//! its time.
//!
//! A connection has one session, whose lock the calls of its threads wait for. The time limit counts, and a cancellation
//! goes to the session, only from the work's [`Turn`]: before it the session runs the statement of another thread. Work that is
//! given up while it waits does nothing when its turn comes.
//!
//! ```text
//!   waiting --- begin -----> running     Ctrl-C cancels the statement, and waits for its end
//!      '------- abandon ---> abandoned   Ctrl-C returns at once
//! ```
//! Limits: a statement that takes no notice of its cancellation is waited for. A cancellation ends the statement of its own
//! connection: while the rows of that come from a statement of another connection, it ends when that has.

use crate::chain::{self, Link};
use crate::failure::{Class, Fault};
use mainstay_session::Cancel;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two looks for signals.
const SLICE: Duration = Duration::from_millis(50);

type Job = Box<dyn FnOnce() + Send>;

/// The state of a piece of work, which its thread and the thread that waits for it share.
#[derive(Default)]
pub(crate) struct Turn(Mutex<Stage>);

#[derive(Clone, Copy, Default)]
enum Stage {
    /// The statement of another thread may be running.
    #[default]
    Waiting,
    Running(Instant),
    Abandoned,
}

impl Turn {
    /// Begins the work, with the lock of what it works with held.
    ///
    /// Errors: `Operational` for abandoned work, which has to do nothing.
    pub fn begin(&self) -> Result<(), Fault> {
        let mut stage = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *stage {
            Stage::Abandoned => Err(Fault::new(Class::Operational, "the call was given up before its turn")),
            Stage::Running(_) => Ok(()),
            Stage::Waiting => {
                *stage = Stage::Running(Instant::now());
                Ok(())
            }
        }
    }

    /// Keeps the work from being begun; false if it is running.
    fn abandon(&self) -> bool {
        let mut stage = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_running = matches!(*stage, Stage::Running(_));
        if !is_running {
            *stage = Stage::Abandoned;
        }
        !is_running
    }

    /// The time since the work has begun.
    fn running(&self) -> Option<Duration> {
        match *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Stage::Running(since) => Some(since.elapsed()),
            Stage::Waiting | Stage::Abandoned => None,
        }
    }
}

/// The thread of a connection, and what ends its work.
pub(crate) struct Worker {
    jobs: Mutex<Option<Sender<Job>>>,
    canceller: Arc<dyn Cancel>,
    /// The time that a piece of work may take, where the dialect itself does not limit it.
    timeout: Option<Duration>,
    watcher: Mutex<Option<Arc<Watcher>>>,
}

/// A function of Python that hears of the progress.
pub(crate) struct Watcher {
    /// Called without arguments while a statement runs.
    pub callback: Py<PyAny>,
    /// Called without arguments behind the last of those calls.
    pub ended: Option<Py<PyAny>>,
    pub interval: Duration,
}

impl Worker {
    pub fn new(canceller: Arc<dyn Cancel>, timeout: Option<Duration>) -> Worker {
        Worker { jobs: Mutex::default(), canceller, timeout, watcher: Mutex::default() }
    }

    /// Sets or removes the function that hears of the progress.
    pub fn watch(&self, watcher: Option<Watcher>) {
        *self.watcher.lock().unwrap_or_else(PoisonError::into_inner) = watcher.map(Arc::new);
    }

    /// Ends what runs.
    pub fn cancel(&self) {
        self.canceller.cancel();
    }

    /// Does work without the GIL. The work calls [`Turn::begin`] once it has the lock of what it works with.
    ///
    /// Errors: `KeyboardInterrupt` and whatever else handlers of signals and the watcher raise; the work has ended then, or
    /// does nothing.
    pub fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Turn) -> Result<T, Fault> + Send + 'static,
    ) -> PyResult<T> {
        let watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_main = is_main_thread(py)?;
        let address = std::ptr::from_ref(self) as usize;
        // A worker that waits for this thread has no time for the work.
        if chain::includes(address) || !is_main && watcher.is_none() && self.timeout.is_none() {
            let _link = Link::to(address);
            return py.detach(|| work(&Turn::default())).map_err(|fault| fault.raise(py));
        }
        let (sender, receiver) = channel();
        let turn = Arc::<Turn>::default();
        let turn_of_job = Arc::clone(&turn);
        let chain = chain::current();
        let job: Job = Box::new(move || {
            chain::resume(chain);
            let _link = Link::to(address);
            drop(sender.send(work(&turn_of_job)));
        });
        self.send(job).map_err(|fault| fault.raise(py))?;
        let mut is_heard = false;
        let done = self.wait(py, receiver, (&turn, watcher.as_deref()), is_main, &mut is_heard);
        if let Some(ended) = watcher.as_ref().and_then(|watcher| watcher.ended.as_ref()).filter(|_| is_heard) {
            let heard = ended.call0(py);
            return done.and_then(|done| heard.map(|_| done))?.map_err(|fault| fault.raise(py));
        }
        done?.map_err(|fault| fault.raise(py))
    }

    fn wait<T: Send>(
        &self,
        py: Python<'_>,
        receiver: Receiver<Result<T, Fault>>,
        (turn, watcher): (&Turn, Option<&Watcher>),
        is_main: bool,
        is_heard: &mut bool,
    ) -> PyResult<Result<T, Fault>> {
        // Only one thread at a time receives.
        let receiver = Mutex::new(receiver);
        let receive =
            |slice: Duration| py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(slice));
        let (mut told, mut is_late) = (Instant::now(), false);
        loop {
            let slice = watcher.map_or(SLICE, |watcher| SLICE.min(watcher.interval));
            match receive(slice) {
                Ok(Err(_)) if is_late => return Ok(Err(late())),
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Disconnected) => return Ok(Err(broken())),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let running = turn.running();
            let mut heard = if is_main { py.check_signals() } else { Ok(()) };
            let due = watcher.filter(|watcher| running.is_some() && told.elapsed() >= watcher.interval);
            if let (Ok(()), Some(watcher)) = (&heard, due) {
                (told, *is_heard) = (Instant::now(), true);
                heard = watcher.callback.call0(py).map(drop);
            }
            if let Err(error) = heard {
                // Cancelled again and again: a statement that has its turn resets the cancellation as it begins.
                while !turn.abandon() {
                    self.cancel();
                    if !matches!(receive(SLICE), Err(RecvTimeoutError::Timeout)) {
                        break;
                    }
                }
                return Err(error);
            }
            if self.timeout.zip(running).is_some_and(|(timeout, running)| running >= timeout) {
                is_late = true;
                self.cancel();
            }
        }
    }

    fn send(&self, mut job: Job) -> Result<(), Fault> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = jobs.as_ref() {
            match sender.send(job) {
                Ok(()) => return Ok(()),
                // Work that panicked has ended its thread.
                Err(returned) => job = returned.0,
            }
        }
        let (sender, receiver) = channel::<Job>();
        let work = move || receiver.iter().for_each(|job| job());
        let started = std::thread::Builder::new().name("mainstay".to_owned()).spawn(work);
        started.map_err(|error| Fault::new(Class::Operational, format!("cannot start a thread: {error}")))?;
        sender.send(job).map_err(|_| broken())?;
        *jobs = Some(sender);
        Ok(())
    }
}

/// The error of work whose time is over.
fn late() -> Fault {
    let message = "the statement ran longer than it may (raise the argument timeout of connect)";
    Fault { sqlstate: Some("57014"), code: Some("timeout"), ..Fault::new(Class::Operational, message) }
}

/// The error of work that ended without a result.
fn broken() -> Fault {
    Fault::new(Class::Internal, "the engine ended its work without a result")
}

/// The number of the main thread, where signals arrive.
static MAIN: PyOnceLock<u64> = PyOnceLock::new();

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let main =
        MAIN.get_or_try_init(py, || threading.call_method0("main_thread")?.getattr("ident")?.extract::<u64>())?;
    Ok(threading.call_method0("get_ident")?.extract::<u64>()? == *main)
}
