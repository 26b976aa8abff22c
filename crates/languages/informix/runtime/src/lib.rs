//! Sessions of Informix SQL over a database of the engine.
//!
//! ```text
//!   a door --mainstay_session--> Session          session
//!        text --informix-syntax--> Statement --reduce--> the core's SQL, prepared once     statement
//!        names of tables and columns, DBINFO                                               scope
//!        systables, syscolumns, ...: rows made when they are read                          catalog
//!        rows of the core as values of declared types                                      rows
//!        errors of the core in SQLCODE and ISAM codes                                      failure
//! ```
//!
//! Tables are those that every other language of the database sees. What Informix declares beyond the core's types - SERIAL,
//! MONEY, DATETIME YEAR TO MINUTE - stands in the metadata of the columns; tables of others show the nearest type.

mod backend;
mod catalog;
mod failure;
mod keys;
mod objects;
mod rows;
mod scope;
mod session;
mod statement;
mod synonyms;

pub use backend::Informix;
