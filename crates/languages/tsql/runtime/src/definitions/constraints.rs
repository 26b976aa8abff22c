//! SQL Server's messages for a row that violates a constraint: the statement, the constraint, the table.
//!
//! The core's error names the constraint; everything else comes from the catalog, which is read only then.

use crate::catalog::{Catalog, Detail, Object};
use crate::session::{Inner, object_name};
use crate::statements::flow::Origin;
use mainstay_engine::definitions::TableDefinition;
use mainstay_tsql_syntax::reduce::{self, Scope};
use mainstay_tsql_syntax::tree::ObjectName;
use mainstay_tsql_types::Message;
use mainstay_types::{Cause, Code, ConstraintKind, Error};
use mainstay_vm::Raised;

impl Inner {
    /// A table with its database, for messages; `table` has its schema.
    pub(crate) fn shown_table(&self, table: &str) -> String {
        let is_temporary = table.split('.').next_back().is_some_and(|name| name.starts_with(['#', '@']));
        format!("{}.{table}", if is_temporary { "tempdb" } else { &self.state.database })
    }

    /// The words for an error of a statement (`INSERT`, `ALTER TABLE`) on a table, where they depend on these.
    pub(crate) fn explained(&mut self, mut raised: Box<Raised>, statement: &str, table: &ObjectName) -> Box<Raised> {
        let explained = match &raised.source {
            Some(error) => self.explanation(error, statement, table),
            None => None,
        };
        if let Some(message) = explained {
            raised.number = message.number;
            raised.severity = message.severity;
            raised.state = message.state.into();
            raised.text = message.text;
            if raised.number == 1505 {
                raised.detail = Some(Box::new(if statement == "ALTER TABLE" { Origin::Key } else { Origin::Change }));
            }
        } else if raised.number == 2628
            && raised.source.is_some()
            && let Some((before, rest)) = raised.text.split_once("in table '")
            && let Some((name, rest)) = rest.split_once('\'')
        {
            let (name, rest) = self.as_written(name, rest);
            raised.text = format!("{before}in table '{}'{rest}", self.shown_table(&name));
        }
        raised
    }

    /// The names of a table and of its column as the catalog has them; `rest` is what follows the table's.
    fn as_written(&mut self, table: &str, rest: &str) -> (String, String) {
        let plain = || (table.to_owned(), rest.to_owned());
        let Ok(catalog) = self.catalog() else { return plain() };
        let Some(object) = catalog.find(&object_name(table)) else { return plain() };
        let Some((column, tail)) = rest.strip_prefix(", column '").and_then(|rest| rest.split_once('\'')) else {
            return plain();
        };
        let column = object.column(column).map_or(column, |known| &known.name);
        (shown(&catalog, Some(object), &object_name(table)), format!(", column '{column}'{tail}"))
    }

    fn explanation(&mut self, error: &Error, statement: &str, table: &ObjectName) -> Option<Message> {
        if error.code() == Code::InvalidValue && matches!(statement, "INSERT" | "MERGE") {
            return self.identity_overflow(error, table);
        }
        if !matches!(
            error.code(),
            Code::UniqueViolation | Code::NotNullViolation | Code::ForeignKeyViolation | Code::CheckViolation
        ) {
            return None;
        }
        let catalog = self.catalog().ok()?;
        match error.code() {
            Code::NotNullViolation => {
                let column = &error.constraint()?.name;
                let name = self.shown_table(&shown(&catalog, catalog.find(table), table));
                let word = if statement == "MERGE" { "INSERT" } else { statement };
                let text = format!(
                    "Cannot insert the value NULL into column '{column}', table '{name}'; column does not allow nulls. \
                     {word} fails."
                );
                Some(Message::error(515, text).state(2))
            }
            Code::UniqueViolation => {
                let broken = error.constraint();
                // Of a file there is a place only, whose last word names the key.
                let of_file = || error.place().unwrap_or_default().rsplit(' ').next().unwrap_or_default();
                let index = broken.map_or_else(of_file, |broken| broken.name.as_str());
                let object = catalog.find(table);
                let name = shown(&catalog, object, table);
                let key = format!("({})", key_shown(error.subject().unwrap_or_default()));
                let known = object.and_then(|object| {
                    object
                        .indexes
                        .iter()
                        .find(|known| known.name.as_deref().is_some_and(|n| n.eq_ignore_ascii_case(index)))
                });
                let is_primary = known.is_some_and(|known| known.primary)
                    || broken.is_some_and(|broken| broken.kind == ConstraintKind::PrimaryKey);
                if matches!(statement, "CREATE UNIQUE INDEX" | "ALTER TABLE") {
                    let text = format!(
                        "The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name \
                         '{name}' and the index name '{index}'. The duplicate key value is {key}."
                    );
                    return Some(Message::error(1505, text));
                }
                let of_variable = known.is_none() && reduce::is_made_up(index);
                Some(match is_primary || of_variable || known.is_some_and(|known| known.constraint) {
                    true => {
                        let kind = if is_primary { "PRIMARY KEY" } else { "UNIQUE KEY" };
                        Message::numbered(2627, &[&kind, &index, &name, &key])
                    }
                    false => Message::numbered(2601, &[&name, &index, &key]),
                })
            }
            Code::ForeignKeyViolation => self.reference(&catalog, error, statement),
            _ => self.check(&catalog, error, statement, table),
        }
    }

    fn reference(&self, catalog: &Catalog, error: &Error, statement: &str) -> Option<Message> {
        let name = error.constraint().filter(|broken| broken.kind == ConstraintKind::ForeignKey)?.name.as_str();
        let is_it = |object: &&Object| object.kind == "F" && object.name.eq_ignore_ascii_case(name);
        let Some(known) = catalog.objects.iter().find(is_it) else {
            // It was to be added, and is not in the catalog.
            let parent = catalog.find(&object_name(error.subject()?))?;
            let column = match &parent.primary_key()?.columns[..] {
                [(column, _)] => Some(parent.column_name(*column).to_owned()),
                _ => None,
            };
            return Some(self.conflict(catalog, (statement, "FOREIGN KEY", name), parent, column));
        };
        let Detail::Foreign(key) = &known.detail else { return None };
        let (child, parent) = (catalog.by_id(known.parent)?, catalog.by_id(key.referenced)?);
        let is_same = child.id == parent.id;
        let is_of_child = error.cause() == Some(Cause::NoParent);
        let kind = match (is_of_child, is_same) {
            (true, false) => "FOREIGN KEY",
            (true, true) => "FOREIGN KEY SAME TABLE",
            (false, false) => "REFERENCE",
            (false, true) => "SAME TABLE REFERENCE",
        };
        let (table, columns) = if is_of_child { (parent, &key.referenced_columns) } else { (child, &key.columns) };
        let column = match &columns[..] {
            [column] => Some(table.column_name(*column).to_owned()),
            _ => None,
        };
        Some(self.conflict(catalog, (statement, kind, &known.name), table, column))
    }

    fn check(&mut self, catalog: &Catalog, error: &Error, statement: &str, table: &ObjectName) -> Option<Message> {
        let name = error.subject()?;
        if table.last().starts_with('@') {
            return self.check_of_variable(name, statement, table);
        }
        let own = catalog.find(table);
        let named = |object: &&Object| object.kind == "C" && object.name.eq_ignore_ascii_case(name);
        let of_table = own.and_then(|own| catalog.objects.iter().filter(|object| object.parent == own.id).find(named));
        let known = of_table.or_else(|| catalog.objects.iter().find(named))?;
        let table = catalog.by_id(known.parent)?;
        let Detail::Check(text) = &known.detail else { return None };
        let columns = table.columns.iter().map(|column| column.name.as_str());
        let column = only_column(columns, text, ('[', ']'));
        Some(self.conflict(catalog, (statement, "CHECK", &known.name), table, column))
    }

    /// The same for a table variable, which is not in the catalog.
    fn check_of_variable(&mut self, name: &str, statement: &str, table: &ObjectName) -> Option<Message> {
        let names = self.names(&[]);
        let core = names.table(table).ok()?;
        let column_of = |definition: &TableDefinition| {
            let check = definition.checks.iter().find(|check| check.name.eq_ignore_ascii_case(name))?;
            let columns = definition.columns.iter().map(|column| column.name.as_str());
            only_column(columns, &check.text, ('"', '"'))
        };
        let column = names.with_definition(&core, column_of).flatten();
        Some(conflict((statement, "CHECK", name), ("tempdb", table.last()), column))
    }

    /// 547.
    fn conflict(
        &self,
        catalog: &Catalog,
        constraint: (&str, &str, &str),
        table: &Object,
        column: Option<String>,
    ) -> Message {
        let table = format!("{}.{}", catalog.schema_name(table.schema), table.name);
        conflict(constraint, (&self.state.database, &table), column)
    }
}

/// 547.
fn conflict(
    (statement, kind, name): (&str, &str, &str),
    (database, table): (&str, &str),
    column: Option<String>,
) -> Message {
    let column = column.map_or_else(String::new, |column| format!(", column '{column}'"));
    let text = format!(
        "The {statement} statement conflicted with the {kind} constraint \"{name}\". The conflict occurred in database \
         \"{database}\", table \"{table}\"{column}."
    );
    Message::error(547, text).state(0)
}

/// The column that a condition is on, if it is one: between these marks.
fn only_column<'c>(columns: impl Iterator<Item = &'c str>, text: &str, (open, close): (char, char)) -> Option<String> {
    let text = text.to_lowercase();
    let mut named = columns.filter(|name| text.contains(&format!("{open}{}{close}", name.to_lowercase())));
    match (named.next(), named.next()) {
        (Some(column), None) => Some(column.to_owned()),
        _ => None,
    }
}

/// Schema and name of a table.
fn shown(catalog: &Catalog, object: Option<&Object>, table: &ObjectName) -> String {
    match object {
        Some(object) if !object.is_temporary => format!("{}.{}", catalog.schema_name(object.schema), object.name),
        _ => format!("dbo.{}", table.last()),
    }
}

/// The values of a key without their quotes and without the types that stand before quotes, and NULL in the form that
/// messages have.
fn key_shown(key: &str) -> String {
    let mut shown = String::new();
    let mut rest = key.chars().peekable();
    let mut word = String::new();
    let mut value_start = 0;
    while let Some(next) = rest.next() {
        match next {
            '\'' => {
                // `TIMESTAMP '...'`, `X'...'`
                shown.truncate(value_start);
                shown.push_str(if std::mem::take(&mut word) == "X" { "0x" } else { "" });
                while let Some(next) = rest.next() {
                    match next {
                        '\'' if rest.peek() == Some(&'\'') => shown.extend(rest.next()),
                        '\'' => break,
                        other => shown.push(other),
                    }
                }
            }
            ',' => {
                shown.push_str(&null_shown(&std::mem::take(&mut word)));
                shown.push(',');
                shown.extend(rest.next_if_eq(&' '));
                value_start = shown.len();
            }
            ' ' => {
                shown.push_str(&null_shown(&std::mem::take(&mut word)));
                shown.push(' ');
            }
            other => word.push(other),
        }
    }
    shown.push_str(&null_shown(&word));
    shown
}

fn null_shown(word: &str) -> String {
    if word == "NULL" { "<NULL>".to_owned() } else { word.to_owned() }
}
