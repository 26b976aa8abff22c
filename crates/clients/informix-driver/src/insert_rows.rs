//! Rows of an insert cursor that were not sent: in the layout of the columns that an INSERT fills, without a BIND for each.
//!
//! Values are converted to the types of their columns here, where a BIND leaves that to the server.
//!
//! Limits: an INSERT of which the server describes one column for each parameter; no BYTE, TEXT, BLOB or CLOB columns that
//! have descriptors or locators.

use crate::layout::{Column, Kind, Layout};
use crate::statements::Prepared;
use mainstay_sqli::{
    Codeset, Context, Form, Request, ReturnType, StatementType, TypeDescription, WireError, write_value,
};
use mainstay_types::Value;

/// Rows as messages, back to back.
#[derive(Debug, Default)]
pub(crate) struct InsertRows {
    messages: Vec<u8>,
}

impl InsertRows {
    /// Collects a row, and returns how many bytes are collected.
    ///
    /// Errors: `Value` for a value that its column cannot hold; the row is not collected then.
    pub fn collect(&mut self, layout: &Layout, values: &[Value], context: &Context) -> Result<usize, WireError> {
        let row = encode_row(layout, values, context.codeset)?;
        let before = self.messages.len();
        Request::Put(row).encode(&mut self.messages, context).inspect_err(|_| self.messages.truncate(before))?;
        Ok(self.messages.len())
    }

    /// Takes the messages of all rows.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.messages)
    }
}

/// The reason for which rows of so many parameters cannot be put.
pub(crate) fn unfit(prepared: &Prepared, parameters: u16) -> Option<&'static str> {
    let layout = &prepared.layout;
    if prepared.kind != StatementType::INSERT || layout.columns.len() != usize::from(parameters) {
        return Some("the server does not describe a column for each parameter: use executemany");
    }
    let is_lob = !layout.lobs.is_empty();
    is_lob.then_some("an insert cursor has no BYTE, BLOB or CLOB columns: use executemany")
}

/// The types of the columns that an INSERT fills.
pub(crate) fn column_types(layout: &Layout) -> Vec<ReturnType> {
    let typed = |column: &Column| ReturnType { code: column.code, name: String::new(), length: column.length };
    layout.columns.iter().map(typed).collect()
}

fn encode_row(layout: &Layout, values: &[Value], codeset: Codeset) -> Result<Vec<u8>, WireError> {
    if values.len() != layout.columns.len() {
        return Err(WireError::Value("the number of values is not that of the columns"));
    }
    let mut row = Vec::with_capacity(layout.row_bytes());
    for (column, value) in layout.columns.iter().zip(values) {
        let kind = TypeDescription {
            extended_id: column.extended_id,
            name: if column.kind == Kind::Boolean { "boolean".to_owned() } else { String::new() },
            ..TypeDescription::new(column.code, column.length)
        };
        write_value(value.as_ref(), &kind, Form::Text, codeset, &mut row)?;
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_sqli::{Field, TypeCode};

    #[test]
    fn rows_have_the_layout_of_the_columns() {
        let field = |code, length| Field { name: String::new(), kind: TypeDescription::new(code, length) };
        let layout = Layout::new(&[field(TypeCode::INTEGER, 4), field(TypeCode::VARCHAR, 20)]);
        // The row (0, 'x0') of an insert cursor of IBM's JDBC driver.
        let row = encode_row(&layout, &[Value::Integer(0), Value::Text("x0".to_owned())], Codeset::Latin1);
        assert_eq!(row.unwrap(), [0, 0, 0, 0, 2, b'x', b'0']);
        assert!(encode_row(&layout, &[Value::Integer(0)], Codeset::Latin1).is_err());
        assert!(encode_row(&layout, &[Value::Text("x".to_owned()), Value::Null], Codeset::Latin1).is_err());
    }
}
