//! Lines of a data file as records.

use super::Description;
use crate::error::{FileError, FileErrorKind, Result};
use crate::options::FileKind;

/// The encoding of lines. See the module above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Fields with tabs between them.
    Tab,
    /// Fields with commas between them.
    Csv,
    /// Hex.
    Hex,
}

impl Format {
    /// The format of a name.
    pub(super) fn parse(name: &str) -> Option<Format> {
        Some(match name.to_ascii_lowercase().as_str() {
            "tab" => Format::Tab,
            "csv" => Format::Csv,
            "hex" => Format::Hex,
            _ => return None,
        })
    }
}

/// A record of the old system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// The external key, or the key of a SORT file.
    pub key: Option<Vec<u8>>,
    /// The index of an INDEXED file.
    pub index: Option<i64>,
    /// The bytes.
    pub data: Vec<u8>,
}

fn unreadable(reason: &str) -> FileError {
    FileError::new(FileErrorKind::InvalidOption, reason)
}

/// A line of UTF-8 in the code page of strings.
pub(super) fn encoded(line: &[u8]) -> Result<Vec<u8>> {
    let text = std::str::from_utf8(line).map_err(|_| unreadable("the line is not valid UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let byte = |character| {
        let missing = || unreadable(&format!("the code page does not have the character {character}"));
        mainstay_code_page::byte(character).ok_or_else(missing)
    };
    text.chars().map(byte).collect()
}

/// Reads a line without its end.
pub(super) fn decode(description: &Description, line: &[u8]) -> Result<Exported> {
    // A carriage return of the record is escaped or quoted; this one ends the line.
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let definition = &description.definition;
    // A line of a SORT file is its key alone.
    let has_head = match definition.kind {
        FileKind::Indexed => true,
        FileKind::Sort => false,
        _ => definition.keys.external_length().is_some(),
    };
    let separator = definition.separator;
    let (head, data) = match description.format {
        Format::Tab => {
            let (head, rest) = split_head(line, b'\t', has_head)?;
            (head.map(|head| unescape(head, None)).transpose()?, unescape(rest, Some(separator))?)
        }
        Format::Hex => {
            let (head, rest) = split_head(line, b':', has_head)?;
            let bytes = |text: &[u8]| from_hex(text).ok_or_else(|| unreadable("a pair of hex digits is not valid"));
            (head.map(bytes).transpose()?, bytes(rest)?)
        }
        Format::Csv => {
            let (head, mut data) = csv(line, has_head, separator)?;
            if definition.kind == FileKind::Sort {
                // A key of several fields has separators between them only.
                data.pop();
            }
            (head, data)
        }
    };
    Ok(match (definition.kind, head) {
        (FileKind::Indexed, Some(head)) => {
            let index = std::str::from_utf8(&head).ok().and_then(|text| text.trim().parse().ok());
            Exported { key: None, index: Some(index.ok_or_else(|| unreadable("the index is not a number"))?), data }
        }
        (FileKind::Sort, _) => Exported { key: Some(data), index: None, data: Vec::new() },
        (_, key) => Exported { key, index: None, data },
    })
}

/// The key or index before the first delimiter.
fn split_head(line: &[u8], delimiter: u8, has_head: bool) -> Result<(Option<&[u8]>, &[u8])> {
    if !has_head {
        return Ok((None, line));
    }
    let at = line.iter().position(|byte| *byte == delimiter);
    let at = at.ok_or_else(|| unreadable("the key before the record is missing"))?;
    Ok((Some(&line[..at]), &line[at + 1..]))
}

/// Replaces `\\`, `\t`, `\n`, `\r`; a tab becomes the separator.
fn unescape(text: &[u8], separator: Option<u8>) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        out.push(match (byte, separator) {
            (b'\t', Some(separator)) => separator,
            (b'\\', _) => match bytes.next() {
                Some(b'\\') => b'\\',
                Some(b't') => b'\t',
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                _ => return Err(unreadable("a backslash without \\, t, n or r behind it")),
            },
            (byte, _) => *byte,
        });
    }
    Ok(out)
}

/// Bytes of hex digits; `None` for others.
pub(super) fn from_hex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.trim_ascii().chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    });
    pairs.collect()
}

/// Fields with commas between them; each gets a separator behind it.
fn csv(line: &[u8], has_head: bool, separator: u8) -> Result<(Option<Vec<u8>>, Vec<u8>)> {
    let mut fields = vec![Vec::new()];
    let mut bytes = line.iter().peekable();
    let mut is_quoted = false;
    while let Some(byte) = bytes.next() {
        let last = fields.len() - 1;
        match byte {
            b'"' if is_quoted && bytes.peek() == Some(&&b'"') => {
                bytes.next();
                fields[last].push(b'"');
            }
            b'"' if is_quoted => is_quoted = false,
            b'"' if fields[last].is_empty() => is_quoted = true,
            b',' if !is_quoted => fields.push(Vec::new()),
            byte => fields[last].push(*byte),
        }
    }
    if is_quoted {
        return Err(unreadable("a quote is not closed in its line"));
    }
    let head = has_head.then(|| fields.remove(0));
    let mut data = Vec::with_capacity(line.len() + 1);
    for field in fields {
        data.extend_from_slice(&field);
        data.push(separator);
    }
    Ok((head, data))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description(keys: &str, format: &str) -> Description {
        Description::parse(&format!("keys={keys}\nformat={format}\n"), "x").unwrap()
    }

    #[test]
    fn lines_of_all_formats_are_records() {
        let record = |keys: &str, format: &str, line: &[u8]| description(keys, format).record(line).unwrap();
        assert_eq!(record("[1:1:2]", "tab", b"a\tb\\tc\\\\\t").data, b"a\x8Ab\tc\\\x8A");
        // Without a separator at its end the record has none.
        assert_eq!(record("[1:1:2]", "tab", b"a\tb").data, b"a\x8Ab");
        let keyed = record("2", "tab", b"k\\n\ta\t");
        assert_eq!((keyed.key.as_deref(), keyed.data.as_slice()), (Some(&b"k\n"[..]), &b"a\x8A"[..]));
        assert_eq!(record("[1:1:2]", "csv", b"a,\"b,\"\"c\",").data, b"a\x8Ab,\"c\x8A\x8A");
        let keyed = record("2", "hex", b"6B31:418A");
        assert_eq!((keyed.key.as_deref(), keyed.data.as_slice()), (Some(&b"k1"[..]), &b"A\x8A"[..]));
        let indexed = Description::parse("kind=indexed\nrecord=10", "x").unwrap().record(b"7\tabc").unwrap();
        assert_eq!((indexed.index, indexed.data.as_slice()), (Some(7), &b"abc"[..]));
        for (format, line, key) in [
            ("tab", "K1", "K1"),
            ("tab", "a\\t\\\\", "a\t\\"),
            ("csv", "K1", "K1"),
            ("csv", "\"K,\"\"1\"", "K,\"1"),
            ("hex", "4B31", "K1"),
        ] {
            let description = Description::parse(&format!("kind=sort\nkeys=6\nformat={format}"), "x").unwrap();
            let sort = description.record(line.as_bytes()).unwrap();
            assert_eq!(
                (sort.key.as_deref(), sort.data.as_slice()),
                (Some(key.as_bytes()), &b""[..]),
                "{format} {line}"
            );
        }
        let parts = Description::parse("kind=sort\nkeys=6\nformat=csv", "x").unwrap().record(b"a,b").unwrap();
        assert_eq!(parts.key.as_deref(), Some(&b"a\x8Ab"[..]));
    }

    #[test]
    fn other_lines_are_refused() {
        for (keys, format, line) in [
            ("[1:1:2]", "tab", "a\\x"),
            ("2", "tab", "a"),
            ("[1:1:2]", "csv", "\"a"),
            ("[1:1:2]", "hex", "4"),
            ("2", "hex", "4G:41"),
        ] {
            assert!(description(keys, format).record(line.as_bytes()).is_err(), "{format} {line}");
        }
    }
}
