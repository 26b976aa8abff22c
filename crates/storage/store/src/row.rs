//! The source of a row's values: a list, a stored version, or a version with some columns changed.
//!
//! All writes take a [`Row`], so that an UPDATE of one column copies only the values it stores, and keys of
//! indexes are made in the same way from new values and from stored ones.

use crate::group::Group;
use mainstay_types::ValueRef;

/// The values of one row by column.
pub trait Row {
    /// The value of a column; NULL for a column that is not there.
    fn value(&self, column: usize) -> ValueRef<'_>;

    /// Returns true if the value of a column may differ from that of the version that is updated.
    fn changes(&self, _column: usize) -> bool {
        true
    }

    /// The version that the value of a column is taken from, if it is taken from one.
    fn source(&self, _column: usize) -> Option<Stored<'_>> {
        None
    }
}

impl Row for [ValueRef<'_>] {
    #[inline]
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.get(column).copied().unwrap_or(ValueRef::Null)
    }
}

/// A version in a group.
#[derive(Clone, Copy)]
pub struct Stored<'a> {
    /// The group.
    pub group: &'a Group,
    /// The offset of its slot.
    pub offset: usize,
}

impl Row for Stored<'_> {
    #[inline]
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.group.value(self.offset, column)
    }
}

/// A version with other values in some columns.
#[derive(Clone, Copy)]
pub struct Changed<'a> {
    /// The version.
    pub stored: Stored<'a>,
    /// The columns that differ and their values.
    pub changes: &'a [(usize, ValueRef<'a>)],
}

impl Row for Changed<'_> {
    #[inline]
    fn value(&self, column: usize) -> ValueRef<'_> {
        match self.changes.iter().find(|(changed, _)| *changed == column) {
            Some((_, value)) => *value,
            None => self.stored.value(column),
        }
    }

    #[inline]
    fn changes(&self, column: usize) -> bool {
        self.changes.iter().any(|(changed, _)| *changed == column)
    }

    #[inline]
    fn source(&self, column: usize) -> Option<Stored<'_>> {
        (!self.changes(column)).then_some(self.stored)
    }
}
