//! A work area as a trait, so that a program uses local and remote tables alike.
//!
//! Two types implement it: [`Area`], and the client's side of the navigator protocol. The interface has two parts.
//! Moves, orders, filters, locks and everything else that concerns the table as a whole are methods of the trait. The
//! current record is the same type in both: its bytes and the table's form are in an [`Area`] ([`WorkArea::row`]),
//! which for a local table is the area itself and for a remote one an area with a single record ([`Area::detached`]).
//! So the same code on the program's side computes field values, unwritten changes and expressions.

use crate::aof::{Customize, Optimized};
use crate::area::Area;
use crate::copy::CopyOptions;
use crate::options::{Counting, SeekHow, Side};
use crate::order::{OrderId, OrderInfo};
use crate::tables::NewOrder;
use crate::value::{FieldValue, SeekKey, ValueKind};
use crate::words::Definition as WordIndex;
use mainstay_types::Result;
use mainstay_xbase::dbf::{Field, Header, TableSpec};
use mainstay_xbase::indexed::Telling;
use mainstay_xbase::writer::Source;
use std::path::{Path, PathBuf};

/// A table and a place in it. Where a method has the name of one of [`Area`]'s, it is said there what it does.
#[allow(missing_docs, reason = "the methods are those of Area, and documented there")]
pub trait WorkArea: Send {
    /// The table's form: fields, code page, header. Not for reading the record.
    fn form(&self) -> &Area;
    /// The area with the current record's bytes at hand.
    fn row(&mut self) -> Result<&mut Area>;
    /// The same with the long value of a field at hand, too.
    fn row_with(&mut self, field: usize) -> Result<&mut Area>;
    /// The same with those memos at hand that an expression may read.
    fn row_for(&mut self, expression: &str) -> Result<&mut Area> {
        for field in self.form().memos_in(expression) {
            self.row_with(field)?;
        }
        self.row()
    }
    /// The same with the current record ready to be changed: locked, where locks are needed.
    fn row_to_change(&mut self) -> Result<&mut Area>;
    /// The area itself, if the table is here.
    fn local(&mut self) -> Option<&mut Area>;
    /// The representation of a remote table, for callers that know its type.
    fn far(&mut self) -> Option<&mut dyn std::any::Any> {
        None
    }

    fn path(&self) -> &Path;
    fn record_number(&self) -> u32;
    fn is_bof(&self) -> bool;
    fn is_eof(&self) -> bool;
    fn is_found(&self) -> bool;

    fn go_to(&mut self, record: u32) -> Result<()>;
    fn go_top(&mut self) -> Result<()>;
    fn go_bottom(&mut self) -> Result<()>;
    fn skip(&mut self, count: i64) -> Result<()>;
    fn refresh(&mut self) -> Result<()>;
    fn seek(&mut self, key: &SeekKey, how: SeekHow) -> Result<bool>;
    fn look_up(&mut self, id: OrderId, key: &SeekKey) -> Result<Option<u32>>;
    fn relative_position(&mut self) -> Result<f64>;
    fn set_relative_position(&mut self, position: f64) -> Result<()>;
    fn record_count(&mut self, what: Counting) -> Result<u32>;
    fn key_count(&mut self, what: Counting) -> Result<u64>;
    fn key_number(&mut self, what: Counting) -> Result<Option<u64>>;
    fn key(&mut self) -> Result<Option<Vec<u8>>>;
    fn key_of_record(&mut self, id: OrderId, bytes: &[u8]) -> Result<Vec<u8>>;

    fn orders(&self) -> Vec<OrderInfo>;
    fn order(&self) -> Option<OrderId>;
    fn set_order(&mut self, id: Option<OrderId>) -> Result<()>;
    fn set_descending(&mut self, id: OrderId, descending: bool) -> Result<()>;
    fn open_index(&mut self, path: &Path) -> Result<Vec<OrderId>>;
    fn close_index(&mut self, path: &Path) -> Result<()>;
    fn index_files(&self) -> Vec<PathBuf>;
    fn create_order(&mut self, new: &NewOrder, progress: Telling<'_>) -> Result<OrderId>;
    fn delete_order(&mut self, id: OrderId) -> Result<()>;
    fn word_indexes(&mut self) -> Result<Vec<WordIndex>>;
    fn create_word_index(&mut self, new: &WordIndex) -> Result<()>;
    fn delete_word_index(&mut self, tag: &str) -> Result<bool>;
    fn rebuild_word_indexes(&mut self) -> Result<()>;
    fn add_key(&mut self, id: OrderId) -> Result<bool>;
    fn drop_key(&mut self, id: OrderId) -> Result<bool>;
    fn set_scope(&mut self, side: Side, key: &SeekKey) -> Result<()>;
    fn clear_scope(&mut self, side: Side) -> Result<()>;
    fn scope(&self, side: Side) -> Option<Vec<u8>>;
    fn is_in_scope(&mut self) -> Result<bool>;

    fn set_hide_deleted(&mut self, hide: bool);
    fn set_exact(&mut self, exact: bool);
    fn set_filter(&mut self, condition: Option<&str>) -> Result<()>;
    fn filter(&self) -> Option<&str>;
    fn set_aof(&mut self, condition: &str) -> Result<Optimized>;
    fn clear_aof(&mut self);
    fn aof(&self) -> Option<&str>;
    fn aof_level(&self) -> Option<Optimized>;
    fn aof_level_of(&mut self, condition: &str) -> Result<Optimized>;
    fn refresh_aof(&mut self) -> Result<()>;
    fn customize_aof(&mut self, records: &[u32], how: Customize) -> Result<()>;
    fn is_record_in_aof(&mut self, record: u32) -> Result<bool>;

    fn append_blank(&mut self) -> Result<()>;
    fn write(&mut self) -> Result<()>;
    fn cancel(&mut self) -> Result<()>;
    fn flush(&mut self) -> Result<()>;
    fn close(self: Box<Self>) -> Result<()>;

    fn try_lock_record(&mut self, record: u32) -> Result<bool>;
    /// The holder of a record's lock in another program, as far as it is known.
    fn lock_owner(&mut self, record: u32) -> Option<String>;
    fn unlock_record(&mut self, record: u32) -> Result<()>;
    fn try_lock_table(&mut self) -> Result<bool>;
    fn unlock(&mut self) -> Result<()>;
    fn is_table_locked(&self) -> bool;
    fn locked_records(&self) -> Vec<u32>;

    fn pack(&mut self, progress: Telling<'_>) -> Result<()>;
    fn zap(&mut self) -> Result<()>;
    fn reindex(&mut self, progress: Telling<'_>) -> Result<()>;
    fn restructure(&mut self, spec: &TableSpec, sources: &[Source], progress: Telling<'_>) -> Result<()>;
    fn copy_to(&mut self, path: &Path, options: &CopyOptions, progress: Telling<'_>) -> Result<u32>;

    fn go_eof(&mut self) -> Result<()> {
        self.go_to(0)
    }
    fn order_info(&self, id: OrderId) -> Option<OrderInfo> {
        self.orders().into_iter().find(|info| info.id == id)
    }
    fn order_key_kind(&self, id: OrderId) -> Option<ValueKind> {
        self.order_info(id).map(|info| info.key_kind)
    }
    fn order_named(&self, name: &str) -> Option<OrderId> {
        self.orders().into_iter().find(|info| info.name.eq_ignore_ascii_case(name)).map(|info| info.id)
    }

    fn fields(&self) -> &[Field] {
        self.form().fields()
    }
    fn field_number(&self, name: &str) -> Option<usize> {
        self.form().field_number(name)
    }
    fn header(&self) -> &Header {
        self.form().header()
    }
    fn spec(&self) -> TableSpec {
        self.form().spec()
    }
    /// Bytes in a block of the memo file; 0 without one.
    fn memo_block_size(&self) -> u64 {
        self.form().memo().map_or(0, |memo| memo.block_size())
    }
    fn encode_text(&self, text: &str) -> Vec<u8> {
        self.form().encode_text(text)
    }
    fn decode_text(&self, bytes: &[u8]) -> String {
        self.form().decode_text(bytes)
    }
    fn check_expression(&self, text: &str) -> Result<ValueKind> {
        self.form().check_expression(text)
    }

    fn evaluate(&mut self, text: &str) -> Result<FieldValue> {
        self.row_for(text)?.evaluate(text)
    }
    fn evaluate_logical(&mut self, text: &str) -> Result<bool> {
        self.row_for(text)?.evaluate_logical(text)
    }
    fn is_deleted(&mut self) -> Result<bool> {
        self.row()?.is_deleted()
    }
    fn record(&mut self) -> Result<&[u8]> {
        self.row()?.record()
    }
    fn field_bytes(&mut self, field: usize) -> Result<&[u8]> {
        self.row()?.field_bytes(field)
    }
    fn get(&mut self, field: usize) -> Result<FieldValue> {
        self.row_with(field)?.get(field)
    }
    fn get_number(&mut self, field: usize) -> Result<f64> {
        self.row_with(field)?.get_number(field)
    }
    fn get_integer(&mut self, field: usize) -> Result<i64> {
        self.row_with(field)?.get_integer(field)
    }
    fn get_money(&mut self, field: usize) -> Result<i64> {
        self.row_with(field)?.get_money(field)
    }
    fn get_timestamp(&mut self, field: usize) -> Result<(i32, i32)> {
        self.row_with(field)?.get_timestamp(field)
    }
    fn get_text(&mut self, field: usize) -> Result<Vec<u8>> {
        self.row_with(field)?.get_text(field)
    }
    fn is_null(&mut self, field: usize) -> Result<bool> {
        self.row()?.is_null(field)
    }
    fn is_empty(&mut self, field: usize) -> Result<bool> {
        self.row_with(field)?.is_empty(field)
    }
    fn memo_bytes(&mut self, field: usize) -> Result<Option<Vec<u8>>> {
        self.row_with(field)?.memo_bytes(field)
    }
    fn memo_length(&mut self, field: usize) -> Result<u64> {
        self.row_with(field)?.memo_length(field)
    }

    fn set(&mut self, field: usize, value: &FieldValue) -> Result<()> {
        self.row_to_change()?.set(field, value)
    }
    fn set_bytes(&mut self, field: usize, bytes: &[u8]) -> Result<()> {
        self.row_to_change()?.set_bytes(field, bytes)
    }
    fn set_number(&mut self, field: usize, number: f64) -> Result<()> {
        self.row_to_change()?.set_number(field, number)
    }
    fn set_integer(&mut self, field: usize, number: i64) -> Result<()> {
        self.row_to_change()?.set_integer(field, number)
    }
    fn set_logical(&mut self, field: usize, value: bool) -> Result<()> {
        self.row_to_change()?.set_logical(field, value)
    }
    fn set_julian(&mut self, field: usize, day: i32) -> Result<()> {
        self.row_to_change()?.set_julian(field, day)
    }
    fn set_blank(&mut self, field: usize) -> Result<()> {
        self.row_to_change()?.set_blank(field)
    }
    fn set_null(&mut self, field: usize) -> Result<()> {
        self.row_to_change()?.set_null(field)
    }
    fn set_memo(&mut self, field: usize, bytes: &[u8]) -> Result<()> {
        self.row_to_change()?.set_memo(field, bytes)
    }
    fn delete(&mut self) -> Result<()> {
        self.row_to_change()?.delete()
    }
    fn recall(&mut self) -> Result<()> {
        self.row_to_change()?.recall()
    }
}

/// Hands methods on to those of the same name that the area has.
macro_rules! as_it_is {
    ($( fn $name:ident(&mut self $(, $argument:ident: $kind:ty)*) $(-> $result:ty)?; )*) => {
        $( fn $name(&mut self $(, $argument: $kind)*) $(-> $result)? {
            Area::$name(self $(, $argument)*)
        } )*
    };
}

macro_rules! as_it_reads {
    ($( fn $name:ident(&self $(, $argument:ident: $kind:ty)*) -> $result:ty; )*) => {
        $( fn $name(&self $(, $argument: $kind)*) -> $result {
            Area::$name(self $(, $argument)*)
        } )*
    };
}

impl WorkArea for Area {
    fn form(&self) -> &Area {
        self
    }
    fn row(&mut self) -> Result<&mut Area> {
        Ok(self)
    }
    fn row_with(&mut self, _field: usize) -> Result<&mut Area> {
        Ok(self)
    }
    fn row_to_change(&mut self) -> Result<&mut Area> {
        Ok(self)
    }
    fn local(&mut self) -> Option<&mut Area> {
        Some(self)
    }
    fn scope(&self, side: Side) -> Option<Vec<u8>> {
        Area::scope(self, side).map(<[u8]>::to_vec)
    }
    fn close(self: Box<Self>) -> Result<()> {
        Area::close(*self)
    }

    as_it_reads! {
        fn path(&self) -> &Path;
        fn record_number(&self) -> u32;
        fn is_bof(&self) -> bool;
        fn is_eof(&self) -> bool;
        fn is_found(&self) -> bool;
        fn orders(&self) -> Vec<OrderInfo>;
        fn order(&self) -> Option<OrderId>;
        fn order_info(&self, id: OrderId) -> Option<OrderInfo>;
        fn order_key_kind(&self, id: OrderId) -> Option<ValueKind>;
        fn order_named(&self, name: &str) -> Option<OrderId>;
        fn index_files(&self) -> Vec<PathBuf>;
        fn filter(&self) -> Option<&str>;
        fn aof(&self) -> Option<&str>;
        fn aof_level(&self) -> Option<Optimized>;
        fn is_table_locked(&self) -> bool;
        fn locked_records(&self) -> Vec<u32>;
    }

    as_it_is! {
        fn go_to(&mut self, record: u32) -> Result<()>;
        fn go_top(&mut self) -> Result<()>;
        fn go_bottom(&mut self) -> Result<()>;
        fn skip(&mut self, count: i64) -> Result<()>;
        fn refresh(&mut self) -> Result<()>;
        fn seek(&mut self, key: &SeekKey, how: SeekHow) -> Result<bool>;
        fn look_up(&mut self, id: OrderId, key: &SeekKey) -> Result<Option<u32>>;
        fn relative_position(&mut self) -> Result<f64>;
        fn set_relative_position(&mut self, position: f64) -> Result<()>;
        fn record_count(&mut self, what: Counting) -> Result<u32>;
        fn key_count(&mut self, what: Counting) -> Result<u64>;
        fn key_number(&mut self, what: Counting) -> Result<Option<u64>>;
        fn key(&mut self) -> Result<Option<Vec<u8>>>;
        fn key_of_record(&mut self, id: OrderId, bytes: &[u8]) -> Result<Vec<u8>>;
        fn set_order(&mut self, id: Option<OrderId>) -> Result<()>;
        fn set_descending(&mut self, id: OrderId, descending: bool) -> Result<()>;
        fn open_index(&mut self, path: &Path) -> Result<Vec<OrderId>>;
        fn close_index(&mut self, path: &Path) -> Result<()>;
        fn create_order(&mut self, new: &NewOrder, progress: Telling<'_>) -> Result<OrderId>;
        fn delete_order(&mut self, id: OrderId) -> Result<()>;
        fn word_indexes(&mut self) -> Result<Vec<WordIndex>>;
        fn create_word_index(&mut self, new: &WordIndex) -> Result<()>;
        fn delete_word_index(&mut self, tag: &str) -> Result<bool>;
        fn rebuild_word_indexes(&mut self) -> Result<()>;
        fn add_key(&mut self, id: OrderId) -> Result<bool>;
        fn drop_key(&mut self, id: OrderId) -> Result<bool>;
        fn set_scope(&mut self, side: Side, key: &SeekKey) -> Result<()>;
        fn clear_scope(&mut self, side: Side) -> Result<()>;
        fn is_in_scope(&mut self) -> Result<bool>;
        fn set_hide_deleted(&mut self, hide: bool);
        fn set_exact(&mut self, exact: bool);
        fn set_filter(&mut self, condition: Option<&str>) -> Result<()>;
        fn set_aof(&mut self, condition: &str) -> Result<Optimized>;
        fn clear_aof(&mut self);
        fn aof_level_of(&mut self, condition: &str) -> Result<Optimized>;
        fn refresh_aof(&mut self) -> Result<()>;
        fn customize_aof(&mut self, records: &[u32], how: Customize) -> Result<()>;
        fn is_record_in_aof(&mut self, record: u32) -> Result<bool>;
        fn append_blank(&mut self) -> Result<()>;
        fn write(&mut self) -> Result<()>;
        fn cancel(&mut self) -> Result<()>;
        fn flush(&mut self) -> Result<()>;
        fn try_lock_record(&mut self, record: u32) -> Result<bool>;
        fn lock_owner(&mut self, record: u32) -> Option<String>;
        fn unlock_record(&mut self, record: u32) -> Result<()>;
        fn try_lock_table(&mut self) -> Result<bool>;
        fn unlock(&mut self) -> Result<()>;
        fn pack(&mut self, progress: Telling<'_>) -> Result<()>;
        fn zap(&mut self) -> Result<()>;
        fn reindex(&mut self, progress: Telling<'_>) -> Result<()>;
        fn restructure(&mut self, spec: &TableSpec, sources: &[Source], progress: Telling<'_>) -> Result<()>;
        fn copy_to(&mut self, path: &Path, options: &CopyOptions, progress: Telling<'_>) -> Result<u32>;
    }
}
