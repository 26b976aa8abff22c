//! Functions of text. Source: the help page "String Functions" and those of the functions.

use crate::convert::text_type;
use crate::failure::Failure;
use crate::function::{Arguments, Function, Gives, Outcome, plain};
use mainstay_types::{Value, ValueRef};

/// The longest text that a function makes, in bytes.
const MOST: usize = 16 << 20;

pub(crate) const FUNCTIONS: &[Function] = &[
    plain("ascii", (1, 1), Gives::Integer, ascii),
    plain("at", (2, 3), Gives::Integer, locate),
    plain("locate", (2, 3), Gives::Integer, locate),
    plain("position", (2, 2), Gives::Integer, locate),
    plain("rat", (2, 2), Gives::Integer, rat),
    plain("bit_length", (1, 1), Gives::Integer, |it| Ok(integer(it.text(0)?.len() * 8))).with_blanks(),
    plain("octet_length", (1, 1), Gives::Integer, |it| Ok(integer(bytes(it)?.len()))).with_blanks(),
    plain("char", (1, 1), Gives::Text, chr),
    plain("chr", (1, 1), Gives::Text, chr),
    plain("char_length", (1, 2), Gives::Integer, char_length).with_blanks(),
    plain("character_length", (1, 2), Gives::Integer, char_length).with_blanks(),
    plain("len", (1, 1), Gives::Integer, |it| Ok(integer(it.text(0)?.chars().count()))).with_blanks(),
    plain("length", (1, 1), Gives::Integer, |it| Ok(integer(it.text(0)?.trim_end_matches(' ').chars().count()))),
    plain("char2hex", (1, 1), Gives::Binary, char_to_hex),
    plain("hex2char", (1, 1), Gives::Text, hex_to_char),
    plain("concat", (2, 2), Gives::Text, |it| made(format!("{}{}", it.text(0)?, it.text(1)?))).with_blanks(),
    plain("endswith", (2, 2), Gives::Logical, |it| Ok(Value::Boolean(it.text(0)?.ends_with(it.text(1)?)))),
    plain("startswith", (2, 2), Gives::Logical, |it| Ok(Value::Boolean(it.text(0)?.starts_with(it.text(1)?)))),
    plain("substringof", (2, 2), Gives::Logical, |it| Ok(Value::Boolean(it.text(1)?.contains(it.text(0)?)))),
    plain("insert", (4, 4), Gives::Text, insert).with_blanks(),
    plain("lcase", (1, 1), Gives::Text, |it| made(it.text(0)?.to_lowercase())),
    plain("lower", (1, 1), Gives::Text, |it| made(it.text(0)?.to_lowercase())),
    plain("ucase", (1, 1), Gives::Text, |it| made(it.text(0)?.to_uppercase())),
    plain("upper", (1, 1), Gives::Text, |it| made(it.text(0)?.to_uppercase())),
    plain("left", (2, 2), Gives::Text, left).with_blanks(),
    plain("right", (2, 2), Gives::Text, right).with_blanks(),
    plain("ltrim", (1, 1), Gives::Text, |it| made(it.text(0)?.trim_start_matches(' ').to_owned())),
    plain("rtrim", (1, 1), Gives::Text, |it| made(it.text(0)?.trim_end_matches(' ').to_owned())),
    plain("trim", (1, 2), Gives::Text, |it| trim(it, true, true)),
    plain("alltrim", (1, 1), Gives::Text, |it| trim(it, true, true)),
    plain("trim_leading", (1, 2), Gives::Text, |it| trim(it, true, false)),
    plain("trim_trailing", (1, 2), Gives::Text, |it| trim(it, false, true)),
    plain("pad", (2, 3), Gives::Text, |it| pad(it, false)),
    plain("padr", (2, 3), Gives::Text, |it| pad(it, false)),
    plain("padl", (2, 3), Gives::Text, |it| pad(it, true)),
    plain("padc", (2, 3), Gives::Text, pad_both),
    plain("repeat", (2, 2), Gives::Text, |it| repeated(it.text(0)?, it.size(1)?)).with_blanks(),
    plain("space", (1, 1), Gives::Text, |it| repeated(" ", it.size(0)?)),
    plain("replace", (3, 3), Gives::Text, replace).with_blanks(),
    plain("reverse", (1, 1), Gives::Text, |it| made(it.text(0)?.chars().rev().collect())).with_blanks(),
    plain("str", (1, 3), Gives::Text, |it| digits(it, ' ')),
    plain("strzero", (1, 3), Gives::Text, |it| digits(it, '0')),
    plain("substring", (2, 3), Gives::Text, substring).with_blanks(),
    plain("substr", (2, 3), Gives::Text, substring).with_blanks(),
    plain("val", (1, 1), Gives::Double, val),
    plain("soundex", (1, 1), Gives::Text, |it| made(soundex(it.text(0)?))),
    plain("difference", (2, 2), Gives::Integer, difference),
    plain("inlist", (2, 200), Gives::Logical, in_list).with_null(),
    plain("transform", (1, 2), Gives::Text, |it| crate::convert::convert(it.value(0), text_type())),
];

fn integer(number: usize) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

fn made(text: String) -> Outcome {
    Ok(Value::Text(text))
}

fn bytes<'a>(it: &Arguments<'a>) -> Result<&'a [u8], Failure> {
    match it.value(0) {
        ValueRef::Text(text) => Ok(text.as_bytes()),
        ValueRef::Binary(bytes) => Ok(bytes),
        _ => Err(it.refused()),
    }
}

fn ascii(it: &Arguments<'_>) -> Outcome {
    Ok(it.text(0)?.chars().next().map_or(Value::Null, |first| Value::Integer(i64::from(u32::from(first)))))
}

fn chr(it: &Arguments<'_>) -> Outcome {
    let number = u32::try_from(it.integer(0)?).map_err(|_| it.refused())?;
    made(char::from_u32(number).ok_or_else(|| it.refused())?.to_string())
}

fn char_length(it: &Arguments<'_>) -> Outcome {
    let text = it.text(0)?;
    let unit = if it.count() > 1 { it.text(1)?.to_ascii_lowercase() } else { "characters".to_owned() };
    Ok(integer(match unit.as_str() {
        "characters" | "code_points" => text.chars().count(),
        "octets" => text.len(),
        _ => return Err(it.refused()),
    }))
}

/// The place of the first text in the second, from 1; 0 if it is not there. The search may begin later.
fn locate(it: &Arguments<'_>) -> Outcome {
    let (wanted, text) = (it.text(0)?, it.text(1)?);
    let from = if it.count() > 2 { it.size(2)?.max(1) - 1 } else { 0 };
    let Some((start, _)) = text.char_indices().nth(from) else { return Ok(Value::Integer(0)) };
    let rest = text.get(start..).unwrap_or("");
    let found = rest.find(wanted).and_then(|place| rest.get(..place));
    Ok(found.map_or(Value::Integer(0), |before| integer(from + before.chars().count() + 1)))
}

fn rat(it: &Arguments<'_>) -> Outcome {
    let (wanted, text) = (it.text(0)?, it.text(1)?);
    let before = text.rfind(wanted).and_then(|place| text.get(..place));
    Ok(before.map_or(Value::Integer(0), |before| integer(before.chars().count() + 1)))
}

/// The bytes that hexadecimal digits spell.
fn char_to_hex(it: &Arguments<'_>) -> Outcome {
    let digits: Option<Vec<u8>> =
        it.text(0)?.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2)).ok_or_else(|| it.refused())?;
    Ok(Value::Binary(digits.chunks(2).map(|pair| pair.iter().fold(0, |sum, digit| sum << 4 | digit)).collect()))
}

fn hex_to_char(it: &Arguments<'_>) -> Outcome {
    made(bytes(it)?.iter().map(|byte| format!("{byte:02X}")).collect())
}

fn insert(it: &Arguments<'_>) -> Outcome {
    let (start, length) = (it.size(1)?.max(1) - 1, it.size(2)?);
    let text: Vec<char> = it.text(0)?.chars().collect();
    let mut result: String = text.iter().take(start).collect();
    result.push_str(it.text(3)?);
    result.extend(text.iter().skip(start.saturating_add(length)));
    made(result)
}

fn left(it: &Arguments<'_>) -> Outcome {
    made(it.text(0)?.chars().take(it.size(1)?).collect())
}

/// The last characters; a negative count, or one that is too large, gives the whole text.
fn right(it: &Arguments<'_>) -> Outcome {
    let text = it.text(0)?;
    let (length, count) = (text.chars().count(), it.integer(1)?);
    let count = usize::try_from(count).map_or(length, |count| count.min(length));
    made(text.chars().skip(length - count).collect())
}

/// Removes the given text, as often as it is there; blanks by default.
fn trim(it: &Arguments<'_>, leading: bool, trailing: bool) -> Outcome {
    let (what, mut text) = match it.count() {
        1 => (" ", it.text(0)?),
        _ => (it.text(0)?, it.text(1)?),
    };
    while leading && !what.is_empty() {
        let Some(rest) = text.strip_prefix(what) else { break };
        text = rest;
    }
    while trailing && !what.is_empty() {
        let Some(rest) = text.strip_suffix(what) else { break };
        text = rest;
    }
    made(text.to_owned())
}

fn filler(it: &Arguments<'_>) -> Result<char, Failure> {
    let given = if it.count() > 2 { it.text(2)?.chars().next() } else { None };
    Ok(given.unwrap_or(' '))
}

/// A value as the functions that pad see it.
fn shown(it: &Arguments<'_>) -> Result<String, Failure> {
    match crate::convert::convert(it.value(0), text_type())? {
        Value::Text(text) => Ok(text.trim_end_matches(' ').to_owned()),
        _ => Ok(String::new()),
    }
}

fn pad(it: &Arguments<'_>, left: bool) -> Outcome {
    let (text, size, fill) = (shown(it)?, it.size(1)?, filler(it)?);
    let length = text.chars().count();
    if length >= size {
        return made(text.chars().take(size).collect());
    }
    let Value::Text(fill) = repeated(&fill.to_string(), size - length)? else { return Err(it.refused()) };
    made(if left { fill + &text } else { text + &fill })
}

fn pad_both(it: &Arguments<'_>) -> Outcome {
    let (text, size, fill) = (shown(it)?, it.size(1)?, filler(it)?);
    let length = text.chars().count();
    if length >= size {
        return made(text.chars().take(size).collect());
    }
    let before = (size - length) / 2;
    let side = |count: usize| match repeated(&fill.to_string(), count) {
        Ok(Value::Text(text)) => Ok(text),
        _ => Err(it.refused()),
    };
    made(format!("{}{text}{}", side(before)?, side(size - length - before)?))
}

fn repeated(text: &str, count: usize) -> Outcome {
    match text.len().checked_mul(count) {
        Some(length) if length <= MOST => made(text.repeat(count)),
        _ => Err(Failure::new(crate::native::ARGUMENT, "Invalid argument to scalar function: the text is too long")),
    }
}

fn replace(it: &Arguments<'_>) -> Outcome {
    let (text, from, to) = (it.text(0)?, it.text(1)?, it.text(2)?);
    if from.is_empty() {
        return made(text.to_owned());
    }
    let grown = text.len().saturating_add(text.matches(from).count().saturating_mul(to.len()));
    if grown > MOST { Err(it.refused()) } else { made(text.replace(from, to)) }
}

/// A number in columns; 10 by default, stars if it does not fit.
fn digits(it: &Arguments<'_>, fill: char) -> Outcome {
    let number = it.double(0)?;
    let width = if it.count() > 1 { it.size(1)?.min(255) } else { 10 };
    let decimals = if it.count() > 2 { it.size(2)?.min(30) } else { 0 };
    let text = format!("{number:.decimals$}");
    if text.len() > width {
        return made("*".repeat(width));
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) if fill == '0' => ("-", digits),
        _ => ("", text.as_str()),
    };
    let padding: String = std::iter::repeat_n(fill, width - text.len()).collect();
    made(if sign.is_empty() { padding + digits } else { format!("{sign}{padding}{digits}") })
}

fn substring(it: &Arguments<'_>) -> Outcome {
    let start = it.integer(1)?;
    if start < 1 {
        return Err(it.refused());
    }
    let start = usize::try_from(start - 1).unwrap_or(usize::MAX);
    let count = if it.count() > 2 { it.size(2)? } else { usize::MAX };
    made(it.text(0)?.chars().skip(start).take(count).collect())
}

/// The number that a text begins with; 0 if it begins with none.
fn val(it: &Arguments<'_>) -> Outcome {
    let text = it.text(0)?.trim_start();
    let (mut end, mut has_point) = (0, false);
    for (place, character) in text.char_indices() {
        match character {
            '0'..='9' => {}
            '.' if !has_point => has_point = true,
            '+' | '-' if place == 0 => {}
            _ => break,
        }
        end = place + character.len_utf8();
    }
    Ok(Value::Float(text.get(..end).and_then(|digits| digits.parse().ok()).unwrap_or(0.0)))
}

/// A letter and three digits: letters that sound alike have the same digit, and one after another count once.
fn soundex(text: &str) -> String {
    let code = |letter: char| match letter.to_ascii_uppercase() {
        'B' | 'F' | 'P' | 'V' => '1',
        'C' | 'G' | 'J' | 'K' | 'Q' | 'S' | 'X' | 'Z' => '2',
        'D' | 'T' => '3',
        'L' => '4',
        'M' | 'N' => '5',
        'R' => '6',
        _ => '0',
    };
    let mut letters = text.trim().chars().filter(char::is_ascii_alphabetic);
    let Some(first) = letters.next() else { return String::new() };
    let (mut result, mut last) = (first.to_ascii_uppercase().to_string(), code(first));
    for letter in letters {
        let digit = code(letter);
        if digit != '0' && digit != last {
            result.push(digit);
        }
        // H and W do not part two letters of a kind.
        if !matches!(letter.to_ascii_uppercase(), 'H' | 'W') {
            last = digit;
        }
        if result.len() == 4 {
            break;
        }
    }
    format!("{result:0<4}")
}

fn difference(it: &Arguments<'_>) -> Outcome {
    let (left, right) = (soundex(it.text(0)?), soundex(it.text(1)?));
    Ok(integer(left.chars().zip(right.chars()).filter(|(left, right)| left == right).count()))
}

/// Returns true if the first value is among the others.
fn in_list(it: &Arguments<'_>) -> Outcome {
    let mut unknown = false;
    for place in 1..it.count() {
        match crate::operators::compare(it.value(0), it.value(place))? {
            Some(std::cmp::Ordering::Equal) => return Ok(Value::Boolean(true)),
            Some(_) => {}
            None => unknown = true,
        }
    }
    Ok(if unknown { Value::Null } else { Value::Boolean(false) })
}
