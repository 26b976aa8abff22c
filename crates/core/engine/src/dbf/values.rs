//! Fields and values of a DBF table as a change uses them: names to fields, values in, rows out.

use mainstay_planner::{Assignment, Name};
use mainstay_types::{Code, Error, Result, Time, Value, ValueRef};
use mainstay_xbase::dbf::{Field, FieldKind};
use mainstay_xbase::indexed::{IndexedTable, field_value};
use mainstay_xbase::table::DbfTable;

/// The hidden column that says whether a record is deleted.
const DELETED: &str = "_deleted";

/// The target of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A field, by its place.
    Field(usize),
    /// The mark of deletion.
    Deleted,
}

impl Target {
    /// Its place among the columns: fields, the number of the record, the mark of deletion.
    pub(super) fn place(self, table: &DbfTable) -> usize {
        match self {
            Target::Field(field) => field,
            Target::Deleted => table.fields().len() + 1,
        }
    }

    /// The target at a place among the columns.
    pub(super) fn at(table: &DbfTable, place: usize) -> Target {
        if place < table.fields().len() { Target::Field(place) } else { Target::Deleted }
    }
}

/// The place of a field by its name.
///
/// Errors: `UnknownColumn`; `InvalidValue` for the hidden columns, which cannot be given.
pub(super) fn field_of(table: &DbfTable, name: &Name) -> Result<usize> {
    place_of(table, &name.key).ok_or_else(|| match name.key.as_str() {
        "_recno" | DELETED => {
            let error = Error::new(Code::InvalidValue, format!("the column {name} cannot be given a value here"));
            error.hint("records are numbered by their place; UPDATE ... SET _deleted = FALSE recalls one")
        }
        key => unknown_field(table, key),
    })
}

/// The error for a name that no field is shown by.
pub(super) fn unknown_field(table: &DbfTable, name: &str) -> Error {
    let schema = mainstay_columnar::Table::schema(table);
    let names = schema.fields().iter().take(table.fields().len()).map(|field| field.name().as_str());
    mainstay_planner::unknown_column(table_name(table), name, names)
}

/// The place of the field that is shown as the column of this name, in lower case.
pub(super) fn place_of(table: &DbfTable, name: &str) -> Option<usize> {
    let schema = mainstay_columnar::Table::schema(table);
    let mut fields = schema.fields().iter().take(table.fields().len());
    fields.position(|field| field.name().to_lowercase() == name)
}

/// The name that messages have for a table.
pub(super) fn table_name(table: &DbfTable) -> &str {
    mainstay_columnar::Table::name(table)
}

/// The targets of an UPDATE's assignments.
pub(super) fn targets_of(table: &DbfTable, assignments: &[Assignment]) -> Result<Vec<Target>> {
    let mut targets = Vec::with_capacity(assignments.len());
    for Assignment { column, .. } in assignments {
        let target = match column.key.as_str() {
            DELETED => Target::Deleted,
            _ => Target::Field(field_of(table, column)?),
        };
        if targets.contains(&target) {
            return Err(Error::new(Code::Ambiguous, format!("the column {column} is assigned to twice")));
        }
        targets.push(target);
    }
    Ok(targets)
}

/// The fields that an INSERT gives values for.
pub(super) fn fields_of(table: &DbfTable, columns: &[Name]) -> Result<Vec<usize>> {
    if columns.is_empty() {
        return Ok((0..table.fields().len()).collect());
    }
    let mut fields = Vec::with_capacity(columns.len());
    for name in columns {
        let field = field_of(table, name)?;
        if fields.contains(&field) {
            return Err(Error::new(Code::Ambiguous, format!("the column {name} is named twice")).about(&name.key));
        }
        fields.push(field);
    }
    Ok(fields)
}

/// A value as a field takes it; without one, what the field has in a blank record.
pub(super) fn value_for(table: &DbfTable, field: usize, value: Option<ValueRef<'_>>) -> Result<Value> {
    let missing = || Error::new(Code::Internal, format!("there is no field {}", field + 1));
    let known = table.fields().get(field).ok_or_else(missing)?;
    match value {
        Some(value) => field_value(known, value),
        // Its number is given to it when it is written.
        None if table.counts(field) => Ok(Value::Null),
        None => Ok(blank_value(known)),
    }
}

/// The value of a field in a blank record: NULL where it can be NULL or blank, else zero.
fn blank_value(field: &Field) -> Value {
    if field.null_bit.is_some() || field.adt.is_some() {
        return Value::Null;
    }
    match field.kind {
        FieldKind::Integer | FieldKind::IntegerSortable | FieldKind::Currency => Value::Integer(0),
        FieldKind::Double | FieldKind::DoubleSortable => Value::Float(0.0),
        FieldKind::Time => Value::Time(Time(0)),
        _ => Value::Null,
    }
}

/// The row of a record: its fields, its number, its mark of deletion.
pub(super) fn row_of(open: &IndexedTable, record: u64, bytes: &[u8]) -> Result<Vec<Value>> {
    let fields = open.fields().len();
    let mut row = Vec::with_capacity(fields + 2);
    for field in 0..fields {
        row.push(open.value(field, bytes)?);
    }
    row.push(Value::Integer(i64::try_from(record).unwrap_or(i64::MAX)));
    row.push(Value::Boolean(is_deleted(open, bytes)));
    Ok(row)
}

/// Returns true if the record of these bytes is deleted.
pub(super) fn is_deleted(open: &IndexedTable, bytes: &[u8]) -> bool {
    open.dbf().header().layout.is_deleted(bytes)
}
