//! Compiles T-SQL's statements to the typed form of programs.
//!
//! ```text
//!   DECLARE @i INT = 0                slot @i int          @i := 0
//!   WHILE @i < 10                     while (@i < 10)
//!     SET @i += 1                       @i := (@i + 1)
//!   SELECT @n = COUNT(*) FROM t       host "SELECT ..."  with (@n)  sets @n
//! ```
//!
//! Control flow, variables and expressions over variables become instructions of the machine. Everything else is a
//! statement of the host: an [`Action`] with the variables that it reads and sets. A query stays a tree, since its
//! names are resolved only when it runs (SQL Server: deferred name resolution); the host reduces and plans it once, and
//! again after a change of its dependencies.

mod execute;
mod expression;
mod reading;
mod statement;
mod types;

pub use expression::Operation;
pub use reading::Reading;
pub use types::storage_type;

use crate::reduce;
use crate::tree::{
    AssignOperator, Body, Change, Cursor, CursorName, Direction, Expr, Function, FunctionKind, Isolation, LargeValue,
    Name, ObjectName, Parameter, Phrase, Procedure, Query, Statement, TableElement, Transaction, Trigger, WaitFor,
};
use mainstay_syntax::Span;
use mainstay_tsql_types::types::Declared;
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::Value;
use mainstay_vm::{self as program, Routine, SlotId, StatementId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A batch, procedure, function or trigger in the typed form, with what it asks of its host.
#[derive(Debug)]
pub struct Module {
    /// The form.
    pub routine: Routine,
    /// The host's statements, by their numbers.
    pub actions: Vec<HostStatement>,
    /// The variables, in the order of their slots; slots behind them are the compiler's.
    pub variables: Vec<Variable>,
    /// The parameters, in order.
    pub parameters: Vec<ModuleParameter>,
    /// The type that a function returns.
    pub returns: Option<DataType>,
    /// True if its expressions ask the session for its options: modules that it calls may find others than it began
    /// with.
    pub asks_options: bool,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name in lower case, with the `@`.
    pub name: String,
    /// Its type; `None` for a cursor or a table.
    pub data_type: Option<DataType>,
}

/// A parameter as callers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModuleParameter {
    /// Its name as it was written, with the `@`.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// True if it gives a value back.
    pub is_output: bool,
    /// True if a call may leave it out.
    pub has_default: bool,
    /// The kind of its argument.
    pub kind: ParameterKind,
}

/// The kind of argument that a parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterKind {
    /// A value.
    Value,
    /// A table of this type: callers give the name of theirs.
    Table(ObjectName),
    /// A cursor: callers give the name of the variable that has it, or gets it.
    Cursor,
}

/// A request of the machine to its host.
#[derive(Debug)]
pub struct HostStatement {
    /// The action.
    pub action: Action,
    /// The names of the variables whose values it is given, in order, in lower case; expressions come behind them.
    pub inputs: Vec<(String, DataType)>,
    /// The variables that it sets, in order, with their types.
    pub outputs: Vec<(String, DataType)>,
    /// Its text, for messages and for modules that keep it.
    pub text: Arc<str>,
    /// Its place in the text of its module.
    pub span: Span,
    /// The tables whose hints lock what it reads.
    pub hinted: Vec<reduce::Hinted>,
}

/// A statement of the host.
#[derive(Debug)]
pub enum Action {
    /// An operation on values that the machine has no instruction for.
    Operation(Operation),
    /// A value that needs a query: a subquery, or a function of the database.
    Value(Box<Expr>, Option<DataType>),
    /// A condition that needs a query.
    Condition(Box<Expr>),
    /// A value that only the session has: `@@ROWCOUNT`, `ERROR_MESSAGE()`.
    Session(reduce::SessionFunction),
    /// A catalog function of the inputs: `OBJECT_ID('t')`.
    Catalog(reduce::CatalogFunction),
    /// True if the change that fires the trigger sets this column.
    ColumnUpdated(String),
    /// Lets a table parameter of this type stand for the caller's table, whose name is the input; NULL for none.
    TableParameter(Name, ObjectName),
    /// The columns of a row that follows, their names and types, go to the client.
    BeginRow(Vec<(String, DataType)>),
    /// SELECT of the inputs, as one row that goes to the client.
    Row {
        /// The names of its columns and their types.
        columns: Vec<(String, DataType)>,
        /// True if `BeginRow` has sent them.
        is_begun: bool,
    },
    /// SELECT whose rows go to the client.
    Query(Box<Query>),
    /// SELECT that sets variables.
    Assign(Box<Query>, Vec<(AssignOperator, Expr)>),
    /// INSERT, UPDATE, DELETE, MERGE.
    Change(Box<Change>),
    /// A procedure has ended: it may have left transactions open, or ended its caller's.
    AfterCall,
    /// INSERT ... EXEC: until `EndCapture`, result sets go to this change.
    BeginCapture,
    /// The end of INSERT ... EXEC.
    EndCapture(Box<Change>),
    /// DECLARE of a table variable.
    DeclareTable(Name, Vec<TableElement>),
    /// DECLARE of a variable of a table type.
    DeclareTyped(Name, ObjectName),
    /// PRINT of the input.
    Print,
    /// RAISERROR of the inputs, with options.
    Raiserror(Vec<Phrase>),
    /// THROW of number, text and state.
    Throw,
    /// EXEC of a text, which is the input; AT a linked server is not known.
    ExecuteText,
    /// WAITFOR.
    Wait(WaitFor),
    /// READTEXT, WRITETEXT, UPDATETEXT; the inputs are the pointer, where, how much, and a value or the pointer to one.
    LargeValue(Box<LargeValue>),
    /// Lets a cursor parameter stand for the caller's variable, whose name is the input.
    CursorParameter(Name),
    /// DECLARE of a cursor, or SET of a cursor variable.
    DeclareCursor(Name, Box<Cursor>),
    /// SET of a cursor variable to another cursor.
    SetCursor(Name, CursorName),
    /// OPEN.
    Open(CursorName),
    /// FETCH; the input of ABSOLUTE and RELATIVE is the last one.
    Fetch(CursorName, Direction, usize),
    /// CLOSE.
    Close(CursorName),
    /// DEALLOCATE.
    Deallocate(CursorName),
    /// BEGIN, COMMIT, ROLLBACK, SAVE; a name in a variable is the input.
    Transaction(Transaction),
    /// SET of options.
    SetOption(Vec<Phrase>),
    /// SET TRANSACTION ISOLATION LEVEL.
    SetIsolation(Isolation),
    /// Something ended that sets `@@ROWCOUNT` to this and `@@ERROR` to 0.
    Counted(i64),
    /// Whatever defines, drops or grants.
    Define(Box<Statement>),
}

/// Resolves the names of a module when it is compiled.
pub trait Types {
    /// The type of this name that the database defines.
    fn user_type(&self, name: &ObjectName) -> Option<DataType>;

    /// Returns true if the database defines a table type of this name.
    fn is_table_type(&self, name: &ObjectName) -> bool;

    /// Returns true if this is a scalar function of the database.
    fn is_scalar_function(&self, name: &ObjectName) -> bool;
}

/// Compiles a batch, whose variables outside of it have these types: those of a text that `sp_executesql` runs.
///
/// Errors: with SQL Server's numbers, the line set.
pub fn batch(
    text: &str,
    statements: &[Statement],
    parameters: &[ModuleParameter],
    types: &dyn Types,
    reading: Reading,
) -> Result<Module, Box<Message>> {
    let mut compiler = Compiler::new("", text, types, reading.of(statements));
    for parameter in parameters {
        compiler.given(parameter)?;
    }
    compiler.finish(statements)
}

/// Compiles a procedure. `text` is what its tree was parsed from.
///
/// Errors: as [`batch`].
pub fn procedure(
    text: &str,
    procedure: &Procedure,
    types: &dyn Types,
    reading: Reading,
) -> Result<Module, Box<Message>> {
    let statements = body(&procedure.body)?;
    let mut compiler = Compiler::new(procedure.name.last(), text, types, reading.of_module(statements));
    compiler.parameters(&procedure.parameters)?;
    compiler.finish(statements)
}

/// Compiles a function that gives one value.
///
/// Errors: as [`batch`].
pub fn scalar_function(
    text: &str,
    function: &Function,
    types: &dyn Types,
    reading: Reading,
) -> Result<Module, Box<Message>> {
    let FunctionKind::Scalar(returns, statements) = &function.returns else {
        return Err(Box::new(reduce::not_supported("A function of this kind here")));
    };
    let mut compiler = Compiler::new(function.name.last(), text, types, reading);
    compiler.parameters(&function.parameters)?;
    let data_type = compiler.data_type(returns, Declared::Column(1, function.name.last()))?;
    compiler.returns = Some(data_type);
    compiler.routine.result = Some(storage_type(data_type));
    compiler.routine.default_result = mainstay_types::Value::Null;
    compiler.finish(body(statements)?)
}

/// Compiles a function that fills a table, whose rows stand in the table variable of its name.
///
/// Errors: as [`batch`].
pub fn table_function(
    text: &str,
    function: &Function,
    types: &dyn Types,
    reading: Reading,
) -> Result<Module, Box<Message>> {
    let FunctionKind::MultiStatement(name, elements, statements) = &function.returns else {
        return Err(Box::new(reduce::not_supported("A function of this kind here")));
    };
    let mut compiler = Compiler::new(function.name.last(), text, types, reading);
    compiler.parameters(&function.parameters)?;
    compiler.table_variable(name);
    let action = Action::DeclareTable(name.clone(), elements.clone());
    compiler.host(1, action, name.span, Vec::new(), Vec::new());
    compiler.finish(statements)
}

/// Compiles a trigger.
///
/// Errors: as [`batch`].
pub fn trigger(text: &str, trigger: &Trigger, types: &dyn Types, reading: Reading) -> Result<Module, Box<Message>> {
    let statements = body(&trigger.body)?;
    Compiler::new(trigger.name.last(), text, types, reading.of_module(statements)).finish(statements)
}

fn body(body: &Body) -> Result<&[Statement], Box<Message>> {
    match body {
        Body::Statements(statements) => Ok(statements),
        Body::External(_) => Err(Box::new(reduce::not_supported("A module of an assembly"))),
    }
}

/// A module while it is compiled.
struct Compiler<'t> {
    text: &'t str,
    types: &'t dyn Types,
    routine: Routine,
    actions: Vec<HostStatement>,
    variables: Vec<Variable>,
    parameters: Vec<ModuleParameter>,
    slots: HashMap<String, (SlotId, DataType)>,
    /// The variables that hold cursors, in lower case.
    cursors: HashSet<String>,
    labels: HashMap<String, program::LabelId>,
    /// The statements of the list that is being compiled.
    out: Vec<program::Statement>,
    /// The type that RETURN gives, in a function.
    returns: Option<DataType>,
    /// True if the module asks for `@@ROWCOUNT` or `@@ERROR`, so that the host has to hear of every statement.
    counts: bool,
    /// The SET options that its expressions depend on.
    reading: Reading,
    line: u32,
    /// The statement that is being compiled.
    span: Span,
}

impl<'t> Compiler<'t> {
    fn new(name: &str, text: &'t str, types: &'t dyn Types, reading: Reading) -> Compiler<'t> {
        let lower = text.to_ascii_lowercase();
        let counts = ["@@rowcount", "@@error", "rowcount_big"].iter().any(|name| lower.contains(name));
        let mut routine = Routine::new(name);
        routine.scoped = true;
        Compiler {
            text,
            types,
            routine,
            actions: Vec::new(),
            variables: Vec::new(),
            parameters: Vec::new(),
            slots: HashMap::new(),
            cursors: HashSet::new(),
            labels: HashMap::new(),
            out: Vec::new(),
            returns: None,
            counts,
            reading,
            line: 1,
            span: Span::default(),
        }
    }

    fn finish(mut self, statements: &[Statement]) -> Result<Module, Box<Message>> {
        self.declare_labels(statements);
        for statement in statements {
            self.statement(statement)?;
        }
        self.routine.body = self.out;
        Ok(Module {
            routine: self.routine,
            actions: self.actions,
            variables: self.variables,
            parameters: self.parameters,
            returns: self.returns,
            asks_options: !self.reading.is_plain,
        })
    }

    /// A message with the line of the statement that is being compiled.
    fn located(&self, mut message: Message) -> Box<Message> {
        message.line = self.line;
        Box::new(message)
    }

    fn data_type(&self, declared: &crate::tree::DataType, place: Declared<'_>) -> Result<DataType, Box<Message>> {
        let scope = expression::NoTables(self.types);
        reduce::data_type(declared, place, &scope).map_err(|message| self.located(message))
    }

    fn parameters(&mut self, parameters: &[Parameter]) -> Result<(), Box<Message>> {
        for (place, parameter) in parameters.iter().enumerate() {
            let name = &parameter.name.text;
            if self.types.is_table_type(&parameter.data_type.name) {
                self.named_parameter(name, ParameterKind::Table(parameter.data_type.name.clone()));
                continue;
            }
            if parameter.data_type.name.is("CURSOR") {
                self.named_parameter(name, ParameterKind::Cursor);
                continue;
            }
            let data_type = self.data_type(&parameter.data_type, Declared::Column(place as u32 + 1, name))?;
            let default = match &parameter.default {
                None => None,
                Some(value) => Some(self.constant(value, data_type)?),
            };
            let direction = if parameter.output { program::Direction::InOut } else { program::Direction::In };
            let has_default = default.is_some();
            let slot = self.routine.parameter(name, storage_type(data_type), direction, default);
            self.declared(slot, name, data_type);
            let is_output = parameter.output;
            let kind = ParameterKind::Value;
            self.parameters.push(ModuleParameter { name: name.clone(), data_type, is_output, has_default, kind });
        }
        Ok(())
    }

    /// A parameter that is a table or a cursor: the caller gives the name of its own.
    fn named_parameter(&mut self, parameter: &str, kind: ParameterKind) {
        let name = Name { text: parameter.to_owned(), ..Name::default() };
        self.table_variable(&name);
        let action = match &kind {
            ParameterKind::Table(of_type) => Action::TableParameter(name.clone(), of_type.clone()),
            _ => {
                self.cursors.insert(parameter.to_lowercase());
                Action::CursorParameter(name.clone())
            }
        };
        let data_type = DataType::NVarChar(mainstay_tsql_types::Length::Limited(128));
        let slot =
            self.routine.parameter(&name.text, storage_type(data_type), program::Direction::In, Some(Value::Null));
        let value = program::Expression::slot(&self.routine, slot);
        self.host(1, action, Span::default(), vec![value], Vec::new());
        let (name, is_output, has_default) = (name.text, false, true);
        self.parameters.push(ModuleParameter { name, data_type, is_output, has_default, kind });
    }

    /// A parameter that is known by its type alone.
    fn given(&mut self, parameter: &ModuleParameter) -> Result<(), Box<Message>> {
        let ModuleParameter { name, data_type, is_output, kind, .. } = parameter;
        if *kind != ParameterKind::Value {
            self.named_parameter(name, kind.clone());
            return Ok(());
        }
        let direction = if *is_output { program::Direction::InOut } else { program::Direction::In };
        let slot = self.routine.parameter(name, storage_type(*data_type), direction, None);
        self.declared(slot, name, *data_type);
        self.parameters.push(parameter.clone());
        Ok(())
    }

    fn declared(&mut self, slot: SlotId, name: &str, data_type: DataType) {
        if let Some(slot) = self.routine.slots.get_mut(usize::from(slot.0)) {
            slot.declared = data_type.to_string();
        }
        let name = name.to_lowercase();
        self.slots.insert(name.clone(), (slot, data_type));
        self.variables.push(Variable { name, data_type: Some(data_type) });
    }

    fn table_variable(&mut self, name: &Name) {
        self.variables.push(Variable { name: name.text.to_lowercase(), data_type: None });
    }

    /// The slot and type of a variable.
    fn variable(&self, name: &Name) -> Result<(SlotId, DataType), Box<Message>> {
        let undeclared = || {
            let text = format!("Must declare the scalar variable \"{}\".", name.text);
            self.located(Message::error(137, text).severity(15).state(2))
        };
        self.slots.get(&name.text.to_lowercase()).copied().ok_or_else(undeclared)
    }

    /// The variables that a stretch of the text names.
    fn mentioned(&self, span: Span) -> Vec<(String, SlotId, DataType)> {
        let text = span.of(self.text);
        let (tokens, _) = crate::lexer::tokens(text);
        let mut mentioned: Vec<(String, SlotId, DataType)> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for token in &tokens {
            let written = token.span.of(text);
            match token.kind {
                mainstay_syntax::TokenKind::Variable => names.push(written.to_lowercase()),
                // Paths into XML name variables inside of their text.
                mainstay_syntax::TokenKind::String | mainstay_syntax::TokenKind::NationalString => {
                    let parts = written.split("sql:variable(").skip(1);
                    let named = parts.filter_map(|part| part.split(['"', '\'']).find(|name| name.starts_with('@')));
                    names.extend(named.map(str::to_lowercase));
                }
                _ => {}
            }
        }
        for name in names {
            if let Some((slot, data_type)) = self.slots.get(&name)
                && !mentioned.iter().any(|(known, ..)| *known == name)
            {
                mentioned.push((name, *slot, *data_type));
            }
        }
        mentioned
    }

    /// The number of a new statement of the host that is given these variables.
    fn action(
        &mut self,
        action: Action,
        span: Span,
        variables: &[(String, SlotId, DataType)],
        outputs: &[(String, SlotId, DataType)],
    ) -> StatementId {
        let typed = |list: &[(String, SlotId, DataType)]| {
            list.iter().map(|(name, _, data_type)| (name.clone(), *data_type)).collect::<Vec<_>>()
        };
        let before = Span { start: 0, end: span.start }.of(self.text);
        let text = match &action {
            // A module keeps the comments before it in its batch: its lines count from there.
            Action::Define(_) if crate::lexer::tokens(before).0.len() <= 1 => Span { start: 0, ..span }.of(self.text),
            _ => span.of(self.text),
        };
        let text = Arc::from(text.trim_end());
        let hinted = hinted_of(&action, span.of(self.text));
        self.actions.push(HostStatement {
            action,
            inputs: typed(variables),
            outputs: typed(outputs),
            text,
            span,
            hinted,
        });
        StatementId(self.actions.len() as u32 - 1)
    }

    /// Adds a statement of the host: it is given the variables that its text names, and behind them these values.
    fn host(
        &mut self,
        line: u32,
        action: Action,
        span: Span,
        values: Vec<program::Expression>,
        outputs: Vec<(String, SlotId, DataType)>,
    ) {
        let variables = self.mentioned(span);
        let statement = self.action(action, span, &variables, &outputs);
        let mut inputs: Vec<program::Expression> =
            variables.iter().map(|(_, slot, _)| program::Expression::slot(&self.routine, *slot)).collect();
        inputs.extend(values);
        let outputs = outputs.into_iter().map(|(_, slot, _)| slot).collect();
        let text: Arc<str> = Arc::from(first_line(span.of(self.text)));
        let kind = program::StatementKind::Host { statement, text, inputs, outputs, branches: Vec::new() };
        self.out.push(program::Statement::new(line, kind));
    }

    /// Adds a statement of the host that is given nothing but these values.
    fn host_of_values(&mut self, line: u32, action: Action, span: Span, inputs: Vec<program::Expression>) {
        let statement = self.action(action, span, &[], &[]);
        let text: Arc<str> = Arc::from(first_line(span.of(self.text)));
        let kind = program::StatementKind::Host { statement, text, inputs, outputs: Vec::new(), branches: Vec::new() };
        self.push(line, kind);
    }

    fn push(&mut self, line: u32, kind: program::StatementKind) {
        self.out.push(program::Statement::new(line, kind));
    }

    /// Tells the host that something ended which it had no part in.
    fn counted(&mut self, line: u32, rows: i64) {
        if self.counts {
            let statement = self.action(Action::Counted(rows), Span::default(), &[], &[]);
            let text: Arc<str> = Arc::from("counted");
            let (inputs, outputs, branches) = (Vec::new(), Vec::new(), Vec::new());
            self.push(line, program::StatementKind::Host { statement, text, inputs, outputs, branches });
        }
    }

    /// The statements that `work` adds, separate from the output.
    fn aside(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<(), Box<Message>>,
    ) -> Result<Vec<program::Statement>, Box<Message>> {
        let before = std::mem::take(&mut self.out);
        let done = work(self);
        let written = std::mem::replace(&mut self.out, before);
        done.map(|()| written)
    }
}

/// The tables of a statement whose hints lock what it reads.
fn hinted_of(action: &Action, text: &str) -> Vec<reduce::Hinted> {
    if !reduce::may_have_hints(text) {
        return Vec::new();
    }
    match action {
        Action::Query(query) | Action::Assign(query, _) => reduce::hinted_of_query(query),
        Action::Value(value, _) | Action::Condition(value) => reduce::hinted_of_expression(value),
        Action::Change(change) => reduce::hinted_of_change(change),
        _ => Vec::new(),
    }
}

/// The first line of a statement, as listings show it.
fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or("");
    line.chars().take(120).collect()
}

/// The name of what EXEC calls, as the host resolves it.
pub(crate) fn callee(name: &ObjectName) -> Arc<str> {
    let needs_brackets = |text: &str| text.contains(['.', '[', ']', '"']) || text.trim() != text;
    let part = |text: &str| match needs_brackets(text) {
        true => format!("[{}]", text.replace(']', "]]")),
        false => text.to_owned(),
    };
    let parts: Vec<String> = name.parts.iter().map(|name| part(&name.text)).collect();
    Arc::from(parts.join("."))
}
