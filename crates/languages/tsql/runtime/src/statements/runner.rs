//! The host of the machine: runs each statement of a program.

use crate::columns::{Column, Messages, sent};
use crate::definitions::dependencies::Preceded;
use crate::objects::modules::Loaded;
use crate::objects::procedures;
use crate::session::sent_rows::stopped;
use crate::session::state::Level;
use crate::session::{self, Begun, Inner, object_name};
use crate::statements::errors::{at_level, message_from, of_fault, raised};
use crate::statements::flow::Origin;
use crate::statements::query::Plan;
use mainstay_session::push::{Command, Done, DoneKind, Environment, Sink};
use mainstay_tsql_syntax::compile::{Action, HostStatement};
use mainstay_tsql_syntax::reduce::{Hinted, SessionFunction};
use mainstay_tsql_types::{Context, Message, Switches};
use mainstay_types::{Timestamp, Value, ValueRef};
use mainstay_vm::{
    Fault, FaultAnswer, Flow, Host, Machine, Produced, Program, Raised, Resolved, Scratch, Slot, StatementCall,
    StatementId, Unhandled,
};
use std::sync::Arc;

/// A run of a batch or procedure.
pub(crate) struct Runner<'a> {
    pub(crate) inner: &'a mut Inner,
    pub(crate) sink: &'a mut dyn Sink,
    /// The modules that run, the innermost last.
    stack: Vec<Arc<Loaded>>,
    /// Modules that are about to be entered.
    expected: Vec<Arc<Loaded>>,
    kind: DoneKind,
    levels_before: usize,
    /// The initial contents of the next level: `inserted` and `deleted`, and the columns that are set.
    pub(crate) coming: Option<Level>,
    /// The rows that a function has left in its table.
    pub(crate) returned: Vec<Vec<Value>>,
    /// A transaction count that a procedure has changed: before, after, and its name.
    pub(crate) miscounted: Option<(u32, u32, Option<String>)>,
    /// The number of running functions, during which no messages are sent.
    pub(crate) silent: usize,
    /// True if the running statement has sent columns.
    pub(crate) gives_rows: bool,
    /// The beginning of the running statement, as long as SET STATISTICS reports on it.
    pub(crate) measured: Option<Begun>,
    /// The beginnings of the modules that run.
    begun: Vec<Begun>,
}

/// The lists of a run that is over, empty, for the session's next one.
#[derive(Default)]
pub(crate) struct Spare {
    stack: Vec<Arc<Loaded>>,
    expected: Vec<Arc<Loaded>>,
    begun: Vec<Begun>,
}

/// The numbers of statements from here on are system procedures, by their places in the list of them: the machine keeps
/// what a call was resolved to from run to run.
const SYSTEM: u32 = 1 << 31;

/// Values of an operation for which no list is made.
const FEW: usize = 4;

pub(crate) type Ran = Result<Flow, Box<Raised>>;

impl<'a> Runner<'a> {
    pub(crate) fn new(inner: &'a mut Inner, sink: &'a mut dyn Sink, kind: DoneKind) -> Runner<'a> {
        let levels_before = inner.state.levels.len();
        let Spare { stack, expected, begun } = std::mem::take(&mut inner.spare);
        Runner {
            inner,
            sink,
            stack,
            expected,
            kind,
            levels_before,
            coming: None,
            returned: Vec::new(),
            miscounted: None,
            silent: 0,
            gives_rows: false,
            measured: None,
            begun,
        }
    }

    /// A module that will be entered next.
    pub(crate) fn expect(&mut self, loaded: &Arc<Loaded>) {
        self.expected.push(Arc::clone(loaded));
    }

    /// Cleans up after a run, however it ended.
    pub(crate) fn finish(&mut self) {
        self.inner.announce(self.sink);
        self.forget_captured_from(0);
        while self.inner.state.levels.len() > self.levels_before {
            self.leave_level();
        }
        let (mut stack, mut expected) = (std::mem::take(&mut self.stack), std::mem::take(&mut self.expected));
        let mut begun = std::mem::take(&mut self.begun);
        stack.clear();
        expected.clear();
        begun.clear();
        self.inner.spare = Spare { stack, expected, begun };
    }

    /// The number of running modules.
    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// True if what runs has a level of its own: the batch itself works on the session's.
    pub(crate) fn is_within_call(&self) -> bool {
        !self.stack.is_empty() || self.kind != DoneKind::Statement
    }

    /// The kind of a statement's end, for the client.
    pub(crate) fn kind(&self) -> DoneKind {
        if self.stack.len() > 1 { DoneKind::InProcedure } else { self.kind }
    }

    /// Says that a statement is done.
    pub(crate) fn done(&mut self, command: Command, count: Option<u64>) {
        self.inner.announce(self.sink);
        self.tell_forgiven();
        if self.measured.is_some() {
            session::tell(self);
        }
        self.inner.state.error = 0;
        if self.silent > 0 {
            return;
        }
        // Rows that INSERT ... EXEC takes are not the client's.
        if command == Command::Select && !self.inner.state.captured.is_empty() {
            return;
        }
        let kind = self.kind();
        let nocount = self.inner.state.options.nocount;
        let count = if nocount { None } else { count };
        let gave_rows = std::mem::take(&mut self.gives_rows);
        // Without a count a statement inside of a procedure is worth a token only where a result ends: clients take the
        // columns of the next one for a broken answer otherwise.
        if count.is_some() || gave_rows || kind == DoneKind::Statement {
            self.sink.done(Done { kind, command, count, error: false });
        }
    }

    /// Begins a result.
    pub(crate) fn columns(&mut self, columns: &[Column]) -> Result<(), Box<Raised>> {
        self.gives_rows = true;
        self.sink.columns(&sent(columns)).map_err(stopped)
    }

    /// A row of the result that was begun.
    pub(crate) fn show_row(&mut self, values: &[ValueRef<'_>]) -> Result<(), Box<Raised>> {
        self.sink.row(values).map_err(stopped)
    }

    pub(crate) fn message(&mut self, message: Message) {
        self.sink.tell(&message);
    }

    fn statement(&self, id: StatementId) -> Option<(Arc<Loaded>, usize)> {
        let loaded = self.stack.last()?;
        Some((Arc::clone(loaded), id.0 as usize))
    }

    /// The plan of the statement that runs, taken out while it is used.
    pub(crate) fn take_plan(&mut self, loaded: &Arc<Loaded>, statement: usize) -> Option<Box<Plan>> {
        loaded.plans().get_mut(statement)?.take()
    }

    pub(crate) fn put_plan(&mut self, loaded: &Arc<Loaded>, statement: usize, plan: Box<Plan>) {
        if let Some(place) = loaded.plans().get_mut(statement) {
            *place = Some(plan);
        }
    }

    fn leave_level(&mut self) {
        let Some(level) = self.inner.state.levels.pop() else { return };
        self.inner.state.forget_names_of_ended_levels();
        if let Some(options) = level.options {
            self.inner.restore_options(options);
        }
        if let Some(database) = level.database.filter(|database| *database != self.inner.state.database) {
            let (new, old) = (database.clone(), std::mem::replace(&mut self.inner.state.database, database));
            self.sink.environment(&Environment::Database { new, old });
        }
        if let Some(table) = level.returns.as_ref().and_then(|name| level.tables.get(name)) {
            self.returned = self.inner.all_rows(&table.core).unwrap_or_default();
        }
        for table in level.tables.values().filter(|table| !table.borrowed) {
            // A table that a rollback has taken away is not there any more.
            let _ = self.inner.core.execute_uninterrupted(&format!(
                "DROP TABLE IF EXISTS {}",
                mainstay_tsql_syntax::reduce::quoted(&table.core)
            ));
            self.inner.state.names_changed();
        }
        self.inner.state.end_cursors(level.cursors, &level.cursor_parameters);
    }

    /// The value of a session function.
    pub(crate) fn session_value(&mut self, function: SessionFunction, error: Option<&Raised>) -> Value {
        if function.name == "@@procid" {
            return Value::Integer(self.own_id());
        }
        if function.name == "@@dbts" {
            return Value::Binary(
                crate::definitions::sequences::last_row_version(&self.inner.core).to_be_bytes().to_vec(),
            );
        }
        crate::statements::flow::session_value(&self.inner.state, self.stack.len(), function, error)
    }

    /// The number of the procedure, function or trigger that runs; 0 in a batch.
    fn own_id(&mut self) -> i64 {
        let Some(loaded) = self.stack.last().cloned() else { return 0 };
        let Ok(catalog) = self.inner.catalog() else { return 0 };
        let name = loaded.module.routine.name.as_ref();
        let found = (!name.is_empty()).then(|| catalog.find(&object_name(name))).flatten();
        found.map_or(0, |object| object.id)
    }

    /// The options that the module was made under that runs; none in a batch.
    pub(crate) fn module_switches(&self) -> Option<Switches> {
        self.stack.last().and_then(|loaded| loaded.made_under)
    }

    /// The facts about the session that functions ask for.
    pub(crate) fn context(&self) -> Context<'_> {
        let state = &self.inner.state;
        Context {
            now_utc: state.now(),
            settings: state.options.settings,
            forgiven: Some(self.inner.forgiven.as_ref()),
            database: &state.database,
            login: &state.login,
            host: &state.host,
            application: &state.application,
            random: Some(&state.random),
            ..Context::default()
        }
    }

    fn run(&mut self, loaded: &Arc<Loaded>, number: usize, call: &mut StatementCall<'_>) -> Ran {
        match self.run_action(loaded, number, call) {
            // Nothing of it has run: with aliases for its tables that no column has, its meaning is unambiguous.
            Err(error) if looks_into_a_column(&error) && loaded.is_query(number) => {
                drop(self.take_plan(loaded, number));
                self.inner.disguises.set(true);
                let again = self.run_action(loaded, number, call);
                self.inner.disguises.set(false);
                again
            }
            outcome => outcome,
        }
    }

    fn run_action(&mut self, loaded: &Arc<Loaded>, number: usize, call: &mut StatementCall<'_>) -> Ran {
        let Some(host) = loaded.module.actions.get(number) else { return Ok(Flow::NEXT) };
        let options = &self.inner.state.options;
        if options.is_unexecuted() && !matches!(host.action, Action::SetOption(_) | Action::Session(_)) {
            return Ok(Flow::NEXT);
        }
        if options.fmt_only && !self.is_described(&host.action)? {
            return Ok(Flow::NEXT);
        }
        let options = &self.inner.state.options;
        if options.implicit_transactions
            && self.inner.state.transactions == 0
            && crate::statements::transactions::begins_transaction(&host.action)
        {
            self.inner.transaction(&mainstay_tsql_syntax::tree::Transaction::Begin(false, None, None), None)?;
            self.inner.announce(self.sink);
            // No running module has to end it: no procedure miscounts by it.
            self.inner.state.levels.iter_mut().for_each(|level| level.transactions = 1);
        }
        if session::has_plan(&host.action) || self.inner.state.options.statistics.any() {
            return session::run_measured(self, loaded, number, host, call);
        }
        self.run_hinted(loaded, number, host, call)
    }

    /// A statement of the host, with what its hints lock.
    pub(crate) fn run_hinted(
        &mut self,
        loaded: &Arc<Loaded>,
        number: usize,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let inputs = host.inputs.iter().enumerate();
        self.inner.begin_nulls(inputs.map(|(place, (name, _))| (name.as_str(), call.input(place).is_null())));
        if host.hinted.is_empty() {
            return self.act(loaded, number, host, call);
        }
        let is_hurried = host.hinted.iter().any(Hinted::is_hurried);
        if is_hurried {
            self.inner.wait_for_locks(0)?;
        }
        let done = match self.lock_hinted(loaded, number, host, call) {
            Some(done) => done,
            None => self.act(loaded, number, host, call),
        };
        if is_hurried {
            self.inner.wait_for_locks(self.inner.state.options.lock_timeout)?;
        }
        done
    }

    /// Runs a statement after the locks of its hints are taken.
    pub(crate) fn act(
        &mut self,
        loaded: &Arc<Loaded>,
        number: usize,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        match &host.action {
            Action::Operation(operation) => self.operation(operation, call),
            Action::Session(function) => {
                let value = self.session_value(*function, call.error());
                set(call, 0, value.as_ref())
            }
            Action::Catalog(function) => {
                let inputs: Vec<Value> = (0..call.inputs()).map(|place| call.input(place).to_value()).collect();
                let value = self.inner.catalog_value(function.name, &inputs);
                set(call, 0, value.as_ref())
            }
            Action::ColumnUpdated(column) => set(call, 0, ValueRef::Boolean(self.inner.state.is_updated(column))),
            Action::TableParameter(name, of_type) => {
                let given = crate::statements::flow::text_of(call.input(call.inputs().saturating_sub(1)));
                self.table_parameter(&name.text, of_type, &given)
            }
            Action::CursorParameter(name) => self.cursor_parameter(
                &name.text,
                &crate::statements::flow::text_of(call.input(call.inputs().saturating_sub(1))),
            ),
            Action::Counted(rows) => {
                (self.inner.state.row_count, self.inner.state.error) = (*rows, 0);
                Ok(Flow::NEXT)
            }
            Action::BeginRow(_) => self.begin_row(loaded, number),
            Action::Row { is_begun, .. } => self.row(loaded, number, *is_begun, call),
            Action::Query(query) => self.query(loaded, number, host, query, call),
            Action::Assign(query, assigned) => self.assign(loaded, number, host, query, assigned, call),
            Action::Value(value, _) => self.value(loaded, number, host, value, call),
            Action::Condition(condition) => self.value(loaded, number, host, condition, call),
            Action::Change(change) => self.change(loaded, number, host, change, call),
            Action::AfterCall => self.after_call(),
            Action::BeginCapture => self.begin_capture(call),
            Action::EndCapture(change) => self.insert_captured(host, change, call),
            Action::DeclareCursor(name, cursor) => self.declare_cursor(loaded, number, name, cursor, call),
            other => self.plain(other, host, call),
        }
    }

    fn operation(&mut self, operation: &mainstay_tsql_syntax::compile::Operation, call: &mut StatementCall<'_>) -> Ran {
        let count = call.inputs();
        let (mut few, many);
        let values: &[ValueRef<'_>] = match count <= FEW {
            true => {
                few = [ValueRef::Null; FEW];
                few.iter_mut().take(count).enumerate().for_each(|(place, slot)| *slot = call.input(place));
                few.get(..count).unwrap_or_default()
            }
            false => {
                many = (0..count).map(|place| call.input(place)).collect::<Vec<_>>();
                &many
            }
        };
        let value = operation.evaluate(&self.context(), values).map_err(raised)?;
        if !self.gives_rows {
            self.tell_forgiven();
        }
        set(call, 0, value.as_ref())
    }
}

/// The characters that a declared type of text has room for, when values that are short enough are of it as they are.
fn room_for_text(declared: &str) -> Option<usize> {
    let length = declared.strip_prefix('n').unwrap_or(declared).strip_prefix("varchar(")?.strip_suffix(')')?;
    if length == "max" { Some(usize::MAX) } else { length.parse().ok() }
}

/// Returns true if the core took the name of a table of an outer query for a column's.
fn looks_into_a_column(error: &Raised) -> bool {
    error.number == 50000 && error.text.starts_with("Cannot access field")
}

/// Sets an output of a statement.
pub(crate) fn set(call: &mut StatementCall<'_>, output: usize, value: ValueRef<'_>) -> Ran {
    match call.set(output, value) {
        Ok(()) => Ok(Flow::NEXT),
        Err(fault) => Err(raised(of_fault(&fault))),
    }
}

impl Host for Runner<'_> {
    fn execute(&mut self, call: &mut StatementCall<'_>) -> Ran {
        self.inner.state.tick();
        let id = call.statement();
        if let Some(name) = id.0.checked_sub(SYSTEM).and_then(procedures::name) {
            return procedures::execute(self, name, call);
        }
        match self.statement(id) {
            Some((loaded, number)) => {
                let ran = self.run(&loaded, number, call);
                let (inner, state) = (&*self.inner, &self.inner.state);
                ran.map_err(|error| at_level(inner.named_as_written(error), state.options.isolation, state.process))
            }
            None => Err(raised(of_fault(&Fault::Internal("a statement outside of a module")))),
        }
    }

    fn resolve(&mut self, name: &str) -> Result<Resolved, Box<Raised>> {
        self.inner.refresh().map_err(raised)?;
        let object = object_name(name);
        if let Some(object) = self.inner.modules.called(&object).cloned() {
            // A caller that depends on options calls modules that do: the answer is cached, and the options may have
            // changed at the next call.
            let is_plain = self.inner.state.options.settings.is_plain();
            let is_plain = is_plain && !self.stack.last().is_some_and(|caller| caller.module.asks_options);
            let loaded = self.inner.modules.load(&object, is_plain).map_err(|message| raised(*message))?;
            self.expect(&loaded);
            return Ok(Resolved::Program(Arc::clone(&loaded.program)));
        }
        if let Some(number) = procedures::number(object.last()) {
            return Ok(Resolved::Statement(StatementId(SYSTEM + number)));
        }
        let shown: Vec<&str> = object.parts.iter().map(|part| part.text.as_str()).collect();
        let text = format!("Could not find stored procedure '{}'.", shown.join("."));
        Err(raised(Message::error(2812, text).state(62)))
    }

    fn stamp(&self) -> u64 {
        self.inner.modules.version_at(&self.inner.instance.version)
    }

    fn fault(&mut self, fault: Fault) -> FaultAnswer {
        let mut answer = match &fault {
            Fault::TooManyArguments { routine } | Fault::UnknownArgument { routine, .. }
                if self.takes_no_arguments(routine) =>
            {
                raised(Message::numbered(8146, &[routine]).state(2))
            }
            fault => raised(of_fault(fault)),
        };
        // An error in the arguments of a call is reported as the routine's, before its first line.
        answer.routine = match &fault {
            Fault::MissingArgument { routine, .. }
            | Fault::RepeatedArgument { routine, .. }
            | Fault::UnknownArgument { routine, .. }
            | Fault::TooManyArguments { routine }
            | Fault::NotAnOutput { routine, .. } => Some(Arc::clone(routine)),
            _ => None,
        };
        answer.uncatchable = !fault.is_catchable();
        answer.fault = Some(fault);
        FaultAnswer::Raise(answer)
    }

    fn unhandled(&mut self, error: &Raised) -> Unhandled {
        let ends_batch = error.uncatchable
            || self.silent > 0
            || self.inner.state.options.xact_abort && Origin::of(error) != Some(Origin::Raiserror)
            || error.severity >= 20
            || self.inner.has_lost_transaction()
            || crate::statements::transactions::ends_transaction(error.number)
            || matches!(error.number, 217 | 701 | 3609)
            || self.inner.state.options.aborts_at(error.number)
            || matches!(Origin::of(error), Some(Origin::Throw | Origin::Trigger));
        if ends_batch {
            return Unhandled::Propagate;
        }
        self.forget_captured();
        self.inner.state.error = error.number;
        self.inner.state.row_count = 0;
        let message = message_from(error);
        let preceded = error.detail.as_ref().and_then(|detail| detail.downcast_ref::<Preceded>());
        for Message { number, severity, state, text, .. } in preceded.iter().flat_map(|preceded| preceded.0.clone()) {
            self.sink.tell(&Message { number, severity, state, text, ..message.clone() });
        }
        self.sink.tell(&message);
        if matches!(Origin::of(error), Some(Origin::Key | Origin::Reference)) {
            let text = "Could not create constraint or index. See previous errors.".to_owned();
            self.sink.tell(&Message { number: 1750, severity: 16, state: 0, text, ..message.clone() });
        }
        if matches!(Origin::of(error), Some(Origin::Change | Origin::Key)) {
            let text = "The statement has been terminated.".to_owned();
            self.sink.tell(&Message { number: 3621, severity: 0, state: 0, text, ..message });
        }
        let kind = self.kind();
        self.gives_rows = false;
        self.sink.done(Done { kind, command: Command::None, count: None, error: true });
        match error.passes_own_handlers {
            true => Unhandled::EndRoutine,
            false => Unhandled::NextStatement,
        }
    }

    fn caught(&mut self, error: &Raised) {
        self.forget_captured();
        self.miscounted = None;
        (self.inner.state.error, self.inner.state.row_count) = (error.number, 0);
        let aborts = self.inner.state.options.xact_abort && Origin::of(error) != Some(Origin::Raiserror);
        // An error that ends the batch when it is not caught leaves nothing to commit when it is.
        let dooms = self.inner.has_lost_transaction()
            || crate::statements::transactions::ends_transaction(error.number)
            || self.inner.state.options.aborts_at(error.number);
        if (aborts || dooms) && self.inner.state.transactions > 0 {
            self.inner.state.doomed = true;
        }
    }

    fn status_after(&self, error: &Raised) -> Option<i64> {
        (self.silent == 0 && error.severity > 10).then(|| 10 - i64::from(error.severity))
    }

    fn entered(&mut self, program: &Arc<Program>, _: usize) {
        let found = self.expected.iter().rev().find(|loaded| Arc::ptr_eq(&loaded.program, program)).cloned();
        let found = found.or_else(|| self.stack.iter().find(|loaded| Arc::ptr_eq(&loaded.program, program)).cloned());
        let Some(loaded) = found.or_else(|| self.inner.modules.by_program(program)) else { return };
        self.expected.retain(|other| !Arc::ptr_eq(other, &loaded));
        if self.is_within_call() {
            let mut level = self.coming.take().unwrap_or_default();
            level.options = Some(self.inner.state.options.clone());
            level.transactions = self.inner.state.transactions;
            self.inner.state.levels.push(level);
        }
        if let Some(made_under) = loaded.made_under {
            self.inner.state.options.run_under(made_under);
        }
        self.begun.push(session::begin_module(self.inner, &loaded));
        self.stack.push(loaded);
    }

    fn left(&mut self, _: &Arc<Program>, _: usize) {
        let left = self.stack.pop();
        if let (Some(left), Some(begun)) = (&left, self.begun.pop()) {
            session::end_module(self, left, begun);
        }
        self.count_transactions(left.as_deref());
        if self.is_within_call() {
            self.leave_level();
        } else {
            self.forget_variables();
        }
    }

    fn convert(&mut self, value: ValueRef<'_>, to: &Slot, scratch: &mut Scratch) -> Result<Produced, Box<Raised>> {
        if let ValueRef::Text(text) = value
            && room_for_text(&to.declared).is_some_and(|room| text.len() <= room && text.is_ascii())
        {
            return Ok(scratch.produce(value));
        }
        let Some(wanted) = mainstay_tsql_types::operation::data_type(&to.declared) else {
            return scratch.coerce(value, to.ty).map_err(|fault| raised(of_fault(&fault)));
        };
        let (from, within) = mainstay_tsql_types::variant::decode(value);
        let failed = |error: Message| match error.number {
            // Errors of unspecific texts; overflows keep their own words.
            235 | 241 | 245 | 8169 => {
                let text = format!("Error converting data type {} to {}.", from.name(), wanted.name());
                raised(Message::error(8114, text).state(5))
            }
            _ => raised(error),
        };
        let converted = mainstay_tsql_types::convert::convert(&self.context(), within.as_ref(), from, wanted, None)
            .map_err(failed)?;
        Ok(Produced::Value(converted))
    }

    fn now(&mut self) -> Timestamp {
        self.inner.state.now()
    }
}

impl Runner<'_> {
    /// Table variables of a batch end with it.
    fn forget_variables(&mut self) {
        let Some(level) = self.inner.state.levels.last_mut() else { return };
        let cursors = std::mem::take(&mut level.cursors);
        let names: Vec<String> = level.tables.keys().filter(|name| name.starts_with('@')).cloned().collect();
        names.iter().for_each(|name| self.inner.drop_variable(name));
        self.inner.state.end_cursors(cursors, &[]);
    }

    /// Runs a text inside of the statement that runs.
    pub(crate) fn nested(&mut self, loaded: &Arc<Loaded>, machine: &mut Machine) -> Ran {
        self.expect(loaded);
        let program = Arc::clone(&loaded.program);
        machine.run(self, &program, &[])?;
        Ok(Flow::NEXT)
    }
}
