//! Columns of results, of bulk loads and of tables as parameters: COLMETADATA. (MS-TDS 2.2.7.4.)

use crate::collation::Collation;
use crate::data_type::DataType;
use crate::error::{Wire, WireError};
use crate::packet_writer::{PacketWriter, first_units};
use crate::reader::Reader;
use crate::type_info::TypeInfo;
use crate::version::Version;

/// Names of columns are cut to so many UTF-16 units.
const LONGEST_NAME: usize = 128;

/// The user type that tells clients that eight bytes are a ROWVERSION.
const ROW_VERSION: u32 = 80;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name; empty for one that has none.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// True if it can be NULL.
    pub nullable: bool,
    /// True if its values are numbers that the table gives.
    pub identity: bool,
    /// True if its values are computed.
    pub computed: bool,
    /// True if it is a table's own column, which can be changed if its table can: clients are told that this is
    /// unknown, as SQL Server tells them of all such columns.
    pub updatable: bool,
    /// True if case counts in comparisons.
    pub case_sensitive: bool,
    /// True if it was added to the result to identify rows, and is not to be shown.
    pub hidden: bool,
    /// True if it is part of the table's key.
    pub key: bool,
    /// The comparison of text, and its code page on the wire.
    pub collation: Collation,
    /// The names of its table, the widest first; used for TEXT, NTEXT and IMAGE only.
    pub table: Vec<String>,
}

impl Column {
    /// One of a name and type: nullable, under a collation of the type's code page, of no table.
    pub fn new(name: impl Into<String>, data_type: DataType) -> Column {
        Column {
            name: name.into(),
            data_type,
            nullable: true,
            identity: false,
            computed: false,
            updatable: false,
            case_sensitive: false,
            hidden: false,
            key: false,
            collation: Collation::of_page(data_type.code_page().unwrap_or_default()),
            table: Vec::new(),
        }
    }

    /// The same, with whether it can be NULL.
    pub fn nullable(mut self, nullable: bool) -> Column {
        self.nullable = nullable;
        self
    }

    /// The same under a collation.
    pub fn collation(mut self, collation: Collation) -> Column {
        self.collation = collation;
        self
    }

    fn flags(&self, version: Version) -> u16 {
        let bit = |set: bool, bit: u16| if set { 1 << bit } else { 0 };
        let common = bit(self.nullable, 0)
            | bit(self.case_sensitive, 1)
            | bit(self.updatable, 3)
            | bit(self.identity, 4)
            | bit(self.computed, 5);
        match version >= Version::V7_2 {
            true => common | bit(self.hidden, 13) | bit(self.key, 14),
            false => common,
        }
    }

    /// Writes its description.
    pub(crate) fn write(&self, info: &TypeInfo, version: Version, out: &mut PacketWriter) {
        let user_type = if self.data_type == DataType::RowVersion { ROW_VERSION } else { 0 };
        if version >= Version::V7_2 {
            out.put_u32(user_type);
        } else {
            out.put_u16(user_type as u16);
        }
        out.put_u16(self.flags(version));
        info.write(out);
        if info.names_a_table() {
            self.write_table(version, out);
        }
        out.put_short_text(first_units(&self.name, LONGEST_NAME));
    }

    fn write_table(&self, version: Version, out: &mut PacketWriter) {
        if version < Version::V7_2 {
            return out.put_long_text(&self.table.join("."), 1024);
        }
        let last = self.table.len().saturating_sub(4);
        let parts = self.table.get(last..).unwrap_or_default();
        out.put_u8(parts.len().max(1) as u8);
        for part in parts {
            out.put_long_text(part, LONGEST_NAME as u16);
        }
        if parts.is_empty() {
            out.put_u16(0);
        }
    }

    /// Reads a description, and how its values stand in rows.
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        version: Version,
        table_name: TableName,
    ) -> Wire<(Column, TypeInfo, u16)> {
        let user_type = if version >= Version::V7_2 { reader.u32()? } else { u32::from(reader.u16()?) };
        let flags = reader.u16()?;
        let info = TypeInfo::read(reader, true)?;
        let mut column = Column::new("", info.data_type()).collation(info.collation);
        if info.names_a_table() {
            column.table = table_name.read(reader, version)?;
        }
        column.name = reader.short_text()?;
        let bit = |bit: u16| flags & 1 << bit != 0;
        column.nullable = bit(0);
        column.case_sensitive = bit(1);
        column.updatable = flags & 0x0C != 0;
        column.identity = bit(4);
        column.computed = bit(5);
        (column.hidden, column.key) = (bit(13), bit(14));
        if user_type == ROW_VERSION && column.data_type == DataType::Binary(8) {
            column.data_type = DataType::RowVersion;
        }
        Ok((column, info, flags))
    }
}

/// The form of its table's name in the description of a TEXT, NTEXT or IMAGE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableName {
    /// Not at all: in tables as parameters.
    None,
    /// In parts after their count, from version 7.2 on: in results.
    Parts,
    /// In one of both ways, as clients send it in bulk loads: SqlBulkCopy and FreeTDS write one text in all versions.
    Any,
}

impl TableName {
    fn read(self, reader: &mut Reader<'_>, version: Version) -> Wire<Vec<String>> {
        let in_parts = match self {
            TableName::None => return Ok(Vec::new()),
            _ if version < Version::V7_2 => false,
            TableName::Parts => true,
            TableName::Any => is_in_parts(reader)?,
        };
        if !in_parts {
            return Ok(vec![reader.long_text()?]);
        }
        (0..reader.u8()?).map(|_| reader.long_text()).collect()
    }
}

/// Returns true if a table's name begins with the count of its parts: then the length of the first follows, in two
/// bytes whose upper one is 0. One text begins with its own length, whose upper byte is 0, and the first character,
/// which is not.
fn is_in_parts(reader: &Reader<'_>) -> Wire<bool> {
    let mut ahead = reader.clone();
    let (count, first_length) = (ahead.u8()?, ahead.u16()?);
    Ok((1..=4).contains(&count) && first_length < 0x100)
}

/// Reads the columns after the token of COLMETADATA. A table has at most 1,024 of them, a result 4,096.
pub(crate) fn read_columns(
    reader: &mut Reader<'_>,
    version: Version,
    table_name: TableName,
) -> Wire<(Vec<Column>, Vec<TypeInfo>)> {
    let count = reader.u16()?;
    let (mut columns, mut infos) = (Vec::new(), Vec::new());
    if count == 0xFFFF {
        return Ok((columns, infos));
    }
    if count > 4096 {
        return Err(WireError::Malformed("more columns than there can be"));
    }
    for _ in 0..count {
        let (column, info, _) = Column::read(reader, version, table_name)?;
        columns.push(column);
        infos.push(info);
    }
    Ok((columns, infos))
}
