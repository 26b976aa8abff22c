//! Names of routines: in statements, in the table of routines, and in the core's SQL.
//!
//! ```text
//!   twice               in statements, and in errors
//!   twice/1             the key of its row: with the number of its parameters
//!   user:twice/1        a function of the core's SQL, as views keep it
//! ```

use mainstay_session::Failure;

/// -674: a routine of this name and these parameters is not there.
const MISSING: i32 = -674;

/// The beginning of the names by which the core's SQL calls functions of the database.
const PREFIX: &str = "user:";

/// The key of a routine.
pub(crate) fn key_of(name: &str, parameters: usize) -> String {
    format!("{name}/{parameters}")
}

/// The name in statements of the routine with this key.
fn name_of(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(name, _)| name)
}

/// The core's name of the routine with this key.
pub(crate) fn core_name(key: &str) -> String {
    format!("{PREFIX}{key}")
}

/// The name in statements of the routine that the core has under this name; `None` for the name of something else.
pub(crate) fn routine_name(core_name: &str) -> Option<&str> {
    // In views that older versions have made, the name is one of T-SQL's.
    core_name.strip_prefix("mssql:").unwrap_or(core_name).strip_prefix(PREFIX).map(name_of)
}

/// True for a routine of the system that is accepted without effect: texts may have ends of lines anyway.
pub(crate) fn is_accepted(name: &str) -> bool {
    name.eq_ignore_ascii_case("ifx_allow_newline")
}

/// The error of a routine that is not there, by its name or its key.
pub(crate) fn missing(name: &str) -> Failure {
    let name = name_of(name);
    let message = format!("Routine ({name}) can not be resolved.");
    Failure { number: MISSING, subject: name.to_owned(), message, ..Failure::default() }
}
