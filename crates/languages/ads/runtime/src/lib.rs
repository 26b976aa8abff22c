//! Advantage SQL for programs of work areas: sessions of the dialect over a folder's tables.
//!
//! ```text
//!   AdsExecuteSQLDirect --area_session::SqlSession--> Session       session
//!        text --adssql::parse--> statements
//!        one statement --adssql::reduce--> the core's SQL           statement, scope
//!        SELECT * of one table                                      live: its records are the rows
//!             --> engine::Session::execute --> rows                 answer: the rows of a static cursor
//!        CREATE, DROP ..                                            define; views, procedures, triggers: modules
//!        EXECUTE PROCEDURE sp_..                                    system_procedures, system_work
//!        a script --adssql::compile--> a program of the machine     runner, cursor
//!        errors                                                     failure: 7200 and the sentence that programs take apart
//! ```
//!
//! The folder's database is opened once in a process, however many connections there are ([`Engine`]).

mod advantage;
mod answer;
mod cursor;
mod define;
mod dictionary;
mod door;
mod failure;
mod functions;
mod live;
mod modules;
mod place;
mod procedures;
mod runner;
mod scope;
mod session;
mod statement;
mod system;
mod system_dictionary;
mod system_management;
mod system_procedures;
mod system_work;
mod triggers;
mod watched;

pub use door::{Engine, options};
pub use session::{Host, Session};
pub use system_management::GoesOn;
pub use system_procedures::calls_of_procedures;
