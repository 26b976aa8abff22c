//! An open table and a place in it.

use crate::blocks::Blocks;
use crate::expression::Compilations;
use crate::field::Readers;
use crate::index_file::{IndexFile, Reading};
use crate::options::{AreaOptions, Mode};
use crate::order::{Order, OrderId, OrderInfo};
use crate::rules::RecordRules;
use crate::value::{FieldValue, ValueKind};
use crate::visibility::Visibility;
use crate::words::WordFile;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use mainstay_xbase::Finding;
use mainstay_xbase::adt::RecordLayout;
use mainstay_xbase::codepage::CodePage;
use mainstay_xbase::dbf::{Dbf, Field, FieldKind, Header, OpenOptions, blank_record};
use mainstay_xbase::expr::Scratch;
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::lock::{LockPlan, LockSettings};
use mainstay_xbase::memo::Memo;
use mainstay_xbase::table::{sibling, structural_index};
use mainstay_xbase::writer::{Access, WriteOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open table and a place in it: see the crate's text.
#[derive(Debug)]
pub struct Area {
    pub(crate) fs: Arc<dyn FileSystem>,
    /// Where copies of records are written, if not beside the table: see [`Area::set_copies_to`].
    pub(crate) copies_to: Option<Arc<dyn FileSystem>>,
    path: PathBuf,
    pub(crate) options: AreaOptions,
    pub(crate) dbf: Dbf,
    pub(crate) memo: Option<Memo>,
    pub(crate) blocks: Blocks,
    pub(crate) visibility: Visibility,
    pub(crate) files: Vec<IndexFile>,
    pub(crate) orders: Vec<Order>,
    /// The place of the current order in `orders`.
    pub(crate) current: Option<usize>,
    /// The record the area is on; at EOF the record count plus one.
    pub(crate) recno: u32,
    pub(crate) bof: bool,
    pub(crate) eof: bool,
    pub(crate) found: bool,
    pub(crate) row: Row,
    /// A blank record.
    pub(crate) blank: Vec<u8>,
    /// The writer, unless the area is for reading only.
    pub(crate) table: Option<IndexedTable>,
    /// Records that were appended are with the writer only; the same of keys.
    pub(crate) has_unwritten: bool,
    pub(crate) has_unwritten_keys: bool,
    /// The files were written to by ourselves: the next move looks at them.
    pub(crate) must_look: bool,
    /// The table has fields that count or keep the time of the last write.
    pub(crate) counts: bool,
    pub(crate) exact: bool,
    pub(crate) scratch: Scratch,
    pub(crate) compilations: Compilations,
    pub(crate) words: WordFile,
    /// The table is elsewhere; so are its memos.
    pub(crate) is_detached: bool,
    pub(crate) readers: Readers,
    /// Tags that are not understood: where they are, and why not.
    refused: Vec<(PathBuf, String, Error)>,
    /// Rules that are checked before records are written.
    pub(crate) rules: Option<Arc<dyn RecordRules>>,
    next_order: u32,
    next_file: u32,
}

/// The bytes of the current record, once they are asked for.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_loaded: bool,
    /// The bytes before the first change that is not written.
    pub(crate) before: Vec<u8>,
    pub(crate) is_changed: bool,
    /// The record is appended when it is written.
    pub(crate) is_new: bool,
    /// The record was appended, and was not written or left since.
    pub(crate) is_appended: bool,
    /// The record was appended, and has no keys until it is written.
    pub(crate) is_unlisted: bool,
    /// The bytes, or those before the change, were read of the file since the record was locked.
    pub(crate) is_certain: bool,
    /// Long values that are stored when the record is written.
    pub(crate) memos: Vec<(usize, Vec<u8>)>,
    /// Values by field that are known although the memo file is not at hand.
    pub(crate) lent: Vec<(usize, FieldValue)>,
    /// The record that was locked for a change, and is unlocked after it.
    pub(crate) implicit_lock: Option<u32>,
    /// The record whose lock was given away while it is written: see [`Area::lend_record`].
    pub(crate) lock_on_loan: Option<u32>,
}

impl Area {
    /// Opens a table, with its memo file and (unless told otherwise) the index that has its name, and goes to the first
    /// record. No order is set.
    ///
    /// Errors: those of [`Dbf::open`]; `Damaged` when there are memo fields and no memo file.
    pub fn open(fs: Arc<dyn FileSystem>, path: &Path, options: &AreaOptions) -> Result<Area> {
        let locks = LockSettings::of_table(&*fs, path)?;
        let (scheme, wait) = (locks.scheme_or(options.scheme), locks.wait_or(options.wait));
        let options = &AreaOptions { scheme, wait, ..options.clone() };
        let table = open_writer(&fs, path, options)?;
        let dbf = match &table {
            Some(table) => table.dbf().clone(),
            None => Dbf::open(fs.open(path)?, OpenOptions { code_page: options.code_page })?,
        };
        let memo = open_memo(&*fs, path, &dbf)?;
        let alone = options.mode == Mode::Exclusive;
        let blocks = Blocks::new(&dbf, alone, options.kept_bytes)?;
        let mut visibility = Visibility::default();
        visibility.hide_deleted = options.hide_deleted;
        visibility.layout = dbf.header().layout;
        let readers = Readers::new(dbf.fields());
        let blank = blank_record(dbf.fields(), dbf.header());
        let counts = counts(&dbf);
        let mut area = Area {
            fs,
            path: path.to_owned(),
            options: options.clone(),
            dbf,
            memo,
            blocks,
            visibility,
            files: Vec::new(),
            orders: Vec::new(),
            current: None,
            recno: 0,
            bof: true,
            eof: true,
            found: false,
            row: Row::default(),
            blank,
            table,
            has_unwritten: false,
            has_unwritten_keys: false,
            must_look: false,
            counts,
            exact: options.exact,
            scratch: Scratch::new(),
            compilations: Compilations::default(),
            words: WordFile::default(),
            is_detached: false,
            copies_to: None,
            readers,
            refused: Vec::new(),
            rules: None,
            next_order: 1,
            next_file: 1,
        };
        if options.open_structural
            && let Some(structural) = structural_index(&*area.fs, path)
        {
            // A table whose index is of no use can still be read in its own order.
            if let Err(error) = area.open_index(&structural) {
                if error.code() == Code::Busy || error.code() == Code::Io {
                    return Err(error);
                }
                area.refused.push((structural, String::new(), error));
            }
        }
        area.go_top()?;
        Ok(area)
    }

    /// Opens what depends on the table's structure, after it was made anew.
    pub(crate) fn open_parts(&mut self) -> Result<()> {
        self.memo = open_memo(&*self.fs, &self.path, &self.dbf)?;
        self.blocks = Blocks::new(&self.dbf, self.is_alone(), self.options.kept_bytes)?;
        self.readers = Readers::new(self.dbf.fields());
        self.blank = blank_record(self.dbf.fields(), self.dbf.header());
        self.counts = counts(&self.dbf);
        self.compilations = Compilations::default();
        self.words = WordFile::default();
        Ok(())
    }

    /// From here on the area stands for a table elsewhere.
    pub(crate) fn detach(&mut self, path: &Path, mode: Mode) {
        self.path = path.to_owned();
        self.options.mode = mode;
        self.is_detached = true;
    }

    /// A number for an order that is new.
    pub(crate) fn next_order_id(&mut self) -> OrderId {
        self.next_order += 1;
        OrderId(self.next_order - 1)
    }

    /// Where the table is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The options that it was opened with.
    pub fn options(&self) -> &AreaOptions {
        &self.options
    }

    /// The fields, in the order of the header.
    pub fn fields(&self) -> &[Field] {
        self.dbf.fields()
    }

    /// The place of the field with this name (in any case) in [`Area::fields`].
    pub fn field_number(&self, name: &str) -> Option<usize> {
        self.fields().iter().position(|field| field.name.eq_ignore_ascii_case(name))
    }

    /// The header as it was when the table was opened.
    pub fn header(&self) -> &Header {
        self.dbf.header()
    }

    /// The code page of the text.
    pub fn code_page(&self) -> CodePage {
        self.dbf.code_page()
    }

    /// The memo file.
    pub fn memo(&self) -> Option<&Memo> {
        self.memo.as_ref()
    }

    /// Returns true if a field counts by itself.
    pub fn counts_up(&self, field: usize) -> bool {
        self.dbf.counter(field).is_some()
    }

    /// Oddities of the table's header and length.
    pub fn findings(&self) -> &[Finding] {
        self.dbf.findings()
    }

    /// Returns true if the area has exclusive use of the table.
    pub(crate) fn is_alone(&self) -> bool {
        self.options.mode == Mode::Exclusive
    }

    /// The options for reading index files: under the lock of the programs that share the table.
    pub(crate) fn reading(&self) -> Reading {
        let has_cdx = sibling(&*self.fs, &self.path, &["cdx"]).is_some();
        let locks = LockPlan::new(self.options.scheme, self.dbf.header(), has_cdx);
        Reading { alone: self.is_alone(), locks, wait: self.options.wait }
    }

    /// Opens an index file and gives its orders. One that is open already gives those it has. The current order stays.
    ///
    /// A tag whose expression is not understood is no order of the area: see [`Area::refused_orders`].
    ///
    /// Errors: those of the file; that of the expression, if no tag is understood.
    pub fn open_index(&mut self, path: &Path) -> Result<Vec<OrderId>> {
        if let Some(file) = self.files.iter().find(|file| file.path == path) {
            let number = file.number;
            return Ok(self.orders.iter().filter(|order| order.file == number).map(|order| order.id).collect());
        }
        if let Some(table) = &mut self.table {
            table.open_bag(path)?;
        }
        let file = IndexFile::open(&*self.fs, path, self.next_file, self.reading())?;
        let (mut orders, mut refused) = (Vec::with_capacity(file.bag.tags().len()), Vec::new());
        for tag in 0..file.bag.tags().len() {
            let order = Order::new(OrderId(self.next_order), &file, tag, &self.dbf);
            let name = &file.bag.tags()[tag].name;
            match order {
                Ok(order) => {
                    orders.push(order);
                    self.next_order += 1;
                }
                Err(error) => refused.push((path.to_owned(), name.clone(), error.at(format!("tag {name}")))),
            }
        }
        if orders.is_empty()
            && let Some((_, _, error)) = refused.pop()
        {
            return Err(error.at(path.display()));
        }
        self.refused.extend(refused);
        self.next_file += 1;
        let ids = orders.iter().map(|order| order.id).collect();
        self.orders.extend(orders);
        self.files.push(file);
        Ok(ids)
    }

    /// The tags of open index files that are not understood, and so are no orders: file, name and reason. A table with
    /// such a tag is not written to.
    pub fn refused_orders(&self) -> &[(PathBuf, String, Error)] {
        &self.refused
    }

    /// Closes an index file; if the current order is of it, no order is set then.
    pub fn close_index(&mut self, path: &Path) -> Result<()> {
        let Some(at) = self.files.iter().position(|file| file.path == path) else {
            return Err(Error::new(Code::NotFound, "the index is not open").at(path.display()));
        };
        if let Some(table) = &mut self.table {
            let bag = table.bags().position(|bag| bag == path);
            bag.map_or(Ok(()), |bag| table.close_bag(bag))?;
        }
        self.refused.retain(|(file, ..)| file != path);
        let number = self.files.remove(at).number;
        let current = self.order();
        self.orders.retain(|order| order.file != number);
        self.current = current.and_then(|id| self.place_of(id));
        Ok(())
    }

    /// Closes all index files but the structural one.
    pub fn close_indexes(&mut self) -> Result<()> {
        let structural = structural_index(&*self.fs, &self.path);
        for path in self.index_files() {
            if Some(&path) != structural.as_ref() {
                self.close_index(&path)?;
            }
        }
        Ok(())
    }

    /// The index files that are open.
    pub fn index_files(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| file.path.clone()).collect()
    }

    /// The orders, file by file in the order of opening, and within a file in the order in which the tags were made.
    pub fn orders(&self) -> Vec<OrderInfo> {
        self.orders.iter().map(|order| order.info(self.file_of(order))).collect()
    }

    fn file_of(&self, order: &Order) -> PathBuf {
        let file = self.files.iter().find(|file| file.number == order.file);
        file.map(|file| file.path.clone()).unwrap_or_default()
    }

    /// The order of this tag (in any case); the first, where several files have it.
    pub fn order_named(&self, name: &str) -> Option<OrderId> {
        let order = self.orders.iter().find(|order| order.header().name.eq_ignore_ascii_case(name));
        order.map(|order| order.id)
    }

    /// The properties of an order.
    pub fn order_info(&self, id: OrderId) -> Option<OrderInfo> {
        let order = self.orders.iter().find(|order| order.id == id)?;
        Some(order.info(self.file_of(order)))
    }

    /// The type of an order's keys.
    pub fn order_key_kind(&self, id: OrderId) -> Option<ValueKind> {
        let order = self.orders.iter().find(|order| order.id == id)?;
        Some(order.key_kind())
    }

    /// The current order.
    pub fn order(&self) -> Option<OrderId> {
        self.current.and_then(|at| self.orders.get(at)).map(|order| order.id)
    }

    #[inline]
    pub(crate) fn place_of(&self, id: OrderId) -> Option<usize> {
        self.orders.iter().position(|order| order.id == id)
    }

    /// Makes an order the current one, or with `None` the table's own. The record stays; this costs next to nothing.
    #[inline]
    pub fn set_order(&mut self, id: Option<OrderId>) -> Result<()> {
        self.current = match id {
            None => None,
            Some(id) => Some(self.place_of(id).ok_or_else(|| no_such_order(id))?),
        };
        Ok(())
    }

    /// Sees an order from its other end, or (with the tag's own direction) as it is. The ends of
    /// its scope change places, so that it shows the same records.
    pub fn set_descending(&mut self, id: OrderId, descending: bool) -> Result<()> {
        let at = self.place_of(id).ok_or_else(|| no_such_order(id))?;
        if let Some(order) = self.orders.get_mut(at)
            && order.is_descending() != descending
        {
            let turned = !order.turned;
            order.turn(turned);
        }
        Ok(())
    }

    /// The number of the record the area is on; at EOF one more than there are.
    #[inline]
    pub fn record_number(&self) -> u32 {
        self.recno
    }

    /// Returns true if the last move ended before the first record.
    #[inline]
    pub fn is_bof(&self) -> bool {
        self.bof
    }

    /// Returns true if the area is behind the last record.
    #[inline]
    pub fn is_eof(&self) -> bool {
        self.eof
    }

    /// Returns true if the last operation was a seek that found its key.
    #[inline]
    pub fn is_found(&self) -> bool {
        self.found
    }

    /// Returns true if the area is on a record.
    #[inline]
    pub(crate) fn is_positioned(&self) -> bool {
        self.recno >= 1 && self.recno <= self.blocks.count()
    }

    /// The form of the records.
    #[inline]
    pub(crate) fn layout(&self) -> RecordLayout {
        self.dbf.header().layout
    }

    /// Returns true if the current record is marked as deleted.
    pub fn is_deleted(&mut self) -> Result<bool> {
        let layout = self.layout();
        Ok(layout.is_deleted(self.record()?))
    }

    /// The bytes of the current record, the mark of deletion first; at EOF those of a blank one.
    pub fn record(&mut self) -> Result<&[u8]> {
        self.load()?;
        Ok(&self.row.bytes)
    }

    /// Has the bytes of the current record ready.
    #[inline]
    pub(crate) fn load(&mut self) -> Result<()> {
        if self.row.is_loaded {
            return Ok(());
        }
        self.row.is_certain = false;
        self.row.bytes.clear();
        if self.is_positioned() {
            self.row.bytes.extend_from_slice(self.blocks.record(self.recno)?);
        } else {
            self.row.bytes.extend_from_slice(&self.blank);
        }
        self.row.is_loaded = true;
        Ok(())
    }
}

#[cold]
pub(crate) fn no_such_order(id: OrderId) -> Error {
    Error::new(Code::NotFound, format!("the area has no order number {}", id.0))
}

/// Returns true if the writer sets values in a new record, such as counters.
fn counts(dbf: &Dbf) -> bool {
    let stamps = |kind| matches!(kind, FieldKind::RowVersion | FieldKind::ModificationTime);
    dbf.fields().iter().enumerate().any(|(number, field)| stamps(field.kind) || dbf.counter(number).is_some())
}

fn open_writer(fs: &Arc<dyn FileSystem>, path: &Path, options: &AreaOptions) -> Result<Option<IndexedTable>> {
    let access = match options.mode {
        Mode::ReadOnly => return Ok(None),
        Mode::Shared => Access::Shared,
        Mode::Exclusive => Access::Exclusive,
    };
    let AreaOptions { scheme, wait, open_timeout, code_page, durable, .. } = *options;
    let written = WriteOptions {
        scheme,
        wait,
        open_timeout,
        code_page,
        durable,
        replacement: Some(b'?'),
        cut_long_text: true,
        ..WriteOptions::new(access)
    };
    IndexedTable::open(Arc::clone(fs), path, written).map(Some)
}

fn open_memo(fs: &dyn FileSystem, path: &Path, dbf: &Dbf) -> Result<Option<Memo>> {
    if !dbf.fields().iter().any(|field| field.kind.needs_memo()) {
        return Ok(None);
    }
    let Some(memo_path) = sibling(fs, path, dbf.memo_extensions()) else {
        let message = "the table has memo fields, and there is no memo file";
        return Err(Error::new(Code::Damaged, message).at(path.display()));
    };
    Memo::open(fs.open(&memo_path)?, dbf.header().version).map(Some)
}
