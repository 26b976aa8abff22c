//! A server with the tests' scripted backend, for real clients: `tests/clients/run.py` starts it.
//!
//! It listens on the port that is its first argument (0 chooses one), says `listening PORT`, writes its log to standard
//! error, and stops when its standard input ends. A second argument is the text of a settings file.

#[path = "../tests/common/scripted.rs"]
mod scripted;

use mainstay_server::{Config, Server, TdsDoor};
use mainstay_vfs::Disk;
use std::io::Read;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let port: u16 = arguments.next().unwrap_or_default().parse().unwrap_or(0);
    let mut config = Config::from_toml(&arguments.next().unwrap_or_default())?;
    config.tds.set_port(port);
    let backend = Arc::new(scripted::Scripted::default());
    let address = config.tds;
    let server = Server::new(config, &Disk, Box::new(std::io::stderr()))?;
    println!("listening {}", server.open(address, TdsDoor::new(backend))?.port());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    let stopped = server.stop();
    println!("stopped {stopped:?}");
    Ok(())
}
