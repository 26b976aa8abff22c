//! Data dictionaries in Advantage's own format: read, and never changed.
//!
//! A `.add` is an ADT with another signature, its `.am` an ADM ([the formats](../../../../docs/formats/adt.md)). A record
//! is an object:
//!
//! ```text
//!   Object ID | Parent ID | Object Type    | Object Name | Property              | Comment
//!   7         | 0         | Table          | Customers   | .\customer.adt NUL .. | reference into the .am
//!   8         | 7         | Index          | customer    | .\customer.adi NUL .. |
//!   12        | 0         | User, Group    | ann         | not read (hashes)     |
//! ```
//! Tables, their index files, users, groups and comments are taken over. All other objects (rights, triggers,
//! relations, procedures, views ...) are counted by their type, and named when something is refused because of them.
//! Rights of users and rules of records are among them, so the tables of such a dictionary are opened read-only.
//!
//! Sources: the form of the file was read from installations; the columns, and the two bytes before a property that are
//! its length, from another implementation's sources. Passwords are not readable, so no password is required; a server
//! does not open such a dictionary.

use std::collections::BTreeMap;

use mainstay_xbase::adt::{self, FIELD_LENGTH, FIXED_LENGTH, Field, Header, RecordLayout, SIGNATURE, Type};
use mainstay_xbase::codepage::CodePage;

use crate::constants::*;
use crate::contents::Contents;
use crate::failure::{Failure, Result};

/// The first bytes of such a file.
const DICTIONARY_SIGNATURE: &[u8] = b"ADS Data Dictionary\0";

/// The most objects of a dictionary. Objects are looked up one after another, so more would take too long; the vendor's
/// largest dictionaries have some thousands.
const MOST_OBJECTS: usize = 1 << 14;

/// True if a file that begins with these bytes is a dictionary in the vendor's format.
pub fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(DICTIONARY_SIGNATURE)
}

/// An object as its record has it.
struct Record {
    id: u32,
    parent: u32,
    kind: String,
    name: String,
    property: Vec<u8>,
    comment: Option<String>,
}

/// Reads the objects of a dictionary from the bytes of its `.add` and its `.am`.
///
/// Errors: AE_CANNOT_OPEN_DICTIONARY for a file that is damaged, lacks one of the columns, or has more than 16,384 objects.
pub fn read(bytes: &[u8], memo: Option<&[u8]>) -> Result<Contents> {
    let records = Table::parse(bytes)?.records(memo)?;
    let mut contents = Contents::new(None);
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    let mut unread: BTreeMap<String, usize> = BTreeMap::new();
    // Parents first: an index may stand before its table.
    for record in records.iter().filter(|record| is_kind(record, &["Table"])) {
        add_table(&mut contents, record)?;
        names.insert(record.id, record.name.clone());
    }
    for record in &records {
        match () {
            () if is_kind(record, &["Table"]) => {}
            () if is_kind(record, &["Index", "Index File", "IndexFile"]) => match names.get(&record.parent) {
                Some(table) => {
                    let object = contents.get_or_add(ADS_DD_INDEX_FILE_OBJECT, table, &record.name);
                    object.set_text(ADS_DD_INDEX_FILE_PATH, path_of(&record.property));
                    object.set_text(ADS_DD_COMMENT, record.comment.clone());
                }
                None => *unread.entry(record.kind.clone()).or_default() += 1,
            },
            () if is_kind(record, &["User"]) => {
                let object = contents.get_or_add(ADS_DD_USER_OBJECT, "", &record.name);
                object.set_text(ADS_DD_COMMENT, record.comment.clone());
            }
            () if is_kind(record, &["Group"]) => {
                let object = contents.get_or_add(ADS_DD_USER_GROUP_OBJECT, "", &record.name);
                object.set_text(ADS_DD_COMMENT, record.comment.clone());
            }
            () if is_kind(record, &["Database"]) => {
                let object = contents.get_or_add(ADS_DD_DATABASE_OBJECT, "", "");
                object.set_text(ADS_DD_COMMENT, record.comment.clone());
            }
            () => *unread.entry(record.kind.clone()).or_default() += 1,
        }
    }
    contents.is_read_only = true;
    contents.unread = unread.into_iter().collect();
    Ok(contents)
}

fn is_kind(record: &Record, kinds: &[&str]) -> bool {
    !record.name.is_empty() && kinds.iter().any(|kind| record.kind.eq_ignore_ascii_case(kind))
        || kinds == ["Database"] && record.kind.eq_ignore_ascii_case("Database")
}

fn add_table(contents: &mut Contents, record: &Record) -> Result<()> {
    let path = path_of(&record.property).unwrap_or_else(|| format!("{}.adt", record.name));
    let is_dbf = path.to_ascii_lowercase().ends_with(".dbf");
    let cannot = |failure: Failure| Failure::new(AE_CANNOT_OPEN_DICTIONARY, failure.detail.clone());
    let table = contents.add(ADS_DD_TABLE_OBJECT, "", &record.name).map_err(cannot)?;
    table.set_number(ADS_DD_TABLE_TYPE, if is_dbf { ADS_CDX } else { ADS_ADT });
    table.set_text(ADS_DD_TABLE_PATH, Some(path));
    table.set_text(ADS_DD_COMMENT, record.comment.clone());
    Ok(())
}

/// The path at the beginning of a property, as paths are written here.
fn path_of(property: &[u8]) -> Option<String> {
    let end = property.iter().position(|byte| *byte == 0).unwrap_or(property.len());
    let path = text(&property[..end]).replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    (!path.is_empty()).then(|| path.to_owned())
}

/// Text in the code page of the vendor's defaults, without its padding.
fn text(bytes: &[u8]) -> String {
    let decoded = CodePage::by_name("windows-1252").map(|page| page.decode(bytes).text);
    let text = decoded.unwrap_or_else(|| String::from_utf8_lossy(bytes));
    text.trim_end_matches(['\0', ' ']).to_owned()
}

/// The records of a dictionary's file.
struct Table<'b> {
    bytes: &'b [u8],
    header: Header,
    fields: Vec<Field>,
}

impl<'b> Table<'b> {
    fn parse(bytes: &'b [u8]) -> Result<Table<'b>> {
        let cannot = |error: mainstay_types::Error| Failure::new(AE_CANNOT_OPEN_DICTIONARY, error.message().to_owned());
        let mut head = bytes.get(..FIXED_LENGTH).map(<[u8]>::to_vec).unwrap_or_default();
        // But for its signature the header is an ADT's.
        if let Some(first) = head.get_mut(..DICTIONARY_SIGNATURE.len()) {
            first.fill(0);
            first[..SIGNATURE.len()].copy_from_slice(SIGNATURE);
        }
        let header = Header::parse(&head).map_err(cannot)?;
        let described = FIXED_LENGTH + usize::from(header.field_count) * FIELD_LENGTH;
        let descriptors = bytes.get(FIXED_LENGTH..described).unwrap_or_default();
        let fields = adt::parse_fields(&header, &[&head, descriptors].concat()).map_err(cannot)?;
        let table = Table { bytes, header, fields };
        for column in ["objectid", "parentid", "objecttype", "objectname", "property"] {
            if table.field(column).is_none() {
                let message = format!("the dictionary has no column {column}");
                return Err(Failure::new(AE_CANNOT_OPEN_DICTIONARY, message));
            }
        }
        Ok(table)
    }

    /// The column of this name, of which letters alone count.
    fn field(&self, name: &str) -> Option<&Field> {
        let letters = |own: &[u8]| -> Vec<u8> {
            own.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
        };
        self.fields.iter().find(|field| letters(&field.name) == name.as_bytes())
    }

    /// The records that are not deleted.
    ///
    /// Errors: AE_CANNOT_OPEN_DICTIONARY if they are too many.
    fn records(&self, memo: Option<&[u8]>) -> Result<Vec<Record>> {
        let (start, length) = (self.header.header_length as usize, (self.header.record_length as usize).max(1));
        let behind = self.bytes.get(start..).unwrap_or_default();
        let is_read = |record: &&[u8]| !RecordLayout::Adt.is_deleted(record) && !RecordLayout::Adt.is_encrypted(record);
        let live = || behind.chunks_exact(length).take(self.header.record_count as usize).filter(is_read);
        if live().nth(MOST_OBJECTS).is_some() {
            let message = format!("the dictionary has more than {MOST_OBJECTS} objects");
            return Err(Failure::new(AE_CANNOT_OPEN_DICTIONARY, message));
        }
        Ok(live().map(|record| self.record(record, memo)).collect())
    }

    fn record(&self, bytes: &[u8], memo: Option<&[u8]>) -> Record {
        let cell = |name: &str| {
            let field = self.field(name);
            field.and_then(|field| bytes.get(field.offset..field.offset + field.length)).unwrap_or_default()
        };
        let number = |name: &str| cell(name).first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        Record {
            id: number("objectid"),
            parent: number("parentid"),
            kind: text(cell("objecttype")),
            name: text(cell("objectname")),
            property: self.property(cell("property")),
            comment: long_value(cell("comment"), memo).map(|bytes| text(&bytes)).filter(|text| !text.is_empty()),
        }
    }

    /// A property: bytes of a varying length, which stands before them in the old type, and behind them in VarChar.
    fn property(&self, cell: &[u8]) -> Vec<u8> {
        let is_varchar =
            self.field("property").is_some_and(|field| matches!(field.kind, Type::VarChar | Type::VarBinary));
        let at = if is_varchar { cell.len().saturating_sub(2) } else { 0 };
        let length = cell.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u16::from_le_bytes(*bytes));
        let bytes = if is_varchar { cell } else { cell.get(2..).unwrap_or_default() };
        // 0xFFFF is NULL.
        if length == u16::MAX { Vec::new() } else { bytes.iter().take(length.into()).copied().collect() }
    }
}

/// The value that a reference leads to in an ADM; `None` for NULL and for one that leads nowhere.
fn long_value(reference: &[u8], memo: Option<&[u8]>) -> Option<Vec<u8>> {
    let word = |bytes: &[u8], at: usize| bytes.get(at..)?.first_chunk().copied();
    let block = u32::from_le_bytes(word(reference, 0)?) as usize;
    let length = u32::from_le_bytes(word(reference, 4)?) as usize;
    let memo = memo.filter(|_| block > 0)?;
    let size = u32::from_be_bytes(word(memo, 4)?) as usize;
    let start = block.checked_mul(size)?;
    memo.get(start..start.checked_add(length)?).map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Access;

    /// Number, parent, type, name, property, and block and length of the comment.
    type Described<'a> = (u32, u32, &'a str, &'a str, &'a [u8], Option<(u32, u32)>);

    /// A dictionary as its bytes are described: columns of fixed places, a property with its length before it.
    fn dictionary(objects: &[Described<'_>]) -> Vec<u8> {
        let columns: [(&str, u16, u32, u16); 6] = [
            ("Object ID", 11, 5, 4),
            ("Parent ID", 11, 9, 4),
            ("Object Type", 4, 13, 10),
            ("Object Name", 4, 23, 200),
            ("Property", 8, 223, 275),
            ("Comment", 5, 498, 9),
        ];
        let mut bytes = vec![0; 400];
        bytes[..20].copy_from_slice(b"ADS Data Dictionary\0");
        bytes[24..28].copy_from_slice(&(objects.len() as u32).to_le_bytes());
        bytes[32..36].copy_from_slice(&1600_u32.to_le_bytes());
        bytes[36..40].copy_from_slice(&507_u32.to_le_bytes());
        bytes[356] = 4;
        bytes[358] = 6;
        for (name, kind, at, length) in columns {
            let mut one = [0; 200];
            one[..name.len()].copy_from_slice(name.as_bytes());
            one[129..131].copy_from_slice(&kind.to_le_bytes());
            one[131..135].copy_from_slice(&at.to_le_bytes());
            one[135..137].copy_from_slice(&length.to_le_bytes());
            bytes.extend(one);
        }
        for (id, parent, kind, name, property, comment) in objects {
            let mut one = vec![0; 507];
            one[0] = 4;
            one[5..9].copy_from_slice(&id.to_le_bytes());
            one[9..13].copy_from_slice(&parent.to_le_bytes());
            one[13..223].fill(b' ');
            one[13..13 + kind.len()].copy_from_slice(kind.as_bytes());
            one[23..23 + name.len()].copy_from_slice(name.as_bytes());
            one[223..225].copy_from_slice(&(property.len() as u16).to_le_bytes());
            one[225..225 + property.len()].copy_from_slice(property);
            if let Some((block, length)) = comment {
                one[498..502].copy_from_slice(&block.to_le_bytes());
                one[502..506].copy_from_slice(&length.to_le_bytes());
            }
            bytes.extend(one);
        }
        bytes
    }

    fn shop() -> (Vec<u8>, Vec<u8>) {
        let mut memo = vec![0; 1024];
        memo[7] = 8;
        memo.extend(b"who buys");
        let bytes = dictionary(&[
            (8, 7, "Index", "customer", b".\\customer.adi\0\x01\x02", None),
            (7, 0, "Table", "Customers", b".\\customer.adt\0junk", Some((128, 8))),
            (9, 0, "Table", "Old", b"data\\old.dbf\0", None),
            (12, 0, "User", "ann", b"\x11\x22", None),
            (13, 0, "Group", "sales", b"", None),
            (14, 7, "Trigger", "on_insert", b"", None),
            (15, 7, "Permission", "", b"", None),
        ]);
        (bytes, memo)
    }

    #[test]
    fn tables_indexes_users_and_comments_are_read() {
        let (bytes, memo) = shop();
        assert!(is_one(&bytes));
        let contents = read(&bytes, Some(&memo)).unwrap();
        let table = contents.get(ADS_DD_TABLE_OBJECT, "", "customers").unwrap();
        assert_eq!(table.text(ADS_DD_TABLE_PATH), Some("customer.adt"));
        assert_eq!((table.number(ADS_DD_TABLE_TYPE), table.text(ADS_DD_COMMENT)), (ADS_ADT, Some("who buys")));
        let old = contents.get(ADS_DD_TABLE_OBJECT, "", "old").unwrap();
        assert_eq!((old.number(ADS_DD_TABLE_TYPE), old.text(ADS_DD_TABLE_PATH)), (ADS_CDX, Some("data/old.dbf")));
        let index = contents.get(ADS_DD_INDEX_FILE_OBJECT, "Customers", "customer").unwrap();
        assert_eq!(index.text(ADS_DD_INDEX_FILE_PATH), Some("customer.adi"));
        assert!(contents.find(ADS_DD_USER_OBJECT, "", "ANN").is_some());
        assert!(contents.find(ADS_DD_USER_GROUP_OBJECT, "", "sales").is_some());
        assert_eq!(contents.unread, [("Permission".to_owned(), 1), ("Trigger".to_owned(), 1)]);
    }

    #[test]
    fn nobody_changes_anything() {
        let (bytes, memo) = shop();
        let contents = read(&bytes, Some(&memo)).unwrap();
        for access in [Access::administrator(), Access { user: String::new() }] {
            let rights = access.rights(&contents, ADS_DD_TABLE_OBJECT, "", "Customers");
            assert_eq!(rights, ADS_PERMISSION_READ, "{access:?}");
        }
    }

    #[test]
    fn too_many_objects_and_equal_names_are_refused() {
        let of = |count: usize| {
            let names: Vec<String> = (0..count).map(|at| format!("t{at}")).collect();
            let objects: Vec<Described<'_>> =
                names.iter().map(|name| (7, 0, "Trigger", name.as_str(), &b""[..], None)).collect();
            read(&dictionary(&objects), None)
        };
        assert!(of(MOST_OBJECTS).is_ok());
        let code = |read: Result<Contents>| read.err().map(|failure| failure.code);
        assert_eq!(code(of(MOST_OBJECTS + 1)), Some(AE_CANNOT_OPEN_DICTIONARY));
        let twice = [(7, 0, "Table", "same", &b"a.adt"[..], None), (8, 0, "Table", "SAME", b"b.adt", None)];
        assert_eq!(code(read(&dictionary(&twice), None)), Some(AE_CANNOT_OPEN_DICTIONARY));
    }

    #[test]
    fn broken_files_are_refused_or_read_in_part() {
        let (bytes, memo) = shop();
        for end in [0, 19, 399, 400, 700, 1599, 1600, 1700, bytes.len() - 1] {
            let part = read(&bytes[..end], Some(&memo));
            assert_eq!(part.is_ok(), end >= 1600, "{end}");
        }
        for at in (20..1600).step_by(3) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xFF;
            // Whatever it is read as, it is read without a panic.
            let _ = read(&damaged, Some(&memo[..1030]));
        }
        assert!(
            read(&bytes, None)
                .unwrap()
                .get(ADS_DD_TABLE_OBJECT, "", "customers")
                .unwrap()
                .text(ADS_DD_COMMENT)
                .is_none()
        );
    }
}
