//! READTEXT, WRITETEXT and UPDATETEXT: values of TEXT, NTEXT and IMAGE that are read and written by their pointers.
//!
//! A pointer contains the row and the column ([`TextPointer`]). Offsets and lengths are characters of a text and bytes
//! of an image. As in SQL Server, such a change fires no trigger. Source: "READTEXT", "WRITETEXT", "UPDATETEXT
//! (Transact-SQL)".

use crate::columns::Column;
use crate::session::Inner;
use crate::statements::errors::{message_of, raised};
use crate::statements::flow::integer;
use crate::statements::runner::{Ran, Runner};
use mainstay_session::push::Command;
use mainstay_tsql_syntax::reduce::{ROW_VERSIONS, Scope, column_tag, quoted};
use mainstay_tsql_syntax::tree::{LargeValue, LargeValueData, LargeValueWork, ObjectName};
use mainstay_tsql_types::convert::{convert, type_of};
use mainstay_tsql_types::functions::TextPointer;
use mainstay_tsql_types::{DataType, Length, Message, text};
use mainstay_types::{Value, ValueRef};
use mainstay_vm::{Flow, Raised, StatementCall};

/// The length that READTEXT returns where no size is given, in bytes.
const DEFAULT_SIZE: usize = 4096;

/// A column of large values.
struct LargeColumn {
    /// The core's name of the table, quoted.
    table: String,
    /// The core's name of the column that numbers the rows.
    row_number: &'static str,
    name: String,
    data_type: DataType,
    /// The column that counts the row's versions.
    row_version: Option<String>,
    tag: i64,
}

/// A value that a pointer leads to.
struct Pointed {
    row: i64,
    /// NULL for one that was taken away since.
    value: Value,
}

impl Runner<'_> {
    /// Runs one of the three. The inputs end with the pointer, where, how much, and what comes.
    pub(crate) fn large_value(&mut self, statement: &LargeValue, call: &mut StatementCall<'_>) -> Ran {
        let first = call.inputs().saturating_sub(4);
        let [pointer, from, length, data] = [0, 1, 2, 3].map(|place| call.input(first + place).to_value());
        let (from, length) = (integer(from.as_ref()), integer(length.as_ref()));
        let column = self.inner.large_column(&statement.column)?;
        match &statement.work {
            LargeValueWork::Read(..) => {
                let pointed = self.inner.pointed(&column, &pointer, "ReadText")?;
                self.read_text(&column, &pointed.value, from.unwrap_or(0), length.unwrap_or(0))
            }
            LargeValueWork::Write(..) => {
                let pointed = self.inner.pointed(&column, &pointer, "WriteText")?;
                let value = self.as_held(&column, &data)?;
                self.write_text(&column, pointed.row, &value)
            }
            LargeValueWork::Update(_, _, _, put_in) => {
                let pointed = self.inner.pointed(&column, &pointer, "UpdateText")?;
                let data = match put_in {
                    Some(LargeValueData::Column(source, _)) => {
                        let source = self.inner.large_column(source)?;
                        self.inner.pointed(&source, &data, "UpdateText")?.value
                    }
                    _ => data,
                };
                let data = self.as_held(&column, &data)?;
                let value = updated(&column, &pointed.value, (from, length), &data).map_err(raised)?;
                self.write_text(&column, pointed.row, &value)
            }
        }
    }

    /// A value as the column holds it.
    fn as_held(&self, column: &LargeColumn, value: &Value) -> Result<Value, Box<Raised>> {
        let held = match column.data_type {
            DataType::Image => DataType::VarBinary(Length::Max),
            _ => DataType::string_max(column.data_type.encoding()),
        };
        match value {
            Value::Null => Ok(Value::Null),
            value => convert(&self.context(), value.as_ref(), type_of(value.as_ref()), held, None).map_err(raised),
        }
    }

    fn write_text(&mut self, column: &LargeColumn, row: i64, value: &Value) -> Ran {
        self.inner.write_large_value(column, row, value)?;
        self.done(Command::None, None);
        Ok(Flow::NEXT)
    }

    /// Errors: 7124 for what is not all there.
    fn read_text(&mut self, column: &LargeColumn, value: &Value, from: i64, size: i64) -> Ran {
        let all = column.length(value);
        let unit = if column.data_type == DataType::NText { 2 } else { 1 };
        let beyond = || raised(Message::numbered(7124, &[&all]));
        let from = usize::try_from(from).map_err(|_| beyond())?;
        let size = match usize::try_from(size).map_err(|_| beyond())? {
            0 => (DEFAULT_SIZE / unit).min(all.saturating_sub(from)),
            size => size,
        };
        if from.saturating_add(size) > all {
            return Err(beyond());
        }
        let most = self.inner.state.options.most_text().map_or(size, |most| size.min(most / unit));
        let part = column.part(value, from, most);
        self.give(&[Column::new(&column.name, column.data_type)], &[vec![part]])?;
        self.inner.state.row_count = 1;
        Ok(Flow::NEXT)
    }
}

impl LargeColumn {
    fn is_national(&self) -> bool {
        self.data_type == DataType::NText
    }

    /// The length of a value in characters or bytes.
    fn length(&self, value: &Value) -> usize {
        match value {
            Value::Text(value) => text::length(value, self.is_national()),
            Value::Binary(bytes) => bytes.len(),
            _ => 0,
        }
    }

    /// So many characters or bytes of a value, from one on.
    fn part(&self, value: &Value, from: usize, count: usize) -> Value {
        match value {
            Value::Text(value) => Value::Text(text::middle(value, from, count, self.is_national()).to_owned()),
            Value::Binary(bytes) => Value::Binary(bytes.iter().skip(from).take(count).copied().collect()),
            _ => Value::Null,
        }
    }
}

/// The value after an update: a part is deleted at a place, and another is inserted there. NULL is the end for the
/// place, and for the length all that follows.
///
/// Errors: 7116, 7135.
fn updated(
    column: &LargeColumn,
    old: &Value,
    (place, length): (Option<i64>, Option<i64>),
    put_in: &Value,
) -> Result<Value, Message> {
    let all = column.length(old);
    let within = |number: i64, most: usize| usize::try_from(number).ok().filter(|number| *number <= most);
    let place = match place {
        Some(place) => within(place, all).ok_or_else(|| Message::numbered(7116, &[&place]))?,
        None => all,
    };
    let length = match length {
        Some(length) => within(length, all - place).ok_or_else(|| Message::numbered(7135, &[&length]))?,
        None => all - place,
    };
    let parts = [column.part(old, 0, place), put_in.clone(), column.part(old, place + length, all)];
    Ok(match column.data_type {
        DataType::Image => Value::Binary(parts.iter().flat_map(bytes_of).copied().collect()),
        _ => Value::Text(parts.iter().map(text_of).collect()),
    })
}

fn bytes_of(value: &Value) -> &[u8] {
    match value {
        Value::Binary(bytes) => bytes,
        _ => &[],
    }
}

fn text_of(value: &Value) -> &str {
    match value {
        Value::Text(text) => text,
        _ => "",
    }
}

impl Inner {
    /// The column that a statement names behind its table.
    ///
    /// Errors: 207, 208, 285 for a view, 7125 for a column of another type.
    fn large_column(&mut self, name: &ObjectName) -> Result<LargeColumn, Box<Raised>> {
        let own = name.last().to_owned();
        let mut table = name.clone();
        table.parts.pop();
        if table.parts.is_empty() {
            return Err(raised(Message::error(207, format!("Invalid column name '{own}'."))));
        }
        let unknown = || raised(Message::error(208, format!("Invalid object name '{}'.", table.last())));
        let names = self.names(&[]);
        let core = names.table_of(&table).map_err(raised)?;
        let columns = names.columns(&table).ok_or_else(unknown)?;
        let row_number = names.row_number(&table);
        let is_table = matches!(names.core.borrow().changeable_columns(&core.replace('"', "")), Ok(Some(_)));
        if !is_table {
            return Err(raised(Message::numbered(285, &[])));
        }
        let Some(column) = columns.iter().find(|column| column.name.eq_ignore_ascii_case(&own)) else {
            return Err(raised(Message::error(207, format!("Invalid column name '{own}'."))));
        };
        if !matches!(column.data_type, DataType::Text(_) | DataType::NText | DataType::Image) {
            return Err(raised(Message::numbered(7125, &[])));
        }
        let version = columns.iter().find(|column| column.data_type == DataType::RowVersion);
        Ok(LargeColumn {
            tag: column_tag(&core, &own),
            table: core,
            row_number,
            name: column.name.clone(),
            data_type: column.data_type,
            row_version: version.map(|column| column.name.clone()),
        })
    }

    /// The value that a pointer leads to.
    ///
    /// Errors: 7122, 7123, 7133; 7125 for the pointer of another column.
    fn pointed(&mut self, column: &LargeColumn, pointer: &Value, function: &str) -> Result<Pointed, Box<Raised>> {
        let bytes = match pointer {
            Value::Binary(bytes) => bytes,
            _ => return Err(raised(Message::numbered(7133, &[&function]))),
        };
        let Some(TextPointer { tag, row }) = TextPointer::read(bytes) else {
            return Err(raised(Message::numbered(7122, &[])));
        };
        let invalid = || raised(Message::numbered(7123, &[&text::hex(bytes).to_lowercase()]));
        if tag != column.tag {
            return Err(invalid());
        }
        let LargeColumn { table, row_number, name, .. } = column;
        let query = format!("SELECT {} FROM {table} WHERE {row_number} = {row}", quoted(name));
        let mut plan = self.plan(&query, Vec::new(), Vec::new())?;
        let found =
            self.rows_of(&mut plan, &[])?.rows.into_parts().0.into_iter().next().and_then(|row| row.into_iter().next());
        found.map(|value| Pointed { row, value }).ok_or_else(invalid)
    }

    /// Puts another value into a row, of which no trigger hears.
    fn write_large_value(&mut self, column: &LargeColumn, row: i64, value: &Value) -> Result<(), Box<Raised>> {
        let LargeColumn { table, row_number, name, row_version, .. } = column;
        let version = row_version
            .as_ref()
            .map(|version| format!(", {} = \"mssql:cast:binary(8)\"(nextval('{ROW_VERSIONS}'))", quoted(version)));
        let name = quoted(name);
        let version = version.unwrap_or_default();
        let text = format!("UPDATE {table} SET {name} = ?{version} WHERE {row_number} = ?");
        let failed = |error: mainstay_types::Error| raised(message_of(&error));
        let mut prepared = self.core.prepare(&text).map_err(failed)?;
        prepared.execute(&mut self.core, &[value.as_ref(), ValueRef::Integer(row)]).map_err(failed)?;
        Ok(())
    }

    /// `TEXTVALID('table.column', pointer)`: 1 for a pointer that leads to a value of the column.
    pub(crate) fn is_valid_pointer(&mut self, column: &str, pointer: Option<&Value>) -> Value {
        let name = crate::session::object_name(column);
        let column = pointer.filter(|pointer| !matches!(pointer, Value::Null)).and_then(|pointer| {
            let column = self.large_column(&name).ok()?;
            self.pointed(&column, pointer, "TextValid").ok()
        });
        Value::Integer(column.is_some().into())
    }
}
