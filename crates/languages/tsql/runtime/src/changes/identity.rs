//! Identity columns: the table that takes explicit numbers, the next number, and `DBCC CHECKIDENT`.
//!
//! The core's sequence behind a column contains the next number. T-SQL has the *current* one, the last that was given:
//! `next - increment`, or the seed while there was none. A number that a statement gives itself (`SET IDENTITY_INSERT t
//! ON`) becomes the current one when it is beyond it.

use crate::session::scope::core_name;
use crate::session::{Inner, object_name};
use crate::statements::errors::{raised, raised_error};
use crate::statements::runner::Runner;
use mainstay_engine::Identity;
use mainstay_tsql_syntax::reduce::{ReducedChange, Scope, quoted};
use mainstay_tsql_syntax::tree::{Insert, InsertRows, Literal, ObjectName, Phrase, PhraseItem, Target};
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::{Cause, Error, Value};
use mainstay_vm::Raised;

/// The action of `DBCC CHECKIDENT`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    /// Only to say where the numbers are.
    Look,
    /// To go on behind the greatest number of the table, if that is beyond the current one.
    Mend,
    /// To go on from this number.
    Reseed(i64),
}

impl Inner {
    /// The key by which the core knows a table, temporary or not.
    fn identity_key(&mut self, name: &ObjectName) -> Option<String> {
        let text = self.names(&[]).table(name).ok()?;
        Some(text.replace('"', ""))
    }

    /// The last number that a table's identity column has given, or its seed; `None` without such a column.
    pub(crate) fn current_identity(&mut self, table: &ObjectName) -> Option<i64> {
        let key = self.identity_key(table)?;
        self.core.identity(&key).ok().flatten().map(current)
    }

    /// Takes note of numbers that a statement gave itself: the numbers go on behind them.
    pub(crate) fn given_identity(&mut self, table: &ObjectName, given: impl Iterator<Item = i64>) {
        let Some(key) = self.identity_key(table) else { return };
        let Ok(Some(identity)) = self.core.identity(&key) else { return };
        let farthest = if identity.increment < 0 { given.min() } else { given.max() };
        if let Some(next) = farthest.and_then(|value| value.checked_add(identity.increment))
            && identity.next.is_some_and(|known| if identity.increment < 0 { next < known } else { next > known })
        {
            // A number that is beyond the bounds of the column has not been stored either.
            let _ = self.core.set_identity(&key, next);
        }
    }

    /// Returns true if statements supply the identity values of this table.
    pub(crate) fn gives_identity(&self, table: &ObjectName) -> bool {
        self.state.identity_insert.as_deref().is_some_and(|open| table.last().eq_ignore_ascii_case(open))
    }

    /// Refuses an INSERT that gives an identity column a number without naming its columns.
    ///
    /// Errors: 8101.
    pub(crate) fn check_named_columns(&mut self, insert: &Insert) -> Result<(), Box<Raised>> {
        let (Target::Table(table, _), true) = (&insert.target, insert.columns.is_empty()) else { return Ok(()) };
        let columns = self.names(&[]).columns(table).unwrap_or_default();
        let stored = columns.iter().filter(|column| !column.is_computed).count();
        let gives_all = match &insert.rows {
            InsertRows::Values(rows) => rows.iter().any(|row| row.len() == stored),
            InsertRows::Default => false,
            _ => self.gives_identity(table),
        };
        if gives_all && columns.iter().any(|column| column.is_identity) {
            let text = format!(
                "An explicit value for the identity column in table '{}' can only be specified when a column list is used \
                 and IDENTITY_INSERT is ON.",
                table.last()
            );
            return Err(raised(Message::error(8101, text)));
        }
        Ok(())
    }

    /// SET IDENTITY_INSERT: which table takes given numbers. One at a time.
    ///
    /// Errors: 1088 without the table, 8106 without an identity column, 8107 while another table takes them.
    pub(crate) fn set_identity_insert(&mut self, table: &str, on: bool) -> Result<(), Box<Raised>> {
        let name = object_name(table);
        let last = name.last().to_owned();
        let known = self.identity_key(&name).filter(|key| matches!(self.core.changeable_columns(key), Ok(Some(_))));
        let Some(key) = known else {
            let text =
                format!("Cannot find the object \"{table}\" because it does not exist or you do not have permissions.");
            return Err(raised(Message::error(1088, text).state(11)));
        };
        if self.core.identity(&key).map_err(raised_error)?.is_none() {
            let text = format!("Table '{last}' does not have the identity property. Cannot perform SET operation.");
            return Err(raised(Message::error(8106, text)));
        }
        let open = self.state.identity_insert.as_deref();
        let is_open = open.is_some_and(|open| open.eq_ignore_ascii_case(&last));
        if let (true, false, Some(open)) = (on, is_open, open) {
            let text = format!(
                "IDENTITY_INSERT is already ON for table '{}.dbo.{open}'. Cannot perform SET operation for table '{last}'.",
                self.state.database
            );
            return Err(raised(Message::error(8107, text)));
        }
        if on || is_open {
            self.state.identity_insert = on.then_some(last);
            self.state.names_changed();
        }
        Ok(())
    }
}

impl Inner {
    /// The message for an error of the core at the end of an identity column's type; `None` for any other error.
    pub(crate) fn identity_overflow(&mut self, error: &Error, table: &ObjectName) -> Option<Message> {
        if error.dialect().is_some() {
            return None;
        }
        let columns = self.names(&[]).columns(table)?;
        let column = columns.iter().find(|column| column.is_identity)?;
        let name = column.name.to_lowercase();
        let is_its_own = match error.cause() {
            Some(Cause::UsedUp) => error.subject().is_some_and(|subject| subject.ends_with(&format!("_{name}_seq"))),
            Some(Cause::OutOfRange) => error.place().is_some_and(|place| place.to_lowercase().ends_with(&name)),
            _ => false,
        };
        is_its_own.then(|| too_great(column.data_type))
    }
}

/// 8115: an identity that the type of its column does not have.
fn too_great(data_type: DataType) -> Message {
    let name = match data_type {
        DataType::Decimal { .. } => "numeric",
        other => other.name(),
    };
    Message::error(8115, format!("Arithmetic overflow error converting IDENTITY to data type {name}."))
}

/// Sees that the identities of new rows are of the column's type where the core keeps others as well.
///
/// Errors: 8115.
pub(crate) fn check_identities(change: &ReducedChange, rows: &[Vec<Value>]) -> Result<(), Box<Raised>> {
    let Some(place) = change.identity.filter(|_| change.narrow_identity) else { return Ok(()) };
    let is_beyond = |row: &Vec<Value>| row.get(place).and_then(number_of).is_some_and(|id| u8::try_from(id).is_err());
    if rows.iter().any(is_beyond) { Err(raised(too_great(DataType::TinyInt))) } else { Ok(()) }
}

impl Runner<'_> {
    /// `DBCC CHECKIDENT`.
    ///
    /// Errors: 2501 without the table, 7997 without an identity column, and those of a number that the column cannot give.
    pub(crate) fn check_identity(&mut self, arguments: &[Phrase], is_quiet: bool) -> Result<(), Box<Raised>> {
        let table = arguments.first().map(table_of).unwrap_or_default();
        let name = object_name(&table);
        let key = self.inner.identity_key(&name);
        let key = key.filter(|key| matches!(self.inner.core.changeable_columns(key), Ok(Some(_))));
        let Some(key) = key else {
            let text = format!("Cannot find a table or object with the name \"{table}\". Check the system catalog.");
            return Err(raised(Message::error(2501, text).state(45)));
        };
        let Some(identity) = self.inner.core.identity(&key).map_err(raised_error)? else {
            return Err(raised(Message::error(7997, format!("'{table}' does not contain an identity column."))));
        };
        let check = match arguments.get(1) {
            Some(word) if word.starts("NORESEED") => Check::Look,
            Some(word) if word.starts("RESEED") => {
                arguments.get(2).and_then(whole_of).map_or(Check::Mend, Check::Reseed)
            }
            _ => Check::Mend,
        };
        let shown = |value: Option<i64>| value.map_or_else(|| "NULL".to_owned(), |value| value.to_string());
        let was = (!is_fresh(identity)).then(|| current(identity));
        let mut text = format!("Checking identity information: current identity value '{}'", shown(was));
        let next = match check {
            // A table that never had a row begins with the number, another one goes on behind it.
            Check::Reseed(value) if is_fresh(identity) => Some(value),
            Check::Reseed(value) => value.checked_add(identity.increment),
            Check::Look | Check::Mend => {
                let farthest = self.farthest(&name, identity)?;
                text.push_str(&format!(", current column value '{}'", shown(farthest)));
                let behind = farthest.filter(|value| match identity.increment < 0 {
                    true => *value < current(identity) || is_fresh(identity),
                    false => *value > current(identity) || is_fresh(identity),
                });
                behind.filter(|_| check == Check::Mend).and_then(|value| value.checked_add(identity.increment))
            }
        };
        if let Some(next) = next {
            self.inner.core.set_identity(&key, next).map_err(raised_error)?;
        }
        if !is_quiet {
            text.push('.');
            self.note(7998, &text);
        }
        Ok(())
    }

    /// The number of the table's rows that is farthest from the seed.
    fn farthest(&mut self, table: &ObjectName, identity: Identity) -> Result<Option<i64>, Box<Raised>> {
        let columns = self.inner.names(&[]).columns(table).unwrap_or_default();
        let Some(column) = columns.iter().find(|column| column.is_identity) else { return Ok(None) };
        let from = self.inner.names(&[]).table(table).unwrap_or_else(|_| core_name(table));
        let order = if identity.increment < 0 { "MIN" } else { "MAX" };
        let text = format!("SELECT {order}({}) FROM {from}", quoted(&column.name));
        let mut statement = self.inner.core.prepare(&text).map_err(raised_error)?;
        let mut rows = statement.query(&mut self.inner.core, &[]).map_err(raised_error)?;
        let value = rows.next().map_err(raised_error)?.map(|row| row.get(0).to_value());
        Ok(value.as_ref().and_then(number_of))
    }
}

/// The whole number of an identity column's value.
pub(crate) fn number_of(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(number) => Some(*number),
        Value::Decimal(number) => number.rescale(0).and_then(|whole| i64::try_from(whole.unscaled).ok()),
        _ => None,
    }
}

fn is_fresh(identity: Identity) -> bool {
    identity.next == Some(identity.start)
}

fn current(identity: Identity) -> i64 {
    match identity.next {
        Some(next) if next != identity.start => next.saturating_sub(identity.increment),
        // All are given: the last one is as far as numbers go.
        None if identity.increment < 0 => i64::MIN,
        None => i64::MAX,
        Some(start) => start,
    }
}

/// The table that an argument of DBCC names, as a text or as a name.
fn table_of(argument: &Phrase) -> String {
    let part = |item: &PhraseItem| match item {
        PhraseItem::Word(name) => quoted(&name.text),
        PhraseItem::Literal(Literal::String(text) | Literal::NationalString(text)) => text.clone(),
        PhraseItem::Symbol(symbol) => symbol.clone(),
        _ => String::new(),
    };
    match &argument.items[..] {
        [PhraseItem::Word(name)] => name.text.clone(),
        items => items.iter().map(part).collect(),
    }
}

pub(crate) fn whole_of(argument: &Phrase) -> Option<i64> {
    let digits = |text: &str| text.parse::<i64>().ok();
    match &argument.items[..] {
        [PhraseItem::Literal(Literal::Integer(text))] => digits(text),
        [PhraseItem::Symbol(sign), PhraseItem::Literal(Literal::Integer(text))] => match sign.as_str() {
            "-" => digits(text).and_then(i64::checked_neg),
            "+" => digits(text),
            _ => None,
        },
        _ => None,
    }
}
