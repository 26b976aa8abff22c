//! Reports of `--repair` and `--replace`: the result for each damaged table.

use super::{Wishes, summary};
use crate::arguments::Engine;
use crate::complain;
use crate::exit::Exit;
use crate::output::Destination;
use crate::output::table::count;
use crate::who;
use mainstay_engine::{Finding, NewTable, Repaired, Severity};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The losses of all repairs, and the place of the new files.
#[derive(Default)]
pub(super) struct Mended {
    tables: u64,
    unread: u64,
    records: u64,
    others: u64,
    replaced: bool,
}

impl Mended {
    fn add(&mut self, new: &NewTable) {
        self.tables += 1;
        self.unread += new.unread_count;
        self.records += new.missing_records;
        self.others += files_of(&new.lost, |_| true);
    }

    /// The state of the new files, if all damage that was found is repaired.
    pub(super) fn state(&self) -> String {
        let place = if self.replaced { "in place" } else { "in its new files" };
        let losses: Vec<String> =
            [(self.unread, "value"), (self.records, "record"), (self.others, "index or memo file")]
                .into_iter()
                .filter(|(number, _)| *number > 0)
                .map(|(number, noun)| count(number, noun))
                .collect();
        match (self.tables, losses.is_empty()) {
            (0, _) => "nothing to repair".to_owned(),
            (_, true) => format!("what was damaged is sound {place}"),
            (_, false) => format!("what can be read is {place}; lost: {}", losses.join(", ")),
        }
    }
}

/// Returns true if a file is part of a rebuilt table: the table, its memo or structural index, or an index file that
/// the new table has, too. A damaged index whose definition cannot be read is not part of it, and neither are files of
/// other kinds.
fn is_made_anew(file: &Path, repaired: &[Repaired]) -> bool {
    repaired.iter().any(|Repaired { table, outcome }| {
        let Ok(new) = outcome else { return false };
        let is_sibling = || {
            let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            let is_companion = mainstay_engine::companion_extensions(table).contains(&extension.as_str());
            is_companion && file.with_extension("") == table.with_extension("")
        };
        let is_kept = || new.files.iter().any(|made| made.file_name() == file.file_name());
        file == table || is_sibling() || is_kept()
    })
}

/// Makes the damaged tables of a path anew, and says what became of each. All is sound now if every error that was found is
/// of a table, its memo or its indexes that were made anew, and nothing is wrong with the new files.
pub(super) fn repair_all(
    path: &Path,
    engine: &Engine,
    wishes: Wishes<'_>,
    found: &[Finding],
    mended: &mut Mended,
) -> io::Result<Exit> {
    let repaired = match mainstay_engine::repair(path, wishes.into, &engine.options()) {
        Ok(repaired) => repaired,
        Err(error) => {
            complain(&error);
            return Ok(Exit::FoundErrors);
        }
    };
    let mut is_sound = repaired.iter().all(|repaired| repaired.outcome.as_ref().is_ok_and(NewTable::is_sound));
    let mut left_out: Vec<&Path> = found
        .iter()
        .filter(|finding| finding.severity == Severity::Error && !is_made_anew(&finding.path, &repaired))
        .map(|finding| finding.path.as_path())
        .filter(|path| !repaired.iter().any(|repaired| repaired.outcome.is_err() && repaired.table == *path))
        .collect();
    left_out.sort();
    left_out.dedup();
    is_sound &= left_out.is_empty();
    let mut out = Destination::stdout();
    for Repaired { table, outcome } in &repaired {
        match outcome {
            Ok(new) => {
                mended.add(new);
                tell_of(&mut out, table, new, found, wishes)?;
                match (wishes.replace, new.is_sound()) {
                    (true, true) => is_sound &= put_in_place(&mut out, table, new, mended)?,
                    (true, false) => tell_why_not_in_place(&mut out, table, new)?,
                    (false, _) => {}
                }
            }
            Err(error) => writeln!(out, "not repaired: {}: {error}", table.display())?,
        }
    }
    for path in left_out {
        writeln!(out, "not repaired: {}: it is damaged, and not part of a table that was made anew", path.display())?;
    }
    out.finish()?;
    Ok(if is_sound { Exit::Success } else { Exit::FoundErrors })
}

/// The number of files that findings of this kind are about.
fn files_of(findings: &[Finding], is_counted: impl Fn(&Finding) -> bool) -> u64 {
    let files: BTreeSet<&Path> = findings.iter().filter(|one| is_counted(one)).map(|one| one.path.as_path()).collect();
    files.len() as u64
}

fn tell_of(out: &mut dyn Write, table: &Path, new: &NewTable, found: &[Finding], wishes: Wishes<'_>) -> io::Result<()> {
    let records = count(new.records, "record");
    let state = match (new.is_complete(), new.missing_records) {
        (true, _) => "nothing is lost".to_owned(),
        (false, 0) => "not all is there".to_owned(),
        (false, missing) => format!("{} fewer than the old header counts", count(missing, "record")),
    };
    writeln!(out, "repaired: {} as {}, {records}", table.display(), new.path.display())?;
    writeln!(out, "  {state}")?;
    let told = new.told.iter().filter(|finding| !found.contains(finding));
    let findings: Vec<&Finding> = told.chain(&new.unread).chain(&new.lost).chain(&new.left).collect();
    summary::write(out, &findings, wishes.verbose)?;
    if let (Some(list), false) = (&new.rejects, wishes.replace && new.is_sound()) {
        tell_of_rejects(out, new, list)?;
    }
    Ok(())
}

fn tell_of_rejects(out: &mut dyn Write, new: &NewTable, list: &Path) -> io::Result<()> {
    let values = count(new.unread_count, "value");
    writeln!(out, "  {values} that cannot be read left empty; the old bytes are in {}", list.display())
}

/// A new table that lacks indexes or memos of the old one, or has errors itself, takes its place only by hand.
fn tell_why_not_in_place(out: &mut dyn Write, table: &Path, new: &NewTable) -> io::Result<()> {
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let reason = match files_of(&new.lost, is_error) {
        0 => format!(
            "the new table has {}",
            count(new.left.iter().filter(|left| is_error(left)).count() as u64, "error")
        ),
        lost => format!("the new table lacks {} of the old one, or parts of it", count(lost, "index or memo file")),
    };
    let new = new.path.display();
    writeln!(out, "not in place: {}: {reason}, named above", table.display())?;
    writeln!(
        out,
        "  what to do: compare {new} with the old table or a backup; if it is the best there is, move its files by hand"
    )?;
    writeln!(out, "  (docs/repair.md, step 5), and create the lost indexes anew with CREATE INDEX")
}

/// Puts a new table in the place of the old one; false if that cannot be.
fn put_in_place(out: &mut dyn Write, table: &Path, new: &NewTable, mended: &mut Mended) -> io::Result<bool> {
    if let Some((process, program, file)) = who::open_elsewhere(&new.old_files()) {
        let table = table.display();
        writeln!(out, "not in place: {table}: the process {process} ({program}) has {} open", file.display())?;
        writeln!(out, "  what to do: end it, remove the new files, and run the command again")?;
        return Ok(false);
    }
    let folder = table.parent().unwrap_or(Path::new("")).join(dated("damaged", SystemTime::now()));
    match mainstay_engine::replace(table, new, &folder) {
        Ok(rejects) => {
            mended.replaced = true;
            writeln!(out, "in place: {}; the old files are in {}", table.display(), folder.display())?;
            if let Some(list) = rejects {
                tell_of_rejects(out, new, &list)?;
            }
            Ok(true)
        }
        Err(error) => {
            writeln!(out, "not in place: {}: {error}", table.display())?;
            Ok(false)
        }
    }
}

/// A name with the date and time of UTC: `damaged-20261128-041205`.
fn dated(name: &str, now: SystemTime) -> PathBuf {
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = mainstay_types::Date(i32::try_from(days).unwrap_or(0)).ymd();
    PathBuf::from(format!("{name}-{year:04}{month:02}{day:02}-{:02}{:02}{:02}", rest / 3600, rest / 60 % 60, rest % 60))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn folders_have_the_date_in_their_names() {
        let at = UNIX_EPOCH + Duration::from_secs(1_795_838_400 + 3 * 3600 + 62);
        assert_eq!(dated("damaged", at), PathBuf::from("damaged-20261128-070102"));
    }
}
