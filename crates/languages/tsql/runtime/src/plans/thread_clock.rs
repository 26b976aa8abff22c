//! The CPU time of a thread.
//!
//! SET STATISTICS TIME and the views of statistics report CPU time and elapsed time separately. CPU time is that of the
//! thread that runs the statement; the work of other threads for a large statement is not included.

use std::time::Duration;

/// The CPU time that this thread has used. Only differences of two values are of use; zero where the system does not
/// report it.
#[cfg(unix)]
pub(crate) fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the structure that it is given, which lives as long as the call, and to nothing else.
    let outcome = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    match outcome {
        0 => Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0)),
        _ => Duration::ZERO,
    }
}

/// The CPU time that this thread has used; not known here.
#[cfg(not(unix))]
pub(crate) fn cpu_time() -> Duration {
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::cpu_time;
    use std::time::{Duration, Instant};

    #[test]
    fn work_takes_cpu_time_and_sleep_does_not() {
        let before = cpu_time();
        std::thread::sleep(Duration::from_millis(30));
        assert!(cpu_time() - before < Duration::from_millis(20));
        let begun = Instant::now();
        let mut sum = 0_u64;
        while begun.elapsed() < Duration::from_millis(200) {
            sum = sum.wrapping_mul(31).wrapping_add(1);
        }
        assert!(cpu_time() - before > Duration::from_millis(1), "{sum}");
    }
}
