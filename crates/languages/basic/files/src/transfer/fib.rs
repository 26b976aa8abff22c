//! The definition of a file from its descriptor (FIB), which the old system gives.
//!
//! It is the inverse of [`crate::FileInformation::fib`], with the layout of the manual's page FIB( ). Offsets, lengths and field
//! numbers are as large as the layout allows; names of keys and options of the file are not in it.

use super::invalid;
use crate::error::Result;
use crate::key::{
    AutoIncrement, KeyDefinition, KeyDefinitions, KeySegment, LetterCase, SegmentAttributes, SegmentField,
};
use crate::options::{FileDefinition, FileKind, RecordFormat};

/// Where the segments of keys begin, and the most bytes of them.
const SEGMENTS: (usize, usize) = (84, 384);

/// Reads a descriptor.
///
/// Errors: 32 for one that is too short, of another kind of file, or with segments that cannot be read.
pub(super) fn definition(fib: &[u8]) -> Result<FileDefinition> {
    if fib.len() < SEGMENTS.0 {
        return Err(invalid(format!("a descriptor has at least {} bytes, and not {}", SEGMENTS.0, fib.len())));
    }
    let number =
        |at: usize, length: usize| fib[at..at + length].iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    let (kind, external, most, size) = (fib[9], fib[10], number(11, 3), number(14, 2) as u32);
    let format = if fib[16] != 0 { RecordFormat::Variable(size) } else { RecordFormat::Fixed(size) };
    let kind = match kind {
        0 => FileKind::Indexed,
        2 if size == 0 => FileKind::Sort,
        2 => FileKind::Keyed,
        other => return Err(invalid(format!("the kind of file ${other:02X}$ has no records with keys"))),
    };
    let keys = match kind {
        FileKind::Indexed => KeyDefinitions::default(),
        _ => {
            let end = fib.len().min(SEGMENTS.0 + SEGMENTS.1);
            let keys = keys(&fib[SEGMENTS.0..end])?;
            match keys.is_empty() && external > 0 {
                true => KeyDefinitions::external(external.into()),
                false => KeyDefinitions::parse(&keys_text(keys))?,
            }
        }
    };
    let format = if kind == FileKind::Sort { RecordFormat::Variable(0) } else { format };
    Ok(FileDefinition { max_records: Some(most).filter(|most| *most > 0), ..FileDefinition::new(kind, keys, format) })
}

/// The keys of the part of a descriptor that has their segments.
///
/// Errors: 32 for segments that cannot be read.
pub fn keys_of_descriptor(segments: &[u8]) -> Result<KeyDefinitions> {
    KeyDefinitions::parse(&keys_text(keys(&segments[..segments.len().min(SEGMENTS.1)])?))
}

fn keys_text(keys: Vec<KeyDefinition>) -> String {
    let texts: Vec<String> = keys.into_iter().map(|key| key.to_string()).collect();
    texts.join(",")
}

/// The keys of a list of segments that $FF$ ends.
fn keys(mut bytes: &[u8]) -> Result<Vec<KeyDefinition>> {
    let mut keys: Vec<KeyDefinition> = Vec::new();
    while let [first, rest @ ..] = bytes {
        if *first == 0xFF {
            break;
        }
        let [field, low, length, behind @ ..] = rest else {
            return Err(invalid("a key segment is cut off".to_owned()));
        };
        let mut segment = KeySegment {
            field: match field {
                0xFF => SegmentField::External,
                0 => SegmentField::Record,
                field => SegmentField::Field((*field).into()),
            },
            offset: u32::from(first >> 4) << 8 | u32::from(*low),
            length: u32::from(length & 0x7F),
            attributes: SegmentAttributes { is_descending: length & 0x80 != 0, ..SegmentAttributes::default() },
        };
        bytes = match behind {
            [0xFE, high, low, null, behind @ ..] => {
                set_attributes(&mut segment.attributes, u16::from_be_bytes([*high, *low]), *null)?;
                behind
            }
            behind => behind,
        };
        let number = usize::from(first & 0x0F);
        match keys.len() {
            count if number == count => keys.push(KeyDefinition { name: None, segments: vec![segment] }),
            count if number + 1 == count => keys[number].segments.push(segment),
            _ => return Err(invalid(format!("the key number {number} is out of order"))),
        }
    }
    Ok(keys)
}

fn set_attributes(attributes: &mut SegmentAttributes, bits: u16, null: u8) -> Result<()> {
    const KNOWN: u16 = 0x5F1F;
    if bits & !KNOWN != 0 {
        return Err(invalid(format!("the key attributes ${bits:04X}$ are not supported: give the keys as keys=")));
    }
    let has = |bit: u16| bits & bit != 0;
    attributes.is_unique = has(0x0100);
    attributes.letter_case = match (has(0x0200), has(0x0400)) {
        (true, _) => Some(LetterCase::Upper),
        (_, true) => Some(LetterCase::Lower),
        _ => None,
    };
    attributes.drops_accents = has(0x0800);
    attributes.is_swapped = has(0x1000);
    attributes.suppresses_segment = has(0x4000).then_some(null);
    attributes.suppresses_key = has(0x0001).then_some(null);
    attributes.ends_at_null = has(0x0004);
    attributes.increment = match (has(0x0002), has(0x0008), has(0x0010)) {
        (true, ..) => Some(AutoIncrement::Binary),
        (_, true, _) => Some(AutoIncrement::Zeros),
        (.., true) => Some(AutoIncrement::Blanks),
        _ => None,
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileInformation;

    fn fib(definition: &FileDefinition) -> Vec<u8> {
        FileInformation {
            name: "orders".into(),
            path: String::new(),
            definition: definition.clone(),
            records: 0,
            bytes: 0,
            modified: None,
            current_key: 0,
            current_index: None,
            has_extracted: false,
            is_locked: false,
            is_read_only: false,
            was_purged: false,
        }
        .fib()
    }

    #[test]
    fn a_descriptor_gives_the_definition_back() {
        for (keys, format) in [
            ("6", RecordFormat::Variable(256)),
            ("[1:1:4],[2:1:10:\"D\"]+[1:300:6:\"U\"]", RecordFormat::Fixed(120)),
            ("6,[2:1:10:\"CK:32\"],[0:5:3],[KEY:2:3]", RecordFormat::Variable(8000)),
            ("[1:1:6:\"#\"],[3:1:8:\"LSN:0\"]", RecordFormat::Variable(256)),
        ] {
            let keys = KeyDefinitions::parse(keys).unwrap();
            let kept = FileDefinition { max_records: Some(300), ..FileDefinition::new(FileKind::Keyed, keys, format) };
            let read = definition(&fib(&kept)).unwrap();
            assert_eq!((read.keys.to_string(), read.format), (kept.keys.to_string(), kept.format));
            assert_eq!((read.kind, read.max_records), (FileKind::Keyed, Some(300)));
        }
        let indexed = FileDefinition::new(FileKind::Indexed, KeyDefinitions::default(), RecordFormat::Fixed(80));
        assert_eq!(definition(&fib(&indexed)).unwrap().kind, FileKind::Indexed);
        let sort = definition(&fib(&FileDefinition::sort(12, None))).unwrap();
        assert_eq!((sort.kind, sort.keys.external_length()), (FileKind::Sort, Some(12)));
    }

    #[test]
    fn damaged_descriptors_are_refused() {
        let keys = KeyDefinitions::parse("[1:1:4],[2:1:10]").unwrap();
        let good = fib(&FileDefinition::new(FileKind::Keyed, keys, RecordFormat::DEFAULT));
        assert!(definition(&good[..50]).is_err());
        assert!(definition(&good[..86]).is_err());
        for (at, byte) in [(9, 3), (84, 5), (88, 9)] {
            let mut damaged = good.clone();
            damaged[at] = byte;
            assert!(definition(&damaged).is_err(), "{at}");
        }
    }
}
