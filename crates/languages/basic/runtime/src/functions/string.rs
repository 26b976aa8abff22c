//! Functions of strings.

use crate::code::{Call, Expr};
use crate::fault::{Fault, Outcome, fail};
use crate::machine::{Machine, Value, truth};
use crate::mask;
use crate::number::Number;
use crate::number_text::parse_number;

pub(super) fn len(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    if let Some(Some(Expr::Text(expr))) = call.arguments.first().map(|argument| &argument.value)
        && let Some(text) = machine.peek(expr)
    {
        return Ok(Number::whole(text.len() as i64));
    }
    let text = call.text(machine, 0)?;
    let length = text.len() as i64;
    machine.give(text);
    Ok(Number::whole(length))
}

/// ASC: the code of the first byte. Error 46 for an empty string.
pub(super) fn asc(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    match call.text(machine, 0)?.first() {
        Some(byte) => Ok(Number::whole((*byte).into())),
        None => Err(Fault::new(46)),
    }
}

/// The argument is `*` alone, which asks for a table of 256 bytes.
fn asks_for_table(call: &Call) -> bool {
    call.arguments.first().is_some_and(|argument| argument.prefix == Some('*') && argument.value.is_none())
}

/// CHR: a byte by its code; `*` is the table of printable bytes.
pub(super) fn chr(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    if asks_for_table(call) {
        out.extend((0..=255u8).map(|byte| u8::from(machine.definitions.is_printable(byte))));
        return Ok(());
    }
    let code = call.within(machine, 0, 0, 255)?;
    out.push(code as u8);
    Ok(())
}

/// NUM: error 26 for text that is no number, unless a value for it is given; with `*` 1 or 0.
pub(super) fn num(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let text = call.text(machine, 0)?;
    let number = parse_number(&text);
    machine.give(text);
    match (number, call.arguments.get(1)) {
        (number, Some(argument)) if argument.prefix == Some('*') => Ok(truth(number.is_some())),
        (Some(number), _) => Ok(number),
        (None, Some(_)) => call.number(machine, 1),
        (None, None) => fail(26, "not a number"),
    }
}

/// STR: a number or a string through a mask, with a value for what does not fit.
pub(super) fn str(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let mask = match &call.arguments[0].mask {
        Some(mask) => Some(machine.text_value(mask)?),
        None => None,
    };
    let value = call.value(machine, 0)?;
    let start = out.len();
    let done = match (&value, &mask) {
        (Value::Number(number), Some(mask)) => {
            mask::number(out, machine.rounded_value(*number), mask, machine.parameters.signs)
        }
        (Value::Number(number), None) => {
            machine.write_number(out, machine.rounded_value(*number));
            Some(())
        }
        (Value::Text(text), Some(mask)) => mask::text(out, text, mask),
        (Value::Text(text), None) => {
            out.extend_from_slice(text);
            Some(())
        }
    };
    if done.is_some() {
        if let Some(mask) = mask {
            machine.give(mask);
        }
        return Ok(());
    }
    out.truncate(start);
    if call.has(1) {
        let text = call.text(machine, 1)?;
        out.extend_from_slice(&text);
        return Ok(());
    }
    machine.mask_overflow(&value, &mask.unwrap_or_default(), out)
}

pub(super) fn ucs(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let start = out.len();
    match asks_for_table(call) {
        true => out.extend(0..=255u8),
        false => append(machine, call, 0, out)?,
    }
    machine.definitions.upper(&mut out[start..]);
    Ok(())
}

pub(super) fn lcs(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let start = out.len();
    match asks_for_table(call) {
        true => out.extend(0..=255u8),
        false => append(machine, call, 0, out)?,
    }
    machine.definitions.lower(&mut out[start..]);
    Ok(())
}

fn append(machine: &mut Machine, call: &Call, index: usize, out: &mut Vec<u8>) -> Outcome<()> {
    match call.arguments.get(index).and_then(|argument| argument.value.as_ref()) {
        Some(Expr::Text(expr)) => machine.text(expr, out),
        _ => fail(26, call.name),
    }
}

/// MID: never an error. A negative offset counts from the end, a negative length takes what is before it.
pub(super) fn mid(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    let offset = call.whole(machine, 1)?;
    let length = if call.has(2) { Some(call.whole(machine, 2)?) } else { None };
    let size = text.len() as i64;
    let start = if offset < 0 { size + offset } else { offset - 1 };
    if offset == 0 || start < 0 || start >= size {
        return Ok(());
    }
    let (from, to) = match length {
        None => (start, size),
        Some(length) if length < 0 => (start.saturating_add(length).max(0), start),
        Some(length) => (start, start.saturating_add(length).min(size)),
    };
    out.extend_from_slice(&text[from as usize..to as usize]);
    machine.give(text);
    Ok(())
}

/// PAD: to a length; 0 or L fills on the left, 1 or R on the right, 2 or C on both sides.
pub(super) fn pad(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    let length = call.within(machine, 1, 0, machine.text_limit as i64)? as usize;
    let (side, fill) = side_and_fill(machine, call, [b'L', b'R', b'C'])?;
    fit(&text, length, side.unwrap_or(b'R'), fill, out);
    machine.give(text);
    Ok(())
}

/// JST: to a length; 0 or R puts the string to the right, 1 or L to the left, 2 or C in the middle. Without a length
/// the string keeps its own, and its blanks go to the other end.
pub(super) fn jst(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    if !call.has(1) || call.is_text(1) {
        let place = if call.has(1) { call.text(machine, 1)? } else { Vec::new() };
        let side = opposite(place.first().map_or(b'L', u8::to_ascii_uppercase));
        fit(text.trim_ascii(), text.len(), side, b' ', out);
        return Ok(());
    }
    let length = call.within(machine, 1, 0, machine.text_limit as i64)? as usize;
    let (place, fill) = side_and_fill(machine, call, [b'R', b'L', b'C'])?;
    fit(&text, length, opposite(place.unwrap_or(b'L')), fill, out);
    machine.give(text);
    Ok(())
}

/// The side to fill for the place of a string.
fn opposite(place: u8) -> u8 {
    match place {
        b'R' => b'L',
        b'C' => b'C',
        _ => b'R',
    }
}

/// The letter of the third argument, which `codes` gives for 0, 1 and 2, and the byte to fill with.
fn side_and_fill(machine: &mut Machine, call: &Call, codes: [u8; 3]) -> Outcome<(Option<u8>, u8)> {
    let (mut side, mut fill) = (None, b' ');
    for index in 2..call.arguments.len() {
        match call.value(machine, index)? {
            Value::Number(code) => {
                let code = code.as_whole().and_then(|code| usize::try_from(code).ok());
                match code.and_then(|code| codes.get(code)) {
                    Some(letter) => side = Some(*letter),
                    None => return fail(41, format!("{} takes 0 to 2", call.name)),
                }
            }
            // A letter alone says where; a further string, or any other one, is the fill.
            Value::Text(text) => match text.first().map(u8::to_ascii_uppercase) {
                Some(letter @ (b'L' | b'R' | b'C')) if index == 2 && (call.arguments.len() > 3 || text.len() == 1) => {
                    side = Some(letter);
                }
                _ => fill = text.first().copied().unwrap_or(b' '),
            },
        }
    }
    Ok((side, fill))
}

/// Appends a string of a length, filled on a side. A longer one loses its end, or its beginning if it is filled there.
fn fit(text: &[u8], length: usize, side: u8, fill: u8, out: &mut Vec<u8>) {
    let kept = text.len().min(length);
    let missing = length - kept;
    let (before, from) = match side {
        b'L' => (missing, text.len() - kept),
        b'C' => (missing / 2, 0),
        _ => (0, 0),
    };
    out.extend(std::iter::repeat_n(fill, before));
    out.extend_from_slice(&text[from..from + kept]);
    out.extend(std::iter::repeat_n(fill, missing - before));
}

/// STP: strips a character, characters of a list (`*`) or not of a list (`^`), or mnemonics.
pub(super) fn stp(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    if call.words.iter().any(|word| word == "MNEMONIC") {
        crate::screen::without_mnemonics(&text, out);
        return Ok(());
    }
    let code = match call.has(1) {
        false => 1,
        true => match call.value(machine, 1)? {
            Value::Number(code) => code.as_whole().unwrap_or(-1),
            Value::Text(code) => match code.first().map(u8::to_ascii_uppercase) {
                Some(b'L') => 0,
                Some(b'R') => 1,
                Some(b'B') => 2,
                Some(b'A') => 3,
                _ => -1,
            },
        },
    };
    if !(0..=3).contains(&code) {
        return fail(41, "STP takes 0 to 3");
    }
    let (list, prefix) = match call.arguments.get(2) {
        Some(argument) => (call.text(machine, 2)?, argument.prefix),
        None => (b" ".to_vec(), None),
    };
    let Some(first) = list.first() else { return Err(Fault::new(46)) };
    let strips = |byte: &u8| match prefix {
        Some('*') => list.contains(byte),
        Some(_) => !list.contains(byte),
        None => byte == first,
    };
    if code == 3 {
        out.extend(text.iter().filter(|byte| !strips(byte)));
        return Ok(());
    }
    let mut rest = &text[..];
    while code != 1 && rest.first().is_some_and(strips) {
        rest = &rest[1..];
    }
    while code != 0 && rest.last().is_some_and(strips) {
        rest = &rest[..rest.len() - 1];
    }
    out.extend_from_slice(rest);
    machine.give(text);
    Ok(())
}

/// CVS: bits for stripping, case and replacement, or characters by their codes.
pub(super) fn cvs(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    if asks_for_table(call) {
        out.extend((0..=255u8).map(|byte| machine.definitions.without_accent(byte)));
        return Ok(());
    }
    if !call.is_text(0) {
        for index in 0..call.arguments.len() {
            let code = call.within(machine, index, 0, 0x10_FFFF)?;
            match u8::try_from(code) {
                Ok(byte) => out.push(byte),
                Err(_) => {
                    let character = char::from_u32(code as u32).ok_or_else(|| Fault::new(41))?;
                    out.push(mainstay_code_page::byte(character).unwrap_or(b'?'));
                }
            }
        }
        return Ok(());
    }
    let mut text = call.text(machine, 0)?;
    for index in 1..call.arguments.len() {
        let code = call.within(machine, index, 0, 1023)?;
        let control = match &call.arguments[index].mask {
            Some(mask) => machine.text_value(mask)?.first().copied().unwrap_or(b' '),
            None => b' ',
        };
        convert(&mut text, code, control, machine);
    }
    out.extend_from_slice(&text);
    machine.give(text);
    Ok(())
}

fn convert(text: &mut Vec<u8>, code: i64, control: u8, machine: &Machine) {
    let tables = &machine.definitions;
    if code & 16 != 0 {
        text.iter_mut().filter(|byte| !tables.is_printable(**byte)).for_each(|byte| *byte = control);
    }
    if code & 32 != 0 {
        let mut last = None;
        text.retain(|byte| last.replace(*byte) != Some(control) || *byte != control);
    }
    if code & 1 != 0 {
        let start = text.iter().position(|byte| *byte != control).unwrap_or(text.len());
        text.drain(..start);
    }
    if code & 2 != 0 {
        let end = text.iter().rposition(|byte| *byte != control).map_or(0, |at| at + 1);
        text.truncate(end);
    }
    if code & 4 != 0 {
        tables.upper(text);
    }
    if code & 8 != 0 {
        tables.lower(text);
    }
    if code & 256 != 0 {
        let mut begins = true;
        for byte in text.iter_mut() {
            let letter = std::slice::from_mut(byte);
            if begins {
                tables.upper(letter)
            } else {
                tables.lower(letter)
            }
            begins = !byte.is_ascii_alphanumeric() && *byte != b'\'';
        }
    }
    if code & 512 != 0 {
        text.iter_mut().for_each(|byte| *byte = tables.without_accent(*byte));
    }
    let signs = machine.parameters.signs;
    let pairs = [(b'$', signs.currency), (b',', signs.thousands), (b'.', signs.point)];
    for byte in text.iter_mut() {
        let found = |(from, to): &&(u8, u8)| if code & 64 != 0 { from == byte } else { code & 128 != 0 && to == byte };
        if let Some((from, to)) = pairs.iter().find(found) {
            *byte = if code & 64 != 0 { *to } else { *from };
        }
    }
}

/// DIM: a string repeated as a whole, cut to a length.
pub(super) fn dim(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    if call.words.first().is_some_and(|word| word == "LIST") {
        return super::evaluate::json(machine, call, out);
    }
    if !call.words.is_empty() {
        return super::evaluate::keyword(machine, call, out);
    }
    let length = call.within(machine, 0, 0, machine.text_limit as i64)? as usize;
    let fill = if call.has(1) { call.text(machine, 1)? } else { b" ".to_vec() };
    if fill.is_empty() && length > 0 {
        return Err(Fault::new(46));
    }
    let end = out.len() + length;
    machine.check_length(end)?;
    while out.len() < end {
        let wanted = fill.len().min(end - out.len());
        out.extend_from_slice(&fill[..wanted]);
    }
    machine.give(fill);
    Ok(())
}

pub(super) fn hta(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    for byte in &text {
        out.extend_from_slice(format!("{byte:02X}").as_bytes());
    }
    machine.give(text);
    Ok(())
}

/// ATH: pairs of hex digits. Error 75 for anything else.
pub(super) fn ath(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let mut text = call.text(machine, 0)?;
    if text.len() % 2 == 1 {
        text.insert(0, b'0');
    }
    for pair in text.chunks(2) {
        let digit = |byte: u8| (byte as char).to_digit(16);
        match (digit(pair[0]), digit(pair[1])) {
            (Some(high), Some(low)) => out.push((high * 16 + low) as u8),
            _ => return Err(Fault::new(75)),
        }
    }
    Ok(())
}

/// BIN: a whole number in two's complement, of so many bytes.
pub(super) fn bin(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let value = call.whole(machine, 0)?;
    let length = call.within(machine, 1, 1, 256)? as usize;
    let bytes = value.to_be_bytes();
    let sign = if value < 0 { 0xFF } else { 0 };
    out.extend(std::iter::repeat_n(sign, length.saturating_sub(8)));
    out.extend_from_slice(&bytes[8 - length.min(8)..]);
    Ok(())
}

/// DEC: two's complement of up to eight bytes. Error 40 for more.
pub(super) fn dec(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let text = call.text(machine, 0)?;
    let significant = text.iter().skip_while(|byte| **byte == 0).count();
    if significant > 8 {
        return fail(40, "more than eight bytes");
    }
    let value = binary_value(&text);
    machine.give(text);
    Ok(Number::whole(value))
}

/// Bytes in two's complement, the most significant first.
fn binary_value(bytes: &[u8]) -> i64 {
    let start = if bytes.first().is_some_and(|byte| byte & 0x80 != 0) { -1 } else { 0 };
    bytes.iter().fold(start, |value, byte| value << 8 | i64::from(*byte))
}

/// NUL: empty, or nothing but blanks.
pub(super) fn nul(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let text = call.text(machine, 0)?;
    let is_blank = text.iter().all(|byte| *byte == b' ');
    machine.give(text);
    Ok(truth(is_blank))
}

pub(super) fn not(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    out.extend(text.iter().map(|byte| !byte));
    Ok(())
}

fn bitwise(machine: &mut Machine, call: &Call, out: &mut Vec<u8>, op: fn(u8, u8) -> u8) -> Outcome<()> {
    let (left, right) = (call.text(machine, 0)?, call.text(machine, 1)?);
    if left.len() != right.len() {
        return fail(46, format!("{}( ) needs strings of one length", call.name));
    }
    out.extend(left.iter().zip(&right).map(|(left, right)| op(*left, *right)));
    Ok(())
}

pub(super) fn and(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    bitwise(machine, call, out, |left, right| left & right)
}

pub(super) fn ior(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    bitwise(machine, call, out, |left, right| left | right)
}

pub(super) fn xor(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    bitwise(machine, call, out, |left, right| left ^ right)
}

pub(super) fn max(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    extreme(machine, call, out, true)
}

pub(super) fn min(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    extreme(machine, call, out, false)
}

fn extreme(machine: &mut Machine, call: &Call, out: &mut Vec<u8>, greatest: bool) -> Outcome<()> {
    let mut best = call.text(machine, 0)?;
    for index in 1..call.arguments.len() {
        let text = call.text(machine, index)?;
        if (text > best) == greatest {
            best = text;
        }
    }
    out.extend_from_slice(&best);
    Ok(())
}
