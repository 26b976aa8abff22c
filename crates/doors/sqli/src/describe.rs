//! Descriptions of columns (DESCRIBE) and of parameters (IDESCRIBE).

use crate::codes::{Flags, StatementType, TypeCode};
use crate::error::WireError;
use crate::protocol::Context;
use crate::reader::{Read, Reader};
use crate::writer::Put;

/// The bits of a field's type that are its code.
const CODE_BITS: u16 = 0xFF;

/// A type on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeDescription {
    /// The type.
    pub code: TypeCode,
    /// Flags beside it.
    pub flags: Flags,
    /// The number of an opaque or named type: 1 LVARCHAR, 5 BOOLEAN, 10 BLOB, 11 CLOB.
    pub extended_id: u32,
    /// The owner of a named type.
    pub owner: String,
    /// The name of a named type.
    pub name: String,
    /// Bytes of a value; `(precision << 8) | scale` for DECIMAL and MONEY, a qualifier for DATETIME and INTERVAL.
    pub length: u32,
}

impl TypeDescription {
    /// A type that its code and length describe.
    pub fn new(code: TypeCode, length: u32) -> TypeDescription {
        TypeDescription { code, length, ..TypeDescription::default() }
    }

    /// A type with an extended identifier and a name of the owner `informix`.
    pub fn named(code: TypeCode, extended_id: u32, name: &str, length: u32) -> TypeDescription {
        let (owner, name) = ("informix".to_owned(), name.to_owned());
        TypeDescription { code, flags: Flags::default(), extended_id, owner, name, length }
    }

    /// BOOLEAN.
    pub fn boolean() -> TypeDescription {
        TypeDescription::named(TypeCode::OPAQUE, 5, "boolean", 1)
    }

    /// LVARCHAR of this many bytes.
    pub fn long_text(length: u32) -> TypeDescription {
        TypeDescription::named(TypeCode::LVARCHAR, 1, "lvarchar", length)
    }

    /// BLOB, or CLOB: a locator in rows.
    pub fn smart_lob(is_text: bool) -> TypeDescription {
        let (extended_id, name) = if is_text { (11, "clob") } else { (10, "blob") };
        TypeDescription::named(TypeCode::OPAQUE, extended_id, name, crate::SMART_LOB_BYTES as u32)
    }

    /// True for BLOB and CLOB.
    pub fn is_smart_lob(&self) -> bool {
        self.code == TypeCode::OPAQUE && matches!(self.extended_id, 10 | 11)
    }

    /// True if the values of an opaque type are bytes: those of BLOB and CLOB are locators.
    pub(crate) fn is_binary(&self) -> bool {
        let is_named = matches!(self.name.as_str(), "blob" | "clob") || self.name.starts_with("ifx_lo_");
        matches!(self.extended_id, 10 | 11) || (self.code.has_envelope() && is_named)
    }

    /// True for a DECIMAL whose point floats: its values may have more digits than a [`mainstay_types::Decimal`], and are
    /// texts then.
    pub fn is_floating(&self) -> bool {
        self.code == TypeCode::DECIMAL && self.length & 0xFF == 0xFF
    }

    /// Bytes that a value takes in a row, as DESCRIBE counts them for the start of fields.
    pub fn width(&self) -> usize {
        match self.code {
            TypeCode::SMALLINT => 2,
            TypeCode::INTEGER | TypeCode::SERIAL | TypeCode::DATE | TypeCode::SMALLFLOAT => 4,
            TypeCode::FLOAT | TypeCode::BIGINT | TypeCode::BIGSERIAL => 8,
            TypeCode::INT8 | TypeCode::SERIAL8 => 10,
            TypeCode::DECIMAL | TypeCode::MONEY | TypeCode::DATETIME | TypeCode::INTERVAL => self.digit_bytes(),
            TypeCode::BYTE | TypeCode::TEXT => crate::SimpleLob::BYTES,
            TypeCode::VARCHAR | TypeCode::NVARCHAR => (self.length as usize & 0xFF) + 1,
            code if code.has_envelope() => 5 + self.length as usize,
            _ => self.length as usize,
        }
    }

    /// Bytes of a value of base-100 digits, its head included: `(digits + (scale or last unit is odd) + 3) / 2`.
    pub fn digit_bytes(&self) -> usize {
        let digits = (self.length as usize >> 8) & 0xFF;
        (digits + (self.length as usize & 1) + 3) / 2
    }

    pub(crate) fn read(reader: &mut Reader<'_>, context: &Context) -> Read<TypeDescription> {
        let word = reader.u16()?;
        let extended_id = reader.u32()?;
        let (owner, name) = (reader.text(context.codeset)?, reader.text(context.codeset)?);
        // Reference, alignment, source type.
        reader.take(2 + 2 + 4)?;
        let length = reader.u32()?;
        let (code, flags) = (TypeCode(word & CODE_BITS), Flags(word & !CODE_BITS));
        Ok(TypeDescription { code, flags, extended_id, owner, name, length })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, context: &Context) {
        out.put_u16(self.code.0 | self.flags.0);
        out.put_u32(self.extended_id);
        out.put_text(&self.owner, context.codeset);
        out.put_text(&self.name, context.codeset);
        out.put_filled(&[], 2 + 2 + 4);
        out.put_u32(self.length);
    }
}

/// A column of a result, or one that an INSERT fills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: TypeDescription,
}

/// DESCRIBE: what a prepared statement is and gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// Its kind.
    pub statement: StatementType,
    /// The number by which the client names the statement.
    pub id: u16,
    /// An estimate of its cost.
    pub cost: u32,
    /// Its columns.
    pub fields: Vec<Field>,
}

impl Description {
    pub(crate) fn write(&self, out: &mut Vec<u8>, context: &Context) {
        let features = context.features;
        let mut names = Vec::new();
        let mut offsets = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            offsets.push(names.len());
            context.codeset.encode(&field.name, &mut names);
            names.push(0);
        }
        out.put_u16(self.statement.0);
        out.put_u16(self.id);
        out.put_u32(self.cost);
        out.put_length(self.fields.iter().map(|field| field.kind.width()).sum(), features.wide_row_size);
        out.put_length(self.fields.len(), false);
        out.put_length(names.len(), features.wide_names);
        let mut start = 0;
        for (field, offset) in self.fields.iter().zip(offsets) {
            out.put_length(offset, features.wide_names);
            out.put_length(start, true);
            field.kind.write(out, context);
            start += field.kind.width();
        }
        out.extend_from_slice(&names);
        out.put_pad(names.len());
    }

    pub(crate) fn read(reader: &mut Reader<'_>, context: &Context) -> Read<Description> {
        let features = context.features;
        let (statement, id, cost) = (StatementType(reader.u16()?), reader.u16()?, reader.u32()?);
        reader.length(features.wide_row_size)?;
        let count = usize::from(reader.u16()?);
        let names_bytes = reader.length(features.wide_names)?;
        let mut fields = Vec::new();
        for _ in 0..count {
            let offset = reader.length(features.wide_names)?;
            reader.u32()?;
            fields.push((offset, TypeDescription::read(reader, context)?));
        }
        let names = reader.take(names_bytes)?;
        reader.pad(names_bytes)?;
        let named = |(offset, kind): (usize, TypeDescription)| {
            let name = names.get(offset..).ok_or(WireError::Malformed("a name is outside of its table"))?;
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            Ok(Field { name: context.codeset.decode(name)?, kind })
        };
        let fields: Result<Vec<Field>, WireError> = fields.into_iter().map(named).collect();
        Ok(Description { statement, id, cost, fields: fields? })
    }
}

/// The types of the parameters of a statement. Without any, nothing follows their number.
pub(crate) fn write_parameters(types: &[TypeDescription], out: &mut Vec<u8>, context: &Context) {
    out.put_length(types.len(), false);
    if !types.is_empty() {
        out.put_u16(0);
    }
    types.iter().for_each(|kind| kind.write(out, context));
}

pub(crate) fn read_parameters(reader: &mut Reader<'_>, context: &Context) -> Read<Vec<TypeDescription>> {
    let count = reader.u16()?;
    let mut types = Vec::new();
    if count > 0 {
        reader.u16()?;
    }
    for _ in 0..count {
        types.push(TypeDescription::read(reader, context)?);
    }
    Ok(types)
}
