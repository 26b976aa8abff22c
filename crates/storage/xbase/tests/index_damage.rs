//! Damaged indexes: no panic, no endless walk, no wrong answer without an error, and findings that name the
//! place.

mod adi_common;
mod index_common;

use index_common::build::{Item, cdx, plain_idx};
use index_common::{Seed, bytes, fixture, index_files, open, open_bytes};
use mainstay_types::{Code, Result};
use mainstay_vfs::{Disk, Fault, Faulty, FileSystem};
use mainstay_xbase::index::{Bag, KeyFamily, KeyType, Tag};
use mainstay_xbase::{Finding, Severity};
use std::ops::{Bound, ControlFlow};

fn any_type(bag: &Bag, number: usize) -> KeyType {
    let header = &bag.tags()[number];
    let family = if header.key_length == 8 { KeyFamily::Number } else { KeyFamily::Character };
    KeyType::new(header, family, false).unwrap()
}

/// Everything a reader can do to a tag; gives what a range listed.
fn use_tag(tag: &Tag, most_items: usize) -> Result<Vec<(u32, Vec<u8>)>> {
    let mut found: Vec<(u32, Vec<u8>)> = Vec::new();
    let mut collect = |record: u32, key: &[u8]| {
        found.push((record, key.to_vec()));
        ControlFlow::Continue(())
    };
    let forward = tag.range(Bound::Unbounded, Bound::Unbounded, &mut collect);
    let mut items = 0;
    let mut count = |_: u32, _: &[u8]| {
        items += 1;
        ControlFlow::Continue(())
    };
    let backward = tag.range_back(Bound::Unbounded, Bound::Unbounded, &mut count);
    assert!(found.len().max(items) <= most_items, "a walk without end");
    if forward.is_ok() && backward.is_ok() {
        assert_eq!(found.len(), items);
        assert!(found.is_sorted_by(|a, b| a.1 <= b.1), "an order that is none, and no error");
    }
    let keys: Vec<Vec<u8>> = found.iter().step_by(found.len() / 3 + 1).map(|item| item.1.clone()).collect();
    let mut results = Vec::new();
    for key in &keys {
        results.push(tag.find(key).map(drop));
        results.push(tag.count_range(Bound::Excluded(&key[..]), Bound::Unbounded).map(drop));
        results.push(tag.cursor().seek(&key[..key.len() / 2], true, true).map(drop));
        results.push(tag.cursor().seek(key, true, false).map(drop));
    }
    let mut cursor = tag.cursor();
    results.push(cursor.skip(40).map(drop));
    results.push(cursor.last().and_then(|_| cursor.skip(-40)).map(drop));
    results.push(tag.least().and(tag.greatest()).map(drop));
    forward?;
    backward?;
    results.into_iter().collect::<Result<()>>()?;
    Ok(found)
}

fn use_bytes(name: &str, content: &[u8]) -> Result<Vec<Finding>> {
    let bag = open_bytes(name, content)?;
    let mut findings = Vec::new();
    bag.check(Some(100_000), &[], &mut findings);
    for number in 0..bag.tags().len().min(4) {
        if let Ok(tag) = bag.tag(number, any_type(&bag, number)) {
            let _ = use_tag(&tag, content.len());
        }
    }
    Ok(findings)
}

/// The smaller fixtures, and built files of the other kinds.
fn samples() -> Vec<(String, Vec<u8>)> {
    let items: Vec<Item> = (1..=400).map(|n: u32| (format!("{:<12}", n * 37 % 911).into_bytes(), n)).collect();
    let mut sorted = items;
    sorted.sort();
    let mut samples: Vec<_> = index_files()
        .into_iter()
        .filter(|name| !name.starts_with("t11"))
        .map(|name| (name.clone(), bytes(&name)))
        .collect();
    samples.push(("own.adi".into(), adi_common::bytes("own-alltypes.adi")));
    samples.push(("plain.idx".into(), plain_idx(&sorted, 12, 0, "NAME", "")));
    samples.push(("large.cdx".into(), cdx(&[("NAME", 12, b' ', sorted)], 1024, true)));
    samples
}

#[test]
fn flipped_bytes_never_panic_and_walks_end() {
    let mut seed = Seed(0x1234_5678);
    for (name, original) in samples() {
        // A file in which every byte counts: the headers, and pages from here and there.
        let rounds = match original.len() {
            100_000.. => 4,
            20_000.. => 50,
            _ => 500,
        };
        for round in 0..rounds {
            let mut content = original.clone();
            for _ in 0..=seed.below(6) {
                let at = match round % 3 {
                    0 => seed.below(2048.min(content.len())),
                    1 => seed.below(content.len() / 512) * 512 + seed.below(24),
                    _ => seed.below(content.len()),
                };
                content[at] = match seed.below(3) {
                    0 => seed.below(256) as u8,
                    1 => content[at] ^ 1 << seed.below(8),
                    _ => [0, 0xFF, 2, 3][seed.below(4)],
                };
            }
            let _ = use_bytes(&name, &content);
        }
    }
}

#[test]
fn cut_files_never_panic() {
    let mut seed = Seed(99);
    for (name, original) in samples() {
        let rounds = if original.len() > 100_000 { 2 } else { 12 };
        for _ in 0..rounds {
            let _ = use_bytes(&name, &original[..seed.below(original.len())]);
        }
        for len in [0, 1, 13, 14, 15, 511, 512, 1023, 1024, 1025, 1536] {
            let _ = use_bytes(&name, &original[..len.min(original.len())]);
        }
    }
}

#[test]
fn every_failing_read_is_told_with_the_file() {
    for name in ["t03_cdx_tags.cdx", "t05desc.ntx", "t07_vfp.cdx"] {
        for fault in [Fault::Error, Fault::Short] {
            let run = |failing_read| -> (Result<()>, u64) {
                let faulty = Faulty::new(Disk, failing_read, fault);
                let result = faulty.open(&fixture(name)).and_then(Bag::open).and_then(|bag| {
                    let tag = bag.tag(0, any_type(&bag, 0))?;
                    tag.find(&[0x80; 9][..tag.header().key_length.min(9)])?;
                    use_tag(&tag, 1 << 20).map(drop)
                });
                (result, faulty.reads())
            };
            let (sound, reads) = run(u64::MAX);
            sound.unwrap();
            assert!(reads > 3);
            for failing_read in 0..reads {
                // Some reads are not repeated by a walk that goes another way; each that fails is told.
                let error = run(failing_read).0.unwrap_err();
                assert!(error.to_string().contains(name), "{error}");
                assert!(matches!(error.code(), Code::Io | Code::Damaged), "{error:?}");
            }
        }
    }
}

fn findings(name: &str, change: impl FnOnce(&mut Vec<u8>), records: u32) -> Vec<String> {
    let mut content = bytes(name);
    change(&mut content);
    let mut findings = Vec::new();
    open_bytes(name, &content).unwrap().check(Some(records), &[], &mut findings);
    findings.iter().map(ToString::to_string).collect()
}

fn assert_finding(findings: &[String], parts: &[&str]) {
    let found = findings.iter().any(|finding| parts.iter().all(|part| finding.contains(part)));
    assert!(found, "{parts:?} is not in {findings:#?}");
}

/// The offset of the root of the only tag of an NTX.
fn ntx_root(content: &[u8]) -> usize {
    u32::from_le_bytes(content[4..8].try_into().unwrap()) as usize
}

/// Offsets of packed leaves of a tag with 8-byte keys.
fn leaves(content: &[u8]) -> Vec<usize> {
    let is_leaf =
        |at: &usize| content[*at] == 2 && content[at + 1] == 0 && content[at + 23] == 4 && content[at + 2] > 0;
    (1024..content.len()).step_by(512).filter(is_leaf).collect()
}

#[test]
fn each_kind_of_damage_is_found_at_its_place() {
    let cdx = "t11_bench100k.cdx";
    let leaf = leaves(&bytes(cdx))[3];
    let place = format!("page at byte {leaf}");
    let at = |findings: Vec<String>, message: &str| assert_finding(&findings, &[cdx, &place, message]);
    at(findings(cdx, |c| c[leaf + 12] ^= 1, 100_000), "bytes are free");
    at(findings(cdx, |c| c[leaf + 20] = 9, 100_000), "bit counts");
    at(findings(cdx, |c| c[leaf + 14] ^= 4, 100_000), "masks");
    at(findings(cdx, |c| c[leaf] = 0xEE, 100_000), "attribute");
    at(findings(cdx, |c| c[leaf + 2] = 255, 100_000), "do not fit");
    at(findings(cdx, |c| c[leaf + 5] ^= 4, 100_000), "left sibling");
    at(findings(cdx, |c| c[leaf + 9] ^= 4, 100_000), "right sibling");
    at(findings(cdx, |c| c[leaf + 25] = 0xFF, 10_000), "leads to record");
    assert_finding(&findings(cdx, |c| c[leaf + 2] -= 1, 100_000), &["lists 99999 of the table's 100000 records"]);
    assert_finding(&findings(cdx, |_| (), 99_999), &["tag ID", "leads to record 100000 of 99999"]);

    let ntx = "t05num.ntx";
    let root = ntx_root(&bytes(ntx));
    let item = root + usize::from(bytes(ntx)[root + 2]);
    let set = |value: u32| move |c: &mut Vec<u8>| c[item..item + 4].copy_from_slice(&value.to_le_bytes());
    let place = format!("page at byte {root}");
    assert_finding(&findings(ntx, set(root as u32), 1500), &[&place, "entered a second time"]);
    assert_finding(&findings(ntx, set(1 << 30), 1500), &[&place, "outside the file"]);
    assert_finding(&findings(ntx, set(1025), 1500), &[&place, "not the start of a page"]);
    assert_finding(&findings(ntx, |c| c[item + 8] = b'9', 1500), &["comes before the key before it"]);
    assert_finding(&findings(ntx, |c| c[item + 4..item + 8].fill(0), 1500), &["leads to record 0"]);
}

#[test]
fn readers_stop_at_damage_with_an_error() {
    let mut content = bytes("t05num.ntx");
    let root = ntx_root(&content);
    let item = root + usize::from(content[root + 2]);
    content[item..item + 4].copy_from_slice(&(root as u32).to_le_bytes());
    let bag = open_bytes("t05num.ntx", &content).unwrap();
    let tag = bag.tag(0, any_type(&bag, 0)).unwrap();
    let error = use_tag(&tag, 1 << 20).unwrap_err();
    assert_eq!(error.code(), Code::IndexDamaged);
    assert!(error.to_string().starts_with("t05num.ntx, page at byte"), "{error}");

    let sound = open("t11_bench100k.cdx");
    let id = sound.find("ID").unwrap();
    let mut content = bytes("t11_bench100k.cdx");
    for leaf in leaves(&content).into_iter().take(40) {
        // The last byte of a leaf is the last of what its first key stores.
        content[leaf + 511 - 5] ^= 0x40;
    }
    let bag = open_bytes("t11_bench100k.cdx", &content).unwrap();
    let tag = bag.tag(id, any_type(&bag, id)).unwrap();
    assert_eq!(use_tag(&tag, 1 << 20).unwrap_err().code(), Code::IndexDamaged);
}

#[test]
fn a_directory_that_names_a_header_twice_is_refused() {
    let items = |n: u32| (1..=n).map(|n| (format!("{n:04}").into_bytes(), n)).collect::<Vec<Item>>();
    let mut content = cdx(&[("A", 4, b' ', items(5)), ("B", 4, b' ', items(5))], 512, false);
    let directory = u32::from_le_bytes(content[..4].try_into().unwrap()) as usize;
    let entry_len = usize::from(content[directory + 23]);
    let (first, second) = (directory + 24, directory + 24 + entry_len);
    content.copy_within(first..first + 2, second);
    let error = open_bytes("a.cdx", &content).unwrap_err();
    assert!(error.to_string().contains("twice"), "{error}");
}

#[test]
fn one_broken_header_leaves_the_other_tags() {
    let items = |n: u32| (1..=n).map(|n| (format!("{n:04}").into_bytes(), n)).collect::<Vec<Item>>();
    let mut content = cdx(&[("A", 4, b' ', items(5)), ("B", 4, b' ', items(5))], 512, false);
    content[1024 + 12] = 0;
    let bag = open_bytes("a.cdx", &content).unwrap();
    assert_eq!((bag.tags().len(), bag.broken_tags().len()), (1, 1));
    let mut findings = Vec::new();
    bag.check(None, &[], &mut findings);
    assert_finding(
        &findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        &["a.cdx", "tag A, header at byte 1024"],
    );
}

/// The findings that are only counted have the severity and the cause of those that are listed.
#[test]
fn warnings_that_are_counted_stay_warnings() {
    let items: Vec<Item> = (1..=60).map(|record| (b"the same    ".to_vec(), record)).collect();
    let unique = 1;
    let findings = use_bytes("unique.idx", &plain_idx(&items, 12, unique, "NAME", "")).unwrap();
    assert!(findings.iter().all(|it| it.severity == Severity::Warning), "{findings:?}");
    assert!(findings.iter().all(|it| it.cause() == "a key is there twice in a unique tag"), "{findings:?}");
    assert_eq!(findings.iter().map(|it| it.count).sum::<u64>(), 59);
    assert_eq!(findings.last().unwrap().message, "and 34 more like these");
}
