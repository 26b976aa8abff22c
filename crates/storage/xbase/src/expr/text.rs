//! Texts: comparing, searching, and the functions that take or make them.

use super::calendar;
use super::catalog::Builtin;
use super::machine::{Machine, Slot, Text};
use super::number::Number;
use super::types::{CaseTable, Dialect};
use mainstay_types::{Code, Error, Result};
use std::cmp::Ordering;

/// The order of two texts for `=`, `<` and the other comparisons. With EXACT off the length of the right one limits the
/// comparison, so that "ADAM" = "AD". With EXACT on, blanks at the end do not count.
pub(super) fn compare(left: &[u8], right: &[u8], exact: bool) -> Ordering {
    let (left, right) =
        if exact { (trimmed_to(left, right.len()), trimmed_to(right, left.len())) } else { (left, right) };
    let common = left.len().min(right.len());
    left[..common]
        .cmp(&right[..common])
        .then_with(|| if exact || left.len() < right.len() { left.len().cmp(&right.len()) } else { Ordering::Equal })
}

/// Without blanks at the end, but not shorter than `length`.
fn trimmed_to(text: &[u8], length: usize) -> &[u8] {
    &text[..trimmed_end(text).len().max(length.min(text.len()))]
}

/// Without blanks at the end.
pub(super) fn trimmed_end(text: &[u8]) -> &[u8] {
    let blanks = text.iter().rev().take_while(|byte| **byte == b' ').count();
    &text[..text.len() - blanks]
}

/// Where `part` first begins in `text`. Nothing is in no text, not even in an empty one.
pub(super) fn find(part: &[u8], text: &[u8]) -> Option<usize> {
    if part.is_empty() { None } else { memchr::memmem::find(text, part) }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Runs a function of texts; `false` for another function.
pub(super) fn call(machine: &mut Machine<'_>, builtin: Builtin, arguments: usize) -> Result<bool> {
    match builtin {
        Builtin::Upper => map(machine, |case| &case.upper)?,
        Builtin::Transform => {
            machine.pop()?;
            map(machine, |case| &case.upper)?;
        }
        Builtin::Lower => map(machine, |case| &case.lower)?,
        Builtin::Trim | Builtin::LTrim | Builtin::AllTrim => trim(machine, builtin)?,
        Builtin::Left => {
            let (count, text) = (machine.integer()?, machine.text()?);
            machine.push_text(text.slice(0, size(count)));
        }
        Builtin::Right => {
            let (count, text) = (machine.integer()?, machine.text()?);
            let count = size(count).min(text.length);
            machine.push_text(text.slice(text.length - count, count));
        }
        Builtin::SubStr => substr(machine, arguments)?,
        Builtin::PadL | Builtin::PadR | Builtin::PadC => pad(machine, builtin, arguments)?,
        Builtin::Space => {
            let (count, mark) = (machine.integer()?, machine.mark());
            machine.fill(b' ', size(count))?;
            machine.push_text(machine.since(mark));
        }
        Builtin::Replicate => replicate(machine)?,
        Builtin::Len => {
            let text = machine.text()?;
            machine.push_integer(text.length as i64);
        }
        Builtin::At | Builtin::Rat => at(machine, builtin == Builtin::Rat)?,
        Builtin::Chr => {
            let (code, mark) = (machine.integer()?, machine.mark());
            machine.append_bytes(&[(code & 0xFF) as u8])?;
            machine.push_text(machine.since(mark));
        }
        Builtin::Asc => {
            let text = machine.text()?;
            let code = machine.bytes(text).first().copied().unwrap_or(0);
            machine.push_integer(i64::from(code));
        }
        Builtin::StrTran => strtran(machine, arguments)?,
        Builtin::Stuff => stuff(machine)?,
        Builtin::ChrTran => chrtran(machine)?,
        Builtin::IsAlpha => first_is(machine, CaseTable::is_letter)?,
        Builtin::IsUpper => first_is(machine, CaseTable::is_upper)?,
        Builtin::IsLower => first_is(machine, CaseTable::is_lower)?,
        Builtin::IsDigit => first_is(machine, |_, byte| byte.is_ascii_digit())?,
        Builtin::Empty => {
            let slot = machine.pop()?;
            let empty = is_empty(machine, slot);
            machine.push_logical(empty);
        }
        Builtin::Reverse => {
            let (text, mark) = (machine.text()?, machine.mark());
            machine.append(text)?;
            machine.scratch.text[mark..].reverse();
            machine.push_text(machine.since(mark));
        }
        Builtin::Descend => descend(machine)?,
        Builtin::Soundex => soundex(machine)?,
        Builtin::Like => {
            let (text, pattern) = (machine.text()?, machine.text()?);
            let matches = like(machine.bytes(pattern), machine.bytes(text));
            machine.push_logical(matches);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// A count of bytes: none when negative.
fn size(count: i64) -> usize {
    usize::try_from(count.max(0)).unwrap_or(usize::MAX)
}

fn map(machine: &mut Machine<'_>, table: impl Fn(&CaseTable) -> &[u8; 256]) -> Result<()> {
    let (text, mark) = (machine.text()?, machine.mark());
    machine.append(text)?;
    let table = table(&machine.program.case);
    for byte in &mut machine.scratch.text[mark..] {
        *byte = table[usize::from(*byte)];
    }
    machine.push_text(machine.since(mark));
    Ok(())
}

/// Clipper takes tabs and line ends from the left as well, and only blanks from the right.
fn trim(machine: &mut Machine<'_>, builtin: Builtin) -> Result<()> {
    let text = machine.text()?;
    let fox = machine.program.dialect == Dialect::FoxPro;
    let bytes = machine.bytes(text);
    let end = if builtin == Builtin::LTrim { bytes.len() } else { trimmed_end(bytes).len() };
    let start = match builtin {
        Builtin::Trim => 0,
        _ => bytes[..end].iter().take_while(|byte| if fox { **byte == b' ' } else { is_space(**byte) }).count(),
    };
    machine.push_text(text.slice(start, end - start));
    Ok(())
}

/// Clipper counts a negative start from the end, and takes 0 for 1.
fn substr(machine: &mut Machine<'_>, arguments: usize) -> Result<()> {
    let count = if arguments > 2 { machine.integer()? } else { i64::MAX };
    let (start, text) = (machine.integer()?, machine.text()?);
    if start < 1 && machine.program.dialect == Dialect::FoxPro {
        return Err(Error::new(Code::Unsupported, "SUBSTR() from a place before the text has no documented result"));
    }
    let skip = match start {
        1.. => size(start - 1),
        0 => 0,
        _ => text.length.saturating_sub(size(start.saturating_neg())),
    };
    machine.push_text(text.slice(skip, size(count)));
    Ok(())
}

/// The text of a padded value: dates as DTOC() has them. (Numbers are printed before.)
fn padded(machine: &mut Machine<'_>, slot: Slot) -> Result<Text> {
    let mark = machine.mark();
    match slot {
        Slot::Text(text) => return Ok(text),
        Slot::Date(day) => machine.append_bytes(&calendar::american(day))?,
        Slot::Number(_) | Slot::Timestamp(..) | Slot::Logical(_) => {}
    }
    Ok(machine.since(mark))
}

/// All three keep the beginning of a text that is too long.
fn pad(machine: &mut Machine<'_>, builtin: Builtin, arguments: usize) -> Result<()> {
    let filler = if arguments > 2 {
        let text = machine.text()?;
        machine.bytes(text).first().copied().unwrap_or(0)
    } else {
        b' '
    };
    let (width, slot) = (size(machine.integer()?), machine.pop()?);
    let text = padded(machine, slot)?;
    if width <= text.length {
        machine.push_text(text.slice(0, width));
        return Ok(());
    }
    let missing = width - text.length;
    let before = match builtin {
        Builtin::PadL => missing,
        Builtin::PadC => missing / 2,
        _ => 0,
    };
    let mark = machine.mark();
    machine.fill(filler, before)?;
    machine.append(text)?;
    machine.fill(filler, missing - before)?;
    machine.push_text(machine.since(mark));
    Ok(())
}

fn replicate(machine: &mut Machine<'_>) -> Result<()> {
    let (count, text) = (size(machine.integer()?), machine.text()?);
    let mark = machine.mark();
    machine.reserve(text.length.saturating_mul(count))?;
    for _ in 0..if text.length == 0 { 0 } else { count } {
        machine.append(text)?;
    }
    machine.push_text(machine.since(mark));
    Ok(())
}

fn at(machine: &mut Machine<'_>, last: bool) -> Result<()> {
    let (text, part) = (machine.text()?, machine.text()?);
    let (text, part) = (machine.bytes(text), machine.bytes(part));
    let place = match last {
        false => find(part, text),
        true if part.is_empty() => None,
        true => memchr::memmem::rfind(text, part),
    };
    let place = place.map_or(0, |place| place as i64 + 1);
    machine.push_integer(place);
    Ok(())
}

/// `STRTRAN(text, search [, replacement [, first [, count]]])`.
fn strtran(machine: &mut Machine<'_>, arguments: usize) -> Result<()> {
    let count = if arguments > 4 { machine.integer()? } else { -1 };
    let first = if arguments > 3 { machine.integer()? } else { 1 };
    let replacement = if arguments > 2 { Some(machine.text()?) } else { None };
    let (search, text) = (machine.text()?, machine.text()?);
    if first == 0 || count == 0 {
        machine.push_text(text.slice(0, 0));
        return Ok(());
    }
    if search.length == 0 || first < 0 {
        machine.push_text(text);
        return Ok(());
    }
    let (mark, mut copied, mut found, mut left) = (machine.mark(), 0, 0i64, if count < 0 { i64::MAX } else { count });
    let mut from = 0;
    while left > 0 {
        let Some(place) = find(machine.bytes(search), &machine.bytes(text)[from..]) else { break };
        let place = from + place;
        from = place + search.length;
        found += 1;
        if found >= first {
            machine.append(text.slice(copied, place - copied))?;
            if let Some(replacement) = replacement {
                machine.append(replacement)?;
            }
            copied = from;
            left -= 1;
        }
    }
    machine.append(text.slice(copied, text.length))?;
    machine.push_text(machine.since(mark));
    Ok(())
}

/// `STUFF(text, start, deleted, inserted)`. A start behind the end, or before the beginning, appends.
fn stuff(machine: &mut Machine<'_>) -> Result<()> {
    let (inserted, deleted, start, text) = (machine.text()?, machine.integer()?, machine.integer()?, machine.text()?);
    let skip = match usize::try_from(start) {
        Ok(0) => 0,
        Ok(start) if start <= text.length => start - 1,
        _ => text.length,
    };
    let deleted = usize::try_from(deleted).unwrap_or(usize::MAX).min(text.length - skip);
    let mark = machine.mark();
    machine.append(text.slice(0, skip))?;
    machine.append(inserted)?;
    machine.append(text.slice(skip + deleted, text.length))?;
    machine.push_text(machine.since(mark));
    Ok(())
}

/// `CHRTRAN(text, searched, replacements)`: a byte without a replacement is dropped.
fn chrtran(machine: &mut Machine<'_>) -> Result<()> {
    let (replacements, searched, text) = (machine.text()?, machine.text()?, machine.text()?);
    let mark = machine.mark();
    machine.append(text)?;
    let (mut kept, end) = (mark, machine.mark());
    for read in mark..end {
        let byte = machine.scratch.text[read];
        let place = machine.bytes(searched).iter().position(|other| *other == byte);
        let byte = match place {
            None => Some(byte),
            Some(place) => machine.bytes(replacements).get(place).copied(),
        };
        if let Some(byte) = byte {
            machine.scratch.text[kept] = byte;
            kept += 1;
        }
    }
    machine.scratch.text.truncate(kept);
    machine.push_text(machine.since(mark));
    Ok(())
}

fn first_is(machine: &mut Machine<'_>, test: impl Fn(&CaseTable, u8) -> bool) -> Result<()> {
    let text = machine.text()?;
    let holds = machine.bytes(text).first().is_some_and(|byte| test(&machine.program.case, *byte));
    machine.push_logical(holds);
    Ok(())
}

fn is_empty(machine: &Machine<'_>, slot: Slot) -> bool {
    match slot {
        Slot::Text(text) => machine.bytes(text).iter().all(|byte| is_space(*byte)),
        Slot::Number(number) => number.is_zero(),
        Slot::Date(day) => day == 0,
        Slot::Timestamp(day, ms) => day == 0 && ms == 0,
        Slot::Logical(value) => !value,
    }
}

/// Clipper's minuend for a descending date.
const DESCENDING_DATES: i64 = 5_231_808;

/// Every byte b as 256 - b, and 0 as 0; numbers with the other sign; dates as numbers.
fn descend(machine: &mut Machine<'_>) -> Result<()> {
    match machine.pop()? {
        Slot::Text(text) => {
            let mark = machine.mark();
            machine.append(text)?;
            for byte in &mut machine.scratch.text[mark..] {
                *byte = byte.wrapping_neg();
            }
            machine.push_text(machine.since(mark));
        }
        Slot::Number(number) => machine.push(Slot::Number(Number::Double(-number.as_f64()))),
        Slot::Date(day) | Slot::Timestamp(day, _) => machine.push_integer(DESCENDING_DATES - i64::from(day)),
        Slot::Logical(value) => machine.push_logical(!value),
    }
    Ok(())
}

/// The code of each letter: vowels, H, W and Y are 0, and separate equal codes.
const SOUNDEX: &[u8; 26] = b"01230120022455012623010202";

fn soundex(machine: &mut Machine<'_>) -> Result<()> {
    let (text, mark) = (machine.text()?, machine.mark());
    let mut result = *b"0000";
    let (mut used, mut previous) = (0, b'0');
    for byte in machine.bytes(text).iter().map(u8::to_ascii_uppercase).filter(u8::is_ascii_uppercase) {
        let code = SOUNDEX[usize::from(byte - b'A')];
        if used == 0 || code != b'0' && code != previous {
            result[used] = if used == 0 { byte } else { code };
            used += 1;
        }
        previous = code;
        if used == result.len() {
            break;
        }
    }
    machine.append_bytes(&result)?;
    machine.push_text(machine.since(mark));
    Ok(())
}

/// `*` stands for any bytes and `?` for any one. Blanks at the end count, as with SET COMPATIBLE OFF.
fn like(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == b'?' || *byte == text[t] => (p, t) = (p + 1, t + 1),
            _ => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    (p, t) = (place + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_text_decides_how_far_a_comparison_goes() {
        for (left, right, off, on) in [
            ("ADAM", "AD", Ordering::Equal, Ordering::Greater),
            ("AD", "ADAM", Ordering::Less, Ordering::Less),
            ("AD  ", "AD", Ordering::Equal, Ordering::Equal),
            ("AD", "AD  ", Ordering::Less, Ordering::Equal),
            ("X", "", Ordering::Equal, Ordering::Greater),
            ("", "X", Ordering::Less, Ordering::Less),
            ("  ", "", Ordering::Equal, Ordering::Equal),
            ("\u{e9}", "z", Ordering::Greater, Ordering::Greater),
        ] {
            assert_eq!(compare(left.as_bytes(), right.as_bytes(), false), off, "{left:?} {right:?} off");
            assert_eq!(compare(left.as_bytes(), right.as_bytes(), true), on, "{left:?} {right:?} on");
        }
    }

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("A*", "ADAM", true),
            ("*M", "ADAM ", false),
            ("*D*M", "ADAM", true),
            ("?DAM", "ADAM", true),
            ("ADAM?", "ADAM", false),
            ("*", "", true),
        ] {
            assert_eq!(like(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
    }
}
