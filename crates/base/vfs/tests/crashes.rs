//! The states that simulated crashes may leave, and the detection of protocols that leave out a step.

use mainstay_types::{Code, Result};
use mainstay_vfs::{Create, FileSystem, Simulated, WritableFile, explore};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

const SEEDS: std::ops::Range<u64> = 0..24;

fn path(text: &str) -> &Path {
    Path::new(text)
}

/// The result of a step-by-step protocol before it was cut off.
fn acknowledged<T: Default>(steps: impl FnOnce(&mut T) -> Result<()>) -> T {
    let mut done = T::default();
    let _ = steps(&mut done);
    done
}

/// Asserts that the bug shows, and only when the power fails.
fn assert_found<A>(work: impl Fn(&Simulated) -> A, check: impl Fn(&Simulated, &A) -> Result<(), String>) {
    let error = explore(SEEDS, work, check).expect_err("the planted bug was not found");
    assert!(error.message().contains("seed"), "{error}");
}

/// The steps of a replacement that a program may forget.
#[derive(Clone, Copy, PartialEq)]
enum Forgotten {
    Nothing,
    FileSync,
    FolderSync,
    Rename,
}

/// Replaces `db/manifest` three times; gives the last content that was acknowledged.
fn replace_thrice(system: &Simulated, forgotten: Forgotten) -> u8 {
    acknowledged(|done| {
        system.create_folder(path("db"))?;
        system.sync_folder(path(""))?;
        for content in 1..=3 {
            let new = path(if forgotten == Forgotten::Rename { "db/manifest" } else { "db/manifest.new" });
            let file = system.create(new, Create::Truncate)?;
            file.write_at(&[content; 1300], 0)?;
            if forgotten != Forgotten::FileSync {
                file.sync()?;
            }
            if forgotten != Forgotten::Rename {
                system.rename(new, path("db/manifest"))?;
            }
            if forgotten != Forgotten::FolderSync {
                system.sync_folder(path("db"))?;
            }
            *done = content;
        }
        Ok(())
    })
}

fn check_manifest(found: &Simulated, acknowledged: &u8) -> Result<(), String> {
    let content = match found.read(path("db/manifest")) {
        Ok(content) => content,
        Err(_) if *acknowledged == 0 => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let first = content.first().copied().unwrap_or(0);
    let is_whole = content == [first; 1300];
    if is_whole && (*acknowledged.max(&1)..=*acknowledged + 1).contains(&first) {
        return Ok(());
    }
    Err(format!("{} bytes of {first}, whole: {is_whole}; {acknowledged} was acknowledged", content.len()))
}

#[test]
fn a_replacement_survives_every_crash() {
    let states = explore(SEEDS, |system| replace_thrice(system, Forgotten::Nothing), check_manifest).unwrap();
    assert_eq!(states, (2 + 3 * 5 + 1) * 25, "17 operations and the end, each killed and with 24 seeds");
    let by_method = |system: &Simulated| {
        acknowledged(|done| {
            system.create_folder(path("db"))?;
            system.sync_folder(path(""))?;
            for content in 1..=3 {
                system.replace(path("db/manifest"), &[content; 1300])?;
                *done = content;
            }
            Ok(())
        })
    };
    explore(SEEDS, by_method, check_manifest).unwrap();
}

#[test]
fn a_replacement_without_one_of_its_steps_is_found() {
    for forgotten in [Forgotten::FileSync, Forgotten::FolderSync] {
        assert_found(|system| replace_thrice(system, forgotten), check_manifest);
    }
    // Writing in place needs no power loss to be caught: a kill between two operations is enough.
    assert!(explore(0..0, |system| replace_thrice(system, Forgotten::Rename), check_manifest).is_err());
}

const FRAME: usize = 700;

/// Appends frames to a log; gives how many were acknowledged.
fn append(system: &Simulated, sync_file: bool, sync_folders: bool) -> u8 {
    acknowledged(|done| {
        system.create_folder(path("db"))?;
        let file = system.create(path("db/log"), Create::New)?;
        if sync_folders {
            system.sync_folder(path("db"))?;
            system.sync_folder(path("/"))?;
        }
        for frame in 1..=5u8 {
            file.write_at(&[frame; FRAME], u64::from(frame - 1) * FRAME as u64)?;
            if sync_file {
                file.sync()?;
            }
            *done = frame;
        }
        Ok(())
    })
}

/// The frames at the log's start that are whole; what follows them is taken for a torn end.
fn whole_frames(system: &Simulated) -> usize {
    let log = system.read(path("db/log")).unwrap_or_default();
    (1u8..).zip(log.chunks(FRAME)).take_while(|(frame, bytes)| *bytes == [*frame; FRAME]).count()
}

fn check_log(found: &Simulated, acknowledged: &u8) -> Result<(), String> {
    let frames = whole_frames(found);
    let promised = usize::from(*acknowledged);
    if frames >= promised { Ok(()) } else { Err(format!("{frames} of {promised} frames are left")) }
}

#[test]
fn a_log_keeps_what_it_acknowledged() {
    explore(SEEDS, |system| append(system, true, true), check_log).unwrap();
}

#[test]
fn a_log_that_acknowledges_too_early_is_found() {
    assert_found(|system| append(system, false, true), check_log);
    assert_found(|system| append(system, true, false), check_log);
}

/// Moves the content of a log into a data file of another folder, and then drops the log.
fn checkpoint(system: &Simulated, sync_before_remove: bool) -> bool {
    acknowledged(|done| {
        for folder in ["log", "data"] {
            system.create_folder(path(folder))?;
        }
        system.sync_folder(path(""))?;
        let log = system.create(path("log/1"), Create::New)?;
        log.write_at(b"row", 0)?;
        log.sync()?;
        system.sync_folder(path("log"))?;
        *done = true;
        let data = system.create(path("data/1.new"), Create::New)?;
        data.write_at(b"row", 0)?;
        data.sync()?;
        system.rename(path("data/1.new"), path("data/1"))?;
        if sync_before_remove {
            system.sync_folder(path("data"))?;
        }
        system.remove(path("log/1"))
    })
}

fn check_row(found: &Simulated, acknowledged: &bool) -> Result<(), String> {
    let is_there = ["log/1", "data/1"].iter().any(|name| found.read(path(name)).is_ok_and(|row| row == b"row"));
    if is_there || !acknowledged { Ok(()) } else { Err("the row is in neither file".into()) }
}

#[test]
fn a_log_that_is_dropped_before_its_checkpoint_is_certain_is_found() {
    explore(SEEDS, |system| checkpoint(system, true), check_row).unwrap();
    assert_found(|system| checkpoint(system, false), check_row);
}

#[test]
fn a_crash_while_recovering_is_a_crash_like_any_other() {
    // Recovery rewrites what it finds of a log that was cut off while it was appended to.
    let crashed = Simulated::new();
    crashed.crash_at(8);
    let promised = append(&crashed, true, true);
    assert_eq!(promised, 2);
    for (seed, again) in SEEDS.flat_map(|seed| (0..6).map(move |again| (seed, again))) {
        let recovering = crashed.after_crash(seed);
        recovering.crash_at(again);
        let frames = whole_frames(&recovering);
        let content = recovering.read(path("db/log")).unwrap();
        let result = recovering.replace(path("db/log"), &content[..frames * FRAME]);
        assert_eq!(result.is_ok(), again > 4, "a replacement has five operations");
        check_log(&recovering.after_crash(seed + 1), &promised).unwrap();
    }
}

fn created(system: &Simulated, name: &str) -> Arc<dyn WritableFile> {
    let file = system.create(path(name), Create::New).unwrap();
    system.sync_folder(path("")).unwrap();
    file
}

#[test]
fn writes_are_torn_at_sectors_and_synced_bytes_stay() {
    let system = Simulated::new();
    let file = created(&system, "a");
    file.write_at(&[1; 2048], 0).unwrap();
    file.sync().unwrap();
    file.write_at(&[2; 1500], 300).unwrap();
    let mut found = BTreeSet::new();
    for seed in 0..2000 {
        let content = system.after_crash(seed).read(path("a")).unwrap();
        assert_eq!(content, system.after_crash(seed).read(path("a")).unwrap(), "the seed decides all");
        assert_eq!(content.len(), 2048);
        let places: Vec<u8> = [300, 511, 512, 1023, 1024, 1535, 1536, 1799].map(|place| content[place]).to_vec();
        assert!(places.chunks(2).all(|ends| ends[0] == ends[1]), "{places:?}");
        assert!(content[..300].iter().chain(&content[1800..]).all(|byte| *byte == 1));
        found.insert(places);
    }
    assert_eq!(found.len(), 16, "each of the four sectors is there or not");
    assert_eq!(system.after_kill().read(path("a")).unwrap()[300..1800], [2; 1500]);
}

#[test]
fn a_lost_extension_leaves_less_or_zeros_and_nothing_else() {
    let system = Simulated::new();
    let file = created(&system, "a");
    file.write_at(&[1; 100], 0).unwrap();
    file.sync().unwrap();
    file.write_at(&[2; 2000], 100).unwrap();
    let (mut lens, mut zeros) = (BTreeSet::new(), 0);
    for seed in 0..200 {
        let content = system.after_crash(seed).read(path("a")).unwrap();
        assert!(content[..100].iter().all(|byte| *byte == 1));
        assert!(content[100..].iter().all(|byte| [0, 2].contains(byte)));
        zeros += usize::from(content[100..].contains(&0));
        lens.insert(content.len());
    }
    assert!(lens.first() == Some(&100) && lens.last() == Some(&2100) && lens.len() > 4, "{lens:?}");
    assert!(zeros > 20);
}

#[test]
fn newer_bytes_are_never_covered_by_older_ones_and_a_cut_may_be_lost() {
    let system = Simulated::new();
    let file = created(&system, "a");
    file.write_at(b"old", 0).unwrap();
    file.sync().unwrap();
    file.set_len(0).unwrap();
    file.write_at(b"mid", 0).unwrap();
    file.write_at(b"new", 0).unwrap();
    let found: BTreeSet<Vec<u8>> = (0..1000).map(|seed| system.after_crash(seed).read(path("a")).unwrap()).collect();
    let allowed: [&[u8]; 5] = [b"", b"\0\0\0", b"mid", b"new", b"old"];
    assert!(found.iter().all(|content| allowed.contains(&content.as_slice())), "{found:?}");
    assert_eq!(found.len(), allowed.len(), "{found:?}");
    let least_and_most = [0, 1].map(|seed| system.after_crash(seed).read(path("a")).unwrap());
    assert_eq!(least_and_most, [b"old", b"new"], "what arrives arrives in the order of the writes");
}

#[test]
fn a_sync_that_the_crash_hits_promises_nothing() {
    let system = Simulated::new();
    let file = created(&system, "a");
    file.write_at(b"x", 0).unwrap();
    system.create(path("b"), Create::New).unwrap();
    system.crash_at(system.operations());
    let hits_folder = system.after_kill();
    assert!(file.sync().is_err());
    assert_eq!(system.after_crash(0).read(path("a")).unwrap(), b"");

    hits_folder.create(path("c"), Create::New).unwrap();
    hits_folder.crash_at(hits_folder.operations());
    assert!(hits_folder.sync_folder(path("")).is_err());
    let least = hits_folder.after_crash(0);
    assert!(least.open(path("b")).is_ok() && least.open(path("c")).is_err());
}

#[test]
fn names_survive_in_order_and_a_rename_between_folders_is_whole() {
    let system = Simulated::new();
    for folder in ["a", "b"] {
        system.create_folder(path(folder)).unwrap();
    }
    system.sync_folder(path("")).unwrap();
    system.create(path("a/1"), Create::New).unwrap();
    system.sync_folder(path("a")).unwrap();
    system.rename(path("a/1"), path("b/1")).unwrap();
    system.create(path("a/2"), Create::New).unwrap();
    system.create(path("a/3"), Create::New).unwrap();
    let found: BTreeSet<Vec<bool>> = (0..200)
        .map(|seed| {
            let found = system.after_crash(seed);
            ["a/1", "b/1", "a/2", "a/3"].map(|name| found.open(path(name)).is_ok()).to_vec()
        })
        .collect();
    let allowed = [
        vec![true, false, false, false],
        vec![false, true, false, false],
        vec![false, true, true, false],
        vec![false, true, true, true],
    ];
    assert_eq!(found, BTreeSet::from(allowed));

    // The sync of one folder also makes the other half of the rename durable, and nothing after it.
    system.sync_folder(path("b")).unwrap();
    let least = system.after_crash(0);
    assert!(least.open(path("a/1")).is_err() && least.open(path("b/1")).is_ok() && least.open(path("a/2")).is_err());

    // It includes also what the other folder had pending before that half.
    system.rename(path("a/2"), path("b/2")).unwrap();
    system.sync_folder(path("b")).unwrap();
    let least = system.after_crash(0);
    assert!(least.open(path("b/2")).is_ok() && least.open(path("a/3")).is_ok());
}

#[test]
fn after_the_crash_nothing_works_until_the_machine_is_started_again() {
    let system = Simulated::new();
    let held = system.lock(path("lock")).unwrap();
    assert_eq!(system.lock(path("lock")).unwrap_err().code(), Code::Busy);
    let file = created(&system, "a");
    let before = system.operations();
    system.crash_at(before);
    assert!(!system.is_crashed());
    assert!(file.write_at(b"x", 0).is_err(), "the operation of the crash reports an error");
    assert!(system.is_crashed() && system.operations() == before + 1);
    assert!(system.trace().last().unwrap().starts_with("write 1 bytes at 0"));
    assert!(file.read_at(&mut [0], 0).is_err() && file.sync().is_err() && file.stamp().is_err());
    assert!(system.open(path("a")).is_err() && system.list(path("")).is_err() && !system.is_folder(path("")));
    assert_eq!(system.operations(), before + 1);

    let next = system.after_kill();
    assert_eq!(next.read(path("a")).unwrap(), b"x");
    next.lock(path("lock")).unwrap();
    drop(held);
}

#[test]
fn it_is_a_file_system_like_the_others() {
    let system = Simulated::new();
    assert_eq!(system.create(path("db/a"), Create::New).unwrap_err().code(), Code::NotFound);
    system.create_folder(path("db/groups")).unwrap();
    system.create_folder(path("db/groups")).unwrap();
    let file = system.create(path("db/a"), Create::New).unwrap();
    file.write_at(b"56", 4).unwrap();
    file.set_len(8).unwrap();
    assert_eq!(*system.map(path("/db/./a")).unwrap(), *b"\0\0\0\x0056\0\0");
    assert!(system.create(path("db/a"), Create::New).is_err());
    assert_eq!(system.list(path("db")).unwrap().iter().filter(|entry| entry.is_folder).count(), 1);
    system.rename(path("db/a"), path("db/groups/a")).unwrap();
    system.rename(path("db/groups"), path("groups")).unwrap();
    assert!(system.rename(path("groups"), path("groups/inside")).is_err());
    assert_eq!(system.read(path("groups/a")).unwrap().len(), 8);
    assert_eq!(system.remove(path("groups")).unwrap_err().code(), Code::NotFound);
    system.remove_folder(path("groups")).unwrap();
    assert!(!system.is_folder(path("groups")) && system.list(path("db")).unwrap().is_empty());
    assert_eq!(file.stamp().unwrap().len, 8, "who has it open keeps it");
    assert_eq!(file.write_at(b"x", u64::MAX).unwrap_err().code(), Code::Io);
}
