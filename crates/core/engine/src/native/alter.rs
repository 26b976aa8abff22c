//! ALTER TABLE: a change of a table's definition.
//!
//! `retype` and the store convert the rows and check them against the new definition. Keys, indexes and references name
//! a column by its number; checks and computed columns name it in their text, which follows a rename.

use super::Definitions;
use super::columns::{column_mut, column_of, computed_of};
use super::drop::free_of_sequences;
use super::forms::check_expressions;
use super::sequences::SessionSequences;
use mainstay_planner::{
    AlterTable, Alteration, Constraint, Name, Planner, names_column, with_renamed_column, with_renamed_table,
};
use mainstay_store::Transaction;
use mainstay_store::files::catalog::{Catalog, CatalogChange, IndexColumn, IndexDefinition, TableDefinition};
use mainstay_types::{Code, Error, Result};

impl Definitions<'_> {
    /// ALTER TABLE, but for the rows: one change after the other.
    pub(super) fn alter_table(
        &self,
        planner: &Planner,
        transaction: &mut Transaction,
        alter: &AlterTable,
        sequences: &SessionSequences,
    ) -> Result<()> {
        for change in &alter.changes {
            let catalog = self.catalog(transaction);
            let mut table = match self.table_named(&catalog, &alter.table) {
                Ok(table) => table.clone(),
                Err(_) if alter.if_exists => return Ok(()),
                Err(error) => return Err(error),
            };
            let dropped = dropped_sequences(&catalog, &table, change)?;
            self.altered(transaction, &mut table, change)?;
            if has_new_expressions(change) {
                check_expressions(planner, &table, sequences)?;
            }
            self.change_catalog(transaction, CatalogChange::PutTable(table))?;
            for sequence in dropped {
                self.change_catalog(transaction, CatalogChange::DropSequence(sequence))?;
            }
        }
        Ok(())
    }

    fn altered(&self, transaction: &mut Transaction, table: &mut TableDefinition, change: &Alteration) -> Result<()> {
        let catalog = self.catalog(transaction);
        match change {
            Alteration::AddColumn { clause, .. } => {
                self.add_column(transaction, table, clause)?;
                for constraint in &clause.constraints {
                    self.add_constraint(&catalog, table, constraint)?;
                }
            }
            Alteration::DropColumn { name, if_exists } => match column_of(table, name) {
                Ok(column) => drop_column(table, column, name)?,
                Err(_) if *if_exists => {}
                Err(error) => return Err(error),
            },
            Alteration::RenameColumn { from, to } => rename_column(table, from, to)?,
            Alteration::Rename(name) => {
                self.is_taken(&catalog, name, false)?;
                let old = table.name.to_lowercase();
                for text in expressions(table) {
                    *text = with_renamed_table(text, &old, &name.written)?;
                }
                table.name = name.written.clone();
            }
            Alteration::AddConstraint { constraint, .. } => {
                let names = constraint_names(table);
                self.add_constraint(&catalog, table, constraint)?;
                unique_names(table, &names)?;
            }
            Alteration::DropConstraint { name, if_exists } => match drop_constraint(table, name) {
                Err(_) if *if_exists => {}
                dropped => dropped?,
            },
            Alteration::RenameConstraint { from, to } => {
                let names = constraint_names(table);
                if let Some(index) = table.indexes.iter().position(|index| index.name.to_lowercase() == from.key)
                    && !names.contains(&from.key)
                {
                    if table.indexes.iter().any(|index| index.name.to_lowercase() == to.key) {
                        let message = format!("the table {} has an index {to} already", table.name);
                        return Err(Error::new(Code::Duplicate, message));
                    }
                    table.indexes[index].name = to.written.clone();
                    return Ok(());
                }
                if !names.contains(&from.key) {
                    return Err(no_constraint(table, from));
                }
                let renamed = constraint_names_mut(table).find(|known| known.to_lowercase() == from.key);
                renamed.into_iter().for_each(|name| *name = to.written.clone());
                unique_names(table, &names)?;
            }
            Alteration::Enable { name, enabled } => {
                self.enable(transaction, table, name.as_ref(), *enabled)?;
            }
            // Its rows come with it: `retype`.
            Alteration::SetType(_) => {}
            Alteration::SetNotNull { column, not_null } => {
                let id = column_of(table, column)?;
                let in_key = table.primary_key.iter().flat_map(|key| &key.columns).any(|part| part.column == id);
                if in_key && !not_null {
                    let message = format!("the column {column} is in the primary key");
                    return Err(Error::new(Code::InvalidValue, message).hint("drop that key first"));
                }
                column_mut(table, id).into_iter().for_each(|column| column.not_null = *not_null);
            }
            Alteration::SetDefault { column, default } => {
                let id = column_of(table, column)?;
                let Some(known) = column_mut(table, id) else { return Ok(()) };
                if default.is_some() && (known.identity.is_some() || known.computed.is_some()) {
                    let what =
                        if known.identity.is_some() { "gets its values from its sequence" } else { "is computed" };
                    return Err(Error::new(Code::InvalidValue, format!("the column {column} {what}")));
                }
                known.default = default.clone();
            }
        }
        Ok(())
    }
}

/// Returns true if a change contains unchecked expression texts.
fn has_new_expressions(change: &Alteration) -> bool {
    matches!(
        change,
        Alteration::AddColumn { .. }
            | Alteration::SetDefault { default: Some(_), .. }
            | Alteration::AddConstraint { constraint: Constraint::Check { .. }, .. }
    )
}

/// The sequences that go with a column.
///
/// Errors: `DependentObjects` when another column asks one of them.
fn dropped_sequences(catalog: &Catalog, table: &TableDefinition, change: &Alteration) -> Result<Vec<u64>> {
    let Alteration::DropColumn { name, .. } = change else { return Ok(Vec::new()) };
    let Some(column) = table.columns.iter().find(|column| column.name.to_lowercase() == name.key) else {
        return Ok(Vec::new());
    };
    let owned = catalog.sequences.iter().filter(|sequence| sequence.owned_by == Some(column.id));
    let owned: Vec<u64> = owned.map(|sequence| sequence.id).collect();
    let mut others = catalog.tables.clone();
    others.iter_mut().for_each(|table| table.columns.retain(|other| other.id != column.id));
    for other in &mut others {
        free_of_sequences(catalog, &owned, other, false)?;
    }
    Ok(column.identity.iter().map(|identity| identity.sequence).chain(owned).collect())
}

/// The texts of a table that may name its columns.
fn expressions(table: &mut TableDefinition) -> impl Iterator<Item = &mut String> {
    let of_columns = table.columns.iter_mut().flat_map(|column| {
        column.check.iter_mut().chain(column.computed.iter_mut().map(|computed| &mut computed.text))
    });
    of_columns.chain(table.checks.iter_mut().map(|check| &mut check.text))
}

fn rename_column(table: &mut TableDefinition, from: &Name, to: &Name) -> Result<()> {
    let id = column_of(table, from)?;
    if column_of(table, to).is_ok_and(|other| other != id) {
        return Err(Error::new(Code::Duplicate, format!("there is a column {to} already")).about(&to.key));
    }
    let name = table.name.to_lowercase();
    for text in expressions(table) {
        *text = with_renamed_column(text, &name, &from.key, &to.written)?;
    }
    column_mut(table, id).into_iter().for_each(|column| column.name = to.written.clone());
    Ok(())
}

fn drop_column(table: &mut TableDefinition, column: u64, name: &Name) -> Result<()> {
    let uses = |parts: &[IndexColumn]| parts.iter().any(|part| part.column == column);
    let keys = table.primary_key.iter().chain(&table.unique);
    let filters = |index: &IndexDefinition| index.filter.iter().any(|part| part.column == column);
    let user = keys
        .map(|key| (&key.name, uses(&key.columns)))
        .chain(table.indexes.iter().map(|index| (&index.name, uses(&index.columns) || filters(index))))
        .chain(table.foreign_keys.iter().map(|key| (&key.name, key.columns.contains(&column))))
        .find(|(_, is_used)| *is_used);
    let mut user = user.map(|(name, _)| name.clone());
    let table_name = table.name.to_lowercase();
    for check in &table.checks {
        if user.is_none() && names_column(&check.text, &table_name, &name.key)? {
            user = Some(check.name.clone());
        }
    }
    if let Some(user) = user {
        let error = Error::new(Code::Unsupported, format!("{user} needs the column"));
        return Err(error.hint("drop that first"));
    }
    let is_itself = |computed: &&str| computed.to_lowercase() == name.key;
    if let Some(computed) = computed_of(table, name)?.filter(|computed| !is_itself(computed)) {
        let error = Error::new(Code::Unsupported, format!("the column {computed} is computed from the column {name}"));
        return Err(error.hint("drop that first"));
    }
    if table.columns.len() == 1 {
        return Err(Error::new(Code::Unsupported, format!("{name} is the only column of {}", table.name)));
    }
    table.columns.retain(|known| known.id != column);
    Ok(())
}

fn drop_constraint(table: &mut TableDefinition, name: &Name) -> Result<()> {
    let is_named = |known: &str| known.to_lowercase() == name.key;
    let before = constraint_names(table).len();
    table.unique.retain(|key| !is_named(&key.name));
    table.checks.retain(|check| !is_named(&check.name));
    table.foreign_keys.retain(|key| !is_named(&key.name));
    table.primary_key = table.primary_key.take().filter(|key| !is_named(&key.name));
    if before == constraint_names(table).len() { Err(no_constraint(table, name)) } else { Ok(()) }
}

fn no_constraint(table: &TableDefinition, name: &Name) -> Error {
    Error::new(Code::InvalidValue, format!("the table {} has no constraint {name}", table.name))
}

fn constraint_names_mut(table: &mut TableDefinition) -> impl Iterator<Item = &mut String> {
    let keys = table.primary_key.iter_mut().chain(&mut table.unique).map(|key| &mut key.name);
    let checks = table.checks.iter_mut().map(|check| &mut check.name);
    keys.chain(checks).chain(table.foreign_keys.iter_mut().map(|key| &mut key.name))
}

/// The names of a table's constraints, in lower case.
fn constraint_names(table: &TableDefinition) -> Vec<String> {
    let keys = table.primary_key.iter().chain(&table.unique).map(|key| &key.name);
    let checks = table.checks.iter().map(|check| &check.name);
    let all = keys.chain(checks).chain(table.foreign_keys.iter().map(|key| &key.name));
    all.map(|name| name.to_lowercase()).collect()
}

/// Sees that no constraint got a name that another one had before.
///
/// Errors: `Duplicate`.
pub(super) fn unique_names(table: &TableDefinition, before: &[String]) -> Result<()> {
    let count = |names: &[String], name: &String| names.iter().filter(|known| *known == name).count();
    let names = constraint_names(table);
    match names.iter().find(|name| count(&names, name) > 1.max(count(before, name))) {
        None => Ok(()),
        Some(name) => {
            let message = format!("the table {} has a constraint {name} already", table.name);
            Err(Error::new(Code::Duplicate, message))
        }
    }
}
