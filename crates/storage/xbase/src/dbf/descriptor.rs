//! The field descriptors, between the fixed part of the header and the first record.
//!
//! ```text
//!              classic                        dBASE 7
//!   begins at  32                             68 (after a 32-byte driver name)
//!   each has   32 bytes                       48 bytes
//!   0          name, 11 bytes, NUL-padded     name, 32 bytes
//!   letter     11                             32
//!   length     16                             33
//!   decimals   17                             34
//!   flags      18 (1 system, 2 nullable, 4 binary, 8 counting)
//!   counter    19 next, 32 bits; 23 step      40 next
//!   ends with  0x0D, or where the header ends
//! ```
//! The header does not name the layout, nor if a `C` field's decimals are the high byte of its length (Clipper,
//! Harbour) or have no meaning (all others). The record length decides: the right layout is the one whose lengths add
//! up to it. The flags are trusted in Visual FoxPro tables, and elsewhere only without evidence that the bytes are
//! uninitialized, as Clipper left them.

use super::field::{Field, FieldKind, MAX_DIGITS};
use super::header::{FIXED_LENGTH, Family, Header};
use crate::codepage::CodePage;
use mainstay_types::{Code, Error, Result};
use std::collections::HashSet;

/// The counter of an autoincrement field, as it was when the header was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The value that the next record gets.
    pub next: u32,
    /// The number added for each new record.
    pub step: u8,
}

/// The decoded descriptors.
#[derive(Debug, Default)]
pub(super) struct Structure {
    /// The columns, without `_NullFlags`.
    pub fields: Vec<Field>,
    /// For each column, its counter.
    pub counters: Vec<Option<Counter>>,
    /// Oddities of the descriptors, each with its cause.
    pub warnings: Vec<(&'static str, String)>,
    /// Undecodable bytes, unreadable columns, each with its cause.
    pub errors: Vec<(&'static str, String)>,
    /// The descriptors are dBASE 7's.
    pub wide: bool,
}

/// The cause of a finding about two fields of the same name.
pub(crate) const REPEATED_NAME: &str = "a field repeats the name of another and is called differently";

const NULLABLE: u8 = 2;
const BINARY: u8 = 4;
const COUNTING: u8 = 8;

struct Raw {
    name: Vec<u8>,
    letter: u8,
    length: usize,
    decimals: u8,
    flags: u8,
    counter: Counter,
    /// True if the bytes that classic programs do not use are zero.
    clean: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Classic,
    Dbase7,
}

/// Reads the descriptors out of the whole header (fixed part included).
pub(super) fn parse(header: &Header, bytes: &[u8], page: CodePage) -> Result<Structure> {
    let family = header.family();
    let mut structure = Structure::default();
    let (layout, raws, terminated) = choose(header, bytes);
    structure.wide = layout == Layout::Dbase7;
    let record = header.record_bytes();
    let mut raws = raws;
    if family != Family::VisualFoxPro && layout == Layout::Classic {
        settle_long_fields(&mut raws, record, &mut structure);
    }
    let total = 1 + raws.iter().map(|raw| raw.length).sum::<usize>();
    check_lengths(header, raws.len(), total, terminated, &mut structure)?;
    if family == Family::Unknown {
        if total != record {
            let message =
                format!("version byte {:#04x} is of no known program, and the fields do not fit", header.version);
            return Err(Error::new(Code::NotThisFormat, message));
        }
        let message = format!("version byte {:#04x} is of no known program; read as dBASE III", header.version);
        structure.errors.push(("the version byte is of no known program; read as dBASE III", message));
    }
    build(&raws, layout, family == Family::VisualFoxPro, page, &mut structure);
    Ok(structure)
}

fn choose(header: &Header, bytes: &[u8]) -> (Layout, Vec<Raw>, bool) {
    if header.family() == Family::MaybeDbase7 {
        let (raws, terminated) = scan(bytes, Layout::Dbase7);
        if terminated && 1 + raws.iter().map(|raw| raw.length).sum::<usize>() == header.record_bytes() {
            return (Layout::Dbase7, raws, terminated);
        }
    }
    let (raws, terminated) = scan(bytes, Layout::Classic);
    (Layout::Classic, raws, terminated)
}

/// All descriptors up to the terminator, and whether there was one.
fn scan(bytes: &[u8], layout: Layout) -> (Vec<Raw>, bool) {
    let (start, step) = match layout {
        Layout::Classic => (FIXED_LENGTH, 32),
        Layout::Dbase7 => (68, 48),
    };
    let mut raws = Vec::new();
    let mut rest = bytes.get(start..).unwrap_or_default();
    loop {
        match rest.first() {
            Some(0x0D) => return (raws, true),
            // Some writers end with a NUL.
            Some(0) => {
                let any = !raws.is_empty();
                return (raws, any);
            }
            _ => {}
        }
        let Some((one, after)) = rest.split_at_checked(step) else { return (raws, false) };
        let raw = match layout {
            Layout::Classic => classic(one, raws.is_empty()),
            Layout::Dbase7 => dbase7(one),
        };
        if !(raw.letter.is_ascii_graphic() || (0x1A..=0x1C).contains(&raw.letter)) {
            return (raws, false);
        }
        raws.push(raw);
        rest = after;
    }
}

fn name_of(bytes: &[u8]) -> Vec<u8> {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    bytes[..end].trim_ascii_end().to_vec()
}

/// `one` has 32 bytes. The first descriptor of a Clipper table may have a work area in bytes 24 to 27.
fn classic(one: &[u8], first: bool) -> Raw {
    let counting = one[18] & COUNTING != 0;
    let zero = |range: std::ops::Range<usize>| one[range].iter().all(|&byte| byte == 0);
    Raw {
        name: name_of(&one[..11]),
        letter: one[11],
        length: usize::from(one[16]),
        decimals: one[17],
        flags: one[18],
        counter: Counter { next: u32::from_le_bytes([one[19], one[20], one[21], one[22]]), step: one[23] },
        clean: zero(12..16) && (first || zero(24..28)) && zero(28..31) && (counting || zero(19..24)),
    }
}

/// `one` has 48 bytes.
fn dbase7(one: &[u8]) -> Raw {
    Raw {
        name: name_of(&one[..32]),
        letter: one[32],
        length: usize::from(one[33]),
        decimals: one[34],
        flags: 0,
        counter: Counter { next: u32::from_le_bytes([one[40], one[41], one[42], one[43]]), step: 1 },
        clean: true,
    }
}

/// Makes the decimals of text fields the high byte of their length, unless the record length says that this
/// is not such a file.
fn settle_long_fields(raws: &mut [Raw], record_length: usize, structure: &mut Structure) {
    let short = 1 + raws.iter().map(|raw| raw.length).sum::<usize>();
    let is_long = |raw: &Raw| matches!(raw.letter, b'C' | 0x1A | 0x1B) && raw.decimals > 0;
    if !raws.iter().any(is_long) {
        return;
    }
    if short == record_length {
        let cause = "text fields have decimals, which have no meaning here";
        structure.warnings.push((cause, cause.to_owned()));
        return;
    }
    for raw in raws.iter_mut().filter(|raw| is_long(raw)) {
        raw.length += usize::from(raw.decimals) * 256;
    }
}

/// The record length of the header wins if the fields fit into it and the header is whole.
fn check_lengths(header: &Header, count: usize, total: usize, terminated: bool, out: &mut Structure) -> Result<()> {
    let record = header.record_bytes();
    let damaged = |message: String| Err(Error::new(Code::Damaged, message));
    if record == 0 {
        return damaged("the header says that a record has 0 bytes".into());
    }
    if total > record {
        let message =
            format!("the {count} fields and the deletion flag take {total} bytes, a record has only {record}");
        return damaged(message);
    }
    if count == 0 && record > 1 {
        return damaged("the header describes no field".into());
    }
    if total < record {
        if !terminated {
            return damaged(format!(
                "the header ends after {count} fields of {total} bytes together; a record has {record} bytes"
            ));
        }
        let message = format!("a record has {record} bytes, of which the fields describe only {total}");
        out.warnings.push(("the fields describe only a part of a record", message));
    } else if !terminated {
        let cause = "the list of fields is not terminated";
        out.warnings.push((cause, cause.to_owned()));
    }
    Ok(())
}

/// Returns true if the flag bytes mean something. Programs with field types of their own write flags with care, and
/// so does everything that left the unused bytes zero.
fn flags_are_believed(raws: &[Raw]) -> bool {
    let plain = |raw: &Raw| matches!(raw.letter, b'C' | b'N' | b'F' | b'D' | b'L' | b'M' | b'V');
    let sound = |raw: &Raw| {
        let allowed = match raw.letter {
            b'N' | b'F' => NULLABLE | COUNTING,
            b'D' | b'L' => NULLABLE,
            _ => NULLABLE | BINARY,
        };
        raw.clean && raw.flags & !allowed == 0
    };
    raws.iter().any(|raw| !plain(raw)) || raws.iter().all(sound)
}

fn build(raws: &[Raw], layout: Layout, vfp: bool, page: CodePage, out: &mut Structure) {
    let believed = layout == Layout::Classic && (vfp || flags_are_believed(raws));
    let mut bits = NullBits::find(raws);
    let mut names = HashSet::new();
    let mut offset = 1;
    for (number, raw) in raws.iter().enumerate() {
        let flags = if believed { raw.flags } else { 0 };
        let kind = kind_of(raw, flags, layout, vfp);
        let varying_bit = match kind {
            FieldKind::Varchar | FieldKind::VarcharUnconverted | FieldKind::Varbinary => bits.next(),
            _ => None,
        };
        let null_bit = if flags & NULLABLE != 0 { bits.next() } else { None };
        if kind != FieldKind::NullFlags {
            let name = unique_name(raw, number, page, &mut names, out);
            if kind == FieldKind::Unknown {
                let letter = char::from(raw.letter).escape_default();
                let message = format!("field {name} has the unknown type {letter} of {} bytes", raw.length);
                out.warnings.push(("a field has an unknown type", message));
            }
            let counts = flags & COUNTING != 0 || raw.letter == b'+';
            out.counters.push(counts.then_some(raw.counter));
            let decimals = decimals_of(raw, kind);
            let length = raw.length;
            let letter = raw.letter;
            out.fields.push(Field { name, kind, letter, offset, length, decimals, null_bit, varying_bit, adt: None });
        }
        offset += raw.length;
    }
    if bits.missing {
        let cause = "_NullFlags is missing or too short for the nullable fields";
        out.errors.push((cause, cause.to_owned()));
    }
}

fn decimals_of(raw: &Raw, kind: FieldKind) -> u8 {
    match kind {
        // More than a number of 64 bits has digits: no program means them.
        FieldKind::Integer if raw.decimals > 18 => 0,
        FieldKind::Currency if raw.decimals == 0 || raw.decimals > 18 => 4,
        FieldKind::Numeric | FieldKind::Integer | FieldKind::Currency | FieldKind::Double => {
            raw.decimals.min(MAX_DIGITS)
        }
        _ => 0,
    }
}

fn unique_name(raw: &Raw, number: usize, page: CodePage, names: &mut HashSet<String>, out: &mut Structure) -> String {
    let decoded = page.decode(&raw.name);
    if decoded.undecodable > 0 {
        let message = format!("the name of field {} has bytes that {page:?} does not define", number + 1);
        out.warnings.push(("the name of a field has bytes that the code page does not define", message));
    }
    let wanted = match decoded.text.trim() {
        "" => format!("FIELD{}", number + 1),
        _ => decoded.text.into_owned(),
    };
    let mut name = wanted.clone();
    let mut suffix = 1;
    while !names.insert(name.to_uppercase()) {
        suffix += 1;
        name = format!("{wanted}_{suffix}");
    }
    if suffix > 1 {
        let message = format!("field {} repeats the name {wanted} and is called {name}", number + 1);
        out.warnings.push((REPEATED_NAME, message));
    }
    name
}

/// Gives out the bits of `_NullFlags` in field order.
struct NullBits {
    free: std::ops::Range<usize>,
    missing: bool,
}

impl NullBits {
    fn find(raws: &[Raw]) -> NullBits {
        let mut offset = 1;
        for raw in raws {
            if raw.letter == b'0' && raw.name.eq_ignore_ascii_case(b"_NullFlags") {
                return NullBits { free: offset * 8..(offset + raw.length) * 8, missing: false };
            }
            offset += raw.length;
        }
        NullBits { free: 0..0, missing: false }
    }

    fn next(&mut self) -> Option<usize> {
        let bit = self.free.next();
        self.missing |= bit.is_none();
        bit
    }
}

fn kind_of(raw: &Raw, flags: u8, layout: Layout, vfp: bool) -> FieldKind {
    use FieldKind::*;
    let binary = flags & BINARY != 0;
    let dbase7 = layout == Layout::Dbase7;
    match (raw.letter, raw.length) {
        (b'C', _) if binary => CharacterBinary,
        (b'C', _) => Character,
        (0x1A, length) if length % 2 == 0 => CharacterWide,
        (0x1B, length) if length % 2 == 0 && length >= 2 => VarcharWide,
        (b'N' | b'F', 1..) => Numeric,
        (b'D', 8) => Date,
        (b'D', 3) => DateBinary,
        (b'D', 4) => DateJulian,
        (b'L', 1..) => Logical,
        (b'I' | b'+', 4) if dbase7 => IntegerSortable,
        (b'O', 8) if dbase7 => DoubleSortable,
        (b'I', 1..=4 | 8) | (b'+', 4) | (b'Y', 1..=4) => Integer,
        (b'2', 2) | (b'4', 4) => Integer,
        (b'Y', 8) => Currency,
        (b'B' | b'O' | b'8' | b'Z', 8) => Double,
        (b'T', 8) => Timestamp,
        (b'@', 8) if !dbase7 => Timestamp,
        (b'T', 4) => Time,
        (b'=', 8) => ModificationTime,
        (b'^', 8) => RowVersion,
        // Text to FoxPro: its TYPE() is C.
        (b'V', 1..) if vfp && binary => VarcharUnconverted,
        (b'V', 1..) if vfp => Varchar,
        (b'Q', 1..) => {
            if vfp || binary {
                Varbinary
            } else {
                Varchar
            }
        }
        (b'V', 3) => DatePacked,
        (b'V', 1 | 2 | 4) => Integer,
        (b'V', 6..) => Any,
        (b'M', 4 | 10) if binary => MemoBinary,
        (b'M', 4 | 10) => Memo,
        (0x1C, 4 | 10) => MemoWide,
        (b'B' | b'G' | b'P' | b'W', 4 | 10) => MemoBinary,
        (b'0', _) => NullFlags,
        _ => Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header with these fields: name, letter, length, decimals, flags.
    fn header(version: u8, record_length: u16, fields: &[(&str, u8, u8, u8, u8)]) -> (Header, Vec<u8>) {
        let mut bytes = vec![0; 32];
        bytes[0] = version;
        bytes[10..12].copy_from_slice(&record_length.to_le_bytes());
        for (name, letter, length, decimals, flags) in fields {
            let mut one = [0; 32];
            one[..name.len()].copy_from_slice(name.as_bytes());
            (one[11], one[16], one[17], one[18]) = (*letter, *length, *decimals, *flags);
            bytes.extend_from_slice(&one);
        }
        bytes.push(0x0D);
        let length = bytes.len() as u16;
        bytes[8..10].copy_from_slice(&length.to_le_bytes());
        (Header::parse(&bytes).unwrap(), bytes)
    }

    fn parsed(version: u8, record_length: u16, fields: &[(&str, u8, u8, u8, u8)]) -> Result<Structure> {
        let (header, bytes) = header(version, record_length, fields);
        parse(&header, &bytes, CodePage::default_for_version(version))
    }

    #[test]
    fn the_varying_bit_comes_before_the_null_bit() {
        let fields = [("A", b'C', 4, 0, 2), ("V", b'V', 9, 0, 2), ("Q", b'Q', 9, 0, 0), ("_NullFlags", b'0', 1, 0, 1)];
        let fields = parsed(0x32, 24, &fields).unwrap().fields;
        let bits: Vec<_> = fields.iter().map(|field| (field.varying_bit, field.null_bit)).collect();
        let base = 23 * 8;
        assert_eq!(bits, [(None, Some(base)), (Some(base + 1), Some(base + 2)), (Some(base + 3), None)]);
        assert_eq!((fields.len(), fields[2].kind), (3, FieldKind::Varbinary));
    }

    #[test]
    fn long_text_is_told_from_meaningless_decimals_by_the_record_length() {
        let fields = [("A", b'C', 44, 1, 0), ("N", b'N', 8, 2, 0)];
        let lengths = |s: Structure| s.fields.iter().map(|field| field.length).collect::<Vec<_>>();
        assert_eq!(lengths(parsed(0x03, 309, &fields).unwrap()), [300, 8]);
        assert_eq!(lengths(parsed(0x03, 53, &fields).unwrap()), [44, 8]);
        assert_eq!(lengths(parsed(0x30, 53, &fields).unwrap()), [44, 8]);
    }

    #[test]
    fn more_decimals_than_a_number_has_digits_are_meaningless() {
        let fields = [("I", b'I', 4, 20, 0), ("Y", b'Y', 8, 200, 0), ("J", b'I', 4, 2, 0)];
        let fields = parsed(0x30, 17, &fields).unwrap().fields;
        assert_eq!(fields.iter().map(|field| field.decimals).collect::<Vec<_>>(), [0, 4, 2]);
    }

    #[test]
    fn random_flags_of_clipper_are_not_believed() {
        let (header, mut bytes) = header(0x03, 15, &[("A", b'C', 4, 0, 4), ("M", b'M', 10, 0, 4)]);
        let kinds = |bytes: &[u8]| {
            let structure = parse(&header, bytes, CodePage::default_for_version(3)).unwrap();
            structure.fields.iter().map(|field| field.kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds(&bytes), [FieldKind::CharacterBinary, FieldKind::MemoBinary]);
        bytes[32 + 13] = 0x7C;
        assert_eq!(kinds(&bytes), [FieldKind::Character, FieldKind::Memo]);
    }

    #[test]
    fn lengths_that_do_not_add_up() {
        assert!(parsed(0x03, 0, &[("A", b'C', 4, 0, 0)]).is_err());
        assert!(parsed(0x03, 4, &[("A", b'C', 4, 0, 0)]).is_err());
        assert_eq!(parsed(0x03, 9, &[("A", b'C', 4, 0, 0)]).unwrap().warnings.len(), 1);
        assert!(parsed(0x99, 9, &[("A", b'C', 4, 0, 0)]).is_err());
        assert_eq!(parsed(0x99, 5, &[("A", b'C', 4, 0, 0)]).unwrap().errors.len(), 1);
    }

    #[test]
    fn repeated_and_empty_names_are_made_unique() {
        let fields =
            parsed(3, 5, &[("A", b'C', 1, 0, 0), ("a", b'C', 1, 0, 0), (" ", b'C', 1, 0, 0), ("A", b'L', 1, 0, 0)]);
        let structure = fields.unwrap();
        let names: Vec<_> = structure.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["A", "a_2", "FIELD3", "A_3"]);
        assert_eq!(structure.warnings.len(), 2);
    }

    #[test]
    fn dbase_7_has_longer_descriptors() {
        let mut bytes = vec![0; 68];
        bytes[0] = 0x04;
        bytes[10] = 13;
        for (name, letter, length) in [(&b"A rather long name"[..], b'I', 4), (b"D", b'D', 8)] {
            let mut one = [0; 48];
            one[..name.len()].copy_from_slice(name);
            (one[32], one[33]) = (letter, length);
            bytes.extend_from_slice(&one);
        }
        bytes.push(0x0D);
        let header = Header::parse(&bytes).unwrap();
        let structure = parse(&header, &bytes, CodePage::default_for_version(4)).unwrap();
        assert_eq!(structure.fields[0].name, "A rather long name");
        assert_eq!(structure.fields[0].kind, FieldKind::IntegerSortable);
        assert_eq!(structure.fields[1].offset, 5);
    }
}
