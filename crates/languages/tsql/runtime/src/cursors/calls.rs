//! Cursors of the protocol: the calls of `sp_cursoropen` and its family. (MS-TDS 2.2.6.6, and "Cursor stored
//! procedures" of SQL Server's reference.)
//!
//! ```text
//!   sp_cursoropen       cursor OUT, text, scroll OUT, concurrency OUT, rows OUT, [definitions, values ...]
//!   sp_cursorfetch      cursor, kind, row, count          rows have a last column `ROWSTAT`, an INT: 1, or 2 if it is gone
//!   sp_cursorclose      cursor
//!   sp_cursoroption     cursor, option, value
//!   sp_cursor           cursor, operation, row, table, values ...
//!   sp_cursorprepare    prepared OUT, definitions, text, options, scroll OUT, concurrency OUT
//!   sp_cursorexecute    prepared, cursor OUT, scroll OUT, concurrency OUT, rows OUT, values ...
//!   sp_cursorprepexec   prepared OUT, cursor OUT, definitions, text, scroll OUT, concurrency OUT, rows OUT, values ...
//!   sp_cursorunprepare  prepared
//! ```
//!
//! The session assigns the numbers, and returns each output by its place ([`Opened::outputs`]);
//! [`StaticCursor`](super::position::StaticCursor) finds the rows of a cursor that stores its result.

use mainstay_session::push::{Call, Parameter, ParameterValue};
use mainstay_tsql_types::Message;
use mainstay_types::Value;

/// Bits of the requested scroll options.
pub(crate) mod scroll {
    #![allow(dead_code, reason = "the names of the reference")]
    pub(crate) const KEYSET: i32 = 0x0001;
    pub(crate) const DYNAMIC: i32 = 0x0002;
    pub(crate) const FORWARD_ONLY: i32 = 0x0004;
    pub(crate) const STATIC: i32 = 0x0008;
    pub(crate) const FAST_FORWARD: i32 = 0x0010;
    /// The text has parameters, whose definitions and values follow.
    pub(crate) const PARAMETERIZED: i32 = 0x1000;
    /// The first rows are sent with the answer.
    pub(crate) const AUTO_FETCH: i32 = 0x2000;
    /// The cursor closes itself behind its last row.
    pub(crate) const AUTO_CLOSE: i32 = 0x4000;
}

/// Bits of the requested concurrency options.
pub(crate) mod concurrency {
    #![allow(dead_code, reason = "the names of the reference")]
    pub(crate) const READ_ONLY: i32 = 0x0001;
    pub(crate) const SCROLL_LOCKS: i32 = 0x0002;
    pub(crate) const OPTIMISTIC: i32 = 0x0004;
    /// A text that no cursor can be of is run, and its rows are sent.
    pub(crate) const ALLOW_DIRECT: i32 = 0x2000;
}

/// A call of the family.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CursorCall<'a> {
    /// A cursor is to be opened: of a text, a prepared text, or a text that is kept prepared.
    Open(Opened<'a>),
    /// A text is to be prepared; the place of its number among the parameters is 0.
    Prepare {
        /// The text.
        text: &'a str,
        /// The definitions of its parameters; empty for none.
        definitions: &'a str,
    },
    /// A prepared text is to be forgotten.
    Unprepare {
        /// Its number.
        prepared: i32,
    },
    /// Rows are to be fetched.
    Fetch {
        /// The cursor.
        cursor: i32,
        /// Which rows.
        fetch: Fetch,
    },
    /// A cursor is to be closed.
    Close {
        /// The cursor.
        cursor: i32,
    },
    /// A setting of a cursor.
    Option {
        /// The cursor.
        cursor: i32,
        /// 2 gives it a name.
        option: i32,
        /// The setting's value.
        value: &'a ParameterValue,
    },
    /// A row of a cursor is to be changed: 1 update, 2 delete, 4 insert; 0x20 and 0x40 as in the reference.
    Change {
        /// The cursor.
        cursor: i32,
        /// The operation's bits.
        operation: i32,
        /// The row within those fetched last, from 1; 0 for all.
        row: i32,
        /// The table; empty if there is only one.
        table: &'a str,
        /// The new values, by name.
        values: &'a [Parameter],
    },
}

/// The opening of a cursor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Opened<'a> {
    /// The text; none where one is opened that was prepared.
    pub(crate) text: Option<&'a str>,
    /// The number of the prepared text.
    pub(crate) prepared: Option<i32>,
    /// The definitions of the parameters; empty for none.
    pub(crate) definitions: &'a str,
    /// The parameters' values.
    pub(crate) values: &'a [Parameter],
    /// The scroll options: bits of [`scroll`].
    pub(crate) scroll: i32,
    /// The concurrency options: bits of [`concurrency`].
    pub(crate) concurrency: i32,
    /// Rows that are wanted with the answer, with [`scroll::AUTO_FETCH`].
    pub(crate) rows: i32,
    /// The places of the outputs.
    pub(crate) outputs: Outputs,
}

/// The places of a call's output parameters, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outputs {
    /// Of the number of the text that was prepared by the way.
    pub(crate) prepared: Option<u16>,
    /// Of the cursor's number.
    pub(crate) cursor: u16,
    /// Of how it scrolls.
    pub(crate) scroll: u16,
    /// Of how its rows are changed.
    pub(crate) concurrency: u16,
    /// Of the number of its rows; -1 if that is unknown.
    pub(crate) rows: u16,
}

/// Which rows are to be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fetch {
    /// The first ones.
    First {
        /// So many.
        count: i32,
    },
    /// Those behind the ones that were fetched last.
    Next {
        /// So many.
        count: i32,
    },
    /// Those before the ones that were fetched last; if fewer are there, as many from the first on unless not adjusted.
    Prior {
        /// So many.
        count: i32,
        /// True if as many are wanted even if fewer are before.
        adjusted: bool,
    },
    /// The last ones.
    Last {
        /// So many.
        count: i32,
    },
    /// From a row on, counted from 1, or from the end if it is negative.
    Absolute {
        /// The row.
        row: i32,
        /// So many.
        count: i32,
    },
    /// From a row on that is so far from the first of those fetched last.
    Relative {
        /// The distance.
        row: i32,
        /// So many.
        count: i32,
    },
    /// Those fetched last, again.
    Refresh,
    /// None: the position of the cursor and the number of its rows are outputs, at the places 2 and 3.
    Information,
}

impl<'a> CursorCall<'a> {
    /// The parsed call, if it is one of the family. The message is for a client that called it wrongly.
    pub(crate) fn of(call: &'a Call) -> Option<Result<CursorCall<'a>, Message>> {
        let name = call.procedure.to_ascii_lowercase();
        let reader = Arguments { name: &name, parameters: &call.parameters };
        Some(match name.strip_prefix("sp_cursor")? {
            "open" => open(&reader),
            "execute" => execute(&reader),
            "prepexec" => prepare_and_open(&reader),
            "prepare" => {
                reader.text(1).and_then(|definitions| Ok(CursorCall::Prepare { text: reader.text(2)?, definitions }))
            }
            "unprepare" => reader.number(0).map(|prepared| CursorCall::Unprepare { prepared }),
            "fetch" => fetch(&reader),
            "close" => reader.number(0).map(|cursor| CursorCall::Close { cursor }),
            "option" => option(&reader),
            "" => change(&reader),
            _ => return None,
        })
    }
}

/// The parameters of a call, by their places.
struct Arguments<'a, 'n> {
    name: &'n str,
    parameters: &'a [Parameter],
}

impl<'a> Arguments<'a, '_> {
    fn value(&self, place: usize) -> Result<&'a ParameterValue, Message> {
        self.parameters.get(place).map(|parameter| &parameter.value).ok_or_else(|| self.wrong(place))
    }

    /// SQL Server's message about a parameter that is missing or not of its type.
    fn wrong(&self, place: usize) -> Message {
        let number = place + 1;
        let text = format!("The parameter {number} of the procedure {} is missing, or of another type.", self.name);
        Message::error(16_902, text)
    }

    fn number(&self, place: usize) -> Result<i32, Message> {
        match self.value(place)? {
            ParameterValue::Single(Value::Integer(number)) => i32::try_from(*number).map_err(|_| self.wrong(place)),
            ParameterValue::Single(Value::Null) => Ok(0),
            _ => Err(self.wrong(place)),
        }
    }

    /// A number that may be left out.
    fn number_or(&self, place: usize, other: i32) -> Result<i32, Message> {
        if self.parameters.len() > place { self.number(place) } else { Ok(other) }
    }

    fn text(&self, place: usize) -> Result<&'a str, Message> {
        match self.value(place)? {
            ParameterValue::Single(Value::Text(text)) => Ok(text),
            ParameterValue::Single(Value::Null) => Ok(""),
            _ => Err(self.wrong(place)),
        }
    }

    fn from(&self, place: usize) -> &'a [Parameter] {
        self.parameters.get(place..).unwrap_or_default()
    }
}

fn open<'a>(arguments: &Arguments<'a, '_>) -> Result<CursorCall<'a>, Message> {
    let wish = arguments.number_or(2, scroll::KEYSET)?;
    let parameterized = wish & scroll::PARAMETERIZED != 0;
    Ok(CursorCall::Open(Opened {
        text: Some(arguments.text(1)?),
        prepared: None,
        definitions: if parameterized { arguments.text(5)? } else { "" },
        values: if parameterized { arguments.from(6) } else { &[] },
        scroll: wish,
        concurrency: arguments.number_or(3, concurrency::READ_ONLY)?,
        rows: arguments.number_or(4, 0)?,
        outputs: Outputs { prepared: None, cursor: 0, scroll: 2, concurrency: 3, rows: 4 },
    }))
}

fn execute<'a>(arguments: &Arguments<'a, '_>) -> Result<CursorCall<'a>, Message> {
    Ok(CursorCall::Open(Opened {
        text: None,
        prepared: Some(arguments.number(0)?),
        definitions: "",
        values: arguments.from(5),
        scroll: arguments.number_or(2, scroll::KEYSET)?,
        concurrency: arguments.number_or(3, concurrency::READ_ONLY)?,
        rows: arguments.number_or(4, 0)?,
        outputs: Outputs { prepared: None, cursor: 1, scroll: 2, concurrency: 3, rows: 4 },
    }))
}

fn prepare_and_open<'a>(arguments: &Arguments<'a, '_>) -> Result<CursorCall<'a>, Message> {
    Ok(CursorCall::Open(Opened {
        text: Some(arguments.text(3)?),
        prepared: None,
        definitions: arguments.text(2)?,
        values: arguments.from(7),
        scroll: arguments.number_or(4, scroll::KEYSET)?,
        concurrency: arguments.number_or(5, concurrency::READ_ONLY)?,
        rows: arguments.number_or(6, 0)?,
        outputs: Outputs { prepared: Some(0), cursor: 1, scroll: 4, concurrency: 5, rows: 6 },
    }))
}

fn fetch<'a>(arguments: &Arguments<'a, '_>) -> Result<CursorCall<'a>, Message> {
    let cursor = arguments.number(0)?;
    let kind = arguments.number_or(1, 2)?;
    let (row, count) = (arguments.number_or(2, 1)?, arguments.number_or(3, 20)?);
    let fetch = match kind & 0x3FF {
        0x001 => Fetch::First { count },
        0x002 => Fetch::Next { count },
        0x004 => Fetch::Prior { count, adjusted: true },
        0x008 => Fetch::Last { count },
        0x010 => Fetch::Absolute { row, count },
        0x020 => Fetch::Relative { row, count },
        0x080 => Fetch::Refresh,
        0x100 => Fetch::Information,
        0x200 => Fetch::Prior { count, adjusted: false },
        _ => return Err(arguments.wrong(1)),
    };
    Ok(CursorCall::Fetch { cursor, fetch })
}

fn option<'a>(arguments: &Arguments<'a, '_>) -> Result<CursorCall<'a>, Message> {
    let (cursor, option) = (arguments.number(0)?, arguments.number(1)?);
    Ok(CursorCall::Option { cursor, option, value: arguments.value(2)? })
}

fn change<'a>(arguments: &Arguments<'a, '_>) -> Result<CursorCall<'a>, Message> {
    Ok(CursorCall::Change {
        cursor: arguments.number(0)?,
        operation: arguments.number(1)?,
        row: arguments.number_or(2, 0)?,
        table: if arguments.parameters.len() > 3 { arguments.text(3)? } else { "" },
        values: arguments.from(4),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_session::Declared;

    fn parameter(value: Value, output: bool) -> Parameter {
        let declared = match value {
            Value::Text(_) => Declared::new("nvarchar", &[4000]),
            _ => Declared::new("int", &[]),
        };
        Parameter { name: String::new(), output, default: false, declared, value: ParameterValue::Single(value) }
    }

    fn call(procedure: &str, numbers: &[i64]) -> Call {
        let parameters = numbers.iter().map(|number| parameter(Value::Integer(*number), false)).collect();
        Call { procedure: procedure.to_owned(), parameters }
    }

    /// The calls that jTDS and mssql-jdbc make for scrollable results, as they were recorded.
    #[test]
    fn calls_of_drivers_are_read() {
        let statement = "SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3 ORDER BY n";
        for (scroll, concurrency, rows) in [(8, 1, 100), (8, 8193, 0)] {
            let mut open = call("sp_cursoropen", &[0, 0, scroll, concurrency, rows]);
            open.parameters[1] = parameter(Value::Text(statement.to_owned()), false);
            let Some(Ok(CursorCall::Open(opened))) = CursorCall::of(&open) else { panic!("no cursor is opened") };
            assert_eq!((opened.text, opened.values.len()), (Some(statement), 0));
            assert_eq!((i64::from(opened.scroll), i64::from(opened.concurrency)), (scroll, concurrency));
            let outputs = Outputs { prepared: None, cursor: 0, scroll: 2, concurrency: 3, rows: 4 };
            assert_eq!(opened.outputs, outputs);
        }
        let fetches = [
            (&[1, 8, 1, 100][..], Fetch::Last { count: 100 }),
            (&[1, 4, 1, 100], Fetch::Prior { count: 100, adjusted: true }),
            (&[1, 2, 1, 100], Fetch::Next { count: 100 }),
            (&[1, 256, 0, 0], Fetch::Information),
            (&[1, 8, 0, 128], Fetch::Last { count: 128 }),
            (&[1, 1, 0, 128], Fetch::First { count: 128 }),
            (&[1, 512, 0, 128], Fetch::Prior { count: 128, adjusted: false }),
            (&[1, 2, 0, 128], Fetch::Next { count: 128 }),
        ];
        for (numbers, fetch) in fetches {
            assert_eq!(
                CursorCall::of(&call("sp_cursorfetch", numbers)),
                Some(Ok(CursorCall::Fetch { cursor: 1, fetch }))
            );
        }
        assert_eq!(CursorCall::of(&call("sp_cursorclose", &[1])), Some(Ok(CursorCall::Close { cursor: 1 })));
        assert_eq!(CursorCall::of(&call("sp_executesql", &[1])), None);
    }
}
