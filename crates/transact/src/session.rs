//! One connection: batches and calls, and what the client is told of them.

use crate::errors::message_from;
use crate::functions::{Functions, Silence};
use crate::instance::{Instance, Seat};
use crate::modules::{Loaded, Modules};
use crate::procedures;
use crate::runner::Runner;
use crate::scope::Cache;
use crate::state::{State, TemporaryTable};
use crate::texts::Texts;
use mainstay_base::{Date, Timestamp, Value, ValueRef};
use mainstay_mssql::Message;
use mainstay_program::{Limits, Machine, Raised, RunArgument};
use mainstay_query::CancelHandle;
use mainstay_tds::{
    BulkRows, Call, Cancel, Column, Command, Done, DoneKind, ParameterValue, Sink, TableValue, TransactionRequest,
};
use mainstay_tsql::compile::ModuleParameter;
use mainstay_tsql::reduce;
use mainstay_tsql::tree::{Name, ObjectName};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A connection to a database, speaking T-SQL.
pub struct Session {
    pub(crate) inner: Inner,
    machine: Machine,
    cancel: Arc<Stopper>,
}

/// What a run works on, beside the machine.
pub(crate) struct Inner {
    pub(crate) instance: Instance,
    pub(crate) core: mainstay_engine::Session,
    pub(crate) modules: Modules,
    pub(crate) state: State,
    pub(crate) texts: Texts,
    /// The catalog, while nothing that it is made of has changed.
    pub(crate) catalog: Cache,
    /// The session's place among the others.
    pub(crate) seat: Option<Seat>,
    /// Whether the statement that is being planned asked for the catalog itself.
    pub(crate) is_momentary: Cell<bool>,
}

/// Stops what runs, in the machine and in the core.
#[derive(Debug)]
struct Stopper {
    core: CancelHandle,
    machine: Arc<AtomicBool>,
}

impl Cancel for Stopper {
    fn cancel(&self) {
        self.machine.store(true, Ordering::Release);
        self.core.cancel();
    }
}

impl Session {
    pub(crate) fn new(instance: &Instance, login: &str, host: &str, application: &str) -> Session {
        let seat = instance.seat(login, host, application);
        let mut session = Session::plain(instance, login, host, application, seat.number());
        seat.stop_with(Arc::clone(&session.cancel) as Arc<dyn Cancel>);
        session.inner.seat = Some(seat);
        session.inner.core.set_functions(Arc::new(Functions::new(instance, session.inner.catalog.latest(), 0)));
        session
    }

    /// A session for the functions that another one's queries call, this deep in each other.
    pub(crate) fn beside(instance: &Instance, depth: usize) -> Session {
        let mut session = Session::plain(instance, "sa", "", "", 0);
        let functions = Functions::new(instance, session.inner.catalog.latest(), depth);
        session.inner.core.set_functions(Arc::new(functions));
        session
    }

    /// What a function gives for these arguments.
    pub(crate) fn function(&mut self, loaded: &Arc<Loaded>, values: &[ValueRef<'_>]) -> Result<Value, Box<Raised>> {
        let arguments: Vec<RunArgument<'_>> = values.iter().map(|value| RunArgument::Value(*value)).collect();
        let mut silence = Silence;
        let mut runner = Runner::new(&mut self.inner, &mut silence, DoneKind::InProcedure);
        runner.expect(loaded);
        let outcome = self.machine.run(&mut runner, &loaded.program, &arguments);
        runner.finish();
        outcome.map(|()| self.machine.result().to_value())
    }

    fn plain(instance: &Instance, login: &str, host: &str, application: &str, process: i16) -> Session {
        let core = instance.database.session();
        let flag = Arc::new(AtomicBool::new(false));
        let cancel = Arc::new(Stopper { core: core.cancel_handle(), machine: Arc::clone(&flag) });
        let state = State::new(login, host, application, &instance.name, process);
        let inner = Inner {
            instance: instance.clone(),
            core,
            modules: Modules::default(),
            state,
            texts: Texts::default(),
            catalog: Cache::default(),
            seat: None,
            is_momentary: Cell::new(false),
        };
        let machine = Machine::new(Limits { cancel: Some(flag), ..Limits::default() });
        Session { inner, machine, cancel }
    }

    pub(crate) fn use_database(&mut self, name: &str) {
        self.inner.state.database = name.to_owned();
    }

    /// Runs a batch: everything between two GO lines.
    pub fn batch(&mut self, text: &str, sink: &mut dyn Sink) {
        self.begin();
        match self.inner.text(text, "") {
            Err(messages) => refuse(&messages, sink, &mut self.inner.state),
            Ok(loaded) => {
                self.run(&loaded, &[], DoneKind::Statement, sink);
            }
        }
    }

    /// Calls a procedure with typed parameters. Output parameters and the return status come through the sink.
    pub fn call(&mut self, call: &Call, sink: &mut dyn Sink) {
        self.begin();
        let name = call.procedure.trim().trim_matches(['[', ']']).to_ascii_lowercase();
        let name = name.rsplit('.').next().unwrap_or("").to_owned();
        match name.as_str() {
            "sp_executesql" | "sp_prepexec" | "sp_prepare" | "sp_execute" | "sp_unprepare" | "sp_prepexecrpc"
            | "sp_cursoropen" | "sp_cursorfetch" | "sp_cursorclose" => self.handle_call(&name, call, sink),
            _ => self.procedure_call(call, sink),
        }
    }

    fn begin(&mut self) {
        self.cancel.machine.store(false, Ordering::Release);
        self.inner.state.now = now();
    }

    /// Runs what is loaded; whether it came to its end.
    fn run(
        &mut self,
        loaded: &Arc<Loaded>,
        arguments: &[RunArgument<'_>],
        kind: DoneKind,
        sink: &mut dyn Sink,
    ) -> bool {
        let mut runner = Runner::new(&mut self.inner, sink, kind);
        runner.expect(loaded);
        let outcome = self.machine.run(&mut runner, &loaded.program, arguments);
        runner.finish();
        match outcome {
            Ok(()) => {
                if self.inner.state.doomed {
                    self.inner.end_doomed(sink);
                }
                true
            }
            Err(raised) => {
                report(&raised, &mut self.inner.state, sink);
                self.inner.after_failure(&raised, sink);
                sink.done(Done { kind, command: Command::NONE, count: None, error: true });
                false
            }
        }
    }

    /// A procedure of the database, or one of the system's.
    fn procedure_call(&mut self, call: &Call, sink: &mut dyn Sink) {
        let mut values: Vec<(Option<String>, Value, bool)> = Vec::with_capacity(call.parameters.len());
        for (number, parameter) in call.parameters.iter().enumerate() {
            let name = (!parameter.name.is_empty()).then(|| parameter.name.clone());
            let value = match &parameter.value {
                ParameterValue::Table(table) => match self.inner.table_value(number, table) {
                    Ok(name) => Value::Text(name),
                    Err(raised) => {
                        return refuse(&[crate::errors::message_from(&raised)], sink, &mut self.inner.state);
                    }
                },
                value => single(value),
            };
            values.push((name, value, parameter.default));
        }
        if let Err(message) = self.inner.refresh() {
            return refuse(&[message], sink, &mut self.inner.state);
        }
        let name = object_name(&call.procedure);
        let object = self.inner.modules.find(&name).cloned();
        let Some(object) = object else {
            return self.system_call(call, &values, sink);
        };
        let loaded = match self.inner.modules.load(&object) {
            Ok(loaded) => loaded,
            Err(message) => return refuse(&[*message], sink, &mut self.inner.state),
        };
        let places = match places(&loaded, &values, &object.name) {
            Ok(places) => places,
            Err(message) => return refuse(&[message], sink, &mut self.inner.state),
        };
        let arguments: Vec<RunArgument<'_>> = places
            .iter()
            .map(|place| match place {
                Some(place) => RunArgument::Value(values[*place].1.as_ref()),
                None => RunArgument::Default,
            })
            .collect();
        if !self.run(&loaded, &arguments, DoneKind::InProcedure, sink) {
            return;
        }
        if let ValueRef::Integer(status) = self.machine.result() {
            sink.return_status(i32::try_from(status).unwrap_or(0));
        }
        for (place, parameter) in loaded.module.parameters.iter().enumerate() {
            let Some(Some(given)) = places.get(place) else { continue };
            if call.parameters.get(*given).is_some_and(|parameter| parameter.output) {
                let column = Column::new(parameter.name.clone(), parameter.data_type);
                let _ = sink.return_value(*given as u16, &column, self.machine.parameter(place));
            }
        }
    }

    fn system_call(&mut self, call: &Call, values: &[(Option<String>, Value, bool)], sink: &mut dyn Sink) {
        let mut runner = Runner::new(&mut self.inner, sink, DoneKind::InProcedure);
        let given: Vec<(Option<&str>, ValueRef<'_>)> =
            values.iter().map(|(name, value, _)| (name.as_deref(), value.as_ref())).collect();
        let outcome = procedures::run(&mut runner, &call.procedure, &given);
        runner.finish();
        match outcome {
            Ok(_) => sink.return_status(0),
            Err(raised) => {
                report(&raised, &mut self.inner.state, sink);
                sink.done(Done { kind: DoneKind::Procedure, command: Command::NONE, count: None, error: true });
            }
        }
    }

    /// `sp_executesql` and the prepared handles.
    fn handle_call(&mut self, name: &str, call: &Call, sink: &mut dyn Sink) {
        match self.prepared_call(name, call, sink) {
            Ok(()) => {}
            Err(messages) => refuse(&messages, sink, &mut self.inner.state),
        }
    }

    fn prepared_call(&mut self, name: &str, call: &Call, sink: &mut dyn Sink) -> Result<(), Vec<Message>> {
        let text = |place: usize| match call.parameters.get(place).map(|parameter| single(&parameter.value)) {
            Some(Value::Text(text)) => text,
            _ => String::new(),
        };
        let handle_of = |place: usize| match call.parameters.get(place).map(|parameter| single(&parameter.value)) {
            Some(Value::Integer(handle)) => i32::try_from(handle).unwrap_or(0),
            _ => 0,
        };
        match name {
            "sp_executesql" => {
                let loaded = self.inner.text(&text(0), &text(1))?;
                self.run_text(&loaded, call, 2, sink);
                Ok(())
            }
            "sp_prepare" | "sp_prepexec" => {
                let (declarations, text) = (text(1), text(2));
                let loaded = self.inner.text(&text, &declarations)?;
                let handle = self.inner.keep_handle(&text, &declarations);
                if name == "sp_prepexec" {
                    self.run_text(&loaded, call, 3, sink);
                } else {
                    sink.return_status(0);
                }
                self.give_handle(handle, sink);
                Ok(())
            }
            "sp_execute" => {
                let handle = handle_of(0);
                let Some(prepared) = self.inner.state.handles.get(&handle).cloned() else {
                    let text = format!("Could not find prepared statement with handle {handle}.");
                    return Err(vec![Message::error(8179, text)]);
                };
                let loaded = self.inner.text(&prepared.text, &prepared.declarations)?;
                self.run_text(&loaded, call, 1, sink);
                Ok(())
            }
            "sp_prepexecrpc" => {
                let handle = self.inner.keep_handle(&text(1), "");
                let parameters = call.parameters.get(2..).map(<[_]>::to_vec).unwrap_or_default();
                self.procedure_call(&Call { procedure: text(1), parameters, ..call.clone() }, sink);
                self.give_handle(handle, sink);
                Ok(())
            }
            "sp_unprepare" => {
                self.inner.state.handles.remove(&handle_of(0));
                sink.return_status(0);
                Ok(())
            }
            _ => Err(vec![mainstay_tsql::reduce::not_supported(name)]),
        }
    }

    fn give_handle(&mut self, handle: i32, sink: &mut dyn Sink) {
        let column = Column::new("@handle", mainstay_mssql::DataType::Int);
        let _ = sink.return_value(0, &column, ValueRef::Integer(handle.into()));
    }

    /// Runs a text with parameters, with the values of a call from `first` on.
    fn run_text(&mut self, loaded: &Arc<Loaded>, call: &Call, first: usize, sink: &mut dyn Sink) {
        let declared = &loaded.module.parameters;
        let given = &call.parameters[first.min(call.parameters.len())..];
        let place = |(number, parameter): (usize, &ModuleParameter)| {
            let named = given.iter().position(|one| one.name.eq_ignore_ascii_case(&parameter.name));
            named.or_else(|| given.get(number).filter(|one| one.name.is_empty()).map(|_| number))
        };
        let places: Vec<Option<usize>> = declared.iter().enumerate().map(place).collect();
        let values: Vec<Value> = given.iter().map(|parameter| single(&parameter.value)).collect();
        let argument = |place: &Option<usize>| match place {
            Some(place) => RunArgument::Value(values[*place].as_ref()),
            None => RunArgument::Default,
        };
        let arguments: Vec<RunArgument<'_>> = places.iter().map(argument).collect();
        if !self.run(loaded, &arguments, DoneKind::InProcedure, sink) {
            return;
        }
        sink.return_status(0);
        for (place, parameter) in declared.iter().enumerate() {
            let Some(number) = places[place] else { continue };
            if parameter.is_output || given[number].output {
                let column = Column::new(parameter.name.clone(), parameter.data_type);
                let _ = sink.return_value((first + number) as u16, &column, self.machine.parameter(place));
            }
        }
    }
}

impl mainstay_tds::Session for Session {
    fn database(&self) -> String {
        self.inner.state.database.clone()
    }

    fn batch(&mut self, text: &str, sink: &mut dyn Sink) {
        Session::batch(self, text, sink);
    }

    fn call(&mut self, call: &Call, sink: &mut dyn Sink) {
        Session::call(self, call, sink);
    }

    fn transaction(&mut self, request: &TransactionRequest, sink: &mut dyn Sink) {
        self.begin();
        let outcome = self.inner.transaction_request(request, sink);
        let error = match outcome {
            Ok(()) => false,
            Err(raised) => {
                report(&raised, &mut self.inner.state, sink);
                true
            }
        };
        let command = match request {
            TransactionRequest::Begin(_) => Command::BEGIN_TRANSACTION,
            TransactionRequest::Commit { .. } => Command::COMMIT,
            _ => Command::ROLLBACK,
        };
        sink.done(Done { kind: DoneKind::Statement, command, count: None, error });
    }

    fn bulk_insert(&mut self, columns: &[Column], rows: &mut dyn BulkRows, sink: &mut dyn Sink) {
        self.begin();
        match self.inner.bulk_insert(columns, rows) {
            Ok(count) => sink.done(Done {
                kind: DoneKind::Statement,
                command: Command::BULK_INSERT,
                count: Some(count),
                error: false,
            }),
            Err(message) => refuse(&[message], sink, &mut self.inner.state),
        }
    }

    fn reset(&mut self, keep_transaction: bool) {
        self.inner.reset(keep_transaction);
    }

    fn cancel_handle(&self) -> Arc<dyn Cancel> {
        Arc::clone(&self.cancel) as Arc<dyn Cancel>
    }
}

impl Inner {
    /// A table that a client sends as a parameter: a temporary table under a name of its own.
    fn table_value(&mut self, number: usize, table: &TableValue) -> Result<String, Box<Raised>> {
        let name = format!("@parameter{number}");
        let columns: Vec<String> = table
            .columns
            .iter()
            .enumerate()
            .map(|(place, column)| match column.name.as_str() {
                "" => format!("\"c{place}\" {}", reduce::type_name(column.data_type)),
                name => format!("{} {}", reduce::quoted(name), reduce::type_name(column.data_type)),
            })
            .collect();
        // The columns are called as their type calls them.
        let declared = self.type_columns(&table.name, &columns);
        let core = reduce::quoted(&name);
        self.execute(&format!("DROP TABLE IF EXISTS {core}"))?;
        self.execute(&format!("CREATE TEMPORARY TABLE {core} ({})", declared.join(", ")))?;
        self.insert_rows(&core, declared.len(), &table.rows)?;
        if let Some(level) = self.state.level() {
            level.tables.insert(name.clone(), TemporaryTable { core: name.clone(), borrowed: false });
        }
        self.state.version += 1;
        Ok(name)
    }

    fn type_columns(&mut self, name: &str, sent: &[String]) -> Vec<String> {
        let elements = self.modules.table_type(&object_name(name)).map(<[_]>::to_vec);
        let types = elements.and_then(|elements| reduce::column_types(&elements, &self.names(&[])).ok());
        match types {
            Some(types) if types.len() == sent.len() => types
                .iter()
                .map(|(name, data_type)| format!("{} {}", reduce::quoted(name), reduce::type_name(*data_type)))
                .collect(),
            _ => sent.to_vec(),
        }
    }

    /// Learns of objects that other sessions have made.
    pub(crate) fn refresh(&mut self) -> Result<(), Message> {
        let version = Arc::clone(&self.instance.version);
        self.modules.refresh(&mut self.core, &version).map_err(|error| crate::errors::message_of(&error))
    }
}

/// Tells the client what is wrong with something that did not run.
fn refuse(messages: &[Message], sink: &mut dyn Sink, state: &mut State) {
    for message in messages {
        sink.message(message);
        state.error = message.number;
    }
    sink.done(Done { kind: DoneKind::Statement, command: Command::NONE, count: None, error: true });
}

/// Tells the client of an error that ended what ran.
fn report(raised: &Raised, state: &mut State, sink: &mut dyn Sink) {
    state.error = raised.number;
    // A cancellation is answered by the door.
    if !raised.uncatchable {
        sink.message(&message_from(raised));
    }
}

/// The value of a parameter; tables have none.
fn single(value: &ParameterValue) -> Value {
    match value {
        ParameterValue::Single(value) | ParameterValue::Variant(_, value) => value.clone(),
        ParameterValue::Table(_) => Value::Null,
    }
}

/// The values that the parameters of a module are given, by their places; `None` for a default.
fn places(
    loaded: &Loaded,
    values: &[(Option<String>, Value, bool)],
    procedure: &str,
) -> Result<Vec<Option<usize>>, Message> {
    let parameters = &loaded.module.parameters;
    if values.len() > parameters.len() {
        let text = format!("Procedure or function {procedure} has too many arguments specified.");
        return Err(Message::error(8144, text).state(2));
    }
    let mut places = vec![None; parameters.len()];
    for (number, (name, _, is_default)) in values.iter().enumerate() {
        let place = match name {
            None => Some(number),
            Some(name) => parameters.iter().position(|parameter| parameter.name.eq_ignore_ascii_case(name)),
        };
        let Some(place) = place else {
            let name = name.as_deref().unwrap_or("");
            return Err(Message::error(8145, format!("{name} is not a parameter for procedure {procedure}.")));
        };
        if !is_default {
            places[place] = Some(number);
        }
    }
    Ok(places)
}

/// A name of parts, as a client writes it: `dbo.t`, `[my table]`, `tempdb..#t`.
pub(crate) fn object_name(text: &str) -> ObjectName {
    let mut parts = Vec::new();
    let mut part = Name::default();
    let mut rest = text.trim().chars().peekable();
    while let Some(first) = rest.next() {
        match first {
            '.' => parts.push(std::mem::take(&mut part)),
            '[' | '"' if part.text.is_empty() => {
                let last = if first == '[' { ']' } else { '"' };
                part.quoted = true;
                while let Some(next) = rest.next() {
                    if next == last && rest.peek() != Some(&last) {
                        break;
                    }
                    if next == last {
                        rest.next();
                    }
                    part.text.push(next);
                }
            }
            c => part.text.push(c),
        }
    }
    parts.push(part);
    ObjectName { parts, ..ObjectName::default() }
}

/// The moment, as the server's clock shows it.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let days = i32::try_from(since.as_secs() / 86_400).unwrap_or(0);
    let ticks = (since.as_nanos() % (86_400 * 1_000_000_000)) / 100;
    Timestamp::at(Date(days), ticks as i64)
}
