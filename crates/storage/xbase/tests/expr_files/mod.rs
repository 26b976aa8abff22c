//! File readers of the expression tests: a DBF header and a CSV, each in a few lines, so that the
//! evaluator is tested against the bytes of a file and nothing in between.
#![allow(clippy::disallowed_methods, dead_code)]

use mainstay_xbase::dbf::{Field, FieldKind};
use mainstay_xbase::expr::ExprValue;

/// The bytes of a fixture.
pub fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/../../../tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A DBF: its fields and the bytes of its records.
pub struct Table {
    pub fields: Vec<Field>,
    bytes: Vec<u8>,
    header: usize,
    record: usize,
}

impl Table {
    pub fn open(name: &str) -> Table {
        let bytes = fixture(name);
        let u16_at = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let (header, record) = (u16_at(8), u16_at(10));
        let (mut fields, mut offset, mut at) = (Vec::new(), 1, 32);
        let mut bits = 0;
        while bytes[at] != 0x0D {
            let descriptor = &bytes[at..at + 32];
            let field = field(descriptor, offset, bytes[0], &mut bits);
            offset += field.length;
            fields.push(field);
            at += 32;
        }
        // The bits were counted from 0; a field names its bit by its place in the record.
        let flags = fields.iter().find(|field: &&Field| field.kind == FieldKind::NullFlags);
        if let Some(first) = flags.map(|flags| flags.offset * 8) {
            for field in &mut fields {
                field.null_bit = field.null_bit.map(|bit| bit + first);
                field.varying_bit = field.varying_bit.map(|bit| bit + first);
            }
        }
        Table { fields, header, record, bytes }
    }

    /// Record numbers count from 1.
    pub fn record(&self, recno: u32) -> &[u8] {
        let start = self.header + (recno as usize - 1) * self.record;
        &self.bytes[start..start + self.record]
    }

    pub fn count(&self) -> u32 {
        u32::from_le_bytes(self.bytes[4..8].try_into().unwrap())
    }
}

fn field(descriptor: &[u8], offset: usize, version: u8, bits: &mut usize) -> Field {
    let end = descriptor[..11].iter().position(|byte| *byte == 0).unwrap_or(11);
    let (letter, flags) = (descriptor[11], descriptor[18]);
    let mut length = usize::from(descriptor[16]);
    let mut decimals = descriptor[17];
    if letter == b'C' && version != 0x30 {
        length += 256 * usize::from(decimals);
        decimals = 0;
    }
    let mut take = |wanted: bool| {
        wanted.then(|| {
            *bits += 1;
            *bits - 1
        })
    };
    let varying_bit = take(letter == b'Q' || letter == b'V' && length > 6);
    let null_bit = take(flags & 2 != 0);
    let kind = match (letter, length) {
        (b'C', _) => FieldKind::Character,
        (b'N' | b'F', _) => FieldKind::Numeric,
        (b'D', 8) => FieldKind::Date,
        (b'D' | b'V', 3) => FieldKind::DateBinary,
        (b'D', 4) => FieldKind::DateJulian,
        (b'L', _) => FieldKind::Logical,
        (b'I' | b'+', _) | (b'V', 4) => FieldKind::Integer,
        (b'B' | b'O' | b'Z', 8) => FieldKind::Double,
        (b'Y', _) => FieldKind::Currency,
        (b'T', 4) => FieldKind::Time,
        (b'T' | b'@', 8) => FieldKind::Timestamp,
        (b'=', 8) => FieldKind::ModificationTime,
        (b'^', 8) => FieldKind::RowVersion,
        (b'V', 6) => FieldKind::Any,
        (b'V', _) => FieldKind::Varchar,
        (b'Q', _) => FieldKind::Varbinary,
        (b'0', _) => FieldKind::NullFlags,
        (b'M', _) => FieldKind::Memo,
        _ => FieldKind::MemoBinary,
    };
    let name = String::from_utf8_lossy(&descriptor[..end]).into_owned();
    Field { name, kind, letter, offset, length, decimals, null_bit, varying_bit, adt: None }
}

/// The rows of a CSV without its header. Quotes are doubled inside quotes.
pub fn rows(name: &str) -> Vec<Vec<String>> {
    let text = String::from_utf8_lossy(&fixture(name)).into_owned();
    let mut rows = vec![Vec::new()];
    let (mut cell, mut quoted) = (String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                cell.push('"');
                characters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => rows.last_mut().unwrap().push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                rows.last_mut().unwrap().push(std::mem::take(&mut cell));
                rows.push(Vec::new());
            }
            '\r' if !quoted => {}
            other => cell.push(other),
        }
    }
    rows.retain(|row| !row.is_empty());
    rows.remove(0);
    rows
}

/// A text as the fixtures write it.
pub fn shown_text(text: &[u8]) -> String {
    if text.iter().any(|byte| !(32..=126).contains(byte)) {
        return "hex:".to_string() + &text.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    }
    String::from_utf8_lossy(text).into_owned()
}

/// `YYYYMMDD`, or blanks; zeros for days before the year 0.
pub fn shown_day(julian: i32) -> String {
    match julian {
        ..=0 => return " ".repeat(8),
        1..1_721_060 => return "0".repeat(8),
        _ => {}
    }
    let (year, month, day) = mainstay_types::Date::from_julian(julian).ymd();
    format!("{year:04}{month:02}{day:02}")
}

/// A value that is no number, as the fixtures write it.
pub fn shown(value: ExprValue<'_>) -> (char, String) {
    match value {
        ExprValue::Character(text) => ('C', shown_text(text)),
        ExprValue::Number(number) => ('N', number.to_string()),
        ExprValue::Date(day) => ('D', shown_day(day)),
        ExprValue::Timestamp { day, ms } => {
            let date = shown_day(day).replace(' ', "0");
            let seconds = ms / 1000;
            let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            ('T', format!("{date}{hour:02}{minute:02}{second:02}{:03}", ms % 1000))
        }
        ExprValue::Logical(value) => ('L', if value { "T" } else { "F" }.into()),
        ExprValue::Null => ('U', String::new()),
    }
}
