//! Business BASIC (ProvideX, PxPlus): programs as text, compiled and run.
//!
//! ```text
//!   session    the way in: a program, its files, its screen              console    the prompt
//!   compile    a tree to operations        code       operations and expressions
//!   machine    runs them                   link       names of a program at a level
//!   functions  system functions            variables  numbers, strings, arrays by slot
//!   number     decimals of 18 digits       mask       format masks
//!   calendar   dates                       screen     strings with mnemonics, controls
//! ```
//!
//! The language's meaning is that of the manual of PxPlus; docs/COMPAT-basic.md lists every item with its state. Files
//! are those of `mainstay-basic-files`; screen, keyboard and clock are a [`Host`]'s. Nothing that a program does can
//! make the process panic: limits of memory, nesting and time end the program with an error.

pub mod calendar;
mod code;
mod compile;
pub mod console;
pub mod fault;
mod folder;
mod functions;
pub mod host;
mod link;
mod machine;
pub mod mask;
pub mod number;
pub mod number_text;
pub mod plain;
mod screen;
mod screen_host;
mod session;
mod system_clock;
mod variables;

pub use fault::{Fault, Outcome};
pub use folder::FolderPrograms;
pub use host::{Clock, Host, Input, InputRequest, Output, Programs};
pub use machine::{Parameters, Parts, Value};
pub use screen_host::ScreenHost;
pub use session::{Ended, Failure, Session, check};
