//! Calls of procedures with typed values, as drivers make them.
//!
//! A client calls the same few procedures again and again, under the same names: what a name stands for is kept by the
//! name as it was sent, and the values are read where the call has them. So nothing is made for a call but its list of
//! arguments.

use crate::errors::message_from;
use crate::modules::{Loaded, Object};
use crate::session::{Inner, Session, object_name, refuse};
use mainstay_base::ValueRef;
use mainstay_mssql::Message;
use mainstay_program::RunArgument;
use mainstay_tds::{Call, Column, DoneKind, Parameter, ParameterValue, Sink};
use mainstay_tsql::tree::{ObjectName, StatementKind};
use std::collections::HashMap;
use std::sync::Arc;

/// What clients have called, by the names as they sent them, in one state of the objects.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    version: u64,
    known: HashMap<String, Called>,
}

/// A procedure that is ready to run.
#[derive(Clone, Debug)]
struct Called {
    loaded: Arc<Loaded>,
    /// Its name, for messages.
    name: Arc<str>,
}

/// More names than a client has procedures: it sends names that are made.
const KEPT: usize = 1_024;

/// Arguments for which a call needs no list.
const FEW: usize = 8;

/// The names of tables that stand for table values, by the numbers of their parameters.
type Tables = Vec<(usize, String)>;

impl Session {
    /// A procedure of the database, or one of the system's.
    pub(crate) fn procedure_call(&mut self, call: &Call, sink: &mut dyn Sink) {
        if self.inner.state.options.no_exec || self.inner.state.options.parse_only {
            return sink.return_status(0);
        }
        let tables = match self.inner.table_values(call) {
            Ok(tables) => tables,
            Err(message) => return refuse(&[message], sink, &mut self.inner.state),
        };
        let called = match self.inner.called(&call.procedure) {
            Ok(Some(called)) => called,
            Ok(None) => {
                let parameters = call.parameters.iter().enumerate();
                let values: Vec<_> = parameters.map(|(number, _)| value(call, &tables, number)).collect();
                return self.system_call(call, &values, sink);
            }
            Err(message) => return refuse(&[message], sink, &mut self.inner.state),
        };
        self.complain(sink);
        let loaded = &called.loaded;
        if let Err(message) = check(loaded, &call.parameters, &called.name) {
            return refuse(&[message], sink, &mut self.inner.state);
        }
        let argument = |place: usize| match given(loaded, &call.parameters, place) {
            Some(number) => RunArgument::Value(value(call, &tables, number)),
            None => RunArgument::Default,
        };
        let count = loaded.module.parameters.len();
        let (mut few, many);
        let arguments: &[RunArgument<'_>] = match count <= FEW {
            true => {
                few = [RunArgument::Default; FEW];
                few.iter_mut().take(count).enumerate().for_each(|(place, slot)| *slot = argument(place));
                few.get(..count).unwrap_or_default()
            }
            false => {
                many = (0..count).map(argument).collect::<Vec<_>>();
                &many
            }
        };
        if !self.run(loaded, arguments, DoneKind::InProcedure, sink) {
            return;
        }
        if let ValueRef::Integer(status) = self.machine.result() {
            sink.return_status(i32::try_from(status).unwrap_or(0));
        }
        if !call.parameters.iter().any(|parameter| parameter.output) {
            return;
        }
        for (place, parameter) in loaded.module.parameters.iter().enumerate() {
            let Some(number) = given(loaded, &call.parameters, place) else { continue };
            if call.parameters.get(number).is_some_and(|parameter| parameter.output) {
                let column = Column::new(parameter.name.clone(), parameter.data_type);
                let _ = sink.return_value(number as u16, &column, self.machine.parameter(place));
            }
        }
    }
}

impl Inner {
    /// What a name stands for; `None` when the database has no procedure of it.
    fn called(&mut self, name: &str) -> Result<Option<Called>, Message> {
        self.refresh()?;
        let version = self.modules.version();
        if self.called.version != version || self.called.known.len() > KEPT {
            self.called = Calls { version, known: HashMap::new() };
        }
        if let Some(known) = self.called.known.get(name) {
            return Ok(Some(known.clone()));
        }
        let Some(object) = self.modules.called(&object_name(name)).cloned() else { return Ok(None) };
        let loaded = self.modules.load(&object).map_err(|message| *message)?;
        let Object { name: shown, .. } = object;
        let called = Called { loaded, name: shown.into() };
        self.called.known.insert(name.to_owned(), called.clone());
        Ok(Some(called))
    }

    /// The tables that a client sends as values, under names of their own.
    fn table_values(&mut self, call: &Call) -> Result<Tables, Message> {
        let mut tables = Vec::new();
        for (number, parameter) in call.parameters.iter().enumerate() {
            if let ParameterValue::Table(table) = &parameter.value {
                let of = match table.name.as_str() {
                    "" => self.declared_type(call, number)?,
                    name => Some(object_name(name)),
                };
                let made = self.table_value(number, table, of.as_ref());
                tables.push((number, made.map_err(|raised| message_from(&raised))?));
            }
        }
        Ok(tables)
    }

    /// The type that a procedure has declared a parameter of: drivers send tables without rows with nothing else.
    fn declared_type(&mut self, call: &Call, number: usize) -> Result<Option<ObjectName>, Message> {
        self.refresh()?;
        let Some(sent) = call.parameters.get(number) else { return Ok(None) };
        let object = self.modules.called(&object_name(&call.procedure));
        let Some(StatementKind::Procedure(procedure)) = object.map(|object| &object.statement.kind) else {
            return Ok(None);
        };
        let declared = match sent.name.as_str() {
            "" => procedure.parameters.get(number),
            name => procedure.parameters.iter().find(|parameter| parameter.name.is(name)),
        };
        Ok(declared.map(|declared| declared.data_type.name.clone()))
    }
}

/// The value of a parameter that is sent: that of a table is the name it goes by.
fn value<'c>(call: &'c Call, tables: &'c Tables, number: usize) -> ValueRef<'c> {
    match call.parameters.get(number).map(|parameter| &parameter.value) {
        Some(ParameterValue::Single(value) | ParameterValue::Variant(_, value)) => value.as_ref(),
        Some(ParameterValue::Table(_)) => {
            let table = tables.iter().find(|(of, _)| *of == number);
            table.map_or(ValueRef::Null, |(_, name)| ValueRef::Text(name))
        }
        None => ValueRef::Null,
    }
}

/// The number of the sent parameter that is for the module's parameter at this place; `None` for its default.
fn given(loaded: &Loaded, sent: &[Parameter], place: usize) -> Option<usize> {
    let by_place = |sent: &&Parameter| sent.name.is_empty();
    let number = match sent.get(place).filter(by_place) {
        Some(_) => Some(place),
        None => {
            let name = &loaded.module.parameters.get(place)?.name;
            sent.iter().position(|sent| !sent.name.is_empty() && sent.name.eq_ignore_ascii_case(name))
        }
    };
    // The default of a table is one without rows, which is made like any other.
    let is_given = |sent: &Parameter| !sent.default || matches!(sent.value, ParameterValue::Table(_));
    number.filter(|number| sent.get(*number).is_some_and(is_given))
}

/// Whether all that is sent is for a parameter of the module.
///
/// Errors: 8144, 8145.
fn check(loaded: &Loaded, sent: &[Parameter], procedure: &str) -> Result<(), Message> {
    let parameters = &loaded.module.parameters;
    if sent.len() > parameters.len() {
        let text = format!("Procedure or function {procedure} has too many arguments specified.");
        return Err(Message::error(8144, text).state(2));
    }
    let is_known = |name: &str| parameters.iter().any(|parameter| parameter.name.eq_ignore_ascii_case(name));
    match sent.iter().find(|sent| !sent.name.is_empty() && !is_known(&sent.name)) {
        None => Ok(()),
        Some(sent) => {
            let text = format!("{} is not a parameter for procedure {procedure}.", sent.name);
            Err(Message::error(8145, text).state(2))
        }
    }
}
