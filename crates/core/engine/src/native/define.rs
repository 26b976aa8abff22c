//! CREATE: statements as changes of the catalog.

use super::alter::unique_names;
use super::columns::column_of;
use super::forms::check_expressions;
use super::references::foreign_key;
use super::scope::{find_table, key_in, schema_of};
use super::{Given, Native, SessionSequences, key_of};
use mainstay_planner::{
    ColumnClause, Constraint, CreateIndex, CreateSequence, CreateTable, CreateView, DEFAULT_SCHEMAS, IndexPart, Name,
    OwnedBy, Planner, Steps,
};
use mainstay_store::files::catalog::{
    Catalog, CatalogChange, CheckDefinition, ColumnDefinition, ComputedDefinition, IdentityDefinition, IndexColumn,
    IndexDefinition, KeyDefinition, SchemaDefinition, SequenceDefinition, TableDefinition, ViewDefinition,
};
use mainstay_store::{TemporaryTables, Transaction};
use mainstay_types::{Cause, Code, Error, Result};
use std::sync::Arc;

/// The target of definitions: the shared catalog, or the session's temporary tables.
pub(crate) struct Definitions<'n> {
    native: &'n Native,
    temporary: Option<Arc<TemporaryTables>>,
}

impl<'n> Definitions<'n> {
    /// Definitions in the shared catalog.
    pub(crate) fn shared(native: &'n Native) -> Definitions<'n> {
        Definitions { native, temporary: None }
    }

    /// Of the session's own tables, if its transaction knows of any.
    pub(crate) fn own(native: &'n Native, transaction: &Transaction) -> Definitions<'n> {
        Definitions { native, temporary: transaction.temporary().cloned() }
    }

    /// Where a table of this name is.
    pub(crate) fn of_table(native: &'n Native, transaction: &Transaction, name: &Name) -> Definitions<'n> {
        let own = Definitions::own(native, transaction);
        let is_own = own.temporary.is_some() && find_table(&own.catalog(transaction), &key_of(name)).is_some();
        if is_own { own } else { Definitions::shared(native) }
    }

    /// Returns true if they are among the session's own tables.
    pub(super) fn has_own(&self) -> bool {
        self.temporary.is_some()
    }

    pub(super) fn catalog(&self, transaction: &Transaction) -> Arc<Catalog> {
        match &self.temporary {
            Some(own) => own.catalog(),
            None => self.native.store().catalog_to_change(transaction),
        }
    }

    /// A number that nothing of the catalog has yet.
    pub(super) fn take_id(&self) -> u64 {
        self.temporary.as_ref().map_or_else(|| self.native.store().new_id(), |own| own.new_id())
    }

    fn take_table_id(&self) -> u64 {
        self.temporary.as_ref().map_or_else(|| self.native.store().new_id(), |own| own.new_table_id())
    }

    /// Changes the catalog within a transaction.
    pub(super) fn change_catalog(&self, transaction: &mut Transaction, change: CatalogChange) -> Result<()> {
        match &self.temporary {
            Some(own) => self.native.store().change_temporary(transaction, own, change),
            None => self.native.store().change_catalog(transaction, change),
        }
    }

    /// CREATE TABLE.
    pub(crate) fn create_table(
        &self,
        planner: &Planner,
        transaction: &mut Transaction,
        create: &CreateTable,
        given: &Arc<Given>,
    ) -> Result<()> {
        let catalog = self.catalog(transaction);
        if self.is_taken(&catalog, &create.name, create.if_not_exists)? {
            return Ok(());
        }
        if create.columns.is_empty() {
            return Err(Error::new(Code::Syntax, format!("the table {} has no columns", create.name)));
        }
        let mut table = TableDefinition {
            id: self.take_table_id(),
            schema: self.schema(transaction, &create.name)?,
            name: create.name.written.clone(),
            columns: Vec::new(),
            primary_key: None,
            unique: Vec::new(),
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
        };
        for clause in &create.columns {
            self.add_column(transaction, &mut table, clause)?;
        }
        let of_columns = create.columns.iter().flat_map(|clause| &clause.constraints);
        for constraint in of_columns.chain(&create.constraints) {
            self.add_constraint(&catalog, &mut table, constraint)?;
        }
        unique_names(&table, &[])?;
        let sequences = SessionSequences { scope: self.native.scope(transaction), given: Arc::clone(given) };
        check_expressions(planner, &table, &sequences)?;
        self.change_catalog(transaction, CatalogChange::PutTable(table))
    }

    /// The number of the schema that a name is in; the default one is made when it is first needed.
    fn schema(&self, transaction: &mut Transaction, name: &Name) -> Result<u64> {
        if let Some(own) = &self.temporary {
            return match &name.schema {
                Some(schema) if !DEFAULT_SCHEMAS.contains(&schema.as_str()) => {
                    let message = format!("{name}: temporary tables are in no schema");
                    Err(Error::new(Code::InvalidValue, message))
                }
                _ => Ok(own.schema()),
            };
        }
        let catalog = self.catalog(transaction);
        if let Some(schema) = schema_of(&catalog, name)? {
            return Ok(schema);
        }
        let schema = SchemaDefinition { id: self.take_id(), name: DEFAULT_SCHEMAS[0].to_owned() };
        let id = schema.id;
        self.change_catalog(transaction, CatalogChange::PutSchema(schema))?;
        Ok(id)
    }

    /// Adds a column, with the sequence of an identity column.
    pub(super) fn add_column(
        &self,
        transaction: &mut Transaction,
        table: &mut TableDefinition,
        clause: &ColumnClause,
    ) -> Result<()> {
        let is_known = |column: &ColumnDefinition| column.name.eq_ignore_ascii_case(&clause.name.written);
        if table.columns.iter().any(is_known) {
            let error = Error::new(Code::DuplicateColumn, format!("there is a column {} already", clause.name));
            return Err(error.about(&clause.name.key));
        }
        let identity = match clause.identity {
            None => None,
            Some(always) => {
                let name = format!("{}_{}_seq", table.name, clause.name.written);
                let sequence = self.sequence(table.schema, name, &clause.identity_steps)?;
                let id = sequence.id;
                self.change_catalog(transaction, CatalogChange::PutSequence(sequence))?;
                Some(IdentityDefinition { sequence: id, always })
            }
        };
        let computed = clause.computed.clone().map(|text| ComputedDefinition { text, stored: true });
        table.columns.push(ColumnDefinition {
            id: self.take_id(),
            name: clause.name.written.clone(),
            sql_type: clause.sql_type,
            declared: clause.declared.clone(),
            not_null: clause.not_null,
            default: clause.default.clone(),
            check: None,
            identity,
            computed,
        });
        Ok(())
    }

    pub(super) fn add_constraint(
        &self,
        catalog: &Catalog,
        table: &mut TableDefinition,
        constraint: &Constraint,
    ) -> Result<()> {
        match constraint {
            Constraint::PrimaryKey { name, columns } => {
                if table.primary_key.is_some() {
                    return Err(Error::new(Code::Duplicate, format!("the table {} has two primary keys", table.name)));
                }
                let key = self.key(table, name.as_ref(), "pkey", columns)?;
                for part in &key.columns {
                    if let Some(column) = table.columns.iter_mut().find(|column| column.id == part.column) {
                        column.not_null = true;
                    }
                }
                table.primary_key = Some(key);
            }
            Constraint::Unique { name, columns, nulls_not_distinct } => {
                let key = self.key(table, name.as_ref(), "key", columns)?;
                table.unique.push(KeyDefinition { nulls_not_distinct: *nulls_not_distinct, ..key });
            }
            Constraint::Check { name, text, disabled } => {
                let is_free = |name: &String| table.checks.iter().all(|check| check.name != *name);
                let mut made = (table.checks.len() + 1..).map(|number| format!("{}_check{number}", table.name));
                let made = || made.find(is_free).unwrap_or_default();
                let name = name.as_ref().map_or_else(made, |name| name.written.clone());
                table.checks.push(CheckDefinition { name, text: text.clone(), disabled: *disabled });
            }
            Constraint::ForeignKey(references) => {
                let key = foreign_key(catalog, table, references)?;
                table.foreign_keys.push(key);
            }
        }
        Ok(())
    }

    fn key(
        &self,
        table: &TableDefinition,
        name: Option<&Name>,
        kind: &str,
        columns: &[IndexPart],
    ) -> Result<KeyDefinition> {
        let names: Vec<&str> = columns.iter().map(|part| part.column.key.as_str()).collect();
        let made = match kind {
            "pkey" => format!("{}_pkey", table.name),
            kind => format!("{}_{}_{kind}", table.name, names.join("_")),
        };
        let name = name.map_or(made, |name| name.written.clone());
        Ok(KeyDefinition {
            id: self.take_id(),
            name,
            columns: index_columns(table, columns)?,
            nulls_not_distinct: false,
        })
    }

    /// CREATE INDEX.
    pub(crate) fn create_index(&self, transaction: &mut Transaction, create: &CreateIndex) -> Result<()> {
        let catalog = self.catalog(transaction);
        let table = self.table_named(&catalog, &create.table)?;
        let is_known = |name: &str| name.eq_ignore_ascii_case(&create.name.written);
        if table.indexes.iter().any(|index| is_known(&index.name)) {
            return match create.if_not_exists {
                true => Ok(()),
                false => Err(Error::new(Code::Duplicate, format!("there is an index {} already", create.name))),
            };
        }
        let index = IndexDefinition {
            id: self.take_id(),
            name: create.name.written.clone(),
            unique: create.unique,
            columns: index_columns(table, &create.columns()?)?,
            nulls_not_distinct: create.nulls_not_distinct,
            filter: super::filter::filter(table, &create.filter()?)?,
        };
        self.change_catalog(transaction, CatalogChange::PutIndex { table: table.id, index })
    }

    /// CREATE VIEW. That its query can be planned has been seen before.
    pub(crate) fn create_view(&self, transaction: &mut Transaction, create: &CreateView) -> Result<()> {
        let catalog = self.catalog(transaction);
        let key = key_of(&create.name);
        let known = catalog.views.iter().find(|view| key_in(&catalog, view.schema, &view.name) == key);
        let id = match known {
            Some(view) if create.or_replace => view.id,
            None if create.alters => {
                return Err(Error::new(Code::UnknownTable, format!("there is no view {}", create.name)));
            }
            _ => {
                self.is_taken(&catalog, &create.name, false)?;
                self.take_id()
            }
        };
        let view = ViewDefinition {
            id,
            schema: self.schema(transaction, &create.name)?,
            name: create.name.written.clone(),
            columns: create.columns.iter().map(|column| column.written.clone()).collect(),
            text: create.query.clone(),
        };
        self.change_catalog(transaction, CatalogChange::PutView(view))
    }

    /// CREATE SEQUENCE.
    pub(crate) fn create_sequence(&self, transaction: &mut Transaction, create: &CreateSequence) -> Result<()> {
        let catalog = self.catalog(transaction);
        let schema = self.schema(transaction, &create.name)?;
        let is_known = |name: &str| name.eq_ignore_ascii_case(&create.name.written);
        if catalog.sequences.iter().any(|known| known.schema == schema && is_known(&known.name)) {
            return match create.if_not_exists {
                true => Ok(()),
                false => Err(Error::new(Code::Duplicate, format!("there is a sequence {} already", create.name))),
            };
        }
        let owned_by = create.owned_by.as_ref().map(|owner| owner_of(&catalog, owner)).transpose()?;
        let sequence = self.sequence(schema, create.name.written.clone(), &create.steps)?;
        let sequence = SequenceDefinition { owned_by, declared: create.declared.clone(), ..sequence };
        self.change_catalog(transaction, CatalogChange::PutSequence(sequence))
    }

    fn sequence(&self, schema: u64, name: String, steps: &Steps) -> Result<SequenceDefinition> {
        let increment = steps.increment;
        let (least, greatest) = if increment > 0 { (1, i64::MAX) } else { (i64::MIN, -1) };
        // A start below the default bounds moves them, unless the statement sets bounds.
        let minimum = steps.minimum.unwrap_or_else(|| least.min(steps.start.or(steps.maximum).unwrap_or(least)));
        let maximum = steps.maximum.unwrap_or_else(|| greatest.max(steps.start.or(steps.minimum).unwrap_or(greatest)));
        let start = steps.start.unwrap_or(if increment > 0 { minimum } else { maximum });
        if minimum >= maximum || !(minimum..=maximum).contains(&start) {
            let message = format!("a sequence from {minimum} to {maximum} cannot start with {start}");
            return Err(Error::new(Code::InvalidValue, message).at(format!("sequence {name}")));
        }
        let cycle = steps.cycle;
        let (owned_by, declared) = (None, None);
        let id = self.take_id();
        Ok(SequenceDefinition { id, schema, name, start, increment, minimum, maximum, cycle, owned_by, declared })
    }

    /// CREATE SCHEMA.
    pub(crate) fn create_schema(&self, transaction: &mut Transaction, name: &Name, if_not_exists: bool) -> Result<()> {
        let catalog = self.catalog(transaction);
        if catalog.schemas.iter().any(|schema| schema.name.to_lowercase() == name.key) {
            return match if_not_exists {
                true => Ok(()),
                false => Err(Error::new(Code::Duplicate, format!("there is a schema {name} already"))),
            };
        }
        let schema = SchemaDefinition { id: self.take_id(), name: name.written.clone() };
        self.change_catalog(transaction, CatalogChange::PutSchema(schema))
    }

    pub(super) fn table_named<'c>(&self, catalog: &'c Catalog, name: &Name) -> Result<&'c TableDefinition> {
        let key = key_of(name);
        let names: Vec<String> = catalog.tables.iter().map(|t| key_in(catalog, t.schema, &t.name)).collect();
        find_table(catalog, &key).ok_or_else(|| mainstay_planner::unknown_table(&key, &names))
    }

    /// Returns true if there is a table or view of this name already; an error unless that is fine.
    pub(super) fn is_taken(&self, catalog: &Catalog, name: &Name, is_fine: bool) -> Result<bool> {
        let key = key_of(name);
        let is_table = find_table(catalog, &key).is_some();
        let is_view = catalog.views.iter().any(|view| key_in(catalog, view.schema, &view.name) == key);
        match is_table || is_view {
            true if !is_fine => {
                let error = Error::new(Code::Duplicate, format!("there is a table or view {name} already"));
                Err(error.about(name.to_string()).because(Cause::Relation))
            }
            taken => Ok(taken),
        }
    }
}

fn index_columns(table: &TableDefinition, parts: &[IndexPart]) -> Result<Vec<IndexColumn>> {
    let column =
        |part: &IndexPart| Ok(IndexColumn { column: column_of(table, &part.column)?, descending: part.descending });
    parts.iter().map(column).collect()
}

/// The number of the column that a sequence goes with.
///
/// Errors: `UnknownTable`, `UnknownColumn`.
pub(super) fn owner_of(catalog: &Catalog, owner: &OwnedBy) -> Result<u64> {
    let missing =
        || Error::new(Code::UnknownTable, format!("there is no table {}", owner.table)).about(owner.table.to_string());
    column_of(find_table(catalog, &key_of(&owner.table)).ok_or_else(missing)?, &owner.column)
}
