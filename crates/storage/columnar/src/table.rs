//! The interface of a table to the executors.
//!
//! ```text
//!   Table            a name and a schema; plans access paths from conditions
//!     snapshot()
//!   Snapshot         one state of its rows: a fixed number of row slots, in groups
//!     visible(g)     which rows of a group are there (a deleted DBF record has a slot but no row)
//!     vectors(g, c)  columns of a group as Arrow vectors in their physical types, decoded once
//!     rows(access)   row ordinals that an index gives for a condition
//!     walk(index)    row ordinals in the order of an index
//! ```
//!
//! A plan is made once and run many times, so the parts of a plan ([`Access`], [`Ordering`]) name indexes
//! and key ranges but contain no rows; every run brings its own snapshot. The rows of an index access are always a
//! *superset* of the rows that satisfy the condition: the executor applies the condition to them. That
//! lets an index serve a condition that it answers only approximately (a prefix, another collation).

use crate::{Predicate, Sought, Term};
use arrow_array::ArrayRef;
use arrow_buffer::BooleanBuffer;
use arrow_schema::SchemaRef;
use mainstay_types::{Collation, Result};
use std::any::Any;
use std::fmt::{self, Debug};
use std::ops::{Bound, ControlFlow, Range};
use std::sync::Arc;

/// A table, whatever it is stored in.
pub trait Table: Any + Send + Sync + Debug {
    /// The name it has in SQL.
    fn name(&self) -> &str;

    /// The columns with their SQL types. The last [`Table::hidden_columns`] of them are not part of `*`.
    fn schema(&self) -> &SchemaRef;

    /// The number of columns at the end of the schema that are shown only when they are named.
    fn hidden_columns(&self) -> usize;

    /// The state of the table now. Cheap while nothing has changed.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// About how many row slots there are, for the planner.
    fn estimated_rows(&self) -> usize;

    /// The indexes that narrow the rows down to a superset of those that satisfy the predicate. With
    /// `visible_only`, deleted rows may be missing from it.
    fn access(&self, predicate: &Predicate, visible_only: bool) -> Option<Access>;

    /// The same for conditions that are about more than columns and constants.
    fn access_of(&self, _sought: &Sought, _visible_only: bool) -> Option<Access> {
        None
    }

    /// Returns true if an index may be ordered by more than a column, so that [`Table::access_of`] and
    /// [`Table::order_of`] are worth asking.
    fn has_computed_keys(&self) -> bool {
        false
    }

    /// True if deleted rows stay in the table until it is packed, and programs may ask to see them: records of a DBF.
    fn keeps_deleted_rows(&self) -> bool {
        false
    }

    /// An index that has every visible row in the order of this column, NULL first when ascending.
    fn order(&self, column: usize, descending: bool) -> Option<Ordering>;

    /// The same for an order by several columns, or by sort keys of texts.
    fn order_by(&self, keys: &[OrderKey]) -> Option<Ordering> {
        match keys {
            [OrderKey { column, descending, collation: None }] => self.order(*column, *descending),
            _ => None,
        }
    }

    /// The same for an order by computed values, NULL first where they ascend. Without `visible_only` rows that are not there
    /// are part of it too.
    fn order_of(&self, _keys: &[TermOrder], _visible_only: bool) -> Option<Ordering> {
        None
    }

    /// Returns true if rows that a snapshot has counted may be rolled back while it is read: then it fails with
    /// [`DefinitionChanged`](mainstay_types::Code::DefinitionChanged), and the reader starts over with another.
    fn may_take_back(&self) -> bool {
        false
    }

    /// Returns true if another table is the same one, which may have several handles.
    fn is_same(&self, other: &dyn Table) -> bool {
        std::ptr::addr_eq(self, other)
    }

    /// The hidden column of numbers that rows keep, and in whose order they were put in; `None` without one.
    fn row_id_column(&self) -> Option<usize> {
        None
    }
}

/// A column that rows are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderKey {
    /// The column.
    pub column: usize,
    /// True if the greatest value comes first.
    pub descending: bool,
    /// The collation by whose sort keys texts are ordered, blanks at their ends left out; `None` for values as they are.
    pub collation: Option<Collation>,
}

impl OrderKey {
    /// By the values of a column as they are.
    pub fn of_values(column: usize, descending: bool) -> OrderKey {
        OrderKey { column, descending, collation: None }
    }
}

/// A value that rows are ordered by.
#[derive(Clone, Debug, PartialEq)]
pub struct TermOrder {
    /// The value.
    pub term: Term,
    /// True if the greatest comes first.
    pub descending: bool,
}

/// One state of a table's rows.
///
/// Row slots are numbered from 0; groups divide them into runs.
pub trait Snapshot: Send + Sync {
    /// The number of row slots.
    fn slots(&self) -> usize;

    /// About how many stored bytes reading all of it means; 0 where that is not known. It is asked for every unit of work,
    /// so it costs nothing like a look at all groups, and it stays the same.
    fn bytes(&self) -> u64 {
        0
    }

    /// The number of rows that are there.
    fn visible_rows(&self) -> Result<usize>;

    /// The number of groups.
    fn groups(&self) -> usize;

    /// The row slots of a group.
    fn group(&self, group: usize) -> Range<usize>;

    /// Which rows of the group are there; `None` means all of them.
    fn visible(&self, group: usize) -> Result<Option<BooleanBuffer>>;

    /// The columns of the group, in their physical types, each as long as the group.
    fn vectors(&self, group: usize, columns: &[usize]) -> Result<Vec<ArrayRef>>;

    /// A run of row slots of one group, for this call only: the columns in their physical types, and which of
    /// the slots hold rows (`None`: all of them). Cheaper than [`Snapshot::vectors`] when few rows of a group
    /// are wanted and its columns have not been decoded.
    fn run(&self, slots: Range<usize>, columns: &[usize]) -> Result<(Vec<ArrayRef>, Option<BooleanBuffer>)> {
        let holds = |group: &usize| self.group(*group).contains(&slots.start);
        let group = (0..self.groups()).find(holds).unwrap_or_default();
        let start = slots.start - self.group(group).start;
        let vectors = self.vectors(group, columns)?;
        let visible = self.visible(group)?.map(|bits| bits.slice(start, slots.len()));
        Ok((vectors.iter().map(|vector| vector.slice(start, slots.len())).collect(), visible))
    }

    /// Returns true if no row of the group can satisfy the predicate, by what is known about its columns without reading them.
    ///
    /// Errors: `Damaged` if that contradicts itself.
    fn excludes(&self, _group: usize, _predicate: &Predicate) -> Result<bool> {
        Ok(false)
    }

    /// Returns true if [`Snapshot::run`] reads the rows of the run only, and does not decode the columns of their group.
    fn reads_runs(&self) -> bool {
        false
    }

    /// Returns true if [`Snapshot::run`] is the better way to a few rows of a group: its columns have not been decoded,
    /// and this is the first statement to ask for them so. The second one decodes them for good.
    fn prefers_run(&self, _group: usize, _columns: &[usize]) -> bool {
        false
    }

    /// Returns true if [`Snapshot::vectors`] would have to read and decode any of these columns.
    fn is_decoded(&self, group: usize, columns: &[usize]) -> bool;

    /// Some rows of some columns, in their physical types and in the order asked for. `visible_only`
    /// leaves out the rows that are not there; the second part of the answer says which ones were kept.
    fn fetch(&self, rows: &[u32], columns: &[usize], visible_only: bool) -> Result<(Vec<ArrayRef>, Vec<u32>)>;

    /// The rows that this access gives, or `None` when the index turns out not to be usable now, or when a range of its
    /// keys has more than `most`.
    fn rows(&self, access: &Access, most: usize) -> Result<Option<RowSet>>;

    /// Visits row ordinals in the order of an index until `visit` breaks. `false` says that this order
    /// cannot be had now: then what has been visited must not be used.
    fn walk(&self, ordering: &Ordering, visit: &mut dyn FnMut(u32) -> Result<ControlFlow<()>>) -> Result<bool>;

    /// Returns true if the row slots are in the order of the table's row ids ([`Table::row_id_column`]).
    fn is_in_row_order(&self) -> bool {
        false
    }

    /// Things the user should know about these data (values that could not be read), once per state.
    fn notices(&self) -> Vec<String>;
}

/// Row ordinals that an index gave.
#[derive(Clone, Debug)]
pub enum RowSet {
    /// Few: ascending, without duplicates.
    List(Vec<u32>),
    /// Many: one bit per row slot.
    Bitmap(BooleanBuffer),
}

/// A condition as ranges of index keys: what xBase calls a Rushmore-optimised filter.
#[derive(Clone, Debug, PartialEq)]
pub enum Access {
    /// All the rows with keys in a range.
    Keys(KeyRange),
    /// The rows that all of these give.
    And(Vec<Access>),
    /// The rows that any of these gives.
    Or(Vec<Access>),
}

/// A run of keys of one index.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRange {
    /// The number of the index, as the table counts them.
    pub index: usize,
    /// The index and the range as a person would write them, for EXPLAIN.
    pub text: String,
    /// The lowest key, in the index's own bytes.
    pub lower: Bound<Vec<u8>>,
    /// The highest key, in the index's own bytes.
    pub upper: Bound<Vec<u8>>,
}

/// The order of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordering {
    /// The number of the index, as the table counts them.
    pub index: usize,
    /// True if it is walked from its highest key down.
    pub descending: bool,
    /// The column that it orders, or the first one of what it orders by.
    pub column: usize,
    /// By how many of its parts it orders, in an index whose keys have parts.
    pub parts: usize,
    /// True if rows that are not there are part of the order.
    pub with_hidden: bool,
    /// The name of the index.
    pub name: String,
    /// The index with its columns and its direction as a person would write them, for EXPLAIN.
    pub text: String,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Access], word: &str| {
            f.write_str("(")?;
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    write!(f, " {word} ")?;
                }
                write!(f, "{part}")?;
            }
            f.write_str(")")
        };
        match self {
            Access::Keys(range) => f.write_str(&range.text),
            Access::And(parts) => list(f, parts, "and"),
            Access::Or(parts) => list(f, parts, "or"),
        }
    }
}
