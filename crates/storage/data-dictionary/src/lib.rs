//! Data dictionaries: a file beside the tables with their names, the rights of users, and the rules of their records.
//!
//! The vendor's `.add` files have no public format, so this format is our own: a text that a person can read and change
//! ([`text`]), replaced as a whole by every change, so that a crash leaves the old dictionary or the new one. A file in
//! the vendor's format is read as far as it is understood, and never changed ([`vendor`]).
//!
//! ```text
//!   Live        the file: read again when its stamp changes, changed under a lock                live
//!    |
//!   Contents    objects by kind, parent and name, each with properties; grants; all in memory    contents, text
//!    |    \
//!    |     Access   who has logged in, and what that user may do                                 access
//!    |
//!   properties  of each kind of object: number, name, form, who may read and change it
//!   rules       what must be true of a record before it is written: fields, the table's condition
//!   changes     the same for the rows of a statement, and what follows from them
//!   firing      which triggers a written record fires
//!   integrity   what a change of a parent's key does to its children
//!   guard       all of these around every write of an open table
//!
//!   constants   the numbers of the ACE interface: kinds of objects, properties, errors, options
//!   failure     a code of the interface with its details, and its form as an error
//!   files       names of files as programs and dictionaries write them
//!   dates       days as texts by a program's mask
//! ```
//! Properties, rights and errors have the numbers of the ACE interface, which programs and the system tables of SQL show.
//!
//! Facts in the tables' own files (types of fields, expressions of orders) are not repeated here: they are read from
//! there on demand.
//!
//! Limits: the SQL engine runs views, procedures, functions and triggers; they are only stored here. Subscriptions are
//! stored, and nothing is replicated.

pub mod access;
pub mod changes;
pub mod constants;
pub mod contents;
pub mod dates;
pub mod failure;
pub mod files;
pub mod firing;
pub mod guard;
pub mod integrity;
pub mod live;
pub mod properties;
pub mod rules;
pub mod session;
pub mod text;
pub mod vendor;

pub use access::Access;
pub use contents::{Contents, Grant, Object, Property};
pub use live::Live;
pub use session::Session;
