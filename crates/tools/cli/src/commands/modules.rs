//! Procedures, functions, triggers, views and types of T-SQL: for `.schema` and `.dump`, and the command `.tsql`.
//!
//! ```text
//!   .tsql
//!   CREATE PROCEDURE ...     batches of T-SQL, each ends at a line with GO
//!   GO
//!   .end
//! ```
//!
//! A dump is a script of the prompt's SQL, with texts of T-SQL between `.tsql` and `.end`. The texts are in the order
//! of their dependencies: types, functions and views first, procedures and triggers last.
//!
//! The texts are rows of the table `sys.mainstay_modules`. Those in files below `procedures` belong to the folder, and
//! are not part of a dump.

use crate::errors::{Failure, usage};
use crate::shell::{Flow, Shell};
use crate::tokens::{self, Kind};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use mainstay_tsql_runtime::Console;
use mainstay_vfs::Disk;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The line that ends the batches of `.tsql`.
pub(crate) const END: &str = ".end";
/// The line that begins them.
pub(crate) const BEGIN: &str = ".tsql";
/// Kinds as `sys.objects` has them, in the order in which they are created if nothing else decides.
const KINDS: [&str; 9] = ["UDT", "TT", "FN", "IF", "TF", "V", "P", "TR", "TD"];
/// The kind of a row that says that a trigger is disabled.
const DISABLED: &str = "TD";

/// An object that is text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Module {
    name: String,
    /// As `sys.objects` has it.
    kind: String,
    /// Options that were off when it was made.
    off: Vec<String>,
    parent: String,
    text: String,
}

/// The objects of the database.
fn all(shell: &mut Shell) -> Result<Vec<Module>, Failure> {
    let definitions = shell.session.definitions();
    if !definitions.shared.tables.iter().any(|table| table.name == "mainstay_modules") {
        return Ok(Vec::new());
    }
    let mut modules = Vec::new();
    let batches =
        shell.query("SELECT \"key\", name, kind, parent, \"text\" FROM sys.mainstay_modules ORDER BY \"key\"")?;
    for batch in batches {
        let batch = columnar_texts(&batch);
        for row in 0..batch.first().map_or(0, Vec::len) {
            let cell = |column: usize| batch.get(column).and_then(|cells| cells.get(row)).cloned().unwrap_or_default();
            modules.extend(module([cell(0), cell(1), cell(2), cell(3), cell(4)]));
        }
    }
    Ok(modules)
}

/// The columns of a batch as texts; NULL is the empty one.
fn columnar_texts(batch: &arrow_array::RecordBatch) -> Vec<Vec<String>> {
    let text = |array: &dyn Array, row: usize| {
        let mut out = String::new();
        if let Some((array, row)) = crate::output::cell::resolve(array, row) {
            crate::output::cell::write(array, row, ' ', &mut out);
        }
        out
    };
    let column = |array: &arrow_array::ArrayRef| {
        if let Some(texts) = array.as_string_opt::<i32>() {
            return texts.iter().map(|text| text.unwrap_or_default().to_owned()).collect();
        }
        (0..array.len()).map(|row| text(array.as_ref(), row)).collect()
    };
    batch.columns().iter().map(column).collect()
}

/// The object of a row; `None` for rows that say something of columns.
fn module([key, name, kind, parent, text]: [String; 5]) -> Option<Module> {
    let mut words = kind.split_whitespace();
    let kind = words.next().filter(|kind| KINDS.contains(kind))?.to_owned();
    // A first word other than the name of a kind is "OPTION OFF".
    let off = words.filter(|word| *word != "OFF").map(str::to_owned).collect();
    let name = if kind == DISABLED { key.split_once(':')?.1.to_owned() } else { name };
    Some(Module { name, kind, off, parent, text })
}

/// The name without its schema, in lower case.
fn last_part(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).trim_matches(['[', ']', '"']).to_lowercase()
}

/// The objects in an order in which each one follows those that its text names. Procedures may name what is made later, and
/// objects that name each other stay in the order of their kinds.
fn ordered(mut modules: Vec<Module>) -> Vec<Module> {
    let rank = |module: &Module| KINDS.iter().position(|kind| *kind == module.kind).unwrap_or(KINDS.len());
    modules.sort_by_key(|module| (rank(module), module.name.to_lowercase()));
    // No text that is checked when it is made can use a procedure or a trigger.
    let places: HashMap<String, usize> = modules
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, module)| !is_checked_late(module))
        .map(|(place, module)| (last_part(&module.name), place))
        .collect();
    let (mut order, mut state) = (Vec::new(), vec![false; modules.len()]);
    for place in 0..modules.len() {
        visit(place, &modules, &places, &mut state, &mut order);
    }
    order.into_iter().filter_map(|place| modules.get(place).cloned()).collect()
}

fn visit(start: usize, modules: &[Module], places: &HashMap<String, usize>, seen: &mut [bool], order: &mut Vec<usize>) {
    // Without recursion: chains of views may be long.
    let mut stack = vec![(start, false)];
    while let Some((place, is_done)) = stack.pop() {
        if is_done {
            order.push(place);
            continue;
        }
        if std::mem::replace(&mut seen[place], true) {
            continue;
        }
        stack.push((place, true));
        let used = uses(&modules[place], places);
        stack.extend(used.into_iter().filter(|used| !seen[*used]).rev().map(|used| (used, false)));
    }
}

/// True if the names in a text are looked up when it runs.
fn is_checked_late(module: &Module) -> bool {
    matches!(module.kind.as_str(), "P" | "TR" | DISABLED)
}

/// The objects that the text of one names, in their order.
fn uses(module: &Module, places: &HashMap<String, usize>) -> Vec<usize> {
    if is_checked_late(module) {
        return Vec::new();
    }
    let words = tokens::tokens(&module.text, 0).filter(|token| !token.is_blank() && token.kind != Kind::Text);
    let named: HashSet<String> = words.map(|token| last_part(token.text(&module.text))).collect();
    let mut used: Vec<usize> = named.iter().filter_map(|name| places.get(name).copied()).collect();
    used.sort_unstable();
    used
}

/// The statements that make the objects, as batches.
fn script(modules: &[Module]) -> String {
    let mut script = String::new();
    for module in modules {
        if module.kind == DISABLED {
            let Some(owner) = modules.iter().find(|other| other.name.eq_ignore_ascii_case(&module.name)) else {
                continue;
            };
            script.push_str(&format!("DISABLE TRIGGER {} ON {};\nGO\n", owner.name, owner.parent));
            continue;
        }
        module.off.iter().for_each(|option| script.push_str(&format!("SET {option} OFF;\nGO\n")));
        script.push_str(module.text.trim());
        script.push_str("\nGO\n");
        module.off.iter().for_each(|option| script.push_str(&format!("SET {option} ON;\nGO\n")));
    }
    script
}

/// The names of the views whose text is of T-SQL, in lower case, without the schema where it is the usual one.
pub(super) fn view_names(shell: &mut Shell) -> Result<HashSet<String>, Failure> {
    let views = all(shell)?.into_iter().filter(|module| module.kind == "V");
    Ok(views.map(|module| plain(&module.name)).collect())
}

/// A name in lower case without brackets, quotes and the usual schema.
pub(super) fn plain(name: &str) -> String {
    let name = name.replace(['[', ']', '"'], "").to_lowercase();
    name.strip_prefix("dbo.").map(str::to_owned).unwrap_or(name)
}

/// Writes the objects of T-SQL as a part of a dump.
pub(super) fn dump(shell: &mut Shell) -> Result<(), Failure> {
    let modules = ordered(all(shell)?);
    if modules.is_empty() {
        return Ok(());
    }
    shell.print(&format!("{BEGIN}\n{}{END}\n", script(&modules)))
}

/// The text of the object of this name, for `.schema`.
pub(super) fn of_name(shell: &mut Shell, name: &str) -> Result<Option<String>, Failure> {
    let wanted = plain(name);
    let is_it = |module: &&Module| module.kind != DISABLED && plain(&module.name) == wanted;
    Ok(all(shell)?.iter().find(is_it).map(|module| format!("{}\n", module.text.trim())))
}

/// `.tsql FILE`, or `.tsql` with batches up to `.end`.
pub(super) fn run(shell: &mut Shell, arguments: &str) -> Result<Flow, Failure> {
    let last = arguments.lines().last().unwrap_or_default().trim();
    let script = match last.eq_ignore_ascii_case(END) {
        true => arguments.trim_end().get(..arguments.trim_end().len() - END.len()).unwrap_or_default().to_owned(),
        false if arguments.is_empty() || arguments.contains('\n') => {
            return Err(usage(".tsql takes a file, or batches in the lines up to .end"));
        }
        false => crate::script::read_file(Path::new(arguments.trim_matches(['\'', '"'])))?,
    };
    shell.flush()?;
    let path = shell.database.path().to_owned();
    let instance = crate::tsql::instance(shell.database.clone(), &path, Arc::new(Disk), None, |_| {})?;
    let mut session = instance.session();
    let interrupts = crate::interrupt::OnConsole { interactive: shell.conduct.interactive };
    let mut out = Vec::new();
    let failed = {
        let mut errors = io::stderr();
        let mut console = Console::new(&mut out, &mut errors).interrupted_by(&interrupts);
        console.script(&mut session, &script);
        console.has_failed()
    };
    shell.print(&String::from_utf8_lossy(&out))?;
    if failed { Err(shell.fail_reported()) } else { Ok(Flow::Continue) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, kind: &str, text: &str) -> Module {
        module([name.to_lowercase(), name.into(), kind.into(), String::new(), text.into()]).unwrap()
    }

    #[test]
    fn each_object_follows_those_that_it_names() {
        let modules = vec![
            row("dbo.a", "P", "CREATE PROCEDURE a AS EXEC z"),
            row("dbo.b", "FN", "CREATE FUNCTION b() RETURNS INT AS BEGIN RETURN (SELECT COUNT(*) FROM v) END"),
            row("dbo.v", "V", "CREATE VIEW v AS SELECT * FROM [w]"),
            row("dbo.w", "V", "CREATE VIEW w AS SELECT 'b' AS x"),
            row("dbo.z", "TR", "CREATE TRIGGER z ON t AFTER INSERT AS RETURN"),
            row("dbo.k", "TT", "CREATE TYPE k AS TABLE (a INT)"),
        ];
        let names: Vec<String> = ordered(modules).into_iter().map(|module| module.name).collect();
        assert_eq!(names, ["dbo.k", "dbo.w", "dbo.v", "dbo.b", "dbo.a", "dbo.z"]);
    }

    #[test]
    fn objects_that_name_each_other_are_all_there() {
        let modules = vec![row("dbo.a", "V", "SELECT * FROM b"), row("dbo.b", "V", "SELECT * FROM a")];
        assert_eq!(ordered(modules).len(), 2);
    }

    #[test]
    fn options_and_disabled_triggers_are_written() {
        let mut trigger = row("dbo.z", "TR QUOTED_IDENTIFIER OFF", "CREATE TRIGGER z ON t AFTER INSERT AS RETURN");
        trigger.parent = "dbo.t".into();
        let disabled = module(["off:dbo.z".into(), String::new(), "TD".into(), String::new(), String::new()]).unwrap();
        let wanted = "SET QUOTED_IDENTIFIER OFF;\nGO\nCREATE TRIGGER z ON t AFTER INSERT AS RETURN\nGO\n\
                      SET QUOTED_IDENTIFIER ON;\nGO\nDISABLE TRIGGER dbo.z ON dbo.t;\nGO\n";
        assert_eq!(script(&ordered(vec![disabled, trigger])), wanted);
        assert!(module(["default:x".into(), "d".into(), "D".into(), String::new(), String::new()]).is_none());
    }
}
