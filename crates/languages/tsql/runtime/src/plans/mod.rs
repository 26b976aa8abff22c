//! Execution plans in SQL Server's terms, and counts of runs, for people and tools.
//!
//! ```text
//!   operators   a plan's operators as SQL Server calls them               (SET SHOWPLAN_TEXT, SHOWPLAN_ALL, STATISTICS PROFILE)
//!   listing     the rows and columns in which these are shown
//!   xml         the same as a document                                    (SET SHOWPLAN_XML, STATISTICS XML)
//!   counters    runs, times, rows and reads of statements and modules     (sys.dm_exec_query_stats and its kin)
//!   measures    times and reads of the statement that runs                (SET STATISTICS IO, TIME)
//! ```
//!
//! Nothing here knows a session: `session::unexecuted` finds the statements of a text and plans them,
//! `session::announcements` counts and reports their runs.

pub(crate) mod counters;
pub(crate) mod listing;
pub(crate) mod measures;
pub(crate) mod operators;
pub(crate) mod thread_clock;
pub(crate) mod xml;
