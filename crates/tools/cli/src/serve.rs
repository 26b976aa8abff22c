//! `mainstay serve`: the folder behind every door of the settings, until a signal stops the server.

use crate::arguments::Engine;
use crate::basic::{BrowserPrograms, FolderUsers, Shop};
use crate::exit::Exit;
use crate::{complain, warn, who};
use ace::backend::{Served, ServedDictionaries, Sql, install_sql};
use ace::procedures::LibraryCalls;
use mainstay_ads_runtime::Engine as Advantage;
use mainstay_console::Console;
use mainstay_engine::activity::{RecordLock, SessionInfo};
use mainstay_engine::{Database, Options};
use mainstay_informix_runtime::Informix;
use mainstay_navigator::server::Service;
use mainstay_server::{
    Config, ConsoleDoor, Encryption, NavigatorDoor, Server, SqliDoor, TdsDoor, User, Users, log_event, log_warning,
};
use mainstay_tsql_runtime::CodePage;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, Enclosed, FileSystem};
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The addresses of the command line, which go before those of the settings.
pub(crate) struct Addresses {
    pub tds: Option<SocketAddr>,
    pub http: Option<SocketAddr>,
    pub navigator: Option<SocketAddr>,
    pub sqli: Option<SocketAddr>,
    pub console: Option<SocketAddr>,
}

/// Serves until a signal comes.
pub(crate) fn run(
    path: Option<PathBuf>,
    addresses: &Addresses,
    script_page: Option<CodePage>,
    program_memory_bytes: Option<u64>,
    engine: &Engine,
) -> Exit {
    let path = path.unwrap_or_else(|| PathBuf::from("."));
    let Doors { server, _answering } = match start(&path, addresses, script_page, program_memory_bytes, engine) {
        Ok(doors) => doors,
        Err(error) => {
            complain(&error);
            return Exit::of_opening(&error);
        }
    };
    log_ready(&server);
    std::thread::spawn(give_memory_back);
    wait_for_signal();
    server.stop();
    Exit::Success
}

/// The listeners in the order of `event=ready`.
const DOORS: [&str; 5] = ["tds", "http", "navigator", "sqli", "console"];

/// Writes the addresses of all doors to the log.
fn log_ready(server: &Server) {
    let mut addresses = server.addresses();
    // In one order, whichever doors are open: scripts read the line.
    addresses.sort_by_key(|(name, _)| DOORS.iter().position(|door| door == name));
    let fields: Vec<(&str, &dyn Display)> =
        addresses.iter().map(|(name, address)| (*name, address as &dyn Display)).collect();
    log_event(Box::new(io::stderr()), "ready", &fields);
}

/// The server with its running doors.
struct Doors {
    server: Server,
    /// Answers `mainstay who`.
    _answering: Option<who::Answering>,
}

fn start(
    path: &Path,
    addresses: &Addresses,
    script_page: Option<CodePage>,
    program_memory_bytes: Option<u64>,
    engine: &Engine,
) -> Result<Doors> {
    let mut config = match Disk.read(&path.join("mainstay.toml")) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes)
                .map_err(|_| Error::new(Code::InvalidSetting, "it is not UTF-8").at("mainstay.toml"))?;
            Config::from_toml(&text).map_err(|error| error.at("mainstay.toml"))?
        }
        Err(error) if error.code() == Code::NotFound => Config::default(),
        Err(error) => return Err(error),
    };
    config.tds = addresses.tds.unwrap_or(config.tds);
    config.http = addresses.http.or(config.http);
    config.navigator = addresses.navigator.or(config.navigator);
    config.sqli = addresses.sqli.or(config.sqli);
    config.console = addresses.console.or(config.console);
    config.program_memory_bytes = program_memory_bytes.unwrap_or(config.program_memory_bytes);
    let mut options = engine.options();
    options.statement_timeout = options.statement_timeout.or(config.statement_timeout());
    let folder = std::path::absolute(path)?;
    let root = if Disk.is_folder(&folder) { &folder } else { folder.parent().unwrap_or(&folder) };
    let files: Arc<dyn FileSystem> = match config.follow_links || Disk.stamp(&folder).is_err() {
        true => Arc::new(Disk),
        false => Arc::new(Enclosed::new(Arc::new(Disk), root)?),
    };
    let engine_options = options.clone();
    // A folder that is on no disk has no links.
    let database = match Disk.stamp(&folder).is_ok() {
        true => Database::open_on(Arc::clone(&files), &folder, options)?,
        false => Database::open_with(path, options)?,
    };
    database.damage().iter().for_each(warn);
    for warning in database.setting_warnings() {
        log_warning(Box::new(io::stderr()), "setting_without_table", &warning.to_string());
    }
    if database.is_native_elsewhere() {
        let text =
            "another process has the native tables of this folder open: statements about them fail until it has ended";
        log_warning(Box::new(io::stderr()), "native_tables_in_use", text);
    }
    let (for_ace, for_informix, for_basic) = (database.clone(), database.clone(), database.clone());
    let for_who = database.clone();
    let instance = crate::tsql::instance(database, &folder, Arc::clone(&files), script_page, |complaint| {
        log_warning(Box::new(io::stderr()), "procedure_not_compiled", complaint);
    })?;
    let instance = instance.with_users(config.users.iter().map(|user| user.name.as_str()));
    instance.read_procedures();
    let users = Arc::new(followed_users(&config, path, instance.user_adder()));
    // Certificates are the administrator's: they may be links to anywhere.
    let server = Server::with_users(config.clone(), Arc::clone(&users), &Disk, Box::new(io::stderr()))?;
    if let Some(address) = config.navigator {
        server.open(address, navigator_door(for_ace, &for_who, &folder, &files)?)?;
    }
    if let Some(address) = config.sqli {
        server.open(address, informix_door(&config, for_informix, &folder, (&files, &engine_options))?)?;
    }
    if let Some(address) = config.console {
        open_console(&server, (address, &config), users, &for_basic, &folder)?;
    }
    let all = move || for_who.sessions_with_locks();
    let tds_address = Arc::new(OnceLock::new());
    let answering = who::answer(root, Arc::clone(&tds_address), Arc::new(all)).inspect_err(|error| {
        log_warning(Box::new(io::stderr()), "who_is_not_answered", &error.to_string());
    });
    let address = server.open(config.tds, TdsDoor::new(Arc::new(instance)))?;
    let _ = tds_address.set(address);
    if let Some(address) = config.http {
        server.open_http(address)?;
    }
    Ok(Doors { server, _answering: answering.ok() })
}

/// The users of the settings, read again when the file has changed. `add` tells the T-SQL sessions of new ones.
fn followed_users(config: &Config, path: &Path, add: impl Fn(&str) + Send + Sync + 'static) -> Users {
    let reloaded = move |read: &Result<Arc<[User]>>| match read {
        Ok(users) => {
            users.iter().for_each(|user| add(&user.name));
            log_event(Box::new(io::stderr()), "users_reloaded", &[("users", &users.len())]);
        }
        Err(error) => log_warning(Box::new(io::stderr()), "users_not_reloaded", &error.to_string()),
    };
    Users::of_file(config.users.clone(), Arc::new(Disk), path.join("mainstay.toml"), Box::new(reloaded))
}

/// The door for remote ACE clients. Their statements see the database that SQL Server's clients see; triggers and views of
/// data dictionaries run with the same SQL.
fn navigator_door(
    database: Database,
    sessions: &Database,
    folder: &Path,
    files: &Arc<dyn FileSystem>,
) -> Result<NavigatorDoor> {
    let service = Arc::new(Service::new(Arc::clone(files), folder));
    let advantage = Advantage::serving(database, folder)?.with_calls(Arc::new(LibraryCalls));
    // Weak, because the service has the statements.
    let known = Arc::downgrade(&service);
    let asked = known.clone();
    sessions.add_session_source(Arc::new(move || asked.upgrade().map(|it| clients_of(&it)).unwrap_or_default()));
    advantage.tell(Arc::new(move || known.upgrade().map(|service| service.activity()).unwrap_or_default()));
    let advantage: Arc<dyn Sql> = Arc::new(advantage);
    service.serve_sql(Arc::new(Served(Arc::clone(&advantage))));
    install_sql(advantage);
    service.serve_dictionaries(Arc::new(ServedDictionaries(Arc::clone(files))));
    Ok(NavigatorDoor::new(service))
}

/// The remote ACE clients, as lists of all sessions have them.
fn clients_of(service: &Service) -> Vec<SessionInfo> {
    let info = |client: mainstay_navigator::server::Connected| SessionInfo {
        door: "navigator",
        number: client.person.connection,
        user: client.person.user,
        program: client.person.application,
        machine: client.person.address,
        since: client.since,
        locks: client.locks.into_iter().map(|(table, record, since)| RecordLock { table, record, since }).collect(),
        transaction: None,
    };
    service.connected().into_iter().map(info).collect()
}

/// Opens the door for browsers. Without users the log has an address that lets the administrator in once.
fn open_console(
    server: &Server,
    (address, config): (SocketAddr, &Config),
    users: Arc<Users>,
    database: &Database,
    folder: &Path,
) -> Result<()> {
    let shop = Shop::open(database, folder)?.with_memory(Some(config.program_memory_bytes));
    let is_without_users = users.current().is_empty();
    let known = Arc::new(FolderUsers::new(Arc::clone(&users)));
    let settings =
        mainstay_console::Config { hosts: config.console_hosts.clone(), ..mainstay_console::Config::default() };
    let console = Console::new(settings, known, Arc::new(BrowserPrograms::new(shop, users, database.clone())))?;
    let secret = if is_without_users { Some(console.invitation("administrator")?) } else { None };
    let address = server.open(address, ConsoleDoor::new(console)).map_err(|error| error.at("console"))?;
    if let Some(secret) = secret {
        let scheme = if config.encryption == Encryption::Required { "https" } else { "http" };
        let invitation = format!("{scheme}://localhost:{}/programs/#invitation={secret}", address.port());
        log_event(Box::new(io::stderr()), "invitation", &[("address", &invitation)]);
        if io::stderr().is_terminal() {
            // A terminal that is gone needs no address.
            let _ = writeln!(
                io::stderr(),
                "\nOpen this address in a browser; it logs in once, within ten minutes:\n\n    {invitation}\n"
            );
        }
    }
    Ok(())
}

/// The door for Informix clients, whose database has the name of the folder.
///
/// Errors: a folder of further databases that is not below the served one.
fn informix_door(
    config: &Config,
    database: Database,
    folder: &Path,
    (files, options): (&Arc<dyn FileSystem>, &Options),
) -> Result<SqliDoor> {
    let name = folder.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let names = (name.as_str(), config.name.as_str(), config.sqli_version.as_str());
    let informix = match &config.sqli_databases {
        None => Informix::new(database, names.0, names.1, names.2),
        Some(further) => {
            let is_below = further.components().all(|part| matches!(part, Component::Normal(_)));
            if !is_below || further.as_os_str().is_empty() {
                let text = "sqli_databases names a folder below the served one, such as \"databases\"";
                return Err(Error::new(Code::InvalidSetting, text).at("mainstay.toml"));
            }
            Informix::with_databases(database, names, (Arc::clone(files), folder.join(further)), options.clone())
        }
    };
    Ok(SqliDoor::new(Arc::new(informix)))
}

/// Has the allocator hand memory back to the system that has not been used for a while. It does so in passing, when a long
/// piece is freed, of one region of a gigabyte at a time: a server with nothing to do frees none, and would keep all that
/// its busiest minute took.
fn give_memory_back() {
    const PAUSE: Duration = Duration::from_secs(5);
    const REGIONS: usize = 16;
    loop {
        std::thread::sleep(PAUSE);
        (0..REGIONS).for_each(|_| drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 20))));
    }
}

/// Sleeps until SIGTERM, SIGINT or SIGHUP.
fn wait_for_signal() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) {
        let _ = signals.forever().next();
    }
}
