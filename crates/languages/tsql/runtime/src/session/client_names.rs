//! Names of objects in calls of clients and in arguments of procedures, which no parser has read.

use mainstay_tsql_syntax::tree::{Name, ObjectName};

/// A name of parts, as a client writes it: `dbo.t`, `[my table]`, `tempdb..#t`.
pub(crate) fn object_name(text: &str) -> ObjectName {
    let mut parts = Vec::new();
    let mut part = Name::default();
    let mut rest = text.trim().chars().peekable();
    while let Some(first) = rest.next() {
        match first {
            '.' => parts.push(std::mem::take(&mut part)),
            '[' | '"' if part.text.is_empty() => {
                let last = if first == '[' { ']' } else { '"' };
                part.quoted = true;
                while let Some(next) = rest.next() {
                    if next == last && rest.peek() != Some(&last) {
                        break;
                    }
                    if next == last {
                        rest.next();
                    }
                    part.text.push(next);
                }
            }
            c => part.text.push(c),
        }
    }
    parts.push(part);
    ObjectName { parts, ..ObjectName::default() }
}
