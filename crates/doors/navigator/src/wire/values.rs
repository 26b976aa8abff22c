//! The wire format of the parts of messages: values, keys, orders, specifications of tables.

use super::{Reader, Wire, choice, malformed, structure};
use mainstay_types::{Code, Decimal, DialectError, Error, Result};
use mainstay_vfs::is_client_name;
use mainstay_workarea::{
    CopyOptions, Counting, Customize, FieldValue, Form, Mode, NewOrder, Optimized, OrderId, OrderInfo, Position,
    RowChanges, SeekHow, SeekKey, Side, ValueKind, WordIndex, WordOptions,
};
use mainstay_xbase::dbf::{Counter, FieldSpec, Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::lock::LockScheme;

impl Wire for Decimal {
    const SMALLEST: usize = 17;
    fn put(&self, out: &mut Vec<u8>) {
        self.unscaled.put(out);
        self.scale.put(out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        let (unscaled, scale): (i128, u8) = Wire::take(from)?;
        match scale <= MOST_DECIMALS {
            true => Ok(Decimal::new(unscaled, scale)),
            false => Err(malformed("a number has too many decimals")),
        }
    }
}

/// Decimals of a number with 38 digits.
const MOST_DECIMALS: u8 = 38;

choice! { FieldValue {
    0 Null;
    1 Text(bytes);
    2 Bytes(bytes);
    3 Integer(number);
    4 Decimal(number);
    5 Number(number);
    6 Date(day);
    7 Timestamp { day, ms };
    8 Time(ms);
    9 Logical(value);
} }

choice! { SeekKey {
    1 Text(bytes);
    2 Number(number);
    3 Date(day);
    4 Timestamp { day, ms };
    5 Logical(value);
    6 Raw(bytes);
} }

choice! { ValueKind { 1 Text; 2 Bytes; 3 Number; 4 Date; 5 Timestamp; 6 Time; 7 Logical; } }
choice! { BagKind { 1 Cdx; 2 CompactIdx; 3 PlainIdx; 4 Ntx; 5 CompoundNtx; 6 Adi; } }
choice! { Mode { 1 ReadOnly; 2 Shared; 3 Exclusive; } }
choice! { LockScheme { 1 Clipper; 2 ClipperComix; 3 ClipperExtended; 4 Harbour32; 5 FoxPro; 6 Harbour64; } }
choice! { Optimized { 1 Full; 2 Part; 3 None; } }
choice! { Customize { 1 Add; 2 Remove; 3 Toggle; } }
choice! { Counting { 1 All; 2 Scoped; 3 Visible; } }
choice! { Side { 1 Top; 2 Bottom; } }
choice! { Format { 1 DbaseThree; 2 DbaseFour; 3 FoxPro; 4 Six; 5 VisualFoxPro; 6 Dbase7; 7 Advantage; } }

structure! { DialectError { number, severity, state } }
structure! { SeekHow { soft, last, after } }
structure! { Position { record, bof, eof, found } }
structure! { Form { header, memo, code_page, is_writable } }
structure! { RowChanges { pieces, memos } }
structure! { CopyOptions { fields, format, everything, condition } }
structure! { TableSpec { format, language, fields, memo_block_size } }
structure! { FieldSpec { name, letter, length, decimals, nullable, binary, counter } }
structure! { Counter { next, step } }
structure! { NewOrder {
    file, kind, name, key, condition, while_condition, unique, candidate, descending, custom, ignore_case, visible_only,
} }
structure! { WordOptions {
    shortest, longest, delimiters, noise, dropped, conditional, is_case_sensitive, keeps_numbers,
} }
structure! { WordIndex { tag, field, options, is_fixed, keeps_score } }
structure! { OrderInfo {
    id, name, file, kind, key, condition, unique, candidate, descending, custom, key_kind, key_length, collation,
} }

impl Wire for OrderId {
    const SMALLEST: usize = 4;
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        u32::take(from).map(OrderId)
    }
}

/// A code is its name, so that a server may have codes that its client has not: those are internal to it.
impl Wire for Code {
    fn put(&self, out: &mut Vec<u8>) {
        self.name().to_owned().put(out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        let name = String::take(from)?;
        Ok(Code::ALL.iter().copied().find(|code| code.name() == name).unwrap_or(Code::Internal))
    }
}

impl Wire for Error {
    fn put(&self, out: &mut Vec<u8>) {
        self.code().put(out);
        self.message().to_owned().put(out);
        self.place().map(str::to_owned).put(out);
        self.hint_text().map(str::to_owned).put(out);
        self.dialect().put(out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        let (code, message): (Code, String) = Wire::take(from)?;
        let (place, hint): (Option<String>, Option<String>) = Wire::take(from)?;
        let dialect: Option<DialectError> = Wire::take(from)?;
        // The protocol has no field for the number: the standard library writes it at the end of the message.
        let number = (code == Code::Io).then(|| system_number(&message)).flatten();
        let error = Error::new(code, message);
        let error = number.map_or(error.clone(), |number| error.of_system(number));
        let error = dialect.map_or(error.clone(), |dialect| error.in_dialect(dialect));
        let error = place.map_or(error.clone(), |place| error.at(place));
        Ok(hint.map_or(error.clone(), |hint| error.hint(hint)))
    }
}

/// The number in a message that ends with `(os error 13)`.
fn system_number(message: &str) -> Option<i32> {
    message.strip_suffix(')')?.rsplit_once("(os error ")?.1.parse().ok()
}

/// The order in which a kind's values are counted, for those that are kept by kind.
pub(crate) fn place_of(what: Counting) -> usize {
    match what {
        Counting::All => 0,
        Counting::Scoped => 1,
        Counting::Visible => 2,
    }
}

/// The folder of a database's procedures in files, which its administrator writes.
const PROCEDURES: &str = "procedures";

/// Refuses names that are not for clients: an absolute path, one that leads out, one of a hidden folder, the settings
/// ([`is_client_name`]), and the folder of procedures.
pub(crate) fn check_relative(path: &std::path::Path) -> Result<()> {
    let text = path.to_string_lossy();
    let first = path.components().find(|part| !matches!(part, std::path::Component::CurDir));
    let is_of_procedures = first.is_some_and(|part| part.as_os_str().eq_ignore_ascii_case(PROCEDURES));
    match text.len() <= 1024 && !text.contains('\\') && is_client_name(path) && !is_of_procedures {
        true => Ok(()),
        false => Err(malformed("a name leads out of the folder")),
    }
}
