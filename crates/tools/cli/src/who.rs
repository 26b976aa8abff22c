//! `mainstay who FOLDER`: the sessions and locks of the server that has a folder open, and the processes that have its files open.
//!
//! ```text
//!   mainstay serve shop  --- shop/.mainstay-who, a socket of its user alone ---  mainstay who shop
//!                                                                           \--- the prompt, for the message of a lock
//! ```
//!
//! The server answers every connection with its sessions and closes it. A line is a session, or a lock of the session
//! above it, with its fields separated by tabs; the first one is the address for SQL Server's clients, by which the
//! prompt finds the server. Without a server, and for programs that share the files, the operating system lists the
//! processes that have files of the folder open (Linux).

use crate::complain;
use crate::exit::Exit;
use mainstay_engine::activity::{NativeLock, OpenTransaction, RecordLock, SessionInfo};
use mainstay_types::{Error, Result, Timestamp};
use mainstay_vfs::{Disk, FileSystem};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The beginning of the line with the address for SQL Server's clients.
const TDS: &str = "tds";
/// The socket, below the folder.
const SOCKET: &str = ".mainstay-who";
/// How long the other side may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest answer that is read.
const LONGEST: u64 = 16 << 20;
/// Doors by their names, for answers that were read.
const DOORS: [&str; 5] = ["tds", "sqli", "navigator", "console", "other"];

/// The socket of a server, removed when it stops.
pub(crate) struct Answering {
    path: PathBuf,
}

impl Drop for Answering {
    fn drop(&mut self) {
        // A socket that stays is replaced by the next server.
        let _ = Disk.remove(&self.path);
    }
}

/// Answers those who ask for the sessions of a folder.
///
/// Errors: those of the socket; a folder whose path is too long for one has none.
#[allow(clippy::disallowed_methods, reason = "a socket is no stored data")]
pub(crate) fn answer(
    folder: &Path,
    tds: Arc<OnceLock<SocketAddr>>,
    sessions: Arc<dyn Fn() -> Vec<SessionInfo> + Send + Sync>,
) -> Result<Answering> {
    let path = folder.join(SOCKET);
    if UnixStream::connect(&path).is_err() {
        // Nobody listens: it is what a server has left that was killed.
        let _ = Disk.remove(&path);
    }
    let listener = UnixListener::bind(&path).map_err(|error| Error::from(error).at(path.display()))?;
    let answering = Answering { path: path.clone() };
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    let folder = folder.to_owned();
    std::thread::Builder::new().name("who".to_owned()).spawn(move || {
        for stream in listener.incoming().flatten() {
            // Whoever does not read is left.
            let _ = stream.set_write_timeout(Some(PATIENCE)).and_then(|()| {
                let mut stream = stream;
                let address = tds.get().map_or_else(String::new, |address| format!("{TDS}\t{address}\n"));
                stream.write_all((address + &encode(&sessions(), &folder)).as_bytes())
            });
        }
    })?;
    Ok(answering)
}

/// A field without what separates fields and lines.
fn field(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn encode(sessions: &[SessionInfo], folder: &Path) -> String {
    let mut text = String::new();
    for session in sessions {
        let [user, program, machine] = [&session.user, &session.program, &session.machine].map(|text| field(text));
        let (door, number, since) = (session.door, session.number, seconds(session.since));
        let _ = writeln!(text, "session\t{door}\t{number}\t{user}\t{program}\t{machine}\t{since}");
        for lock in &session.locks {
            let table = lock.table.strip_prefix(folder).unwrap_or(&lock.table).to_string_lossy();
            let record = lock.record.map_or_else(|| "table".to_owned(), |record| record.to_string());
            let _ = writeln!(text, "lock\t{}\t{record}\t{}", field(&table), seconds(lock.since));
        }
        let Some(open) = &session.transaction else { continue };
        let _ = writeln!(text, "transaction\t{}", open.since.map_or(0, seconds));
        for lock in &open.locks {
            let _ = writeln!(text, "native\t{}\t{}", field(&lock.table), field(&lock.what));
        }
    }
    text
}

fn decode(text: &str, folder: &Path) -> Vec<SessionInfo> {
    let time = |text: &str| UNIX_EPOCH + Duration::from_secs(text.parse().unwrap_or(0));
    let mut sessions: Vec<SessionInfo> = Vec::new();
    for line in text.lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["session", door, number, user, program, machine, since] => sessions.push(SessionInfo {
                door: DOORS.into_iter().find(|known| *known == door).unwrap_or("other"),
                number: number.parse().unwrap_or(0),
                user: user.to_owned(),
                program: program.to_owned(),
                machine: machine.to_owned(),
                since: time(since),
                locks: Vec::new(),
                transaction: None,
            }),
            ["lock", table, record, since] => {
                let lock = RecordLock { table: folder.join(table), record: record.parse().ok(), since: time(since) };
                sessions.iter_mut().last().into_iter().for_each(|session| session.locks.push(lock.clone()));
            }
            ["transaction", since] => {
                let since = Some(time(since)).filter(|since| *since != UNIX_EPOCH);
                let open = OpenTransaction { number: 0, since, locks: Vec::new() };
                sessions.iter_mut().last().into_iter().for_each(|session| session.transaction = Some(open.clone()));
            }
            ["native", table, what] => {
                let lock = NativeLock { table: table.to_owned(), what: what.to_owned() };
                let open = sessions.iter_mut().last().and_then(|session| session.transaction.as_mut());
                open.into_iter().for_each(|open| open.locks.push(lock.clone()));
            }
            // A later server may have more to say.
            _ => {}
        }
    }
    sessions
}

/// The sessions of the server that has a folder open; `None` if no server answers.
pub(crate) fn ask(folder: &Path) -> Option<Vec<SessionInfo>> {
    ask_for_text(folder).map(|text| decode(&text, folder))
}

/// The address for SQL Server's clients of the server that has a folder open. A password will be sent there, so the socket
/// has to be one of the folder's owner, of this user or of root: others who may write to the folder are not believed.
pub(crate) fn tds_address(folder: &Path) -> Option<SocketAddr> {
    let owner = owner_of(&folder.join(SOCKET))?;
    if owner != 0 && owner_of(folder) != Some(owner) && owner_of(Path::new("/proc/self/")) != Some(owner) {
        return None;
    }
    let text = ask_for_text(folder)?;
    text.lines().find_map(|line| line.strip_prefix(TDS)?.trim().parse().ok())
}

/// The number of the user that a file, socket or folder belongs to.
#[allow(clippy::disallowed_methods, reason = "a socket is no stored data")]
fn owner_of(path: &Path) -> Option<u32> {
    std::fs::symlink_metadata(path).ok().map(|found| found.uid())
}

fn ask_for_text(folder: &Path) -> Option<String> {
    let stream = UnixStream::connect(folder.join(SOCKET)).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut text = String::new();
    stream.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// `mainstay who FOLDER`.
pub(crate) fn run(folder: &Path) -> Exit {
    let folder = match std::path::absolute(folder) {
        Ok(folder) if Disk.is_folder(&folder) => folder,
        _ => {
            complain(&Error::new(mainstay_types::Code::NotFound, "there is no such folder").at(folder.display()));
            return Exit::CannotOpen;
        }
    };
    let mut text = String::new();
    match ask(&folder) {
        Some(sessions) => show_sessions(&mut text, &sessions, &folder),
        None => text.push_str("no server has the folder open\n"),
    }
    show_processes(&mut text, &folder);
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&Error::from(error).at("the output"));
            Exit::CannotWrite
        }
        _ => Exit::Success,
    }
}

/// The time in UTC, to the second.
fn moment(time: SystemTime) -> String {
    Timestamp::from_seconds(i64::try_from(seconds(time)).unwrap_or(0)).map(|time| time.to_string()).unwrap_or_default()
}

fn show_sessions(text: &mut String, sessions: &[SessionInfo], folder: &Path) {
    let heads = ["door", "number", "user", "program", "machine", "since (UTC)"].map(str::to_owned);
    let named = |name: &str| if name.is_empty() { "unknown".to_owned() } else { name.to_owned() };
    let row = |session: &SessionInfo| {
        [
            session.door.to_owned(),
            session.number.to_string(),
            named(&session.user),
            named(&session.program),
            named(&session.machine),
            moment(session.since),
        ]
    };
    let rows: Vec<[String; 6]> = std::iter::once(heads).chain(sessions.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    let mut lines = rows.iter().map(line);
    let _ = writeln!(text, "{}", lines.next().unwrap_or_default());
    for (session, line) in sessions.iter().zip(lines) {
        let _ = writeln!(text, "{line}");
        for lock in &session.locks {
            let table = lock.table.strip_prefix(folder).unwrap_or(&lock.table).display();
            let what = lock.record.map_or_else(|| "the whole table".to_owned(), |record| format!("record {record}"));
            let _ = writeln!(text, "  locks {table}, {what}, since {}", moment(lock.since));
        }
        let Some(open) = &session.transaction else { continue };
        let since = open.since.map(|since| format!(", since {}", moment(since))).unwrap_or_default();
        for lock in &open.locks {
            let _ = writeln!(text, "  locks {}, {}{since}", lock.table, lock.what);
        }
    }
}

/// The processes that have files of the folder open, as far as this user may see them.
fn show_processes(text: &mut String, folder: &Path) {
    let mut processes = open_files(folder);
    processes.remove(&std::process::id());
    if processes.is_empty() {
        return;
    }
    text.push_str("\nprocesses with files of the folder open:\n");
    for (process, files) in processes {
        let _ = writeln!(text, "  {process} {}: {}", program_of(process), files.join(", "));
    }
}

/// Another process that has one of these files open: its number, program and the file. `None` also for processes that this user
/// may not look at.
pub(crate) fn open_elsewhere(files: &[PathBuf]) -> Option<(u32, String, PathBuf)> {
    let own = std::process::id();
    let found = files.iter().find_map(|file| {
        let folder = Disk.real_path(file.parent()?).ok()?;
        let name = file.file_name()?.to_str()?;
        let mut processes = open_files(&folder).into_iter().filter(|(process, _)| *process != own);
        let (process, _) = processes.find(|(_, open)| open.iter().any(|open| open == name))?;
        Some((process, file.clone()))
    });
    found.map(|(process, file)| (process, program_of(process), file))
}

fn program_of(process: u32) -> String {
    let program = Disk.read(Path::new(&format!("/proc/{process}/comm"))).unwrap_or_default();
    String::from_utf8_lossy(&program).trim().to_owned()
}

/// The open files below a folder by process, from /proc.
#[allow(clippy::disallowed_methods, reason = "/proc is no stored data")]
fn open_files(folder: &Path) -> BTreeMap<u32, Vec<String>> {
    let mut found: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        for open in std::fs::read_dir(entry.path().join("fd")).into_iter().flatten().flatten() {
            let Ok(target) = std::fs::read_link(open.path()) else { continue };
            let Ok(below) = target.strip_prefix(folder) else { continue };
            let is_hidden = below.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'));
            if !is_hidden {
                found.entry(process).or_default().push(below.display().to_string());
            }
        }
    }
    for files in found.values_mut() {
        files.sort();
        files.dedup();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_come_back_as_they_were_said() {
        let folder = Path::new("/shop");
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        let lock = |record| RecordLock { table: folder.join("orders.dbf"), record, since: at(7) };
        let native = NativeLock { table: "orders".to_owned(), what: "row id = 1".to_owned() };
        let session = SessionInfo {
            door: "navigator",
            number: 3,
            user: "ann\tb".to_owned(),
            program: String::new(),
            machine: "10.0.0.7".to_owned(),
            since: at(5),
            locks: vec![lock(Some(17)), lock(None)],
            transaction: Some(OpenTransaction { number: 0, since: Some(at(6)), locks: vec![native] }),
        };
        let text = encode(std::slice::from_ref(&session), folder);
        let wanted = SessionInfo { user: "ann b".to_owned(), ..session };
        assert_eq!(decode(&text, folder), [wanted]);
    }
}
