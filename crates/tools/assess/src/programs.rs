//! Programs in Business BASIC: what the parser and the compiler of the dialect refuse, and directives that work in part.
//!
//! A directive is known by its name as the printer of the dialect writes it. Limit: functions, options and mnemonics that work
//! in part are on the page only.

use crate::report::{File, Report, supported};
use crate::{Dialect, collect};
use mainstay_basic_syntax::inventory::{DIRECTIVES, State};
use mainstay_basic_syntax::print::statement;
use mainstay_basic_syntax::tree::{Directive, Kind, Line, Place};
use mainstay_types::compatibility::{Occurrence, Support};
use mainstay_vfs::FileSystem;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

mainstay_types::constructs! {
    ITEM "item" NotSupported:
        "An item of the language that is not supported",
        "Error 99 when the statement is reached; the program loads.",
        "Rewrite the statement; the page lists the items.",
        "";
    PARTIAL "partial-item" ReviewSemantics:
        "A directive of which some forms are refused or have no effect",
        "The page of the language says for each which forms work.",
        "Look at the statements.",
        "";
    PROGRAM "program" NotSupported:
        "A statement that cannot be read, or a target that does not exist",
        "Its error is raised when the statement is reached; the program loads.",
        "Correct the statement. A compiled program has to be listed to a text file first.",
        "";
}

/// Assesses programs.
pub(crate) fn assess(fs: &dyn FileSystem, paths: &BTreeSet<PathBuf>, report: &mut Report) {
    for path in paths {
        let source = match collect::content(fs, path) {
            Ok(source) => source,
            Err(reason) => {
                report.unread.push((path.clone(), reason));
                continue;
            }
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let errors = mainstay_basic::check(&name, &source);
        let lines = mainstay_basic_syntax::parse(&mainstay_code_page::import(&source)).lines;
        // Lines are in the order of their numbers, which need not be that of the text.
        let numbers: HashMap<u32, u64> = lines.iter().map(|line| line.place.line).zip(0..).collect();
        let mut found = Vec::new();
        for (number, line) in (0..).zip(&lines) {
            for directive in &line.directives {
                look_at(directive, &mut |name, place| {
                    found.push(Occurrence { statement: Some(number), ..Occurrence::new(&PARTIAL, name, place.line) });
                });
            }
        }
        for error in errors {
            let (construct, subject) = match error.item() {
                Some(item) => (&ITEM, item.to_owned()),
                None => (&PROGRAM, error.message.clone()),
            };
            debug_assert_eq!(construct.support, Support::NotSupported);
            let (line, code) = (error.place.line, Some(i32::from(error.code)));
            let statement = numbers.get(&line).copied();
            found.push(Occurrence { construct, subject: subject.into(), code, line, statement });
        }
        let (statements, note) = (lines.len() as u64, String::new());
        let supported = supported(statements, &found);
        report.files.push(File { path: path.clone(), dialect: Dialect::Basic, statements, supported, note });
        found.into_iter().for_each(|occurrence| report.add(Dialect::Basic, path, occurrence));
    }
}

/// Tells of a directive, and of those behind THEN and ELSE, that work in part.
fn look_at(directive: &Directive, tell: &mut dyn FnMut(&'static str, Place)) {
    if let Kind::If { then, otherwise, .. } = &directive.kind {
        then.iter().chain(otherwise).for_each(|inner| look_at(inner, tell));
        return;
    }
    let line = Line { number: 0, place: directive.place, label: None, bytes: 0, directives: vec![directive.clone()] };
    let text = statement(&line);
    let begins = |name: &str| {
        let rest = text.strip_prefix(name.as_bytes());
        rest.is_some_and(|rest| !rest.first().is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'_'))
    };
    let partial = DIRECTIVES.iter().filter(|item| item.state == State::Partial);
    if let Some(item) = partial.filter(|item| begins(item.name)).max_by_key(|item| item.name.len()) {
        tell(item.name, directive.place);
    }
}
