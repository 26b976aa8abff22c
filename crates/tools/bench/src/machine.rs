//! The machine of a run, without which a time means nothing.
//!
//! Read from `/proc` and `/etc/os-release`; values that are missing (on another system) are reported as unknown.

use mainstay_types::Date;
use mainstay_vfs::{Disk, FileSystem};
use std::path::Path;
use std::time::SystemTime;

/// The machine, the build and the day.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// Threads that may run at once.
    pub cores: usize,
    /// Bytes of memory, if known.
    pub memory_bytes: Option<u64>,
    /// Operating system and kernel.
    pub system: String,
    /// The compiler that built this.
    pub rustc: &'static str,
    /// The build profile.
    pub profile: String,
    /// YYYY-MM-DD, UTC.
    pub date: String,
}

/// This process's memory, in bytes, as far as the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Resident now.
    pub resident_bytes: Option<u64>,
    /// The most that was ever resident.
    pub peak_bytes: Option<u64>,
}

impl Machine {
    /// This machine, today.
    pub fn here() -> Machine {
        let unknown = || "unknown".to_owned();
        let release = read("/etc/os-release").unwrap_or_default();
        let name = value_of(&release, "PRETTY_NAME=").map(|name| name.trim_matches('"').to_owned());
        let kernel = read("/proc/sys/kernel/osrelease").unwrap_or_default();
        let (year, month, day) = today().ymd();
        Machine {
            cpu: read("/proc/cpuinfo").and_then(|info| value_of(&info, "model name")).unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(1, |cores| cores.get()),
            memory_bytes: read("/proc/meminfo").and_then(|info| kilobytes(&info, "MemTotal:")),
            system: format!("{}, kernel {}", name.unwrap_or_else(|| std::env::consts::OS.to_owned()), kernel.trim()),
            rustc: env!("MAINSTAY_BENCH_RUSTC"),
            profile: format!(
                "{}, opt-level {}, {}",
                env!("MAINSTAY_BENCH_PROFILE"),
                env!("MAINSTAY_BENCH_OPT_LEVEL"),
                env!("MAINSTAY_BENCH_TARGET")
            ),
            date: format!("{year:04}-{month:02}-{day:02}"),
        }
    }

    /// Everything on one line.
    pub fn line(&self) -> String {
        let memory = self.memory_bytes.map_or(String::new(), |bytes| format!(", {:.0} GiB", bytes as f64 / GIB));
        let Machine { cpu, cores, system, rustc, profile, date, .. } = self;
        format!("{cpu}, {cores} cores{memory}; {system}; {rustc} ({profile}); {date}")
    }

    /// Returns true if the build is one whose times count.
    pub fn is_optimised(&self) -> bool {
        self.profile.starts_with("release")
    }
}

const GIB: f64 = (1u64 << 30) as f64;

impl Memory {
    /// This process now.
    pub fn now() -> Memory {
        let status = read("/proc/self/status").unwrap_or_default();
        Memory { resident_bytes: kilobytes(&status, "VmRSS:"), peak_bytes: kilobytes(&status, "VmHWM:") }
    }
}

/// The day, UTC.
pub fn today() -> Date {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    Date(i32::try_from(seconds / 86_400).unwrap_or(i32::MAX))
}

/// A file of `/proc`, whose length is said to be 0.
fn read(path: &str) -> Option<String> {
    let file = Disk.open(Path::new(path)).ok()?;
    let mut bytes = vec![0; 1 << 16];
    let len = file.read_at(&mut bytes, 0).ok()?;
    Some(String::from_utf8_lossy(&bytes[..len]).into_owned())
}

fn value_of(text: &str, label: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    Some(line.trim_start_matches([' ', '\t', ':']).trim().to_owned())
}

fn kilobytes(text: &str, label: &str) -> Option<u64> {
    value_of(text, label)?.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_labels() {
        assert_eq!(value_of("a\nmodel name\t: Some CPU\n", "model name"), Some("Some CPU".into()));
        assert_eq!(kilobytes("VmHWM:\t  20 kB\nVmRSS:\t  10 kB\n", "VmRSS:"), Some(10_240));
        assert_eq!(kilobytes("VmRSS:\t  many kB\n", "VmRSS:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_is_described() {
        let machine = Machine::here();
        assert!(machine.line().contains("rustc 1.") && machine.cores > 0);
        assert!(Memory::now().resident_bytes.is_some_and(|bytes| bytes > 1 << 20));
    }
}
