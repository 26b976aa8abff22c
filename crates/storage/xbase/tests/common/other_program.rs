//! A program with locks independent of this crate: `raw_locks.py`, which needs `python3`. Tests of the crates above use
//! it, too.

use mainstay_vfs::ByteRange;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A program that has a file open.
pub struct Other {
    /// The system's side of it.
    pub process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Other {
    /// Starts it with this file.
    pub fn start(path: &Path) -> Other {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../storage/xbase/tests/raw_locks.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("this test needs python3");
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Other { process, input, output }
    }

    /// Says a command; whether it could be done.
    pub fn ask(&mut self, command: &str) -> bool {
        writeln!(self.input, "{command}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert!(matches!(line.trim(), "ok" | "busy"), "{command}: {line:?}");
        line.trim() == "ok"
    }

    /// Asks once for bytes.
    pub fn lock(&mut self, range: ByteRange) -> bool {
        self.ask(&format!("lock {} {}", range.start, range.length))
    }

    /// Gives bytes back.
    pub fn unlock(&mut self, range: ByteRange) {
        assert!(self.ask(&format!("unlock {} {}", range.start, range.length)));
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
