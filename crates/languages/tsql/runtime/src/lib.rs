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
//! A [`Session`] is one connection. It owns a session of the engine, a machine, and what T-SQL keeps between statements:
//! `@@ROWCOUNT`, temporary tables by the level that made them, cursors, prepared handles, SET options.
//!
//! Plans and counts of what was run are shown by `plans`.
//!
//! Objects that are text - procedures, functions, triggers, views - are kept in the table `sys.mainstay_modules` of the
//! database itself, so that making one belongs to the transaction that makes it. Temporary procedures (`#p`, `##p`) are in
//! tables of their own, which end with the session or the server.

mod catalog;
mod changes;
mod cursors;
mod definitions;
mod objects;
mod plans;
mod session;
mod statements;
mod system;
mod views;

pub use mainstay_tsql_syntax::{ScriptText, batches, script_text, sqlcmd};
pub use mainstay_tsql_types::CodePage;
pub use objects::module_files::Tell;
pub use session::Session;
pub use session::console::{Console, Interrupts};
pub use session::instance::Instance;
