//! Creation, rebuilding and removal of tables and orders.
//!
//! All operations but new tables and new index files besides the structural one need exclusive use, as in every xBase:
//! records get other numbers, or files would be replaced while other programs have them open. Afterwards the area is on
//! the first record, with the same orders, scopes, filter and AOF, unless the table has other fields.

use crate::area::{Area, no_such_order};
use crate::index_file::IndexFile;
use crate::order::{Order, OrderId};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use mainstay_xbase::dbf::TableSpec;
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, TagId, Telling};
use mainstay_xbase::table::structural_extension;
use mainstay_xbase::writer::{Access, Source, WriteOptions};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A new order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOrder {
    /// The index file; without it, the structural index.
    pub file: Option<PathBuf>,
    /// The kind of index file; by default what the extension says, and CDX.
    pub kind: Option<BagKind>,
    /// The name of the tag; that of a file of one tag is the file's.
    pub name: String,
    /// The key expression.
    pub key: String,
    /// The FOR condition.
    pub condition: Option<String>,
    /// The WHILE condition: the first record for which it is not true is the end.
    pub while_condition: Option<String>,
    /// Of records with equal keys, only the first is listed.
    pub unique: bool,
    /// A second record with an equal key is refused.
    pub candidate: bool,
    /// From the greatest key to the least.
    pub descending: bool,
    /// Empty at first: the program adds keys.
    pub custom: bool,
    /// Keys are stored in upper case.
    pub ignore_case: bool,
    /// Only the records that the area shows now are listed, in its order.
    pub visible_only: bool,
}

impl NewOrder {
    /// A tag of the structural index, without condition and flags.
    pub fn new(name: &str, key: &str) -> NewOrder {
        NewOrder {
            file: None,
            kind: None,
            name: name.to_owned(),
            key: key.to_owned(),
            condition: None,
            while_condition: None,
            unique: false,
            candidate: false,
            descending: false,
            custom: false,
            ignore_case: false,
            visible_only: false,
        }
    }

    fn kind(&self, table: &Path) -> BagKind {
        let extension = self.file.as_ref().and_then(|file| file.extension()).map(|text| text.to_ascii_lowercase());
        self.kind.unwrap_or(match extension.as_ref().and_then(|text| text.to_str()) {
            Some("ntx") => BagKind::Ntx,
            Some("idx") => BagKind::CompactIdx,
            _ if structural_extension(table) == "adi" => BagKind::Adi,
            _ => BagKind::Cdx,
        })
    }

    /// With its expressions in the table's code page, as index files keep them.
    fn spec(&self, area: &Area) -> IndexSpec {
        IndexSpec {
            condition: self.condition.as_ref().map(|text| area.literal_bytes(text)),
            unique: self.unique,
            candidate: self.candidate,
            descending: self.descending,
            custom: self.custom,
            ignore_case: self.ignore_case,
            ..IndexSpec::new(&self.name, area.literal_bytes(&self.key))
        }
    }
}

/// The numbers that records have after a table was made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    /// Those they had.
    Same,
    /// Others, if they are there at all.
    Other,
}

impl Area {
    /// Makes a table, with its memo file if a field needs one.
    ///
    /// Errors: `Duplicate` if there is a file of this name; `InvalidValue` for fields that the format does not have.
    pub fn create(fs: &Arc<dyn FileSystem>, path: &Path, spec: &TableSpec) -> Result<()> {
        mainstay_xbase::writer::create(&**fs, path, spec, &WriteOptions::new(Access::Exclusive))
    }

    /// Makes an order over the table's records and gives it; a tag of the same name in the same file is replaced, and
    /// its scope and direction are forgotten. The current order stays.
    ///
    /// Errors: those of the expressions; `UniqueViolation` for a candidate key that is there twice; `Busy` for the
    /// structural index of a table that others may have open; `Cancelled` when `progress` (told how many of how many
    /// steps are done) says so.
    pub fn create_order(&mut self, new: &NewOrder, progress: Telling<'_>) -> Result<OrderId> {
        self.leave()?;
        let shown = if new.visible_only { Some(self.shown_records()?) } else { None };
        let mut records = shown.map(|shown| shown.into_iter().map(u64::from));
        let while_condition = new.while_condition.as_deref().map(|text| self.literal_bytes(text));
        let building = Building {
            progress: Some(progress),
            records: records.as_mut().map(|records| records as &mut dyn Iterator<Item = u64>),
            while_condition: while_condition.as_deref(),
        };
        let (spec, kind) = (new.spec(self), new.kind(self.path()));
        let table = self.table()?;
        let made = table.create_index(new.file.as_deref(), kind, &spec, building)?;
        let path = table.bags().nth(made.bag).map(Path::to_owned).unwrap_or_default();
        self.dbf = table.dbf().clone();
        let at_hand = self.files.iter().find(|file| file.path == path).map(|file| file.number);
        let is_replaced = |order: &Order| Some(order.file) == at_hand && order.has_name(&new.name);
        self.orders.iter_mut().filter(|order| is_replaced(order)).for_each(Order::forget_settings);
        let orders = if at_hand.is_some() { self.reopen_index(&path)? } else { self.open_index(&path)? };
        let of_name = |id: &OrderId| self.order_info(*id).is_some_and(|info| info.name.eq_ignore_ascii_case(&new.name));
        let found = orders.iter().copied().find(of_name).or(orders.first().copied());
        found.ok_or_else(|| Error::new(Code::Internal, "an index that was made has no order"))
    }

    /// The records that are shown, in the current order.
    pub(crate) fn shown_records(&mut self) -> Result<Vec<u32>> {
        self.leave()?;
        self.look()?;
        self.elsewhere(|area| {
            let (mut found, mut record) = (Vec::new(), area.first()?);
            while let Some(recno) = record.filter(|recno| *recno <= area.blocks.count()) {
                found.push(recno);
                area.recno = recno;
                record = area.step_shown(true)?;
            }
            Ok(found)
        })
    }

    /// Takes an order away, from its file too; a file of one tag is only closed.
    pub fn delete_order(&mut self, id: OrderId) -> Result<()> {
        self.leave()?;
        let info = self.order_info(id).ok_or_else(|| no_such_order(id))?;
        if !matches!(info.kind, BagKind::Cdx | BagKind::Adi | BagKind::CompoundNtx) {
            return self.close_index(&info.file);
        }
        let tag = self.tag_of(id)?;
        self.table()?.drop_tag(tag)?;
        if self.fs.stamp(&info.file).is_err() {
            // It was the last tag, and the file went with it.
            let current = self.order();
            self.files.retain(|file| file.path != info.file);
            self.orders.retain(|order| self.files.iter().any(|file| file.number == order.file));
            self.current = current.and_then(|id| self.place_of(id));
            return Ok(());
        }
        self.reopen_index(&info.file).map(drop)
    }

    /// The tag of the writer that an order is.
    pub(crate) fn tag_of(&mut self, id: OrderId) -> Result<TagId> {
        let info = self.order_info(id).ok_or_else(|| no_such_order(id))?;
        let table = self.table()?;
        let bag = table.bags().position(|bag| bag == info.file);
        let tags = table.tags();
        let tag = tags.iter().find(|tag| Some(tag.id.bag) == bag && tag.name.eq_ignore_ascii_case(&info.name));
        tag.map(|tag| tag.id).ok_or_else(|| no_such_order(id))
    }

    /// Adds the current record to a custom order, whatever its condition says; false if it is listed already.
    ///
    /// Errors: `InvalidValue` for an order that is not a custom one.
    pub fn add_key(&mut self, id: OrderId) -> Result<bool> {
        self.change_key(id, true)
    }

    /// Takes the current record out of a custom order; false if it was not listed.
    ///
    /// Errors: as [`Area::add_key`].
    pub fn drop_key(&mut self, id: OrderId) -> Result<bool> {
        self.change_key(id, false)
    }

    fn change_key(&mut self, id: OrderId, add: bool) -> Result<bool> {
        if self.order_info(id).is_some_and(|info| !info.custom) {
            // It would list other records than its expression and condition say.
            return Err(Error::new(Code::InvalidValue, "the index is not a custom one").at(self.path().display()));
        }
        self.leave()?;
        let (tag, record) = (self.tag_of(id)?, u64::from(self.recno));
        let table = self.table()?;
        let changed = if add { table.add_key(tag, record)? } else { table.drop_key(tag, record)? };
        if changed {
            self.must_look = true;
            if self.is_alone() {
                self.has_unwritten_keys = true;
            }
            for order in self.orders.iter_mut().filter(|order| order.id == id) {
                let file = self.files.iter().find(|file| file.number == order.file);
                order.stale = file.map(|file| file.version);
            }
        }
        Ok(changed)
    }

    /// Removes the deleted records; the others get new numbers, so what was said by hand about records of the AOF is
    /// forgotten.
    pub fn pack(&mut self, progress: Telling<'_>) -> Result<()> {
        self.write()?;
        let packed = self.table()?.pack(progress);
        self.read_records_anew(packed, Numbers::Other)
    }

    /// Removes all records.
    pub fn zap(&mut self) -> Result<()> {
        self.write()?;
        let zapped = self.table()?.zap();
        self.read_records_anew(zapped, Numbers::Other)
    }

    /// Makes the indexes of all open files anew.
    pub fn reindex(&mut self, progress: Telling<'_>) -> Result<()> {
        self.write()?;
        let made = self.table()?.reindex(progress);
        self.read_records_anew(made, Numbers::Same)
    }

    /// Gives the table other fields: those of `spec`, each with the values that `sources` says. Filter and AOF, which may be
    /// about fields that are gone, are taken away.
    pub fn restructure(&mut self, spec: &TableSpec, sources: &[Source], progress: Telling<'_>) -> Result<()> {
        self.write()?;
        let made = self.table()?.restructure(spec, sources, progress);
        self.read_anew(made)?;
        self.set_filter(None)?;
        self.clear_aof();
        self.go_top()
    }

    /// The fields, as the specification of a new table.
    pub fn spec(&self) -> TableSpec {
        mainstay_xbase::indexed::spec_of(&self.dbf, self.memo.as_ref())
    }

    /// The same fields, perhaps in other files, and the records that were there or others: what is shown is asked of them.
    fn read_records_anew(&mut self, done: Result<()>, numbers: Numbers) -> Result<()> {
        self.read_anew(done)?;
        if let Some(filter) = self.filter().map(str::to_owned) {
            self.set_filter(Some(&filter))?;
        }
        match numbers {
            Numbers::Same => self.refresh_candidates()?,
            Numbers::Other => self.refresh_aof()?,
        }
        self.go_top()
    }

    /// The files may be others under the same names.
    fn read_anew(&mut self, done: Result<()>) -> Result<()> {
        done?;
        if let Some(table) = &mut self.table {
            table.flush()?;
            self.dbf = table.dbf().clone();
        }
        self.has_unwritten = false;
        self.has_unwritten_keys = false;
        self.open_parts()?;
        for path in self.index_files() {
            self.reopen_index(&path)?;
        }
        self.row = crate::area::Row::default();
        Ok(())
    }

    /// Opens an index file again: another file may have taken its place, tags may have come or gone.
    fn reopen_index(&mut self, path: &Path) -> Result<Vec<OrderId>> {
        let Some(at) = self.files.iter().position(|file| file.path == path) else { return Ok(Vec::new()) };
        let (number, version) = (self.files[at].number, self.files[at].version);
        let mut file = IndexFile::open(&*self.fs, path, number, self.reading())?;
        file.version = version + 1;
        let current = self.order();
        self.orders.retain(|order| order.file != number || file.bag.find(&order.header().name).is_some());
        for order in self.orders.iter_mut().filter(|order| order.file == number) {
            order.renew(&file, &self.dbf)?;
        }
        for tag in 0..file.bag.tags().len() {
            let name = &file.bag.tags()[tag].name;
            let is_known = |order: &Order| order.file == number && order.header().name == *name;
            if !self.orders.iter().any(is_known) {
                let order = Order::new(self.next_order_id(), &file, tag, &self.dbf)?;
                self.orders.push(order);
            }
        }
        self.files[at] = file;
        // A rebuilt tag is the last of its file, as in a newly opened file.
        let mut orders = std::mem::take(&mut self.orders);
        orders.sort_by_key(|order| {
            let file = self.files.iter().position(|file| file.number == order.file);
            (file, file.and_then(|file| self.files[file].bag.find(&order.header().name)))
        });
        self.orders = orders;
        self.current = current.and_then(|id| self.place_of(id));
        Ok(self.orders.iter().filter(|order| order.file == number).map(|order| order.id).collect())
    }
}

/// A progress callback that ignores the progress and goes on.
pub fn untold(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
