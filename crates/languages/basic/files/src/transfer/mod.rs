//! Files that were exported on another system: their description and their records as text.
//!
//! **Problem.** The keyed files of the old system have a format of its own. What every system of the family can do is run a program
//! that reads a file and writes text.
//!
//! **Idea.** The program writes two text files for each file:
//!
//! ```text
//!   orders.desc   name=value lines: the descriptor (FIB) in hex or the keys as KEYED takes them, counts and checksum
//!   orders.txt    a line for each record, in an encoding that keeps every byte
//!
//!   format=tab    fields with tabs between them; \\ \t \n \r stand for the characters that would end a field or a line
//!   format=csv    fields with commas between them, quotes around those that need them, quotes doubled
//!   format=hex    the record in hex, with a colon behind its key
//!
//!   encoding=8-bit   the text has the bytes of the records
//!   encoding=utf-8   its characters become bytes of the code page of strings
//! ```
//!
//! A file with an external key has the key before the first tab, comma or colon, and an INDEXED file the index. A SORT file has
//! the key alone.
//!
//! The checksum is CRC-16, as CRC( ) calculates it: of key, record and $0A$ of one record after the other. A line that cannot be
//! read is a rejected record; the others are imported.
//!
//! [`import`] takes the lines from its caller, and writes the records through a volume. Sources: the manual's pages FIB( ), CRC( ), KEYED.

mod fib;
mod line;
mod load;

pub use fib::keys_of_descriptor;
pub use line::{Exported, Format};
pub use load::{Reject, Report, import};

use crate::error::{FileError, FileErrorKind, Result};
use crate::key::KeyDefinitions;
use crate::options::{FileDefinition, FileKind, RecordFormat};

/// The description of an exported file.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The name of the file that is made.
    pub name: String,
    /// Its definition.
    pub definition: FileDefinition,
    /// The name of the text file with the records, as the description has it.
    pub data: Option<String>,
    /// The encoding of its lines.
    pub format: Format,
    /// The text is UTF-8; otherwise it has the bytes of the records.
    pub is_utf8: bool,
    /// How many records were exported.
    pub records: Option<u64>,
    /// How many bytes their keys and records have together.
    pub bytes: Option<u64>,
    /// The checksum.
    pub checksum: Option<u16>,
}

fn invalid(message: String) -> FileError {
    FileError::new(FileErrorKind::InvalidOption, message)
}

impl Description {
    /// Reads a description. `name` is the name of the file unless the description has another one.
    ///
    /// Errors: 32 for a line that is not known or cannot be read, 80 for keys that are not valid.
    pub fn parse(text: &str, name: &str) -> Result<Description> {
        let mut lines = Vec::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let parts = line.split_once('=').map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()));
            lines.push((
                number + 1,
                parts.ok_or_else(|| invalid(format!("line {}: NAME=VALUE is missing", number + 1)))?,
            ));
        }
        let definition = FileDefinition::new(FileKind::Keyed, KeyDefinitions::default(), RecordFormat::DEFAULT);
        let mut description = Description {
            name: name.to_owned(),
            definition,
            data: None,
            format: Format::Tab,
            is_utf8: false,
            records: None,
            bytes: None,
            checksum: None,
        };
        // The descriptor comes first, so that other lines correct it wherever they stand.
        lines.sort_by_key(|(_, (name, _))| name != "fib");
        for (number, (name, value)) in &lines {
            description.set(name, value).map_err(|error| error.at(format!("line {number}")))?;
        }
        description.check()?;
        Ok(description)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let unreadable = || invalid(format!("{name}={value} cannot be read"));
        let definition = &mut self.definition;
        match name {
            "fib" => *definition = fib::definition(&line::from_hex(value.as_bytes()).ok_or_else(unreadable)?)?,
            "name" => self.name = value.to_owned(),
            "data" => self.data = Some(value.to_owned()),
            "format" => self.format = Format::parse(value).ok_or_else(unreadable)?,
            "encoding" => {
                self.is_utf8 = match value.to_ascii_lowercase().as_str() {
                    "utf-8" | "utf8" => true,
                    "8-bit" => false,
                    _ => return Err(unreadable()),
                }
            }
            "records" => self.records = Some(value.parse().map_err(|_| unreadable())?),
            "bytes" => self.bytes = Some(value.parse().map_err(|_| unreadable())?),
            "crc" => self.checksum = Some(u16::from_str_radix(value, 16).map_err(|_| unreadable())?),
            "kind" => {
                definition.kind = match value.to_ascii_lowercase().as_str() {
                    "keyed" | "direct" => FileKind::Keyed,
                    "sort" => FileKind::Sort,
                    "indexed" => FileKind::Indexed,
                    _ => return Err(unreadable()),
                }
            }
            "keys" => definition.keys = KeyDefinitions::parse(value)?,
            "record" => {
                let size = value.parse().ok().and_then(RecordFormat::of_size);
                definition.format = size.ok_or_else(unreadable)?;
            }
            "max" => definition.max_records = value.parse().ok().filter(|most| *most > 0),
            "separator" => definition.separator = u8::from_str_radix(value, 16).map_err(|_| unreadable())?,
            "options" => {
                definition.strips_null_keys = value.contains('N');
                definition.keeps_further_fields = value.contains('U');
                definition.is_extended = value.contains('X');
            }
            "layout" => definition.layout = Some(value.to_owned()).filter(|layout| !layout.is_empty()),
            _ => return Err(invalid(format!("{name} is not known"))),
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        let has_keys = !self.definition.keys.keys().is_empty();
        match self.definition.kind {
            FileKind::Keyed | FileKind::Sort if !has_keys => {
                Err(invalid("neither fib= nor keys= says what the keys are".to_owned()))
            }
            FileKind::Keyed | FileKind::Sort | FileKind::Indexed => Ok(()),
            _ => {
                Err(invalid("only keyed, sort and indexed files are imported; copy other files as they are".to_owned()))
            }
        }
    }

    /// The record of a line of the data file.
    ///
    /// Errors: 32 with the reason for a line that the format does not have, or a character that the code page does not have.
    pub fn record(&self, line: &[u8]) -> Result<Exported> {
        match self.is_utf8 && self.format != Format::Hex {
            true => line::decode(self, &line::encoded(line)?),
            false => line::decode(self, line),
        }
    }
}

/// Counts and the checksum of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub records: u64,
    /// Bytes of their keys and of themselves.
    pub bytes: u64,
    /// CRC-16.
    pub checksum: u16,
}

impl Tally {
    /// Adds a record. The key is empty unless it is an external one.
    pub fn add(&mut self, key: &[u8], data: &[u8]) {
        self.records += 1;
        self.bytes += (key.len() + data.len()) as u64;
        for part in [key, data, b"\n"] {
            self.checksum = part.iter().fold(self.checksum, |crc, byte| crc16(crc, *byte));
        }
    }
}

/// The reflected polynomial $8005$ (manual, `functions/crc.md`).
fn crc16(crc: u16, byte: u8) -> u16 {
    (0..8).fold(crc ^ u16::from(byte), |crc, _| if crc & 1 != 0 { crc >> 1 ^ 0xA001 } else { crc >> 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_one_of_the_manual() {
        // CRC("Hello") is $F353$, and with "World" behind it $6053$.
        let sum = |text: &[u8]| text.iter().fold(0, |crc, byte| crc16(crc, *byte));
        assert_eq!((sum(b"Hello"), sum(b"HelloWorld")), (0xF353, 0x6053));
    }

    #[test]
    fn descriptions_name_what_is_wrong() {
        let parse = |text: &str| Description::parse(text, "orders");
        let good =
            parse("keys=[1:1:4],[\"Name\":2:1:10]\nrecord=-100\nmax=50\nlayout=IOLIST ID$,NAME$\ncrc=00FF\n").unwrap();
        assert_eq!(
            (good.definition.keys.to_string().as_str(), good.checksum),
            ("[1:1:4],[\"Name\":2:1:10]", Some(255))
        );
        assert_eq!(good.definition.max_records, Some(50));
        for (text, message) in [
            ("", "neither fib= nor keys="),
            ("keys", "line 1"),
            ("keys=[1:1:4]\nkeyz=1", "line 2"),
            ("keys=[1:1:4]\ncrc=xyz", "crc=xyz"),
            ("fib=0", "fib=0"),
            ("kind=keyed\nkeys=[", "line 2"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.to_string().contains(message), "{text:?}: {error}");
        }
    }
}
