//! The destination of results: the screen, a pipe, or a file.
//!
//! Stored text may contain escape sequences; on a screen they are shown, not executed.
//!
//! A file appears under its name only when it is whole. It is written beside it as `NAME.part` and
//! renamed at the end, so a statement that fails or is cancelled leaves the old file as it was, and a
//! reader never finds half a result. A name that leads to something else than a file (a named pipe,
//! `/dev/null`) is written to directly.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

const BUFFER_BYTES: usize = 64 * 1024;

/// A place to write results to.
pub(crate) struct Destination {
    writer: Box<dyn Write + Send>,
    path: Option<PathBuf>,
    /// The file that takes its name at the end.
    part: Option<PathBuf>,
    terminal: bool,
    seekable: bool,
    results: usize,
}

impl Destination {
    /// Standard output.
    pub(crate) fn stdout() -> Destination {
        let stdout = io::stdout();
        let (terminal, seekable) = (stdout.is_terminal(), is_file(&stdout));
        let buffered = BufWriter::with_capacity(BUFFER_BYTES, stdout);
        let writer: Box<dyn Write + Send> = if terminal { Box::new(Harmless(buffered)) } else { Box::new(buffered) };
        Destination { writer, path: None, part: None, terminal, seekable, results: 0 }
    }

    /// A file, made new.
    #[expect(clippy::disallowed_methods, reason = "results are the user's files, not stored data")]
    pub(crate) fn create(path: &Path) -> io::Result<Destination> {
        let plain = is_name_of_file(path);
        let part = plain.then(|| part_of(path));
        let file = File::create(part.as_deref().unwrap_or(path))?;
        let writer = Box::new(BufWriter::with_capacity(BUFFER_BYTES, file));
        Ok(Destination { writer, path: Some(path.to_owned()), part, terminal: false, seekable: plain, results: 0 })
    }

    /// Returns true if a person reads along.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Returns true if it is a file rather than a pipe.
    pub(crate) fn is_seekable(&self) -> bool {
        self.seekable
    }

    /// The name that INSERT statements use: the file's, without its ending.
    pub(crate) fn table_name(&self) -> String {
        let stem = self.path.as_deref().and_then(Path::file_stem).and_then(|stem| stem.to_str());
        stem.unwrap_or("result").to_owned()
    }

    /// Counts a result that is about to be written; gives how many were written before.
    pub(crate) fn begin_result(&mut self) -> usize {
        self.results += 1;
        self.results - 1
    }

    /// Writes everything out and gives the file its name.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.writer.flush()?;
        match (self.part.take(), &self.path) {
            (Some(part), Some(path)) => std::fs::rename(part, path),
            _ => Ok(()),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        if let Some(part) = self.part.take() {
            // The file was not finished; that it cannot be removed is worth no second error.
            let _ = std::fs::remove_file(part);
        }
    }
}

/// A screen that stored text cannot command: control characters other than line feed and tab are shown
/// as their pictures (U+2400 and on). Text comes in whole characters.
struct Harmless<W>(W);

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| is_control(*byte)) {
            self.0.write_all(&rest[..at])?;
            self.0.write_all(&[0xE2, 0x90, if rest[at] == 0x7F { 0xA1 } else { 0x80 + rest[at] }])?;
            rest = &rest[at + 1..];
        }
        self.0.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\n' | b'\t') || byte == 0x7F
}

/// Returns true if a name leads to a file, or to nothing yet.
pub(crate) fn is_name_of_file(path: &Path) -> bool {
    path.metadata().map_or(true, |metadata| metadata.is_file())
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

#[cfg(unix)]
fn is_file(stdout: &io::Stdout) -> bool {
    use std::os::fd::AsFd;
    let handle = stdout.as_fd().try_clone_to_owned();
    handle.and_then(|handle| File::from(handle).metadata()).is_ok_and(|metadata| metadata.is_file())
}

#[cfg(not(unix))]
fn is_file(_: &io::Stdout) -> bool {
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)]
    use super::*;

    #[test]
    fn stored_text_cannot_command_the_screen() {
        let mut screen = Harmless(Vec::new());
        screen.write_all("a\u{1b}[2J\u{7f}\té\r\n".as_bytes()).unwrap();
        assert_eq!(String::from_utf8(screen.0).unwrap(), "a␛[2J␡\té␍\n");
    }

    #[test]
    fn a_file_has_its_name_only_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("orders.csv");
        std::fs::write(&path, "old").unwrap();

        let mut given_up = Destination::create(&path).unwrap();
        given_up.write_all(b"half").unwrap();
        drop(given_up);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

        let mut whole = Destination::create(&path).unwrap();
        assert_eq!(whole.table_name(), "orders");
        whole.write_all(b"new").unwrap();
        whole.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }
}
