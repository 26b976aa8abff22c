//! The form: a routine with typed slots and structured statements, built by the front end of a language.
//!
//! The form is a tree that can be printed ([`print`]); it specifies everything that the machine does, without implicit
//! conventions of a language. `verify` checks it; only a valid form is compiled.
//!
//! ```text
//!   Routine   slots, parameters, labels
//!     Statement   line + kind: assignments, control flow, handlers, calls, statements of the host
//!       Expression   type + kind
//! ```

mod expression;
mod print;

pub use expression::{ArithmeticOp, BitwiseOp, CompareOp, Expression, ExpressionKind, Rounding, TextUnit};

use crate::Type;
use mainstay_types::Value;
use std::sync::Arc;

/// The number of a slot in its routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId(pub u16);

/// The number of a label in its routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u16);

/// The number of an array in its routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayId(pub u16);

/// The host's own number for a statement or a value that it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatementId(pub u32);

/// A procedure, a function or a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Routine {
    /// Its name, as errors show it.
    pub name: Arc<str>,
    /// Its variables, those of its parameters among them.
    pub slots: Vec<Slot>,
    /// Its parameters, in the order of their positions.
    pub parameters: Vec<Parameter>,
    /// The type of its result. A procedure's status is an [`Type::I32`].
    pub result: Option<Type>,
    /// The result without a RETURN.
    pub default_result: Value,
    /// Its arrays. They have no elements when it begins.
    pub arrays: Vec<ArraySlot>,
    /// Names of its labels, by number.
    pub labels: Vec<String>,
    /// Its statements.
    pub body: Vec<Statement>,
    /// True if the host is told when it begins and ends ([`crate::Host::entered`]).
    pub scoped: bool,
}

impl Routine {
    /// A routine without statements that returns a status, 0 unless it says otherwise.
    pub fn new(name: &str) -> Routine {
        Routine {
            name: name.into(),
            slots: Vec::new(),
            parameters: Vec::new(),
            result: Some(Type::I32),
            default_result: Value::Integer(0),
            arrays: Vec::new(),
            labels: Vec::new(),
            body: Vec::new(),
            scoped: false,
        }
    }

    /// Adds a slot that begins as NULL.
    pub fn slot(&mut self, name: &str, ty: Type) -> SlotId {
        self.slot_with(name, ty, Value::Null)
    }

    /// Adds a slot that begins with this value.
    pub fn slot_with(&mut self, name: &str, ty: Type, initial: Value) -> SlotId {
        // A number that wraps makes two slots one; the verifier refuses a routine with that many.
        let id = SlotId(self.slots.len() as u16);
        self.slots.push(Slot { name: name.to_owned(), ty, declared: String::new(), initial });
        id
    }

    /// Adds a parameter with a slot of its own.
    pub fn parameter(&mut self, name: &str, ty: Type, direction: Direction, default: Option<Value>) -> SlotId {
        let slot = self.slot(name, ty);
        self.parameters.push(Parameter { slot, direction, default });
        slot
    }

    /// Adds an array whose elements begin with this value.
    pub fn array(&mut self, name: &str, element: Type, initial: Value) -> ArrayId {
        let id = ArrayId(self.arrays.len() as u16);
        self.arrays.push(ArraySlot { name: name.into(), element, initial });
        id
    }

    /// Adds a label.
    pub fn label(&mut self, name: &str) -> LabelId {
        let id = LabelId(self.labels.len() as u16);
        self.labels.push(name.to_owned());
        id
    }
}

/// A variable of a routine.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Its name, as it is written: `@total`, `N$`.
    pub name: String,
    /// The type that it stores.
    pub ty: Type,
    /// Its type as the language declares it (`varchar(10)`); for the printed form and [`crate::Host::convert`].
    pub declared: String,
    /// Its value when the routine begins.
    pub initial: Value,
}

/// An array of a routine.
#[derive(Clone, Debug, PartialEq)]
pub struct ArraySlot {
    /// Its name, as it is written.
    pub name: Arc<str>,
    /// The type of an element: text, or a type of cells (numbers, dates, handles).
    pub element: Type,
    /// The value of each element when the array is dimensioned.
    pub initial: Value,
}

/// A slot that the caller fills, or reads afterwards, or both.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The slot.
    pub slot: SlotId,
    /// The direction of values.
    pub direction: Direction,
    /// Its value when the caller gives none; `None` if the caller must.
    pub default: Option<Value>,
}

/// The direction of a parameter's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the routine.
    In,
    /// To the caller.
    Out,
    /// To the routine, and back to the caller.
    InOut,
}

/// A statement and the line where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The line of the source, from 1.
    pub line: u32,
    /// The operation.
    pub kind: StatementKind,
}

impl Statement {
    /// A statement of this line.
    pub fn new(line: u32, kind: StatementKind) -> Statement {
        Statement { line, kind }
    }
}

/// The operation of a [`Statement`].
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// Its statements one after the other.
    Block(Vec<Statement>),
    /// Statements that are one in the source: an error in one of them is an error of the group, with the group's line, and
    /// what goes on with the next statement (or tries again) does so with the whole group.
    Group(Vec<Statement>),
    /// Gives a slot a value of its own type (limits, widths and precisions aside).
    Assign {
        /// The slot.
        target: SlotId,
        /// The value.
        value: Expression,
    },
    /// Gives an array bounds, and all its elements their first value (`DIM`).
    Dimension {
        /// The array.
        array: ArrayId,
        /// The least and the greatest value of each subscript: whole numbers.
        bounds: Vec<(Expression, Expression)>,
    },
    /// Gives an element of an array a value of its type.
    AssignElement {
        /// The array.
        array: ArrayId,
        /// Its subscripts: whole numbers.
        indexes: Vec<Expression>,
        /// The value.
        value: Expression,
    },
    /// Computes a value for the effect of doing so.
    Evaluate(Expression),
    /// `then` if the condition is true, `otherwise` if it is false or NULL.
    If {
        /// The condition.
        condition: Expression,
        /// For true.
        then: Vec<Statement>,
        /// For false and NULL.
        otherwise: Vec<Statement>,
    },
    /// The body again and again while the condition is true.
    While {
        /// The condition.
        condition: Expression,
        /// The body.
        body: Vec<Statement>,
    },
    /// The body again and again until something leaves it.
    Loop(Vec<Statement>),
    /// Leaves the innermost loop.
    Break,
    /// Goes on with the next turn of the innermost loop.
    Continue,
    /// The place that a label names.
    Label(LabelId),
    /// Goes on at a label: anywhere in the routine, but not into a TRY or CATCH from outside it.
    Goto(LabelId),
    /// Goes on at the label of this number, from 0; with the next statement if there is none or it is NULL.
    Switch {
        /// A whole number.
        index: Expression,
        /// The labels.
        labels: Vec<LabelId>,
    },
    /// Goes on at a label until [`StatementKind::GosubReturn`] comes back.
    Gosub(LabelId),
    /// Back to the statement after the last GOSUB of this routine's run.
    GosubReturn,
    /// Takes off the last return of a GOSUB and goes on here.
    GosubPop,
    /// `catch` if an error happens in `body`, or in what it calls.
    Try {
        /// The statements that are tried.
        body: Vec<Statement>,
        /// The statements that handle an error.
        catch: Vec<Statement>,
    },
    /// Raises again the error of the CATCH that this stands in.
    Rethrow,
    /// From here on errors go to a label (`SETERR`), or nowhere. Not in a routine with [`StatementKind::Try`].
    SetHandler(Option<LabelId>),
    /// Back from a handler that [`StatementKind::SetHandler`] named.
    Resume(Resume),
    /// Ends the routine.
    Return(Option<Expression>),
    /// Calls another routine.
    Call {
        /// The target and the arguments.
        call: Call,
        /// The slot for its result: of the type that it is known to have.
        result: Option<SlotId>,
    },
    /// A statement of the host: SQL, a cursor's, a message.
    Host {
        /// The host's number for it.
        statement: StatementId,
        /// The text in the printed form.
        text: Arc<str>,
        /// Values for it, of any types.
        inputs: Vec<Expression>,
        /// Slots that it may set.
        outputs: Vec<SlotId>,
        /// Labels where it may go on ([`crate::Flow::branch`]).
        branches: Vec<LabelId>,
    },
}

/// Where a handler goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resume {
    /// With the statement that failed, again (`RETRY`).
    Retry,
    /// With the statement after it.
    Next,
}

/// A call of another routine, which is looked up when it is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The target of the call.
    pub callee: Callee,
    /// With what.
    pub arguments: Vec<Argument>,
}

/// The target of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// By a name that is known.
    Named(Arc<str>),
    /// By a name that is computed: text.
    Dynamic(Box<Expression>),
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The parameter's name; `None` for the one at this position.
    pub name: Option<String>,
    /// The argument's value.
    pub value: ArgumentValue,
}

/// The argument for a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentValue {
    /// A value.
    Value(Expression),
    /// A slot's value, and the slot takes what comes back (if the parameter's direction says so).
    InOut(SlotId),
    /// Its default.
    Default,
}
