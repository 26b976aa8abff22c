//! Helpers of the tests over fixture tables.

#![allow(clippy::disallowed_methods, dead_code)]

use arrow_array::types::{UInt8Type, UInt16Type};
use arrow_array::{ArrayRef, StringViewArray, cast::AsArray};
use arrow_schema::DataType;
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::dbf::{Dbf, OpenOptions};
use mainstay_xbase::memo::Memo;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn fixtures() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures")).to_owned()
}

/// The fixtures with this extension, sorted.
pub fn fixture_files(extension: &str) -> Vec<PathBuf> {
    let entries = Disk.list(&fixtures()).unwrap();
    let is_one = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
    entries.into_iter().map(|entry| entry.path).filter(is_one).collect()
}

/// The table and its memo.
pub fn open_fixture(name: &str) -> (Dbf, Option<Memo>) {
    let path = fixtures().join(name).with_extension("dbf");
    open(&Disk, &path).unwrap()
}

pub fn open(files: &dyn FileSystem, path: &Path) -> mainstay_types::Result<(Dbf, Option<Memo>)> {
    let table = Dbf::open(files.open(path)?, OpenOptions::default())?;
    let version = table.header().version;
    let mut memo = None;
    for extension in ["fpt", "dbt", "smt"] {
        let path = path.with_extension(extension);
        if files.stamp(&path).is_ok() {
            memo = Some(Memo::open(files.open(&path)?, version)?);
        }
    }
    Ok((table, memo))
}

/// Rows of cells; quotes are doubled inside quotes, which may hold line ends.
pub fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    if !row.is_empty() || !cell.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

/// The MD5 of RFC 1321, in hexadecimal.
pub fn md5(message: &[u8]) -> String {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let sine = |i: usize| (((i + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64) + if (padded.len() + 63) % 64 >= 56 { 64 } else { 0 } - 8, 0);
    padded.extend_from_slice(&(message.len() as u64 * 8).to_le_bytes());
    let mut state = [0x6745_2301u32, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476];
    for block in padded.chunks_exact(64) {
        let word = |i: usize| u32::from_le_bytes(block[i * 4..i * 4 + 4].try_into().unwrap());
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64 {
            let (mix, at) = match i / 16 {
                0 => (b & c | !b & d, i),
                1 => (d & b | !d & c, (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), 7 * i % 16),
            };
            let sum = a.wrapping_add(mix).wrapping_add(sine(i)).wrapping_add(word(at));
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
        }
        state = [a, b, c, d].iter().zip(state).map(|(x, y)| x.wrapping_add(y)).collect::<Vec<_>>().try_into().unwrap();
    }
    state.iter().flat_map(|word| word.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn md5_of_known_texts() {
    assert_eq!(md5(b""), "d41d8cd98f00b204e9800998ecf8427e");
    assert_eq!(md5(b"message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
    assert_eq!(md5(&[b'1'; 80]), md5(&b"1".repeat(80)));
}

/// A dictionary unpacked; other vectors as they are.
pub fn plain(array: &ArrayRef) -> ArrayRef {
    let DataType::Dictionary(key, _) = array.data_type() else { return array.clone() };
    let (keys, values): (Vec<Option<usize>>, _) = if **key == DataType::UInt8 {
        let dictionary = array.as_dictionary::<UInt8Type>();
        (dictionary.keys().iter().map(|key| key.map(usize::from)).collect(), dictionary.values())
    } else {
        let dictionary = array.as_dictionary::<UInt16Type>();
        (dictionary.keys().iter().map(|key| key.map(usize::from)).collect(), dictionary.values())
    };
    let values = values.as_string_view();
    Arc::new(keys.into_iter().map(|key| key.map(|key| values.value(key))).collect::<StringViewArray>())
}
