//! The rows of a table during ALTER TABLE: a column is added, or its type changes.
//!
//! ```text
//!   references that name the column     are dropped
//!   a column of the new type            is added, NULL in all rows
//!   each row                            its value, or USING's, converted as an assignment does; row, value and reason
//!                                       of the first that does not convert are the error
//!   the old column                      is dropped; the new one takes its place, name, keys, indexes, default
//!   checks                              are verified; so are the references, which are created again
//! ```
//!
//! All of it runs in the statement's transaction and is rolled back with it. No other transaction writes in the
//! meantime, because the first change of the catalog waits for the open ones.
//!
//! Limit: each row is written twice.

use super::change::Changer;
use super::columns::{column_mut, column_of, computed_of};
use super::define::Definitions;
use super::forms::{Form, check_expressions, value_of_type};
use super::key_of;
use super::references::{are_comparable, check_reference};
use super::renames::in_schema_of;
use super::scope::{find_table, key_in};
use super::versions::{positions, stored};
use crate::rows::NewRow;
use crate::writable::Changed;
use arrow_schema::{Schema, SchemaRef};
use mainstay_columnar::values::value_at;
use mainstay_planner::{
    AlterTable, Alteration, Answer, ColumnClause, Constraint, Enabled, Name, Rename, RenameKind, RowExpressions,
    SetType,
};
use mainstay_store::files::catalog::{
    CatalogChange, ColumnDefinition, ForeignKeyDefinition, SequenceDefinition, TableDefinition,
};
use mainstay_store::{Transaction, Written};
use mainstay_types::{Code, Error, Result, SqlType, Value};
use std::sync::Arc;

/// Rows that are read together.
const PORTION: usize = 1_024;

/// The values of a column for some rows.
type Values<'v> = dyn FnMut(&[NewRow]) -> Result<Vec<Value>> + 'v;

impl Changer<'_> {
    /// ALTER TABLE.
    pub(crate) fn alter_table(&self, transaction: &mut Transaction, alter: &AlterTable) -> Result<Changed<Answer>> {
        // A name that is not a table fails below.
        if let Ok(form) = self.form(transaction, &alter.table) {
            transaction.check_not_deferred(&form.table)?;
        }
        for change in &alter.changes {
            let is_done = match change {
                Alteration::AddColumn { clause, if_not_exists: true }
                    if self.has_column(transaction, alter, &clause.name)? =>
                {
                    true
                }
                Alteration::AddColumn { clause, .. } => self.add_column(transaction, alter, clause)?,
                Alteration::SetType(to) => self.set_type(transaction, alter, to)?,
                Alteration::AddConstraint { constraint, not_valid } => {
                    self.add_constraint(transaction, alter, constraint, *not_valid)?;
                    true
                }
                Alteration::Rename(to) => {
                    self.rename_table(transaction, alter, to)?;
                    true
                }
                Alteration::RenameColumn { from, to } => {
                    self.rename_column(transaction, alter, from, to)?;
                    true
                }
                other => {
                    self.define(transaction, alter, other.clone())?;
                    if let Alteration::Enable { name, enabled: Enabled::Yes } = other {
                        self.check_rows(transaction, &alter.table, name.as_ref())?;
                    }
                    true
                }
            };
            if !is_done {
                return Ok(Changed::Overtaken);
            }
        }
        Ok(Changed::Done(Answer::of(Arc::new(Schema::empty()), Vec::new())))
    }

    fn definitions(&self, transaction: &Transaction, alter: &AlterTable) -> Definitions<'_> {
        Definitions::of_table(self.native, transaction, &alter.table)
    }

    /// Returns true if the table has a column of this name; without the table only where that is fine.
    fn has_column(&self, transaction: &Transaction, alter: &AlterTable, column: &Name) -> Result<bool> {
        let definitions = self.definitions(transaction, alter);
        match definitions.table_named(&definitions.catalog(transaction), &alter.table) {
            Ok(table) => Ok(column_of(table, column).is_ok()),
            Err(_) if alter.if_exists => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// One change of the definition.
    fn define(&self, transaction: &mut Transaction, alter: &AlterTable, change: Alteration) -> Result<()> {
        let sequences = self.sequences(transaction);
        let one = AlterTable { changes: vec![change], ..alter.clone() };
        self.definitions(transaction, alter).alter_table(self.planner, transaction, &one, &sequences)
    }

    /// RENAME TO, with the views that name the table; of a view, too.
    fn rename_table(&self, transaction: &mut Transaction, alter: &AlterTable, to: &Name) -> Result<()> {
        let definitions = self.definitions(transaction, alter);
        let catalog = definitions.catalog(transaction);
        match find_table(&catalog, &key_of(&alter.table)) {
            Some(table) if !definitions.has_own() => {
                let to = in_schema_of(&catalog, table.schema, to)?;
                let key = key_of(&alter.table);
                let rename = self.define_rename(alter, Alteration::Rename(to.clone()));
                self.renamed(transaction, &key, Self::follow_table(&key, to), rename)
            }
            None if catalog
                .views
                .iter()
                .any(|view| key_in(&catalog, view.schema, &view.name) == key_of(&alter.table)) =>
            {
                let (name, to, if_exists) = (alter.table.clone(), to.clone(), alter.if_exists);
                self.rename(transaction, &Rename { kind: RenameKind::View, name, to, if_exists }).map(|_| ())
            }
            _ => self.define(transaction, alter, Alteration::Rename(to.clone())),
        }
    }

    /// RENAME COLUMN, with the views that name it.
    fn rename_column(&self, transaction: &mut Transaction, alter: &AlterTable, from: &Name, to: &Name) -> Result<()> {
        let change = Alteration::RenameColumn { from: from.clone(), to: to.clone() };
        let rename = self.define_rename(alter, change);
        let definitions = self.definitions(transaction, alter);
        let catalog = definitions.catalog(transaction);
        match find_table(&catalog, &key_of(&alter.table)) {
            Some(table) if !definitions.has_own() => {
                let key = key_of(&alter.table);
                self.renamed(transaction, &key, Self::follow_column(&key, table, from, to), rename)
            }
            _ => rename(transaction),
        }
    }

    fn define_rename<'r>(
        &'r self,
        alter: &'r AlterTable,
        change: Alteration,
    ) -> impl FnOnce(&mut Transaction) -> Result<()> + 'r {
        move |transaction| self.define(transaction, alter, change)
    }

    /// ADD CONSTRAINT. The store looks at the rows for keys and references.
    fn add_constraint(
        &self,
        transaction: &mut Transaction,
        alter: &AlterTable,
        constraint: &Constraint,
        not_valid: bool,
    ) -> Result<()> {
        let mut added = constraint.clone();
        // A reference that comes while it rests is not looked at, nor when it is switched on for rows to come.
        let rests = match &mut added {
            Constraint::ForeignKey(references) if not_valid => !std::mem::replace(&mut references.disabled, true),
            _ => false,
        };
        let before = self.checks_and_references(transaction, &alter.table);
        self.define(transaction, alter, Alteration::AddConstraint { constraint: added, not_valid })?;
        let after = self.checks_and_references(transaction, &alter.table);
        let name = after.iter().find(|name| !before.contains(name)).map(|name| Name::new(name));
        if rests {
            self.define(transaction, alter, Alteration::Enable { name: name.clone(), enabled: Enabled::FromNowOn })?;
        }
        match constraint {
            Constraint::Check { disabled: false, .. } if !not_valid => {
                self.check_rows(transaction, &alter.table, name.as_ref())
            }
            _ => Ok(()),
        }
    }

    /// The names of the constraints that can be disabled.
    fn checks_and_references(&self, transaction: &Transaction, table: &Name) -> Vec<String> {
        let scope = self.native.scope(transaction);
        let Some(table) = scope.definition(&super::key_of(table)) else { return Vec::new() };
        let checks = table.checks.iter().map(|check| check.name.clone());
        checks.chain(table.foreign_keys.iter().map(|key| key.name.clone())).collect()
    }

    /// ADD COLUMN: rows that are there get its default, its next number, or what it is computed as. False when another
    /// transaction was first.
    fn add_column(&self, transaction: &mut Transaction, alter: &AlterTable, clause: &ColumnClause) -> Result<bool> {
        let plain = ColumnClause { not_null: false, constraints: Vec::new(), ..clause.clone() };
        self.define(transaction, alter, Alteration::AddColumn { clause: Box::new(plain), if_not_exists: false })?;
        let has_values = clause.default.is_some() || clause.identity.is_some() || clause.computed.is_some();
        if has_values && !self.fill(transaction, &alter.table, &clause.name)? {
            return Ok(false);
        }
        if clause.not_null {
            let not_null = Alteration::SetNotNull { column: clause.name.clone(), not_null: true };
            self.define(transaction, alter, not_null)?;
        }
        for constraint in &clause.constraints {
            self.add_constraint(transaction, alter, constraint, false)?;
        }
        Ok(true)
    }

    /// Gives all rows the value that a new row would get in a column; false when another transaction was first.
    fn fill(&self, transaction: &mut Transaction, table: &Name, column: &Name) -> Result<bool> {
        let form = self.form(transaction, table)?;
        let column = form.column(&column.key)?;
        if form.is_computed(column) {
            let computed = |rows: &[NewRow]| {
                let mut rows = rows.to_vec();
                form.complete(&mut rows)?;
                Ok(rows.into_iter().map(|mut row| row.swap_remove(column)).collect())
            };
            return rewrite(transaction, &form, column, &mut { computed });
        }
        let defaults = form.defaults(self.planner, self.sequences(transaction))?;
        let values = |rows: &[NewRow]| rows.iter().map(|_| defaults.value(&form, column)).collect();
        rewrite(transaction, &form, column, &mut { values })
    }

    /// ALTER COLUMN ... TYPE. False when another transaction was first.
    fn set_type(&self, transaction: &mut Transaction, alter: &AlterTable, to: &SetType) -> Result<bool> {
        let definitions = self.definitions(transaction, alter);
        let catalog = definitions.catalog(transaction);
        let table = match definitions.table_named(&catalog, &alter.table) {
            Ok(table) => table.clone(),
            Err(_) if alter.if_exists => return Ok(true),
            Err(error) => return Err(error),
        };
        let old = column_of(&table, &to.column)?;
        let Some(known) = table.columns.iter().find(|column| column.id == old).cloned() else { return Ok(true) };
        let text = values_of(&table, &known, to)?;
        if text.is_none() && known.sql_type == to.sql_type && known.declared == to.declared {
            return Ok(true);
        }
        let new = definitions.take_id();
        let mut after = table.clone();
        after.columns.push(ColumnDefinition {
            id: new,
            name: new_name(&table),
            sql_type: to.sql_type,
            declared: to.declared.clone(),
            not_null: false,
            default: None,
            check: None,
            identity: None,
            computed: None,
        });
        let added = after.clone();
        take_column(&mut after, old, new)?;
        check_expressions(self.planner, &after, &self.sequences(transaction)).map_err(|error| {
            error
                .at(format!("column {}", known.name))
                .hint("DROP DEFAULT, or drop the check, and set another one after it")
        })?;
        let references = References::of(&catalog.tables, table.id, old);
        for child in &references.of {
            let detached = TableDefinition { foreign_keys: references.without(child), ..child.clone() };
            definitions.change_catalog(transaction, CatalogChange::PutTable(detached))?;
        }
        let own = references.without(&table);
        let put = |table: &TableDefinition| {
            CatalogChange::PutTable(TableDefinition { foreign_keys: own.clone(), ..table.clone() })
        };
        definitions.change_catalog(transaction, put(&added))?;
        if !self.convert_rows(transaction, &alter.table, &known, text.as_deref())? {
            return Ok(false);
        }
        definitions.change_catalog(transaction, put(&after))?;
        for sequence in definitions.catalog(transaction).sequences.iter().filter(|it| it.owned_by == Some(old)) {
            let followed = SequenceDefinition { owned_by: Some(new), ..sequence.clone() };
            definitions.change_catalog(transaction, CatalogChange::PutSequence(followed))?;
        }
        for child in &references.of {
            let catalog = definitions.catalog(transaction);
            let Some(mut again) = catalog.table(child.id).cloned() else { continue };
            again.foreign_keys = references.renumbered(child, new);
            for key in &again.foreign_keys {
                let parent =
                    if key.referenced_table == again.id { Some(&again) } else { catalog.table(key.referenced_table) };
                parent.map_or(Ok(()), |parent| check_reference(&again, parent, key))?;
            }
            definitions.change_catalog(transaction, CatalogChange::PutTable(again))?;
        }
        self.check_rows(transaction, &alter.table, None)?;
        Ok(true)
    }

    /// Fills the last column of a table with the values of another one, or of an expression; false when another
    /// transaction was first.
    fn convert_rows(
        &self,
        transaction: &mut Transaction,
        table: &Name,
        known: &ColumnDefinition,
        text: Option<&str>,
    ) -> Result<bool> {
        let form = self.form(transaction, table)?;
        let to = form.definition.columns.len() - 1;
        let from = form.column(&known.name.to_lowercase())?;
        let (name, not_null) = (&form.definition.name, known.not_null);
        let old: SchemaRef = Arc::new(Schema::new(form.schema.fields()[..to].to_vec()));
        let key = name.to_lowercase();
        let expression = text.map(|text| self.planner.row_texts(&[text], &[(&key, &old)])).transpose()?;
        let convert = |value: &Value| {
            let converted = value_of_type(value.as_ref(), form.definition.columns[to].sql_type)?;
            match converted == Value::Null && not_null {
                true => Err(Error::new(Code::NotNullViolation, format!("{} would be NULL", known.name))),
                false => Ok(converted),
            }
        };
        let mut before = 0;
        let mut values = |rows: &[NewRow]| {
            let given = match &expression {
                Some(expression) => evaluated(&form, expression, rows, to),
                None => Ok(rows.iter().map(|row| row[from].clone()).collect()),
            };
            let converted = given.and_then(|given: Vec<Value>| {
                let each = given.iter().enumerate();
                each.map(|(number, value)| convert(value).map_err(|error| (number, error))).collect()
            });
            let first = before;
            before += rows.len();
            converted.map_err(|(number, error): (usize, Error)| {
                let row = row_name(&form, &rows[number], first + number + 1);
                error.at(format!("{name}.{}", known.name)).at(row)
            })
        };
        rewrite(transaction, &form, to, &mut values)
    }
}

/// The values of an expression over the first columns of some rows; an error with the number of its row.
fn evaluated(
    form: &Form,
    expression: &RowExpressions,
    rows: &[NewRow],
    columns: usize,
) -> Result<Vec<Value>, (usize, Error)> {
    let of = |rows: &[NewRow]| -> Result<Vec<Value>> {
        let batch = form.batch(rows)?;
        let numbers: Vec<usize> = (0..columns).collect();
        let batch = batch.project(&numbers).map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        let values = expression.evaluate(&batch)?;
        (0..rows.len()).map(|row| value_at(values.column(0), row)).collect()
    };
    of(rows).map_err(|error| {
        // Once more, one by one, to say which.
        let mut failed = rows.iter().enumerate();
        let failed = failed.find_map(|(number, row)| of(std::slice::from_ref(row)).err().map(|error| (number, error)));
        failed.unwrap_or((0, error))
    })
}

/// Which row: by its key, or by its place in the table.
fn row_name(form: &Form, row: &NewRow, number: usize) -> String {
    let definition = &form.definition;
    let Some(key) = &definition.primary_key else { return format!("row {number}") };
    let part = |id: u64| {
        let place = definition.columns.iter().position(|column| column.id == id)?;
        Some(format!("{} = {}", definition.columns.get(place)?.name, row.get(place)?))
    };
    let parts: Vec<String> = key.columns.iter().filter_map(|column| part(column.column)).collect();
    format!("the row with {}", parts.join(", "))
}

/// Writes the values of a column into all rows; false when another transaction was first.
fn rewrite(transaction: &mut Transaction, form: &Form, column: usize, values: &mut Values<'_>) -> Result<bool> {
    let view = transaction.begin_statement()?;
    for some in positions(&form.table, view)?.chunks(PORTION) {
        let rows: Vec<NewRow> = {
            let reader = form.table.reader(view);
            some.iter().map(|position| stored(form, &reader, *position)).collect()
        };
        for (position, value) in some.iter().zip(values(&rows)?) {
            let change = [(column, value.as_ref())];
            if let Written::Moved(_) = form.table.update_columns(transaction, *position, &change)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The expression of the new values, if they are not the old ones.
///
/// Errors: what a column has that the new type cannot have.
fn values_of(table: &TableDefinition, column: &ColumnDefinition, to: &SetType) -> Result<Option<String>> {
    if let Some(computed) = &column.computed {
        return match to.using {
            None => Ok(Some(computed.text.clone())),
            Some(_) => Err(Error::new(Code::InvalidValue, format!("the column {} is computed", column.name))
                .hint("its values are those of its expression: leave out USING")),
        };
    }
    let is_whole = |sql_type| {
        let is_integer = matches!(sql_type, SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer | SqlType::BigInt);
        is_integer || matches!(sql_type, SqlType::Decimal { scale: 0, .. })
    };
    if column.identity.is_some() && !is_whole(to.sql_type) {
        let message = format!("the identity column {} cannot be {}", column.name, to.sql_type);
        return Err(Error::new(Code::TypeMismatch, message).hint("it needs a type of whole numbers"));
    }
    if let Some(computed) = computed_of(table, &to.column)? {
        let message = format!("the column {computed} is computed from the column {}", column.name);
        return Err(Error::new(Code::Unsupported, message).hint("drop that column, and add it again after it"));
    }
    let filtered = table.indexes.iter().find(|index| index.filter.iter().any(|part| part.column == column.id));
    if let Some(index) = filtered.filter(|_| !are_comparable(column.sql_type, to.sql_type)) {
        let message = format!("the filter of {} compares the column {}", index.name, column.name);
        return Err(Error::new(Code::Unsupported, message).hint("drop that index, and create it again after it"));
    }
    Ok(to.using.clone())
}

/// A name that no column has.
fn new_name(table: &TableDefinition) -> String {
    let mut name = "#new".to_owned();
    while table.columns.iter().any(|column| column.name == name) {
        name.push('#');
    }
    name
}

/// Puts one column in the place of another, whose name, default, keys and indexes it takes.
fn take_column(table: &mut TableDefinition, old: u64, new: u64) -> Result<()> {
    let Some(taken) = table.columns.pop_if(|column| column.id == new) else { return Ok(()) };
    let sql_type = taken.sql_type;
    if let Some(column) = column_mut(table, old) {
        (column.id, column.sql_type, column.declared) = (taken.id, taken.sql_type, taken.declared);
    }
    let of_keys = table.primary_key.iter_mut().chain(&mut table.unique).flat_map(|key| &mut key.columns);
    let of_indexes = table.indexes.iter_mut().flat_map(|index| &mut index.columns);
    of_keys.chain(of_indexes).filter(|part| part.column == old).for_each(|part| part.column = new);
    for part in table.indexes.iter_mut().flat_map(|index| &mut index.filter).filter(|part| part.column == old) {
        part.column = new;
        part.values =
            part.values.iter().map(|value| super::filter::refitted(value, sql_type)).collect::<Result<_>>()?;
    }
    Ok(())
}

/// The references that name a column, from either side.
struct References {
    /// The tables that have them, as they were.
    of: Vec<TableDefinition>,
    table: u64,
    column: u64,
}

impl References {
    fn of(tables: &[TableDefinition], table: u64, column: u64) -> References {
        let mut references = References { of: Vec::new(), table, column };
        let of = tables.iter().filter(|child| child.foreign_keys.iter().any(|key| references.is_one(child, key)));
        references.of = of.cloned().collect();
        references
    }

    fn is_one(&self, child: &TableDefinition, key: &ForeignKeyDefinition) -> bool {
        (child.id == self.table && key.columns.contains(&self.column))
            || (key.referenced_table == self.table && key.referenced_columns.contains(&self.column))
    }

    /// The references of a table without them.
    fn without(&self, child: &TableDefinition) -> Vec<ForeignKeyDefinition> {
        child.foreign_keys.iter().filter(|key| !self.is_one(child, key)).cloned().collect()
    }

    /// All references of a table, with another number for the column.
    fn renumbered(&self, child: &TableDefinition, new: u64) -> Vec<ForeignKeyDefinition> {
        let renumbered = |key: &ForeignKeyDefinition| {
            let of = |table: u64, columns: &[u64]| -> Vec<u64> {
                let is_it = |column: u64| table == self.table && column == self.column;
                columns.iter().map(|column| if is_it(*column) { new } else { *column }).collect()
            };
            ForeignKeyDefinition {
                columns: of(child.id, &key.columns),
                referenced_columns: of(key.referenced_table, &key.referenced_columns),
                ..key.clone()
            }
        };
        child.foreign_keys.iter().map(renumbered).collect()
    }
}
