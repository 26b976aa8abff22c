//! One connection: batches and calls, and the answers to the client.

use crate::changes::table_values::TableValues;
use crate::columns::{Column, Messages, declared_type};
use crate::definitions::reused_temporaries::Remembered;
use crate::objects::functions::{Functions, Silence};
use crate::objects::modules::{Loaded, Modules};
use crate::objects::procedures;
use crate::objects::table_calls::TableCalls;
use crate::session::calls::{Calls, single};
use crate::session::compiled_texts::Texts;
use crate::session::instance::{Instance, Seat};
use crate::session::options::Options;
use crate::session::plan_dependencies::Uses;
use crate::session::scope::Cache;
use crate::session::state::State;
use crate::session::unexecuted;
use crate::session::{Request, timed_text};
use crate::statements::errors::message_from;
use crate::statements::null_variables::Nulls;
use crate::statements::runner::{Runner, Spare};
use mainstay_planner::{CancelHandle, FileReading};
use mainstay_session::Cancel;
use mainstay_session::push::{Call, Command, Done, DoneKind, Login, Sink};
use mainstay_tsql_syntax::compile::ModuleParameter;
use mainstay_tsql_types::language::Language;
use mainstay_tsql_types::{Forgiven, Message, Switches};
use mainstay_types::{Date, Timestamp, Value, ValueRef};
use mainstay_vm::{Limits, Machine, Raised, RunArgument};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A connection to a database, speaking T-SQL.
pub struct Session {
    pub(crate) inner: Inner,
    pub(crate) machine: Machine,
    pub(crate) cancel: Arc<Stopper>,
    /// The time limit of a batch or call.
    timeout: Option<Duration>,
    /// The time at which the running batch or call began.
    request: Request,
}

/// The state of a run, beside the machine.
pub(crate) struct Inner {
    pub(crate) instance: Instance,
    pub(crate) core: mainstay_engine::Session,
    pub(crate) modules: Modules,
    pub(crate) state: State,
    pub(crate) texts: Texts,
    pub(crate) called: Calls,
    /// The catalog, while nothing that it is made of has changed.
    pub(crate) catalog: Cache,
    /// The session's place among the others.
    pub(crate) seat: Option<Seat>,
    /// True if the statement that is being planned has read the catalog itself.
    pub(crate) is_momentary: Cell<bool>,
    /// The names that the statement that is being planned has asked for.
    pub(crate) uses: RefCell<Uses>,
    /// True if the statement that is being planned uses aliases that no column has.
    pub(crate) disguises: Cell<bool>,
    /// The functions that queries call for their rows.
    pub(crate) functions: Arc<Functions>,
    /// Functions whose tables statements read.
    pub(crate) table_calls: TableCalls,
    /// The temporary tables that it has made.
    pub(crate) made: Vec<Remembered>,
    /// The plans that lock what hints name, by their texts.
    pub(crate) lock_plans: crate::changes::hints::LockPlans,
    /// The options that the session began with, and has again after a reset.
    pub(crate) own_options: Options,
    /// The variables that are NULL to the running statement, where that matters.
    pub(crate) nulls: Nulls,
    /// The errors that gave NULL instead.
    pub(crate) forgiven: Arc<Forgiven>,
    /// Scratch stack for modules and arguments, emptied and reused between runs.
    pub(crate) spare: Spare,
}

/// Stops what runs, in the machine and in the core.
#[derive(Debug)]
pub(crate) struct Stopper {
    core: CancelHandle,
    machine: Arc<AtomicBool>,
}

impl Cancel for Stopper {
    fn cancel(&self) {
        self.machine.store(true, Ordering::Release);
        // A request has many statements: the cancellation is not only for the one that runs now.
        self.core.cancel_request();
    }
}

impl Stopper {
    /// Resets the cancellation: it is done, or was for the request before.
    fn go_on(&self) {
        self.machine.store(false, Ordering::Release);
        self.core.begin_request();
    }
}

impl Session {
    pub(crate) fn new(instance: &Instance, login: &str, host: &str, application: &str) -> Session {
        let seat = instance.seat(login, host, application);
        let mut session = Session::plain(instance, (login, host, application), seat.number(), (0, None));
        seat.activity().works_at(session.inner.core.work());
        seat.activity().read_by(session.inner.core.progress());
        seat.stop_with(Arc::clone(&session.cancel) as Arc<dyn Cancel>);
        session.inner.seat = Some(seat);
        session
    }

    /// A session for the functions that another one's queries call, this deep in each other.
    pub(crate) fn beside(instance: &Instance, depth: usize, stopper: Option<&Arc<Stopper>>) -> Session {
        Session::plain(instance, ("sa", "", ""), 0, (depth, stopper))
    }

    /// Sets the deadline of the run.
    pub(crate) fn limit(&mut self, deadline: Option<Instant>) {
        self.machine.set_deadline(deadline);
        self.inner.state.deadline = deadline;
    }

    /// The result of a function for these arguments.
    ///
    /// Errors: those of its statements, each of which ends it and is the error of the statement that calls it.
    pub(crate) fn function(&mut self, loaded: &Arc<Loaded>, values: &[ValueRef<'_>]) -> Result<Value, Box<Raised>> {
        let arguments: Vec<RunArgument<'_>> = values.iter().map(|value| RunArgument::Value(*value)).collect();
        let mut silence = Silence;
        let mut runner = Runner::new(&mut self.inner, &mut silence, DoneKind::InProcedure);
        runner.silent = 1;
        runner.expect(loaded);
        let outcome = self.machine.run(&mut runner, &loaded.program, &arguments);
        runner.finish();
        outcome.map(|()| self.machine.result().to_value())
    }

    fn plain(
        instance: &Instance,
        (login, host, application): (&str, &str, &str),
        process: i16,
        (depth, outer): (usize, Option<&Arc<Stopper>>),
    ) -> Session {
        let mut core = instance.database.session();
        core.wait_for_pending_rows();
        core.set_file_reading(FileReading {
            collation: mainstay_tsql_types::collation::COMPARISON,
            ..FileReading::AS_THEY_ARE
        });
        // The time is that of a batch, and not of each statement that the core is given.
        let timeout = core.timeout();
        core.set_timeout(None);
        let cancel = match outer {
            Some(outer) => Arc::clone(outer),
            None => Arc::new(Stopper { core: core.cancel_handle(), machine: Arc::default() }),
        };
        core.end_with(&cancel.core);
        let state = State::new(login, host, application, &instance.name, process);
        let catalog = Cache::default();
        let functions = Arc::new(Functions::new(instance, catalog.latest(), depth, Arc::clone(&cancel)));
        core.set_functions(Arc::clone(&functions) as Arc<dyn mainstay_planner::UserFunctions>);
        let inner = Inner {
            instance: instance.clone(),
            core,
            modules: Modules::default(),
            state,
            texts: Texts::default(),
            called: Calls::default(),
            catalog,
            functions,
            seat: None,
            is_momentary: Cell::new(false),
            uses: RefCell::default(),
            disguises: Cell::new(false),
            table_calls: TableCalls::default(),
            made: Vec::new(),
            lock_plans: crate::changes::hints::LockPlans::default(),
            own_options: Options::default(),
            nulls: Nulls::default(),
            forgiven: Arc::default(),
            spare: Spare::default(),
        };
        let limits = Limits { cancel: Some(Arc::clone(&cancel.machine)), ..Limits::default() };
        let machine = Machine::new(limits.within(instance.database.statement_bytes()));
        Session { inner, machine, cancel, timeout, request: Request::now() }
    }

    /// The database that the client has logged in to, and is in again after a reset.
    pub(crate) fn use_database(&mut self, name: &str) {
        name.clone_into(&mut self.inner.state.own_database);
        name.clone_into(&mut self.inner.state.database);
    }

    /// The options of a new connection, by its login: a client that does not use ODBC (DB-Library, and programs like
    /// it) has none of the standard's, and a language has its order of dates.
    pub(crate) fn begin_with_options_of(&mut self, login: &Login) {
        let own = &mut self.inner.own_options;
        if !login.has_standard_settings {
            own.settings.switches = Switches::NONE;
            own.settings.hears = self.inner.forgiven.number();
        }
        if let Some(language) = Language::by_name(&login.language) {
            own.settings.speak(language);
        }
        self.inner.restore_options(self.inner.own_options.clone());
    }

    /// Lets the session change nothing but its temporary tables.
    pub fn set_read_only(&mut self) {
        self.inner.core.set_read_only(true);
    }

    /// Runs a batch: everything between two GO lines.
    pub fn batch(&mut self, text: &str, sink: &mut dyn Sink) {
        self.begin(text, false);
        self.run_batch(text, sink);
        self.end();
    }

    fn run_batch(&mut self, text: &str, sink: &mut dyn Sink) {
        if self.is_only_parsed(text, sink) {
            return;
        }
        let loaded = timed_text(&mut self.inner, text, sink);
        self.complain(sink);
        match loaded {
            Err(messages) => refuse(&messages, sink, &mut self.inner.state),
            Ok(loaded) => {
                self.run(&loaded, &[], DoneKind::Statement, sink);
            }
        }
    }

    /// Calls a procedure with typed parameters. Output parameters and the return status come through the sink.
    pub fn call(&mut self, call: &Call, sink: &mut dyn Sink) {
        self.begin(&call.procedure, true);
        self.run_call(call, sink);
        self.end();
    }

    fn run_call(&mut self, call: &Call, sink: &mut dyn Sink) {
        let name = call.procedure.trim().trim_matches(['[', ']']);
        let name = name.rsplit('.').next().unwrap_or("");
        // The procedures of drivers begin so, and few others do.
        if !name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("sp_")) {
            return self.procedure_call(call, sink);
        }
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "sp_executesql" | "sp_prepexec" | "sp_prepare" | "sp_execute" | "sp_unprepare" | "sp_prepexecrpc" => {
                self.handle_call(&name, call, sink)
            }
            name if name.starts_with("sp_cursor") => self.handle_call(name, call, sink),
            _ => self.procedure_call(call, sink),
        }
    }

    /// Tells of files of the folder that do not compile.
    pub(crate) fn complain(&mut self, sink: &mut dyn Sink) {
        for text in std::mem::take(&mut self.inner.state.complaints) {
            let message = Message { number: 0, severity: 10, state: 1, text, procedure: None, line: 0 };
            sink.tell(&message);
        }
    }

    /// The form that a procedure, function or trigger is compiled to.
    ///
    /// Errors: 15009 for an unknown name, and those of compiling it.
    pub fn explain(&mut self, name: &str) -> Result<String, Message> {
        self.inner.refresh()?;
        let Some(object) = self.inner.modules.called(&super::object_name(name)).cloned() else {
            return Err(Message::numbered(15009, &[&name, &self.inner.state.database]));
        };
        let loaded = self.inner.load(&object).map_err(|message| *message)?;
        Ok(loaded.module.routine.to_string())
    }

    /// A function that cancels the running batch.
    pub fn stop(&self) -> impl Fn() + Send + use<> {
        let cancel = Arc::clone(&self.cancel);
        move || cancel.cancel()
    }

    /// Begins what a client asks for, and lets others see it.
    pub(crate) fn begin(&mut self, text: &str, is_call: bool) {
        let now = now();
        self.request = Request::now();
        self.cancel.go_on();
        self.limit_time(self.timeout);
        self.inner.state.begin_at(now);
        if let Some(seat) = &self.inner.seat {
            seat.activity().begin(text, is_call, now);
        }
    }

    pub(crate) fn end(&mut self) {
        self.limit_time(None);
        if let Some(seat) = &self.inner.seat {
            seat.activity().end(self.request.times(), self.inner.state.row_count);
        }
    }

    /// Sets the time limit of the client's request from now on; other work has none.
    fn limit_time(&mut self, timeout: Option<Duration>) {
        if self.timeout.is_some() {
            self.cancel.core.limit_request(timeout);
            self.limit(timeout.and_then(|timeout| Instant::now().checked_add(timeout)));
        }
    }

    /// Runs what is loaded; whether it came to its end.
    pub(crate) fn run(
        &mut self,
        loaded: &Arc<Loaded>,
        arguments: &[RunArgument<'_>],
        kind: DoneKind,
        sink: &mut dyn Sink,
    ) -> bool {
        if let Some(form) = self.inner.state.options.show_plan
            && !unexecuted::only_sets(loaded)
        {
            unexecuted::show(self, loaded, form, kind, sink);
            return false;
        }
        let mut runner = Runner::new(&mut self.inner, sink, kind);
        runner.expect(loaded);
        let outcome = self.machine.run(&mut runner, &loaded.program, arguments);
        runner.finish();
        let miscounted = runner.miscounted.take();
        if outcome.is_ok() {
            if let Some(counts) = miscounted {
                report(&crate::statements::transactions::miscounted(counts), &mut self.inner.state, sink);
            }
            self.inner.end_batch(sink);
        }
        match outcome {
            Ok(()) => true,
            Err(raised) => {
                if raised.uncatchable {
                    // The cancellation is done. What is to be done now is not for it.
                    self.cancel.go_on();
                    self.limit_time(None);
                }
                report(&raised, &mut self.inner.state, sink);
                self.inner.after_failure(&raised, sink);
                sink.done(Done { kind, command: Command::None, count: None, error: true });
                false
            }
        }
    }

    /// One of the system's procedures, with these values for the parameters that are sent.
    pub(crate) fn system_call(&mut self, call: &Call, values: &[ValueRef<'_>], sink: &mut dyn Sink) {
        let mut runner = Runner::new(&mut self.inner, sink, DoneKind::InProcedure);
        let names =
            call.parameters.iter().map(|parameter| Some(parameter.name.as_str()).filter(|name| !name.is_empty()));
        let given: Vec<(Option<&str>, ValueRef<'_>)> = names.zip(values.iter().copied()).collect();
        let outcome = procedures::run(&mut runner, &mut self.machine, &call.procedure, &given);
        runner.finish();
        match outcome {
            Ok(_) => sink.return_status(0),
            Err(raised) => {
                report(&raised, &mut self.inner.state, sink);
            }
        }
    }

    /// `sp_executesql` and the prepared handles.
    fn handle_call(&mut self, name: &str, call: &Call, sink: &mut dyn Sink) {
        match self.prepared_call(name, call, sink) {
            Ok(()) => {}
            Err(messages) => refuse_call(&messages, sink, &mut self.inner.state),
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
                for (place, name, state) in [(0, "@statement", 2), (1, "@params", 3)] {
                    let given =
                        call.parameters.get(place).filter(|given| !declared_type(&given.declared).is_national());
                    if let Some(given) = given
                        && single(&given.value) != Value::Null
                    {
                        return Err(vec![crate::objects::procedures::not_national(name, state)]);
                    }
                }
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
                self.procedure_call(&Call { procedure: text(1), parameters }, sink);
                self.give_handle(handle, sink);
                Ok(())
            }
            "sp_unprepare" => {
                self.inner.state.handles.remove(&handle_of(0));
                sink.return_status(0);
                Ok(())
            }
            _ => self.cursor_call(call, sink),
        }
    }

    /// The columns of a text's results.
    pub(crate) fn described(
        &mut self,
        text: &str,
        definitions: &str,
    ) -> Result<Vec<crate::session::collecting_sink::Collected>, Vec<Message>> {
        crate::session::describe::results(&mut self.inner, &mut self.machine, text, definitions)
    }

    fn give_handle(&mut self, handle: i32, sink: &mut dyn Sink) {
        let column = Column::new("@handle", mainstay_tsql_types::DataType::Int);
        let _ = sink.return_value(0, &(&column).into(), ValueRef::Integer(handle.into()));
    }

    /// Runs a text with parameters, with the values of a call from `first` on.
    pub(crate) fn run_text(&mut self, loaded: &Arc<Loaded>, call: &Call, first: usize, sink: &mut dyn Sink) {
        let declared = (&*loaded.module.parameters, first);
        self.with_tables(call, declared, sink, |it, tables, sink| {
            it.run_text_over(loaded, (call, tables), first, sink);
        });
    }

    fn run_text_over(
        &mut self,
        loaded: &Arc<Loaded>,
        (call, tables): (&Call, &TableValues),
        first: usize,
        sink: &mut dyn Sink,
    ) {
        let declared = &loaded.module.parameters;
        let given = &call.parameters[first.min(call.parameters.len())..];
        let place = |(number, parameter): (usize, &ModuleParameter)| {
            let named = given.iter().position(|one| one.name.eq_ignore_ascii_case(&parameter.name));
            named.or_else(|| given.get(number).filter(|one| one.name.is_empty()).map(|_| number))
        };
        let places: Vec<Option<usize>> = declared.iter().enumerate().map(place).collect();
        let argument = |place: &Option<usize>| match place {
            Some(place) => RunArgument::Value(tables.value(call, first + place)),
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
                let (value, declared) = (self.machine.parameter(place), (&*parameter.name, parameter.data_type));
                crate::session::calls::return_value(first + number, declared, &given[number], value, sink);
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The number of one that runs functions is its caller's.
        if self.inner.seat.is_some() {
            self.inner.instance.locks.end(self.inner.state.process, false);
        }
        if self.inner.state.globals.is_empty() && !self.inner.state.has_global_procedures {
            return;
        }
        if self.inner.state.transactions > 0 {
            let _ = self.inner.rollback(None);
        }
        self.inner.drop_globals();
        self.inner.drop_temporary_procedures();
    }
}

impl Inner {
    /// The same as [`Inner::refresh`] within a batch, which leaves the files of the folder as they were when it began.
    ///
    /// Errors: those of reading the objects.
    pub(crate) fn refresh_changed(&mut self) -> Result<(), Message> {
        match self.modules.is_of(&self.instance.version) {
            true => Ok(()),
            false => self.reread(),
        }
    }

    /// Learns of objects that other sessions have made.
    pub(crate) fn refresh(&mut self) -> Result<(), Message> {
        if let Some(folder) = self.instance.folder.clone() {
            let (changed, complaints) = folder.look(&self.modules);
            self.state.complaints.extend(complaints);
            if changed {
                self.instance.version.bump();
            }
        }
        self.reread()
    }

    fn reread(&mut self) -> Result<(), Message> {
        let (version, folder) = (Arc::clone(&self.instance.version), self.instance.folder.clone());
        // The current objects, and not those from the beginning of a statement that is calling a function.
        let before = self.core.see_statement(false);
        let refreshed = self.modules.refresh(&mut self.core, &version, folder.as_deref());
        self.core.see_statement(before);
        self.connect_functions();
        refreshed.map_err(|error| crate::statements::errors::message_of(&error))
    }
}

/// Tells the client what is wrong with something that did not run.
pub(crate) fn refuse(messages: &[Message], sink: &mut dyn Sink, state: &mut State) {
    refuse_call(messages, sink, state);
    sink.done(Done { kind: DoneKind::Statement, command: Command::None, count: None, error: true });
}

/// Sends the errors of a call that does not run. Its DONEPROC, which the server writes, is the only end that it has.
pub(crate) fn refuse_call(messages: &[Message], sink: &mut dyn Sink, state: &mut State) {
    for message in messages {
        sink.tell(message);
        state.error = message.number;
    }
}

/// Tells the client of an error that ended what ran.
pub(crate) fn report(raised: &Raised, state: &mut State, sink: &mut dyn Sink) {
    state.error = raised.number;
    // A cancellation has no number, and is answered by the door.
    if !raised.uncatchable || raised.number != 0 {
        sink.tell(&message_from(raised));
    }
}

/// The current time of the server's clock.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let days = i32::try_from(since.as_secs() / 86_400).unwrap_or(0);
    let ticks = (since.as_nanos() % (86_400 * 1_000_000_000)) / 100;
    Timestamp::at(Date(days), ticks as i64)
}
