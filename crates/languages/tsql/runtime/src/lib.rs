//! T-SQL sessions: batches and procedures run over a database.
//!
//! ```text
//!   text --tsql::parse--> statements --tsql::compile--> program + actions            modules
//!                                                          |
//!   Machine::run  ---- a statement of the host ----------> Runner::execute           runner
//!                                                          |
//!        query, change (reduced to the core's SQL, prepared once, run)               query, change
//!        PRINT, RAISERROR, transactions, cursors, definitions                        flow, cursor, define
//!                                                          |
//!                                                        Sink   what the client is told: rows, counts, messages
//! ```
//!
//! A [`Session`] is one connection. It owns a session of the engine, a machine, and what T-SQL keeps between statements:
//! `@@ROWCOUNT`, temporary tables by the level that made them, cursors, prepared handles, SET options.
//!
//! Objects that are text - procedures, functions, triggers, views - are kept in the table `sys.mainstay_modules` of the
//! database itself, so that making one belongs to the transaction that makes it. Temporary procedures (`#p`, `##p`) are in
//! tables of their own, which end with the session or the server.

mod accumulate;
mod again;
mod alter;
mod alter_column;
mod announced;
mod applock;
mod backup;
mod bulk;
mod bulk_file;
mod bulk_text;
mod calls;
mod capture;
mod catalog;
mod change;
mod clustered;
mod collected;
mod console;
mod constraints;
mod cursor;
mod cursor_change;
mod cursor_keyset;
mod cursors;
mod dbcc;
mod define;
mod definition_errors;
mod dependencies;
mod describe;
mod direct_function;
mod door;
mod errors;
mod events;
mod fire;
mod flow;
mod folder;
mod function_uses;
mod functions;
mod hints;
mod identity;
mod ignored_keys;
mod indexes;
mod inlined_views;
mod instance;
mod kept;
mod kept_text;
mod large_values;
mod modules;
mod nulls;
mod options;
mod prepared;
mod procedures;
mod query;
mod raise;
mod readpast;
mod reference_errors;
mod rename;
mod runner;
mod running;
mod running_row;
mod scope;
mod script_text;
mod select_into;
mod sent_rows;
mod sequences;
mod server_cursor;
mod session;
mod state;
mod system;
mod table_calls;
mod table_values;
mod table_variables;
mod texts;
mod transactions;
mod transfer;
mod triggers;
mod truncate;
mod undeclared;
mod unexecuted;
mod unit;
mod uses;
mod views;
mod xml_documents;

pub use console::{Console, Interrupts};
pub use folder::Tell;
pub use instance::Instance;
pub use mainstay_tsql_syntax::batches;
pub use mainstay_tsql_types::CodePage;
pub use script_text::{ScriptText, script_text};
pub use session::Session;
