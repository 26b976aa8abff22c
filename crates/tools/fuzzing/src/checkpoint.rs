//! Files of a checkpoint of native tables: a manifest, a run of an index, and a column file.
//!
//! Byte 0 is a set of flags: bit 0 chooses a run instead of a manifest, bit 1 corrects checksums and lengths first, so
//! that the code behind them is reached; bit 2 chooses a column file, whose checksum is in its manifest. The rest is the
//! file; a run has the number 7.

use mainstay_store::files::{Manifest, read_columns_in_every_way};
use mainstay_store::index::{read_in_every_way, with_checksums};
use mainstay_store::journal::checksum::{continued, crc32c};
use mainstay_vfs::Memory;
use std::path::Path;

/// The number in the name of a run.
const NUMBER: u64 = 7;

/// Reads the input as a file of a checkpoint.
pub fn run(input: &[u8]) {
    let (choice, content) = crate::selector(input);
    match choice & 7 {
        4.. => read_columns_in_every_way(content),
        0 => manifest(content),
        1 => index(content),
        2 => manifest(&sealed(content)),
        _ => index(&with_checksums(content, NUMBER)),
    }
}

/// A manifest with its length and its checksum.
fn sealed(content: &[u8]) -> Vec<u8> {
    let mut bytes = content.to_vec();
    if bytes.len() >= 24 {
        let length = bytes.len() as u64;
        bytes[16..24].copy_from_slice(&length.to_le_bytes());
        let checksum = continued(crc32c(&bytes[..12]), &bytes[16..]);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}

/// A decoded manifest encodes to one that decodes to the same.
fn manifest(content: &[u8]) {
    let Ok(manifest) = Manifest::decode(content) else { return };
    let Ok(bytes) = manifest.encode() else { panic!("a manifest that was read cannot be written") };
    assert_eq!(Manifest::decode(&bytes).ok().as_ref(), Some(&manifest));
    let _ = (manifest.files().count(), manifest.runs().count());
}

fn index(content: &[u8]) {
    let memory = Memory::new();
    memory.write("index.run", content);
    read_in_every_way(&memory, Path::new("index.run"), NUMBER);
}
