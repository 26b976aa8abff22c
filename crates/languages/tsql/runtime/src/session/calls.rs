//! Calls of procedures with typed values, as drivers make them.
//!
//! A client calls the same few procedures again and again, under the same names: the procedure of a name is cached by
//! the name as it was sent, and the values are read in place. So a call allocates only its list of arguments.

use crate::changes::table_values::TableValues;
use crate::columns::{Column, Messages, declared_type};
use crate::objects::modules::{Loaded, Object};
use crate::session::{Inner, Session, object_name, refuse_call};
use crate::statements::runner::Runner;
use mainstay_session::push::{Call, DoneKind, Parameter, ParameterValue, Sink};
use mainstay_tsql_syntax::tree::StatementKind;
use mainstay_tsql_types::convert::convert;
use mainstay_tsql_types::{Context, DataType, Message};
use mainstay_types::{Value, ValueRef};
use mainstay_vm::RunArgument;
use std::collections::HashMap;
use std::sync::Arc;

/// The procedures that clients have called, by the names as they sent them, in one state of the objects and for one
/// kind of options.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    version: u64,
    is_plain: bool,
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

impl Session {
    /// A procedure of the database, or one of the system's.
    pub(crate) fn procedure_call(&mut self, call: &Call, sink: &mut dyn Sink) {
        if self.inner.state.options.no_exec || self.inner.state.options.parse_only {
            return sink.return_status(0);
        }
        let called = match self.inner.called(&call.procedure) {
            Ok(Some(called)) => called,
            Ok(None) => {
                let tables = TableValues::default();
                let values: Vec<_> = (0..call.parameters.len()).map(|number| tables.value(call, number)).collect();
                return self.system_call(call, &values, sink);
            }
            Err(message) => return refuse_call(&[message], sink, &mut self.inner.state),
        };
        self.complain(sink);
        let loaded = &called.loaded;
        if let Err(message) = check(loaded, &call.parameters, &called.name) {
            return refuse_call(&[message], sink, &mut self.inner.state);
        }
        let declared = (&*loaded.module.parameters, 0);
        self.with_tables(call, declared, sink, |it, tables, sink| it.run_procedure(loaded, call, tables, sink));
    }

    fn run_procedure(&mut self, loaded: &Arc<Loaded>, call: &Call, tables: &TableValues, sink: &mut dyn Sink) {
        let argument = |place: usize| match given(loaded, &call.parameters, place) {
            Some(number) => RunArgument::Value(tables.value(call, number)),
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
                let value = self.machine.parameter(place);
                return_value(number, (&parameter.name, parameter.data_type), &call.parameters[number], value, sink);
            }
        }
    }
}

impl Inner {
    /// The procedure of a name; `None` if the database has no such procedure.
    fn called(&mut self, name: &str) -> Result<Option<Called>, Message> {
        self.refresh()?;
        let version = self.modules.version();
        let is_plain = self.state.options.settings.is_plain();
        let holds = self.called.version == version && self.called.is_plain == is_plain;
        if !holds || self.called.known.len() > KEPT {
            self.called = Calls { version, is_plain, known: HashMap::new() };
        }
        if let Some(known) = self.called.known.get(name) {
            return Ok(Some(known.clone()));
        }
        let Some(object) = self.modules.called(&object_name(name)).cloned() else { return Ok(None) };
        let loaded = self.load(&object).map_err(|message| *message)?;
        let Object { name: shown, .. } = object;
        let called = Called { loaded, name: shown.into() };
        self.called.known.insert(name.to_owned(), called.clone());
        Ok(Some(called))
    }
}

/// Sends the value of an output parameter in the type that the client gave the parameter: the client assigns it to a
/// variable of its own, as `EXEC p @a = @variable OUTPUT` does, and a longer text is cut. SQL_VARIANT and the types that
/// no variable has come in the type of the procedure's parameter.
pub(crate) fn return_value(
    ordinal: usize,
    (name, declared): (&str, DataType),
    sent: &Parameter,
    value: ValueRef<'_>,
    sink: &mut dyn Sink,
) {
    let has_variable = |data_type: DataType| {
        !matches!(data_type, DataType::SqlVariant | DataType::Text(_) | DataType::NText | DataType::Image)
    };
    let (ordinal, wanted) = (ordinal as u16, declared_type(&sent.declared));
    let is_table = matches!(sent.value, ParameterValue::Table(_));
    if wanted == declared || is_table || !has_variable(wanted) || !has_variable(declared) {
        let _ = sink.return_value(ordinal, &(&Column::new(name, declared)).into(), value);
        return;
    }
    match convert(&Context::default(), value, declared, wanted, None) {
        Ok(value) => {
            let _ = sink.return_value(ordinal, &(&Column::new(name, wanted)).into(), value.as_ref());
        }
        Err(message) => sink.tell(&message),
    }
}

impl Runner<'_> {
    /// True if a routine is a procedure without parameters.
    pub(crate) fn takes_no_arguments(&self, routine: &str) -> bool {
        let object = self.inner.modules.called(&object_name(routine));
        object.is_some_and(|object| match &object.statement.kind {
            StatementKind::Procedure(procedure) => procedure.parameters.is_empty(),
            _ => false,
        })
    }
}

/// The value of a parameter; tables have none.
pub(crate) fn single(value: &ParameterValue) -> Value {
    match value {
        ParameterValue::Single(value) => value.clone(),
        ParameterValue::Table(_) => Value::Null,
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

/// Checks that every argument is for a parameter of the module.
///
/// Errors: 8144, 8145, 8146.
fn check(loaded: &Loaded, sent: &[Parameter], procedure: &str) -> Result<(), Message> {
    let parameters = &loaded.module.parameters;
    if parameters.is_empty() && !sent.is_empty() {
        return Err(Message::numbered(8146, &[&procedure]).state(2));
    }
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
