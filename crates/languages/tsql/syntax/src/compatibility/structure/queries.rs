//! Queries, changes and expressions: their sources, names and hints.

use super::super::constructs as rows;
use super::super::names::is_of_system;
use super::{SPATIAL, SYSTEM_DATABASES, Structure, first_word, shown};
use crate::tree::*;
use mainstay_syntax::Span;

/// Hints of tables that work.
const KEPT_HINTS: [&str; 11] = [
    "UPDLOCK",
    "XLOCK",
    "TABLOCKX",
    "HOLDLOCK",
    "READPAST",
    "NOWAIT",
    "READCOMMITTED",
    "READCOMMITTEDLOCK",
    "KEEPIDENTITY",
    "SNAPSHOT",
    "IGNORE_DUP_KEY",
];
/// Counters and constants of the server.
const FACTS: [&str; 12] = [
    "@@version",
    "@@cpu_busy",
    "@@idle",
    "@@io_busy",
    "@@connections",
    "@@pack_sent",
    "@@pack_received",
    "@@packet_errors",
    "@@total_read",
    "@@total_write",
    "@@total_errors",
    "@@microsoftversion",
];
/// Conditions joined by OR that take long to plan.
const MANY: usize = 200;

impl Structure<'_> {
    pub(super) fn query(&mut self, query: &Query) {
        self.query_hints(&query.hints);
        if let Some(Format::Xml(_, _, directives)) = &query.format {
            for directive in directives {
                if directive.starts("XMLSCHEMA") || directive.starts("XMLDATA") {
                    self.here(&rows::XML_DIRECTIVE, first_word(directive));
                }
            }
        }
    }

    fn query_hints(&mut self, hints: &[Phrase]) {
        for hint in hints.iter().filter(|hint| !hint.starts("MAXRECURSION")) {
            let span = match hint.items.first() {
                Some(PhraseItem::Word(word)) => word.span,
                _ => Span::default(),
            };
            self.add(&rows::QUERY_HINT, leading_words(hint), span);
        }
    }

    pub(super) fn change(&mut self, change: &Change) {
        let hints = match change {
            Change::Insert(insert) => &insert.hints,
            Change::Update(update) => &update.hints,
            Change::Delete(delete) => &delete.hints,
            Change::Merge(merge) => &merge.hints,
        };
        self.enter(!matches!(change, Change::Insert(_)));
        self.query_hints(hints);
    }

    pub(super) fn source(&mut self, source: &Source) {
        match source {
            Source::Table(table) => {
                self.table(&table.name);
                self.hints(table.hints.iter());
                if table.system_time.is_some() {
                    self.add(&rows::TEMPORAL, "FOR SYSTEM_TIME", table.name.span);
                }
                if table.sample.is_some() {
                    self.add(&rows::TABLESAMPLE, "TABLESAMPLE", table.name.span);
                }
            }
            Source::OpenRowset(phrase, ..) => {
                let says_single = |item: &PhraseItem| match item {
                    PhraseItem::Group(parts) => parts.iter().any(|part| first_word(part).starts_with("SINGLE_")),
                    _ => false,
                };
                if !phrase.items.iter().any(says_single) {
                    self.here(&rows::OPENROWSET, "OPENROWSET of this form");
                }
            }
            Source::Function(value, ..) => self.row_function(value),
            Source::Join(join) => {
                if let Some(hint) = &join.hint {
                    self.add(&rows::JOIN_HINT, hint.text.to_uppercase(), hint.span);
                }
            }
            _ => {}
        }
    }

    fn row_function(&mut self, value: &Expr) {
        let Expr::Call(call) = value else { return };
        let last = call.name.last().to_lowercase();
        let schema = call.name.parts.len().checked_sub(2).and_then(|place| call.name.parts.get(place));
        match last.as_str() {
            "openquery" | "opendatasource" => self.add(&rows::LINKED_SERVER, last.to_uppercase(), call.name.span),
            "containstable" | "freetexttable" => self.add(&rows::FULL_TEXT, last.to_uppercase(), call.name.span),
            _ if schema.is_some_and(|schema| schema.is("sys")) && !is_of_system("function", &last) => {
                self.add(&rows::SYSTEM_VIEW, format!("sys.{last}"), call.name.span);
            }
            _ => {}
        }
    }

    pub(super) fn table(&mut self, name: &ObjectName) {
        let part = |from_end: usize| {
            let place = name.parts.len().checked_sub(from_end);
            place.and_then(|place| name.parts.get(place)).map_or(String::new(), |part| part.text.to_lowercase())
        };
        let (last, schema, database) = (part(1), part(2), part(3));
        if name.parts.len() == 4 && !part(4).is_empty() {
            self.add(&rows::LINKED_SERVER, shown(name), name.span);
        } else if matches!(schema.as_str(), "sys" | "information_schema") {
            if !is_of_system("view", &format!("{schema}.{last}")) {
                self.add(&rows::SYSTEM_VIEW, format!("{schema}.{last}"), name.span);
            }
        } else if database == "msdb" {
            self.add(&rows::SYSTEM_VIEW, format!("msdb.{schema}.{last}"), name.span);
        } else if !database.is_empty() && !SYSTEM_DATABASES.contains(&database.as_str()) {
            self.add(&rows::OTHER_DATABASE, database, name.span);
        }
    }

    pub(super) fn hints<'h>(&mut self, hints: impl Iterator<Item = &'h Phrase>) {
        for hint in hints {
            let span = match hint.items.first() {
                Some(PhraseItem::Word(word)) => word.span,
                _ => Span::default(),
            };
            let word = first_word(hint);
            match word.as_str() {
                "NOLOCK" | "READUNCOMMITTED" => self.add(&rows::READ_UNCOMMITTED, word, span),
                "SERIALIZABLE" | "REPEATABLEREAD" => self.add(&rows::SERIALIZABLE, word, span),
                kept if KEPT_HINTS.contains(&kept) => {}
                _ => self.add(&rows::TABLE_HINT, word, span),
            }
        }
    }

    pub(super) fn expression(&mut self, value: &Expr) {
        match value {
            Expr::FullText(search) => {
                self.here(&rows::FULL_TEXT, if search.free { "FREETEXT" } else { "CONTAINS" });
            }
            Expr::Call(call)
                if call.name.parts.len() > 1
                    && self.innermost().in_rows
                    && self.names.is_scalar_function(&call.name) =>
            {
                self.add(&rows::SCALAR_FUNCTION, shown(&call.name), call.name.span);
            }
            Expr::Or(parts) if parts.len() > MANY => self.here(&rows::MANY_CONDITIONS, ""),
            Expr::Variable(name) if FACTS.iter().any(|fact| name.is(fact)) => {
                self.add(&rows::SERVER_FACTS, name.text.to_lowercase(), name.span);
            }
            Expr::Collate(_, name) => self.collation(name),
            Expr::TypeMethod(name, ..) if SPATIAL.iter().any(|of| name.is(of)) => {
                self.add(&rows::SPATIAL, format!("The type {}", name.last().to_lowercase()), name.span);
            }
            _ => {}
        }
    }
}

/// The words at the beginning of a phrase in capitals: `OPTIMIZE FOR`.
fn leading_words(phrase: &Phrase) -> String {
    let words = phrase.items.iter().map_while(|item| match item {
        PhraseItem::Word(word) => Some(word.text.to_uppercase()),
        _ => None,
    });
    words.collect::<Vec<_>>().join(" ")
}
