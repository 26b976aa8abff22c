//! The journal's guarantees: damage is noticed, a torn tail is not damage, and one sync serves many commits.

use super::checksum::crc32c;
use super::*;
use mainstay_types::{Code, Result};
use mainstay_vfs::{Fault, Faulty, FileSystem, Memory, Operation};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

const SALT: u64 = 0x0BAD_CAFE_1234_5678;

fn header() -> JournalHeader {
    JournalHeader { number: 1, first_sequence: 1, salt: SALT }
}

fn path() -> std::path::PathBuf {
    journal_path(Path::new("db"), 1)
}

fn memory() -> Memory {
    let memory = Memory::new();
    memory.create_folder(Path::new("db")).unwrap();
    memory
}

/// The payloads of a journal, and how it ends.
fn read(bytes: &[u8]) -> Result<(Vec<Vec<u8>>, JournalEnd)> {
    let memory = Memory::new();
    memory.write(path(), bytes);
    let mut payloads = Vec::new();
    let recovered = replay(&memory, Path::new("db"), 1, &mut |frame| {
        payloads.push(frame.payload.to_vec());
        Ok(())
    })?;
    Ok((payloads, recovered.end))
}

/// A journal of these payloads, each synced before the next is made, as one caller under `Full` leaves it.
fn synced_one_by_one(payloads: &[&[u8]]) -> (Vec<u8>, Vec<usize>) {
    let mut bytes = header().encode().to_vec();
    let mut starts = Vec::new();
    for (number, payload) in payloads.iter().enumerate() {
        starts.push(bytes.len());
        let durable = bytes.len() as u64;
        encode_frame(&mut bytes, payload, crc32c(payload), 1 + number as u64, durable, SALT);
    }
    (bytes, starts)
}

#[test]
fn every_flipped_byte_is_noticed() {
    let payloads: [&[u8]; 4] = [b"first", b"the second one", b"3", b"the last"];
    let (bytes, starts) = synced_one_by_one(&payloads);
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            match read(&damaged) {
                // Frames that a later one confirms are never dropped.
                Err(error) => {
                    assert!(at < starts[3], "byte {at}: {error}");
                    assert!(error.to_string().contains("journal-0000000000000001.log"), "{error}");
                }
                // The last one might be a torn tail, and is reported as one.
                Ok((found, end)) => {
                    assert!(at >= starts[3], "byte {at} of a durable frame went unnoticed");
                    assert_eq!(found, payloads[..3]);
                    assert_eq!(end.offset, starts[3] as u64);
                    assert!(matches!(end.tail, Tail::Torn(_)), "{end:?}");
                }
            }
        }
    }
}

#[test]
fn damage_names_file_offset_and_a_way_out() {
    let (mut bytes, starts) = synced_one_by_one(&[b"one", b"two", b"three"]);
    bytes[starts[1] + FRAME_HEADER] ^= 1;
    let error = read(&bytes).unwrap_err();
    assert_eq!(error.code(), Code::Damaged);
    assert_eq!(error.place().unwrap(), format!("db/journal-0000000000000001.log, byte {}", starts[1]));
    assert!(error.hint_text().unwrap().contains("mainstay check"), "{error}");
}

#[test]
fn a_tail_torn_at_any_length_loses_only_its_own_frame() {
    let payloads: [&[u8]; 3] = [b"first", b"the second one", b"and a third"];
    let (bytes, starts) = synced_one_by_one(&payloads);
    for len in FILE_HEADER..bytes.len() {
        for zeros in [0, 100] {
            let mut torn = bytes[..len].to_vec();
            torn.resize(len + zeros, 0);
            let (found, end) = read(&torn).unwrap();
            let whole = starts.iter().skip(1).filter(|start| **start <= len).count();
            assert_eq!(found, payloads[..whole], "cut at {len}");
            let expected = starts[whole];
            assert_eq!(end.offset, expected as u64);
            assert_eq!(end.tail == Tail::Clean, bytes[expected..len].iter().all(|byte| *byte == 0), "cut at {len}");
        }
    }
}

#[test]
fn a_lost_frame_before_one_that_was_not_synced_either_is_a_torn_tail() {
    let mut bytes = header().encode().to_vec();
    encode_frame(&mut bytes, b"kept", crc32c(b"kept"), 1, FILE_HEADER as u64, SALT);
    let lost = bytes.len();
    for (sequence, payload) in [(2, b"lost"), (3, b"here")] {
        encode_frame(&mut bytes, payload, crc32c(payload), sequence, lost as u64, SALT);
    }
    bytes[lost..lost + FRAME_HEADER + 4].fill(0);
    let (found, end) = read(&bytes).unwrap();
    assert_eq!(found, [b"kept"]);
    assert_eq!((end.offset, end.next_sequence), (lost as u64, 2));
    assert!(matches!(end.tail, Tail::Torn(_)));
}

#[test]
fn frames_of_another_salt_and_old_ones_behind_the_cut_are_not_believed() {
    let (mut bytes, _) = synced_one_by_one(&[b"one"]);
    let cut = bytes.len() as u64;
    encode_frame(&mut bytes, b"ghost", crc32c(b"ghost"), 2, cut, SALT ^ 1);
    let (found, end) = read(&bytes).unwrap();
    assert_eq!((found.len(), end.offset), (1, cut));

    let memory = Memory::new();
    memory.write(path(), bytes);
    let recovered = replay(&memory, Path::new("db"), 1, &mut |_| Ok(())).unwrap();
    drop(recovered.resume(&memory).unwrap());
    assert_eq!(memory.stamp(&path()).unwrap().len, cut);
}

#[test]
fn random_bytes_never_panic() {
    let mut seed = 0x9E37_79B9_7F4A_7C15u64;
    for round in 0..300 {
        let (mut bytes, _) = synced_one_by_one(&[b"one", &[7; 300], b"three"]);
        for _ in 0..1 + round % 8 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let at = seed as usize % bytes.len();
            bytes[at] = (seed >> 32) as u8;
            if seed.is_multiple_of(5) {
                bytes.truncate(at);
                bytes.push(1);
            }
        }
        drop(read(&bytes));
    }
}

#[test]
fn closing_tells_that_nothing_is_missing_and_the_next_journal_goes_on() {
    let memory = memory();
    let first = JournalWriter::create(&memory, &path(), header()).unwrap();
    first.append(b"one").unwrap();
    let second = first.continue_in(&memory, &journal_path(Path::new("db"), 2), 2, 99).unwrap();
    assert!(first.append(b"late").unwrap_err().to_string().contains("closed"));
    let ticket = second.append(b"two").unwrap();
    second.wait(ticket, Durability::Full).unwrap();

    let mut payloads = Vec::new();
    let mut visit = |frame: Frame<'_>| {
        payloads.push((frame.sequence, frame.payload.to_vec()));
        Ok(())
    };
    let recovered = replay(&memory, Path::new("db"), 1, &mut visit).unwrap();
    // The mark has sequence 2.
    assert_eq!(payloads, [(1, b"one".to_vec()), (3, b"two".to_vec())]);
    assert_eq!((recovered.header.number, recovered.end.next_sequence), (2, 4));

    // The first without its mark: something may be missing, and the second shows that it was promised.
    let bytes = memory.read(&path()).unwrap();
    memory.write(path(), &bytes[..FILE_HEADER + FRAME_HEADER + 3]);
    let error = replay(&memory, Path::new("db"), 1, &mut |_| Ok(())).unwrap_err();
    assert_eq!(error.code(), Code::Damaged);
}

#[test]
fn lazy_frames_are_written_when_the_journal_is_dropped() {
    let memory = memory();
    let writer = JournalWriter::create(&memory, &path(), header()).unwrap();
    let ticket = writer.append(b"lazy").unwrap();
    writer.wait(ticket, Durability::None).unwrap();
    assert_eq!(memory.stamp(&path()).unwrap().len, FILE_HEADER as u64);
    drop(writer);
    let (found, end) = read(&memory.read(&path()).unwrap()).unwrap();
    assert_eq!(found, [b"lazy"]);
    assert_eq!(end.tail, Tail::Clean);
}

#[test]
fn a_mebibyte_of_lazy_frames_is_written() {
    let memory = memory();
    let writer = JournalWriter::create(&memory, &path(), header()).unwrap();
    let ticket = writer.append(&vec![1; 1 << 20]).unwrap();
    writer.wait(ticket, Durability::None).unwrap();
    assert!(memory.stamp(&path()).unwrap().len > 1 << 20);
}

#[test]
fn a_failed_write_or_sync_poisons_the_journal() {
    for operation in [Operation::Write, Operation::Sync] {
        // Before: the header and its name. Then one commit: the file's length and a write, or a sync.
        let faulty = Faulty::failing(memory(), operation, 3, Fault::Error);
        let writer = JournalWriter::create(&faulty, &path(), header()).unwrap();
        let one = writer.append(b"one").unwrap();
        writer.wait(one, Durability::Full).unwrap();
        let two = writer.append(b"two").unwrap();
        let error = writer.wait(two, Durability::Full).unwrap_err();
        assert!(error.to_string().contains("nothing that had been acknowledged is lost"), "{error}");
        let again = [
            writer.wait(two, Durability::Full).unwrap_err(),
            writer.append(b"three").unwrap_err(),
            writer.flush(Durability::Os).err().unwrap_or_else(|| error.clone()),
            writer.close().unwrap_err(),
            writer.wait(two, Durability::None).err().unwrap_or_else(|| error.clone()),
        ];
        assert!(again.iter().all(|later| later.to_string() == error.to_string()), "{again:?}");
        assert!(writer.wait(one, Durability::Full).is_ok(), "what was on the disk stays acknowledged");
        assert_eq!(faulty.calls(operation), 4, "never tried again");
    }
}

/// A file system whose syncs take a while, as disks' do, and are counted.
fn commits_of_threads(threads: u64, commits: u64) -> (u64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let disk = Faulty::counting(mainstay_vfs::Disk);
    let path = journal_path(folder.path(), 1);
    let writer = JournalWriter::create(&disk, &path, header()).unwrap();
    let before = disk.calls(Operation::Sync);
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (writer, done) = (&writer, &done);
            scope.spawn(move || {
                for commit in 0..commits {
                    let ticket = writer.append(format!("{thread}:{commit}").as_bytes()).unwrap();
                    writer.wait(ticket, Durability::Full).unwrap();
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let syncs = disk.calls(Operation::Sync) - before;
    drop(writer);
    let mut next = vec![0; threads as usize];
    let mut visit = |frame: Frame<'_>| {
        let text = String::from_utf8(frame.payload.to_vec()).unwrap();
        let (thread, commit) = text.split_once(':').unwrap();
        let expected: &mut u64 = &mut next[thread.parse::<usize>().unwrap()];
        assert_eq!(commit.parse::<u64>().unwrap(), *expected, "the order of a thread's own commits");
        *expected += 1;
        Ok(())
    };
    replay(&disk, folder.path(), 1, &mut visit).unwrap();
    assert!(next.iter().all(|count| *count == commits));
    (done.load(Ordering::Relaxed), syncs)
}

#[test]
fn one_sync_serves_many_commits() {
    let (commits, syncs) = commits_of_threads(8, 25);
    assert_eq!(commits, 200);
    assert!(syncs < commits / 2, "{syncs} syncs for {commits} commits of 8 threads");
    let (commits, syncs) = commits_of_threads(1, 10);
    assert_eq!((commits, syncs), (10, 10));
}

#[test]
fn whatever_is_asked_for_nobody_waits_for_ever_and_a_journal_that_is_closed_says_so() {
    // Syncs that take their time, as disks' do.
    for round in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let path = journal_path(folder.path(), 1);
        let writer = JournalWriter::create(&mainstay_vfs::Disk, &path, header()).unwrap();
        let work = &|thread: usize| {
            let mut acknowledged = Vec::new();
            for commit in 0..24 {
                let durability = [Durability::Full, Durability::Os, Durability::None][(thread + commit / 8) % 3];
                let payload = format!("{thread}:{commit}").into_bytes();
                match writer.append(&payload).and_then(|ticket| writer.wait(ticket, durability)) {
                    Ok(()) if durability == Durability::None => {}
                    Ok(()) => acknowledged.push(payload),
                    Err(error) => assert!(error.to_string().contains("closed"), "{error}"),
                }
                if commit % 7 == thread {
                    std::thread::yield_now();
                }
            }
            acknowledged
        };
        let acknowledged: Vec<Vec<u8>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|thread| scope.spawn(move || work(thread))).collect();
            if round % 2 == 0 {
                writer.close().unwrap();
            }
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        drop(writer);
        let found = read(&mainstay_vfs::Disk.read(&path).unwrap()).unwrap().0;
        assert!(acknowledged.iter().all(|payload| found.contains(payload)), "round {round}");
    }
}

#[test]
fn a_failed_sync_reaches_every_thread_and_takes_back_nothing() {
    let faulty = Faulty::failing(memory(), Operation::Sync, 20, Fault::Error);
    let writer = JournalWriter::create(&faulty, &path(), header()).unwrap();
    let work = &|thread: u32| {
        let mut acknowledged = Vec::new();
        for commit in 0.. {
            let payload = format!("{thread}:{commit}").into_bytes();
            match writer.append(&payload).and_then(|ticket| writer.wait(ticket, Durability::Full)) {
                Ok(()) => acknowledged.push(payload),
                Err(error) => return (acknowledged, error.to_string()),
            }
        }
        unreachable!("the sync fails at last")
    };
    let outcomes: Vec<(Vec<Vec<u8>>, String)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|thread| scope.spawn(move || work(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(faulty.calls(Operation::Sync), 21, "one sync failed, and none followed");
    assert!(outcomes.iter().all(|(_, error)| *error == outcomes[0].1), "{outcomes:?}");
    drop(writer);
    let found = read(&faulty.read(&path()).unwrap()).unwrap().0;
    assert!(outcomes.iter().flat_map(|(acknowledged, _)| acknowledged).all(|payload| found.contains(payload)));
}

#[test]
fn salts_differ() {
    assert_ne!(random_salt(), random_salt());
}

/// Bytes that are missing, not changed: `break-06`. A deleted byte, up to 63 of them, a block, line ends that a transfer in
/// text mode has shortened, whole frames. Everything behind the gap is whole and has moved.
#[test]
fn missing_bytes_are_damage_wherever_they_were() {
    // Commits one by one, as one caller under `Full` makes them; and by threes, as group commit does.
    for batch in [1, 3] {
        let (bytes, starts) = journal_of(400, batch);
        // No later frame vouches for the last batch.
        let last = starts[400 / batch * batch - if 400 % batch == 0 { batch } else { 0 }];
        let mut random = 0x2545_F491_4F6C_DD1Du64 + batch as u64;
        let mut below = move |limit: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random as usize % limit
        };
        for round in 0..240 {
            let at = FILE_HEADER + below(last - FILE_HEADER);
            let length = match round % 3 {
                0 => 1,
                1 => 2 + below(62),
                _ => 4096,
            };
            let gap = at..(at + length).min(last);
            let mut damaged = bytes[..gap.start].to_vec();
            damaged.extend_from_slice(&bytes[gap.end..]);
            refused(&damaged, &starts, gap.start, &format!("{batch} a batch, bytes {gap:?} missing"));
            // Room that was made in advance does not hide it.
            damaged.resize(damaged.len() + 5000, 0);
            refused(&damaged, &starts, gap.start, &format!("{batch} a batch, bytes {gap:?} missing, and zeros"));
        }
        for frame in [0, 1, 7, 200] {
            let (start, end) = (starts[frame], starts[frame + batch]);
            let damaged = [&bytes[..start], &bytes[end..]].concat();
            refused(&damaged, &starts, start, "whole frames are missing");
        }
        // CR LF becomes LF.
        let first = bytes.windows(2).position(|pair| pair == b"\r\n").expect("the payloads have line ends");
        let mut damaged = bytes.clone();
        while let Some(at) = damaged.windows(2).position(|pair| pair == b"\r\n") {
            damaged.remove(at);
        }
        refused(&damaged, &starts, first, "line ends are shorter");
        // Cut off, with nothing behind: a torn tail, whose whole frames are read.
        for len in (FILE_HEADER..last).step_by(977) {
            let (found, end) = read(&bytes[..len]).unwrap();
            assert_eq!(found.len(), starts.iter().filter(|start| **start <= len).count() - 1, "cut at {len}");
            assert!(end.offset <= len as u64);
        }
    }
}

/// A journal of so many payloads with binary numbers, text and line ends, synced by so many at once.
fn journal_of(count: usize, batch: usize) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut starts, mut durable) = (header().encode().to_vec(), Vec::new(), FILE_HEADER);
    for number in 0..count {
        if number % batch == 0 {
            durable = bytes.len();
        }
        starts.push(bytes.len());
        let mut payload = format!("row {number}\r\nof a table\r\n").into_bytes();
        (0..number as u64 % 40).for_each(|value| payload.extend_from_slice(&value.to_le_bytes()));
        encode_frame(&mut bytes, &payload, crc32c(&payload), 1 + number as u64, durable as u64, SALT);
    }
    starts.push(bytes.len());
    (bytes, starts)
}

/// The journal is refused, and the frame of the gap is named.
fn refused(damaged: &[u8], starts: &[usize], gap: usize, what: &str) {
    let error = read(damaged).map(|(found, end)| format!("{} frames, {end:?}", found.len())).expect_err(what);
    assert_eq!(error.code(), Code::Damaged, "{what}: {error}");
    // Bytes behind the gap may be those that are missing, so the frame is bad from a later place on.
    let frame = starts.iter().rposition(|start| *start <= gap).unwrap_or(0);
    let place = error.place().unwrap().rsplit_once("byte ").unwrap().1.parse::<usize>().unwrap();
    assert!(place >= starts[frame], "{what}: {error}");
    assert!(error.place().unwrap().starts_with("db/journal-0000000000000001.log"), "{what}: {error}");
}

/// Numbers in a row that look like headers of frames do not make a torn tail damage, nor take a checksum each.
#[test]
fn a_torn_frame_of_numbers_that_look_like_headers_is_torn() {
    let mut bytes = header().encode().to_vec();
    let first = b"kept";
    encode_frame(&mut bytes, first, crc32c(first), 1, FILE_HEADER as u64, SALT);
    let (torn, mut payload) = (bytes.len(), Vec::new());
    (100..60_000u64).for_each(|number| payload.extend_from_slice(&number.to_le_bytes()));
    encode_frame(&mut bytes, &payload, crc32c(&payload), 2, torn as u64, SALT);
    bytes.truncate(bytes.len() - 10);
    let (found, end) = read(&bytes).unwrap();
    assert_eq!(found, [b"kept"]);
    assert_eq!(end.offset, torn as u64);
}

/// The same where the numbers are those of frames that stand in their places: less than their own offsets.
#[test]
fn a_torn_frame_of_numbers_that_look_like_headers_in_their_places_is_torn() {
    let mut bytes = header().encode().to_vec();
    let mut payload = vec![0xAB; 200_000];
    (100..60_000u64).for_each(|number| payload.extend_from_slice(&number.to_le_bytes()));
    encode_frame(&mut bytes, &payload, crc32c(&payload), 1, FILE_HEADER as u64, SALT);
    for missing in [1, 10, 100_000, 480_000] {
        let torn = &bytes[..bytes.len() - missing];
        let (found, end) = read(torn).unwrap();
        assert!(found.is_empty());
        let length = (torn.len() - FILE_HEADER) as u64;
        assert_eq!((end.offset, end.tail), (FILE_HEADER as u64, Tail::Torn(length)));
        // A frame among them that is whole, and says that the first one was on the disk, is found all the same.
        let mut damaged = torn[..torn.len() - 2000].to_vec();
        let durable = torn.len() as u64 - 5000;
        encode_frame(&mut damaged, b"acknowledged", crc32c(b"acknowledged"), 9, durable, SALT);
        damaged.extend_from_slice(&torn[torn.len() - 2000..]);
        assert_eq!(read(&damaged).unwrap_err().code(), Code::Damaged, "{missing} bytes missing");
    }
}
