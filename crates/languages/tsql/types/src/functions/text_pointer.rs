//! TEXTPTR, and the layout of its pointers.
//!
//! ```text
//!   16 bytes: a tag, of the table and the column | the number of the row
//! ```
//!
//! The reduction of a query writes the row and the tag behind the column.

use super::Function;
use super::binding::{Binding, Call, integer, value};
use crate::messages::Message;
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};

pub(super) const FUNCTIONS: &[Function] = &[Function::new("TEXTPTR", (1, 3), pointer_type, pointer).sees_nulls()];

/// The contents of a pointer to a value of TEXT, NTEXT or IMAGE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPointer {
    /// A number that tells the columns of all tables apart.
    pub tag: i64,
    /// The row's number.
    pub row: i64,
}

impl TextPointer {
    /// As VARBINARY(16).
    pub fn bytes(self) -> Vec<u8> {
        [self.tag.to_be_bytes(), self.row.to_be_bytes()].concat()
    }

    /// The pointer that these bytes are, if they can be one.
    pub fn read(bytes: &[u8]) -> Option<TextPointer> {
        let (tag, row) = bytes.split_first_chunk::<8>()?;
        let number = |bytes: [u8; 8]| i64::from_be_bytes(bytes);
        Some(TextPointer { tag: number(*tag), row: number(row.try_into().ok()?) })
    }
}

/// Errors: 280 for what is no column of a table, 8116 for one of another type.
fn pointer_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    if binding.count() != 3 {
        return Err(Message::error(280, "Only base table columns are allowed in the TEXTPTR function."));
    }
    match binding.argument(0).data_type {
        Some(DataType::Text(_) | DataType::NText | DataType::Image) => {}
        _ => return Err(binding.invalid(0)),
    }
    binding.become_type(1, DataType::BigInt);
    binding.become_type(2, DataType::BigInt);
    Ok(DataType::VarBinary(Length::Limited(16)))
}

fn pointer(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    if value(values, 0).is_null() {
        return Ok(Value::Null);
    }
    let pointer = TextPointer { tag: integer(values, 2), row: integer(values, 1) };
    Ok(Value::Binary(pointer.bytes()))
}

#[cfg(test)]
mod tests {
    use super::TextPointer;

    #[test]
    fn a_pointer_has_sixteen_bytes() {
        let pointer = TextPointer { tag: -7, row: 12 };
        assert_eq!(TextPointer::read(&pointer.bytes()), Some(pointer));
        assert_eq!(TextPointer::read(&pointer.bytes()[..15]), None);
        assert_eq!(TextPointer::read(&[0; 17]), None);
    }
}
