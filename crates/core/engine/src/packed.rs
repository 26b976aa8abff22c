//! Changes through views over the fields of packed columns.
//!
//! **Problem.** A language keeps whole records in one column of a native table, with keys beside them that follow from the record.
//! Statements of every dialect are to change single fields, and the keys and limits of the record have to stay right.
//!
//! **Idea.** The planner reads the view's query, and knows for each column the field that it is ([`PackedView`]). The language
//! registers its tables ([`PackedTables`]): a changed record is completed by its rules before it is stored.
//!
//! ```text
//!   UPDATE view SET a = x    row of the table --fields replaced--> record --PackedRows::complete--> record and keys --> the store
//!   INSERT INTO view ...     empty record     --fields filled-->   record --PackedRows::complete--> a whole row      --> the store
//!   DELETE FROM view         the row of the table
//! ```
//!
//! A row that is written through a view keeps to the condition of the view, so that a view of one type of record never changes the
//! type.
//!
//! **Columns that overlap.** Several columns of a view can show the same bytes. Whole columns are written before the fields in them, so
//! that a field has the value that is given for it. NULL for a column of an INSERT writes nothing but a field that the record does not
//! have yet. A statement that gives two values for the same field is refused.
//!
//! **Limits.** A record has at most 16 MiB. Views over tables that no language has registered cannot be changed.
//! ON CONFLICT is not supported.

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use mainstay_columnar::DerivedKeys;
use mainstay_columnar::values::{array_of, data_type_of, value_at};
use mainstay_planner::{
    FieldKind, PackedSource, PackedView, Planner, RowExpressions, bytes_of_field, has_field, has_text, with_field,
};
use mainstay_store::files::catalog::{ColumnDefinition, ComputedDefinition, TableDefinition};
use mainstay_store::{NativeTable, Store, Transaction};
use mainstay_types::{Code, Collation, Error, Result, SqlType, Value};
use std::sync::{Arc, PoisonError, RwLock};

/// The digits of numbers in fields.
const DIGITS: u8 = 18;

/// The longest record that is written through a view.
const RECORD_BYTES: usize = 16 << 20;

/// The tables of a language whose rows are packed records.
pub trait PackedTables: Send + Sync {
    /// A name of its own: tables of this name are registered once.
    fn name(&self) -> &'static str;

    /// The rules of a table, which comes with its number in the catalog; `None` for one that is not the language's.
    ///
    /// Errors: those of reading the definition of its records.
    fn rules(
        &self,
        store: &Arc<Store>,
        table: (u64, &Arc<NativeTable>),
        transaction: &mut Transaction,
    ) -> Result<Option<Box<dyn PackedRows>>>;

    /// The rules by which the keys of a table follow from its records: conditions on fields find rows by indexes of the keys.
    /// `None` for a table that is not the language's.
    ///
    /// Errors: those of reading the definition of its records.
    fn derived_keys(&self, store: &Arc<Store>, table: (u64, &NativeTable)) -> Result<Option<Arc<dyn DerivedKeys>>>;
}

/// The rules of the rows of a table.
pub trait PackedRows: Send + Sync {
    /// Returns true if the values of a column follow from others: no statement gives them.
    fn is_derived(&self, column: usize) -> bool;

    /// Completes a row that is about to be written: its derived columns, and the filling of its record. `old` is the row before; `None`
    /// for a new one.
    ///
    /// Errors: `InvalidValue` for a record that the table cannot have.
    fn complete(&self, transaction: &mut Transaction, old: Option<&[Value]>, row: &mut [Value]) -> Result<()>;
}

static REGISTERED: RwLock<Vec<&'static dyn PackedTables>> = RwLock::new(Vec::new());

/// Lets statements of this process change tables of a language through views.
pub fn register(tables: &'static dyn PackedTables) {
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    if registered.iter().all(|known| known.name() != tables.name()) {
        registered.push(tables);
    }
}

/// The rules of a table, from the language that has it.
///
/// Errors: those of [`PackedTables::rules`].
pub(crate) fn rules_of(
    store: &Arc<Store>,
    table: (u64, &Arc<NativeTable>),
    transaction: &mut Transaction,
) -> Result<Option<Box<dyn PackedRows>>> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner).clone();
    for tables in registered {
        if let Some(rules) = tables.rules(store, table, transaction)? {
            return Ok(Some(rules));
        }
    }
    Ok(None)
}

/// Lets a table learn from its language how its keys follow from its records.
///
/// A definition that cannot be read leaves the table without: its conditions read all rows, and changes report the error.
pub(crate) fn learn_derived_keys(store: &Arc<Store>, (number, table): (u64, &NativeTable)) {
    let read = || {
        let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner).clone();
        for tables in registered {
            if let Some(keys) = tables.derived_keys(store, (number, table))? {
                return Ok(Some(keys));
            }
        }
        Ok(None)
    };
    let _ = table.derived_keys.learn(read);
}

/// The place of a column's values in the table.
enum Source {
    Column(usize),
    Field { column: usize, number: u32, separator: u8 },
    Whole { column: usize },
    Computed,
}

/// A field that every row of the view has with the same text.
struct Constant {
    column: usize,
    number: u32,
    separator: u8,
    text: Vec<u8>,
}

/// A view through which rows of its table are changed.
pub(crate) struct Packed {
    name: String,
    /// The columns of the table.
    base: Vec<ColumnDefinition>,
    schema: SchemaRef,
    sources: Vec<(String, Source)>,
    constants: Vec<Constant>,
    /// The columns of the view over a row of the table.
    shown: RowExpressions,
    condition: Option<RowExpressions>,
    rules: Box<dyn PackedRows>,
}

impl Packed {
    /// Compiles a view; `schema` is that of the table.
    ///
    /// Errors: `UnknownColumn`, and those of its expressions.
    pub(crate) fn new(
        planner: &Planner,
        (name, view): (&str, &PackedView),
        (table, schema): (&TableDefinition, &SchemaRef),
        rules: Box<dyn PackedRows>,
    ) -> Result<Packed> {
        let rows = [(view.called.as_str(), schema)];
        let expressions: Vec<_> = view.columns.iter().map(|column| column.expression.clone()).collect();
        let shown = planner.row_expressions(&expressions, &rows, None)?;
        let condition = view.condition.iter().cloned().collect::<Vec<_>>();
        let condition = match condition.is_empty() {
            true => None,
            false => Some(planner.row_expressions(&condition, &rows, None)?),
        };
        let place = |column: &String| {
            let place = table.columns.iter().position(|known| known.name.eq_ignore_ascii_case(column));
            let names = table.columns.iter().map(|column| column.name.as_str());
            place.ok_or_else(|| mainstay_planner::unknown_column(&table.name, column, names))
        };
        let source = |source: &PackedSource| -> Result<Source> {
            Ok(match source {
                PackedSource::Column(column) => Source::Column(place(column)?),
                PackedSource::Field(field) => {
                    Source::Field { column: place(&field.column)?, number: field.number, separator: field.separator }
                }
                PackedSource::Whole(column, _) => Source::Whole { column: place(column)? },
                PackedSource::Expression => Source::Computed,
            })
        };
        let sources = view.columns.iter().map(|column| Ok((column.name.clone(), source(&column.source)?)));
        let constant = |(field, text): &(mainstay_planner::PackedField, String)| {
            let text = bytes_of_field(&Value::Text(text.clone()), Some(field.separator))?;
            Ok(Constant { column: place(&field.column)?, number: field.number, separator: field.separator, text })
        };
        Ok(Packed {
            name: name.to_owned(),
            base: table.columns.clone(),
            schema: Arc::new(Schema::new(schema.fields().iter().map(nullable).collect::<Vec<_>>())),
            sources: sources.collect::<Result<_>>()?,
            constants: view.constants.iter().map(constant).collect::<Result<_>>()?,
            shown,
            condition,
            rules,
        })
    }

    /// The columns of the view as those of a table: the ones without an inverse are computed.
    ///
    /// Errors: `Unsupported` for an expression whose type no column of a table has.
    pub(crate) fn columns(&self, view: &PackedView) -> Result<Vec<ColumnDefinition>> {
        let column = |(place, column): (usize, &mainstay_planner::PackedColumn)| {
            let sql_type = match (&column.source, self.sources.get(place)) {
                (PackedSource::Column(_), Some((_, Source::Column(base)))) => {
                    return Ok(ColumnDefinition {
                        name: column.name.clone(),
                        default: None,
                        check: None,
                        identity: None,
                        not_null: false,
                        computed: self.rules.is_derived(*base).then(computed),
                        ..self.base[*base].clone()
                    });
                }
                (PackedSource::Field(field), _) => type_of_field(field.kind),
                (PackedSource::Whole(_, length), _) => text_type(*length),
                _ => type_of_values(self.shown.schema().field(place).data_type())?,
            };
            let is_given = match self.sources.get(place) {
                Some((_, Source::Field { column, .. } | Source::Whole { column })) => !self.rules.is_derived(*column),
                _ => false,
            };
            Ok(ColumnDefinition {
                id: place as u64,
                name: column.name.clone(),
                sql_type,
                declared: None,
                not_null: false,
                default: None,
                check: None,
                identity: None,
                computed: (!is_given).then(computed),
            })
        };
        view.columns.iter().enumerate().map(column).collect()
    }

    /// A row of the table as the view shows it.
    pub(crate) fn shown(&self, row: &[Value]) -> Result<Vec<Value>> {
        let batch = self.shown.evaluate(&self.batch(row)?)?;
        batch.columns().iter().map(|column| value_at(column, 0)).collect()
    }

    /// A new row of the table, from the values of the view's columns.
    ///
    /// Errors: `InvalidValue` for values that their fields cannot have, `CheckViolation` for a row that is not of the view; those of
    /// the rules.
    pub(crate) fn inserted(&self, transaction: &mut Transaction, values: &[Value]) -> Result<Vec<Value>> {
        let mut row = vec![Value::Null; self.base.len()];
        let given = values.iter().enumerate().filter(|(_, value)| **value != Value::Null);
        self.assign(&mut row, given)?;
        // Every field of the view exists in the record, with an empty text if it gets no value.
        for (name, source) in &self.sources {
            if let Source::Field { column, number, separator } = source
                && !has_field(bytes_of(&row, *column), *number, *separator)
            {
                store_field(&mut row, (*column, *number, *separator), &[]).map_err(|error| in_column(error, name))?;
            }
        }
        for constant in &self.constants {
            let field = (constant.column, constant.number, constant.separator);
            if !has_text(bytes_of(&row, constant.column), constant.number, constant.separator) {
                store_field(&mut row, field, &constant.text)?;
            }
        }
        self.rules.complete(transaction, None, &mut row)?;
        self.check(&row)?;
        Ok(row)
    }

    /// A row of the table with other values in columns of the view.
    ///
    /// Errors: as [`Packed::inserted`].
    pub(crate) fn changed(
        &self,
        transaction: &mut Transaction,
        old: &[Value],
        changes: &[(usize, Value)],
    ) -> Result<Vec<Value>> {
        let mut row = old.to_vec();
        self.assign(&mut row, changes.iter().map(|(place, value)| (*place, value)))?;
        self.rules.complete(transaction, Some(old), &mut row)?;
        self.check(&row)?;
        Ok(row)
    }

    /// Puts the values of columns of the view into a row of the table: whole columns before the fields in them.
    ///
    /// Errors: `InvalidValue` for a value that its field cannot have, for two values of one field and for a record that is too long.
    fn assign<'v>(&self, row: &mut [Value], values: impl Iterator<Item = (usize, &'v Value)>) -> Result<()> {
        let mut assigned: Vec<(Target, &str, Value)> = Vec::new();
        for (place, value) in values {
            let Some((name, source)) = self.sources.get(place) else { continue };
            let Some(target) = target_of(source).filter(|_| !self.is_derived(source)) else { continue };
            let stored = stored(source, value).map_err(|error| in_column(error, name))?;
            match assigned.iter().find(|(known, ..)| *known == target) {
                Some((_, other, before)) if *before != stored => return Err(two_values(name, other)),
                Some(_) => {}
                None => assigned.push((target, name, stored)),
            }
        }
        assigned.sort_by_key(|((_, field), ..)| field.is_some());
        for ((column, field), name, value) in assigned {
            let stored = match (field, &value) {
                (Some((number, separator)), Value::Binary(text)) => store_field(row, (column, number, separator), text),
                _ => check_length(&value).map(|()| row[column] = value),
            };
            stored.map_err(|error| in_column(error, name))?;
        }
        Ok(())
    }

    /// Returns true for a column of the table that follows from others.
    fn is_derived(&self, source: &Source) -> bool {
        matches!(source, Source::Column(column) if self.rules.is_derived(*column))
    }

    /// Sees that the view shows a row that is written through it.
    fn check(&self, row: &[Value]) -> Result<()> {
        let Some(condition) = &self.condition else { return Ok(()) };
        let result = condition.evaluate(&self.batch(row)?)?;
        match value_at(result.column(0), 0)? {
            Value::Boolean(true) => Ok(()),
            _ => {
                let message = format!("the row does not keep to the condition of the view {}", self.name);
                Err(Error::new(Code::CheckViolation, message).about(self.name.as_str()))
            }
        }
    }

    fn batch(&self, row: &[Value]) -> Result<RecordBatch> {
        let column =
            |(column, value): (&ColumnDefinition, &Value)| array_of(&data_type_of(column.sql_type), &[value.as_ref()]);
        let columns = self.base.iter().zip(row).map(column).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(1));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(|error| Error::new(Code::Internal, format!("a row that does not fit its table: {error}")))
    }
}

/// The bytes that a column of a view is written to: a column of the table, and the number and separator of a field in it.
type Target = (usize, Option<(u32, u8)>);

fn target_of(source: &Source) -> Option<Target> {
    match source {
        Source::Column(column) | Source::Whole { column } => Some((*column, None)),
        Source::Field { column, number, separator } => Some((*column, Some((*number, *separator)))),
        Source::Computed => None,
    }
}

/// A value of a column of a view as it is stored.
fn stored(source: &Source, value: &Value) -> Result<Value> {
    Ok(match source {
        Source::Field { separator, .. } => Value::Binary(bytes_of_field(value, Some(*separator))?),
        Source::Whole { .. } if *value != Value::Null => Value::Binary(bytes_of_field(value, None)?),
        _ => value.clone(),
    })
}

/// Puts a text into a field of a row's record.
///
/// Errors: `InvalidValue` for a record that gets too long.
fn store_field(row: &mut [Value], (column, number, separator): (usize, u32, u8), text: &[u8]) -> Result<()> {
    let record = Value::Binary(with_field(bytes_of(row, column), number, separator, text));
    check_length(&record)?;
    row[column] = record;
    Ok(())
}

fn check_length(value: &Value) -> Result<()> {
    match value {
        Value::Binary(record) if record.len() > RECORD_BYTES => {
            let message = format!("the record would have {} bytes; at most {RECORD_BYTES} are possible", record.len());
            Err(Error::new(Code::InvalidValue, message))
        }
        _ => Ok(()),
    }
}

fn in_column(error: Error, name: &str) -> Error {
    error.at(format!("column {name}"))
}

fn two_values(column: &str, other: &str) -> Error {
    let message = format!("the columns {other} and {column} are the same field, and have different values");
    in_column(Error::new(Code::InvalidValue, message).hint("give the value for one of them"), column)
}

fn bytes_of(row: &[Value], column: usize) -> &[u8] {
    match row.get(column) {
        Some(Value::Binary(bytes)) => bytes,
        _ => &[],
    }
}

/// A column that no statement gives a value to.
fn computed() -> ComputedDefinition {
    ComputedDefinition { text: "NULL".to_owned(), stored: false }
}

fn text_type(length: Option<u32>) -> SqlType {
    SqlType::VarChar { length, collation: Collation::Binary }
}

fn type_of_field(kind: FieldKind) -> SqlType {
    match kind {
        FieldKind::Text(length) => text_type(length),
        FieldKind::Number(None) => SqlType::Double,
        FieldKind::Number(Some(scale)) => SqlType::Decimal { precision: DIGITS, scale },
    }
}

/// The type of a column with the values of an expression.
fn type_of_values(data_type: &DataType) -> Result<SqlType> {
    Ok(match data_type {
        DataType::Boolean => SqlType::Boolean,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => text_type(None),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => SqlType::VarBinary { length: None },
        DataType::Date32 => SqlType::Date,
        DataType::Float64 => SqlType::Double,
        DataType::Decimal128(precision, scale) if *scale >= 0 => {
            SqlType::Decimal { precision: *precision, scale: scale.unsigned_abs() }
        }
        other if other.is_integer() => SqlType::BigInt,
        other => {
            let message = format!("a view with a column of the type {other} cannot be changed");
            return Err(Error::new(Code::Unsupported, message));
        }
    })
}

fn nullable(field: &FieldRef) -> FieldRef {
    Arc::new(field.as_ref().clone().with_nullable(true))
}
