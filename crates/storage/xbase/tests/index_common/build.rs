//! Builds index files from sorted keys, after the published descriptions of the formats and without any
//! code of the reader.

/// A key and its record.
pub type Item = (Vec<u8>, u32);

/// The layout of a packed tree.
#[derive(Clone, Copy)]
pub struct Packed {
    pub key_len: usize,
    pub pad: u8,
    pub page_len: usize,
    /// The unit of a pointer: 1 for bytes, the page length for pages.
    pub unit: usize,
}

fn put(page: &mut [u8], at: usize, bytes: &[u8]) {
    page[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Links the pages of a level and gives for each its last item and its pointer.
fn link(pages: &mut [Vec<u8>], first: usize, page_len: usize, unit: usize) -> Vec<u32> {
    let pointer = |index: usize| ((first + index * page_len) / unit) as u32;
    let count = pages.len();
    for (index, page) in pages.iter_mut().enumerate() {
        let left = if index == 0 { u32::MAX } else { pointer(index - 1) };
        let right = if index + 1 == count { u32::MAX } else { pointer(index + 1) };
        put(page, 4, &left.to_le_bytes());
        put(page, 8, &right.to_le_bytes());
    }
    (0..count).map(pointer).collect()
}

/// A packed tree whose first page is put at byte `start`; gives the pages and the pointer to the root.
pub fn packed_tree(items: &[Item], how: Packed, start: usize) -> (Vec<u8>, u32) {
    let mut leaves = Vec::new();
    let mut level: Vec<Item> = Vec::new();
    let mut rest = items;
    loop {
        let (page, used) = packed_leaf(rest, how);
        leaves.push(page);
        level.push(rest[..used].last().cloned().unwrap_or_default());
        rest = &rest[used..];
        if rest.is_empty() {
            break;
        }
    }
    let branch_items = (how.page_len - 12) / (how.key_len + 8);
    let mut file = Vec::new();
    let mut pages = leaves;
    let mut attribute = 2u16;
    loop {
        let is_root = pages.len() == 1;
        let pointers = link(&mut pages, start + file.len(), how.page_len, how.unit);
        for page in &mut pages {
            put(page, 0, &(attribute | u16::from(is_root)).to_le_bytes());
            file.extend_from_slice(page);
        }
        if is_root {
            return (file, pointers[0]);
        }
        attribute = 0;
        let children: Vec<(Item, u32)> = level.iter().cloned().zip(pointers).collect();
        pages = Vec::new();
        level = Vec::new();
        for group in children.chunks(branch_items) {
            let mut page = vec![0; how.page_len];
            put(&mut page, 2, &(group.len() as u16).to_le_bytes());
            for (index, ((key, record), pointer)) in group.iter().enumerate() {
                let at = 12 + index * (how.key_len + 8);
                put(&mut page, at, key);
                put(&mut page, at + how.key_len, &record.to_be_bytes());
                put(&mut page, at + how.key_len + 4, &pointer.to_be_bytes());
            }
            pages.push(page);
            level.push(group[group.len() - 1].0.clone());
        }
    }
}

/// As many items as fit into one packed leaf.
fn packed_leaf(items: &[Item], how: Packed) -> (Vec<u8>, usize) {
    let count_bits = (usize::BITS - how.key_len.leading_zeros()) as usize;
    let entry_len = (24 + 2 * count_bits).div_ceil(8);
    let record_bits = entry_len * 8 - 2 * count_bits;
    let mut page = vec![0; how.page_len];
    let (mut bottom, mut count) = (how.page_len, 0);
    let mut before: &[u8] = &[];
    for (key, record) in items {
        let duplicates = if count == 0 { 0 } else { key.iter().zip(before).take_while(|(a, b)| a == b).count() };
        let tail = key.iter().rev().take_while(|byte| **byte == how.pad).count();
        let trailing = tail.min(how.key_len - duplicates);
        let stored = &key[duplicates..how.key_len - trailing];
        if 24 + (count + 1) * entry_len + stored.len() > bottom {
            break;
        }
        let number =
            u64::from(*record) | (duplicates as u64) << record_bits | (trailing as u64) << (record_bits + count_bits);
        put(&mut page, 24 + count * entry_len, &number.to_le_bytes()[..entry_len]);
        bottom -= stored.len();
        put(&mut page, bottom, stored);
        before = key;
        count += 1;
    }
    put(&mut page, 2, &(count as u16).to_le_bytes());
    put(&mut page, 12, &((bottom - 24 - count * entry_len) as u16).to_le_bytes());
    put(&mut page, 14, &((1u64 << record_bits.min(32)) - 1).to_le_bytes()[..4]);
    put(&mut page, 18, &[((1u32 << count_bits) - 1) as u8; 2]);
    put(&mut page, 20, &[record_bits as u8, count_bits as u8, count_bits as u8, entry_len as u8]);
    (page, count)
}

/// The header of a packed tag.
pub fn packed_header(root: u32, key_len: usize, options: u8, key: &str, condition: &str) -> Vec<u8> {
    let mut header = vec![0; 1024];
    put(&mut header, 0, &root.to_le_bytes());
    put(&mut header, 4, &u32::MAX.to_le_bytes());
    put(&mut header, 12, &(key_len as u16).to_le_bytes());
    header[14] = options;
    put(&mut header, 504, &(key.len() as u16 + 1).to_le_bytes());
    put(&mut header, 506, &(condition.len() as u16 + 1).to_le_bytes());
    put(&mut header, 510, &(key.len() as u16 + 1).to_le_bytes());
    put(&mut header, 512, key.as_bytes());
    put(&mut header, 513 + key.len(), condition.as_bytes());
    header
}

/// A compact IDX.
pub fn compact_idx(items: &[Item], key_len: usize, pad: u8, key: &str, condition: &str) -> Vec<u8> {
    let (tree, root) = packed_tree(items, Packed { key_len, pad, page_len: 512, unit: 1 }, 1024);
    let options = if condition.is_empty() { 0x20 } else { 0x28 };
    [packed_header(root, key_len, options, key, condition), tree].concat()
}

/// A CDX with tags of names, lengths, pads and items.
pub fn cdx(tags: &[(&str, usize, u8, Vec<Item>)], page_len: usize, large: bool) -> Vec<u8> {
    let unit = if large { page_len } else { 1 };
    let round = |file: &mut Vec<u8>| file.resize(file.len().next_multiple_of(page_len), 0);
    let mut file = vec![0; 1024];
    round(&mut file);
    let mut names: Vec<Item> = Vec::new();
    for (name, key_len, pad, items) in tags {
        let start = file.len();
        let tree_start = (start + 1024).next_multiple_of(page_len);
        let how = Packed { key_len: *key_len, pad: *pad, page_len, unit };
        let (tree, root) = packed_tree(items, how, tree_start);
        file.extend(packed_header(root, *key_len, 0x60, name, ""));
        round(&mut file);
        file.extend(tree);
        names.push((format!("{name:<10}").into_bytes(), (start / unit) as u32));
    }
    names.sort();
    let (tree, root) = packed_tree(&names, Packed { key_len: 10, pad: b' ', page_len, unit }, file.len());
    file.extend(tree);
    let mut header = packed_header(root, 10, 0xE0, "", "");
    if page_len > 512 || large {
        header[15] = if large { 0x21 } else { 0x01 };
        put(&mut header, 16, &1024u16.to_le_bytes());
        put(&mut header, 18, &(page_len as u16).to_le_bytes());
        put(&mut header, 20, b"RCHB");
    }
    file[..1024].copy_from_slice(&header);
    file
}

/// A plain IDX.
pub fn plain_idx(items: &[Item], key_len: usize, options: u8, key: &str, condition: &str) -> Vec<u8> {
    let fit = 500 / (key_len + 4);
    let mut file = vec![0; 512];
    let mut level: Vec<(Vec<u8>, u32)> = items.to_vec();
    let mut attribute = 2u16;
    loop {
        let mut pages: Vec<Vec<u8>> = Vec::new();
        let mut lasts = Vec::new();
        let groups: Vec<&[Item]> = if level.is_empty() { vec![&[]] } else { level.chunks(fit).collect() };
        for group in groups {
            let mut page = vec![0; 512];
            put(&mut page, 2, &(group.len() as u16).to_le_bytes());
            for (index, (key, number)) in group.iter().enumerate() {
                put(&mut page, 12 + index * (key_len + 4), key);
                put(&mut page, 12 + index * (key_len + 4) + key_len, &number.to_be_bytes());
            }
            lasts.push(group.last().map(|item| item.0.clone()).unwrap_or_default());
            pages.push(page);
        }
        let is_root = pages.len() == 1;
        let pointers = link(&mut pages, file.len(), 512, 1);
        for page in &mut pages {
            put(page, 0, &(attribute | u16::from(is_root)).to_le_bytes());
            file.extend_from_slice(page);
        }
        if is_root {
            let end = file.len() as u32;
            put(&mut file, 0, &pointers[0].to_le_bytes());
            put(&mut file, 4, &u32::MAX.to_le_bytes());
            put(&mut file, 8, &end.to_le_bytes());
            put(&mut file, 12, &(key_len as u16).to_le_bytes());
            file[14] = options;
            put(&mut file, 16, key.as_bytes());
            put(&mut file, 236, condition.as_bytes());
            return file;
        }
        attribute = 0;
        level = lasts.into_iter().zip(pointers).collect();
    }
}

/// Turns the pointers of an NTX into those of a compound file: tags of names and whole NTX files.
pub fn compound_ntx(tags: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut file = vec![0; 1024];
    put(&mut file, 0, &0x8000u16.to_le_bytes());
    put(&mut file, 2, &(tags.len() as u16).to_le_bytes());
    for (number, (name, ntx)) in tags.iter().enumerate() {
        let base = file.len() as u32;
        put(&mut file, 16 + number * 16, name.as_bytes());
        put(&mut file, 28 + number * 16, &base.to_le_bytes());
        let mut ntx = ntx.clone();
        shift(&mut ntx, 4, base);
        for page in ntx[1024..].chunks_mut(1024) {
            let count = u16::from_le_bytes([page[0], page[1]]);
            for item in 0..=usize::from(count) {
                let at = usize::from(u16::from_le_bytes([page[2 + 2 * item], page[3 + 2 * item]]));
                shift(page, at, base);
            }
        }
        file.extend(ntx);
    }
    let len = file.len() as u32;
    put(&mut file, 12, &len.to_le_bytes());
    file
}

fn shift(bytes: &mut [u8], at: usize, base: u32) {
    let pointer = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    if pointer != 0 {
        put(bytes, at, &(pointer + base).to_le_bytes());
    }
}
