//! Functions of channels: keys, positions, facts about files.

use crate::code::{Call, Expr, Options};
use crate::fault::{Fault, Outcome, fail};
use crate::machine::{Machine, file_fault};
use crate::number::Number;
use mainstay_basic_files::key::KeySource;
use mainstay_basic_files::{KeyFunction, Order, RecordReference};

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
        // Of the terminal: the place of the cursor in the last input.
        return Ok(Number::whole(machine.input_place));
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

/// Opens the file that the first argument names, if it is a string, for one function.
fn with_file<T>(machine: &mut Machine, call: &Call, look: impl FnOnce(&mut Machine, i64) -> Outcome<T>) -> Outcome<T> {
    if !call.is_text(0) {
        let number = call.whole(machine, 0)?;
        return look(machine, number);
    }
    let name = call.text(machine, 0)?;
    machine.with_file(&name, look)
}

/// FIN: a named fact about a file or the terminal, or all facts as bytes.
pub(super) fn fin(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let name = if call.has(1) { Some(call.text(machine, 1)?) } else { None };
    let name = name.map(|name| mainstay_code_page::decode(&name).into_owned());
    with_file(machine, call, |machine, number| {
        let Some(name) = name else {
            let facts = match number {
                0 => machine.terminal_facts()?,
                number => machine.channel_of(number)?.file.information().map_err(file_fault)?.fin(),
            };
            out.extend_from_slice(&facts);
            return Ok(());
        };
        let value = match number {
            0 => machine.terminal_value(&name)?,
            number => machine.file_value(number, &name)?,
        };
        match value {
            Some(value) => out.extend_from_slice(&value),
            None => return fail(99, format!("FIN of {name}")),
        }
        Ok(())
    })
}

/// FIB: the descriptor of a file, or of the terminal with its place and size.
pub(super) fn fib(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    with_file(machine, call, |machine, number| {
        let descriptor = match number {
            0 => machine.terminal_descriptor()?,
            number => machine.channel_of(number)?.file.information().map_err(file_fault)?.fib(),
        };
        out.extend_from_slice(&descriptor);
        Ok(())
    })
}

/// FID: the descriptor of a file in the layout of parameter 'FF'; of the terminal, its name.
pub(super) fn fid(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    if number == 0 {
        out.extend_from_slice(&machine.terminal);
        return Ok(());
    }
    let layout = machine.parameters.get("FF");
    let channel = machine.channel_of(number)?;
    if let Some(fid) = &channel.fid {
        out.extend_from_slice(fid);
        return Ok(());
    }
    out.extend_from_slice(&channel.file.information().map_err(file_fault)?.fid(layout));
    Ok(())
}

/// PTH: the path of a channel's file, or of the first of several names that exists. Error 12 for none.
pub(super) fn pth(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    if !call.is_text(0) {
        let number = call.whole(machine, 0)?;
        let path = match number {
            0 => machine.terminal.clone(),
            number => path_of(machine, number)?,
        };
        out.extend_from_slice(&path);
        return Ok(());
    }
    let mut missing = None;
    for index in 0..call.arguments.len() {
        let name = call.text(machine, index)?;
        if name.starts_with(b"[") {
            out.extend_from_slice(&name);
            return Ok(());
        }
        match machine.with_file(&name, path_of) {
            Ok(path) => {
                out.extend_from_slice(&path);
                return Ok(());
            }
            Err(fault) if fault.code == 12 => missing = missing.or(Some(fault)),
            Err(fault) => return Err(fault),
        }
    }
    Err(missing.unwrap_or_else(|| Fault::new(12)))
}

fn path_of(machine: &mut Machine, number: i64) -> Outcome<Vec<u8>> {
    let information = machine.channel_of(number)?.file.information().map_err(file_fault)?;
    let path = if information.path.is_empty() { information.name } else { information.path };
    Ok(mainstay_code_page::encode(&path).into_owned())
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

/// IOL: the list of a channel, of a file that is not open (IOL(FILE name$)) or of a composite string, as the text of an IOLIST; with REC= its names have this prefix.
pub(super) fn iol(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = match call.arguments.first().and_then(|argument| argument.value.as_ref()) {
        Some(Expr::Text(crate::code::TextExpr::Composite(symbol))) => {
            machine.composite_list(*symbol).map(|(_, list)| list.text.clone())
        }
        _ if call.words.first().is_some_and(|word| word == "FILE") => {
            let name = call.text(machine, 0)?;
            Some(crate::machine::dictionary_of_file(machine, &name)?)
        }
        _ => {
            let number = call.whole(machine, 0)?;
            machine.channel_of(number)?.list.as_ref().map(|(_, list, _)| list.text.clone())
        }
    };
    let text = text.ok_or_else(|| Fault::new(81))?;
    match &call.options.prefix {
        None => out.extend_from_slice(&text),
        Some(prefix) => {
            let prefix = machine.prefix_name(prefix)?;
            out.extend_from_slice(&crate::machine::structure::elements::prefixed_list(&prefix, &text)?);
        }
    }
    Ok(())
}

/// REC(IOL=..), REC(list$): the record that a list makes of its variables; with REC= of those with this prefix. REC(FILE n): the
/// prefix that OPEN gave a channel.
pub(super) fn rec(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    if call.words.first().is_some_and(|word| word == "FILE") {
        let number = call.whole(machine, 0)?;
        if let Some(prefix) = &machine.channel_of(number)?.prefix {
            out.extend_from_slice(&mainstay_code_page::encode(prefix));
            out.push(b'$');
        }
        return Ok(());
    }
    let separator = match &call.options.separator {
        Some(separator) => machine.text_value(separator)?.first().copied().ok_or_else(|| Fault::new(46))?,
        None => crate::machine::SEPARATOR,
    };
    let prefix = call.options.prefix.as_ref();
    match (&call.options.list, call.arguments.first().and_then(|argument| argument.value.as_ref())) {
        (Some(list), _) => machine.record_of_list(list, prefix, separator, out),
        (None, Some(Expr::Text(list))) => machine.record_of_text(list, prefix, separator, out),
        _ => fail(81, "REC needs a list"),
    }
}

/// RCD: a record as a value.
pub(super) fn rcd(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    machine.read_value(number, &call.options, out)
}

/// FFN: the channel that has a file open; -1 for none.
pub(super) fn ffn(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    // 'FL' and 'FU': names do not depend on case. Slashes and backslashes are the same.
    let ignores_case = machine.parameters.get("FL") != 0 || machine.parameters.get("FU") != 0;
    let compared = |name: &[u8]| -> Vec<u8> {
        let slashed = name.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte });
        slashed.map(|byte| if ignores_case { byte.to_ascii_lowercase() } else { byte }).collect()
    };
    let name = compared(&call.text(machine, 0)?);
    for number in machine.channels.numbers() {
        if compared(&machine.channel_of(number)?.name) == name {
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
    // The terminal is channel 0.
    out.extend_from_slice(&[0, 0]);
    for number in machine.channels.numbers() {
        if let Ok(number) = u16::try_from(number) {
            out.extend_from_slice(&number.to_be_bytes());
        }
    }
    Ok(())
}

/// KGN([external$,]record$,keys$,number): the key of a record, by the definition of the keys in FIB( ) from byte 85 on. Descending segments of
/// a negative number are inverted, so that keys compare in their order.
pub(super) fn kgn(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let with_external = usize::from(call.has(3));
    let external = if with_external > 0 { call.text(machine, 0)? } else { Vec::new() };
    let record = call.text(machine, with_external)?;
    let keys = mainstay_basic_files::transfer::keys_of_descriptor(&call.text(machine, with_external + 1)?)
        .map_err(file_fault)?;
    let number = call.whole(machine, with_external + 2)?;
    let separator = match &call.options.separator {
        Some(text) => machine.text_value(text)?.first().copied().unwrap_or(crate::machine::SEPARATOR),
        None => crate::machine::SEPARATOR,
    };
    let definition = keys.key(usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX)).map_err(file_fault)?;
    let source = KeySource { record: &record, external: &external, separator };
    let mut key = Vec::new();
    definition.make(&source, &mut key);
    match number < 0 {
        true => out.extend_from_slice(&key),
        false => definition.shown(&key, out),
    }
    Ok(())
}
