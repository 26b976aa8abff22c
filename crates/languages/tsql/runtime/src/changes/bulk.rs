//! Bulk loads: the rows after an `INSERT BULK`. A NULL becomes the column's default, if it has one, unless KEEP_NULLS
//! is given. With FIRE_TRIGGERS, triggers run once for all rows, which are held in memory for them.

use crate::changes::bulk_file::inserted;
use crate::columns::Column;
use crate::session::Inner;
use crate::session::scope::column_has_default;
use crate::statements::errors::{raised, raised_error};
use crate::statements::runner::Runner;
use mainstay_engine::Prepared;
use mainstay_session::push::BulkRows;
use mainstay_tsql_syntax::reduce::{self, Scope as _};
use mainstay_tsql_syntax::tree::{ObjectName, Phrase, PhraseItem};
use mainstay_tsql_types::convert::{convert, is_identity, truncates, truncation};
use mainstay_tsql_types::{Context, DataType, Message};
use mainstay_types::interrupt::Interrupt;
use mainstay_types::{Value, ValueRef};
use mainstay_vm::{Machine, Raised};
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The most statements that are cached for rows with different defaults.
const KEPT: usize = 200;

/// The target of an INSERT BULK.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The table.
    pub(crate) name: ObjectName,
    /// The core's name of it.
    pub(crate) table: String,
    /// The columns that come; none for those that the rows name.
    pub(crate) columns: Vec<String>,
    /// True if a NULL stays NULL where the column has a default.
    pub(crate) keeps_nulls: bool,
    /// True if the table's triggers run.
    pub(crate) fires_triggers: bool,
}

impl Target {
    /// Reads an INSERT BULK; `rest` is the text after the table's name.
    pub(crate) fn new(name: &ObjectName, table: String, columns: Vec<String>, rest: &[PhraseItem]) -> Target {
        let says = |word: &str| {
            let is_it = |phrase: &Phrase| phrase.starts(word);
            rest.iter().any(|item| matches!(item, PhraseItem::Group(phrases) if phrases.iter().any(is_it)))
        };
        let (keeps_nulls, fires_triggers) = (says("KEEP_NULLS"), says("FIRE_TRIGGERS"));
        Target { name: name.clone(), table, columns, keeps_nulls, fires_triggers }
    }
}

/// A statement that puts in a row with values for these of the columns, and gives the columns that are to be shown.
fn insert_text(table: &str, named: &[String], given: &[usize], shown: &[String]) -> String {
    let returning = match shown {
        [] => String::new(),
        shown => {
            let names: Vec<String> = shown.iter().map(|name| reduce::quoted(name)).collect();
            format!(" RETURNING {}", names.join(", "))
        }
    };
    if given.is_empty() {
        return format!("INSERT INTO {table} DEFAULT VALUES{returning}");
    }
    let names: Vec<String> =
        given.iter().filter_map(|place| named.get(*place)).map(|name| reduce::quoted(name)).collect();
    format!("INSERT INTO {table} ({}) VALUES ({}){returning}", names.join(", "), vec!["?"; names.len()].join(", "))
}

impl Inner {
    /// The places of those columns that have a default.
    fn places_with_default(&mut self, table: &str, named: &[String]) -> Vec<usize> {
        let names = self.names(&[]);
        let found = names.with_definition(table, |definition| {
            (0..named.len()).filter(|place| column_has_default(definition, &named[*place])).collect()
        });
        found.unwrap_or_default()
    }

    /// The place of the table's identity column among these columns; the load supplies its numbers then.
    fn place_of_identity(&mut self, table: &ObjectName, named: &[String]) -> Option<usize> {
        let columns = self.names(&[]).columns(table)?;
        let identity = columns.iter().find(|column| column.is_identity)?;
        named.iter().position(|name| name.eq_ignore_ascii_case(&identity.name))
    }

    /// The conversions of the texts and bytes of these columns; `None` for a column that is neither or that comes in
    /// the column's own type.
    fn text_conversions(&mut self, table: &ObjectName, named: &[String], columns: &[Column]) -> Vec<Option<Text>> {
        let known = self.names(&[]).columns(table).unwrap_or_default();
        let conversion = |(name, column): (&String, &Column)| {
            let to = known.iter().find(|known| known.name.eq_ignore_ascii_case(name))?;
            let (from, name) = (column.data_type, to.name.clone());
            let is_alike = from.is_text() && to.data_type.is_text() || from.is_binary() && to.data_type.is_binary();
            let is_converted = is_alike && from != to.data_type && !is_identity(from, to.data_type);
            is_converted.then_some(Text { from, to: to.data_type, name })
        };
        named.iter().zip(columns).map(conversion).collect()
    }

    /// A load into the table of the `INSERT BULK` before it.
    ///
    /// Errors: 4002 if there was none.
    fn load_of(&mut self, columns: &[Column]) -> Result<(ObjectName, Load), Message> {
        let target = self.state.bulk_target.take();
        let Some(Target { name, table, columns: named, keeps_nulls, fires_triggers }) = target else {
            return Err(Message::error(4002, "The incoming tabular data stream (TDS) protocol stream is incorrect."));
        };
        let fires_triggers = fires_triggers && !self.firing(&name, "INSERT").is_empty();
        let shown_columns = match fires_triggers {
            true => self.names(&[]).columns(&name).unwrap_or_default().into_iter().map(|column| column.name).collect(),
            false => Vec::new(),
        };
        let named = if named.is_empty() { columns.iter().map(|column| column.name.clone()).collect() } else { named };
        let with_default = match keeps_nulls {
            true => Vec::new(),
            false => self.places_with_default(&table, &named),
        };
        let identity = self.place_of_identity(&name, &named);
        let texts = self.text_conversions(&name, &named, columns);
        let load = Load {
            table,
            shown: name.last().to_owned(),
            named,
            texts,
            with_default,
            identity,
            count: 0,
            given: None,
            shown_columns,
            inserted: Vec::new(),
        };
        Ok((name, load))
    }
}

impl Runner<'_> {
    /// Rows of a bulk load, all or none, and the triggers that it is to fire: how many rows.
    ///
    /// Errors: 4002, 40515, and those of putting rows in and of the triggers.
    pub(crate) fn bulk_insert(
        &mut self,
        columns: &[Column],
        rows: &mut dyn BulkRows,
        machine: &mut Machine,
    ) -> Result<u64, Box<Raised>> {
        let is_fired = self.inner.state.bulk_target.as_ref().filter(|target| target.fires_triggers);
        if is_fired.is_some_and(|target| !self.inner.modules.triggers(&target.name, "INSERT", true).is_empty()) {
            let what = "A bulk load with FIRE_TRIGGERS into a table with an INSTEAD OF trigger";
            return Err(raised(reduce::not_supported(what)));
        }
        let (name, mut load) = self.inner.load_of(columns).map_err(raised)?;
        let outcome = match load.shown_columns.is_empty() {
            true => self.inner.as_one(|inner| load.run(&mut inner.core, rows)),
            false => self.unit(machine, |it, machine| {
                load.run(&mut it.inner.core, rows)?;
                it.fire_loaded(&name, std::mem::take(&mut load.inserted), machine)
            }),
        };
        outcome.map_err(|error| self.inner.explained(error, "INSERT", &name))?;
        if let Some((low, high)) = load.given {
            self.inner.given_identity(&name, [low, high].into_iter());
        }
        Ok(load.count)
    }
}

/// A column whose texts or bytes come in another type than it has: in UTF-16, in the code page of the client, or longer.
struct Text {
    from: DataType,
    to: DataType,
    /// The column's name.
    name: String,
}

/// A load while it runs.
struct Load {
    /// The core's name of the table.
    table: String,
    /// The table's name as messages have it.
    shown: String,
    /// The columns that come.
    named: Vec<String>,
    /// The conversions of their texts.
    texts: Vec<Option<Text>>,
    /// Those of them whose NULLs are left to their defaults.
    with_default: Vec<usize>,
    /// The identity column among them.
    identity: Option<usize>,
    count: u64,
    /// The smallest and the largest number that the identity column was given.
    given: Option<(i64, i64)>,
    /// The columns of the table, where triggers are to see the rows.
    shown_columns: Vec<String>,
    /// The rows that they see.
    inserted: Vec<Vec<Value>>,
}

impl Load {
    fn run(&mut self, core: &mut mainstay_engine::Session, rows: &mut dyn BulkRows) -> Result<(), Box<Raised>> {
        let mut statements: HashMap<Vec<usize>, Prepared> = HashMap::new();
        let wish = core.cancel_handle();
        while let Some(row) = rows.next_row().map_err(|message| raised(message.into()))? {
            wish.check().map_err(raised_error)?;
            let filled = self.filled(row);
            let converted = filled.iter().map(|place| self.converted(*place, &row[*place]));
            let converted = converted.collect::<Result<Vec<_>, _>>().map_err(raised)?;
            let values: Vec<ValueRef<'_>> = converted.iter().map(|value| value.as_ref().as_ref()).collect();
            if statements.len() > KEPT {
                statements.clear();
            }
            let prepared = match statements.entry(filled) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let text = insert_text(&self.table, &self.named, new.key(), &self.shown_columns);
                    new.insert(core.prepare(&text).map_err(raised_error)?)
                }
            };
            match self.shown_columns.is_empty() {
                true => drop(prepared.execute(core, &values).map_err(raised_error)?),
                false => self.inserted.push(inserted(prepared, core, &values).map_err(raised_error)?),
            }
            self.note(row);
        }
        Ok(())
    }

    /// The places of the columns that a row gives values to.
    fn filled(&self, row: &[Value]) -> Vec<usize> {
        let is_left_out = |place: &usize| self.with_default.contains(place) && row.get(*place) == Some(&Value::Null);
        (0..row.len().min(self.named.len())).filter(|place| !is_left_out(place)).collect()
    }

    /// A value as its column keeps it.
    ///
    /// Errors: 2628 for a text or bytes that are too long.
    fn converted<'v>(&self, place: usize, value: &'v Value) -> Result<Cow<'v, Value>, Message> {
        let Some(Text { from, to, name }) = self.texts.get(place).and_then(Option::as_ref) else {
            return Ok(Cow::Borrowed(value));
        };
        if truncates(value.as_ref(), *to) {
            return Err(truncation(value.as_ref(), *to, &self.shown, name));
        }
        convert(&Context::default(), value.as_ref(), *from, *to, None).map(Cow::Owned)
    }

    fn note(&mut self, row: &[Value]) {
        self.count += 1;
        if let Some(Value::Integer(number)) = self.identity.and_then(|place| row.get(place)) {
            let (low, high) = self.given.unwrap_or((*number, *number));
            self.given = Some((low.min(*number), high.max(*number)));
        }
    }
}
