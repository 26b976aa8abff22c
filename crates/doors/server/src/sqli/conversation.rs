//! The state of a client: its statements, the replies of the running group, and the handler of each message.
//!
//! The first error of a group is its last reply before the end: the rest of the group is not executed, as clients
//! expect.

use super::columns::{field, statement_type, type_of};
use super::connection::reply_of;
use super::cursor::{Cursor, Target};
use super::routine_calls;
use super::smart_lobs::{SmartLobs, end_statement, forget_call};
use super::statements::{Statement, Statements};
use mainstay_session::{Done, Failure, Prepared, Ran, Session, StatementKind, TransactionStep};
use mainstay_sqli::{
    Codeset, Context, Description, Features, Fetch, Form, Keys, LobStep, Mask, Parameter, Reply, Request, SimpleLob,
    StatementType, TypeCode, TypeDescription, read_value, write_value,
};
use mainstay_types::Value;

/// Bits of the warnings behind the opening of a database: it has transactions, it is not an ANSI database's opposite (SE).
const DATABASE_WARNINGS: u16 = 0x05;
/// The warning of a statement that has no effect here, or beside which something was not done.
const NO_EFFECT_WARNING: u16 = 0x40;
/// Room for replies that a client keeps between its groups.
const KEPT_REPLY_BYTES: usize = 128 << 10;
/// The longest piece of a BYTE or TEXT value.
const LOB_PIECE: usize = 32_000;
/// The most bytes of BYTE and TEXT values of one row.
const MOST_LOB_BYTES: usize = 256 << 20;

/// The next step of the connection after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Reads the next message.
    GoOn,
    /// Sends the replies of the group.
    Send,
    /// Sends them and closes the connection.
    Exit,
}

/// A client that has logged in.
pub(super) struct Conversation {
    session: Box<dyn Session>,
    context: Context,
    statements: Statements,
    replies: Vec<u8>,
    /// An error has ended the group before its end.
    has_failed: bool,
    is_at_start: bool,
    /// The last statement, for the log.
    text: String,
    /// Bytes of the BYTE and TEXT values that are coming in.
    lob_bytes: usize,
    smart_lobs: SmartLobs,
    /// Warnings for the next DONE.
    warnings: u16,
    /// A routine with OUT parameters whose arguments come next.
    called: Option<u32>,
    /// Types and values of such a routine, which wait for the state of the call: it may ask for the types.
    results: Option<[Reply; 2]>,
    /// A second end may follow the group of a description of parameters: it is not answered.
    may_end_twice: bool,
}

fn out_of_order(what: &str) -> Failure {
    Failure { number: -404, message: format!("{what} of a statement that is not there"), ..Failure::default() }
}

/// The error of a parameter whose value cannot be held: -1226 for numbers, -1263 for fields of a moment, -1213 for others.
fn not_held(place: usize, parameter: &Parameter) -> Failure {
    let number = match parameter.code {
        TypeCode::DECIMAL | TypeCode::MONEY => -1226,
        TypeCode::DATETIME | TypeCode::INTERVAL => -1263,
        TypeCode::DATE => -1210,
        _ => -1213,
    };
    let reason = parameter.invalid.as_ref().map(ToString::to_string).unwrap_or_default();
    Failure { number, message: format!("parameter {}: {reason}", place + 1), ..Failure::default() }
}

impl Conversation {
    pub fn new(session: Box<dyn Session>, codeset: Codeset) -> Conversation {
        Conversation {
            session,
            context: Context { features: Features::default(), codeset },
            statements: Statements::default(),
            replies: Vec::new(),
            has_failed: false,
            is_at_start: true,
            text: String::new(),
            lob_bytes: 0,
            smart_lobs: SmartLobs::default(),
            called: None,
            results: None,
            may_end_twice: false,
            warnings: 0,
        }
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    pub fn replies(&self) -> &[u8] {
        &self.replies
    }

    /// Forgets the replies that were sent.
    pub fn forget_replies(&mut self, sent: usize) {
        self.replies.drain(..sent.min(self.replies.len()));
        self.replies.shrink_to(KEPT_REPLY_BYTES);
    }

    /// True for a message that reads no table and changes none: its answer may wait for the next ones, or they for it.
    pub fn is_quick(&mut self, request: &Request) -> bool {
        match request {
            Request::Fetch(_) => {
                self.statements.current().and_then(|known| known.cursor.as_ref()).is_some_and(Cursor::is_exhausted)
            }
            Request::Statement(_)
            | Request::CursorName(_)
            | Request::Describe
            | Request::WantDone
            | Request::Begin
            | Request::Close
            | Request::Release
            | Request::EndOfGroup => true,
            Request::Bind(_) => self.called.is_none(),
            _ => false,
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if no message of a group has come.
    pub fn is_at_start(&self) -> bool {
        self.is_at_start
    }

    /// Begins the next group.
    pub fn begin_group(&mut self) {
        self.is_at_start = true;
        self.has_failed = false;
        forget_call(&mut self.smart_lobs);
        self.called = None;
        self.results = None;
    }

    fn reply(&mut self, reply: &Reply) {
        reply.encode(&mut self.replies, &self.context);
    }

    /// Carries out a message.
    pub fn carry_out(&mut self, request: Request) -> Next {
        if self.is_at_start && std::mem::take(&mut self.may_end_twice) && request == Request::EndOfGroup {
            return Next::GoOn;
        }
        self.is_at_start = false;
        self.may_end_twice |= matches!(request, Request::DescribeRoutine { .. });
        match request {
            Request::EndOfGroup => {
                if !self.has_failed {
                    self.send_results(false);
                }
                self.reply(&Reply::EndOfGroup);
                return Next::Send;
            }
            Request::Exit => {
                self.reply(&Reply::Exit);
                return Next::Exit;
            }
            // A statement that has failed is released all the same.
            Request::Release => self.release(),
            _ if self.has_failed => {}
            request => {
                if let Err(failure) = self.message(request) {
                    self.has_failed = true;
                    self.reply(&Reply::Failed(reply_of(&failure)));
                }
            }
        }
        Next::GoOn
    }

    fn message(&mut self, request: Request) -> Result<(), Failure> {
        match request {
            Request::Protocols(offered) => {
                let own = Mask::new(&Mask::SERVER);
                self.context.features = Features::of(&offered.and(&own));
                self.reply(&Reply::Protocols(own));
            }
            Request::OpenDatabase { name, .. } => {
                self.session.use_database(name.trim())?;
                self.done(Done::default(), DATABASE_WARNINGS);
            }
            Request::ListDatabases => {
                let names = self.session.databases()?;
                self.reply(&Reply::Databases(names));
            }
            Request::Command { text } => {
                let statement = self.prepare(text)?;
                if let Some(before) = self.statements.set_direct(statement) {
                    self.session.release(before.prepared.id);
                }
            }
            Request::Prepare { text, .. } => {
                let statement = self.prepare(text)?;
                let id = statement.prepared.id;
                if self.statements.add(statement).is_none() {
                    self.session.release(id);
                    let message = "the client has too many prepared statements".to_owned();
                    return Err(Failure { number: -406, message, ..Failure::default() });
                }
            }
            Request::Statement(id) => {
                if !self.statements.select(id) {
                    return Err(out_of_order("a message"));
                }
            }
            Request::WantKeys(keys) => self.want_keys(&keys)?,
            Request::Describe => self.describe()?,
            Request::WantDone => self.done(Done::default(), 0),
            Request::DescribeParameters => {
                let types = self.current("a description")?.parameters.clone();
                self.reply(&Reply::Parameters(types));
            }
            Request::Bind(parameters) => self.bind(parameters)?,
            Request::Lob(step) => self.lob(step)?,
            Request::Info(variables) => {
                variables.iter().for_each(|(name, value)| self.session.set_variable(name, value));
            }
            Request::CursorName(name) => {
                let id = self.current("a cursor")?.prepared.id;
                self.session.name_cursor(id, &name);
            }
            Request::Hold => self.current("a cursor")?.holds = true,
            Request::Scroll => self.current("a cursor")?.scrolls = true,
            Request::AutoFree => self.current("a cursor")?.frees_itself = true,
            Request::ReturnTypes { is_output, .. } => {
                if is_output {
                    self.current("a cursor")?.form = Form::Binary;
                }
            }
            Request::Open => self.open()?,
            Request::Execute => self.execute()?,
            Request::Fetch(fetch) => self.fetch(fetch)?,
            Request::FetchLob(descriptor) => self.fetch_lob(&descriptor)?,
            Request::Put(row) => self.put(&row)?,
            Request::Close => self.close()?,
            Request::Begin => self.transaction(&TransactionStep::Begin)?,
            Request::Commit => self.transaction(&TransactionStep::Commit)?,
            Request::Rollback => self.transaction(&TransactionStep::Rollback)?,
            Request::Savepoint { name, .. } => self.transaction(&TransactionStep::Savepoint(name))?,
            Request::ReleaseSavepoint(name) => self.transaction(&TransactionStep::Release(name))?,
            Request::RollbackTo(name) => self.transaction(&TransactionStep::RollbackTo(name))?,
            Request::GetRoutine(_)
            | Request::GetRoutineByNumber { .. }
            | Request::DescribeRoutine { .. }
            | Request::CallRoutine { .. }
            | Request::RoutineState { .. } => self.routine(request)?,
            Request::SmartLob(access) => {
                let reply = self.smart_lobs.access(access)?;
                self.reply(&reply);
            }
            Request::CloseDatabase | Request::Version | Request::Release | Request::EndOfGroup | Request::Exit => {}
        }
        Ok(())
    }

    /// A message about a routine of the fast path.
    fn routine(&mut self, request: Request) -> Result<(), Failure> {
        match request {
            Request::GetRoutine(signature) => {
                let Some(number) = SmartLobs::routine(&signature) else {
                    let message = format!("the routine {signature} is not there");
                    return Err(Failure { number: -674, subject: signature, message, ..Failure::default() });
                };
                let database = routine_calls::database(&mut *self.session);
                self.reply(&Reply::RoutineNumber { database, number });
            }
            Request::GetRoutineByNumber { number, .. } => {
                self.session.routine(number)?;
                let database = routine_calls::database(&mut *self.session);
                self.reply(&Reply::RoutineNumber { database, number });
            }
            Request::DescribeRoutine { number, .. } => {
                let reply = routine_calls::describe(&mut *self.session, number)?;
                self.reply(&reply);
            }
            Request::CallRoutine { number, has_outputs: true, .. } => self.called = Some(number),
            Request::RoutineState { wants_types } => self.send_results(wants_types),
            Request::CallRoutine { number, .. } => self.smart_lobs.call(number)?,
            _ => {}
        }
        Ok(())
    }

    /// Sends the values of a routine that was called, if there was one, and before them its types.
    fn send_results(&mut self, with_types: bool) {
        if let Some([types, values]) = self.results.take() {
            if with_types {
                self.reply(&types);
            }
            self.reply(&values);
        }
    }

    fn current(&mut self, what: &str) -> Result<&mut Statement, Failure> {
        self.statements.current().ok_or_else(|| out_of_order(what))
    }

    fn prepare(&mut self, text: String) -> Result<Statement, Failure> {
        let prepared = self.session.prepare(&text)?;
        self.text = text;
        if let Some(number) = self.session.routine_of(prepared.id) {
            self.session.release(prepared.id);
            return Err(routine_calls::refusal(&mut *self.session, number));
        }
        let Prepared { columns, parameters, .. } = &prepared;
        Ok(Statement {
            fields: columns.iter().map(field).collect(),
            parameters: parameters.iter().map(type_of).collect(),
            prepared,
            values: Vec::new(),
            pending_lobs: Vec::new(),
            cursor: None,
            scrolls: false,
            holds: false,
            frees_itself: false,
            takes_rows: false,
            form: Form::Text,
            key: None,
        })
    }

    /// Notes the generated column of an INSERT, if it is among those that the client asks for. Values of other columns are
    /// not sent back.
    fn want_keys(&mut self, keys: &Keys) -> Result<(), Failure> {
        let id = self.current("generated keys")?.prepared.id;
        let wanted = self.session.generated_column(id).filter(|(number, column)| match keys {
            Keys::All => true,
            Keys::Numbers(numbers) => numbers.iter().any(|wanted| usize::from(*wanted) == *number),
            Keys::Names(names) => names.iter().any(|name| name.trim().eq_ignore_ascii_case(&column.name)),
        });
        self.current("generated keys")?.key = wanted.map(|(_, column)| field(&column));
        Ok(())
    }

    /// Describes a statement and its generated keys. A COMMAND is described by its DONE alone.
    fn describe(&mut self) -> Result<(), Failure> {
        let id = self.statements.current_id();
        let statement = self.current("a description")?;
        let describe = |statement, fields| Description { statement, id: id.unwrap_or_default(), cost: 1, fields };
        let own = describe(statement_type(statement.prepared.kind), statement.fields.clone());
        let keys = statement.key.clone().map(|key| describe(StatementType::INSERT, vec![key]));
        if id.is_some() {
            self.reply(&Reply::Described(own));
        }
        if let Some(keys) = keys {
            self.reply(&Reply::KeysDescribed(keys));
        }
        Ok(())
    }

    /// The generated key of a row, in the type of its column.
    fn key_row(&mut self, done: Done) -> Result<(), Failure> {
        let codeset = self.context.codeset;
        let Some(key) = self.statements.current().and_then(|statement| statement.key.as_ref()) else { return Ok(()) };
        let Some(number) = done.generated else { return Ok(()) };
        let mut bytes = Vec::new();
        let value = Value::Integer(number);
        write_value(value.as_ref(), &key.kind, Form::Binary, codeset, &mut bytes).map_err(|error| Failure {
            number: -1215,
            subject: key.name.clone(),
            message: error.to_string(),
            ..Failure::default()
        })?;
        self.reply(&Reply::KeyRow { warnings: 0, bytes });
        Ok(())
    }

    fn done(&mut self, done: Done, warnings: u16) {
        let serial = done.generated.and_then(|number| i32::try_from(number).ok()).unwrap_or(0);
        let warnings = warnings | std::mem::take(&mut self.warnings);
        let warnings = if done.has_no_effect { warnings | NO_EFFECT_WARNING } else { warnings };
        self.reply(&Reply::Done { warnings, rows: done.rows, row_id: 0, serial });
        self.reply(&Reply::Cost { rows: u32::try_from(done.rows).unwrap_or(u32::MAX).max(1), cost: 1 });
    }

    fn bind(&mut self, parameters: Vec<Parameter>) -> Result<(), Failure> {
        if self.smart_lobs.is_called() {
            let values = self.smart_lobs.run(&parameters)?;
            self.reply(&Reply::RoutineValues(values));
            return Ok(());
        }
        if let Some(number) = self.called.take() {
            if let Some((place, parameter)) = parameters.iter().enumerate().find(|(_, known)| known.invalid.is_some()) {
                return Err(not_held(place, parameter));
            }
            self.send_results(false);
            self.results = Some(routine_calls::call(&mut *self.session, number, parameters, &self.context)?);
            return Ok(());
        }
        let statement = self.current("parameters")?;
        // A DECIMAL whose point floats holds numbers of more than 38 digits, which are texts.
        let is_held = |place: usize, parameter: &Parameter| {
            let floats = statement.parameters.get(place).is_some_and(TypeDescription::is_floating);
            parameter.invalid.is_none() || (floats && matches!(parameter.value, Value::Text(_)))
        };
        if let Some((place, parameter)) = parameters.iter().enumerate().find(|(place, known)| !is_held(*place, known)) {
            return Err(not_held(place, parameter));
        }
        statement.pending_lobs = parameters
            .iter()
            .enumerate()
            .filter_map(|(place, parameter)| parameter.follows.map(|_| place))
            .rev()
            .collect();
        let is_text = |place: usize| statement.parameters.get(place).is_some_and(|known| known.extended_id == 11);
        let texts: Vec<bool> = (0..parameters.len()).map(is_text).collect();
        let mut values = Vec::with_capacity(parameters.len());
        for (parameter, is_text) in parameters.into_iter().zip(texts) {
            values.push(self.located(parameter, is_text)?);
        }
        self.current("parameters")?.values = values;
        self.lob_bytes = 0;
        Ok(())
    }

    /// The value of a parameter; that of a locator is the one that the client has written, or that a row has shown.
    fn located(&mut self, parameter: Parameter, is_text: bool) -> Result<Value, Failure> {
        let Value::Binary(locator) = &parameter.value else { return Ok(parameter.value) };
        let found = if parameter.code.is_named() { self.smart_lobs.bound(locator)? } else { None };
        match found {
            None => Ok(parameter.value),
            Some(bytes) if is_text => self.context.codeset.decode(&bytes).map(Value::Text).map_err(|error| Failure {
                number: -1213,
                message: error.to_string(),
                ..Failure::default()
            }),
            Some(bytes) => Ok(Value::Binary(bytes)),
        }
    }

    fn lob(&mut self, step: LobStep) -> Result<(), Failure> {
        let LobStep::Bytes(bytes) = step else { return Ok(()) };
        self.lob_bytes += bytes.len();
        if self.lob_bytes > MOST_LOB_BYTES {
            let message = format!("the BYTE and TEXT values of a row have more than {MOST_LOB_BYTES} bytes");
            return Err(Failure { number: -452, message, ..Failure::default() });
        }
        let statement = self.current("a value")?;
        let Some(place) = statement.pending_lobs.last().copied() else { return Ok(()) };
        if bytes.is_empty() {
            statement.pending_lobs.pop();
        }
        if let Some(Value::Binary(value)) = statement.values.get_mut(place) {
            value.extend_from_slice(&bytes);
        }
        Ok(())
    }

    /// Runs the current statement with its values.
    fn run(&mut self) -> Result<Ran, Failure> {
        let statement = self.statements.current().ok_or_else(|| out_of_order("an execution"))?;
        let ran = self.session.execute(statement.prepared.id, &statement.values);
        if self.session.take_warning().is_some() {
            self.warnings = NO_EFFECT_WARNING;
        }
        ran
    }

    fn open(&mut self) -> Result<(), Failure> {
        let statement = self.current("a cursor")?;
        if statement.prepared.kind == StatementKind::Insert {
            statement.takes_rows = true;
            return Ok(());
        }
        let ran = self.run()?;
        let statement = self.current("a cursor")?;
        if let Ran::Rows(rows) = ran {
            let is_row_by_row = statement.prepared.kind == StatementKind::QueryForUpdate;
            let cursor = Cursor::new(rows, statement.fields.clone(), statement.scrolls);
            statement.cursor = Some(if is_row_by_row { cursor.row_by_row() } else { cursor });
        }
        Ok(())
    }

    fn execute(&mut self) -> Result<(), Failure> {
        let kind = self.current("an execution")?.prepared.kind;
        let ran = self.run();
        if !self.session.is_in_transaction() {
            end_statement(&mut self.smart_lobs);
        }
        let ran = ran?;
        if matches!(kind, StatementKind::Commit | StatementKind::Rollback) {
            self.statements.close_cursors();
            self.smart_lobs.end_transaction();
        }
        match ran {
            Ran::Done(done) => {
                self.key_row(done)?;
                self.done(done, 0);
            }
            Ran::Rows(_) => {
                let message = "a statement that gives rows needs a cursor".to_owned();
                return Err(Failure { number: -260, message, ..Failure::default() });
            }
        }
        Ok(())
    }

    fn fetch(&mut self, fetch: Fetch) -> Result<(), Failure> {
        let Conversation { statements, replies, context, smart_lobs, warnings, .. } = self;
        let statement = statements.current().ok_or_else(|| out_of_order("a fetch"))?;
        let mut target = Target { form: statement.form, codeset: context.codeset, smart_lobs };
        let Some(cursor) = &mut statement.cursor else {
            let message = "the cursor is not open".to_owned();
            return Err(Failure { number: -400, message, ..Failure::default() });
        };
        let done = |rows, out: &mut Vec<u8>| {
            let warnings = std::mem::take(warnings);
            Reply::Done { warnings, rows, row_id: 0, serial: 0 }.encode(out, context);
        };
        cursor.fetch(fetch, &mut target, replies, &mut { done })
    }

    fn fetch_lob(&mut self, descriptor: &SimpleLob) -> Result<(), Failure> {
        let Conversation { statements, replies, context, .. } = self;
        let cursor = statements.current().and_then(|statement| statement.cursor.as_ref());
        let missing =
            || Failure { number: -451, message: "the value is not kept any more".to_owned(), ..Failure::default() };
        let bytes = cursor.and_then(|cursor| cursor.lob(descriptor)).ok_or_else(missing)?;
        for piece in bytes.chunks(LOB_PIECE) {
            Reply::Lob(piece.to_vec()).encode(replies, context);
        }
        Reply::Lob(Vec::new()).encode(replies, context);
        Ok(())
    }

    /// A row of an insert cursor, in the layout of the columns that the INSERT fills.
    fn put(&mut self, row: &[u8]) -> Result<(), Failure> {
        let codeset = self.context.codeset;
        let statement = self.current("a row")?;
        let (mut values, mut left) = (Vec::new(), row);
        for field in &statement.fields {
            let read = read_value(left, &field.kind, codeset);
            let (value, used) = read.map_err(|error| Failure {
                number: -1213,
                subject: field.name.clone(),
                message: error.to_string(),
                ..Failure::default()
            })?;
            values.push(value);
            left = left.get(used..).unwrap_or_default();
        }
        statement.values = values;
        match self.run()? {
            Ran::Done(done) => self.done(done, 0),
            Ran::Rows(_) => {}
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Failure> {
        let statement = self.current("a cursor")?;
        statement.cursor = None;
        statement.takes_rows = false;
        if statement.frees_itself {
            self.release();
        }
        Ok(())
    }

    fn release(&mut self) {
        if let Some(statement) = self.statements.remove_current() {
            self.session.release(statement.prepared.id);
        }
    }

    fn transaction(&mut self, step: &TransactionStep) -> Result<(), Failure> {
        self.session.transaction(step)?;
        if matches!(step, TransactionStep::Commit | TransactionStep::Rollback) {
            self.statements.close_cursors();
            self.smart_lobs.end_transaction();
        }
        self.reply(&Reply::Done { warnings: 0, rows: 0, row_id: 0, serial: 0 });
        Ok(())
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        for statement in self.statements.take_all() {
            self.session.release(statement.prepared.id);
        }
    }
}
