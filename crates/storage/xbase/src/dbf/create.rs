//! New tables: their specification, and the bytes of their header.
//!
//! | format | version | memo | header after the fields |
//! |---|---|---|---|
//! | dBASE III, Clipper, Harbour DBFNTX | 0x03, 0x83 | DBT III | `0D 00` |
//! | dBASE IV | 0x03, 0x8B | DBT IV | `0D` |
//! | FoxPro 2, Harbour DBFCDX | 0x03, 0xF5 | FPT | `0D 00` |
//! | Six, Harbour | 0x03, 0xE5 | SMT | `0D 00` |
//! | Visual FoxPro | 0x30; 0x31 counting; 0x32 varying | FPT, table flag 2 | `0D`, 263 bytes for the container's name |
//! | Advantage | - | ADM | none: see [`crate::adt`] |
//! | dBASE 7 | 0x04, 0x8C | DBT IV | `0D`; names of 31, descriptors of 48 bytes |
//!
//! The reader's own code reads the new header back before it is returned: a header that would be read as anything else
//! than the request is an error.

use super::descriptor::{self, Counter};
use super::encode::text_of_name;
use super::field::{Field, FieldKind};
use super::header::{FIXED_LENGTH, Header};
use crate::adt;
use crate::codepage::CodePage;
use crate::memo::MemoKind;
use mainstay_types::{Code, Date, Error, Result};

/// The programs whose form a new table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// dBASE III, Clipper, Harbour with NTX. (dBASE III and Clipper themselves know C, N, D, L and M only.)
    DbaseThree,
    /// dBASE IV.
    DbaseFour,
    /// FoxPro 2, Harbour with CDX.
    FoxPro,
    /// Six, Harbour with SMT memos.
    Six,
    /// Visual FoxPro.
    VisualFoxPro,
    /// dBASE 7.
    Dbase7,
    /// Advantage's own: the letter of a field is the code of its type ([`crate::adt::Type`]).
    Advantage,
}

impl Format {
    /// The kind of memo file that its tables have.
    pub fn memo_kind(self) -> MemoKind {
        match self {
            Format::DbaseThree => MemoKind::DbaseThree,
            Format::DbaseFour | Format::Dbase7 => MemoKind::DbaseFour,
            Format::FoxPro | Format::VisualFoxPro => MemoKind::FoxPro,
            Format::Six => MemoKind::Six,
            Format::Advantage => MemoKind::Advantage,
        }
    }

    /// The type letters that its tables may have.
    fn letters(self) -> &'static [u8] {
        match self {
            Format::DbaseFour => b"CNFDLM",
            Format::VisualFoxPro => b"CNFDLMGPWBIYTVQ",
            Format::Dbase7 => b"CNFDLMBGIO+",
            // Harbour's, which go into any of these.
            _ => b"CNFDLMGPWBIT@=^+VQYZ\x1A\x1B\x1C",
        }
    }
}

/// A field of a new table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSpec {
    /// The name: up to 10 bytes in the table's code page, 31 in dBASE 7. Stored in capitals.
    pub name: String,
    /// The type letter: see `docs/formats/dbf.md`.
    pub letter: u8,
    /// Bytes in the record; 0 takes the usual length of the type, if it has one.
    pub length: usize,
    /// Digits after the point.
    pub decimals: u8,
    /// True if it can be NULL.
    pub nullable: bool,
    /// Bytes, not text (C, M, V, Q).
    pub binary: bool,
    /// The counter of an autoincrement field.
    pub counter: Option<Counter>,
}

impl FieldSpec {
    /// A field without flags.
    pub fn new(name: &str, letter: u8, length: usize, decimals: u8) -> FieldSpec {
        let counter = (letter == b'+').then_some(Counter { next: 1, step: 1 });
        FieldSpec { name: name.to_owned(), letter, length, decimals, nullable: false, binary: false, counter }
    }

    /// The same, able to be NULL.
    pub fn nullable(mut self) -> FieldSpec {
        self.nullable = true;
        self
    }

    /// The field of an existing table.
    pub fn of(field: &Field, counter: Option<Counter>) -> FieldSpec {
        let binary = matches!(
            field.kind,
            FieldKind::CharacterBinary | FieldKind::MemoBinary | FieldKind::Varbinary | FieldKind::VarcharUnconverted
        );
        let code = field.adt.and_then(|kind| u8::try_from(kind.code()).ok());
        FieldSpec {
            name: field.name.clone(),
            letter: code.unwrap_or(field.letter),
            length: field.length,
            decimals: field.decimals,
            nullable: field.null_bit.is_some(),
            binary: binary && matches!(field.letter, b'C' | b'M' | b'V' | b'Q'),
            counter,
        }
    }

    /// The field of a table of this format that has the values of an existing one, which may be of another format.
    pub fn in_format(field: &Field, counter: Option<Counter>, format: Format) -> FieldSpec {
        match (field.adt, format) {
            (Some(kind), format) if format != Format::Advantage => dbf_field(field, kind, counter, format),
            (None, Format::Advantage) => adt::field_of_kind(field, counter),
            _ => FieldSpec::of(field, counter),
        }
    }

    fn length(&self, format: Format) -> usize {
        match (self.letter, self.length) {
            (b'D', 0) => 8,
            (b'L', 0) => 1,
            (b'M' | b'G' | b'P' | b'W' | 0x1C, 0) => match format {
                Format::VisualFoxPro => 4,
                _ => 10,
            },
            (b'B', 0) if format == Format::Dbase7 => 10,
            (b'I' | b'+', 0) => 4,
            (b'B' | b'Y' | b'T' | b'@' | b'=' | b'^' | b'O' | b'Z', 0) => 8,
            (_, length) => length,
        }
    }

    fn flags(&self, format: Format) -> u8 {
        // Harbour and Visual FoxPro mark every field that is not text with the binary flag.
        let binary = self.binary
            || matches!(self.letter, b'I' | b'B' | b'Y' | b'T' | b'@' | b'=' | b'^' | b'+')
            || matches!(self.letter, b'G' | b'P' | b'W')
            || self.letter == b'D' && self.length(format) != 8;
        let counting = self.counter.is_some() && self.letter != b'+';
        [(self.nullable, 2), (binary, 4), (counting, 8)].iter().map(|(set, bit)| u8::from(*set) * bit).sum()
    }
}

/// The field of a DBF for one of an ADT: the letter of the nearest type.
fn dbf_field(field: &Field, kind: adt::Type, counter: Option<Counter>, format: Format) -> FieldSpec {
    let vfp = format == Format::VisualFoxPro;
    let (letter, length) = match kind {
        adt::Type::Guid => (b'C', 36),
        adt::Type::VarChar | adt::Type::VarBinary => (b'C', field.length - 2),
        adt::Type::RowVersion if vfp => (b'N', 20),
        adt::Type::ModTime if vfp => (b'T', 8),
        adt::Type::Date => (b'D', 8),
        adt::Type::AutoIncrement if vfp => (b'I', 4),
        adt::Type::LongInt if vfp => (b'N', 20),
        adt::Type::ShortInt if vfp => (b'I', 4),
        kind if kind.is_reference() => (field.letter, 0),
        _ => (field.letter, field.length),
    };
    let binary = matches!(kind, adt::Type::Raw | adt::Type::VarBinary | adt::Type::Binary | adt::Type::Image);
    let spec = FieldSpec::new(&field.name, letter, length, field.decimals);
    FieldSpec { binary, nullable: vfp && kind.can_be_null(), counter, ..spec }
}

/// A new table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSpec {
    /// The format of the table.
    pub format: Format,
    /// The language byte: the code page.
    pub language: u8,
    /// The fields.
    pub fields: Vec<FieldSpec>,
    /// Bytes in a block of the memo file; 0 takes the usual: 512, 64 for FPT, 32 for SMT.
    pub memo_block_size: u32,
}

fn invalid(message: String) -> Error {
    Error::new(Code::InvalidValue, message)
}

impl TableSpec {
    /// A table with these fields, in code page 1252 (Visual FoxPro) or 437.
    pub fn new(format: Format, fields: Vec<FieldSpec>) -> TableSpec {
        let language = if format == Format::VisualFoxPro { 0x03 } else { 0x01 };
        TableSpec { format, language, fields, memo_block_size: 0 }
    }

    /// Returns true if the table has a memo file.
    pub fn has_memo(&self) -> bool {
        self.fields.iter().any(|field| match field.letter {
            _ if self.format == Format::Advantage => adt::type_of(field).is_reference(),
            b'M' | b'G' | b'P' | b'W' | 0x1C => true,
            b'V' => self.format != Format::VisualFoxPro && field.length >= 6,
            b'B' => self.format == Format::Dbase7,
            _ => false,
        })
    }

    /// Bytes in a block of the memo file.
    pub fn block_size(&self) -> u32 {
        match (self.memo_block_size, self.format.memo_kind()) {
            (_, MemoKind::DbaseThree) => 512,
            (0, MemoKind::FoxPro) => 64,
            (0, MemoKind::Six) => 32,
            (0, MemoKind::DbaseFour) => 512,
            (0, MemoKind::Advantage) => 8,
            (size, _) => size,
        }
    }

    fn version(&self) -> u8 {
        let varies = self.fields.iter().any(|field| matches!(field.letter, b'V' | b'Q'));
        let counts = self.fields.iter().any(|field| field.counter.is_some());
        match (self.format, self.has_memo()) {
            (Format::Advantage, _) => adt::VERSION_BYTE,
            (Format::VisualFoxPro, _) if varies => 0x32,
            (Format::VisualFoxPro, _) if counts => 0x31,
            (Format::VisualFoxPro, _) => 0x30,
            (Format::Dbase7, false) => 0x04,
            (Format::Dbase7, true) => 0x8C,
            (_, false) => 0x03,
            (Format::DbaseThree, true) => 0x83,
            (Format::DbaseFour, true) => 0x8B,
            (Format::FoxPro, true) => 0xF5,
            (Format::Six, true) => 0xE5,
        }
    }

    /// The bits that `_NullFlags` needs.
    fn null_bits(&self) -> usize {
        let of = |field: &FieldSpec| {
            let varies = field.letter == b'Q' || field.letter == b'V' && self.format == Format::VisualFoxPro;
            usize::from(varies) + usize::from(field.nullable)
        };
        self.fields.iter().map(of).sum()
    }

    /// The whole header, without records. `today` is the date it gets.
    ///
    /// Fails with `Code::InvalidValue` or `Code::Duplicate` if the format cannot have such a field.
    pub fn header(&self, today: Date) -> Result<Vec<u8>> {
        self.header_in_place_of(today, &[])
    }

    /// The header of a table that takes the place of one with these fields: a field that was there keeps its name and its
    /// width, whatever other programs have called it (`1ST`, `PRICE$`). New ones are checked.
    pub fn header_in_place_of(&self, today: Date, old: &[Field]) -> Result<Vec<u8>> {
        if self.format == Format::Advantage {
            return adt::new_header(self, CodePage::default_for_version(adt::VERSION_BYTE));
        }
        if self.fields.is_empty() {
            return Err(invalid("a table has at least one field".to_owned()));
        }
        let page = CodePage::from_language_byte(self.language).unwrap_or(CodePage::default_for_version(self.version()));
        let wide = self.format == Format::Dbase7;
        let mut bytes = vec![0; if wide { 68 } else { FIXED_LENGTH }];
        let mut record = 1;
        for (number, field) in self.fields.iter().enumerate() {
            let known = old.iter().filter(|known| known.name == field.name).count();
            let is_old = self.fields[..number].iter().filter(|before| before.name == field.name).count() < known;
            self.check(field, number, is_old)?;
            self.describe(field, page, (record, is_old), &mut bytes)?;
            record += field.length(self.format);
        }
        let bits = self.null_bits();
        if bits > 0 {
            let mut one = [0; 32];
            one[..10].copy_from_slice(b"_NullFlags");
            one[11] = b'0';
            one[12..14].copy_from_slice(&(record as u16).to_le_bytes());
            one[16] = bits.div_ceil(8) as u8;
            one[18] = if self.format == Format::VisualFoxPro { 5 } else { 1 };
            bytes.extend_from_slice(&one);
            record += bits.div_ceil(8);
        }
        bytes.push(0x0D);
        let more = match self.format {
            Format::VisualFoxPro => 263,
            Format::DbaseFour | Format::Dbase7 => 0,
            _ => 1,
        };
        bytes.resize(bytes.len() + more, 0);
        self.fix(&mut bytes, record, today)?;
        self.read_back(&bytes, page)?;
        Ok(bytes)
    }

    fn fix(&self, bytes: &mut [u8], record: usize, today: Date) -> Result<()> {
        let too_long =
            |what: &str, length: usize| invalid(format!("{what} has {length} bytes; a table has at most {}", u16::MAX));
        let header = u16::try_from(bytes.len()).map_err(|_| too_long("the header", bytes.len()))?;
        let record = u16::try_from(record).map_err(|_| too_long("a record", record))?;
        bytes[0] = self.version();
        bytes[1..4].copy_from_slice(&date_bytes(today, self.version()));
        bytes[8..10].copy_from_slice(&header.to_le_bytes());
        bytes[10..12].copy_from_slice(&record.to_le_bytes());
        bytes[28] = if self.format == Format::VisualFoxPro && self.has_memo() { 2 } else { 0 };
        bytes[29] = self.language;
        Ok(())
    }

    fn check(&self, field: &FieldSpec, number: usize, is_old: bool) -> Result<()> {
        let name = &field.name;
        if !is_old && self.fields[..number].iter().any(|before| before.name.eq_ignore_ascii_case(name)) {
            return Err(Error::new(Code::Duplicate, format!("two fields are called {name}")));
        }
        let starts = name.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
        if !is_old && (!starts || !name.chars().all(|c| c.is_alphanumeric() || c == '_')) {
            return Err(invalid(format!("'{name}' is no name of a field: letters, digits and underscores are")));
        }
        if name.eq_ignore_ascii_case("_NullFlags") {
            return Err(invalid("_NullFlags is a name that the format keeps for itself".to_owned()));
        }
        let letter = char::from(field.letter).escape_default();
        if !self.format.letters().contains(&field.letter) {
            return Err(invalid(format!("field {name}: a table of this kind has no fields of type {letter}")));
        }
        let length = field.length(self.format);
        let long = self.format != Format::VisualFoxPro && self.format != Format::Dbase7;
        let most = match field.letter {
            b'C' if long && self.format != Format::DbaseFour => 65_000,
            0x1A | 0x1B => 65_000,
            b'C' => 254,
            b'N' | b'F' if is_old || long && self.format != Format::DbaseFour => 255,
            b'N' | b'F' => 20,
            _ => 255,
        };
        if length == 0 || length > most {
            return Err(invalid(format!("field {name} of type {letter} has 1 to {most} bytes, not {length}")));
        }
        let point = matches!(field.letter, b'N' | b'F') && field.decimals > 0;
        if point && usize::from(field.decimals) + 1 > length {
            let decimals = field.decimals;
            return Err(invalid(format!(
                "field {name}: {decimals} decimals and a point take more than {length} bytes"
            )));
        }
        Ok(())
    }

    fn describe(
        &self,
        field: &FieldSpec,
        page: CodePage,
        (offset, is_old): (usize, bool),
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let wide = self.format == Format::Dbase7;
        let name = if is_old { field.name.clone() } else { field.name.to_uppercase() };
        let name = text_of_name(&name, page)?;
        let room = if wide { 31 } else { 10 + usize::from(is_old) };
        if name.len() > room {
            return Err(invalid(format!("the name {} is too long: a field's has at most {room} bytes", field.name)));
        }
        let length = field.length(self.format);
        let at = bytes.len();
        bytes.resize(at + if wide { 48 } else { 32 }, 0);
        let one = &mut bytes[at..];
        one[..name.len()].copy_from_slice(&name);
        let counter = field.counter.unwrap_or(Counter { next: 0, step: 0 });
        if wide {
            (one[32], one[33], one[34]) = (field.letter, length as u8, field.decimals);
            one[40..44].copy_from_slice(&counter.next.to_le_bytes());
            return Ok(());
        }
        one[11] = field.letter;
        if self.format == Format::VisualFoxPro {
            one[12..16].copy_from_slice(&(offset as u32).to_le_bytes());
        }
        let long = matches!(field.letter, b'C' | 0x1A | 0x1B);
        let decimals = match field.letter {
            // Harbour takes a currency without decimals for an integer.
            b'Y' if field.decimals == 0 => 4,
            _ if long => (length >> 8) as u8,
            _ => field.decimals,
        };
        (one[16], one[17]) = (length as u8, decimals);
        one[18] = field.flags(self.format);
        one[19..23].copy_from_slice(&counter.next.to_le_bytes());
        one[23] = counter.step;
        if super::counter::is_long(field.letter, length, field.decimals) && field.counter.is_some() {
            one[19..23].fill(0);
            one[24..32].copy_from_slice(&u64::from(counter.next).to_le_bytes());
        }
        Ok(())
    }

    /// Reads the header as any reader will, and compares.
    fn read_back(&self, bytes: &[u8], page: CodePage) -> Result<()> {
        let header = Header::parse(bytes)?;
        let structure = descriptor::parse(&header, bytes, page)?;
        let as_asked = structure.fields.len() == self.fields.len()
            && structure.fields.iter().zip(&self.fields).all(|(read, asked)| {
                read.kind != FieldKind::Unknown
                    && read.letter == asked.letter
                    && read.length == asked.length(self.format)
                    && read.null_bit.is_some() == asked.nullable
            });
        if as_asked && structure.errors.is_empty() {
            return Ok(());
        }
        let unknown = structure.fields.iter().find(|field| field.kind == FieldKind::Unknown);
        let field = unknown.map_or_else(String::new, |field| format!(" (field {})", field.name));
        Err(invalid(format!("a table with these fields would not be read as it was meant{field}")))
    }
}

/// Year, month and day as the header has them: the year counts from 1900, in Visual FoxPro within its century.
pub(crate) fn date_bytes(date: Date, version: u8) -> [u8; 3] {
    let (year, month, day) = date.ymd();
    let year = match version {
        0x30..=0x32 => year.rem_euclid(100),
        _ => (year - 1900).clamp(0, 255),
    };
    [year as u8, month as u8, day as u8]
}
