//! Services that the machine requires: statements, names, time, and its language's errors.
//!
//! A [`Host`] is a session of some language. The machine knows neither SQL nor screens: a statement is a number to it,
//! with values as inputs and slots as outputs ([`crate::StatementCall`]). A host may run the machine again while one of
//! its statements runs: for a trigger, or a function that a query calls.

use crate::machine::Scratch;
use crate::{Fault, Program, Raised, Slot, StatementCall, StatementId};
use mainstay_types::{Date, Decimal, Interval, Time, Timestamp, Value, ValueRef};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The continuation of a program after a statement of the host.
///
/// One word and not an enum with a number in it: a `Result` of a word is returned in registers. One of such an enum is put
/// together in memory of its parts, and the processor waits for it at every function that passes it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow(usize);

impl Flow {
    /// With the next statement.
    pub const NEXT: Flow = Flow(usize::MAX);
    /// The routine returns, with its default result.
    pub const RETURN: Flow = Flow(usize::MAX - 1);

    /// At this one of the statement's branches, from 0; with the next statement if there is none.
    pub fn branch(number: u16) -> Flow {
        Flow(number.into())
    }

    /// The number of the branch, if it is a branch.
    pub(crate) fn branch_number(self) -> Option<usize> {
        (self.0 <= u16::MAX.into()).then_some(self.0)
    }
}

/// The meaning of a called name.
#[derive(Clone, Debug)]
pub enum Resolved {
    /// A program.
    Program(Arc<Program>),
    /// Something that the host does itself, under this number: [`Host::execute`] is called with the arguments as inputs.
    Statement(StatementId),
}

/// The host's answer to a [`Fault`].
#[derive(Debug)]
pub enum FaultAnswer {
    /// An error.
    Raise(Box<Raised>),
    /// The operation gives NULL.
    Null,
}

/// The host's answer to an error without a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unhandled {
    /// It leaves the machine: [`crate::Machine::run`] fails with it.
    Propagate,
    /// The host has made it known; the routine goes on with the statement after the failed one.
    NextStatement,
    /// The host has made it known; the routine ends there, with the result that it has so far, and its caller goes on.
    EndRoutine,
}

/// The world of a program: see the module's comment.
pub trait Host {
    /// Runs a statement or computes a value of the host.
    fn execute(&mut self, call: &mut StatementCall<'_>) -> Result<Flow, Box<Raised>>;

    /// Finds what a call's name stands for. What it says is kept until [`Host::stamp`] changes.
    fn resolve(&mut self, name: &str) -> Result<Resolved, Box<Raised>>;

    /// A number that changes when [`Host::resolve`] might answer differently. Asked at every call.
    fn stamp(&self) -> u64;

    /// Says what becomes of a fault of the machine, or of one that [`Host::execute`] or a native function passed on with
    /// `?` (a [`Raised`] that has a fault and no number).
    fn fault(&mut self, fault: Fault) -> FaultAnswer {
        FaultAnswer::Raise(Raised::of(fault))
    }

    /// Says what becomes of an error that no handler takes, in this run or around it.
    fn unhandled(&mut self, _error: &Raised) -> Unhandled {
        Unhandled::Propagate
    }

    /// A handler takes an error, and is about to begin.
    fn caught(&mut self, _error: &Raised) {}

    /// The result of a procedure that goes on after this error, raised by one of its statements or caught by its
    /// handler, unless its RETURN gives another. Of several results the least counts, and none that is above the
    /// default result.
    fn status_after(&self, _error: &Raised) -> Option<i64> {
        None
    }

    /// Makes a value for a parameter, or for the slot that an output goes back to, when their types differ. The default
    /// does what [`Scratch::coerce`] does.
    fn convert(&mut self, value: ValueRef<'_>, to: &Slot, scratch: &mut Scratch) -> Result<Produced, Box<Raised>> {
        match scratch.coerce(value, to.ty) {
            Ok(produced) => Ok(produced),
            Err(fault) => match self.fault(fault) {
                FaultAnswer::Raise(raised) => Err(raised),
                FaultAnswer::Null => Ok(Produced::Null),
            },
        }
    }

    /// A routine that is [`crate::Routine::scoped`] begins; `level` is 1 for the outermost.
    fn entered(&mut self, _program: &Arc<Program>, _level: usize) {}

    /// A routine that is [`crate::Routine::scoped`] ended, in whatever way.
    fn left(&mut self, _program: &Arc<Program>, _level: usize) {}

    /// The session's state, which native functions of the language get by [`NativeContext::session`].
    fn session(&mut self) -> Option<&mut dyn Any> {
        None
    }

    /// The time of day.
    fn now(&mut self) -> Timestamp;

    /// A message that a native function has for the user.
    fn message(&mut self, _number: i32, _severity: u8, _text: &str) {}
}

/// The result of a native function.
#[derive(Clone, Debug, PartialEq)]
pub enum Produced {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// An exact number; it is rounded to the scale that is wanted.
    Decimal(Decimal),
    /// A double.
    Float(f64),
    /// A day.
    Date(Date),
    /// A time of day.
    Time(Time),
    /// A moment.
    Timestamp(Timestamp),
    /// A moment, and the offset of the clock that showed it.
    TimestampWithOffset {
        /// The moment in UTC.
        utc: Timestamp,
        /// Minutes that the clock is ahead of UTC.
        offset_minutes: i16,
    },
    /// A length of time.
    Interval(Interval),
    /// A UUID.
    Uuid([u8; 16]),
    /// The text that was written to [`NativeContext::text`].
    Text,
    /// The bytes that were written to [`NativeContext::bytes`].
    Bytes,
    /// A value of any kind. (Text and bytes allocate this way.)
    Value(Value),
}

impl From<bool> for Produced {
    fn from(value: bool) -> Produced {
        Produced::Boolean(value)
    }
}

impl From<i64> for Produced {
    fn from(value: i64) -> Produced {
        Produced::Integer(value)
    }
}

impl From<f64> for Produced {
    fn from(value: f64) -> Produced {
        Produced::Float(value)
    }
}

impl From<Decimal> for Produced {
    fn from(value: Decimal) -> Produced {
        Produced::Decimal(value)
    }
}

/// The signature of a native function: it gets values, NULL among them, that live as long as the call.
pub type NativeCall = fn(&mut NativeContext<'_>, &[ValueRef<'_>]) -> Result<Produced, Box<Raised>>;

/// A function of the language.
#[derive(Clone, Copy)]
pub struct NativeFunction {
    /// Its name, for the printed form. Two functions of one name count as the same.
    pub name: &'static str,
    /// The function.
    pub call: NativeCall,
}

impl fmt::Debug for NativeFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for NativeFunction {
    fn eq(&self, other: &NativeFunction) -> bool {
        self.name == other.name
    }
}

/// A function of the language with something of its own: an operation that was bound to its types, a compiled pattern.
///
/// It is called as a [`NativeFunction`] is, without leaving the machine's loop; what it needs of the session it finds by
/// [`NativeContext::session`].
pub trait Operation: Send + Sync {
    /// Its name, for the printed form.
    fn name(&self) -> &str;

    /// Computes its value. NULL is among the arguments; text and bytes live as long as the call.
    fn call(&self, context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>>;
}

/// An [`Operation`] in a form. Two are the same if they are one.
#[derive(Clone)]
pub struct SharedOperation(pub Arc<dyn Operation>);

impl fmt::Debug for SharedOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl PartialEq for SharedOperation {
    fn eq(&self, other: &SharedOperation) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The context of a running native function.
pub struct NativeContext<'a> {
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) host: &'a mut dyn Host,
    pub(crate) error: Option<&'a Raised>,
    pub(crate) room: usize,
}

impl NativeContext<'_> {
    /// An empty text to write the result to; then give [`Produced::Text`]. It keeps its memory between calls.
    pub fn text(&mut self) -> &mut String {
        self.scratch.text.clear();
        &mut self.scratch.text
    }

    /// No bytes, to write the result to; then give [`Produced::Bytes`].
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        self.scratch.bytes.clear();
        &mut self.scratch.bytes
    }

    /// The state that [`Host::session`] gives, if it is of this type.
    pub fn session<T: Any>(&mut self) -> Option<&mut T> {
        self.host.session()?.downcast_mut()
    }

    /// The buffers, and what [`Host::session`] gives, at once: for results that are written while the session is read.
    pub fn session_and_scratch<T: Any>(&mut self) -> (Option<&mut T>, &mut Scratch) {
        (self.host.session().and_then(|session| session.downcast_mut()), self.scratch)
    }

    /// The host.
    pub fn host(&mut self) -> &mut dyn Host {
        self.host
    }

    /// The error of the handler that runs, if one does: of this routine, or of one that called it.
    pub fn error(&self) -> Option<&Raised> {
        self.error
    }

    /// Bytes of text that there is still room for. A function that makes long text asks before it does.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Asks the host to turn a fault into an error, or into NULL.
    pub fn fault(&mut self, fault: Fault) -> Result<Produced, Box<Raised>> {
        match self.host.fault(fault) {
            FaultAnswer::Raise(raised) => Err(raised),
            FaultAnswer::Null => Ok(Produced::Null),
        }
    }
}
