//! Tables that clients send as parameters: each is a table variable of the session's own level while its call runs.
//!
//! It is created as its type defines, with keys, defaults and identities. The called module gets its name, as from a
//! caller in T-SQL ([`Action::TableParameter`](mainstay_tsql_syntax::compile::Action::TableParameter)).

use crate::columns;
use crate::session::{Inner, Session, refuse};
use crate::statements::errors::{message_from, raised};
use mainstay_session::push::{Call, ParameterValue, Sink, TableValue};
use mainstay_tsql_syntax::compile::{ModuleParameter, ParameterKind};
use mainstay_tsql_syntax::reduce::{self, quoted};
use mainstay_tsql_syntax::tree::{Name, ObjectName, TableElement};
use mainstay_tsql_types::convert::{convert, truncates, truncation};
use mainstay_tsql_types::{Context, DataType, Message};
use mainstay_types::{Value, ValueRef};
use mainstay_vm::Raised;

/// The names of the table variables of a call, by the numbers of its parameters.
#[derive(Debug, Default)]
pub(crate) struct TableValues(Vec<(usize, String)>);

impl TableValues {
    /// The value of a parameter that is sent: that of a table is the name it goes by.
    pub(crate) fn value<'c>(&'c self, call: &'c Call, number: usize) -> ValueRef<'c> {
        match call.parameters.get(number).map(|parameter| &parameter.value) {
            Some(ParameterValue::Single(value)) => value.as_ref(),
            Some(ParameterValue::Table(_)) => {
                let table = self.0.iter().find(|(of, _)| *of == number);
                table.map_or(ValueRef::Null, |(_, name)| ValueRef::Text(name))
            }
            None => ValueRef::Null,
        }
    }
}

impl Session {
    /// Does something while the tables of a call are there, whose parameters from `first` on are declared so.
    pub(crate) fn with_tables(
        &mut self,
        call: &Call,
        declared: (&[ModuleParameter], usize),
        sink: &mut dyn Sink,
        work: impl FnOnce(&mut Self, &TableValues, &mut dyn Sink),
    ) {
        let mut tables = TableValues::default();
        match self.inner.make_table_values(call, declared, &mut tables) {
            Ok(()) => work(self, &tables, sink),
            Err(message) => refuse(&[message], sink, &mut self.inner.state),
        }
        tables.0.iter().for_each(|(_, name)| self.inner.drop_variable(name));
    }
}

impl Inner {
    fn make_table_values(
        &mut self,
        call: &Call,
        (declared, first): (&[ModuleParameter], usize),
        made: &mut TableValues,
    ) -> Result<(), Message> {
        for (number, parameter) in call.parameters.iter().enumerate().skip(first) {
            let ParameterValue::Table(table) = &parameter.value else { continue };
            let of_type = match table.name.is_empty() {
                true => declared_type(declared, &parameter.name, number - first).cloned().unwrap_or_default(),
                false => sent_type(table),
            };
            let elements = self.modules.table_type(&of_type).map(<[_]>::to_vec);
            let elements =
                elements.ok_or_else(|| Message::numbered(2715, &[&(number - first + 1), &of_type.last()]).state(3))?;
            let name = format!("@parameter{number}");
            made.0.push((number, name.clone()));
            let shown = match parameter.name.is_empty() {
                true => declared.get(number - first).map_or(&name, |declared| &declared.name),
                false => &parameter.name,
            };
            self.make_table_variable(&name, &elements)
                .and_then(|()| self.fill_table_value((&name, shown), &elements, table))
                .map_err(|raised| message_from(&raised))?;
        }
        Ok(())
    }

    /// Puts its rows in; messages call it by the name of its parameter. A column that takes its default is not given.
    ///
    /// Errors: 500 for rows of another number of columns, and those of an INSERT.
    fn fill_table_value(
        &mut self,
        (name, shown): (&str, &str),
        elements: &[TableElement],
        table: &TableValue,
    ) -> Result<(), Box<Raised>> {
        let own: Vec<&str> = elements.iter().filter_map(column_name).collect();
        // A table that is NULL has no rows, and its columns are not described.
        if !table.columns.is_empty() && table.columns.len() != own.len() {
            return Err(raised(Message::numbered(500, &[&table.columns.len(), &own.len()])));
        }
        let is_given = |place: &usize| !table.defaulted.get(*place).copied().unwrap_or_default();
        let given: Vec<usize> = (0..own.len()).filter(is_given).collect();
        let columns: Vec<String> = given.iter().filter_map(|place| own.get(*place).map(|name| quoted(name))).collect();
        let types = reduce::column_types(elements, &self.names(&[])).map_err(raised)?;
        let type_of = |name: &str| types.iter().find(|(known, _)| known == name).map(|(_, data_type)| *data_type);
        let context = Context { settings: self.state.options.settings, ..Context::default() };
        let sent_types: Vec<DataType> =
            table.columns.iter().map(|column| columns::declared_type(&column.declared)).collect();
        let taken = |row: &Vec<Value>| {
            let values = given.iter().filter_map(|place| {
                let (value, from) = (row.get(*place)?, *sent_types.get(*place)?);
                let column = own.get(*place).copied()?;
                Some(
                    type_of(column)
                        .map_or_else(|| Ok(value.clone()), |to| taken(&context, value, (from, to), (shown, column))),
                )
            });
            values.collect::<Result<Vec<Value>, Message>>()
        };
        let rows = table.rows.iter().map(taken).collect::<Result<Vec<_>, _>>().map_err(raised)?;
        let core = self.state.temporary(name).map_or_else(String::new, |table| quoted(&table.core));
        let done = self.insert_rows(&format!("{core} ({})", columns.join(", ")), columns.len(), &rows);
        done.map_err(|error| {
            let own =
                ObjectName { parts: vec![Name { text: name.to_owned(), ..Name::default() }], ..ObjectName::default() };
            let mut error = self.explained(error, "INSERT", &own);
            error.text = error.text.replace(name, shown);
            error
        })
    }
}

/// A value as a column takes it.
///
/// Errors: 206, 257 for a type that it does not take, 2628 for what is too long, and those of the conversion.
fn taken(
    context: &Context<'_>,
    value: &Value,
    (from, to): (DataType, DataType),
    (table, column): (&str, &str),
) -> Result<Value, Message> {
    if *value == Value::Null {
        return Ok(Value::Null);
    }
    mainstay_tsql_types::types::implicit(from, to)?;
    match truncates(value.as_ref(), to) {
        true => Err(truncation(value.as_ref(), to, table, column)),
        false => convert(context, value.as_ref(), from, to, None),
    }
}

/// The type that the client names.
fn sent_type(table: &TableValue) -> ObjectName {
    let names = [&table.schema, &table.name].into_iter().filter(|name| !name.is_empty());
    let parts = names.map(|name| Name { text: name.clone(), ..Name::default() }).collect();
    ObjectName { parts, ..ObjectName::default() }
}

/// The type of the parameter that a table is sent for, for clients that leave it to the server.
fn declared_type<'d>(declared: &'d [ModuleParameter], name: &str, place: usize) -> Option<&'d ObjectName> {
    let named = declared.iter().find(|parameter| !name.is_empty() && parameter.name.eq_ignore_ascii_case(name));
    match &named.or_else(|| declared.get(place).filter(|_| name.is_empty()))?.kind {
        ParameterKind::Table(of_type) => Some(of_type),
        _ => None,
    }
}

fn column_name(element: &TableElement) -> Option<&str> {
    match element {
        TableElement::Column(column) => Some(&column.name.text),
        _ => None,
    }
}
