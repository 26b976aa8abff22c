//! `mainstay check`: a summary, then the findings, a few of each kind; with `--repair` the repaired tables, and with
//! `--replace` the place of the old files. Business BASIC programs are checked as well; their errors follow the
//! findings of data files, with counts.

mod mend;
mod summary;

use crate::arguments::Engine;
use crate::basic::check::{Programs, is_program, joined, quoted};
use crate::complain;
use crate::exit::Exit;
use crate::output::{self, Destination};
use mainstay_engine::{Checked, Finding, Looked, Severity};
use mainstay_types::{Code, Error};
use mainstay_vfs::{Disk, FileSystem};
use mend::Mended;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The actions of a check beside reading.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wishes<'i> {
    /// Folders below the folders, too.
    pub recursive: bool,
    /// Every finding, and not a few of each kind.
    pub verbose: bool,
    /// Make damaged tables anew.
    pub repair: bool,
    /// The folder of the new files.
    pub into: Option<&'i Path>,
    /// Put the new files in the place of the old ones.
    pub replace: bool,
}

/// A path with what is wrong there.
struct Found {
    path: PathBuf,
    findings: Vec<Finding>,
}

/// Reports what is wrong with these files and folders, and what could not be looked at; repairs if that is wished for.
pub(crate) fn run(paths: &[PathBuf], engine: &Engine, wishes: Wishes<'_>) -> Exit {
    let mut exit = Exit::Success;
    let (mut looked, mut found) = (Looked::default(), Vec::new());
    let (paths_below, left_out) = with_folders_below(paths, wishes.recursive, &mut exit);
    for path in paths_below {
        let Some(checked) = checked(&path, engine, &mut exit) else { continue };
        looked += checked.looked;
        found.push(Found { path, findings: checked.findings });
    }
    let all: Vec<&Finding> = found.iter().flat_map(|found| &found.findings).collect();
    summary::tell(looked, &all, &left_out, wishes.repair);
    if let Err(error) = summary::show(&all, wishes.verbose) {
        return exit.max(exit_of(&all)).max(of_output(error));
    }
    let mut mended = Mended::default();
    for Found { path, findings } in &found {
        let told = match wishes.repair && !findings.is_empty() {
            true => mend::repair_all(path, engine, wishes, findings, &mut mended),
            false => Ok(exit_of(&findings.iter().collect::<Vec<_>>())),
        };
        match told {
            Ok(told) => exit = exit.max(told),
            Err(error) => return exit.max(exit_of(&all)).max(of_output(error)),
        }
    }
    let programs = checked_programs(paths, &mut exit);
    if let Err(error) = show_programs(&programs) {
        return exit.max(of_output(error));
    }
    if exit == Exit::Success {
        let state = if wishes.repair && !all.is_empty() { mended.state() } else { "no errors".to_owned() };
        let _ = writeln!(io::stderr(), "{}, {state}", output::table::count(all.len() as u64, "finding"));
    }
    if programs.count() > 0 {
        let [programs, errors] = [(programs.count(), "program"), (programs.errors(), "error")]
            .map(|(number, noun)| output::table::count(number as u64, noun));
        let _ = writeln!(io::stderr(), "{programs}, {errors}");
    }
    exit
}

/// The paths, with the folders below them if they are to be looked at; else those are left out.
fn with_folders_below(paths: &[PathBuf], recursive: bool, exit: &mut Exit) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut all, mut left_out) = (Vec::new(), Vec::new());
    for path in paths {
        all.push(path.clone());
        if !Disk.is_folder(path) {
            continue;
        }
        match mainstay_engine::folders_with_tables(path) {
            Ok(below) if recursive => all.extend(below),
            Ok(below) => left_out.extend(below),
            Err(error) => {
                complain(&error);
                *exit = (*exit).max(Exit::CannotOpen);
            }
        }
    }
    (all, left_out)
}

/// Writes every finding in these files and folders as one JSON object: `findings` of data files, `programs` with their errors,
/// `items` that are not supported, with counts, and the `folders` that were not looked at.
pub(crate) fn run_as_json(paths: &[PathBuf], engine: &Engine, recursive: bool) -> Exit {
    let mut exit = Exit::Success;
    let mut findings = Vec::new();
    let (paths_below, left_out) = with_folders_below(paths, recursive, &mut exit);
    for path in &paths_below {
        let found = checked(path, engine, &mut exit).map(|checked| checked.findings).unwrap_or_default();
        exit = exit.max(exit_of(&found.iter().collect::<Vec<_>>()));
        findings.extend(found);
    }
    let programs = checked_programs(paths, &mut exit);
    let findings = joined(findings.iter().map(as_json));
    let left_out = joined(left_out.iter().map(|path| quoted(&path.to_string_lossy())));
    let mut out = Destination::stdout();
    let written = writeln!(out, "{{\"findings\":[{findings}],{},\"folders\":[{left_out}]}}", programs.json());
    written.and_then(|()| out.finish()).map_or_else(|error| exit.max(of_output(error)), |()| exit)
}

/// The findings in data files; `None` if they cannot be read, which is reported. A program has no data.
fn checked(path: &Path, engine: &Engine, exit: &mut Exit) -> Option<Checked> {
    if is_program(path) {
        return Some(Checked { looked: Looked::default(), findings: Vec::new(), unchecked: None });
    }
    match mainstay_engine::check_what_can_be(path, &engine.options()) {
        Ok(checked) => {
            if let Some(error) = &checked.unchecked {
                let message = "the native tables were not checked, all else was: another process has them open";
                let error = Error::new(error.code(), message).at(error.place().unwrap_or_default());
                complain(&error.hint("end that process to have them checked"));
                *exit = (*exit).max(Exit::CannotOpen);
            }
            Some(checked)
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

fn exit_of(findings: &[&Finding]) -> Exit {
    let has_error = findings.iter().any(|finding| finding.severity == Severity::Error);
    if has_error { Exit::FoundErrors } else { Exit::Success }
}

fn as_json(finding: &Finding) -> String {
    let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
    let path = finding.path.to_string_lossy();
    let [path, place, message] = [path.as_ref(), finding.place.as_str(), finding.message.as_str()].map(quoted);
    format!("{{\"severity\":\"{severity}\",\"path\":{path},\"place\":{place},\"message\":{message}}}")
}
