//! From routines and triggers to the typed form of programs.
//!
//! ```text
//!   DEFINE i INT;                               slot i i32
//!   FOREACH SELECT k INTO i FROM t              host "open"; loop { host "fetch" -> i, or leave
//!     INSERT INTO u VALUES (i + 1);               host "INSERT .. (?1)" with (i + 1 stays text of the core)
//!     IF i > 3 THEN RETURN i WITH RESUME; END IF; if (i > 3) host "row" with (i)
//!   END FOREACH;                                } host "close"
//! ```
//!
//! Flow of control, variables, and expressions over variables become the machine's own. Everything else is an [`Action`] of
//! the host: a statement of SQL, in which each mention of a variable is a parameter of its own; a cursor; a row that is
//! returned.
//!
//! A function that returns one value, and never WITH RESUME, gives it as the result of its program ([`Compiled::is_single`]);
//! others give rows to the host.
//!
//! The order of names is the server's: in a statement of SQL a variable hides a column of its name.

mod expression;
mod flow;
mod functions;
mod handler;
mod statement;
mod trigger;

use crate::error::{Parse, SqlError};
use crate::tree::{
    Block, Expr, Handler, Literal, Name, ObjectName, ParameterMode, Routine, Span, Spl, SplKind, Statement, TypeName,
};
use crate::types::Type;
use crate::visit;
use mainstay_types::Value;
use mainstay_vm::{self as program, Expression, ExpressionKind, LabelId, SlotId, StatementId};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

pub use expression::storage;
pub use functions::raised;
pub use trigger::{ColumnParameter, CompiledTrigger, Section, compile_trigger};

/// Facts about a routine that are known before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name by which programs call it.
    pub key: String,
    /// Names and types of its parameters; true for those with a default.
    pub parameters: Vec<(String, Type, bool)>,
    /// The types that it returns.
    pub returns: Vec<Type>,
    /// It gives one value as the result of its program.
    pub is_single: bool,
    /// The places of the parameters that give a value back: OUT and INOUT.
    pub outputs: Vec<usize>,
}

/// The names that a routine may use.
pub trait Environment {
    /// The routine of this name that takes so many arguments.
    fn routine(&self, name: &ObjectName, arguments: usize) -> Option<Signature>;

    /// The type of a column, for LIKE.
    fn column(&self, table: &ObjectName, column: &str) -> Option<Type>;

    /// The name of the user, for DEFAULT USER.
    fn user(&self) -> String;
}

/// A routine in the typed form, with what it asks of its host.
#[derive(Debug)]
pub struct Compiled {
    /// The form.
    pub routine: program::Routine,
    /// The statements of the host, by their numbers.
    pub actions: Vec<Action>,
    /// The types of the parameters.
    pub parameters: Vec<(String, Type)>,
    /// The places of the parameters that give a value back.
    pub outputs: Vec<usize>,
    /// The types of the values that are returned.
    pub returns: Vec<Type>,
    /// The result of the program is the one value that it returns.
    pub is_single: bool,
}

/// Something that the machine asks its host to do.
#[derive(Clone, Debug)]
pub struct Action {
    /// The task.
    pub kind: ActionKind,
    /// The types of its inputs.
    pub inputs: Vec<Type>,
    /// The types of its outputs.
    pub outputs: Vec<Type>,
    /// Where it stands.
    pub span: Span,
}

/// A kind of action. Statements of SQL have `?1` for the first input.
#[derive(Clone, Debug)]
pub enum ActionKind {
    /// The value of a query of one row and column; NULL without a row.
    Value(Box<Statement>),
    /// SELECT INTO: the outputs are NULL without a row.
    Select(Box<Statement>),
    /// A statement of SQL without rows.
    Sql(Box<Statement>),
    /// Opens a cursor of this number for a query; the name is the one of WHERE CURRENT OF.
    Open(usize, Option<String>, Box<Statement>),
    /// Opens a cursor for the rows of a routine; the inputs are its arguments, with these names.
    OpenCall(usize, String, Vec<Option<String>>),
    /// Gives the outputs the next row of a cursor; goes on at the branch behind the last one.
    Fetch(usize),
    /// Closes a cursor.
    CloseCursor(usize),
    /// Calls a routine with the inputs as its arguments; the outputs take the values of its only row, and behind them those
    /// of its parameters that give one back.
    Call(String, Vec<Option<String>>),
    /// Adds the inputs as a row to what the routine returns.
    Give,
    /// The routine ends without a value.
    NoReturn,
    /// RAISE EXCEPTION.
    Raise,
    /// True if the error that is handled has one of these codes; of none, always.
    IsError(Vec<i32>),
    /// Gives the outputs the code, the ISAM code and the text of the error that is handled.
    ErrorInfo,
    /// Declares a global variable, with the value that it has first.
    DeclareGlobal(String, Type),
    /// The value of a global variable.
    Global(String),
    /// Gives a global variable a value.
    SetGlobal(String),
    /// SQLCODE.
    SqlCode,
    /// EXECUTE IMMEDIATE.
    Immediate,
    /// PREPARE.
    Prepare(String),
    /// DECLARE: the cursor, and its statement.
    Declare(String, String),
    /// OPEN.
    OpenDynamic(String),
    /// FETCH.
    FetchDynamic(String),
    /// CLOSE.
    CloseDynamic(String),
    /// FREE.
    Free(String),
    /// SYSTEM.
    System,
}

/// Compiles a routine; `text` is what its places are in.
///
/// Errors: -667 for a variable that is not declared, -201 for statements that do not fit together, -217 for a LIKE without a
/// column, -999 for constructs that are not supported.
pub fn compile_routine(routine: &Routine, text: &str, environment: &dyn Environment) -> Parse<Compiled> {
    let mut compiler = Compiler::new(routine.name.last(), text, environment);
    for (data_type, _) in &routine.returns {
        let known = compiler.type_of_name(data_type)?;
        compiler.returns.push(known);
    }
    let is_single = compiler.returns.len() == 1 && !resumes(&routine.body);
    compiler.is_single = is_single;
    (compiler.routine.result, compiler.routine.default_result) = match compiler.returns[..] {
        [known] if is_single => (Some(storage(known)), Value::Null),
        _ => (None, Value::Null),
    };
    let mut parameters = Vec::new();
    for parameter in &routine.parameters {
        let known = compiler.type_of_name(&parameter.data_type)?;
        let default = parameter.default.as_ref().map(|value| compiler.constant(value, known)).transpose()?;
        let name = parameter.name.text.to_lowercase();
        let slot = compiler.routine.parameter(&name, storage(known), direction(parameter.mode), default);
        if let Some(slot) = compiler.routine.slots.get_mut(usize::from(slot.0)) {
            slot.declared = known.declared();
        }
        compiler.declare(&parameter.name, Variable { place: Place::Slot(slot), known })?;
        parameters.push((name, known));
    }
    let mut body = compiler.block(&routine.body)?;
    if !compiler.returns.is_empty() {
        body.push(compiler.host(0, ActionKind::NoReturn, "no value", Span::default()));
    }
    compiler.routine.body = body;
    let outputs = outputs(routine);
    let Compiler { routine, actions, returns, .. } = compiler;
    Ok(Compiled { routine, actions, parameters, outputs, returns, is_single })
}

/// The signature of a routine; `key` is its name in programs.
///
/// Errors: -217 for a LIKE without a column.
pub fn signature(routine: &Routine, key: String, environment: &dyn Environment) -> Parse<Signature> {
    let compiler = Compiler::new("", "", environment);
    let mut parameters = Vec::new();
    for parameter in &routine.parameters {
        let known = compiler.type_of_name(&parameter.data_type)?;
        parameters.push((parameter.name.text.to_lowercase(), known, parameter.default.is_some()));
    }
    let returns =
        routine.returns.iter().map(|(known, _)| compiler.type_of_name(known)).collect::<Parse<Vec<Type>>>()?;
    let is_single = returns.len() == 1 && !resumes(&routine.body);
    Ok(Signature { key, parameters, returns, is_single, outputs: outputs(routine) })
}

/// The places of the parameters that give a value back.
fn outputs(routine: &Routine) -> Vec<usize> {
    let parameters = routine.parameters.iter().enumerate();
    parameters.filter(|(_, parameter)| parameter.is_output()).map(|(place, _)| place).collect()
}

fn direction(mode: ParameterMode) -> program::Direction {
    match mode {
        ParameterMode::In => program::Direction::In,
        ParameterMode::Out => program::Direction::Out,
        ParameterMode::InOut => program::Direction::InOut,
    }
}

/// True if a block has a RETURN WITH RESUME.
fn resumes(block: &Block) -> bool {
    use crate::tree::Loop;
    let of = |block: &Block| resumes(block);
    let in_statement = |statement: &Spl| match &statement.kind {
        SplKind::Return(_, resumes) => *resumes,
        SplKind::Block(block) => of(block),
        SplKind::If(branches, otherwise) | SplKind::Case(_, branches, otherwise) => {
            branches.iter().any(|(_, block)| of(block)) || otherwise.as_ref().is_some_and(of)
        }
        SplKind::Loop(_, found) => match found.as_ref() {
            Loop::For(_, _, block) | Loop::While(_, block) | Loop::Endless(block) => of(block),
            Loop::Foreach(foreach) => of(&foreach.body),
        },
        _ => false,
    };
    block.statements.iter().any(in_statement) || block.handlers.iter().any(|handler| of(&handler.body))
}

/// Where a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Slot(SlotId),
    Global(String),
}

#[derive(Clone, Debug)]
struct Variable {
    place: Place,
    known: Type,
}

/// The state of compiling.
struct Compiler<'e> {
    environment: &'e dyn Environment,
    routine: program::Routine,
    actions: Vec<Action>,
    /// The variables of the blocks around, the innermost last.
    scopes: Vec<HashMap<String, Variable>>,
    /// Columns of a trigger's rows: they become parameters when they are first mentioned.
    rows: Option<trigger::Rows>,
    lines: Vec<u32>,
    returns: Vec<Type>,
    is_single: bool,
    loops: Vec<flow::OpenLoop>,
    labels: HashMap<String, LabelId>,
    /// The handlers of the blocks around that have some, the innermost last.
    resuming: Vec<Rc<Vec<Handler>>>,
    /// How often statements of handlers were written.
    copies: usize,
    cursors: usize,
}

impl<'e> Compiler<'e> {
    fn new(name: &str, text: &str, environment: &'e dyn Environment) -> Compiler<'e> {
        let mut routine = program::Routine::new(name);
        routine.scoped = true;
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Compiler {
            environment,
            routine,
            actions: Vec::new(),
            scopes: vec![HashMap::new()],
            rows: None,
            lines: ends.map(|(place, _)| u32::try_from(place).unwrap_or(u32::MAX)).collect(),
            returns: Vec::new(),
            is_single: false,
            loops: Vec::new(),
            labels: HashMap::new(),
            resuming: Vec::new(),
            copies: 0,
            cursors: 0,
        }
    }

    fn line(&self, span: Span) -> u32 {
        u32::try_from(self.lines.partition_point(|end| *end < span.start)).unwrap_or(0) + 1
    }

    fn type_of_name(&self, name: &TypeName) -> Parse<Type> {
        match name {
            TypeName::Known(known) => Ok(*known),
            TypeName::Like(table, column) => match self.environment.column(table, &column.text) {
                Some(Type::Serial) => Ok(Type::Integer),
                Some(Type::Serial8 | Type::BigSerial) => Ok(Type::BigInt),
                Some(known) => Ok(known),
                None => {
                    let text = format!("Column ({}) not found in any table in the query.", column.text);
                    Err(SqlError::at(-217, column.span, text).about(&column.text))
                }
            },
        }
    }

    fn declare(&mut self, name: &Name, variable: Variable) -> Parse<()> {
        let key = name.text.to_lowercase();
        let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
        if scope.insert(key, variable).is_some() {
            let text = format!("Variable ({}) is declared twice.", name.text);
            return Err(SqlError::at(-668, name.span, text).about(&name.text));
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Option<Variable> {
        let key = name.to_lowercase();
        self.scopes.iter().rev().find_map(|scope| scope.get(&key)).cloned()
    }

    /// A variable of this name.
    ///
    /// Errors: -667.
    fn variable(&self, name: &Name) -> Parse<Variable> {
        self.find(&name.text).ok_or_else(|| undeclared(name))
    }

    /// The variable that an expression names: one of a block, or a column of a trigger's rows.
    fn named(&mut self, name: &ObjectName) -> Parse<Option<Variable>> {
        match &name.parts[..] {
            [only] => Ok(self.find(&only.text)),
            [row, column] => self.row_column(row, column),
            _ => Ok(None),
        }
    }

    /// The value of a variable.
    fn read(&mut self, variable: &Variable) -> Expression {
        let ty = storage(variable.known);
        match &variable.place {
            Place::Slot(slot) => Expression::new(ty, ExpressionKind::Slot(*slot)),
            Place::Global(name) => {
                let action = self.action(ActionKind::Global(name.clone()), Vec::new(), Span::default());
                self.asked(action, ty, name, Vec::new())
            }
        }
    }

    /// The value of a DEFAULT.
    fn constant(&mut self, value: &Expr, known: Type) -> Parse<Value> {
        let given = match value {
            Expr::Literal(Literal::Null) => Value::Null,
            Expr::Literal(Literal::String(text)) => Value::Text(text.clone()),
            Expr::Literal(Literal::Integer(text) | Literal::Decimal(text) | Literal::Float(text)) => {
                Value::Text(text.clone())
            }
            Expr::Unary(crate::tree::UnaryOperator::Minus, inner) => match inner.as_ref() {
                Expr::Literal(Literal::Integer(text) | Literal::Decimal(text)) => Value::Text(format!("-{text}")),
                _ => return Err(SqlError::unsupported("this DEFAULT of a parameter")),
            },
            Expr::Niladic(word) if word == "USER" || word == "CURRENT_USER" => Value::Text(self.environment.user()),
            _ => return Err(SqlError::unsupported("this DEFAULT of a parameter")),
        };
        crate::convert::assign(given.as_ref(), known)
    }

    /// Notes an action, and gives its number.
    fn action(&mut self, kind: ActionKind, inputs: Vec<Type>, span: Span) -> StatementId {
        let id = StatementId(u32::try_from(self.actions.len()).unwrap_or(u32::MAX));
        self.actions.push(Action { kind, inputs, outputs: Vec::new(), span });
        id
    }

    /// A statement of the host without inputs and outputs.
    fn host(&mut self, line: u32, kind: ActionKind, text: &str, span: Span) -> program::Statement {
        self.host_with(line, kind, text, span, (Vec::new(), Vec::new()))
    }

    /// A statement of the host with inputs.
    fn host_with(
        &mut self,
        line: u32,
        kind: ActionKind,
        text: &str,
        span: Span,
        (inputs, types): (Vec<Expression>, Vec<Type>),
    ) -> program::Statement {
        let statement = self.action(kind, types, span);
        let (text, outputs, branches) = (Arc::from(text), Vec::new(), Vec::new());
        program::Statement::new(line, program::StatementKind::Host { statement, text, inputs, outputs, branches })
    }

    /// A value that the host computes.
    fn asked(&self, statement: StatementId, ty: program::Type, text: &str, arguments: Vec<Expression>) -> Expression {
        Expression::new(ty, ExpressionKind::HostCall { statement, text: Arc::from(text), arguments })
    }

    /// A statement of SQL with a parameter for each mention of a variable: the statement, and the values of the parameters.
    /// Names that are none are columns within queries.
    ///
    /// Errors: -667 for a name outside of queries that is none of a variable.
    fn with_parameters(&mut self, statement: &Statement) -> Parse<(Statement, Vec<Expression>, Vec<Type>)> {
        let mut statement = statement.clone();
        let (mut inputs, mut types, mut failed) = (Vec::new(), Vec::new(), None);
        visit::statement(&mut statement, &mut |value, in_query| {
            let Expr::Column(name) = value else { return };
            match self.named(name) {
                Ok(Some(variable)) => {
                    inputs.push(self.read(&variable));
                    types.push(variable.known);
                    let text = format!("?{}", types.len());
                    *value = Expr::Variable(Name { text, ..Name::default() });
                }
                Ok(None) if !in_query && name.parts.len() == 1 => failed = name.parts.first().map(undeclared),
                Ok(None) => {}
                Err(error) => failed = Some(error),
            }
        });
        failed.map_or(Ok((statement, inputs, types)), Err)
    }
}

fn undeclared(name: &Name) -> Box<SqlError> {
    SqlError::at(-667, name.span, format!("Variable ({}) not declared.", name.text)).about(&name.text)
}
