//! POS and SUB.

use crate::code::Call;
use crate::fault::{Fault, Outcome, fail};
use crate::machine::Machine;
use crate::number::Number;

/// POS: where a relation between a pattern and the string at a place holds; 0 if nowhere.
///
/// A step skips places, a negative one searches from the end; an occurrence of 0 counts them all.
pub(super) fn pos(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let (pattern, text) = (call.text(machine, 0)?, call.text(machine, 1)?);
    let step = if call.has(2) { call.whole(machine, 2)? } else { 1 };
    let wanted = if call.has(3) { call.whole(machine, 3)? } else { 1 };
    if step == 0 || wanted < 0 {
        return fail(41, "step or occurrence of POS");
    }
    let result = search(&pattern, &text, call.relation, step, wanted);
    machine.give(pattern);
    machine.give(text);
    Ok(Number::whole(result as i64))
}

fn search(pattern: &[u8], text: &[u8], relation: &str, step: i64, wanted: i64) -> usize {
    let is_set = matches!(relation, ":" | "^");
    let length = if is_set { 1 } else { pattern.len() };
    if pattern.is_empty() || text.len() < length {
        return 0;
    }
    if relation == "=" && step == 1 && wanted == 1 {
        return memchr::memmem::find(text, pattern).map_or(0, |at| at + 1);
    }
    let last = text.len() - length;
    let stride = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
    let mut found = 0;
    let mut at = if step > 0 { Some(0) } else { Some(last) };
    while let Some(place) = at.filter(|place| *place <= last) {
        if holds(pattern, &text[place..place + length], relation) {
            found += 1;
            if found == wanted {
                return place + 1;
            }
        }
        at = if step > 0 { place.checked_add(stride) } else { place.checked_sub(stride) };
    }
    if wanted == 0 { found as usize } else { 0 }
}

fn holds(pattern: &[u8], part: &[u8], relation: &str) -> bool {
    match relation {
        "=" => part == pattern,
        "<>" => part != pattern,
        "<" => pattern < part,
        "<=" => pattern <= part,
        ">" => pattern > part,
        ">=" => pattern >= part,
        ":" => pattern.contains(&part[0]),
        _ => !pattern.contains(&part[0]),
    }
}

/// SUB: another text for all occurrences, for one of them, or for one from the end.
pub(super) fn sub(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    let pattern = call.text(machine, 1)?;
    let replacement = call.text(machine, 2)?;
    let wanted = if call.has(3) { call.whole(machine, 3)? } else { 0 };
    if pattern.is_empty() {
        return Err(Fault::new(46));
    }
    let count = memchr::memmem::find_iter(&text, &pattern).count();
    crate::machine::memory::charge_temporary(machine, count * std::mem::size_of::<usize>())?;
    let places: Vec<usize> = memchr::memmem::find_iter(&text, &pattern).collect();
    let chosen = match wanted {
        0 => 0..places.len(),
        n if n > 0 => {
            let at = (n as usize - 1).min(places.len());
            at..(at + 1).min(places.len())
        }
        n => match places.len().checked_sub(n.unsigned_abs() as usize) {
            Some(at) => at..at + 1,
            None => 0..0,
        },
    };
    let mut from = 0;
    for place in &places[chosen] {
        out.extend_from_slice(&text[from..*place]);
        out.extend_from_slice(&replacement);
        machine.check_length(out.len())?;
        from = place + pattern.len();
    }
    out.extend_from_slice(&text[from..]);
    for buffer in [text, pattern, replacement] {
        machine.give(buffer);
    }
    Ok(())
}

/// MSK: where a regular expression matches; MSL is the length of the match.
///
/// With a number it is the place of a sub-pattern of the last match, 0 for all of it. Error 42 for no such sub-pattern.
pub(super) fn msk(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    if !call.is_text(0) {
        let index = call.whole(machine, 0)?;
        let known = usize::try_from(index).ok().and_then(|index| machine.captures.get(index).copied());
        let Some(found) = known else { return fail(42, format!("the pattern has no part {index}")) };
        return Ok(matched(machine, found));
    }
    let (text, pattern) = (call.text(machine, 0)?, call.text(machine, 1)?);
    machine.capture_pattern(&text, &pattern)?;
    let found = machine.captures.first().copied().flatten();
    Ok(matched(machine, found))
}

fn matched(machine: &mut Machine, found: Option<(usize, usize)>) -> Number {
    machine.match_length = found.map_or(0, |(_, length)| length as i64);
    Number::whole(found.map_or(0, |(at, _)| at as i64 + 1))
}
