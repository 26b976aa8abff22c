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
//! Limits: a statement that takes no notice of its cancellation is waited for.

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
    /// Called without arguments.
    pub callback: Py<PyAny>,
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

    /// Does work without the GIL.
    ///
    /// Errors: `KeyboardInterrupt` and whatever else handlers of signals and the watcher raise; the work has ended then.
    pub fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
    ) -> PyResult<T> {
        let watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_main = is_main_thread(py)?;
        if !is_main && watcher.is_none() && self.timeout.is_none() {
            return py.detach(work).map_err(|fault| fault.raise(py));
        }
        let (sender, receiver) = channel();
        let job: Job = Box::new(move || drop(sender.send(work())));
        self.send(job).map_err(|fault| fault.raise(py))?;
        let done = self.wait(py, receiver, watcher.as_deref(), is_main)?;
        done.map_err(|fault| fault.raise(py))
    }

    fn wait<T: Send>(
        &self,
        py: Python<'_>,
        receiver: Receiver<Result<T, Fault>>,
        watcher: Option<&Watcher>,
        is_main: bool,
    ) -> PyResult<Result<T, Fault>> {
        // Only one thread at a time receives.
        let receiver = Mutex::new(receiver);
        let receive = |slice: Option<Duration>| {
            py.detach(|| {
                let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
                match slice {
                    Some(slice) => receiver.recv_timeout(slice),
                    None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
                }
            })
        };
        let (begun, mut told, mut is_late) = (Instant::now(), Instant::now(), false);
        loop {
            let slice = watcher.map_or(SLICE, |watcher| SLICE.min(watcher.interval));
            match receive(Some(slice)) {
                Ok(Err(_)) if is_late => return Ok(Err(late())),
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Disconnected) => return Ok(Err(broken())),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let mut heard = if is_main { py.check_signals() } else { Ok(()) };
            if let (Ok(()), Some(watcher)) = (&heard, watcher.filter(|watcher| told.elapsed() >= watcher.interval)) {
                told = Instant::now();
                heard = watcher.callback.call0(py).map(drop);
            }
            if let Err(error) = heard {
                self.cancel();
                let _ended = receive(None);
                return Err(error);
            }
            if self.timeout.is_some_and(|timeout| begun.elapsed() >= timeout) {
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
