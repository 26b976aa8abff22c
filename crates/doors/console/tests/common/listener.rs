//! A listener over plain sockets, without a server.

use mainstay_console::{Client, Config, Console, Programs, Users};
use std::io::{Read, Result, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A console that listens.
pub struct Door {
    address: SocketAddr,
    console: Arc<Console>,
    /// The state of TLS that its clients claim: encrypted, needed.
    claims: (bool, bool),
}

impl Door {
    /// Listens on the loopback address until the process ends.
    pub fn start(config: Config, users: Arc<dyn Users>, programs: Arc<dyn Programs>) -> Door {
        Door::claiming((false, false), config, users, programs)
    }

    /// The same with clients that claim to be encrypted, and to need it.
    pub fn claiming(claims: (bool, bool), config: Config, users: Arc<dyn Users>, programs: Arc<dyn Programs>) -> Door {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let console = Arc::new(Console::new(config, users, programs).unwrap());
        let served = Arc::clone(&console);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let console = Arc::clone(&served);
                std::thread::spawn(move || console.serve(&Plain { socket, claims, writing: Mutex::new(()) }));
            }
        });
        Door { address, console, claims }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn console(&self) -> &Console {
        &self.console
    }

    pub fn scheme(&self) -> &'static str {
        if self.claims.0 { "https" } else { "http" }
    }

    pub fn stop(&self) {
        self.console.stop();
    }
}

/// A plain socket.
struct Plain {
    socket: TcpStream,
    claims: (bool, bool),
    writing: Mutex<()>,
}

impl Client for Plain {
    fn address(&self) -> IpAddr {
        self.socket.peer_addr().map_or(IpAddr::from([127, 0, 0, 1]), |address| address.ip())
    }

    fn port(&self) -> u16 {
        self.socket.local_addr().map_or(0, |address| address.port())
    }

    fn is_encrypted(&self) -> bool {
        self.claims.0
    }

    fn needs_encryption(&self) -> bool {
        self.claims.1
    }

    fn receive(&self, into: &mut [u8], limit: Duration) -> Result<usize> {
        self.socket.set_read_timeout(Some(limit))?;
        (&self.socket).read(into)
    }

    fn send(&self, bytes: &[u8], limit: Duration) -> Result<()> {
        let _writing = self.writing.lock().unwrap();
        self.socket.set_write_timeout(Some(limit))?;
        (&self.socket).write_all(bytes)
    }

    fn shut_down(&self) {
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    fn log(&self, _event: &str, _fields: &[(&str, &str)]) {}
}
