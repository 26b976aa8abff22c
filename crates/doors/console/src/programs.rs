//! Programs that run for browsers, and the traits by which the caller gives users and programs.
//!
//! A program has a thread of its own from its start to its end. A page that is lost leaves it running for the time of grace, in
//! which a page of the same user can attach to it; after that its screen hangs up, so that its next call fails. It counts
//! against the limits until its thread has ended.

use crate::config::Config;
use crate::printed::{Printed, Shelf};
use mainstay_screen::Screen;
use mainstay_screen::session::{ScreenHandle, Watch, share};
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The stack of a program's thread; only what is used of it takes memory.
const STACK_BYTES: usize = 16 << 20;

/// Users of the door.
pub trait Users: Send + Sync + 'static {
    /// The name of the user who has this password, as the settings spell it: `name` may be in other letters. It takes as long for a
    /// name that does not exist.
    fn check(&self, name: &str, password: &str) -> Option<String>;
}

/// A program that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name by which it is started.
    pub name: String,
    /// The words that a user reads.
    pub title: String,
    /// A sentence about it; may be empty.
    pub about: String,
}

/// Programs of the door.
pub trait Programs: Send + Sync + 'static {
    /// The programs that a user may start.
    fn list(&self, user: &str) -> Vec<Entry>;

    /// Runs a program on the calling thread, which is the program's own, until it ends.
    ///
    /// Every call of the screen fails once the page is gone for good; a program that computes for long without the screen asks
    /// [`ScreenHandle::is_hung_up`]. Errors: the words of the error that ended it, for the user.
    fn run(&self, name: &str, user: &str, screen: &ScreenHandle) -> Result<(), String>;
}

/// A program that runs.
pub(crate) struct Running {
    pub id: String,
    pub name: String,
    pub user: String,
    pub watch: Watch,
    pub started: Instant,
    /// The error that ended it.
    pub error: Mutex<String>,
    /// The thread has ended, and the shelf has the documents. Changed under the lock of the shelf.
    ended: AtomicBool,
    /// The user has logged out, and the documents are dropped. Changed under the lock of the shelf.
    logged_out: AtomicBool,
    /// The time since when no page is attached.
    alone_since: Mutex<Option<Instant>>,
}

impl Running {
    /// The error that ended it; empty for none.
    pub fn error(&self) -> String {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The documents on its screen.
    fn printed(&self) -> Vec<Printed> {
        let documents = self.watch.look(|screen| screen.documents().to_vec());
        let printed = documents.into_iter().map(|(number, document)| Printed {
            user: self.user.clone(),
            program: self.id.clone(),
            number,
            document,
            since: Instant::now(),
        });
        printed.collect()
    }
}

/// The reason why a program does not start.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The user has no such program.
    Unknown,
    /// A limit of programs is reached.
    TooMany,
    /// The system has no thread for it.
    NoThread,
}

/// All programs that run, and the documents of those that have ended.
#[derive(Default)]
pub(crate) struct Table {
    running: Mutex<HashMap<String, Arc<Running>>>,
    shelf: Arc<Shelf>,
}

impl Table {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a program under an identifier that nobody can guess.
    pub fn start(
        &self,
        programs: &Arc<dyn Programs>,
        config: &Config,
        (id, name, user): (String, &str, &str),
    ) -> Result<Arc<Running>, Refusal> {
        if !programs.list(user).iter().any(|entry| entry.name == name) {
            return Err(Refusal::Unknown);
        }
        let mut table = self.lock();
        let of_user = table.values().filter(|running| running.user == user).count();
        if of_user >= config.programs_per_user || table.len() >= config.programs {
            return Err(Refusal::TooMany);
        }
        let (handle, watch) = share(Screen::new(config.screen.0, config.screen.1).with_documents());
        let running = Arc::new(Running {
            id: id.clone(),
            name: name.to_owned(),
            user: user.to_owned(),
            watch,
            started: Instant::now(),
            error: Mutex::default(),
            ended: AtomicBool::new(false),
            logged_out: AtomicBool::new(false),
            alone_since: Mutex::new(Some(Instant::now())),
        });
        let (programs, started, shelf) = (Arc::clone(programs), Arc::clone(&running), Arc::clone(&self.shelf));
        let thread = std::thread::Builder::new().name(format!("program {name}")).stack_size(STACK_BYTES);
        thread.spawn(move || run(programs.as_ref(), &started, &handle, &shelf)).map_err(|_| Refusal::NoThread)?;
        table.insert(id, Arc::clone(&running));
        Ok(running)
    }

    /// A program of a user.
    pub fn of_user(&self, id: &str, user: &str) -> Option<Arc<Running>> {
        self.lock().get(id).filter(|running| running.user == user).cloned()
    }

    /// The programs of a user, the oldest first.
    pub fn all_of_user(&self, user: &str) -> Vec<Arc<Running>> {
        let mut all: Vec<_> = self.lock().values().filter(|running| running.user == user).cloned().collect();
        all.sort_by_key(|running| running.started);
        all
    }

    /// The documents that a user's programs have printed, those of ended programs first.
    pub fn printed(&self, user: &str) -> Vec<Printed> {
        let running = self.all_of_user(user);
        // A program that ends now is either on the shelf or still in the list of those that run.
        let shelf = self.shelf.lock();
        let mut all = shelf.of_user(user);
        let has_own = |running: &&Arc<Running>| !running.ended.load(SeqCst) && !running.logged_out.load(SeqCst);
        all.extend(running.iter().filter(has_own).flat_map(|running| running.printed()));
        all
    }

    /// Ends the programs of a user and drops the documents, those too that these programs still have or print.
    pub fn log_out(&self, user: &str) {
        let table = self.lock();
        let mut shelf = self.shelf.lock();
        for running in table.values().filter(|running| running.user == user) {
            running.watch.hang_up();
            running.logged_out.store(true, SeqCst);
        }
        shelf.clear(user);
    }

    /// Hangs up programs whose page is gone for longer than the time of grace, and forgets those that have ended.
    pub fn sweep(&self, config: &Config) {
        self.shelf.lock().sweep(config.session_life);
        self.lock().retain(|_, running| {
            let attached = running.watch.is_attached();
            let mut alone = running.alone_since.lock().unwrap_or_else(PoisonError::into_inner);
            *alone = if attached { None } else { alone.or_else(|| Some(Instant::now())) };
            let over = alone.is_some_and(|since| since.elapsed() >= config.grace);
            if over {
                running.watch.hang_up();
            }
            // One that has ended stays until its page has seen it, or does not come back.
            !(running.ended.load(SeqCst) && (over || running.watch.is_hung_up()))
        });
    }

    /// Forgets a program that has ended and was seen to its end.
    pub fn forget(&self, running: &Running) {
        if running.ended.load(SeqCst) {
            self.lock().remove(&running.id);
        }
    }

    /// Hangs up all programs.
    pub fn hang_up(&self) {
        self.lock().values().for_each(|running| running.watch.hang_up());
    }
}

fn run(programs: &dyn Programs, running: &Running, screen: &ScreenHandle, shelf: &Shelf) {
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| programs.run(&running.name, &running.user, screen)));
    let error = match outcome {
        Ok(Ok(())) => String::new(),
        Ok(Err(message)) => message,
        Err(_) => "The program ended by an internal error".to_owned(),
    };
    *running.error.lock().unwrap_or_else(PoisonError::into_inner) = error;
    let printed = running.printed();
    let mut shelved = shelf.lock();
    if !running.logged_out.load(SeqCst) {
        shelved.keep(&running.user, printed);
    }
    running.ended.store(true, SeqCst);
    drop(shelved);
    screen.end();
}
