//! The sources of the columns of a cursor's rows: TABNAME and COLINFO. (MS-TDS 2.2.7.18 and 2.2.7.4.)
//!
//! ```text
//!   A4 TABNAME  length(2)  for each table: count of parts(1), parts (US_VARCHAR)
//!   A5 COLINFO  length(2)  for each column: its number(1)  its table's number(1), 0 for none  marks(1)  [name (B_VARCHAR)]
//! ```
//!
//! They follow COLMETADATA. Drivers that change rows through a cursor take the table's and the columns' names from
//! here, whatever the query calls them.

use crate::packet_writer::{PacketWriter, first_units};

/// Names are cut to so many units.
const LONGEST_NAME: usize = 128;
/// The lengths of both tokens have two bytes; with more than this many they might not do.
const MOST_COLUMNS: usize = 200;
/// A calculated column.
const EXPRESSION: u8 = 0x04;
/// A part of the table's key.
const KEY: u8 = 0x08;
/// A column that the query did not ask for.
const HIDDEN: u8 = 0x10;
/// The table calls it otherwise than the result.
const DIFFERENT_NAME: u8 = 0x20;

/// Where a column comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnSource {
    /// The number of its table, from 1; 0 for a calculated column.
    pub table: u8,
    /// Its name in the table, if the result has another one.
    pub name: Option<String>,
    /// True if it is part of the table's key.
    pub key: bool,
    /// True if the query did not ask for it.
    pub hidden: bool,
}

impl ColumnSource {
    fn marks(&self) -> u8 {
        let mark = |set: bool, mark: u8| if set { mark } else { 0 };
        mark(self.table == 0, EXPRESSION)
            | mark(self.key, KEY)
            | mark(self.hidden, HIDDEN)
            | mark(self.name.is_some(), DIFFERENT_NAME)
    }
}

fn bytes_of(text: &str) -> usize {
    2 * first_units(text, LONGEST_NAME).encode_utf16().count()
}

/// Writes both tokens; nothing for more columns than cursors change one by one.
pub(crate) fn write(tables: &[Vec<String>], columns: &[ColumnSource], out: &mut PacketWriter) {
    if columns.len() > MOST_COLUMNS || tables.len() > MOST_COLUMNS / 4 {
        return;
    }
    let parts = |table: &[String]| 1 + table.iter().take(4).map(|part| 2 + bytes_of(part)).sum::<usize>();
    out.put_u8(0xA4);
    out.put_u16(tables.iter().map(|table| parts(table)).sum::<usize>() as u16);
    for table in tables {
        out.put_u8(table.len().min(4) as u8);
        table.iter().take(4).for_each(|part| out.put_long_text(part, LONGEST_NAME as u16));
    }
    let name = |column: &ColumnSource| column.name.as_ref().map_or(0, |name| 1 + bytes_of(name));
    out.put_u8(0xA5);
    out.put_u16(columns.iter().map(|column| 3 + name(column)).sum::<usize>() as u16);
    for (column, number) in columns.iter().zip(1u8..) {
        out.put(&[number, column.table, column.marks()]);
        if let Some(name) = &column.name {
            out.put_short_text(first_units(name, LONGEST_NAME));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::Version;

    /// The bytes that a driver reads: one table of two parts, a column of another name, and the mark of a row.
    #[test]
    fn sources_are_written_as_the_protocol_has_them() {
        let mut answer = crate::Answer::new(Version::V7_4, "s");
        let columns = [
            ColumnSource { table: 1, name: Some("n".into()), key: true, hidden: false },
            ColumnSource { hidden: true, ..ColumnSource::default() },
        ];
        answer.sources(&[vec!["d".into(), "t".into()]], &columns);
        answer.finish(false);
        let bytes = answer.packets().take();
        let wanted =
            [&[0xA4, 9, 0, 2, 1, 0, b'd', 0, 1, 0, b't', 0][..], &[0xA5, 9, 0, 1, 1, 0x28, 1, b'n', 0, 2, 0, 0x14][..]]
                .concat();
        assert!(bytes.windows(wanted.len()).any(|window| window == wanted), "{bytes:02x?}");
    }
}
