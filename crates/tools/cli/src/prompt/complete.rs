//! Completion of the text at the cursor.
//!
//! At the start of a line, the names of commands. After a command, its kind of argument: a table, a format, a file. In
//! a statement, by the word before: tables after FROM and JOIN, otherwise the columns of the tables that the statement
//! names, then functions, keywords, tables, and last the columns of all other tables. After `t.` the columns of `t`,
//! which may be an alias.
//!
//! The catalog is read at most every two seconds, so that a new file is found and typing stays fast. The session's
//! temporary tables come from the prompt, which lists them before each line.

use crate::commands::{self, COMMANDS, Takes};
use crate::tokens::{self, Kind, Token, typed_name};
use mainstay_engine::{Database, TableInfo};
use mainstay_vfs::FileSystem;
use reedline::{CompletionResult, Span, Suggestion};
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const CATALOG_LIVES: Duration = Duration::from_secs(2);

/// More suggestions than this are no help.
const MOST: usize = 200;

/// Tables and columns by name, as they were a moment ago.
pub(super) struct Catalog {
    database: Option<Database>,
    read: Option<Instant>,
    /// The permanent tables.
    shared: Vec<Named>,
    /// The session's temporary tables, and the permanent ones that they do not hide.
    tables: Vec<Named>,
    session: OfSession,
}

/// A table and its columns by name.
pub(super) type Named = (String, Vec<String>);

/// The session's state for completion, as the prompt last set it.
#[derive(Default)]
pub(super) struct Known {
    /// The name of the table in use.
    pub(super) in_use: Option<String>,
    /// Its temporary tables.
    pub(super) own: Vec<Named>,
}

/// The state that the prompt sets.
pub(super) type OfSession = Arc<Mutex<Known>>;

impl Catalog {
    /// The catalog of a database.
    pub(super) fn new(database: Database, session: OfSession) -> Catalog {
        Catalog { database: Some(database), read: None, shared: Vec::new(), tables: Vec::new(), session }
    }

    #[cfg(test)]
    fn of(shared: Vec<Named>, own: Vec<Named>) -> Catalog {
        let session = Arc::new(Mutex::new(Known { in_use: None, own }));
        Catalog { database: None, read: None, shared, tables: Vec::new(), session }
    }

    fn refresh(&mut self) {
        let is_old = self.read.is_none_or(|read| read.elapsed() >= CATALOG_LIVES);
        if let Some(database) = self.database.as_ref().filter(|_| is_old) {
            // While the folder cannot be read, what was there before must do.
            if let Ok(tables) = database.tables() {
                self.shared = tables.into_iter().map(entry).collect();
            }
            self.read = Some(Instant::now());
        }
        self.tables = self.session.lock().unwrap_or_else(PoisonError::into_inner).own.clone();
        let own = self.tables.len();
        for table in &self.shared {
            if !self.tables.iter().take(own).any(|known| known.0.eq_ignore_ascii_case(&table.0)) {
                self.tables.push(table.clone());
            }
        }
    }

    fn in_use(&self) -> Option<&Named> {
        let name = self.session.lock().unwrap_or_else(PoisonError::into_inner).in_use.clone();
        self.table(&name?)
    }

    fn table(&self, name: &str) -> Option<&Named> {
        self.tables.iter().find(|(table, _)| table.eq_ignore_ascii_case(name))
    }
}

/// A table by name, with its columns.
pub(super) fn entry(table: TableInfo) -> Named {
    (table.name, table.columns.into_iter().map(|column| column.name).collect())
}

/// Suggests names.
pub(super) struct Completer {
    catalog: Catalog,
}

/// A suggestion before it is put in its place.
struct Candidate {
    value: String,
    about: &'static str,
}

fn candidate(about: &'static str) -> impl Fn(&str) -> Candidate {
    move |value| Candidate { value: value.to_owned(), about }
}

impl Completer {
    pub(super) fn new(catalog: Catalog) -> Completer {
        Completer { catalog }
    }

    /// Where the word under the cursor starts, and what it may become. `text` ends at the cursor, `after`
    /// begins there.
    fn candidates(&mut self, text: &str, after: &str) -> (usize, Vec<Candidate>) {
        self.catalog.refresh();
        let line_start = text.rfind('\n').map_or(0, |at| at + 1);
        let line = &text[line_start..];
        let begins_piece = crate::script::is_complete(&text[..line_start]);
        if begins_piece && let Some((start, candidates)) = self.in_command(line) {
            return (line_start + start, candidates);
        }
        self.in_statement(text, after, begins_piece && !line.trim_start().contains(char::is_whitespace))
    }

    /// Inside of a command, or of the name of one that starts with a dot or a backslash.
    fn in_command(&self, line: &str) -> Option<(usize, Vec<Candidate>)> {
        let dotted = line.starts_with(['.', '\\']);
        if dotted && !line.contains(char::is_whitespace) {
            let names = COMMANDS.iter().flat_map(|command| {
                command.names.iter().map(|name| Candidate { value: (*name).to_owned(), about: command.summary })
            });
            return Some((0, names.filter(|name| name.value.starts_with(['.', '\\'])).collect()));
        }
        if !line.contains(char::is_whitespace) {
            return None;
        }
        let (command, _) = commands::find(line)?;
        let start = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let tables =
            || self.catalog.tables.iter().map(|(name, _)| Candidate { value: typed_name(name), about: "table" });
        let fixed = |values: &[&str]| values.iter().map(|value| candidate("")(value)).collect::<Vec<_>>();
        Some(match command.takes {
            Takes::Nothing => (start, Vec::new()),
            Takes::Table => (start, tables().collect()),
            Takes::OnOff => (start, fixed(&["on", "off"])),
            Takes::Format => (start, formats()),
            Takes::Command => (
                start,
                COMMANDS
                    .iter()
                    .map(|command| Candidate { value: command.names[0].to_owned(), about: command.summary })
                    .collect(),
            ),
            Takes::Setting => return None,
            Takes::File => files(line, start),
            Takes::Sql => return None,
        })
    }

    fn in_statement(&self, text: &str, after: &str, may_be_command: bool) -> (usize, Vec<Candidate>) {
        let all: Vec<Token> = tokens::tokens(text, 0).collect();
        let Some(start) = name_start(text, all.last()) else { return (text.len(), Vec::new()) };
        let whole = statement_around(text, after);
        let before: Vec<&Token> = all.iter().filter(|token| token.range.end <= start && !token.is_blank()).collect();
        if let Some(columns) = self.after_dot(text, &whole, &before) {
            return (start, columns);
        }
        let tables = self.catalog.tables.iter().map(|(name, _)| Candidate { value: typed_name(name), about: "table" });
        if before.last().is_some_and(|token| wants_table(token.text(text))) {
            return (start, tables.collect());
        }
        let named = self.named_tables(&whole);
        let column = |name: &String| Candidate { value: typed_name(name), about: "column" };
        let mut candidates = Vec::new();
        if may_be_command {
            candidates.extend(xbase_names());
        }
        candidates.extend(named.iter().flat_map(|(_, columns)| columns.iter().map(column)));
        candidates.extend(mainstay_engine::functions().iter().map(|name| candidate("function")(name)));
        candidates.extend(mainstay_engine::keywords().iter().map(|name| candidate("")(name)));
        candidates.extend(tables);
        if named.is_empty() {
            candidates.extend(self.catalog.tables.iter().flat_map(|(_, columns)| columns.iter().map(column)));
        }
        (start, candidates)
    }

    /// The columns of `t` after `t.`.
    fn after_dot(&self, text: &str, whole: &str, before: &[&Token]) -> Option<Vec<Candidate>> {
        let [.., name, dot] = before else { return None };
        if dot.text(text) != "." || name.range.end != dot.range.start {
            return None;
        }
        let name = unquoted(name.text(text));
        let table = self.catalog.table(&name).or_else(|| self.catalog.table(&aliased(whole, &name)?));
        let columns = table.map(|(_, columns)| columns.as_slice()).unwrap_or_default();
        Some(columns.iter().map(|column| Candidate { value: typed_name(column), about: "column" }).collect())
    }

    /// The tables that the statement names, before or after the cursor; the one in use when it names none.
    fn named_tables(&self, text: &str) -> Vec<&Named> {
        let mut seen = HashSet::new();
        let named: Vec<_> = tokens::tokens(text, 0)
            .filter(is_name)
            .filter_map(|token| self.catalog.table(&unquoted(token.text(text))))
            .filter(|(name, _)| seen.insert(name.clone()))
            .collect();
        if named.is_empty() { self.catalog.in_use().into_iter().collect() } else { named }
    }

    /// The suggestions where `text` ends and `after` begins.
    fn suggest(&mut self, text: &str, after: &str) -> Vec<Suggestion> {
        let (start, candidates) = self.candidates(text, after);
        let typed = text[start..].trim_start_matches('"').to_lowercase();
        let fits = |candidate: &Candidate| candidate.value.trim_start_matches('"').to_lowercase().starts_with(&typed);
        let mut seen = HashSet::new();
        candidates
            .into_iter()
            .filter(fits)
            .filter(|candidate| seen.insert(candidate.value.to_lowercase()))
            .take(MOST)
            .map(|candidate| Suggestion {
                append_whitespace: !candidate.value.ends_with('/'),
                value: candidate.value,
                description: (!candidate.about.is_empty()).then(|| candidate.about.to_owned()),
                span: Span::new(start, text.len()),
                ..Suggestion::default()
            })
            .collect()
    }
}

impl reedline::Completer for Completer {
    fn complete(&mut self, line: &str, position: usize) -> CompletionResult {
        let (text, after) = line.split_at_checked(position).unwrap_or((line, ""));
        CompletionResult::fresh(self.suggest(text, after))
    }
}

/// Where the name that is being typed starts; nothing where no name can stand.
fn name_start(text: &str, last: Option<&Token>) -> Option<usize> {
    let Some(last) = last else { return Some(text.len()) };
    match last.kind {
        Kind::Number => None,
        Kind::Text | Kind::Comment if !last.closed => None,
        Kind::Word => Some(last.range.start),
        Kind::QuotedName if !last.closed => Some(last.range.start),
        _ => Some(text.len()),
    }
}

/// The statement that the cursor is in, from the semicolon before it to the one after it.
fn statement_around(text: &str, after: &str) -> String {
    let is_end = |text: &str, token: &Token| token.text(text) == ";";
    let start = tokens::tokens(text, 0).filter(|token| is_end(text, token)).last().map_or(0, |token| token.range.end);
    let end = tokens::statement_end(after, 0).unwrap_or(after.len());
    format!("{}{}", &text[start..], &after[..end])
}

fn is_name(token: &Token) -> bool {
    matches!(token.kind, Kind::Word | Kind::QuotedName)
}

fn wants_table(word: &str) -> bool {
    ["from", "join", "table", "describe"].iter().any(|before| word.eq_ignore_ascii_case(before))
}

/// The table that an alias stands for: the name before it, with or without AS.
fn aliased(text: &str, alias: &str) -> Option<String> {
    let words: Vec<Token> = tokens::tokens(text, 0).filter(|token| !token.is_blank()).collect();
    words.windows(3).find_map(|found| {
        let [first, second, third] = found else { return None };
        let with_as = second.text(text).eq_ignore_ascii_case("as");
        let after_from = wants_table(first.text(text)) || first.text(text) == ",";
        let name = if with_as { first } else { second };
        let stands_for = unquoted(third.text(text)).eq_ignore_ascii_case(alias) && is_name(name);
        (stands_for && (with_as || after_from)).then(|| unquoted(name.text(text)))
    })
}

fn unquoted(name: &str) -> String {
    name.trim_matches('"').replace("\"\"", "\"")
}

fn xbase_names() -> Vec<Candidate> {
    let rows = COMMANDS.iter().filter(|command| command.is_xbase());
    rows.flat_map(|command| {
        command.names.iter().map(|name| Candidate { value: (*name).to_owned(), about: command.summary })
    })
    .collect()
}

fn formats() -> Vec<Candidate> {
    use clap::ValueEnum;
    let values = crate::output::Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    values.map(|value| candidate("")(value.get_name())).collect()
}

/// The files that a path may become, and where its last part starts.
fn files(line: &str, start: usize) -> (usize, Vec<Candidate>) {
    let start = start + line[start..].find(|character| !matches!(character, '\'' | '"')).unwrap_or(0);
    let typed = &line[start..];
    let (folder, name_start) = match typed.rfind('/') {
        Some(slash) => (&typed[..=slash], start + slash + 1),
        None => ("./", start),
    };
    let entries = mainstay_vfs::Disk.list(Path::new(folder)).unwrap_or_default();
    let file = |entry: mainstay_vfs::Entry| {
        let name = entry.path.file_name()?.to_str()?;
        let hidden = name.starts_with('.') && !line[name_start..].starts_with('.');
        let value = if entry.is_folder { format!("{name}/") } else { name.to_owned() };
        (!hidden).then_some(Candidate { value, about: "" })
    };
    (name_start, entries.into_iter().filter_map(file).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(text: &str) -> Vec<String> {
        let table =
            |name: &str, columns: &[&str]| (name.to_owned(), columns.iter().map(|&column| column.to_owned()).collect());
        let mut tables = vec![table("customers", &["id", "name", "city"]), table("Order Lines", &["order_id", "name"])];
        if text.to_lowercase().contains("led") {
            tables.push(table("Ledger", &["BALANCE", "ORDER"]));
        }
        let own = vec![table("basket", &["item"]), table("Customers", &["own_id"])];
        let own = if text.contains("basket") { own } else { Vec::new() };
        let mut completer = Completer::new(Catalog::of(tables, own));
        let (text, after) = text.split_once('|').unwrap_or((text, ""));
        completer.suggest(text, after).into_iter().map(|suggestion| suggestion.value).collect()
    }

    #[test]
    fn tables_follow_from() {
        assert_eq!(suggested("SELECT * FROM "), ["customers", "\"Order Lines\""]);
        assert_eq!(suggested("SELECT * FROM cu"), ["customers"]);
        assert_eq!(suggested("SELECT * FROM \"ord"), ["\"Order Lines\""]);
        assert_eq!(suggested("USE c"), ["customers"]);
        assert_eq!(suggested("\\d cus"), ["customers"]);
    }

    #[test]
    fn columns_of_named_tables_come_first() {
        assert_eq!(suggested("SELECT 1 FROM customers WHERE ")[..3], ["id", "name", "city"]);
        let suggestions = suggested("SELECT 1; SELECT c| FROM customers; SELECT 2");
        assert!(suggestions[0] == "city" && suggestions.iter().any(|word| word == "count"), "{suggestions:?}");
        assert_eq!(suggested("SELECT c.c| FROM customers AS c"), ["city"]);
        assert_eq!(suggested("SELECT 1 FROM customers AS c WHERE c.n"), ["name"]);
        assert_eq!(suggested("SELECT 1 FROM \"Order Lines\" o WHERE o."), ["order_id", "name"]);
        assert_eq!(
            suggested("SELECT 1 FROM customers WHERE id = 1; SELECT order"),
            ["ORDER", "\"Order Lines\"", "order_id"]
        );
    }

    #[test]
    fn the_sessions_own_tables_come_first() {
        assert_eq!(suggested("SELECT * FROM basket; SELECT * FROM ba"), ["basket"]);
        assert_eq!(suggested("SELECT | FROM basket")[..1], ["item"]);
        assert_eq!(suggested("SELECT 'basket', c.| FROM customers c"), ["own_id"]);
        assert_eq!(suggested("SELECT 'basket' FROM "), ["basket", "Customers", "\"Order Lines\""]);
    }

    #[test]
    fn capitals_need_no_quotes_and_reserved_words_do() {
        assert_eq!(suggested("SELECT bal| FROM \"Ledger\"")[..1], ["BALANCE"]);
        assert_eq!(suggested("SELECT ord| FROM \"Ledger\"")[..1], ["\"ORDER\""]);
        assert_eq!(suggested("SELECT * FROM led"), ["Ledger"]);
    }

    #[test]
    fn commands_and_their_arguments() {
        assert_eq!(suggested(".ta"), [".tables"]);
        assert_eq!(suggested(".timer o"), ["on", "off"]);
        assert_eq!(suggested(".mode nd"), ["ndjson"]);
        assert!(suggested("DIS").contains(&"DISPLAY STRUCTURE".to_owned()));
        assert_eq!(suggested("LIST FOR x = 'from "), [] as [&str; 0]);
    }

    #[test]
    fn no_text_breaks_it() {
        let text = "SELECT c.\"é\" , 'x' FROM \"Order Lines\" /* */ -- \n.import ~/漢 'a";
        for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            let _ = suggested(&text[..end]);
        }
    }
}
