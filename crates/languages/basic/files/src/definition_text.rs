//! Definitions of files as text: what is kept beside a stored file.
//!
//! ```text
//!   kind=keyed
//!   keys=6,["Name":1:1:20:"C"]
//!   record=-256            negative: the greatest length; positive: the fixed length
//!   records=1000           the greatest number; not there without a limit
//!   separator=8A
//!   options=NU             N: $00$ at the end of keys do not count; U: further fields stay; X: records of any length
//!   layout=...             to the end of the text
//! ```
//!
//! A line that is not known is refused: it may say something that this program would break.

use crate::error::{FileError, FileErrorKind, Result};
use crate::key::KeyDefinitions;
use crate::options::{FileDefinition, FileKind, RecordFormat, SEPARATOR};

impl FileDefinition {
    /// The definition as text.
    pub fn to_text(&self) -> String {
        let kind = match self.kind {
            FileKind::Sort => "sort",
            FileKind::Indexed => "indexed",
            _ => "keyed",
        };
        let record = match self.format {
            RecordFormat::Variable(limit) => -i64::from(limit),
            RecordFormat::Fixed(length) => i64::from(length),
        };
        let mut text = format!("kind={kind}\nkeys={}\nrecord={record}\n", self.keys);
        if let Some(most) = self.max_records {
            text.push_str(&format!("records={most}\n"));
        }
        text.push_str(&format!("separator={:02X}\noptions={}\n", self.separator, self.option_letters()));
        if let Some(layout) = &self.layout {
            text.push_str("layout=");
            text.push_str(layout);
        }
        text
    }

    /// The letters of `OPT=` that are set.
    pub fn option_letters(&self) -> String {
        let letters = [(self.strips_null_keys, 'N'), (self.keeps_further_fields, 'U'), (self.is_extended, 'X')];
        letters.iter().filter(|(is_set, _)| *is_set).map(|(_, letter)| letter).collect()
    }

    /// Reads the text.
    ///
    /// Errors: 106 for a text that this program has not written.
    pub fn from_text(text: &str) -> Result<FileDefinition> {
        let (lines, layout) = match text.split_once("layout=") {
            Some((lines, layout)) if lines.is_empty() || lines.ends_with('\n') => (lines, Some(layout.to_owned())),
            _ => (text, None),
        };
        let mut definition = FileDefinition::new(FileKind::Keyed, KeyDefinitions::default(), RecordFormat::DEFAULT);
        (definition.separator, definition.layout) = (SEPARATOR, layout);
        for line in lines.lines() {
            let (name, value) = line.split_once('=').ok_or_else(|| damaged(line))?;
            set(&mut definition, name, value).ok_or_else(|| damaged(line))?;
        }
        Ok(definition)
    }
}

fn set(definition: &mut FileDefinition, name: &str, value: &str) -> Option<()> {
    match name {
        "kind" => {
            definition.kind = match value {
                "keyed" => FileKind::Keyed,
                "sort" => FileKind::Sort,
                "indexed" => FileKind::Indexed,
                _ => return None,
            }
        }
        "keys" if value.is_empty() => definition.keys = KeyDefinitions::default(),
        "keys" => definition.keys = KeyDefinitions::parse(value).ok()?,
        "record" => definition.format = RecordFormat::of_size(value.parse().ok()?)?,
        "records" => definition.max_records = Some(value.parse().ok()?),
        "separator" => definition.separator = u8::from_str_radix(value, 16).ok()?,
        "options" => {
            for letter in value.chars() {
                match letter {
                    'N' => definition.strips_null_keys = true,
                    'U' => definition.keeps_further_fields = true,
                    'X' => definition.is_extended = true,
                    _ => return None,
                }
            }
        }
        _ => return None,
    }
    Some(())
}

fn damaged(line: &str) -> FileError {
    let message = format!("the definition of the file has the line {line:?}, which this program does not know");
    FileError::new(FileErrorKind::DamagedHeader, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        let mut definition = FileDefinition::direct(6, Some(100), RecordFormat::Fixed(80));
        definition.keys = KeyDefinitions::parse("6,[\"A=b\":2:1:8:\"UD\"]+[KEY:1:6],[3:1:30:\"K:20\"]").unwrap();
        (definition.separator, definition.strips_null_keys, definition.is_extended) = (b';', true, true);
        for layout in [None, Some("a\nlayout=b\n".to_owned())] {
            definition.layout = layout;
            assert_eq!(FileDefinition::from_text(&definition.to_text()).unwrap(), definition);
        }
        for definition in [FileDefinition::indexed(None, 50), FileDefinition::sort(9, None)] {
            assert_eq!(FileDefinition::from_text(&definition.to_text()).unwrap(), definition);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["kind=heap\n", "keys=[1:0:1]\n", "options=Q\n", "nonsense", "record=x", "future=1\n"] {
            let error = FileDefinition::from_text(text).unwrap_err();
            assert_eq!(error.kind(), FileErrorKind::DamagedHeader, "{text}");
        }
    }
}
