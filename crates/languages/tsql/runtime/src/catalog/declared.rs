//! The type's name in the definition of a column, where it is not the type's own: NUMERIC, SYSNAME, and the types of
//! the database (`CREATE TYPE Phone FROM VARCHAR(20)`).
//!
//! The core stores the types, but not these names: they are stored beside the modules, by their columns.

use super::Column;
use crate::objects::modules::{self, key_of};
use crate::session::scope::is_temporary;
use crate::session::{Inner, object_name};
use mainstay_tsql_syntax::tree::{self, ColumnKind, DataType, ObjectName, TableElement};
use mainstay_vm::Raised;
use std::collections::{HashMap, HashSet};

/// The number of the database's first type, behind those of the system.
const FIRST_TYPE: i64 = 257;

/// So many numbers a SMALLINT has for types from there on.
const TYPES: i64 = i16::MAX as i64 - FIRST_TYPE + 1;

/// A type by the name that a definition gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeclaredType {
    /// NUMERIC, which is DECIMAL.
    Numeric,
    /// SYSNAME, which is NVARCHAR(128).
    SysName,
    /// A type of the database: its number, its schema and its name.
    User(i64, String, String),
}

impl Column {
    /// `system_type_id`.
    pub(crate) fn system_type_id(&self) -> i64 {
        match self.declared {
            Some(DeclaredType::Numeric) => 108,
            _ => self.data_type.system_type_id().into(),
        }
    }

    /// `user_type_id`.
    pub(crate) fn user_type_id(&self) -> i64 {
        match self.declared {
            Some(DeclaredType::Numeric) => 108,
            Some(DeclaredType::SysName) => 256,
            Some(DeclaredType::User(id, ..)) => id,
            None => self.data_type.user_type_id().into(),
        }
    }

    /// The name of the type without that of one of the database.
    pub(crate) fn base_type(&self) -> &'static str {
        match self.declared {
            Some(DeclaredType::Numeric) => "numeric",
            _ => self.data_type.name(),
        }
    }

    /// The schema and the name of a type of the database.
    pub(crate) fn user_type(&self) -> (Option<&str>, Option<&str>) {
        match &self.declared {
            Some(DeclaredType::User(_, schema, name)) => (Some(schema), Some(name)),
            _ => (None, None),
        }
    }
}

impl Inner {
    /// Keeps what new columns of a table call their types.
    pub(crate) fn keep_types(&mut self, table: &ObjectName, elements: &[TableElement]) -> Result<(), Box<Raised>> {
        for element in elements {
            if let TableElement::Column(column) = element {
                self.keep_type(table, column)?;
            }
        }
        Ok(())
    }

    /// The same of one column, which may have had another type.
    pub(crate) fn keep_type(&mut self, table: &ObjectName, column: &tree::Column) -> Result<(), Box<Raised>> {
        let ColumnKind::Stored(written) = &column.kind else { return Ok(()) };
        if is_temporary(table.last()) {
            let declared = self.declared_name(written);
            if let Some(known) = self.state.temporary_mut(table.last()) {
                let others = known.declared.iter().filter(|(name, _)| !column.name.is(name)).cloned();
                let own = declared.map(|declared| (column.name.text.clone(), declared));
                if own.is_some() || !known.declared.is_empty() {
                    known.declared = others.chain(own).collect();
                }
            }
            return Ok(());
        }
        let key = key_of_column(&key_of(table), &column.name.text);
        let declared = self.declared_name(written);
        if declared.as_ref() == self.modules.kept().types.get(&key) {
            return Ok(());
        }
        match declared {
            Some(name) => modules::keep_type(&mut self.core, table, &column.name.text, &name),
            None => modules::forget(&mut self.core, &format!("type:{key}")),
        }
        .map_err(crate::statements::errors::raised)?;
        self.objects_changed()
    }

    fn declared_name(&self, written: &DataType) -> Option<String> {
        match written.name.last().to_lowercase().as_str() {
            _ if self.modules.type_named(&written.name).is_some_and(|object| object.kind == "UDT") => {
                Some(key_of(&written.name))
            }
            name @ ("numeric" | "sysname") => Some(name.to_owned()),
            _ => None,
        }
    }
}

/// The key of a column in the stored entries about columns.
pub(crate) fn key_of_column(table: &str, column: &str) -> String {
    format!("{table}.{}", column.to_lowercase())
}

/// The type that a stored name stands for: a type of the system, or one of the database by its key.
pub(crate) fn read(modules: &modules::Modules, name: &str) -> Option<DeclaredType> {
    match name {
        "numeric" => Some(DeclaredType::Numeric),
        "sysname" => Some(DeclaredType::SysName),
        key => {
            let object = modules.type_named(&object_name(key))?;
            let (schema, name) = object.name.split_once('.')?;
            let number = type_numbers(modules).get(&object.key).copied()?;
            Some(DeclaredType::User(number, schema.to_owned(), name.to_owned()))
        }
    }
}

/// The numbers of the database's types, by their keys: `user_type_id`.
///
/// They are made of names and fit into a SMALLINT, which the system tables of old have for them. Of two types whose names
/// give one number, the one that sorts last has the next number that is free.
pub(super) fn type_numbers(modules: &modules::Modules) -> HashMap<String, i64> {
    let mut keys: Vec<&String> =
        modules.all().filter(|object| matches!(object.kind.as_str(), "UDT" | "TT")).map(|object| &object.key).collect();
    keys.sort();
    let mut numbers = HashMap::new();
    let mut taken = HashSet::new();
    for key in keys {
        let first = super::build::named_id(key) % TYPES;
        let free = (0..TYPES).map(|step| FIRST_TYPE + (first + step) % TYPES).find(|number| taken.insert(*number));
        // There is a number left: a database with more types than a SMALLINT counts is not made.
        numbers.extend(free.map(|number| (key.clone(), number)));
    }
    numbers
}
