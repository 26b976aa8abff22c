//! The indexes of a table, and the encoding of their keys.

use crate::definition::{IndexDefinition, TableDefinition};
use crate::filter::Filter;
use crate::index::Index;
use crate::key::{KeyColumn, KeyEncoder, Uniqueness};
use crate::row::Row;
use mainstay_types::Result;

/// An index of a table.
pub struct TableIndex {
    /// The declared definition.
    pub(crate) definition: IndexDefinition,
    /// The numbers of its columns in the table.
    pub(crate) columns: Vec<usize>,
    /// Of a unique index that is not about all rows.
    filter: Option<Filter>,
    pub(crate) encoder: KeyEncoder,
    pub(crate) entries: Index,
}

impl TableIndex {
    /// An index without entries. The definition refers to columns that are there ([`TableDefinition::check`]).
    pub(crate) fn new(table: &TableDefinition, definition: &IndexDefinition) -> TableIndex {
        let columns: Vec<KeyColumn> = definition
            .columns
            .iter()
            .map(|column| {
                let declared = &table.columns[column.column];
                KeyColumn {
                    descending: column.descending,
                    // Conditions on such a column compare byte by byte, and the index serves their ranges.
                    trailing_blanks_count: declared.blanks_count(),
                    is_typed: declared.is_typed(),
                    ..KeyColumn::new(declared.sql_type, declared.nullable)
                }
            })
            .collect();
        let uniqueness = match definition {
            IndexDefinition { unique: false, primary: false, .. } => Uniqueness::NotUnique,
            IndexDefinition { filter, .. } if !filter.is_empty() => Uniqueness::UniqueWhere,
            IndexDefinition { nulls_distinct: true, .. } if columns.iter().any(|column| column.nullable) => {
                Uniqueness::UniqueUnlessNull
            }
            _ => Uniqueness::Unique,
        };
        let encoder = KeyEncoder::new(columns, uniqueness);
        let entries = Index::new(encoder.width());
        let filter = (uniqueness == Uniqueness::UniqueWhere).then(|| Filter::new(table, &definition.filter));
        TableIndex { definition: definition.clone(), columns: definition.column_numbers(), filter, encoder, entries }
    }

    /// The declared definition.
    pub fn definition(&self) -> &IndexDefinition {
        &self.definition
    }

    /// The key bytes of an index's columns.
    pub fn encoder(&self) -> &KeyEncoder {
        &self.encoder
    }

    /// Returns true if no two rows may have the same key, perhaps but for NULL.
    pub(crate) fn is_unique(&self) -> bool {
        !matches!(self.encoder.uniqueness(), Uniqueness::NotUnique | Uniqueness::UniqueWhere)
    }

    /// Returns true if there are rows of which no two may have the same key.
    pub(crate) fn refuses_duplicates(&self) -> bool {
        self.encoder.uniqueness() != Uniqueness::NotUnique
    }

    /// Returns true if the key of a row may differ from that of the version it replaces.
    #[inline]
    pub(crate) fn is_changed_by<R: Row + ?Sized>(&self, row: &R) -> bool {
        self.columns.iter().any(|column| row.changes(*column))
            || self.filter.as_ref().is_some_and(|filter| filter.columns().any(|column| row.changes(column)))
    }

    /// Makes the key of a row.
    ///
    /// Errors: a value that cannot be a key, or a key that is too long.
    #[inline]
    pub(crate) fn key<R: Row + ?Sized>(&self, row: &R, row_id: u64, key: &mut Vec<u8>) -> Result<()> {
        let mut writer = self.encoder.start(key);
        for column in &self.columns {
            writer.push(row.value(*column))?;
        }
        let is_told_apart = self.definition.nulls_distinct && writer.has_null();
        match &self.filter {
            Some(filter) if !is_told_apart && filter.holds(row)? => writer.finish(0),
            _ => writer.finish(row_id),
        }
        Ok(())
    }
}
