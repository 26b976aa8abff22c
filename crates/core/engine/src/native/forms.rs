//! The parts of a table's definition that the store does not enforce: defaults, checks, computed columns.
//!
//! The expressions are stored as text in the catalog, compiled when the table is first changed, and evaluated on
//! batches of the new rows. Most tables have none, and then no batch is built.

use super::columns::computed_of;
use super::sequences::SessionSequences;
use crate::packed::Packed;
use crate::returning::Shown;
use crate::rows::{NewRow, batch_of, one_row};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use mainstay_columnar::values::{array_of, data_type_of, value_at};
use mainstay_planner::{Name, Planner, Returning, RowExpressions, Sequences, effects_of};
use mainstay_store::definition::shown_field;
use mainstay_store::files::catalog::{ColumnDefinition, TableDefinition};
use mainstay_store::{NativeTable, Reader, Transaction, View};
use mainstay_types::{Code, Error, Result, SqlType, Value, ValueRef, convert};
use std::sync::Arc;

/// A table as changes see it.
pub(crate) struct Form {
    pub(crate) table: Arc<NativeTable>,
    pub(crate) definition: Arc<TableDefinition>,
    /// The visible columns as statements see them.
    pub(crate) schema: SchemaRef,
    /// The defaults that are the same for all rows of a statement: for each column, its place among the results.
    defaults: Vec<Option<usize>>,
    /// For each column, true if its default is another one for each row: it takes values of sequences, calls functions
    /// of the database or makes new identifiers.
    of_each_row: Vec<bool>,
    default_expressions: Option<RowExpressions>,
    checks: Option<Checks>,
    /// Those that call functions of the database, which see the row that is looked at in its table.
    late_checks: Option<Checks>,
    computed: Option<Computed>,
    /// The way from the columns to those of the table, if they are those of a view over packed records.
    pub(crate) packed: Option<Packed>,
}

struct Checks {
    expressions: RowExpressions,
    names: Vec<String>,
}

struct Computed {
    expressions: RowExpressions,
    columns: Vec<usize>,
}

/// The defaults of a table's columns, for one statement.
pub(crate) struct Defaults {
    same: NewRow,
    /// By column: those that take values of sequences, for each row anew.
    each: Vec<(usize, RowExpressions)>,
    sequences: SessionSequences,
}

impl Defaults {
    /// The default of a column for one more row, or the next value of an identity column.
    ///
    /// Errors: those of the sequence and of the expression.
    pub(crate) fn value(&self, form: &Form, column: usize) -> Result<Value> {
        if let Some(identity) = form.definition.columns.get(column).and_then(|column| column.identity.as_ref()) {
            return form.converted(column, ValueRef::Integer(self.sequences.next_of(identity.sequence)?));
        }
        match self.each.iter().find(|(known, _)| *known == column) {
            Some((_, expression)) => {
                let value = expression.evaluate(&one_row()?)?;
                form.converted(column, value_at(value.column(0), 0)?.as_ref())
            }
            None => Ok(self.same.get(column).cloned().unwrap_or(Value::Null)),
        }
    }
}

impl Form {
    /// Compiles what the definition says.
    pub(crate) fn new(planner: &Planner, table: Arc<NativeTable>, definition: Arc<TableDefinition>) -> Result<Form> {
        let fields = mainstay_columnar::Table::schema(&mainstay_store::Shown(Arc::clone(&table))).fields().clone();
        let schema: SchemaRef = Arc::new(Schema::new(fields[..definition.columns.len()].to_vec()));
        let at = |error: Error| error.at(format!("table {}", definition.name));
        let (mut defaults, mut texts, mut of_each_row) = (Vec::new(), Vec::new(), Vec::new());
        for column in &definition.columns {
            let is_of_each_row = column.default.as_ref().is_some_and(|text| effects_of(text).is_of_each_row);
            of_each_row.push(is_of_each_row);
            defaults.push(column.default.as_ref().filter(|_| !is_of_each_row).map(|text| {
                texts.push(text.as_str());
                texts.len() - 1
            }));
        }
        let default_expressions = match texts.is_empty() {
            true => None,
            false => Some(planner.row_texts(&texts, &[]).map_err(at)?),
        };
        let key = definition.name.to_lowercase();
        let rows = [(key.as_str(), &schema)];
        let checks = Checks::new(planner, &definition, &rows, false).map_err(at)?;
        let late_checks = Checks::new(planner, &definition, &rows, true).map_err(at)?;
        let computed = Computed::new(planner, &definition, &rows).map_err(at)?;
        Ok(Form {
            table,
            schema,
            defaults,
            of_each_row,
            default_expressions,
            checks,
            late_checks,
            computed,
            packed: None,
            definition,
        })
    }

    /// A view over the packed records of a table: its columns are those of the form, and the rows that are stored are the table's.
    pub(super) fn of_view(table: Arc<NativeTable>, definition: TableDefinition, packed: Packed) -> Form {
        let field = |column: &ColumnDefinition| {
            shown_field(&column.name, column.sql_type, column.declared.as_deref(), !column.not_null)
        };
        let columns = definition.columns.len();
        Form {
            table,
            schema: Arc::new(Schema::new(definition.columns.iter().map(field).collect::<Vec<_>>())),
            defaults: vec![None; columns],
            of_each_row: vec![false; columns],
            default_expressions: None,
            checks: None,
            late_checks: None,
            computed: None,
            packed: Some(packed),
            definition: Arc::new(definition),
        }
    }

    /// The values of the columns in the version at a position.
    pub(super) fn row_at(&self, reader: &Reader<'_>, position: u64) -> Result<NewRow> {
        self.shown_row(self.stored_at(reader, position))
    }

    /// The values of a version as they are stored.
    fn stored_at(&self, reader: &Reader<'_>, position: u64) -> NewRow {
        let columns = self.table.definition().columns.len();
        (0..columns).map(|column| reader.value(position, column).to_value()).collect()
    }

    /// Of a view over packed records, the stored row of a version before and after a change of columns; `None` for a table.
    pub(super) fn packed_change(
        &self,
        transaction: &mut Transaction,
        view: View,
        (position, changes): (u64, &[(usize, Value)]),
    ) -> Result<Option<(NewRow, NewRow)>> {
        let Some(packed) = &self.packed else { return Ok(None) };
        let old = self.stored_at(&self.table.reader(view), position);
        let new = packed.changed(transaction, &old, changes)?;
        Ok(Some((old, new)))
    }

    /// A stored row as statements see it.
    pub(super) fn shown_row(&self, row: NewRow) -> Result<NewRow> {
        match &self.packed {
            Some(packed) => packed.shown(&row),
            None => Ok(row),
        }
    }

    /// Inserts a row: its position.
    pub(super) fn insert(&self, transaction: &mut Transaction, row: &mut NewRow) -> Result<u64> {
        let packed = self.packed.as_ref().map(|packed| packed.inserted(transaction, row)).transpose()?;
        let position = {
            let values: Vec<ValueRef<'_>> = packed.as_ref().unwrap_or(row).iter().map(Value::as_ref).collect();
            self.table.insert(transaction, values.as_slice())?
        };
        if let Some(packed) = packed {
            *row = self.shown_row(packed)?;
        }
        Ok(position)
    }

    /// The same for a table that is alike (`shape`).
    pub(crate) fn rebind(&mut self, table: &Arc<NativeTable>, definition: &Arc<TableDefinition>) {
        (self.table, self.definition) = (Arc::clone(table), Arc::clone(definition));
    }

    /// The RETURNING clause over the table's rows, under this name of the table.
    pub(super) fn shown(&self, alias: Option<&Name>, returning: Option<&Returning>) -> Result<Shown> {
        Shown::new((&self.definition.name, &self.schema, 0), alias, returning)
    }

    /// The number of a column by its name in lower case.
    pub(crate) fn column(&self, key: &str) -> Result<usize> {
        let place = self.definition.columns.iter().position(|column| column.name.to_lowercase() == key);
        place.ok_or_else(|| {
            let names = self.definition.columns.iter().map(|column| column.name.as_str());
            mainstay_planner::unknown_column(&self.definition.name, key, names)
        })
    }

    /// The defaults of a statement. Those that take values of sequences do so when they are asked for.
    pub(crate) fn defaults(&self, planner: &Planner, sequences: SessionSequences) -> Result<Defaults> {
        let shared: Arc<dyn Sequences> = Arc::new(sequences.clone());
        let mut each = Vec::new();
        for (column, definition) in self.definition.columns.iter().enumerate() {
            let is_of_each_row = self.of_each_row.get(column).is_some_and(|known| *known);
            if let Some(text) = definition.default.as_ref().filter(|_| is_of_each_row) {
                each.push((column, planner.sequence_text(text, Arc::clone(&shared))?));
            }
        }
        Ok(Defaults { same: self.same_defaults(planner)?, each, sequences })
    }

    /// The defaults that are the same for all rows of a statement, evaluated now; NULL for columns that have none.
    fn same_defaults(&self, planner: &Planner) -> Result<NewRow> {
        let Some(expressions) = &self.default_expressions else {
            return Ok(vec![Value::Null; self.defaults.len()]);
        };
        let values = match expressions.is_momentary() {
            false => expressions.evaluate(&one_row()?)?,
            true => {
                let columns = self.definition.columns.iter().zip(&self.of_each_row);
                let texts = columns.filter(|(_, of_each_row)| !**of_each_row);
                let texts: Vec<&str> = texts.filter_map(|(column, _)| column.default.as_deref()).collect();
                planner.row_texts(&texts, &[])?.evaluate(&one_row()?)?
            }
        };
        let value = |(place, column): (&Option<usize>, usize)| match place {
            Some(place) => self.converted(column, value_at(values.column(*place), 0)?.as_ref()),
            None => Ok(Value::Null),
        };
        self.defaults.iter().zip(0..).map(value).collect()
    }

    /// A value as a column holds it.
    pub(crate) fn converted(&self, column: usize, value: ValueRef<'_>) -> Result<Value> {
        let column = &self.definition.columns[column];
        converted(column, value)
    }

    /// Returns true if a column's values are computed and cannot be given.
    pub(crate) fn is_computed(&self, column: usize) -> bool {
        self.definition.columns.get(column).is_some_and(|column| column.computed.is_some())
    }

    /// Fills in computed columns and applies the checks to rows that are about to be written.
    ///
    /// Errors: `CheckViolation` that names the check, and those of the expressions.
    pub(crate) fn complete(&self, rows: &mut [NewRow]) -> Result<()> {
        if let Some(computed) = &self.computed {
            let results = computed.expressions.evaluate(&self.batch(rows)?)?;
            for (place, column) in computed.columns.iter().enumerate() {
                for (row, values) in rows.iter_mut().enumerate() {
                    values[*column] = self.converted(*column, value_at(results.column(place), row)?.as_ref())?;
                }
            }
        }
        match &self.checks {
            Some(checks) => checks.apply(&self.batch(rows)?, None),
            None => Ok(()),
        }
    }

    /// Applies the checks to rows that have been written which look at the table itself.
    ///
    /// Errors: as [`Form::complete`].
    pub(crate) fn check_written(&self, rows: &[NewRow]) -> Result<()> {
        match &self.late_checks {
            Some(checks) => checks.apply(&self.batch(rows)?, None),
            None => Ok(()),
        }
    }

    /// Applies the check of this name in lower case, or all, to rows that are in the table.
    ///
    /// Errors: `CheckViolation` that names the check.
    pub(crate) fn check(&self, rows: &[NewRow], only: Option<&str>) -> Result<()> {
        let mut checks = self.checks.iter().chain(&self.late_checks);
        checks.try_for_each(|checks| checks.apply(&self.batch(rows)?, only))
    }

    /// Returns true if whole rows are needed to know if a change is allowed.
    pub(crate) fn looks_at_rows(&self) -> bool {
        self.checks.is_some() || self.late_checks.is_some() || self.computed.is_some()
    }

    /// Rows as a batch of all columns.
    pub(crate) fn batch(&self, rows: &[NewRow]) -> Result<RecordBatch> {
        batch_of(&self.schema, self.arrays(rows), rows.len())
    }

    /// Rows as columns.
    pub(crate) fn arrays(&self, rows: &[NewRow]) -> Vec<ArrayRef> {
        let column = |(column, definition): (usize, &ColumnDefinition)| -> ArrayRef {
            let values: Vec<ValueRef<'_>> = rows.iter().map(|row| row[column].as_ref()).collect();
            array_of(&data_type_of(definition.sql_type), &values)
        };
        self.definition.columns.iter().enumerate().map(column).collect()
    }
}

fn converted(column: &ColumnDefinition, value: ValueRef<'_>) -> Result<Value> {
    value_of_type(value, column.sql_type).map_err(|error| error.at(format!("column {}", column.name)))
}

/// A value as a column of a type holds it. CHAR is kept without the blanks that it is padded with, as the CHAR columns of
/// files are: so it compares, joins and groups without regard to them.
pub(super) fn value_of_type(value: ValueRef<'_>, sql_type: SqlType) -> Result<Value> {
    Ok(match (convert(value, sql_type)?, sql_type) {
        (Value::Text(mut text), SqlType::Char { .. }) => {
            text.truncate(text.trim_end_matches(' ').len());
            Value::Text(text)
        }
        (value, _) => value,
    })
}

/// Sees that the expressions of a table that is to be made are ones that can be evaluated, and that each default is a
/// value of its column.
///
/// Defaults that take values of sequences take none here: that the sequences are there is seen from asking for what they
/// gave last.
pub(crate) fn check_expressions(
    planner: &Planner,
    table: &TableDefinition,
    sequences: &SessionSequences,
) -> Result<()> {
    let field =
        |column: &ColumnDefinition| shown_field(&column.name, column.sql_type, column.declared.as_deref(), true);
    let schema: SchemaRef = Arc::new(Schema::new(table.columns.iter().map(field).collect::<Vec<_>>()));
    let key = table.name.to_lowercase();
    let rows = [(key.as_str(), &schema)];
    for with_functions in [false, true] {
        Checks::new(planner, table, &rows, with_functions)?.map_or(Ok(()), |checks| checks.are_conditions())?;
    }
    Computed::new(planner, table, &rows)?;
    let is_computed = |column: &&ColumnDefinition| column.computed.is_some();
    for column in table.columns.iter().filter(is_computed) {
        let name = mainstay_planner::Name::new(&column.name);
        if let Some(of) = computed_of(table, &name)? {
            // All are computed at once, from the columns that are given.
            let message = format!("the computed column {of} is made of the computed column {}", column.name);
            return Err(Error::new(Code::Unsupported, message).hint("write out what that one is computed from"));
        }
    }
    for column in &table.columns {
        if let Some(text) = &column.default {
            let effects = effects_of(text);
            if effects.uses_sequences || effects.calls_user_functions {
                planner.sequence_text(text, Arc::new(sequences.clone()))?;
                continue;
            }
            let value = planner.row_texts(&[text], &[])?.evaluate(&one_row()?)?;
            converted(column, value_at(value.column(0), 0)?.as_ref()).map_err(|error| error.at("a default"))?;
        }
    }
    Ok(())
}

impl Checks {
    /// Those that call functions of the database, or the others.
    fn new(
        planner: &Planner,
        table: &TableDefinition,
        rows: &[(&str, &SchemaRef)],
        with_functions: bool,
    ) -> Result<Option<Checks>> {
        let of_columns = table.columns.iter().filter_map(|column| {
            column.check.as_ref().map(|text| (format!("{}_{}_check", table.name, column.name), text.as_str()))
        });
        let of_table =
            table.checks.iter().filter(|check| !check.disabled).map(|check| (check.name.clone(), check.text.as_str()));
        let is_meant = |(_, text): &(String, &str)| effects_of(text).calls_user_functions == with_functions;
        let (names, texts): (Vec<String>, Vec<&str>) = of_columns.chain(of_table).filter(is_meant).unzip();
        if texts.is_empty() {
            return Ok(None);
        }
        Ok(Some(Checks { expressions: planner.row_texts(&texts, rows)?, names }))
    }

    /// Sees that each is something that holds or not.
    fn are_conditions(&self) -> Result<()> {
        let is_condition = |field: &Field| matches!(field.data_type(), DataType::Boolean | DataType::Null);
        for (field, name) in self.expressions.schema().fields().iter().zip(&self.names) {
            if !is_condition(field) {
                let message = format!("the check {name} is no condition: it is neither true nor false");
                return Err(Error::new(Code::TypeMismatch, message));
            }
        }
        Ok(())
    }

    /// A check fails where it is false; where it is unknown it holds, as ISO SQL has it.
    fn apply(&self, rows: &RecordBatch, only: Option<&str>) -> Result<()> {
        let results = self.expressions.evaluate(rows)?;
        for (result, name) in results.columns().iter().zip(&self.names) {
            if only.is_some_and(|only| name.to_lowercase() != only) {
                continue;
            }
            for row in 0..result.len() {
                if value_at(result, row)? == Value::Boolean(false) {
                    let message = format!("the row does not keep to the check {name}");
                    return Err(Error::new(Code::CheckViolation, message).about(name.as_str()));
                }
            }
        }
        Ok(())
    }
}

impl Computed {
    fn new(planner: &Planner, table: &TableDefinition, rows: &[(&str, &SchemaRef)]) -> Result<Option<Computed>> {
        let computed = |(place, column): (usize, &ColumnDefinition)| {
            column.computed.as_ref().map(|computed| (place, computed.text.clone()))
        };
        let (columns, texts): (Vec<usize>, Vec<String>) = table.columns.iter().enumerate().filter_map(computed).unzip();
        if texts.is_empty() {
            return Ok(None);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Ok(Some(Computed { expressions: planner.row_texts(&texts, rows)?, columns }))
    }
}
