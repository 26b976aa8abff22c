//! T-SQL sessions: batches and procedures run over a database.
//!
//! ```text
//!   text --tsql::parse--> statements --tsql::compile--> program + actions            objects
//!                                                          |
//!   Machine::run  ---- a statement of the host ----------> Runner::execute           statements::runner
//!                                                          |
//!        query, change (reduced to the core's SQL, prepared once, run)               statements::query, changes
//!        PRINT, RAISERROR, transactions, cursors, definitions                        statements::flow, cursors, definitions
//!                                                          |
//!                                                        Sink   what the client is told: rows, counts, messages
//! ```
//!
//! A [`Session`] is one connection. It owns a session of the engine, a machine, and the state of T-SQL between
//! statements: `@@ROWCOUNT`, temporary tables by the level that created them, cursors, prepared handles, SET options.
//!
//! The module `plans` shows plans and the counts of runs.
//!
//! Objects that are text - procedures, functions, triggers, views - are stored in the table `sys.mainstay_modules` of
//! the database itself, so that creating one belongs to the transaction that creates it. Temporary procedures (`#p`,
//! `##p`) are in separate tables, which end with the session or the server.

mod catalog;
mod changes;
mod columns;
mod cursors;
mod definitions;
mod objects;
mod plans;
mod session;
mod statements;
mod system;
mod views;

pub use columns::Column;
pub use mainstay_tsql_syntax::{ScriptText, TokenKind, batches, script_text, sqlcmd, tokens};
pub use mainstay_tsql_types::CodePage;
pub use objects::module_files::Tell;
pub use session::Session;
pub use session::console::{Console, Interrupts};
pub use session::instance::Instance;
