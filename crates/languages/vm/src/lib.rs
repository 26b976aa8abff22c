//! Programs and procedures in one typed form: the form, its bytecode, the machine that runs it.
//!
//! A language uses this crate with a front end that builds a [`Routine`] from each procedure, function or batch, and
//! with a [`Host`] for everything specific to the language and its session. T-SQL is one, Business BASIC is to be
//! another; `docs/vm.md` maps their constructs.
//!
//! ```text
//!   source text --front end--> Routine ---verify, compile---> Program ---Machine::run---> values, errors
//!                              (form)                         (bytecode)     |    ^
//!                                                                            v    |
//!                                             Host: statements, names, errors in the language's words
//! ```
//!
//! - The **form** is typed: every slot and expression has a [`Type`], and every conversion is a node that the front end
//!   has put there. What an operation does about NULL, overflow, rounding, lengths and collations is said by its node, so
//!   that two languages can differ in each. The form prints itself (`{routine}`).
//! - [`verify`] refuses a form that does not make sense, with its line. What it accepts cannot make the machine panic.
//! - A [`Program`] is never changed and may be shared by any number of sessions.
//! - A [`Machine`] belongs to one session. It keeps its memory, so that a call that was made before allocates nothing; it
//!   looks at its [`Limits`] at every turn of a loop and every call, and may be run again from inside a statement.
//!
//! ```
//! use mainstay_vm::*;
//! use mainstay_types::{Timestamp, ValueRef};
//!
//! struct Session;
//! impl Host for Session {
//!     fn execute(&mut self, _: &mut StatementCall<'_>) -> Result<Flow, Box<Raised>> {
//!         Ok(Flow::NEXT)
//!     }
//!     fn resolve(&mut self, name: &str) -> Result<Resolved, Box<Raised>> {
//!         Err(Raised::new(2812, 16, 62, format!("Could not find stored procedure '{name}'.")))
//!     }
//!     fn stamp(&self) -> u64 {
//!         0
//!     }
//!     fn now(&mut self) -> Timestamp {
//!         Timestamp(0)
//!     }
//! }
//!
//! // CREATE PROCEDURE twice @n int AS RETURN @n * 2
//! let mut routine = Routine::new("twice");
//! let n = routine.parameter("@n", Type::I32, Direction::In, None);
//! let twice = Expression::arithmetic(Type::I32, ArithmeticOp::Multiply, Expression::slot(&routine, n), Expression::int(2));
//! routine.body.push(Statement::new(1, StatementKind::Return(Some(twice))));
//! assert_eq!(routine.to_string(), "routine twice(@n i32 in) -> i32\n     1  return (@n * 2)\n");
//!
//! let program = Program::compile(routine)?;
//! let mut machine = Machine::new(Limits::default());
//! machine.run(&mut Session, &program, &[RunArgument::Value(ValueRef::Integer(21))])?;
//! assert_eq!(machine.result(), ValueRef::Integer(42));
//!
//! let error = machine.run(&mut Session, &program, &[RunArgument::Value(ValueRef::Integer(2_000_000_000))]).unwrap_err();
//! assert_eq!(error.fault, Some(Fault::Overflow { to: Type::I32 }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compile;
mod fault;
mod form;
mod host;
mod machine;
mod types;
mod verify;

pub use compile::Program;
pub use fault::{Fault, Place, Raised};
pub use form::*;
pub use host::{
    FaultAnswer, Flow, Host, NativeCall, NativeContext, NativeFunction, Operation, Produced, Resolved, SharedOperation,
    Unhandled,
};
pub use machine::{Limits, Machine, RunArgument, Scratch, StatementCall};
pub(crate) use types::File;
pub use types::{Type, Width};
pub use verify::{FormError, verify};
