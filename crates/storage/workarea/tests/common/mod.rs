//! Helpers of the tests of areas: the fixtures with their CSV files, and tables in memory.

#![allow(dead_code, clippy::disallowed_methods)]

use mainstay_vfs::{Disk, Memory};
use mainstay_workarea::{Area, AreaOptions, SeekKey};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of the fixtures.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures")).join(name)
}

/// Opens a table of the fixtures for reading.
pub fn open(name: &str) -> Area {
    Area::open(Arc::new(Disk), &fixture(name), &AreaOptions::default()).unwrap()
}

/// Fixtures copied into memory, where they can be written to.
pub fn copied(names: &[&str]) -> Memory {
    let memory = Memory::new();
    for name in names {
        memory.write(name, std::fs::read(fixture(name)).unwrap());
    }
    memory
}

/// The rows of a CSV of the fixtures, without the header line.
pub fn csv(name: &str) -> Vec<Vec<String>> {
    let text = String::from_utf8(std::fs::read(fixture(name)).unwrap()).unwrap();
    text.lines().skip(1).map(split).collect()
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

/// A key as the fixtures write it.
pub fn key(letter: &str, text: &str) -> SeekKey {
    match letter {
        "C" => SeekKey::Text(text.as_bytes().to_vec()),
        "N" => SeekKey::Number(text.parse().unwrap()),
        "L" => SeekKey::Logical(text == "T"),
        "D" => SeekKey::Date(julian(text)),
        other => panic!("{other} is no key type"),
    }
}

/// The Julian day of `YYYYMMDD`.
pub fn julian(text: &str) -> i32 {
    let number = |range: std::ops::Range<usize>| text[range].parse::<u32>().unwrap();
    mainstay_types::Date::from_ymd(number(0..4) as i32, number(4..6), number(6..8)).unwrap().julian()
}

/// Numbers that look random and are the same in every run (xorshift).
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

/// The records from the top to the end of file, in the area's order.
pub fn walk(area: &mut Area) -> Vec<u32> {
    let mut found = Vec::new();
    area.go_top().unwrap();
    while !area.is_eof() {
        found.push(area.record_number());
        area.skip(1).unwrap();
    }
    found
}
