//! The progress bar of a long statement.
//!
//! It appears after half a second, on standard error, and only if that is a terminal. A separate thread reads the
//! session's shared counters and draws ten times a second, so the statement pays nothing for it. Before the first byte
//! of a result goes to the same terminal the bar is removed for good: from then on the rows are the progress.
//!
//! The remaining time is calculated from the measured speed and the bytes that are left (or rows, when the engine does
//! not know the bytes); without a total, and when all input is read, only the counts and the elapsed time are shown: a
//! join or a sort may still be working.

use crate::output::table::thousands;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mainstay_engine::Progress;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const APPEARS_AFTER: Duration = Duration::from_millis(500);
const DRAWN_EVERY: Duration = Duration::from_millis(100);

/// The length of the bar in its own units; only the ratio is seen.
const BAR_UNITS: u64 = 1_000;

#[derive(Default)]
struct Shared {
    gone: Mutex<bool>,
    changed: Condvar,
}

impl Shared {
    fn gone(&self) -> MutexGuard<'_, bool> {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the bar must go or the time is over; says which.
    fn wait(&self, time: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.gone(), time, |gone| !*gone);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// A bar that appears when it is needed; it leaves when this is dropped.
pub(crate) struct Bar {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Bar {
    /// Watches these counters, when anybody can see it.
    pub(crate) fn start(progress: Arc<Progress>, visible: bool) -> Bar {
        let shared = Arc::new(Shared::default());
        let watched = shared.clone();
        let thread = visible.then(|| std::thread::spawn(move || draw_until_gone(&watched, &progress)));
        Bar { shared, thread: Mutex::new(thread) }
    }

    /// Takes the bar off the screen, and waits until it is.
    pub(crate) fn hide(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            *self.shared.gone() = true;
            self.shared.changed.notify_all();
            // A thread that panicked has drawn its last anyway.
            let _ = thread.join();
        }
    }

    /// The destination, in front of which the bar goes when something is written to it.
    pub(crate) fn before<'a>(&'a self, inner: &'a mut (dyn Write + Send), same_screen: bool) -> HidesBar<'a> {
        HidesBar { bar: same_screen.then_some(self), inner }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.hide();
    }
}

/// A destination that takes the bar away before it writes.
pub(crate) struct HidesBar<'a> {
    bar: Option<&'a Bar>,
    inner: &'a mut (dyn Write + Send),
}

impl Write for HidesBar<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(bar) = self.bar.take() {
            bar.hide();
        }
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn draw_until_gone(shared: &Shared, progress: &Progress) {
    let started = Instant::now();
    if shared.wait(APPEARS_AFTER) {
        return;
    }
    let bar = ProgressBar::with_draw_target(Some(BAR_UNITS), ProgressDrawTarget::stderr());
    loop {
        let counts = Counts::read(progress, started.elapsed());
        let template = if counts.ratio().is_some() { "{bar:24} {percent:>3}%  {msg}" } else { "{spinner} {msg}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        bar.set_position(counts.ratio().map_or(0, |ratio| (ratio * BAR_UNITS as f64) as u64));
        bar.set_message(counts.message());
        bar.tick();
        if shared.wait(DRAWN_EVERY) {
            return bar.finish_and_clear();
        }
    }
}

/// The counters at one moment.
struct Counts {
    rows: u64,
    rows_total: Option<u64>,
    bytes: u64,
    bytes_total: Option<u64>,
    elapsed: Duration,
}

impl Counts {
    fn read(progress: &Progress, elapsed: Duration) -> Counts {
        Counts {
            rows: progress.rows(),
            rows_total: progress.rows_total(),
            bytes: progress.bytes(),
            bytes_total: progress.bytes_total(),
            elapsed,
        }
    }

    /// How much is read, from 0 to less than 1.
    fn ratio(&self) -> Option<f64> {
        let of =
            |done: u64, total: Option<u64>| total.filter(|&total| done < total).map(|total| done as f64 / total as f64);
        of(self.bytes, self.bytes_total).or_else(|| of(self.rows, self.rows_total))
    }

    fn message(&self) -> String {
        // A table that is read twice is counted once in the total.
        let of = |done: u64, total: Option<u64>, shown: fn(u64) -> String| {
            let total = total.filter(|&total| done <= total).map(|total| format!(" of {}", shown(total)));
            format!("{}{}", shown(done), total.unwrap_or_default())
        };
        let rows = of(self.rows, self.rows_total, thousands);
        let bytes = of(self.bytes, self.bytes_total, size);
        format!("{rows} rows, {bytes}, {}", self.time())
    }

    /// The time left when it can be told, the time so far otherwise.
    fn time(&self) -> String {
        match self.ratio() {
            Some(ratio) if ratio > 0.01 => {
                let left = self.elapsed.as_secs_f64() * (1.0 - ratio) / ratio;
                format!("{} left", clock(left.ceil() as u64))
            }
            _ => clock(self.elapsed.as_secs()),
        }
    }
}

/// `45 s`, `3:05 min`, `2:00:10 h`.
fn clock(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02} h", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

/// A number of bytes with a unit that leaves it short: `999 B`, `1.2 MB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1e3;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1e3;
        unit += 1;
    }
    if value < 9.95 { format!("{value:.1} {}", UNITS[unit]) } else { format!("{value:.0} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        assert_eq!(
            [0, 999, 1_000, 9_960, 123_456, 999_600, u64::MAX].map(size),
            ["0 B", "999 B", "1.0 kB", "10 kB", "123 kB", "1.0 MB", "18 EB"]
        );
    }

    #[test]
    fn the_time_left_follows_the_speed() {
        let counts = |bytes, bytes_total| Counts {
            rows: 5,
            rows_total: None,
            bytes,
            bytes_total,
            elapsed: Duration::from_secs(10),
        };
        assert_eq!(counts(250, Some(1_000)).message(), "5 rows, 250 B of 1.0 kB, 30 s left");
        assert_eq!(counts(250, None).message(), "5 rows, 250 B, 10 s");
        assert_eq!(counts(1_000, Some(1_000)).message(), "5 rows, 1.0 kB of 1.0 kB, 10 s");
        assert_eq!(counts(2_000, Some(1_000)).message(), "5 rows, 2.0 kB, 10 s");
        assert_eq!(clock(3_725), "1:02:05 h");
    }
}
