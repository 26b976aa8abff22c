//! The differences between the records of a DBF and those of an ADT.

use super::header::FIRST_FIELD_AT;

/// The flag of a deleted record of an ADT.
const DELETED: u8 = 1;

/// The flag of an encrypted one.
const ENCRYPTED: u8 = 2;

/// The flag that newer servers set in every record.
const NEWER: u8 = 4;

/// The last byte of a memo reference in a deleted record whose value is still in its blocks.
pub(crate) const KEPT_MARK: u8 = 0x4D;

/// The format of a table's records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordLayout {
    /// One byte before the fields: a blank, or `*` in a deleted record. 0x1A follows the last record.
    #[default]
    Dbf,
    /// Flags, and the number of the next reusable record in a deleted one.
    Adt,
}

impl RecordLayout {
    /// Bytes before the first field.
    pub fn prefix(self) -> usize {
        match self {
            RecordLayout::Dbf => 1,
            RecordLayout::Adt => FIRST_FIELD_AT,
        }
    }

    /// The place in the header of the number of records, of 32 bits.
    pub fn count_at(self) -> u64 {
        match self {
            RecordLayout::Dbf => 4,
            RecordLayout::Adt => 24,
        }
    }

    /// The byte behind the last record.
    pub fn end_mark(self) -> Option<u8> {
        match self {
            RecordLayout::Dbf => Some(0x1A),
            RecordLayout::Adt => None,
        }
    }

    /// The first byte of a new record.
    pub fn live_flag(self) -> u8 {
        match self {
            RecordLayout::Dbf => b' ',
            RecordLayout::Adt => NEWER,
        }
    }

    /// Tells whether a record is deleted.
    pub fn is_deleted(self, record: &[u8]) -> bool {
        record.first().is_some_and(|&flag| self.is_deleted_flag(flag))
    }

    /// The same by its first byte.
    pub fn is_deleted_flag(self, flag: u8) -> bool {
        match self {
            RecordLayout::Dbf => flag == b'*',
            RecordLayout::Adt => flag & DELETED != 0,
        }
    }

    /// Returns true if a memo reference (`cell`) of a record leads to the record's own value. Of a deleted record of an ADT
    /// another program may have given the blocks to others, unless the reference is marked.
    pub(crate) fn owns_memo(self, record: &[u8], cell: &[u8]) -> bool {
        self == RecordLayout::Dbf || !self.is_deleted(record) || cell.get(8) == Some(&KEPT_MARK)
    }

    /// The extensions of the memo files of such tables.
    pub fn memo_extensions(self) -> &'static [&'static str] {
        match self {
            RecordLayout::Dbf => &["fpt", "dbt", "smt"],
            RecordLayout::Adt => &["adm"],
        }
    }

    /// Tells whether a first byte is one that programs write.
    pub fn is_known_flag(self, flag: u8) -> bool {
        match self {
            RecordLayout::Dbf => matches!(flag, b' ' | b'*'),
            RecordLayout::Adt => flag & !(DELETED | ENCRYPTED | NEWER) == 0,
        }
    }

    /// Tells whether a record is encrypted, so that its fields are noise.
    pub fn is_encrypted(self, record: &[u8]) -> bool {
        self == RecordLayout::Adt && record.first().is_some_and(|flag| flag & ENCRYPTED != 0)
    }

    /// Marks a record as deleted, or as not deleted. The list of reusable records is the writer's.
    pub fn set_deleted(self, record: &mut [u8], deleted: bool) {
        let Some(flag) = record.first_mut() else { return };
        *flag = match (self, deleted) {
            (RecordLayout::Dbf, true) => b'*',
            (RecordLayout::Dbf, false) => b' ',
            (RecordLayout::Adt, true) => *flag | DELETED,
            (RecordLayout::Adt, false) => *flag & !DELETED,
        };
    }

    /// The number of the next reusable record, in a deleted record of an ADT.
    pub fn link(self, record: &[u8]) -> u32 {
        match self {
            RecordLayout::Dbf => 0,
            RecordLayout::Adt => super::header::word(record, 1),
        }
    }

    /// Sets that number.
    pub fn set_link(self, record: &mut [u8], link: u32) {
        if let (RecordLayout::Adt, Some(bytes)) = (self, record.get_mut(1..FIRST_FIELD_AT)) {
            bytes.copy_from_slice(&link.to_le_bytes());
        }
    }
}
