//! The `mainstay` command.
//!
//! ```text
//!  arguments ----> script (-c, -f, standard input) --.
//!            \                                        >--> shell --> session --> output/*
//!             `--> prompt (interactive) -------------'       |
//!                                                         commands (.tables, \d, USE, BROWSE, ...)
//! ```
//!
//! The command contains no semantics of SQL: it cuts text into statements, passes them to a session of the engine, and
//! writes the answers. It adds the parts for users: the prompt, the formats, errors with their place, the progress bar,
//! and xBase commands.
//!
//! **Invariants.** Results go to standard output (or a file), everything else to standard error. A broken pipe ends the
//! command without a message. Each way to end has its own exit code, listed by `--help`.

extern crate mainstay_ace as ace;

mod arguments;
mod assess;
mod backup;
mod basic;
mod bench;
mod check;
mod commands;
mod csv_arguments;
mod errors;
mod exit;
#[cfg(test)]
mod golden;
mod informix;
mod interrupt;
mod output;
mod parameters;
mod progress;
mod prompt;
mod remote;
mod script;
mod serve;
mod shell;
mod tokens;
mod tsql;
mod users;
mod who;

use arguments::{Action, Arguments, FindingFormat, Script};
use errors::{Failure, Origin};
use exit::Exit;
use mainstay_engine::{Database, Options};
use mainstay_tds_client::Address;
use mainstay_types::{Code, Error};
use mainstay_vfs::{Disk, FileSystem};
use output::Format;
use remote::Remote;
use serve::Addresses;
use shell::{Conduct, Flow, Look, Shell};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Rows of a table that are shown at the prompt, until `.rows` says otherwise.
const ROWS_AT_PROMPT: usize = 40;

/// Makes the functions of all dialects known, and the rules of records: views and tables of a folder contain them, whatever language
/// reads them.
fn register_dialects() {
    mainstay_tsql_planner::register();
    mainstay_ads_planner::register();
    mainstay_informix_planner::register();
    mainstay_basic_database::register();
}

/// Runs the command with the arguments of the process.
pub fn run() -> ExitCode {
    register_dialects();
    let (mut arguments, scripts) = arguments::parse();
    interrupt::outlive_long_files();
    match arguments.action.take() {
        Some(Action::Bench { arguments }) => bench::run(arguments),
        Some(Action::Check { paths, recursive, verbose, repair, into, replace, format, engine }) => match format {
            FindingFormat::Text => {
                let wishes = check::Wishes { recursive, verbose, repair, into: into.as_deref(), replace };
                check::run(&paths, &engine, wishes).into()
            }
            FindingFormat::Json => check::run_as_json(&paths, &engine, recursive).into(),
        },
        Some(Action::Assess { paths, json, html, dialect }) => {
            assess::run(&paths, json.as_deref(), html.as_deref(), dialect).into()
        }
        Some(Action::Backup { folder, file, native_only, wait }) => {
            backup::run(&folder, &file, native_only, wait.unwrap_or(backup::WAIT)).into()
        }
        Some(Action::Restore { file, folder, .. }) => backup::restore(&file, folder.as_deref()).into(),
        Some(Action::Who { folder }) => who::run(&folder).into(),
        Some(Action::User { folder, action }) => users::run(&folder, &action).into(),
        Some(Action::Serve { path, tds, http, navigator, sqli, console, script_codepage, program_memory, engine }) => {
            let programs = program_memory;
            serve::run(path, &Addresses { tds, http, navigator, sqli, console }, script_codepage, programs, &engine)
                .into()
        }
        Some(Action::Run { file, folder, program_memory, engine, console, arguments }) => {
            let program = basic::Start { file: &file, folder, memory_bytes: program_memory, console };
            basic::run(program, arguments, &engine)
        }
        Some(Action::Import { folder, descriptions, replace, engine }) => {
            basic::import(&folder, &descriptions, replace, &engine)
        }
        Some(Action::Basic { folder, program_memory, engine }) => basic::basic(&folder, program_memory, &engine),
        None => query(&arguments, &scripts).into(),
    }
}

/// Opens the database and runs what there is to run.
fn query(arguments: &Arguments, scripts: &[Script]) -> Exit {
    if let Err(error) = check_output(arguments) {
        complain(&error);
        return Exit::Usage;
    }
    match remote::address_of(arguments.path.as_deref()) {
        Ok(None) => {}
        Ok(Some(address)) => return on_server(&address, arguments, scripts),
        Err(error) => {
            complain(&error);
            return Exit::Usage;
        }
    }
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let options = Options { read_only: arguments.read_only, ..arguments.engine.options() };
    let database = match Database::open_with(&path, options) {
        Ok(database) => database,
        Err(error) => {
            complain(&error);
            return Exit::of_opening(&error);
        }
    };
    database.damage().iter().chain(&database.setting_warnings()).for_each(warn);
    let interactive = scripts.is_empty() && io::stdin().is_terminal();
    let owner = match database.is_native_elsewhere() && !arguments.read_only {
        true => remote::found::server_of(database.path()),
        false => None,
    };
    if let Some(owner) = owner.as_ref().filter(|_| (interactive || arguments.tsql) && !arguments.informix) {
        say(&format!("{}: a server has its native tables open, and this is a client of it", path.display()));
        return on_server(owner, arguments, scripts);
    }
    // A server that has the folder open knows who has locked what.
    let folder = database.path().to_owned();
    database.add_session_source(Arc::new(move || who::ask(&folder).unwrap_or_default()));
    if arguments.tsql {
        return tsql::run(database, &path, scripts, arguments);
    }
    if arguments.informix {
        return informix::run(database, &path, scripts, arguments);
    }
    interrupt::install();
    let mut shell = Shell::new(database, look(arguments, interactive), conduct(arguments, interactive));
    shell.parameters = arguments.parameters.iter().map(|argument| parameters::value(argument)).collect();
    shell.owner = owner;
    let done = start(&mut shell, arguments, scripts, &path);
    end(shell, done)
}

/// Runs what there is to run on a server.
fn on_server(address: &Address, arguments: &Arguments, scripts: &[Script]) -> Exit {
    let refused = [
        (arguments.informix, "--informix", "a server is spoken to in T-SQL"),
        (arguments.read_only, "--read-only", "the rights on a server are those of the user"),
        (!arguments.variables.is_empty(), "--variable", "variables are for --tsql and a folder"),
    ];
    if let Some((_, flag, hint)) = refused.iter().find(|(is_given, ..)| *is_given) {
        complain(&Error::new(Code::Unsupported, format!("{flag} is for a folder, and this is a server")).hint(*hint));
        return Exit::Usage;
    }
    // The shell keeps an empty database for what it asks of one.
    let connected = Remote::connect(address)
        .and_then(|remote| Ok((remote, Database::open_with(Path::new(":memory:"), Options::default())?)));
    let (mut remote, database) = match connected {
        Ok(connected) => connected,
        Err(error) => {
            complain(&error);
            return Exit::CannotOpen;
        }
    };
    remote.limit_to(arguments.engine.timeout);
    remote.limit_rows_to(arguments.engine.memory_limit);
    interrupt::install();
    let interactive = scripts.is_empty() && io::stdin().is_terminal();
    let mut shell = Shell::new(database, look(arguments, interactive), conduct(arguments, interactive));
    shell.parameters = arguments.parameters.iter().map(|argument| parameters::value(argument)).collect();
    let name = if remote.database.is_empty() { "server".to_owned() } else { remote.database.clone() };
    (shell.remote, shell.is_all_remote) = (Some(remote), true);
    let done = start(&mut shell, arguments, scripts, Path::new(&name));
    end(shell, done)
}

/// Tells a person something on standard error.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Refuses an output file if neither its name nor an option determines the format. T-SQL has one format.
fn check_output(arguments: &Arguments) -> Result<(), Error> {
    arguments.output.csv.style().check().map_err(|message| Error::new(Code::InvalidSetting, message))?;
    match &arguments.output.output {
        Some(file)
            if arguments.output.format.is_none()
                && !arguments.tsql
                && !arguments.informix
                && output::is_name_of_file(file) =>
        {
            Format::for_file(file).map(drop)
        }
        _ => Ok(()),
    }
}

fn look(arguments: &Arguments, interactive: bool) -> Look {
    let output = &arguments.output;
    let at_prompt = (interactive && output.output.is_none()).then_some(ROWS_AT_PROMPT);
    Look {
        format: output.format.unwrap_or(Format::Table),
        is_chosen: output.format.is_some(),
        expanded: false,
        header: !output.no_header,
        null: output.null.clone(),
        max_rows: output.max_rows.or(at_prompt),
        csv: output.csv.style(),
    }
}

fn conduct(arguments: &Arguments, interactive: bool) -> Conduct {
    Conduct {
        timer: arguments.timer,
        echo: arguments.echo,
        continue_on_error: arguments.continue_on_error,
        interactive,
    }
}

/// Runs the scripts, standard input, or the prompt.
fn start(shell: &mut Shell, arguments: &Arguments, scripts: &[Script], path: &Path) -> Result<Flow, Failure> {
    if let Some(file) = &arguments.output.output {
        let opened = shell.write_to(file, arguments.output.format);
        opened.map_err(|failure| shell.report(failure, "", &Origin::default()))?;
    }
    // The statements of the user's own file are for folders.
    let takes_settings = shell.conduct.interactive && !shell.is_all_remote;
    if let Some(file) = init_file(arguments, takes_settings)
        && let Flow::Quit = run_file(shell, &file)?
    {
        return Ok(Flow::Quit);
    }
    let can_edit = std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
    if shell.conduct.interactive && can_edit {
        return prompt::run(shell, path).map(|()| Flow::Quit);
    }
    if scripts.is_empty() {
        return script::run_stream(shell, io::stdin().lock());
    }
    let mut failed = false;
    for script in scripts {
        match run_script(shell, script) {
            Ok(Flow::Continue) => {}
            Err(Failure::Reported) if shell.goes_on() => failed = true,
            other => return other,
        }
    }
    if failed { Err(Failure::Reported) } else { Ok(Flow::Continue) }
}

/// The file that is run before everything else: the one that is named, or at the prompt that of the user's settings (XDG Base
/// Directory Specification).
fn init_file(arguments: &Arguments, interactive: bool) -> Option<PathBuf> {
    if arguments.init.is_some() || !interactive {
        return arguments.init.clone();
    }
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let settings = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).and_then(absolute);
    let folder = settings.or_else(|| std::env::home_dir().map(|home| home.join(".config")))?;
    let file = folder.join("mainstay").join("init.sql");
    Disk.stamp(&file).is_ok().then_some(file)
}

fn run_script(shell: &mut Shell, script: &Script) -> Result<Flow, Failure> {
    match script {
        Script::Text(text) => script::run(shell, text, &Origin::default()),
        Script::File(path) if path.as_os_str() == "-" => match script::read_stdin() {
            Ok(text) => script::run(shell, &text, &Origin::default()),
            Err(error) => Err(shell.report(error.into(), "", &Origin::default())),
        },
        Script::File(path) => run_file(shell, path),
    }
}

/// Runs the statements and commands in a file.
fn run_file(shell: &mut Shell, path: &Path) -> Result<Flow, Failure> {
    let origin = Origin { name: Some(path.display().to_string()), ..Origin::default() };
    match script::read_file(path) {
        Ok(text) => script::run(shell, &text, &origin),
        Err(error) => Err(shell.report(error.into(), "", &origin)),
    }
}

/// Finishes the output and chooses the exit code.
fn end(mut shell: Shell, done: Result<Flow, Failure>) -> Exit {
    let closed =
        |failure: &Failure| matches!(failure, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe);
    let failed_before = match done {
        Ok(_) => false,
        Err(failure) if closed(&failure) => return shell.exit(),
        Err(failure) => {
            shell.report(failure, "", &Origin::default());
            true
        }
    };
    if failed_before && !shell.conduct.continue_on_error && !shell.conduct.interactive {
        // An incomplete file is dropped.
        return shell.exit().max(Exit::StatementFailed);
    }
    match shell.finish_output() {
        Ok(()) => {}
        Err(failure) if closed(&failure) => {}
        Err(failure) => drop(shell.report(failure, "", &Origin::default())),
    }
    if shell.conduct.interactive { Exit::Success } else { shell.exit() }
}

/// Says that native tables, or some of them, cannot be used; everything else can.
fn warn(damage: &Error) {
    let _ = writeln!(io::stderr(), "warning: {damage}");
}

/// Shows an error that belongs to no statement.
fn complain(error: &Error) {
    let _ = write!(io::stderr(), "{}", errors::render(error, "", &Origin::default(), shell::colour()));
}
