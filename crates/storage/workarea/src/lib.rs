//! Work areas: a DBF table with an order, a scope, a filter and a current record, as xBase programs use it.
//!
//! An [`Area`] is what `USE customers` opens: a place in a table. It moves by record number or along the keys of an
//! index, it stops at the ends (BOF and EOF are states, not errors), and everything that selects records - hidden
//! deleted ones, a filter, an AOF, a scope - changes only where a move ends.
//!
//! ```text
//!   Area          the place, and what a program asks of it          area, moves, seek, scope, positions, page
//!    |    \
//!    |     Order  one tag: its keys, the place among them, scopes   order, index_file
//!    |
//!   Visibility    hidden, filter, AOF as tests of a record          visibility, test, aof, bits
//!    |
//!   Blocks        the records, read in blocks                       blocks, freshness, kept
//!   field, value  typed values of the current record
//!   buffer, write changes that are pending, records with all their keys, locks
//!   rules         what is asked before a record is written
//!   Workspace     areas in relation to each other                   workspace, relation
//!   WorkArea      all of it as a trait, for tables of a server      work_area, detached
//! ```
//!
//! The semantics are those of Clipper's and Harbour's drivers (DBFCDX, DBFNTX), the names of the ways to count those of
//! the Advantage client.
//!
//! **Change detection.** A table opened for shared use may change at any time. Records and index pages stay in memory
//! as long as the file's stamp is unchanged, and the stamp is read
//!
//! - at every [`Area::go_to`], [`Area::go_top`], [`Area::go_bottom`], [`Area::seek`], [`Area::refresh`] and whenever a
//!   lock was obtained;
//! - by [`Area::skip`] when the last check is more than [`LOOK_AGAIN_AFTER`] ago, which bounds the age of a record that
//!   is skipped to (give or take 16 records: the clock is not read for each); a scan of a table without writers reads
//!   each byte once.
//!
//! Pages of an index are only used if no write can have happened while they were read: the stamp is the same and old
//! enough to prove it, or they were read under the lock that writers take. On a table without writers that costs
//! nothing.
//!
//! The record that the area is on stays as it was read until the area moves, as in every xBase. Exclusively opened
//! tables are never checked.
//!
//! **Speed.** Records are read 16 KB at a time. Walking along them, a filter is applied to a whole block at once, by
//! comparisons of bytes where the condition is of that kind. An AOF uses bitmaps from the indexes as far as possible.
//! The blocks of a closed table are cached, in case it is opened again before it changes.

mod aggregate;
mod aof;
mod area;
mod bits;
mod blocks;
mod buffer;
mod composed;
mod copy;
mod detached;
mod digits;
mod expression;
mod field;
mod freshness;
mod index_file;
mod kept;
mod moves;
mod options;
mod order;
mod page;
mod positions;
mod relation;
mod rules;
mod scope;
mod search;
mod seek;
mod statements;
mod tables;
mod test;
mod transactions;
mod value;
mod visibility;
mod words;
mod work_area;
mod workspace;
mod write;

pub use aggregate::{Aggregate, Among};
pub use aof::{Customize, Optimized};
pub use area::Area;
pub use copy::{CopyOptions, SortKey};
pub use detached::{Form, Position, RowChanges};
pub use freshness::LOOK_AGAIN_AFTER;
pub use mainstay_full_text::Options as WordOptions;
pub use options::{AreaOptions, Counting, Mode, OPEN_TIMEOUT, SeekHow, Side};
pub use order::{OrderId, OrderInfo};
pub use page::{From, Page, PageRow};
pub use positions::Bookmark;
pub use relation::Relation;
pub use rules::{Aside, RecordRules};
pub use search::FindText;
pub use tables::{NewOrder, untold};
pub use transactions::{commit, commit_with, rollback, rollback_to, rollback_to_with, rollback_with};
pub use value::{FieldValue, SeekKey, ValueKind};
pub use visibility::Predicate;
pub use words::{Definition as WordIndex, create_word_index, delete_word_index, path_of as words_path};
pub use work_area::WorkArea;
pub use workspace::{AreaNumber, Workspace};
