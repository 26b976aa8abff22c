//! `mainstay import`: keyed files from text that was exported on another system.
//!
//! The formats are those of `mainstay_basic_files::transfer`. Rejected lines go to `NAME.rejected` beside the description, each
//! behind a line with its number and the reason.
//!
//! Descriptions come from other systems, so that they name no file outside of their folder: the data is a regular file below it, with
//! all links followed, and the file of rejected lines is none that a link leads to.

use super::Shop;
use crate::arguments::Engine;
use crate::complain;
use crate::exit::Exit;
use mainstay_basic_files::transfer::{self, Description, Report};
use mainstay_basic_files::{FileError, FileErrorKind};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, Disk, File, FileSystem, WritableFile, leads_below};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 20;
/// The longest line: a record of the largest size, in hex, with its key.
const LINE: usize = 1 << 20;
/// Rejected records that are listed on the screen, of each file.
const SHOWN: u64 = 10;

/// Imports the files of some descriptions. The exit code is 1 if a record was rejected or something differs.
pub(crate) fn import(folder: &Path, descriptions: &[PathBuf], replace: bool, engine: &Engine) -> ExitCode {
    let opened = Disk.real_path(folder).and_then(|folder| {
        let database = super::open_enclosed(&folder, engine.options())?;
        Shop::open(&database, &folder)
    });
    let shop = match opened {
        Ok(shop) => shop,
        Err(error) => {
            complain(&error);
            return Exit::of_opening(&error).into();
        }
    };
    let mut is_complete = true;
    for path in descriptions {
        match import_one(&shop, path, replace) {
            Ok(complete) => is_complete &= complete,
            Err(error) => {
                complain(&error.at(path.display().to_string()));
                is_complete = false;
            }
        }
    }
    if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn fault(error: FileError) -> Error {
    Error::new(Code::InvalidValue, format!("error {}: {}", error.number(), error.message()))
}

/// Imports one file: whether all of it arrived.
fn import_one(shop: &Shop, path: &Path, replace: bool) -> Result<bool> {
    let text = String::from_utf8(Disk.read(path)?)
        .map_err(|_| Error::new(Code::InvalidValue, "the description is not text in UTF-8"))?;
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let description = Description::parse(&text, &name).map_err(fault)?;
    if let Some(layout) = &description.definition.layout {
        shop.volume.check_layout(&description.name, layout).map_err(fault)?;
    }
    let data = data_of(&description, path)?;
    let rejected = path.with_extension("rejected");
    remove_earlier(&rejected).map_err(|error| error.at(rejected.display().to_string()))?;
    let mut lines = Lines::open(&data).map_err(|error| error.at(data.display().to_string()))?;
    if replace && shop.volume.kind(&description.name).map_err(fault)?.is_some() {
        shop.volume.erase(&description.name).map_err(fault)?;
    }
    let mut rejects = Rejects { path: rejected, file: None, at: 0, count: 0 };
    let report = transfer::import(
        shop.volume.as_ref(),
        &description,
        &mut |line| lines.next(line),
        &mut |number, line, error| rejects.add(number, line, error),
    );
    let report = report.map_err(fault)?;
    Ok(show(&description, &report, &rejects))
}

/// The data file of a description, with all links followed.
///
/// Errors: a path that leads out of the folder of the description, or to something else than a regular file.
fn data_of(description: &Description, path: &Path) -> Result<PathBuf> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let data = match &description.data {
        Some(data) => folder.join(data),
        None => path.with_extension("txt"),
    };
    let refused = |message: &str| Err(Error::new(Code::NotPermitted, message).at(data.display().to_string()));
    if !leads_below(&Disk, &data, folder)? {
        return refused("the data of an import is below the folder of its description");
    }
    Disk.stamp(&data)?;
    let real = Disk.real_path(&data)?;
    // A pipe would wait for a writer when it is opened.
    match Disk.is_pipe_or_device(&real) || Disk.is_folder(&real) {
        true => refused("the data of an import is a regular file"),
        false => Ok(real),
    }
}

/// Removes the rejected lines of an earlier import.
///
/// Errors: a symbolic link in their place.
fn remove_earlier(rejected: &Path) -> Result<()> {
    if Disk.is_link(rejected) {
        let message = "rejected records are not written through a symbolic link";
        return Err(Error::new(Code::NotPermitted, message).hint("remove the link"));
    }
    match Disk.stamp(rejected) {
        Ok(_) => Disk.remove(rejected),
        Err(error) if error.code() == Code::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes a line of the report. A reader that is gone does not stop the import.
fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

fn show(description: &Description, report: &Report, rejects: &Rejects) -> bool {
    let name = &description.name;
    say(&format!(
        "{name}: {} records, {} rejected, {} bytes, checksum {:04X}",
        report.taken.records, report.rejected, report.read.bytes, report.read.checksum
    ));
    let differences = report.differences(description);
    differences.iter().for_each(|difference| say(&format!("  {difference}")));
    if report.rejected > 0 {
        say(&format!("  rejected records are in {}", rejects.path.display()));
    }
    if description.checksum.is_none() {
        say("  the description has no checksum: compare the counts");
    }
    differences.is_empty() && report.rejected == 0
}

/// The lines of a data file.
struct Lines {
    file: Arc<dyn File>,
    /// Where the next chunk begins.
    offset: u64,
    length: u64,
    chunk: Vec<u8>,
    at: usize,
}

impl Lines {
    fn open(path: &Path) -> Result<Lines> {
        let file = Disk.open(path)?;
        let length = file.stamp()?.len;
        Ok(Lines { file, offset: 0, length, chunk: Vec::new(), at: 0 })
    }

    /// Puts the next line without its end into the buffer; false behind the last one.
    fn next(&mut self, line: &mut Vec<u8>) -> std::result::Result<bool, FileError> {
        let mut has_any = false;
        loop {
            if self.at == self.chunk.len() && !self.fill()? {
                return Ok(has_any);
            }
            has_any = true;
            let rest = &self.chunk[self.at..];
            let end = rest.iter().position(|byte| *byte == b'\n');
            let part = &rest[..end.unwrap_or(rest.len())];
            if line.len() + part.len() > LINE {
                let message = format!("a line of the data file has more than {LINE} bytes");
                return Err(FileError::new(FileErrorKind::InputOutput, message));
            }
            line.extend_from_slice(part);
            self.at += part.len() + usize::from(end.is_some());
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    fn fill(&mut self) -> std::result::Result<bool, FileError> {
        let count = usize::try_from(self.length - self.offset).unwrap_or(CHUNK).min(CHUNK);
        self.chunk.resize(count, 0);
        self.at = 0;
        let read = self.file.read_at(&mut self.chunk, self.offset);
        let count = read.map_err(|error| FileError::new(FileErrorKind::InputOutput, error.to_string()))?;
        self.chunk.truncate(count);
        self.offset += count as u64;
        Ok(count > 0)
    }
}

/// The file of rejected records, which the first one creates.
struct Rejects {
    path: PathBuf,
    file: Option<Arc<dyn WritableFile>>,
    at: u64,
    count: u64,
}

impl Rejects {
    fn add(&mut self, number: u64, line: &[u8], error: &FileError) -> std::result::Result<(), FileError> {
        let failed = |error: Error| FileError::new(FileErrorKind::InputOutput, error.to_string());
        self.count += 1;
        if self.count <= SHOWN {
            say(&format!("  line {number}: error {}: {}", error.number(), error.message()));
        }
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => {
                let file = Disk.create(&self.path, Create::New).map_err(failed)?;
                self.file = Some(Arc::clone(&file));
                file
            }
        };
        let mut text = format!("# line {number}: error {}: {}\n", error.number(), error.message()).into_bytes();
        text.extend_from_slice(line);
        text.push(b'\n');
        file.write_at(&text, self.at).map_err(failed)?;
        self.at += text.len() as u64;
        Ok(())
    }
}
