//! Functions that encode, check and reorder bytes: CRC, LRC, GAP, GEP, PCK, UPK, SRT, SWP.

use crate::code::Call;
use crate::fault::{Fault, Outcome, fail};
use crate::machine::{Machine, SEPARATOR, Value};
use crate::number::Number;

/// The most bytes of a packed number: 18 digits.
const PACKED: i64 = 9;

/// CRC: a check sum of 16 or 32 bits, as two or four bytes. The second argument is the sum of the string before.
///
/// CRC-16 is the reflected polynomial $8005$ from 0 (manual, `functions/crc.md`: "Hello" is $F353$). CRC-32 is the
/// usual reflected one of Ethernet. Errors: 41 for another type, 46 for a basis of another length.
pub(super) fn crc(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    let (mut basis, mut bits) = (None, 16);
    for index in 1..call.arguments.len() {
        match call.value(machine, index)? {
            Value::Text(text) => basis = Some(text),
            Value::Number(number) => bits = number.as_whole().unwrap_or(0),
        }
    }
    let length = match bits {
        16 => 2,
        32 => 4,
        _ => return fail(41, "CRC has 16 or 32 bits"),
    };
    let start = match basis {
        None => 0,
        Some(basis) if basis.len() == length => basis.iter().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte)),
        Some(_) => return fail(46, format!("the basis of CRC has {length} bytes")),
    };
    match length {
        2 => out.extend_from_slice(&(reflected(&text, start, 0xA001) as u16).to_be_bytes()),
        _ => out.extend_from_slice(&(!reflected(&text, !start, 0xEDB8_8320)).to_be_bytes()),
    }
    machine.give(text);
    Ok(())
}

fn reflected(text: &[u8], start: u32, polynomial: u32) -> u32 {
    text.iter().fold(start, |mut crc, byte| {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ polynomial } else { crc >> 1 };
        }
        crc
    })
}

/// LRC: all bytes by exclusive or.
pub(super) fn lrc(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    out.push(text.iter().fold(0, |sum, byte| sum ^ byte));
    Ok(())
}

/// GAP: the upper bit of each byte makes the number of set bits odd.
pub(super) fn gap(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    parity(machine, call, out, 1)
}

/// GEP: the upper bit of each byte makes the number of set bits even.
pub(super) fn gep(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    parity(machine, call, out, 0)
}

fn parity(machine: &mut Machine, call: &Call, out: &mut Vec<u8>, wanted: u32) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    out.extend(text.iter().map(|byte| {
        let low = byte & 0x7F;
        if low.count_ones() % 2 == wanted { low } else { low | 0x80 }
    }));
    Ok(())
}

/// PCK: a positive whole number as digits of base 100, each 32 above its value (`functions/pck.md`). The default is
/// eight bytes. Error 41 for a number that is negative or too long.
pub(super) fn pck(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let mut value = call.within(machine, 0, 0, i64::MAX)?;
    let size = if call.has(1) { call.within(machine, 1, 1, PACKED)? as usize } else { 8 };
    let start = out.len();
    out.resize(start + size, b' ');
    for slot in out[start..].iter_mut().rev() {
        *slot = 32 + (value % 100) as u8;
        value /= 100;
    }
    match value {
        0 => Ok(()),
        _ => fail(41, format!("the number needs more than {size} bytes")),
    }
}

/// UPK: the number that PCK packed. Error 41 for bytes that PCK does not write.
pub(super) fn upk(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let text = call.text(machine, 0)?;
    if text.len() as i64 > PACKED {
        return fail(46, "a packed number has at most nine bytes");
    }
    let mut value = 0i64;
    for byte in &text {
        match byte.checked_sub(32) {
            Some(digit @ 0..=99) => value = value * 100 + i64::from(digit),
            _ => return fail(41, "not a packed number"),
        }
    }
    Ok(Number::whole(value))
}

/// SRT: elements of a fixed length, or elements with a delimiter behind each, in ascending order.
///
/// The default delimiter is the field separator. Two further numbers restrict the comparison to a part of elements of
/// a fixed length.
pub(super) fn srt(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    if !call.has(1) || call.is_text(1) {
        let delimiter = match call.has(1) {
            true => call.text(machine, 1)?.first().copied().ok_or_else(|| Fault::new(46))?,
            false => SEPARATOR,
        };
        let count = memchr::memchr_iter(delimiter, &text).count() + 1;
        crate::machine::memory::charge_temporary(machine, text.len() + count * std::mem::size_of::<&[u8]>())?;
        sort_delimited(&text, delimiter, out);
        return Ok(());
    }
    let size = call.within(machine, 1, 1, 65_536)? as usize;
    let offset = if call.has(2) { call.within(machine, 2, 1, size as i64)? as usize - 1 } else { 0 };
    let length = if call.has(3) { call.within(machine, 3, 1, size as i64)? as usize } else { size };
    let part = |element: &&[u8]| {
        let end = (offset + length).min(element.len());
        element.get(offset..end).unwrap_or(&[]).to_vec()
    };
    crate::machine::memory::charge_temporary(machine, text.len().div_ceil(size) * std::mem::size_of::<&[u8]>())?;
    let mut elements: Vec<&[u8]> = text.chunks(size).collect();
    elements.sort_by_key(part);
    elements.iter().for_each(|element| out.extend_from_slice(element));
    Ok(())
}

fn sort_delimited(text: &[u8], delimiter: u8, out: &mut Vec<u8>) {
    let Some(last) = text.last() else { return };
    let is_closed = *last == delimiter;
    let body = if is_closed { &text[..text.len() - 1] } else { text };
    let mut elements: Vec<&[u8]> = body.split(|byte| *byte == delimiter).collect();
    elements.sort_unstable();
    out.extend_from_slice(&elements.join(&delimiter));
    if is_closed {
        out.push(delimiter);
    }
}

/// SWP: bytes in another order: 1 swaps neighbours, 2 pairs, 4 groups of four, and sums of these do several. Without a
/// type all bytes are reversed, as between the two orders of bytes in a number.
pub(super) fn swp(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let mut text = call.text(machine, 0)?;
    let kind = match call.has(1) {
        false => None,
        true => match call.value(machine, 1)? {
            Value::Number(number) => Some(number.as_whole().unwrap_or(-1)),
            Value::Text(code) => Some(code.first().map_or(-1, |byte| i64::from(*byte))),
        },
    };
    match kind {
        None => text.reverse(),
        Some(kind @ 0..=7) => {
            for size in [1, 2, 4].into_iter().filter(|size| kind & size != 0) {
                let size = size as usize;
                text.chunks_exact_mut(size * 2).for_each(|pair| pair.rotate_left(size));
            }
        }
        Some(kind) => return fail(41, format!("SWP has no type {kind}")),
    }
    out.extend_from_slice(&text);
    machine.give(text);
    Ok(())
}

/// I3E(number): the eight bytes of IEEE 754, the most significant one first.
pub(super) fn to_ieee(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.extend_from_slice(&call.number(machine, 0)?.to_float().to_be_bytes());
    Ok(())
}

/// I3E(string$): the number of eight such bytes. Error 46 for another length, 41 for one that is not a number.
pub(super) fn of_ieee(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let text = call.text(machine, 0)?;
    let bytes: [u8; 8] = text.as_slice().try_into().map_err(|_| Fault::new(46))?;
    let value = f64::from_be_bytes(bytes);
    if value.is_finite() { Number::from_float(value) } else { Err(Fault::new(41)) }
}

/// The characters of radix 40 by their codes. The manual gives those of digits, letters and blanks in an example; the places of the
/// three signs are our own.
const RADIX_40: &[u8; 40] = b" 0123456789.-ABCDEFGHIJKLMNOPQRSTUVWXYZ$";

/// RDX: three characters as two bytes each. Error 48 for a character that the code does not have.
pub(super) fn rdx(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    for part in text.chunks(3) {
        let mut word = 0_u16;
        for place in 0..3 {
            let byte = part.get(place).copied().unwrap_or(b' ');
            let Some(code) = RADIX_40.iter().position(|known| *known == byte) else {
                return fail(48, "the string has a character that radix 40 does not have");
            };
            word = word * 40 + code as u16;
        }
        out.extend_from_slice(&word.to_be_bytes());
    }
    Ok(())
}

/// TRX: the characters of such bytes. Error 46 for an odd number of them, 48 for bytes that are no characters.
pub(super) fn trx(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    if text.len() % 2 != 0 {
        return Err(Fault::new(46));
    }
    for part in text.chunks_exact(2) {
        let word = usize::from(u16::from_be_bytes([part[0], part[1]]));
        if word >= 64_000 {
            return fail(48, "the bytes are not of radix 40");
        }
        out.extend([word / 1_600, word / 40 % 40, word % 40].map(|code| RADIX_40[code]));
    }
    Ok(())
}
