//! `mainstay assess`: the report of `mainstay_assess` on standard output, as JSON, as a page, and the exit code.

use crate::arguments::ScriptDialect;
use crate::complain;
use crate::exit::Exit;
use crate::output::Destination;
use mainstay_assess::{Dialect, Report, Request, TableSettings, Verdict, assess, write_html, write_json, write_text};
use mainstay_engine::{Options, file_settings};
use mainstay_types::Error;
use mainstay_vfs::{Disk, FileSystem};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes the report of an assessment.
type WriteReport = fn(&Report, &mut dyn Write) -> io::Result<()>;

/// Assesses these paths. `json` and `html` are files that the report is written to, too.
pub(crate) fn run(paths: &[PathBuf], json: Option<&Path>, html: Option<&Path>, dialect: ScriptDialect) -> Exit {
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let dialect = match dialect {
        ScriptDialect::Auto => None,
        ScriptDialect::Tsql => Some(Dialect::Tsql),
        ScriptDialect::Ads => Some(Dialect::Ads),
        ScriptDialect::Informix => Some(Dialect::Informix),
    };
    let options = Options::default();
    let settings = |path: &Path| {
        let (code_page, csv) = file_settings(path, &options)?;
        Ok(TableSettings { code_page, csv })
    };
    let report = match assess(&fs, &Request { paths, dialect, settings: &settings }) {
        Ok(report) => report,
        Err(error) => {
            complain(&error);
            return Exit::CannotOpen;
        }
    };
    let to_output = json == Some(Path::new("-"));
    let files: [(Option<&Path>, WriteReport); 2] = [(json.filter(|_| !to_output), write_json), (html, write_html)];
    for (file, write) in files {
        if let Some(file) = file
            && let Err(error) = to_file(&report, file, write)
        {
            complain(&error);
            return Exit::CannotWrite;
        }
    }
    let mut out = Destination::stdout();
    let write: WriteReport = if to_output { write_json } else { write_text };
    match write(&report, &mut out).and_then(|()| out.finish()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&Error::from(error).at("the output"));
            Exit::CannotWrite
        }
        _ if report.verdict() == Verdict::Ready => Exit::Success,
        _ => Exit::StatementFailed,
    }
}

fn to_file(report: &Report, file: &Path, write: WriteReport) -> Result<(), Error> {
    let mut bytes = Vec::new();
    write(report, &mut bytes)?;
    let created = Disk.create(file, mainstay_vfs::Create::Truncate);
    created.and_then(|created| created.write_at(&bytes, 0)).map_err(|error| error.at(file.display()))
}
