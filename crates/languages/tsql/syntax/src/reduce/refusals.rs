//! Refusals: parts of T-SQL that the reduction does not support, message 40515.
//!
//! The assessment of scripts leaves out some of the parts, which are constants here: those that depend on columns, which it
//! does not know, and those that it finds as nodes of the tree.

use mainstay_tsql_types::Message;

/// 40515: not supported in this version.
pub(crate) const NOT_SUPPORTED: i32 = 40_515;
/// The end of the message, behind the part.
const END: &str = " is not supported in this version of Mainstay.";

pub(super) const PIVOT: &str = "PIVOT of this source";
pub(super) const UNPIVOT: &str = "UNPIVOT of this source";
pub(super) const OUTPUT_OF_ALL: &str = "OUTPUT of all columns of this source";
pub(super) const TRIGGER: &str = "A trigger of this table";
pub(super) const INSTEAD_OF_TRIGGER: &str = "An INSTEAD OF trigger of this table";
pub(super) const CHANGE_THROUGH: &str = "A change through this source";
pub(super) const UNTYPED_COLUMN: &str = "A column without a type";
pub(super) const UPDATE_OF_NO_COLUMN: &str = "An UPDATE of a table without columns to set";
pub(super) const TABLE_FUNCTION: &str = "A function that fills a table here";

/// Parts that depend on the columns of a table.
pub(crate) const OF_COLUMNS: [&str; 9] = [
    PIVOT,
    UNPIVOT,
    OUTPUT_OF_ALL,
    TRIGGER,
    INSTEAD_OF_TRIGGER,
    CHANGE_THROUGH,
    UNTYPED_COLUMN,
    UPDATE_OF_NO_COLUMN,
    TABLE_FUNCTION,
];

pub(super) const FULL_TEXT: &str = "Full-text search";
pub(super) const SYSTEM_TIME: &str = "FOR SYSTEM_TIME and TABLESAMPLE";
pub(super) const OPENROWSET_BULK: &str = "OPENROWSET(BULK ...)";
pub(super) const OPENROWSET_ROWS: &str = "OPENROWSET(BULK ...) of rows";
pub(super) const ROWSET_FUNCTION: &str = "A rowset function";
pub(super) const COLUMNSTORE: &str = "A columnstore index";
pub(super) const PERIOD: &str = "A period of system time";

/// Parts whose nodes in the tree are rows of the table of constructs.
pub(crate) const OF_NODES: [&str; 7] =
    [FULL_TEXT, SYSTEM_TIME, OPENROWSET_BULK, OPENROWSET_ROWS, ROWSET_FUNCTION, COLUMNSTORE, PERIOD];

/// The message for a part of T-SQL that is not supported.
pub fn not_supported(part: &str) -> Message {
    Message::error(NOT_SUPPORTED, format!("{part}{END}"))
}

/// The part that a message of [`not_supported`] names.
pub(crate) fn part_of(message: &Message) -> &str {
    message.text.strip_suffix(END).unwrap_or(&message.text)
}
