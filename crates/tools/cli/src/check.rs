//! `mainstay check`: every finding on a line of its own, and with `--repair` what was made of damaged tables. Business BASIC
//! programs are checked as well; what is wrong with them stands behind the findings of data files, with counts.

use crate::arguments::Engine;
use crate::basic::check::{Programs, is_program, joined, quoted};
use crate::complain;
use crate::exit::Exit;
use crate::output::{self, Destination};
use mainstay_engine::{Checked, Finding, Repaired, Severity};
use mainstay_types::{Code, Error};
use mainstay_vfs::Disk;
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
        let Some(found) = checked(path, engine, &mut exit) else { continue };
        findings += found.len();
        let shown = show(&found).and_then(|()| match repair {
            Some(into) if !found.is_empty() => repair_all(path, engine, into, &found, &mut unread),
            _ => Ok(exit_of(&found)),
        });
        match shown {
            Ok(told) => exit = exit.max(told),
            Err(error) => return exit.max(exit_of(&found)).max(of_output(error)),
        }
    }
    let programs = checked_programs(paths, &mut exit);
    if let Err(error) = show_programs(&programs) {
        return exit.max(of_output(error));
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
    if programs.count() > 0 {
        let [programs, errors] = [(programs.count(), "program"), (programs.errors(), "error")]
            .map(|(number, noun)| output::table::count(number as u64, noun));
        let _ = writeln!(io::stderr(), "{programs}, {errors}");
    }
    exit
}

/// Writes every finding in these files and folders as one JSON object: `findings` of data files, `programs` with their errors,
/// and `items` that are not supported, with counts.
pub(crate) fn run_as_json(paths: &[PathBuf], engine: &Engine) -> Exit {
    let mut exit = Exit::Success;
    let mut findings = Vec::new();
    for path in paths {
        let found = checked(path, engine, &mut exit).unwrap_or_default();
        exit = exit.max(exit_of(&found));
        findings.extend(found);
    }
    let programs = checked_programs(paths, &mut exit);
    let findings = joined(findings.iter().map(as_json));
    let mut out = Destination::stdout();
    let written = writeln!(out, "{{\"findings\":[{findings}],{}}}", programs.json()).and_then(|()| out.finish());
    written.map_or_else(|error| exit.max(of_output(error)), |()| exit)
}

/// What is found in data files; `None` if they cannot be looked at, which is told. A program has no data.
fn checked(path: &Path, engine: &Engine, exit: &mut Exit) -> Option<Vec<Finding>> {
    if is_program(path) {
        return Some(Vec::new());
    }
    match mainstay_engine::check_what_can_be(path, &engine.options()) {
        Ok(Checked { findings, unchecked }) => {
            if let Some(error) = unchecked {
                let message = "the native tables were not checked, all else was: another process has them open";
                let error = Error::new(error.code(), message).at(error.place().unwrap_or_default());
                complain(&error.hint("end that process to have them checked"));
                *exit = (*exit).max(Exit::CannotOpen);
            }
            Some(findings)
        }
        Err(error) => {
            complain(&error);
            let found_nothing = matches!(error.code(), Code::NotFound | Code::InvalidSetting);
            *exit = (*exit).max(if found_nothing { Exit::of_opening(&error) } else { Exit::FoundErrors });
            None
        }
    }
}

/// The programs among these files and in these folders. What cannot be read is told.
fn checked_programs(paths: &[PathBuf], exit: &mut Exit) -> Programs {
    let mut programs = Programs::default();
    for path in paths {
        match programs.check(&Disk, path) {
            Ok(()) => {}
            Err(error) => {
                complain(&error);
                *exit = (*exit).max(Exit::CannotOpen);
            }
        }
    }
    if programs.errors() > 0 {
        *exit = (*exit).max(Exit::FoundErrors);
    }
    programs
}

fn show_programs(programs: &Programs) -> io::Result<()> {
    let mut out = Destination::stdout();
    programs.write_text(&mut out)?;
    out.finish()
}

/// How it ends when the output cannot be written, which is told. A reader that has gone is no error.
fn of_output(error: io::Error) -> Exit {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Exit::Success;
    }
    complain(&Error::from(error).at("the output"));
    Exit::CannotWrite
}

fn exit_of(findings: &[Finding]) -> Exit {
    let has_error = findings.iter().any(|finding| finding.severity == Severity::Error);
    if has_error { Exit::FoundErrors } else { Exit::Success }
}

fn as_json(finding: &Finding) -> String {
    let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
    let path = finding.path.to_string_lossy();
    let [path, place, message] = [path.as_ref(), finding.place.as_str(), finding.message.as_str()].map(quoted);
    format!("{{\"severity\":\"{severity}\",\"path\":{path},\"place\":{place},\"message\":{message}}}")
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
    // Only DBF and ADT tables are repaired.
    let is_of_dbf = |path: &Path| {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        ["dbf", "fpt", "dbt", "smt", "cdx", "idx", "ntx", "adt", "adm", "adi"].contains(&extension.as_str())
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
