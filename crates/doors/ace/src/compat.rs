//! The page that lists for every entry if it is implemented and which program tests it, written from the table of
//! entries.
//!
//! The tests are found and not listed: a C program in `tests/c` that calls an entry tests it.

use std::fmt::Write;
use std::path::Path;

use mainstay_types::Result;
use mainstay_vfs::{Disk, FileSystem};

use crate::entries::{self, Entry};

/// The test programs in a folder: name and text, by name.
pub fn programs(folder: &Path) -> Result<Vec<(String, String)>> {
    let paths = Disk.list(folder)?.into_iter().map(|entry| entry.path);
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, String::from_utf8_lossy(&Disk.read(&path)?).into_owned()))
        })
        .collect()
}

/// The page. `tests` are the test programs: name and text.
pub fn text(tests: &[(String, String)]) -> String {
    let done = entries::all().filter(|entry| entry.done).count();
    let mut text = format!(
        "# The calls of the Advantage Client Engine\n\n\
         What they mean here, and how programs are linked: [ace.md](ace.md).\n\n\
         Written by `cargo run -p mainstay-ace --example compat`. Of {} entries that `libace` exports, {done} are done. \
         The others answer 5042 (AE_NOT_IMPLEMENTED) and write a line to the file that MAINSTAY_ACE_LOG names; none of \
         them pretends. The test of an entry is the C program in \
         `crates/doors/ace/tests/c` that calls it; `crates/doors/ace/tests/conformance.rs` calls all of them wrongly, too.\n",
        entries::all().count(),
    );
    for (heading, all) in entries::GROUPS {
        let _ = write!(text, "\n## {heading}\n\n| entry | state | test |\n|---|---|---|\n");
        for entry in *all {
            let state = if entry.done { "done".to_owned() } else { format!("not supported: {}", reason(entry.name)) };
            let tests = if entry.done { tests_of(entry, tests).join(", ") } else { "conformance.rs".to_owned() };
            let _ = writeln!(text, "| {} | {state} | {tests} |", entry.name);
        }
    }
    text
}

/// Why an entry is not done.
fn reason(name: &str) -> &'static str {
    match name {
        "AdsEnableEncryption"
        | "AdsEncryptRecord"
        | "AdsEncryptTable"
        | "AdsStmtEnableEncryption"
        | "AdsStmtSetTablePassword" => "the vendor's encryption is of no documented format",
        "AdsImageToClipboard" => "there is no clipboard of Windows here",
        "AdsFindServers" => "servers here do not answer the multicast that it asks by",
        "AdsGetCollationLang" | "AdsSetCollationLang" => "obsolete by its public page, which says nothing else",
        "AdsDisableUniqueEnforcement" | "AdsEnableUniqueEnforcement" => "unique keys are always kept",
        "AdsDDDeployDatabase" => "a dictionary is moved with its folder",
        "AdsBackupDatabase" | "AdsRestoreDatabase" => "folders are copied by the system's programs",
        _ => "no public page describes it",
    }
}

/// The programs that call an entry. Those that are not implemented are all called by one test, which is named once, in
/// words.
pub fn tests_of<'a>(entry: &Entry, tests: &'a [(String, String)]) -> Vec<&'a str> {
    let call = format!("{}(", entry.name);
    let calls = |text: &str| {
        text.match_indices(&call)
            .any(|(at, _)| !text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_'))
    };
    tests.iter().filter(|(_, text)| calls(text)).map(|(name, _)| name.as_str()).collect()
}
