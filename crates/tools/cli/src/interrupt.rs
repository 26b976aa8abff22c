//! Ctrl-C, and signals that end the process.
//!
//! At the prompt the key reaches the line editor and clears the line. While a statement runs the terminal sends a
//! signal instead, and the signal cancels the statement through its handle. Pressed again in a script, before the
//! statement has stopped, it ends the process; the prompt never ends that way, since users press twice out of
//! impatience. In a script nothing runs after the key, even if the statement had finished before it could stop.
//!
//! SIGTERM, and SIGHUP when the terminal has gone, cancel the statement too, wait a short time for its rollback, and
//! end the process.
//!
//! SIGXFSZ, which by default ends the process if a file grows beyond `ulimit -f`, is ignored: the write fails.

use crate::exit::Exit;
use mainstay_engine::CancelHandle;
use mainstay_tsql_runtime::Interrupts;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a cancelled statement may take to end before the process ends without it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Ends the running statement.
pub(crate) type Stop = Box<dyn Fn() + Send>;

static RUNNING: Mutex<Option<Stop>> = Mutex::new(None);
static ASKED: AtomicBool = AtomicBool::new(false);
static AT_PROMPT: AtomicBool = AtomicBool::new(false);

/// Lets a write fail that makes a file too long, as one on a full disk does.
pub(crate) fn outlive_long_files() {
    // The flag is never read: it only replaces the signal's default action, which ends the process.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

fn running() -> MutexGuard<'static, Option<Stop>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes over the signals for the rest of the process.
pub(crate) fn install() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // It fails only where signals cannot be handled at all; then they do what they always do.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGINT { interrupt() } else { terminate(signal) }
        }
    });
}

fn interrupt() {
    let at_prompt = AT_PROMPT.load(Ordering::Relaxed);
    let again = ASKED.swap(true, Ordering::Relaxed);
    match running().as_ref() {
        Some(stop) if at_prompt || !again => stop(),
        None if at_prompt => {}
        _ => std::process::exit(Exit::Interrupted as i32),
    }
}

fn terminate(signal: i32) {
    ASKED.store(true, Ordering::Relaxed);
    let asked = Instant::now();
    while asked.elapsed() < PATIENCE {
        match running().as_ref() {
            Some(stop) => stop(),
            None => break,
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    // The line editor may have left the terminal without echo.
    let _ = crossterm::terminal::disable_raw_mode();
    std::process::exit(128 + signal);
}

/// Says that a prompt reads the statements, which the signal must not end.
pub(crate) fn set_at_prompt(at_prompt: bool) {
    AT_PROMPT.store(at_prompt, Ordering::Relaxed);
}

/// Returns true if the signal came: in a script at any time, else since the last statement began.
pub(crate) fn was_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// While this lives, the signal cancels the statement of the handle.
pub(crate) struct Cancels;

/// Lets the signal cancel through this handle. Who types the statements goes on after a signal; a script does not.
pub(crate) fn cancels(handle: CancelHandle, interactive: bool) -> Cancels {
    let mut running = running();
    if interactive {
        ASKED.store(false, Ordering::Relaxed);
    }
    // Under the lock: a signal comes before all of this, or cancels the statement that begins now.
    handle.begin_request();
    *running = Some(Box::new(move || handle.cancel_request()));
    Cancels
}

/// Lets the signal call this. It is called on the thread of the signals, and must not wait.
pub(crate) fn stops(stop: Stop, interactive: bool) -> Cancels {
    let mut running = running();
    if interactive {
        ASKED.store(false, Ordering::Relaxed);
    }
    *running = Some(stop);
    Cancels
}

/// The key on a screen of T-SQL: it ends the batch that runs, and where none does it does what it always does.
pub(crate) struct OnConsole {
    /// A person types the batches, and goes on after the key.
    pub(crate) interactive: bool,
}

impl Interrupts for OnConsole {
    fn begin(&self, stop: Stop) {
        let mut running = running();
        if self.interactive {
            ASKED.store(false, Ordering::Relaxed);
        }
        set_at_prompt(self.interactive);
        *running = Some(stop);
    }

    fn end(&self) {
        *running() = None;
        set_at_prompt(false);
    }

    fn has_come(&self) -> bool {
        was_asked()
    }
}

impl Drop for Cancels {
    fn drop(&mut self) {
        *running() = None;
    }
}
