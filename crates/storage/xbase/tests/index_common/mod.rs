//! Helpers of the index tests: the fixtures, their CSV files, and opened bags.

#![allow(dead_code, clippy::disallowed_methods)]

pub mod build;
pub mod patch;
pub mod people;
pub mod written;

use mainstay_vfs::{Disk, FileSystem, Memory};
use mainstay_xbase::index::{Bag, KeyFamily, KeyType, KeyValue, Tag};
use std::path::{Path, PathBuf};

/// A file of the fixtures.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures")).join(name)
}

/// The content of a fixture.
pub fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).unwrap()
}

/// Every index file among the fixtures.
pub fn index_files() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(fixture(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".cdx") || name.ends_with(".ntx"))
        .collect();
    names.sort();
    assert!(names.len() >= 12, "{names:?}");
    names
}

/// The rows of a CSV of the fixtures, without the header line.
pub fn csv(name: &str) -> Vec<Vec<String>> {
    let text = String::from_utf8(bytes(name)).unwrap();
    text.lines().skip(1).map(split).collect()
}

/// The rows of a CSV of the fixtures that begin with a text.
pub fn csv_where(name: &str, start: &str) -> Vec<Vec<String>> {
    let text = String::from_utf8(bytes(name)).unwrap();
    text.lines().skip(1).filter(|line| line.starts_with(start)).map(split).collect()
}

fn split(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                fields.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            char => fields.last_mut().unwrap().push(char),
        }
    }
    fields
}

/// The families as the CSV files name them.
pub fn family(letter: &str) -> KeyFamily {
    match letter {
        "C" => KeyFamily::Character,
        "N" => KeyFamily::Number,
        "D" => KeyFamily::Date,
        "T" => KeyFamily::Timestamp,
        "L" => KeyFamily::Logical,
        other => panic!("{other} is no key type"),
    }
}

/// Opens an index of the fixtures.
pub fn open(name: &str) -> Bag {
    Bag::open(Disk.open(&fixture(name)).unwrap()).unwrap()
}

/// A tag of a bag, by its name.
pub fn tag(bag: &Bag, name: &str, letter: &str) -> Tag {
    let number = bag.find(name).unwrap_or_else(|| panic!("no tag {name}"));
    let key_type = KeyType::new(&bag.tags()[number], family(letter), false).unwrap();
    bag.tag(number, key_type).unwrap()
}

/// A key as the fixtures print it.
pub fn print(letter: &str, value: &KeyValue<'_>) -> String {
    match value {
        KeyValue::Null => "NULL".into(),
        KeyValue::Character(text) if text.iter().any(|byte| !(32..=126).contains(byte)) => {
            format!("hex:{}", text.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        KeyValue::Character(text) => String::from_utf8(text.to_vec()).unwrap(),
        KeyValue::Decimal(number) => number.to_string(),
        KeyValue::Float(number) => format!("{number:.2}"),
        KeyValue::BlankDate if letter == "T" => "0".repeat(17),
        KeyValue::BlankDate => " ".repeat(8),
        KeyValue::Date(day) => day.to_string().replace('-', ""),
        KeyValue::Timestamp(moment) => moment.display(3).to_string().replace(['-', ':', '.', ' '], ""),
        KeyValue::Logical(value) => if *value { "T" } else { "F" }.into(),
    }
}

/// The bytes to seek with for a value as the fixtures print it.
pub fn seek_key(tag: &Tag, letter: &str, text: &str) -> Vec<u8> {
    use mainstay_types::Date;
    use mainstay_xbase::index::EncodedKey;
    let value = match letter {
        "C" => return text.as_bytes().to_vec(),
        "N" => KeyValue::Decimal(text.parse().unwrap()),
        "L" => KeyValue::Logical(text == "T"),
        "D" => {
            let number = |range: std::ops::Range<usize>| text.get(range).unwrap().parse::<u32>().unwrap();
            KeyValue::Date(Date::from_ymd(number(0..4) as i32, number(4..6), number(6..8)).unwrap())
        }
        other => panic!("{other} is no key type"),
    };
    match tag.key_type().encode(&value) {
        Some(EncodedKey::Exact(key)) => key,
        other => panic!("{value:?} gives {other:?}"),
    }
}

/// Opens an index that exists only in memory.
pub fn open_bytes(name: &str, bytes: &[u8]) -> mainstay_types::Result<Bag> {
    let memory = Memory::new();
    memory.write(name, bytes);
    Bag::open(memory.open(Path::new(name))?)
}

/// A sequence of numbers that look random and are the same in every run (xorshift).
pub struct Seed(pub u64);

impl Seed {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
