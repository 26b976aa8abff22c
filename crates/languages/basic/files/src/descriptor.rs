//! The layouts of FIB and FIN, and the named values of FIN.
//!
//! Source: the manual's pages of FIB and FIN, format 'FF'=0. Numbers are big-endian; places count from 1 as in the manual.
//!
//! ```text
//!   FIB   1,3 records     4,6 name         10,1 kind        11,1 external key    12,3 most records   15,2 record size
//!         17,1 variable   19,1 kind        25,60 path       85,384 key segments (keyed files)
//!   FIN   1,4 bytes       5,4 changed      27,2 status      60,4 most records    64,4 current index
//!         77,4 records    85,1 current key 86,128 key segments
//! ```

use crate::information::FileInformation;
use crate::key::{AutoIncrement, KeyDefinitions, KeySegment, LetterCase, SegmentField};
use crate::options::{FileKind, RecordFormat};
use std::time::UNIX_EPOCH;

/// Bytes of the key segments in FIB and in FIN.
const SEGMENT_BYTES: (usize, usize) = (384, 128);

/// The bits of attributes: for files on disk, and for memory files.
#[derive(Clone, Copy)]
struct Bits {
    unique: u16,
    upper: u16,
    lower: u16,
    translated: u16,
    swapped: u16,
    null_segment: u16,
    null_key: u16,
    binary: u16,
    zero_ended: u16,
    zeros: u16,
    blanks: u16,
}

const STORED_BITS: Bits = Bits {
    unique: 0x0100,
    upper: 0x0200,
    lower: 0x0400,
    translated: 0x0800,
    swapped: 0x1000,
    null_segment: 0x4000,
    null_key: 0x0001,
    binary: 0x0002,
    zero_ended: 0x0004,
    zeros: 0x0008,
    blanks: 0x0010,
};

const MEMORY_BITS: Bits = Bits {
    unique: 0x0001,
    upper: 0x0002,
    lower: 0x0004,
    translated: 0x0008,
    swapped: 0x0010,
    null_segment: 0x0040,
    null_key: 0x0100,
    binary: 0x0200,
    zero_ended: 0x0400,
    zeros: 0x0800,
    blanks: 0x1000,
};

/// The letter and the number of a kind of file.
fn kind_codes(kind: FileKind) -> (u8, u8) {
    match kind {
        FileKind::MemoryQueue | FileKind::MemoryKeyed => (b'M', 0x02),
        FileKind::Keyed | FileKind::Sort => (b'K', 0x02),
        FileKind::Indexed => (b'I', 0x00),
        FileKind::Serial => (b'S', 0x01),
        FileKind::Binary => (b'B', 0x03),
        FileKind::Program => (b'P', 0x04),
        FileKind::Directory => (b'D', 0x0D),
    }
}

impl FileInformation {
    fn put(&self, out: &mut [u8], place: usize, length: usize, value: u64) {
        let bytes = value.min(if length < 8 { (1 << (8 * length)) - 1 } else { u64::MAX }).to_be_bytes();
        out[place - 1..place - 1 + length].copy_from_slice(&bytes[8 - length..]);
    }

    fn put_text(&self, out: &mut [u8], place: usize, length: usize, text: &str) {
        let text = mainstay_code_page::encode(text);
        let bytes = &text[..text.len().min(length)];
        out[place - 1..place - 1 + bytes.len()].copy_from_slice(bytes);
    }

    fn external_length(&self) -> u64 {
        u64::from(self.definition.keys.external_length().unwrap_or(0))
    }

    fn shown_path(&self) -> &str {
        if self.path.is_empty() { &self.name } else { &self.path }
    }

    /// FIB.
    pub fn fib(&self) -> Vec<u8> {
        let mut out = vec![0; 84];
        let definition = &self.definition;
        let (letter, number) = kind_codes(definition.kind);
        self.put(&mut out, 1, 3, self.records);
        self.put_text(&mut out, 4, 6, &self.name);
        out[9] = number;
        self.put(&mut out, 11, 1, self.external_length());
        self.put(&mut out, 12, 3, definition.max_records.unwrap_or(0));
        self.put(&mut out, 15, 2, u64::from(definition.format.limit()));
        let is_variable = definition.kind.has_keys() && matches!(definition.format, RecordFormat::Variable(_));
        out[16] = u8::from(is_variable);
        out[18] = letter;
        self.put_text(&mut out, 25, 60, self.shown_path());
        if definition.kind.has_keys() {
            self.put_segments(SEGMENT_BYTES.0, &mut out);
        }
        out
    }

    /// FID in the layout of parameter 'FF': 0 as FIB, 1 to 4 those of other systems.
    pub fn fid(&self, layout: i64) -> Vec<u8> {
        let definition = &self.definition;
        let (_, number) = kind_codes(definition.kind);
        let most = definition.max_records.unwrap_or(0);
        let size = definition.format.limit().min(65_535) as u16;
        let external = self.external_length().min(255) as u8;
        match layout {
            1 => {
                let mut out = vec![0; 22];
                self.put_text(&mut out, 4, 6, &self.name);
                out[9] = number;
                out[10] = external;
                self.put(&mut out, 12, 3, most);
                self.put(&mut out, 15, 2, u64::from(size));
                self.put_text(&mut out, 21, 2, self.name.get(6..).unwrap_or_default());
                out
            }
            2 => {
                let mut out = vec![0; 16];
                self.put_text(&mut out, 1, 6, &self.name);
                out[6] = number;
                out[7] = external;
                out[8..10].copy_from_slice(&(most.min(65_535) as u16).to_le_bytes());
                out[10..12].copy_from_slice(&size.to_le_bytes());
                out
            }
            3 | 4 => {
                let number = match definition.kind {
                    FileKind::Directory => 0x05,
                    FileKind::Serial if layout == 4 => 0x03,
                    FileKind::Keyed if external == 0 => 0x06,
                    _ => number,
                };
                let mut out = vec![number, external, 0, 0, 0, 0];
                self.put(&mut out, 3, 4, most);
                out.extend_from_slice(&size.to_le_bytes());
                out.extend_from_slice(&mainstay_code_page::encode(self.shown_path()));
                out
            }
            _ => self.fib(),
        }
    }

    /// FIN without the name of a value.
    pub fn fin(&self) -> Vec<u8> {
        let mut out = vec![0; 68];
        self.put(&mut out, 1, 4, self.bytes);
        let modified = self.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let seconds = modified.map_or(0, |since| since.as_secs());
        [5, 9, 13].iter().for_each(|place| self.put(&mut out, *place, 4, seconds));
        let flags = [
            (true, 0x0001),
            (!self.is_read_only, 0x0002),
            (self.definition.kind == FileKind::Directory, 0x0008),
            (self.is_locked, 0x0010),
            (self.is_read_only, 0x0020),
            (self.was_purged, 0x0080),
        ];
        self.put(&mut out, 27, 2, flags.iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum());
        self.put(&mut out, 60, 4, self.definition.max_records.unwrap_or(0));
        self.put(&mut out, 64, 4, self.current_index.and_then(|index| u64::try_from(index).ok()).unwrap_or(0));
        if self.definition.kind.has_keys() {
            out.resize(85, 0);
            self.put(&mut out, 77, 4, self.records);
            self.put(&mut out, 85, 1, self.current_key as u64);
            self.put_segments(SEGMENT_BYTES.1, &mut out);
        }
        out
    }

    /// A value of FIN by its name; `None` for a name that is not a file's. Case does not count.
    pub fn fin_value(&self, name: &str) -> Option<String> {
        let definition = &self.definition;
        let keys = &definition.keys;
        Some(match name.to_ascii_uppercase().as_str() {
            "NUMREC" | "RECORDS_USED" => self.records.to_string(),
            "MAXREC" | "RECORDS_ALLOWED" => definition.max_records.unwrap_or(0).to_string(),
            "RECORD_SIZE" | "RSZ" => definition.format.limit().to_string(),
            "KEY_SIZE" => self.external_length().to_string(),
            "KEY_DEFINITION" => keys.to_string(),
            "KEY_NAMES" => key_names(keys, definition.separator),
            "KEY_OPTIONS" => definition.option_letters(),
            "CURKNO" => self.current_key.to_string(),
            "MAXKNO" => keys.keys().len().saturating_sub(1).to_string(),
            "EXTRACT" => u8::from(self.has_extracted).to_string(),
            "FILELENGTH" => self.bytes.to_string(),
            "FILENAME" => self.name.clone(),
            "PATHNAME" => self.shown_path().to_owned(),
            "SEPARATOR" => char::from(definition.separator).to_string(),
            "FILE_CREATE" => self.creation(),
            _ => return None,
        })
    }

    /// The directive that creates such a file.
    fn creation(&self) -> String {
        let definition = &self.definition;
        let most = definition.max_records.unwrap_or(0);
        let size = match definition.format {
            RecordFormat::Fixed(length) => i64::from(length),
            RecordFormat::Variable(limit) => -i64::from(limit),
        };
        let name = &self.name;
        match definition.kind {
            FileKind::Indexed => format!("INDEXED \"{name}\",{most},{}", definition.format.limit()),
            FileKind::Sort => format!("SORT \"{name}\",{},{most}", self.external_length()),
            FileKind::Keyed | FileKind::MemoryKeyed => format!("KEYED \"{name}\",{},{most},{size}", definition.keys),
            FileKind::Serial => format!("SERIAL \"{name}\""),
            _ => String::new(),
        }
    }

    /// Appends the key segments, and fills them up with $FF$ and zeros.
    fn put_segments(&self, bytes: usize, out: &mut Vec<u8>) {
        let end = out.len() + bytes;
        let is_in_memory = matches!(self.definition.kind, FileKind::MemoryQueue | FileKind::MemoryKeyed);
        let bits = if is_in_memory { MEMORY_BITS } else { STORED_BITS };
        let keys = self.definition.keys.keys().iter().enumerate();
        for (number, segment) in
            keys.flat_map(|(number, key)| key.segments.iter().map(move |segment| (number, segment)))
        {
            let entry = segment_entry(number, segment, bits);
            // One byte is left for the end.
            if out.len() + entry.len() + 1 > end {
                break;
            }
            out.extend_from_slice(&entry);
        }
        out.push(0xFF);
        out.resize(end, 0);
    }
}

fn key_names(keys: &KeyDefinitions, separator: u8) -> String {
    let names = keys.keys().iter().filter_map(|key| key.name.clone());
    names.map(|name| format!("{name}{}", char::from(separator))).collect()
}

/// The four bytes of a segment, or eight with its attributes.
fn segment_entry(number: usize, segment: &KeySegment, bits: Bits) -> Vec<u8> {
    let attributes = &segment.attributes;
    let field = match segment.field {
        SegmentField::External => 0xFF,
        SegmentField::Record => 0,
        SegmentField::Field(field) => field.min(0xFE) as u8,
    };
    let descending = if attributes.is_descending { 0x80 } else { 0 };
    let offset = segment.offset.min(0xFFF);
    let mut entry = vec![
        (number & 0x0F) as u8 | ((offset >> 8) as u8) << 4,
        field,
        (offset & 0xFF) as u8,
        segment.length.min(0x7F) as u8 | descending,
    ];
    let set = [
        (attributes.is_unique, bits.unique),
        (attributes.letter_case == Some(LetterCase::Upper), bits.upper),
        (attributes.letter_case == Some(LetterCase::Lower), bits.lower),
        (attributes.drops_accents, bits.translated),
        (attributes.is_swapped, bits.swapped),
        (attributes.suppresses_segment.is_some(), bits.null_segment),
        (attributes.suppresses_key.is_some(), bits.null_key),
        (attributes.increment == Some(AutoIncrement::Binary), bits.binary),
        (attributes.ends_at_null, bits.zero_ended),
        (attributes.increment == Some(AutoIncrement::Zeros), bits.zeros),
        (attributes.increment == Some(AutoIncrement::Blanks), bits.blanks),
    ];
    let value = set.iter().filter(|(is_set, _)| *is_set).fold(0, |sum, (_, bit)| sum | bit);
    if value != 0 {
        let null = attributes.suppresses_segment.or(attributes.suppresses_key).unwrap_or(0);
        entry.push(0xFE);
        entry.extend_from_slice(&u16::to_be_bytes(value));
        entry.push(null);
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileDefinition;

    fn information(keys: &str) -> FileInformation {
        let keys = KeyDefinitions::parse(keys).unwrap();
        let definition = FileDefinition::new(FileKind::Keyed, keys, RecordFormat::Variable(256));
        FileInformation {
            name: "data/CSTFLE".into(),
            path: "/shop/data/CSTFLE".into(),
            definition: FileDefinition { max_records: Some(300), ..definition },
            records: 66_000,
            bytes: 70_000,
            modified: None,
            current_key: 1,
            current_index: Some(7),
            has_extracted: true,
            is_locked: true,
            is_read_only: false,
            was_purged: false,
        }
    }

    #[test]
    fn fib_has_the_places_of_the_manual() {
        let fib = information("6,[2:1:10:\"D\"]+[1:300:6:\"U\"]").fib();
        assert_eq!(fib.len(), 468);
        assert_eq!(fib[..3], [1, 1, 0xD0]);
        assert_eq!(&fib[3..9], b"data/C");
        assert_eq!((fib[9], fib[10], &fib[11..14], &fib[14..16]), (2, 6, &[0, 1, 44][..], &[1, 0][..]));
        assert_eq!((fib[16], fib[18], &fib[24..41]), (1, b'K', &b"/shop/data/CSTFLE"[..]));
        // Key 0: external, 6 bytes. Key 1: field 2, descending; field 1 from 300 = 1 * 256 + 44, unique.
        assert_eq!(fib[84..88], [0, 0xFF, 1, 6]);
        assert_eq!(fib[88..92], [1, 2, 1, 10 | 0x80]);
        assert_eq!(fib[92..100], [0x11, 1, 44, 6, 0xFE, 1, 0, 0]);
        assert_eq!(fib[100], 0xFF);
    }

    #[test]
    fn fin_has_bytes_and_named_values() {
        let information = information("6,[\"Name\":2:1:10:\"K:20\"]");
        let fin = information.fin();
        assert_eq!((&fin[..4], &fin[26..28]), (&[0, 1, 0x11, 0x70][..], &[0, 0x13][..]));
        assert_eq!((&fin[63..67], &fin[76..80], fin[84]), (&[0, 0, 0, 7][..], &[0, 1, 1, 0xD0][..], 1));
        assert_eq!(fin[89..97], [1, 2, 1, 10, 0xFE, 0, 1, 0x20]);
        let value = |name: &str| information.fin_value(name).unwrap();
        assert_eq!(
            (value("numrec"), value("MaxRec"), value("Record_Size")),
            ("66000".into(), "300".into(), "256".into())
        );
        assert_eq!(value("KEY_DEFINITION"), "6,[\"Name\":2:1:10:\"K:20\"]");
        assert_eq!((value("Extract"), value("CurKno"), value("MaxKno")), ("1".into(), "1".into(), "1".into()));
        assert_eq!(value("file_create"), "KEYED \"data/CSTFLE\",6,[\"Name\":2:1:10:\"K:20\"],300,-256");
        assert_eq!(information.fin_value("XYMouse"), None);
    }
}
