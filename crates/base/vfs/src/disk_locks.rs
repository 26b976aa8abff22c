//! The operating system's locks on ranges of an open file: fcntl(2) with `F_OFD_SETLK`.
//!
//! The only calls of the C library in this crate, because no safe wrapper of them takes a range.

// Elsewhere nothing but the refusals at the end of this file is used.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]
// The list of locks in /proc is no stored data.
#![allow(clippy::disallowed_methods)]

use crate::{ByteRange, LockHolder, LockMode};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

fn request(range: ByteRange, kind: libc::c_int) -> io::Result<libc::flock> {
    let out_of_range = |_| io::Error::new(io::ErrorKind::InvalidInput, "a lock beyond the largest file offset");
    // SAFETY: the structure is made of integers, for all of which 0 is a value.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = libc::off_t::try_from(range.start).map_err(out_of_range)?;
    lock.l_len = libc::off_t::try_from(range.length).map_err(out_of_range)?;
    Ok(lock)
}

fn kind(mode: LockMode) -> libc::c_int {
    match mode {
        LockMode::Shared => libc::F_RDLCK as libc::c_int,
        LockMode::Exclusive => libc::F_WRLCK as libc::c_int,
    }
}

/// Calls fcntl until no signal interrupts it.
#[cfg(target_os = "linux")]
fn call(file: &File, command: libc::c_int, lock: &mut libc::flock) -> io::Result<()> {
    loop {
        // SAFETY: the descriptor is open for as long as `file` is borrowed, and `lock` is a structure of the form
        // that these commands read and write.
        let result = unsafe { libc::fcntl(file.as_raw_fd(), command, std::ptr::from_mut(lock)) };
        if result != -1 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Takes the lock if no other handle holds one that excludes it.
#[cfg(target_os = "linux")]
pub(super) fn try_lock(file: &File, range: ByteRange, mode: LockMode) -> io::Result<bool> {
    match call(file, libc::F_OFD_SETLK, &mut request(range, kind(mode))?) {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Gives the lock back.
#[cfg(target_os = "linux")]
pub(super) fn unlock(file: &File, range: ByteRange) -> io::Result<()> {
    call(file, libc::F_OFD_SETLK, &mut request(range, libc::F_UNLCK as libc::c_int)?)
}

/// The holder of a lock that excludes this one.
#[cfg(target_os = "linux")]
pub(super) fn holder(file: &File, range: ByteRange, mode: LockMode) -> io::Result<Option<LockHolder>> {
    let mut lock = request(range, kind(mode))?;
    call(file, libc::F_OFD_GETLK, &mut lock)?;
    if libc::c_int::from(lock.l_type) == libc::F_UNLCK as libc::c_int {
        return Ok(None);
    }
    let start = u64::try_from(lock.l_start).unwrap_or(0);
    // A length of 0 means: to the end of all files.
    let length = u64::try_from(lock.l_len).ok().filter(|length| *length > 0).unwrap_or(u64::MAX - start);
    let range = ByteRange { start, length };
    let shared = libc::c_int::from(lock.l_type) == libc::F_RDLCK as libc::c_int;
    let mode = if shared { LockMode::Shared } else { LockMode::Exclusive };
    let process = match u32::try_from(lock.l_pid) {
        Ok(process) if process > 0 => Some(process),
        _ => owner_of_open_file(file.metadata()?.ino(), range),
    };
    let name = |process: u32| std::fs::read_to_string(format!("/proc/{process}/comm")).ok();
    let program = process.and_then(name).map(|name| name.trim_end().to_owned());
    Ok(Some(LockHolder { process, program, range, mode }))
}

/// The process with an open file that holds this lock on the file of this number. The lines of `fdinfo` are
/// `lock: 1: OFDLCK ADVISORY WRITE -1 08:01:1234 100 109` (proc(5)), the last two being the first and last byte.
#[cfg(target_os = "linux")]
fn owner_of_open_file(inode: u64, range: ByteRange) -> Option<u32> {
    let (inode, start) = (format!(":{inode}"), range.start.to_string());
    let is_it = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.first() == Some(&"lock:")
            && words.contains(&"OFDLCK")
            && words.len() >= 3
            && words[words.len() - 3].ends_with(&inode)
            && words[words.len() - 2] == start
    };
    let holds = |folder: &Path| {
        let files = std::fs::read_dir(folder.join("fdinfo")).into_iter().flatten().flatten();
        files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).any(|text| text.lines().any(is_it))
    };
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let numbered = processes.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())));
    let mut numbered: Vec<(u32, _)> = numbered.collect();
    // The newest first: the process that just took the lock is not among the system's old services.
    numbered.sort_by_key(|(process, _)| std::cmp::Reverse(*process));
    numbered.into_iter().find(|(_, folder)| holds(folder)).map(|(process, _)| process)
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::*;

    fn unsupported<T>() -> io::Result<T> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "locks on ranges of bytes are taken on Linux only"))
    }

    pub(in super::super) fn try_lock(_: &File, _: ByteRange, _: LockMode) -> io::Result<bool> {
        unsupported()
    }

    pub(in super::super) fn unlock(_: &File, _: ByteRange) -> io::Result<()> {
        unsupported()
    }

    pub(in super::super) fn holder(_: &File, _: ByteRange, _: LockMode) -> io::Result<Option<LockHolder>> {
        unsupported()
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{holder, try_lock, unlock};
