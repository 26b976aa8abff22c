//! The mark of tables that are renamed for the planner. It stands in names and messages of plans, and users never see it.

use std::borrow::Cow;

/// The mark behind the name of a table that was renamed. No statement has it in a name.
pub(crate) const MARK: char = '\u{2}';

/// A name or a message without the marks.
pub(crate) fn unmarked(text: &str) -> Cow<'_, str> {
    match text.contains(MARK) {
        true => Cow::Owned(text.replace(MARK, "")),
        false => Cow::Borrowed(text),
    }
}
