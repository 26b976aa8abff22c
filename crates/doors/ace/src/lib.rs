//! The library of the Advantage Client Engine's calls: `libace.so`, for programs that are linked with it.
//!
//! A program that was written for that interface (through Harbour's `rddads`, from C, from Delphi, PHP or Python) is
//! linked with this library instead, and works on the same files. A call passes four layers:
//!
//! ```text
//!   AdsGotoTop(hTable)            entries    the exported C function: clears the last error, catches panics
//!        |
//!   moves::top(Handle)            calls      what the call means, in terms of a work area; errors with their codes
//!        |
//!   registry::table(Handle)       state      which object a handle is, and whether it is of the kind asked for
//!        |
//!   WorkArea::go_top()            mainstay-workarea, or mainstay-navigator for a table of a server
//! ```
//!
//! `border` contains the types that cross to C, and with `entries` and `lock` the crate's `unsafe`. The constants of
//! `mainstay-data-dictionary`, `structures` and `entries` are the tables from which the header `include/ace.h` and the page
//! `docs/COMPAT-ace.md` are written.
//!
//! Threads: a handle may be used from any thread; the calls of one table run one after the other, each thread has its
//! own last error. Limits: encryption is refused with its code; SQL needs a [`backend`] that the
//! program around this library provides.

pub mod backend;
pub mod border;
mod calls;
pub mod compat;
mod conditions;
mod connection;
mod cursor;
pub mod entries;
pub mod failure;
mod far_dictionary;
mod far_sql;
mod files;
pub mod header;
mod live;
mod lock;
pub mod log;
mod management;
mod order;
pub mod procedures;
mod registry;
mod remote;
mod served;
mod settings;
mod statement;
pub mod structures;
mod table;
mod transaction;
mod turn;
mod words;

pub use mainstay_data_dictionary::constants;
use mainstay_data_dictionary::{self as dictionary, dates};
