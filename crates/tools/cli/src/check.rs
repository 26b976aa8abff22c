//! `mainstay check`: every finding on a line of its own, and with `--repair` what was made of damaged tables.

use crate::arguments::Engine;
use crate::complain;
use crate::exit::Exit;
use crate::output::{self, Destination};
use mainstay_engine::{Checked, Finding, Repaired, Severity};
use mainstay_types::{Code, Error};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where repaired tables go: beside the damaged ones, or into a folder.
type Place<'i> = Option<&'i Path>;

/// Reports every finding in these files and folders, and what could not be looked at. With `repair`, damaged tables are made
/// anew.
pub(crate) fn run(paths: &[PathBuf], engine: &Engine, repair: Option<Place<'_>>) -> Exit {
    let mut exit = Exit::Success;
    let (mut findings, mut unread) = (0, 0);
    for path in paths {
        match mainstay_engine::check_what_can_be(path, &engine.options()) {
            Ok(Checked { findings: found, unchecked }) => {
                findings += found.len();
                let shown = show(&found).and_then(|()| match repair {
                    Some(into) if !found.is_empty() => repair_all(path, engine, into, &found, &mut unread),
                    _ => Ok(if has_error(&found) { Exit::FoundErrors } else { Exit::Success }),
                });
                match shown {
                    Ok(told) => exit = exit.max(told),
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                        return exit.max(if has_error(&found) { Exit::FoundErrors } else { Exit::Success });
                    }
                    Err(error) => {
                        complain(&Error::from(error).at("the output"));
                        return exit.max(Exit::CannotWrite);
                    }
                }
                if let Some(error) = unchecked {
                    let message = "the native tables were not checked, all else was: another process has them open";
                    let error = Error::new(error.code(), message).at(error.place().unwrap_or_default());
                    complain(&error.hint("end that process to have them checked"));
                    exit = exit.max(Exit::CannotOpen);
                }
            }
            Err(error) => {
                complain(&error);
                let found_nothing = matches!(error.code(), Code::NotFound | Code::InvalidSetting);
                exit = exit.max(if found_nothing { Exit::of_opening(&error) } else { Exit::FoundErrors });
            }
        }
    }
    if exit == Exit::Success {
        let sound = match repair {
            Some(_) if unread > 0 => {
                let values = output::table::count(unread, "value");
                format!("what can be read is in the new files, {values} cannot be read and are empty there")
            }
            Some(_) if findings > 0 => "what was damaged is sound in its new files".to_owned(),
            _ => "no errors".to_owned(),
        };
        let _ = writeln!(io::stderr(), "{}, {sound}", output::table::count(findings as u64, "finding"));
    }
    exit
}

fn has_error(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// Makes the damaged tables of a path anew, and says what became of each; `unread` counts the values that were lost. All is sound now if every error that was found is
/// of a table, its memo or its indexes that were made anew, and nothing is wrong with the new files.
fn repair_all(path: &Path, engine: &Engine, into: Place<'_>, found: &[Finding], unread: &mut u64) -> io::Result<Exit> {
    let repaired = match mainstay_engine::repair(path, into, &engine.options()) {
        Ok(repaired) => repaired,
        Err(error) => {
            complain(&error);
            return Ok(Exit::FoundErrors);
        }
    };
    let mut is_sound = repaired.iter().all(|repaired| repaired.outcome.as_ref().is_ok_and(|new| new.is_sound()));
    // Only DBF tables are repaired.
    let is_of_dbf = |path: &Path| {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        ["dbf", "fpt", "dbt", "smt", "cdx", "idx", "ntx"].contains(&extension.as_str())
    };
    is_sound &= found.iter().all(|finding| finding.severity != Severity::Error || is_of_dbf(&finding.path));
    let mut out = Destination::stdout();
    for Repaired { table, outcome } in &repaired {
        match outcome {
            Ok(new) => {
                let records = output::table::count(new.records, "record");
                writeln!(out, "repaired: {} as {}, {records}", table.display(), new.path.display())?;
                *unread += new.unread.len() as u64;
                for finding in new
                    .told
                    .iter()
                    .filter(|finding| !found.contains(finding))
                    .chain(&new.unread)
                    .chain(&new.lost)
                    .chain(&new.left)
                {
                    writeln!(out, "{finding}")?;
                }
            }
            Err(error) => writeln!(out, "not repaired: {}: {error}", table.display())?,
        }
    }
    out.finish()?;
    Ok(if is_sound { Exit::Success } else { Exit::FoundErrors })
}

/// Writes findings to standard output, one a line.
fn show(findings: &[Finding]) -> io::Result<()> {
    let mut out = Destination::stdout();
    for finding in findings {
        writeln!(out, "{finding}")?;
    }
    out.finish()
}
