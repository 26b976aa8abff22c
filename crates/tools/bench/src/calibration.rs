//! The speed of this machine: the times of small fixed tasks, beside their times on the machine that targets are set for.
//!
//! A target is a figure of one machine. On a machine of half the speed every target would be missed, whatever is measured. So a
//! row names the task that bounds work of its kind; the task runs just before and just after the row, and the row's targets are
//! multiplied by the ratio of its time here to its time there. A verdict is then a ratio within one run, as one to a peer is.
//!
//! | task | bounds |
//! |---|---|
//! | loop | instructions that depend on each other |
//! | copy | memory bandwidth beyond the caches |
//! | round trip | a byte over loopback to another thread and back: two system calls and two changes of threads |
//! | append | a write of 100 bytes to the end of a file, without a sync |

use crate::scratch::Scratch;
use std::hint::black_box;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Runs of a task before a row, and again after it.
const RUNS: usize = 5;
/// Turns of the loop in a run.
const TURNS: u64 = 1_000_000;
/// Bytes that a run copies: more than the caches of common processors hold.
const COPIED: usize = 48 << 20;
/// Round trips of a run.
const TRIPS: u32 = 100;
/// Appends of a run.
const APPENDS: u32 = 1_000;

/// The least and the greatest factor of targets.
const FACTORS: (f64, f64) = (0.25, 4.0);

/// A fixed task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calibration {
    /// A loop of multiplications, each of which waits for the one before.
    Loop,
    /// A copy of memory.
    Copy,
    /// A byte to another thread and back, over loopback.
    RoundTrip,
    /// A short write to the end of a file.
    Append,
}

/// The time of a task in this run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// The task.
    pub task: Calibration,
    /// The median of its runs beside the row.
    pub here: Duration,
}

impl Pace {
    /// The number that targets are multiplied by: above 1 on a machine that is slower than the one they are set for. Within
    /// 0.25 and 4, so that a machine that is busy with other work does not forgive everything.
    pub fn factor(&self) -> f64 {
        (self.here.as_secs_f64() / self.task.reference().as_secs_f64()).clamp(FACTORS.0, FACTORS.1)
    }
}

impl Calibration {
    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Calibration::Loop => "loop",
            Calibration::Copy => "copy",
            Calibration::RoundTrip => "round trip",
            Calibration::Append => "append",
        }
    }

    /// The time of a run on the machine that targets are set for: two cores of an AMD EPYC of 2026, medians of 50 runs.
    pub fn reference(self) -> Duration {
        Duration::from_nanos(match self {
            Calibration::Loop => 1_210_000,
            Calibration::Copy => 2_600_000,
            Calibration::RoundTrip => 1_220_000,
            Calibration::Append => 570_000,
        })
    }

    /// The times of some runs; empty where the system refuses the task.
    pub fn run(self) -> Vec<Duration> {
        match self {
            Calibration::Loop => timed(|| Some(black_box(turns(black_box(TURNS)))).map(|_| ())),
            Calibration::Copy => {
                let (from, mut to) = (vec![7_u8; COPIED], vec![1_u8; COPIED]);
                timed(|| {
                    black_box(&mut to).copy_from_slice(black_box(&from));
                    Some(())
                })
            }
            Calibration::RoundTrip => round_trips().unwrap_or_default(),
            Calibration::Append => appends().unwrap_or_default(),
        }
    }
}

/// The task as it goes beside the work of `measure`, and what that gives.
pub fn beside<T>(task: Option<Calibration>, measure: impl FnOnce() -> T) -> (T, Option<Pace>) {
    let mut times = task.map(Calibration::run).unwrap_or_default();
    let measured = measure();
    times.extend(task.map(Calibration::run).unwrap_or_default());
    times.sort_unstable();
    let pace = task.zip(times.get(times.len() / 2)).map(|(task, &here)| Pace { task, here });
    (measured, pace)
}

/// Runs something as often as a task is run; the first time, which finds caches cold, does not count.
fn timed(mut work: impl FnMut() -> Option<()>) -> Vec<Duration> {
    let run = |_| {
        let begin = Instant::now();
        work().map(|()| begin.elapsed())
    };
    (0..=RUNS).filter_map(run).skip(1).collect()
}

fn turns(count: u64) -> u64 {
    (0..count).fold(1, |value: u64, turn| (value ^ turn).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17))
}

fn round_trips() -> std::io::Result<Vec<Duration>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let answering = std::thread::spawn(move || -> std::io::Result<()> {
        let (mut stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        let mut byte = [0];
        while stream.read(&mut byte)? > 0 {
            stream.write_all(&byte)?;
        }
        Ok(())
    });
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut trip = || {
        let mut byte = [1];
        stream.write_all(&byte).and_then(|()| stream.read_exact(&mut byte)).ok()
    };
    let times = timed(|| (0..TRIPS).try_for_each(|_| trip()));
    drop(stream);
    // An error there has ended the trips here, too.
    let _ = answering.join();
    Ok(times)
}

fn appends() -> mainstay_types::Result<Vec<Duration>> {
    let scratch = Scratch::new()?;
    let mut file = scratch.create(&scratch.path("appends"))?;
    Ok(timed(|| (0..APPENDS).try_for_each(|_| file.write_all(&[7; 100]).ok())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not the copy: its 96 MiB would be seen by the test of the row `churn`, which watches the memory of the process.
    #[test]
    fn tasks_run_here() {
        for task in [Calibration::Loop, Calibration::RoundTrip, Calibration::Append] {
            let times = task.run();
            assert_eq!(times.len(), RUNS, "{}", task.name());
            assert!(times.iter().all(|time| *time > Duration::ZERO), "{}", task.name());
        }
    }

    #[test]
    fn a_slower_machine_has_a_factor_above_one() {
        let pace = Pace { task: Calibration::Loop, here: Calibration::Loop.reference() * 2 };
        assert_eq!(pace.factor(), 2.0);
        assert_eq!(beside(None, || 7), (7, None));
        assert!(beside(Some(Calibration::Loop), || ()).1.is_some_and(|pace| pace.factor() > 0.0));
    }
}
