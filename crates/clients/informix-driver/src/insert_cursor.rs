//! Insert cursors: rows in the layout of the columns that an INSERT fills, without a BIND for each.
//!
//! ```text
//!   PREPARE, DESCRIBE   the columns of the INSERT
//!   CURNAME, OPEN, RETTYPE (direction 0) with the types of the columns
//!   PUT row, PUT row, ...  EOT   ->  DONE for each row
//!   CLOSE
//! ```
//!
//! Rows are collected until the shell sends them as one group. Values are converted to the types of their columns here, where
//! a BIND leaves that to the server. A row that the server refuses ends its group: the rows before it are inserted.
//!
//! Limits: an INSERT of which the server describes one column for each parameter; no BYTE, TEXT, BLOB or CLOB columns that
//! have descriptors or locators.

use crate::cursor::Cursor;
use crate::execution::Execute;
use crate::group::{Group, Outcome};
use crate::layout::{Column, Kind, Layout};
use crate::session::{Fault, Session};
use crate::statements::Prepared;
use mainstay_sqli::{Codeset, Form, Request, ReturnType, StatementType, TypeDescription, WireError, write_value};
use mainstay_types::Value;

impl Session {
    /// Opens an insert cursor of this number.
    pub fn start_insert_cursor(&mut self, cursor: u32, mut execute: Execute) {
        if execute.parameters == 0 {
            if self.begin() {
                self.fault = Some(Fault::Usage("an insert cursor needs an INSERT with parameters".to_owned()));
            }
            return;
        }
        execute.takes_rows = true;
        self.start_execute(cursor, execute);
    }

    /// Opens the cursor of an INSERT that was prepared.
    pub(crate) fn open_insert(&mut self, prepared: Prepared) {
        let Some(execution) = self.execution.take() else { return };
        if let Some(reason) = unfit(&prepared, execution.execute.parameters) {
            self.fault.get_or_insert(Fault::Usage(reason.to_owned()));
            return self.put_back(prepared);
        }
        let (id, number) = (prepared.id, execution.cursor);
        self.put(&Request::Statement(id));
        let name = self.new_cursor_name();
        self.put(&Request::CursorName(name));
        self.put(&Request::Open);
        let typed = |column: &Column| ReturnType { code: column.code, name: String::new(), length: column.length };
        let types = prepared.layout.columns.iter().map(typed).collect();
        self.put(&Request::ReturnTypes { is_output: false, types });
        self.end_group(Group::OpenInsert(number));
        self.cursors.insert(number, Cursor::new(prepared, 0));
        self.execution = Some(execution);
        self.wait_for_all();
    }

    /// Collects a row for an insert cursor, and returns how many bytes are collected.
    ///
    /// Errors: `Value` for a value that its column cannot hold; the row is not collected then.
    pub fn collect_row(&mut self, cursor: u32, values: &[Value]) -> Result<usize, WireError> {
        let codeset = self.codeset();
        let Some(cursor) = self.cursors.get_mut(&cursor) else {
            return Err(WireError::Value("the insert cursor was closed"));
        };
        let row = encode_row(&cursor.layout, values, codeset)?;
        let before = cursor.collected.len();
        Request::Put(row)
            .encode(&mut cursor.collected, &self.context)
            .inspect_err(|_| cursor.collected.truncate(before))?;
        Ok(cursor.collected.len())
    }

    /// Sends the rows that were collected; the outcome counts those that were inserted.
    pub fn start_put(&mut self, number: u32) {
        if !self.begin() {
            return;
        }
        self.outcome = Outcome::default();
        let Some(cursor) = self.cursors.get_mut(&number) else { return };
        let (rows, id) = (std::mem::take(&mut cursor.collected), cursor.statement.id);
        if cursor.is_closed {
            self.fault = Some(Fault::Usage("the insert cursor was closed at the end of the transaction".to_owned()));
            return;
        }
        if !rows.is_empty() {
            self.put(&Request::Statement(id));
            self.output.extend_from_slice(&rows);
            self.end_group(Group::Put);
            self.has_only_read = false;
        }
        self.wait_for_all();
    }
}

/// The reason for which rows cannot be put.
fn unfit(prepared: &Prepared, parameters: u16) -> Option<&'static str> {
    let layout = &prepared.layout;
    if prepared.kind != StatementType::INSERT || layout.columns.len() != usize::from(parameters) {
        return Some("the server does not describe a column for each parameter: use executemany");
    }
    let is_lob = !layout.lobs.is_empty();
    is_lob.then_some("an insert cursor has no BYTE, BLOB or CLOB columns: use executemany")
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
