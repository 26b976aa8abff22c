//! Reuse of decoded values of the previous state: a table that is written to all the time is not decoded anew for each
//! change of one record.
//!
//! The bytes of a group are read again in every state, and compared with those that the previous state has decoded:
//!
//! ```text
//!   the same          all columns of the group stay as they are
//!   not the same      the columns stay none of whose bytes differ in any record; the others are decoded
//! ```
//!
//! So the kind and the origin of a change do not matter. A group that the previous state has read twice is not reused:
//! its columns may be of different bytes. Memos are not compared, and their columns are decoded again. A state with
//! unreadable values is not reused, so that its findings are reported again.

use super::state::{RECORD_BYTES, State, place_of};
use crate::dbf::Field;
use arrow_array::{Array, UInt8Array};

impl State {
    /// Takes over what the state before has of a group, whose bytes are now these.
    pub(super) fn carry(&self, group: usize, bytes: &[u8]) {
        let Some(before) = self.before() else { return };
        let is_alike = before.fields() == self.fields()
            && before.record_length() == self.record_length()
            && before.code_page() == self.code_page()
            && !before.has_findings()
            && before.was_read_once(group);
        let Some(old) = before.kept(place_of(group, RECORD_BYTES)).filter(|_| is_alike) else { return };
        let Some(old) = old.as_any().downcast_ref::<UInt8Array>() else { return };
        // Records that were appended to the group, or cut off, make other vectors of all its columns.
        if old.len() != bytes.len() {
            return;
        }
        let changed = changed_bytes(old.values(), bytes, self.record_length());
        for (column, field) in self.fields().iter().enumerate() {
            let place = place_of(group, column as u32);
            if !field.kind.needs_memo()
                && is_same(field, &changed)
                && let Some(vector) = before.kept(place)
            {
                self.keep(place, vector);
            }
        }
    }
}

/// The bits of a record that differ in any record, byte by byte.
fn changed_bytes(old: &[u8], new: &[u8], record_length: usize) -> Vec<u8> {
    let mut changed = vec![0; record_length];
    if record_length == 0 || old == new {
        return changed;
    }
    for (old, new) in old.chunks_exact(record_length).zip(new.chunks_exact(record_length)) {
        if old != new {
            for ((changed, old), new) in changed.iter_mut().zip(old).zip(new) {
                *changed |= old ^ new;
            }
        }
    }
    changed
}

/// Returns true if nothing of a field has changed, its bits among those of all fields included.
fn is_same(field: &Field, changed: &[u8]) -> bool {
    let bit_is_same = |bit: Option<usize>| {
        bit.is_none_or(|bit| changed.get(bit / 8).is_some_and(|byte| byte & (1 << (bit % 8)) == 0))
    };
    let bytes = changed.get(field.offset..field.offset + field.length);
    bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0))
        && bit_is_same(field.null_bit)
        && bit_is_same(field.varying_bit)
}

#[cfg(test)]
mod tests {
    use crate::dbf::{FieldSpec, Format, OpenOptions, TableSpec};
    use crate::table::DbfTable;
    use crate::writer::{self, Access, WriteOptions};
    use arrow_array::{Array, ArrayRef};
    use mainstay_columnar::{Table, VectorCache};
    use mainstay_types::ValueRef;
    use mainstay_vfs::{Create, Disk, FileSystem};
    use std::path::Path;
    use std::sync::Arc;

    fn made(path: &Path) -> DbfTable {
        let fs: Arc<dyn FileSystem> = Arc::new(Disk);
        let options = WriteOptions::new(Access::Exclusive);
        let fields = vec![FieldSpec::new("ID", b'N', 6, 0), FieldSpec::new("NAME", b'C', 4, 0)];
        writer::create(&*fs, path, &TableSpec::new(Format::FoxPro, fields), &options).unwrap();
        let table = DbfTable::open(fs, path, "t", OpenOptions::default(), VectorCache::new(1 << 20), &[]).unwrap();
        let mut writer = table.writer(WriteOptions::new(Access::Shared)).unwrap();
        for id in 0..100 {
            writer.append(&[ValueRef::Integer(id), ValueRef::Text("a")]).unwrap();
        }
        writer.close().unwrap();
        table
    }

    /// Changes a byte of the last record, as another program may.
    fn poke(path: &Path, from_end: u64, byte: u8) {
        let file = Disk.create(path, Create::Existing).unwrap();
        file.write_at(&[byte], file.stamp().unwrap().len - from_end).unwrap();
    }

    fn columns(table: &DbfTable) -> Vec<ArrayRef> {
        table.snapshot().unwrap().vectors(0, &[0, 1]).unwrap()
    }

    fn is_shared(a: &ArrayRef, b: &ArrayRef) -> bool {
        a.to_data().ptr_eq(&b.to_data())
    }

    #[test]
    fn columns_stay_whose_bytes_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.dbf");
        let table = made(&path);
        let first = columns(&table);
        // The name of the last record: a blank, the mark of the end of the file behind it.
        poke(&path, 2, b'z');
        let second = columns(&table);
        assert!(is_shared(&first[0], &second[0]) && !is_shared(&first[1], &second[1]));
        // The number, and the flag that deletes the record.
        poke(&path, 6, b'7');
        let third = columns(&table);
        assert!(!is_shared(&second[0], &third[0]) && is_shared(&second[1], &third[1]));
        poke(&path, 12, b'*');
        let snapshot = table.snapshot().unwrap();
        assert_eq!(snapshot.visible_rows().unwrap(), 99);
        let fourth = columns(&table);
        assert!(is_shared(&third[0], &fourth[0]) && is_shared(&third[1], &fourth[1]));
        // A record more is another group.
        let mut writer = table.writer(WriteOptions::new(Access::Shared)).unwrap();
        writer.append(&[ValueRef::Integer(1), ValueRef::Text("b")]).unwrap();
        writer.close().unwrap();
        assert_eq!(columns(&table)[0].len(), 101);
    }

    #[test]
    fn what_could_not_be_read_is_told_in_every_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.dbf");
        let table = made(&path);
        poke(&path, 6, b'?');
        for byte in [b'x', b'y'] {
            poke(&path, 2, byte);
            let snapshot = table.snapshot().unwrap();
            snapshot.vectors(0, &[0, 1]).unwrap();
            assert!(!snapshot.notices().is_empty());
        }
    }
}
