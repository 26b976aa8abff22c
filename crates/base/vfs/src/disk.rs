//! The operating system's files.

// The one place that may call the standard library's file functions.
#![allow(clippy::disallowed_methods)]

use crate::{
    ByteRange, Create, Entry, File, FileSystem, FolderLock, LockHolder, LockMode, Mapping, NAMES_STAND, Stamp,
    WritableFile, disk_locks, writing,
};
use mainstay_types::{Error, Result};
use std::cell::Cell;
use std::fs::{OpenOptions, TryLockError};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The operating system's files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

#[derive(Debug)]
struct DiskFile {
    file: std::fs::File,
    path: PathBuf,
    /// When its path was last followed, in milliseconds after [`uptime`] began; 0 for never.
    followed: AtomicU64,
}

impl DiskFile {
    fn new(file: std::fs::File, path: &Path) -> DiskFile {
        DiskFile { file, path: path.to_owned(), followed: AtomicU64::new(0) }
    }
}

/// Milliseconds since this was first asked, counted from 1.
fn uptime() -> u64 {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    1 + BEGUN.get_or_init(Instant::now).elapsed().as_millis() as u64
}

/// Linux ticks every 1 to 10 ms on the file systems that keep times in its own clock.
const LOCAL_TICK: Duration = Duration::from_millis(50);

/// FAT keeps times in steps of two seconds; servers have clocks of their own.
const FOREIGN_TICK: Duration = Duration::from_millis(2_100);

/// Long writes are made in pieces of so many bytes. Linux keeps what one write brings in one piece of its cache, and goes
/// through all blocks of that piece at every later write into it: 512 bytes into a file that was written by 4 MB took
/// 13 us on ext4, and 0.4 us into one that was written by 64 KB, which itself takes no longer.
const LONGEST_WRITE: usize = 64 << 10;

/// The `f_type` (statfs(2)) of ext2/3/4, XFS, Btrfs, tmpfs, overlayfs, F2FS and ZFS.
const LOCAL_FILE_SYSTEMS: [i64; 7] =
    [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630, 0xF2F5_2010, 0x2FC1_2FC1];

/// The tick of the file system that a path is on; asked for once per device.
fn tick_of(path: &Path, device: u64) -> Duration {
    thread_local! {
        /// The device that was asked for last: mostly it is asked for again.
        static LAST: Cell<Option<(u64, Duration)>> = const { Cell::new(None) };
    }
    if let Some((_, tick)) = LAST.get().filter(|(known, _)| *known == device) {
        return tick;
    }
    let tick = known_tick(path, device);
    LAST.set(Some((device, tick)));
    tick
}

fn known_tick(path: &Path, device: u64) -> Duration {
    static KNOWN: Mutex<Vec<(u64, Duration)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, tick)) = known.iter().find(|(seen, _)| *seen == device) {
        return *tick;
    }
    // The field's type differs between platforms.
    #[allow(clippy::unnecessary_cast)]
    let is_local = rustix::fs::statfs(path).is_ok_and(|found| LOCAL_FILE_SYSTEMS.contains(&(found.f_type as i64)));
    let tick = if is_local { LOCAL_TICK } else { FOREIGN_TICK };
    known.push((device, tick));
    tick
}

fn time(seconds: i64, nanos: i64) -> SystemTime {
    let nanos = Duration::from_nanos(nanos.unsigned_abs());
    match u64::try_from(seconds) {
        Ok(seconds) => SystemTime::UNIX_EPOCH + Duration::from_secs(seconds) + nanos,
        Err(_) => SystemTime::UNIX_EPOCH - Duration::from_secs(seconds.unsigned_abs()) + nanos,
    }
}

// The types of the fields differ between platforms.
#[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
fn stamp(path: &Path, found: &rustix::fs::Stat) -> Stamp {
    Stamp {
        len: found.st_size as u64,
        modified: time(found.st_mtime as i64, found.st_mtime_nsec as i64),
        changed: time(found.st_ctime as i64, found.st_ctime_nsec as i64),
        identity: (found.st_ino as u64) ^ (found.st_dev as u64).rotate_left(48),
        tick: tick_of(path, found.st_dev as u64),
    }
}

/// Opens an existing file for writing, so that reads of it do not update its access time where the system allows that:
/// after each write Linux records the next read in the inode, which takes longer than the read. A program that
/// evaluates access times learns the same from the time of the write. A file that is created by opening it is opened
/// without:
/// if the file system gives it another owner, it would exist when that is refused.
fn open_existing(options: &mut OpenOptions, path: &Path) -> std::io::Result<std::fs::File> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOATIME);
        match options.open(path) {
            // The file is another user's (open(2)).
            Err(error) if error.raw_os_error() == Some(libc::EPERM) => options.custom_flags(0),
            opened => return opened,
        };
    }
    options.open(path)
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |error| Error::from(error).at(path.display())
}

impl FileSystem for Disk {
    fn open(&self, path: &Path) -> Result<Arc<dyn File>> {
        let file = std::fs::File::open(path).map_err(at(path))?;
        Ok(Arc::new(DiskFile::new(file, path)))
    }

    fn stamp(&self, path: &Path) -> Result<Stamp> {
        // The standard library asks for more (when the file was made), which takes longer.
        let found = rustix::fs::stat(path).map_err(|error| at(path)(error.into()))?;
        Ok(stamp(path, &found))
    }

    fn list(&self, folder: &Path) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(at(folder))? {
            let path = entry.map_err(at(folder))?.path();
            // Opening a pipe waits for a writer, maybe for ever.
            if let Ok(metadata) = std::fs::metadata(&path)
                && (metadata.is_dir() || metadata.is_file())
            {
                entries.push(Entry { path, is_folder: metadata.is_dir() });
            }
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    fn is_folder(&self, path: &Path) -> bool {
        let mode = rustix::fs::stat(path).map(|found| found.st_mode);
        mode.is_ok_and(|mode| rustix::fs::FileType::from_raw_mode(mode).is_dir())
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf> {
        match std::fs::canonicalize(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !self.is_link(path) => {
                match (path.parent(), path.file_name()) {
                    (Some(folder), Some(name)) if !folder.as_os_str().is_empty() => {
                        Ok(self.real_path(folder)?.join(name))
                    }
                    (Some(_), Some(name)) => Ok(self.real_path(Path::new("."))?.join(name)),
                    _ => Err(at(path)(error)),
                }
            }
            followed => followed.map_err(at(path)),
        }
    }

    fn is_link(&self, path: &Path) -> bool {
        let mode = rustix::fs::lstat(path).map(|found| found.st_mode);
        mode.is_ok_and(|mode| rustix::fs::FileType::from_raw_mode(mode).is_symlink())
    }

    fn is_pipe_or_device(&self, path: &Path) -> bool {
        let kind = rustix::fs::stat(path).map(|found| rustix::fs::FileType::from_raw_mode(found.st_mode));
        kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir())
    }

    fn map(&self, path: &Path) -> Result<Mapping> {
        Mapping::of(&std::fs::File::open(path).map_err(at(path))?).map_err(at(path))
    }

    fn create(&self, path: &Path, how: Create) -> Result<Arc<dyn WritableFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(how != Create::Existing);
        options.truncate(how == Create::Truncate).create_new(how == Create::New);
        let opened = match how {
            Create::Existing => open_existing(&mut options, path),
            _ => options.open(path),
        };
        let file = opened.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => writing::exists(path),
            _ => at(path)(error),
        })?;
        Ok(Arc::new(DiskFile::new(file, path)))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        std::fs::rename(from, to).map_err(at(from))
    }

    fn remove(&self, path: &Path) -> Result<()> {
        std::fs::remove_file(path).map_err(at(path))
    }

    fn create_folder(&self, path: &Path) -> Result<()> {
        std::fs::create_dir_all(path).map_err(at(path))
    }

    fn remove_folder(&self, path: &Path) -> Result<()> {
        std::fs::remove_dir_all(path).map_err(at(path))
    }

    fn sync_folder(&self, path: &Path) -> Result<()> {
        let folder = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(at(folder))
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FolderLock>> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(at(path))?;
        match file.try_lock() {
            Ok(()) => Ok(Box::new(DiskFile::new(file, path))),
            Err(TryLockError::WouldBlock) => Err(writing::busy(path)),
            Err(TryLockError::Error(error)) => Err(at(path)(error)),
        }
    }
}

/// The lock belongs to the open file (flock(2)): it goes when the file is closed.
impl FolderLock for DiskFile {
    fn path(&self) -> &Path {
        &self.path
    }
}

impl WritableFile for DiskFile {
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        if bytes.len() <= LONGEST_WRITE {
            return self.file.write_all_at(bytes, offset).map_err(at(&self.path));
        }
        let mut offset = offset;
        for piece in bytes.chunks(LONGEST_WRITE) {
            self.file.write_all_at(piece, offset).map_err(at(&self.path))?;
            offset += piece.len() as u64;
        }
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(at(&self.path))
    }

    fn set_len(&self, len: u64) -> Result<()> {
        self.file.set_len(len).map_err(at(&self.path))
    }

    fn set_unique_time(&self) -> Result<bool> {
        // A write leaves the time of the clock's last tick behind, which the time between two ticks is not.
        let now = SystemTime::now();
        if self.file.set_modified(now).is_err() {
            // The file is another user's.
            return Ok(false);
        }
        let stamp = self.stamp()?;
        // File systems that keep times in seconds cut it, and what a server keeps may be seen late.
        Ok(stamp.modified == now && stamp.tick == LOCAL_TICK)
    }

    fn try_lock_range(&self, range: ByteRange, mode: LockMode) -> Result<bool> {
        disk_locks::try_lock(&self.file, range, mode).map_err(at(&self.path))
    }

    fn unlock_range(&self, range: ByteRange) -> Result<()> {
        disk_locks::unlock(&self.file, range).map_err(at(&self.path))
    }

    fn range_holder(&self, range: ByteRange, mode: LockMode) -> Result<Option<LockHolder>> {
        disk_locks::holder(&self.file, range, mode).map_err(at(&self.path))
    }

    fn try_share(&self, mode: LockMode) -> Result<bool> {
        let taken = match mode {
            LockMode::Shared => self.file.try_lock_shared(),
            LockMode::Exclusive => self.file.try_lock(),
        };
        match taken {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(at(&self.path)(error)),
        }
    }
}

impl File for DiskFile {
    fn is_on_disk(&self) -> bool {
        true
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let mut done = 0;
        while done < buffer.len() {
            match self.file.read_at(&mut buffer[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(read) => done += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(at(&self.path)(error)),
            }
        }
        Ok(done)
    }

    fn read_few_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        // A regular file gives a few bytes whole, unless it ends there.
        loop {
            match self.file.read_at(buffer, offset) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                read => return read.map_err(at(&self.path)),
            }
        }
    }

    fn stamp(&self) -> Result<Stamp> {
        let found = rustix::fs::fstat(&self.file).map_err(|error| at(&self.path)(error.into()))?;
        Ok(stamp(&self.path, &found))
    }

    fn stamp_by_name(&self, _: &dyn FileSystem) -> Result<Stamp> {
        let found = rustix::fs::fstat(&self.file).map_err(|error| at(&self.path)(error.into()))?;
        let own = stamp(&self.path, &found);
        let (now, followed) = (uptime(), self.followed.load(Relaxed));
        let is_fresh = followed != 0 && now.saturating_sub(followed) <= NAMES_STAND.as_millis() as u64;
        // Where the clock is that of Linux, a file has another time of change when one of its names goes.
        if is_fresh && found.st_nlink > 0 && own.tick == LOCAL_TICK {
            return Ok(own);
        }
        let named = Disk.stamp(&self.path)?;
        if named.identity == own.identity {
            self.followed.store(now, Relaxed);
        }
        Ok(named)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_types::Code;

    #[test]
    fn long_writes_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        let file = Disk.create(&path, Create::New).unwrap();
        for len in [LONGEST_WRITE - 1, LONGEST_WRITE, LONGEST_WRITE + 1, 3 * LONGEST_WRITE + 7] {
            let bytes: Vec<u8> = (0..len).map(|at| (at / 251 + at % 251) as u8).collect();
            file.set_len(0).unwrap();
            file.write_at(&bytes, 5).unwrap();
            let written = std::fs::read(&path).unwrap();
            assert!(written[..5] == [0; 5] && written[5..] == bytes, "{len} bytes");
        }
    }

    #[test]
    fn a_handle_tells_what_its_path_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        for name in ["one", "two"] {
            std::fs::create_dir_all(real.join(name)).unwrap();
            std::fs::write(real.join(name).join("a.dbf"), name).unwrap();
        }
        std::os::unix::fs::symlink(real.join("one"), &link).unwrap();
        let path = link.join("a.dbf");
        let opened = || {
            let file = Disk.open(&path).unwrap();
            let stamp = file.stamp_by_name(&Disk).unwrap();
            assert_eq!(stamp, Disk.stamp(&path).unwrap());
            (file, stamp)
        };
        let tick = || std::thread::sleep(LOCAL_TICK);

        // Changes of the file or its name are seen at once.
        let (file, before) = opened();
        tick();
        std::fs::write(&path, "written to").unwrap();
        assert_ne!(file.stamp_by_name(&Disk).unwrap(), before);
        let (file, before) = opened();
        tick();
        std::fs::rename(&path, real.join("away")).unwrap();
        std::fs::write(&path, "another").unwrap();
        assert_ne!(file.stamp_by_name(&Disk).unwrap(), before);
        let (file, before) = opened();
        tick();
        std::fs::rename(real.join("away"), &path).unwrap();
        assert_ne!(file.stamp_by_name(&Disk).unwrap(), before);
        let (file, _) = opened();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(file.stamp_by_name(&Disk).unwrap_err().code(), Code::NotFound);

        // A link that leads elsewhere is seen a little later.
        std::fs::write(&path, "one again").unwrap();
        let (file, before) = opened();
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(real.join("two"), &link).unwrap();
        std::thread::sleep(NAMES_STAND + Duration::from_millis(5));
        let after = file.stamp_by_name(&Disk).unwrap();
        assert_eq!(after, Disk.stamp(&path).unwrap());
        assert_ne!(after.identity, before.identity);
        assert_eq!(file.stamp_by_name(&Disk).unwrap(), after, "who was told of another file is not told of this one");
    }

    #[test]
    fn reads_lists_and_notices_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.dbf");
        std::fs::write(&path, b"0123456789").unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("dead")).unwrap();

        let file = Disk.open(&path).unwrap();
        let mut buffer = [0; 4];
        assert_eq!(file.read_at(&mut buffer, 8).unwrap(), 2);
        assert_eq!((file.read_few_at(&mut buffer, 8).unwrap(), &buffer[..2]), (2, &b"89"[..]));
        assert_eq!(file.read_exact_at(&mut buffer, 8).unwrap_err().code(), Code::Damaged);
        assert_eq!(Disk.list(folder.path()).unwrap().len(), 1);

        let before = file.stamp().unwrap();
        assert!(!before.is_settled(SystemTime::now()));
        assert!(before.is_settled(SystemTime::now() + Duration::from_secs(3)));
        std::fs::write(&path, b"01234567890").unwrap();
        assert_ne!(before, Disk.stamp(&path).unwrap());
        assert_eq!(Disk.open(Path::new("/nowhere")).unwrap_err().code(), Code::NotFound);
    }

    #[test]
    fn a_unique_time_tells_a_write_in_the_same_tick() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("a"));
        let file = Disk.create(&path, Create::New).unwrap();
        let another = Disk.create(&other, Create::Existing).unwrap();
        for _ in 0..500 {
            file.write_at(b"1", 0).unwrap();
            if !file.set_unique_time().unwrap() {
                // Not on every file system.
                return;
            }
            let stamp = file.stamp().unwrap();
            assert_eq!(stamp, Disk.stamp(&path).unwrap());
            another.write_at(b"2", 0).unwrap();
            assert_ne!(stamp, file.stamp().unwrap());
        }
    }

    #[test]
    fn writes_and_syncs_and_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("store/groups");
        let path = deep.join("a");
        assert_eq!(Disk.create(&path, Create::New).unwrap_err().code(), Code::NotFound);
        Disk.create_folder(&deep).unwrap();
        Disk.create_folder(&deep).unwrap();

        let file = Disk.create(&path, Create::New).unwrap();
        file.write_at(b"56", 4).unwrap();
        file.set_len(8).unwrap();
        file.sync().unwrap();
        assert_eq!(Disk.read(&path).unwrap(), b"\0\0\0\x0056\0\0");
        assert!(Disk.create(&path, Create::New).unwrap_err().to_string().contains("exists already"));
        assert_eq!(Disk.create(&path, Create::OpenOrCreate).unwrap().stamp().unwrap().len, 8);
        assert_eq!(Disk.create(&path, Create::Truncate).unwrap().stamp().unwrap().len, 0);

        Disk.replace(&path, b"one").unwrap();
        let mapped = Disk.map(&path).unwrap();
        Disk.replace(&path, b"two").unwrap();
        Disk.sync_folder(&deep).unwrap();
        assert_eq!((&*mapped, &*Disk.read(&path).unwrap()), (&b"one"[..], &b"two"[..]));
        Disk.remove(&path).unwrap();
        assert_eq!(Disk.remove(&path).unwrap_err().code(), Code::NotFound);
        assert_eq!(&*mapped, b"one");

        Disk.create(&path, Create::New).unwrap();
        assert!(Disk.map(&path).unwrap().is_empty());
        Disk.remove_folder(&folder.path().join("store")).unwrap();
        assert!(!Disk.is_folder(&folder.path().join("store")));
    }

    /// Returns true if bytes arrive cannot be seen without a power loss, but that the operating system is asked can: it
    /// refuses to sync what is no file on a disk.
    #[test]
    fn syncs_reach_the_operating_system() {
        let null = Disk.create(Path::new("/dev/null"), Create::OpenOrCreate).unwrap();
        null.write_at(b"x", 0).unwrap();
        assert_eq!(null.sync().unwrap_err().code(), Code::Io);
        assert_eq!(Disk.sync_folder(Path::new("/nowhere")).unwrap_err().code(), Code::NotFound);
    }

    #[test]
    fn the_lock_is_exclusive_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Disk.lock(&path).unwrap();
        let error = Disk.lock(&path).unwrap_err();
        assert_eq!(error.code(), Code::Busy);
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
        drop(held);
        Disk.lock(&path).unwrap();
    }
}
