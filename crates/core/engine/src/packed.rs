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
//! **Limits.** Views over tables that no language has registered cannot be changed. ON CONFLICT is not supported.

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use mainstay_columnar::values::{array_of, data_type_of, value_at};
use mainstay_planner::{
    FieldKind, PackedSource, PackedView, Planner, RowExpressions, bytes_of_field, has_text, with_field,
};
use mainstay_store::files::catalog::{ColumnDefinition, ComputedDefinition, TableDefinition};
use mainstay_store::{NativeTable, Store, Transaction};
use mainstay_types::{Code, Collation, Error, Result, SqlType, Value};
use std::sync::{Arc, PoisonError, RwLock};

/// The digits of numbers in fields.
const DIGITS: u8 = 18;

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
        // Every field of the view exists in the record, with an empty text if it gets no value.
        for (place, (_, source)) in self.sources.iter().enumerate() {
            let value = values.get(place).unwrap_or(&Value::Null);
            match source {
                Source::Column(column) if self.rules.is_derived(*column) => {}
                Source::Computed => {}
                Source::Field { .. } | Source::Whole { .. } | Source::Column(_) => self.put(&mut row, place, value)?,
            }
        }
        for constant in &self.constants {
            let record = bytes_of(&row, constant.column);
            if !has_text(record, constant.number, constant.separator) {
                let record = with_field(record, constant.number, constant.separator, &constant.text);
                row[constant.column] = Value::Binary(record);
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
        for (place, value) in changes {
            self.put(&mut row, *place, value)?;
        }
        self.rules.complete(transaction, Some(old), &mut row)?;
        self.check(&row)?;
        Ok(row)
    }

    /// Puts the value of a column of the view into a row of the table.
    fn put(&self, row: &mut [Value], place: usize, value: &Value) -> Result<()> {
        let Some((name, source)) = self.sources.get(place) else { return Ok(()) };
        let at = |error: Error| error.at(format!("column {name}"));
        match source {
            Source::Column(column) => row[*column] = value.clone(),
            Source::Field { column, number, separator } => {
                let text = bytes_of_field(value, Some(*separator)).map_err(at)?;
                let record = with_field(bytes_of(row, *column), *number, *separator, &text);
                row[*column] = Value::Binary(record);
            }
            Source::Whole { column } if *value != Value::Null => {
                row[*column] = Value::Binary(bytes_of_field(value, None).map_err(at)?);
            }
            Source::Whole { column } => row[*column] = Value::Null,
            Source::Computed => {}
        }
        Ok(())
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
