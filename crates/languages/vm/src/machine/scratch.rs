//! Buffers in which text and bytes are built before they are swapped with a register's.

use super::registers::Cell;
use super::{cold, number, text};
use crate::{Fault, File, Produced, Type};
use mainstay_types::ValueRef;

/// Buffers for what is being made. They keep their memory.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) text: String,
    pub(crate) bytes: Vec<u8>,
}

impl Scratch {
    /// An empty text to write to; then give [`Produced::Text`].
    pub fn text(&mut self) -> &mut String {
        self.text.clear();
        &mut self.text
    }

    /// No bytes, to write to; then give [`Produced::Bytes`].
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        self.bytes.clear();
        &mut self.bytes
    }

    /// The same value; text and bytes are in the buffers then.
    pub fn produce(&mut self, value: ValueRef<'_>) -> Produced {
        match value {
            ValueRef::Null => Produced::Null,
            ValueRef::Boolean(value) => Produced::Boolean(value),
            ValueRef::Integer(value) => Produced::Integer(value),
            ValueRef::Decimal(value) => Produced::Decimal(value),
            ValueRef::Float(value) => Produced::Float(value),
            ValueRef::Text(value) => {
                self.text().push_str(value);
                Produced::Text
            }
            ValueRef::Binary(value) => {
                self.bytes().extend_from_slice(value);
                Produced::Bytes
            }
            ValueRef::Date(value) => Produced::Date(value),
            ValueRef::Time(value) => Produced::Time(value),
            ValueRef::Timestamp(value) => Produced::Timestamp(value),
            ValueRef::TimestampWithOffset { utc, offset_minutes } => {
                Produced::TimestampWithOffset { utc, offset_minutes }
            }
            ValueRef::Interval(value) => Produced::Interval(value),
            ValueRef::Uuid(value) => Produced::Uuid(value),
        }
    }

    /// A value as one of a type, by the conversions that the form itself has: between numbers, whole numbers to text,
    /// anything to Any. Text and bytes are not cut: that is a language's business.
    pub fn coerce(&mut self, value: ValueRef<'_>, to: Type) -> Result<Produced, Fault> {
        match (value, to) {
            (ValueRef::Null, _) | (_, Type::Any) => Ok(self.produce(value)),
            (ValueRef::Integer(number), Type::Text { .. }) => {
                text::integer(self, number, to)?;
                Ok(Produced::Text)
            }
            (ValueRef::Boolean(_) | ValueRef::Integer(_) | ValueRef::Decimal(_) | ValueRef::Float(_), to)
                if !matches!(to, Type::Handle) && to.file() == File::Cells =>
            {
                let cell = number::convert(value, to, cold::USUAL)?;
                Ok(self.produce(cell.value(to)))
            }
            (ValueRef::Text(_), Type::Text { .. })
            | (ValueRef::Binary(_), Type::Bytes { .. })
            | (ValueRef::Interval(_), Type::Interval)
            | (ValueRef::Uuid(_), Type::Uuid) => Ok(self.produce(value)),
            _ => match Cell::of(to, &value) {
                Some(cell) if to.file() == File::Cells => Ok(self.produce(cell.value(to))),
                _ => Err(Fault::TypeMismatch { to }),
            },
        }
    }
}
