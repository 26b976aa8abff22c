//! References of a table to another one, as a definition states them.

use super::columns::column_of;
use super::key_of;
use super::scope::{find_table, key_in};
use mainstay_planner::{Name, References};
use mainstay_store::files::catalog::{Catalog, Deferrable, ForeignKeyDefinition, ReferentialAction, TableDefinition};
use mainstay_types::{Cause, Code, Error, Result, SqlType};

/// The error for a referenced table that does not exist.
fn is_not_there(name: &Name) -> Error {
    let error = Error::new(Code::UnknownTable, format!("the table {name} that is referred to is not there"));
    error.about(key_of(name)).because(Cause::ReferencedTable)
}

/// The reference that a clause defines.
///
/// Errors: `UnknownTable`, `UnknownColumn`, `InvalidValue` without a key to refer to, and those of [`check_reference`].
pub(super) fn foreign_key(
    catalog: &Catalog,
    table: &TableDefinition,
    references: &References,
) -> Result<ForeignKeyDefinition> {
    let key = key_of(&references.table);
    let own = key_in(catalog, table.schema, &table.name) == key;
    let parent = if own { Some(table) } else { find_table(catalog, &key) };
    let parent = parent.ok_or_else(|| is_not_there(&references.table))?;
    let columns: Result<Vec<u64>> = references.columns.iter().map(|name| column_of(table, name)).collect();
    let referenced = match (references.referenced.is_empty(), &parent.primary_key) {
        (false, _) => references.referenced.iter().map(|name| column_of(parent, name)).collect::<Result<Vec<_>>>()?,
        (true, Some(key)) => key.columns.iter().map(|part| part.column).collect(),
        (true, None) => {
            let message = format!("the table {} has no primary key to refer to", references.table);
            return Err(Error::new(Code::InvalidValue, message));
        }
    };
    let made = || {
        let names: Vec<&str> = references.columns.iter().map(|name| name.key.as_str()).collect();
        format!("{}_{}_fkey", table.name, names.join("_"))
    };
    let key = ForeignKeyDefinition {
        name: references.name.as_ref().map_or_else(made, |name| name.written.clone()),
        columns: columns?,
        referenced_table: parent.id,
        referenced_columns: referenced,
        on_delete: action(references.on_delete),
        on_update: action(references.on_update),
        disabled: references.disabled,
        deferrable: match references.deferrable {
            mainstay_planner::Deferrable::No => Deferrable::No,
            mainstay_planner::Deferrable::InitiallyImmediate => Deferrable::InitiallyImmediate,
            mainstay_planner::Deferrable::InitiallyDeferred => Deferrable::InitiallyDeferred,
        },
        match_full: references.match_full,
    };
    check_reference(table, parent, &key)?;
    Ok(key)
}

fn action(action: mainstay_planner::ReferentialAction) -> ReferentialAction {
    match action {
        mainstay_planner::ReferentialAction::NoAction => ReferentialAction::NoAction,
        mainstay_planner::ReferentialAction::Restrict => ReferentialAction::Restrict,
        mainstay_planner::ReferentialAction::Cascade => ReferentialAction::Cascade,
        mainstay_planner::ReferentialAction::SetNull => ReferentialAction::SetNull,
        mainstay_planner::ReferentialAction::SetDefault => ReferentialAction::SetDefault,
    }
}

/// Sees that the columns of a reference can hold what they refer to, and what its actions would put into them.
///
/// Errors: `TypeMismatch` for columns of different kinds, `InvalidValue` for a computed column that an action would set.
pub(super) fn check_reference(
    child: &TableDefinition,
    parent: &TableDefinition,
    key: &ForeignKeyDefinition,
) -> Result<()> {
    let sets = |action| !matches!(action, ReferentialAction::NoAction | ReferentialAction::Restrict);
    let sets_columns = sets(key.on_update) || (sets(key.on_delete) && key.on_delete != ReferentialAction::Cascade);
    if key.columns.len() != key.referenced_columns.len() {
        let message = format!("{} columns refer to {}", key.columns.len(), key.referenced_columns.len());
        return Err(Error::new(Code::Syntax, message).at(format!("foreign key {}", key.name)));
    }
    for (own, other) in key.columns.iter().zip(&key.referenced_columns) {
        let of = |table: &TableDefinition, id: u64| table.columns.iter().find(|column| column.id == id).cloned();
        let (Some(own), Some(other)) = (of(child, *own), of(parent, *other)) else { continue };
        if !are_comparable(own.sql_type, other.sql_type) {
            let message = format!(
                "{}.{} is {} and refers to {}.{}, which is {}",
                child.name, own.name, own.sql_type, parent.name, other.name, other.sql_type
            );
            let error = Error::new(Code::TypeMismatch, message).at(format!("foreign key {}", key.name));
            return Err(error.hint("give both columns the same type"));
        }
        if sets_columns && own.computed.is_some() {
            let message = format!("the column {} is computed, and an action of the reference would set it", own.name);
            return Err(Error::new(Code::InvalidValue, message).at(format!("foreign key {}", key.name)));
        }
    }
    Ok(())
}

/// Returns true if a value of one column may be one of the other: numbers of any length without decimals, decimals,
/// texts of one collation, bytes, times; and otherwise the same type.
pub(super) fn are_comparable(one: SqlType, other: SqlType) -> bool {
    let kind = |sql_type: SqlType| match sql_type {
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer | SqlType::BigInt => SqlType::BigInt,
        other => other,
    };
    match (kind(one), kind(other)) {
        (SqlType::Decimal { .. }, SqlType::Decimal { .. })
        | (SqlType::Real | SqlType::Double, SqlType::Real | SqlType::Double) => true,
        (
            SqlType::Char { collation: one, .. } | SqlType::VarChar { collation: one, .. },
            SqlType::Char { collation: other, .. } | SqlType::VarChar { collation: other, .. },
        ) => one == other,
        (one, other) => std::mem::discriminant(&one) == std::mem::discriminant(&other),
    }
}
