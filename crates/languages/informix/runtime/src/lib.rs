//! Sessions of Informix SQL over a database of the engine.
//!
//! ```text
//!   a door --mainstay_session--> Session          session
//!        text --informix-syntax--> Statement --reduce--> the core's SQL, prepared once     statement
//!        names of tables and columns, DBINFO                                               scope
//!        systables, syscolumns, ...: rows made when they are read                          catalog
//!        rows of the core as values of declared types                                      rows
//!        texts of routines and triggers; routines as programs of mainstay_vm               modules, routines
//!        what their programs ask for; changes with triggers                                runner, triggers
//!        functions of the database that queries call, in a session beside                  functions
//!        cancellation and the time limit of a statement with its routines                   stopping
//!        definitions as a script, as dbschema writes them                                   schema
//!        the databases of a server, CREATE and DROP DATABASE                                databases
//!        SET EXPLAIN: plans in a file                                                       explain
//!        scripts of a user at this machine, with LOAD and UNLOAD                            script
//!        errors of the core in SQLCODE and ISAM codes                                      failure
//! ```
//!
//! Tables are those that every other language of the database sees. What Informix declares beyond the core's types - SERIAL,
//! MONEY, DATETIME YEAR TO MINUTE - stands in the metadata of the columns; tables of others show the nearest type.

mod backend;
mod catalog;
mod databases;
mod explain;
mod failure;
mod functions;
mod keys;
mod modules;
mod objects;
mod routine_catalog;
mod routine_names;
mod routines;
mod rows;
mod runner;
mod schema;
mod scope;
mod script;
mod session;
mod statement;
mod stopping;
mod synonyms;
mod triggers;

pub use backend::Informix;
pub use script::ScriptError;
