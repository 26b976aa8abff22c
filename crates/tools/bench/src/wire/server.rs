//! A server process for the benchmark: `mainstay serve` over an empty folder, with the default settings.

use crate::scratch::Scratch;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The event of a server that is ready; the addresses of its doors follow.
const READY: &str = " event=ready ";

/// A server that is killed when this is dropped. Its folder goes with it.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    _folder: Scratch,
}

impl Server {
    /// Starts it with one door, `tds` or `sqli`, on a port of its choice. A commit waits for the operating system and not for the disk: what is measured
    /// is the way of a call.
    pub(crate) fn start(door: &str) -> Result<Server, String> {
        let program = program().ok_or("there is no mainstay beside the benchmark")?;
        let folder = Scratch::new().map_err(|error| error.to_string())?;
        let path = folder.folder("served").map_err(|error| error.to_string())?;
        // Without an address the door of SQL Server's clients has a port of its own, which another server may have.
        let named = format!("--{door}");
        let others: &[&str] = if door == "tds" { &[] } else { &[&named, "127.0.0.1:0"] };
        let mut child = Command::new(&program)
            .arg("serve")
            .arg(path)
            .args(["--tds", "127.0.0.1:0", "--durability", "os"])
            .args(others)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let mut said = BufReader::new(child.stderr.take().ok_or("no standard error")?);
        let mut all = String::new();
        let address = loop {
            let mut line = String::new();
            if said.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                return Err(format!("{} did not start: {all}", program.display()));
            }
            if let Some((_, rest)) = line.split_once(READY) {
                let key = format!("{door}=");
                let address = rest.split_whitespace().find_map(|word| word.strip_prefix(&key)).unwrap_or_default();
                break address.parse().map_err(|_| format!("{line} is no address"))?;
            }
            all += &line;
        };
        // The rest of its output is read, so that it never waits for a reader.
        std::thread::spawn(move || said.read_to_end(&mut Vec::new()));
        Ok(Server { child, address, _folder: folder })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command in the folder of this program.
pub(crate) fn program() -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?;
    let program = this.with_file_name(format!("mainstay{}", std::env::consts::EXE_SUFFIX));
    program.is_file().then_some(program)
}
