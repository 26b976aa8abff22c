//! `mainstay serve`: the folder for SQL Server's clients and for remote ACE clients, until somebody asks to stop.

use crate::arguments::Engine;
use crate::exit::Exit;
use crate::{complain, warn};
use ace::backend::{Served, ServedDictionaries, Sql, install_sql};
use mainstay_acesql::Engine as Advantage;
use mainstay_base::{Code, Error, Result};
use mainstay_engine::Database;
use mainstay_server::{Config, NavigatorDoor, Server};
use mainstay_vfs::{Disk, FileSystem};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The addresses of the command line, which go before those of the settings.
pub(crate) struct Addresses {
    pub tds: Option<SocketAddr>,
    pub http: Option<SocketAddr>,
    pub navigator: Option<SocketAddr>,
}

/// Serves until a signal comes.
pub(crate) fn run(path: Option<PathBuf>, addresses: &Addresses, engine: &Engine) -> Exit {
    let path = path.unwrap_or_else(|| PathBuf::from("."));
    let (server, navigator) = match start(&path, addresses, engine) {
        Ok(doors) => doors,
        Err(error) => {
            complain(&error);
            return if error.code() == Code::InvalidSetting { Exit::Usage } else { Exit::CannotOpen };
        }
    };
    let _ = writeln!(io::stderr(), "listening for SQL Server's clients on {}", server.tds_address());
    if let Some(address) = server.http_address() {
        let _ = writeln!(io::stderr(), "metrics and health on http://{address}");
    }
    if let Some(navigator) = &navigator {
        let _ = writeln!(io::stderr(), "listening for remote ACE clients on {}", navigator.address());
    }
    wait_for_signal();
    // Both at once: each has the whole of the grace.
    std::thread::scope(|scope| {
        scope.spawn(|| navigator.as_ref().map(NavigatorDoor::stop));
        server.stop();
    });
    Exit::Success
}

fn start(path: &Path, addresses: &Addresses, engine: &Engine) -> Result<(Server, Option<NavigatorDoor>)> {
    let mut config = match Disk.read(&path.join("mainstay.toml")) {
        Ok(bytes) => {
            let text =
                String::from_utf8(bytes).map_err(|_| Error::new(Code::InvalidSetting, "mainstay.toml is not UTF-8"))?;
            Config::from_toml(&text).map_err(|error| error.at("mainstay.toml"))?
        }
        Err(error) if error.code() == Code::NotFound => Config::default(),
        Err(error) => return Err(error),
    };
    config.tds = addresses.tds.unwrap_or(config.tds);
    config.http = addresses.http.or(config.http);
    config.navigator = addresses.navigator.or(config.navigator);
    let database = Database::open_with(path, engine.options())?;
    database.damage().iter().for_each(warn);
    let for_ace = database.clone();
    let instance = crate::tsql::instance(database, path, |complaint| {
        // Who closed the screen wants no more.
        let _ = writeln!(io::stderr(), "{complaint}");
    })?;
    instance.read_procedures();
    let folder = std::path::absolute(path)?;
    let navigator = NavigatorDoor::of_settings(&config, &folder, Arc::new(Disk), Box::new(io::stderr()))?;
    if let Some(navigator) = &navigator {
        // Statements of remote ACE clients see the database that SQL Server's clients see; triggers and views of data
        // dictionaries run with what is installed.
        let advantage: Arc<dyn Sql> = Arc::new(Advantage::serving(for_ace, &folder)?);
        navigator.serve_sql(Arc::new(Served(Arc::clone(&advantage))));
        install_sql(advantage);
        navigator.serve_dictionaries(Arc::new(ServedDictionaries));
    }
    let server = Server::start(config, Arc::new(instance), &Disk, Box::new(io::stderr()))?;
    navigator.iter().for_each(|door| server.measure(door));
    Ok((server, navigator))
}

/// Sleeps until SIGTERM, SIGINT or SIGHUP.
fn wait_for_signal() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) {
        let _ = signals.forever().next();
    }
}
