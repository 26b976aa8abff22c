//! Functions of channels: keys, positions, facts about files.

use super::string::push_number;
use crate::code::{Call, Options};
use crate::fault::{Fault, Outcome, fail};
use crate::machine::{Machine, file_fault};
use crate::number::Number;
use mainstay_basic_files::{FileKind, KeyFunction, Order, RecordFormat, RecordReference};

/// The channel, and the key that KNO= names.
fn channel(machine: &mut Machine, call: &Call) -> Outcome<(i64, Option<usize>)> {
    let number = call.whole(machine, 0)?;
    let order = machine.order(call.options.key_number.as_ref(), number)?;
    Ok((
        number,
        match order {
            Some(Order::Key(key)) => Some(key),
            _ => None,
        },
    ))
}

fn key_of(machine: &mut Machine, call: &Call, function: KeyFunction<'_>, out: &mut Vec<u8>) -> Outcome<()> {
    let (number, key) = channel(machine, call)?;
    let value = machine.channel_of(number)?.file.key(function, key).map_err(file_fault)?;
    out.extend_from_slice(&value);
    Ok(())
}

fn key_option(machine: &mut Machine, options: &Options, number: i64) -> Outcome<Option<Vec<u8>>> {
    match options.key.is_empty() {
        true => Ok(None),
        false => machine.join_key(&options.key, options.key_number.as_ref(), number).map(Some),
    }
}

pub(super) fn kef(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    key_of(machine, call, KeyFunction::First, out)
}

pub(super) fn kel(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    key_of(machine, call, KeyFunction::Last, out)
}

pub(super) fn kec(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    key_of(machine, call, KeyFunction::Current, out)
}

pub(super) fn ken(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    match key_option(machine, &call.options, number)? {
        Some(key) => key_of(machine, call, KeyFunction::After(&key), out),
        None => key_of(machine, call, KeyFunction::AfterNext, out),
    }
}

pub(super) fn kep(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    match key_option(machine, &call.options, number)? {
        Some(key) => key_of(machine, call, KeyFunction::Before(&key), out),
        None => key_of(machine, call, KeyFunction::Previous, out),
    }
}

pub(super) fn key(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let function = match (&call.options.record, &call.options.index) {
        (Some(record), _) => KeyFunction::AtNumber(machine.whole(record)?),
        (None, Some(index)) => KeyFunction::AtIndex(machine.whole(index)?),
        _ => KeyFunction::Next,
    };
    key_of(machine, call, function, out)
}

/// IND: the index of the next record, or of the one with a key.
pub(super) fn ind(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let number = call.whole(machine, 0)?;
    if number == 0 {
        return Ok(Number::ZERO);
    }
    let key = key_option(machine, &call.options, number)?;
    let (number, key_number) = channel(machine, call)?;
    let record = match (&key, &call.options.record) {
        (Some(key), _) => RecordReference::Key(key),
        (None, Some(record)) => RecordReference::Number(machine.whole(record)?),
        _ => RecordReference::Next,
    };
    let file = &mut machine.channel_of(number)?.file;
    Ok(Number::whole(file.record_index(record, key_number).map_err(file_fault)?))
}

/// RNO: the number of the next record in the order of a key, or of the one with a key.
pub(super) fn rno(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let number = call.whole(machine, 0)?;
    let key = key_option(machine, &call.options, number)?;
    let (number, key_number) = channel(machine, call)?;
    let record = match (&key, &call.options.index) {
        (Some(key), _) => RecordReference::Key(key),
        (None, Some(index)) => RecordReference::Index(machine.whole(index)?),
        _ => RecordReference::Next,
    };
    let file = &mut machine.channel_of(number)?.file;
    Ok(Number::whole(file.record_number(record, key_number).map_err(file_fault)? as i64))
}

/// FIN: a named fact about a file, or its facts as bytes.
pub(super) fn fin(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    if number == 0 {
        return fail(99, "FIN of the terminal");
    }
    let information = machine.channel_of(number)?.file.information().map_err(file_fault)?;
    if !call.has(1) {
        // The first four bytes are the size of the contents, the next four the number of records.
        out.extend_from_slice(&(information.bytes as u32).to_be_bytes());
        out.extend_from_slice(&(information.records as u32).to_be_bytes());
        return Ok(());
    }
    let name = call.text(machine, 1)?;
    let definition = &information.definition;
    match String::from_utf8_lossy(&name).to_ascii_uppercase().as_str() {
        "NUMREC" | "RECORDS_USED" => push_number(out, information.records as i64),
        "MAXREC" => push_number(out, definition.max_records.unwrap_or(0) as i64),
        "RECSIZE" | "RECSZ" => push_number(out, definition.format.limit().into()),
        "FILELENGTH" | "SIZE" => push_number(out, information.bytes as i64),
        "KEYSIZE" | "KEYLEN" => push_number(out, definition.keys.external_length().unwrap_or(0).into()),
        "NUMKEY" | "KEYS" => push_number(out, definition.keys.keys().len() as i64),
        "KNO" => push_number(out, information.current_key as i64),
        "FILENAME" | "NAME" => out.extend_from_slice(information.name.as_bytes()),
        "PATHNAME" | "PATH" => out.extend_from_slice(information.path.as_bytes()),
        "LOCKED" => push_number(out, information.is_locked.into()),
        "FILETYPE" | "TYPE" => out.extend_from_slice(type_name(definition.kind).as_bytes()),
        "SEP" => out.push(definition.separator),
        other => return fail(99, format!("FIN of {other}")),
    }
    Ok(())
}

fn type_name(kind: FileKind) -> &'static str {
    match kind {
        FileKind::MemoryQueue | FileKind::MemoryKeyed => "MEMORY",
        FileKind::Keyed => "KEYED",
        FileKind::Sort => "SORT",
        FileKind::Indexed => "INDEXED",
        FileKind::Serial => "SERIAL",
        FileKind::Binary => "BINARY",
        FileKind::Program => "PROGRAM",
        FileKind::Directory => "DIRECTORY",
    }
}

/// FIB and FID: the descriptor of a file in the layout of parameter 'FF' 0, 84 bytes. FID(0) is the terminal.
///
/// ```text
///   1,3  records    4,6  name         10,1  kind     11,1  external key   12,3  most records   15,2  record size
///   17,1 variable length   18,1  -    19,1  letter of the kind            20,5  -              25,60 path
/// ```
pub(super) fn fid(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    if number == 0 {
        out.extend_from_slice(b"T0");
        return Ok(());
    }
    let information = machine.channel_of(number)?.file.information().map_err(file_fault)?;
    let definition = &information.definition;
    let (kind, letter) = match definition.kind {
        FileKind::Indexed => (0x00, b'I'),
        FileKind::Serial => (0x01, b'S'),
        FileKind::Keyed | FileKind::Sort => (0x02, b'K'),
        FileKind::MemoryKeyed | FileKind::MemoryQueue => (0x02, b'M'),
        FileKind::Binary => (0x03, b'B'),
        FileKind::Program => (0x04, b'P'),
        FileKind::Directory => (0x0D, b'D'),
    };
    let is_variable = matches!(definition.format, RecordFormat::Variable(_)) && kind == 2;
    let start = out.len();
    out.extend_from_slice(&three_bytes(information.records));
    padded(out, information.name.as_bytes(), 6);
    out.push(kind);
    out.push(definition.keys.external_length().unwrap_or(0).min(255) as u8);
    out.extend_from_slice(&three_bytes(definition.max_records.unwrap_or(0)));
    out.extend_from_slice(&(definition.format.limit().min(65_535) as u16).to_be_bytes());
    out.extend_from_slice(&[is_variable.into(), 0, letter]);
    out.resize(start + 24, 0);
    let path = if information.path.is_empty() { &information.name } else { &information.path };
    padded(out, path.as_bytes(), 60);
    Ok(())
}

fn three_bytes(value: u64) -> [u8; 3] {
    let [.., a, b, c] = value.min(0xFF_FFFF).to_be_bytes();
    [a, b, c]
}

fn padded(out: &mut Vec<u8>, text: &[u8], length: usize) {
    let end = out.len() + length;
    out.extend_from_slice(&text[..text.len().min(length)]);
    out.resize(end, b' ');
}

pub(super) fn pth(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    if call.is_text(0) {
        let name = call.text(machine, 0)?;
        let text = String::from_utf8_lossy(&name).into_owned();
        return match machine.volume.kind(&text).map_err(file_fault)? {
            Some(_) => {
                out.extend_from_slice(&name);
                Ok(())
            }
            None => fail(12, text),
        };
    }
    let number = call.whole(machine, 0)?;
    if number == 0 {
        out.extend_from_slice(b"T0");
        return Ok(());
    }
    let information = machine.channel_of(number)?.file.information().map_err(file_fault)?;
    let path = if information.path.is_empty() { &information.name } else { &information.path };
    out.extend_from_slice(path.as_bytes());
    Ok(())
}

pub(super) fn opt(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    out.extend_from_slice(&machine.channel_of(number)?.options);
    Ok(())
}

pub(super) fn sep(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    out.push(machine.channel_of(number)?.separator);
    Ok(())
}

/// IOL: the list of a channel, as the text of an IOLIST.
pub(super) fn iol(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    match &machine.channel_of(number)?.list {
        Some((_, list, _)) => {
            out.extend_from_slice(&list.text);
            Ok(())
        }
        None => Err(Fault::new(81)),
    }
}

/// REC(IOL=..): the record that a list makes of its variables.
pub(super) fn rec(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let Some(list) = &call.options.list else { return fail(99, "this form of REC( )") };
    let separator = match &call.options.separator {
        Some(separator) => machine.text_value(separator)?.first().copied().ok_or_else(|| Fault::new(46))?,
        None => crate::machine::SEPARATOR,
    };
    machine.record_of_list(list, separator, out)
}

/// RCD: a record as a value.
pub(super) fn rcd(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    machine.read_value(number, &call.options, out)
}

/// FFN: the channel that has a file open; -1 for none.
pub(super) fn ffn(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let name = call.text(machine, 0)?;
    for number in machine.channels.numbers() {
        if machine.channel_of(number)?.name == name {
            return Ok(Number::whole(number));
        }
    }
    Ok(Number::ONE.negated())
}

fn free(machine: &Machine, mut numbers: impl Iterator<Item = i64>) -> Outcome<Number> {
    match numbers.find(|number| !machine.channels.is_open(*number)) {
        Some(number) => Ok(Number::whole(number)),
        None => fail(14, "all channels are open"),
    }
}

pub(super) fn lowest_local(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    let ((low, high), _) = machine.channel_ranges();
    free(machine, low..=high)
}

pub(super) fn highest_local(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    let ((low, high), _) = machine.channel_ranges();
    free(machine, (low..=high).rev())
}

pub(super) fn highest_global(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    let (_, (low, high)) = machine.channel_ranges();
    free(machine, (low..=high).rev())
}

pub(super) fn last_opened(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::whole(machine.channels.last_opened))
}

pub(super) fn last_used(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::whole(machine.channels.last_used))
}

/// CHN: numbers of open channels, two bytes each.
pub(super) fn open_channels(machine: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    for number in machine.channels.numbers() {
        if let Ok(number) = u16::try_from(number) {
            out.extend_from_slice(&number.to_be_bytes());
        }
    }
    Ok(())
}
