//! PostgreSQL beside the procedures: the same work in PL/pgSQL, in a server of the run's own.
//!
//! The calls are a loop in the server, so that neither side pays for a connection: Mainstay's are in process. A call of a function
//! is a PERFORM, which runs its SELECT as a statement of a client; what commits is a procedure, and each call is a transaction with
//! `synchronous_commit = off`, which waits for no disk. The procedures that are nested or give several results have no counterpart.
//!
//! The programs are those of `MAINSTAY_BENCH_POSTGRES` (the folder of `initdb`), or Debian's newest. PostgreSQL refuses to run as
//! root; it is then the user `postgres`.

use super::procedures::{PROCEDURES, Procedure};
use super::{CALLS, measured};
use crate::scratch::Scratch;
use crate::suite::{Judgement, Measured, System};
use mainstay_vfs::{Disk, FileSystem};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const ROUTINES: &str = include_str!("postgres.sql");
const FOLDERS: &str = "/usr/lib/postgresql";
const SETTING: &str = "MAINSTAY_BENCH_POSTGRES";

/// A server, which ends when this is dropped.
pub(super) struct Postgres {
    server: Child,
    /// Ends it in an instant: its files go with it.
    stop: Command,
    client: PathBuf,
    port: u16,
    version: String,
    /// Its files, which go after the server.
    _scratch: Scratch,
}

/// The call of a routine, as a statement that gives its rows, and as one of a loop in PL/pgSQL.
struct Call {
    shown: String,
    in_loop: String,
}

/// `None` for procedures without a counterpart.
fn call_of(procedure: &Procedure) -> Option<Call> {
    let function =
        |call: &str| Some(Call { shown: format!("SELECT * FROM {call}"), in_loop: format!("PERFORM * FROM {call}") });
    let routine =
        |shown: &str, in_loop: &str| Some(Call { shown: format!("CALL {shown}"), in_loop: format!("CALL {in_loop}") });
    match procedure.key {
        "simple_select" => function("simple_select()"),
        "select_with_params" => function("select_with_params(20, 22, 'abc')"),
        "arithmetic" => function("arithmetic(10)"),
        "control_flow" => function("control_flow(35)"),
        "while_10" => function("while_loop(10)"),
        "while_100" => function("while_loop(100)"),
        "while_1000" => function("while_loop(1000)"),
        "table_insert" => routine("table_insert(1, 2, 'abc')", "table_insert(1, 2, 'abc')"),
        "table_select" => function("table_select(500, 600)"),
        "table_select_aggregate" => function("table_select_aggregate()"),
        "temp_table" => function("temp_table()"),
        "transaction" => routine("transaction1(NULL)", "transaction1(number)"),
        "complex_procedure" => routine("complex_procedure(1, 3, NULL)", "complex_procedure(1, 3, amount)"),
        "string_operations" => function("string_operations('Mainstay')"),
        "case_expression" => function("case_expression(50)"),
        _ => None,
    }
}

/// The table that a procedure fills, which is emptied before each run.
fn filled(procedure: &Procedure) -> Option<&'static str> {
    match procedure.key {
        "table_insert" => Some("target"),
        "transaction" => Some("accounts"),
        "complex_procedure" => Some("order_lines"),
        _ => None,
    }
}

/// The rows of a procedure as psql writes them: fields with bars between them, each row a line.
fn expected(procedure: &Procedure) -> String {
    procedure.answer.replace('\'', "").replace(',', "|").replace(';', "\n")
}

impl Postgres {
    /// Starts a server over an empty folder and makes tables and routines.
    ///
    /// Errors: the reason why it takes no part.
    pub(super) fn start() -> Result<Postgres, String> {
        let programs = programs()?;
        let scratch = Scratch::new().map_err(|error| error.to_string())?;
        let folder = scratch.folder("postgres").map_err(|error| error.to_string())?;
        let is_root = is_root();
        if is_root {
            succeeded(Command::new("chown").arg("postgres").arg(&folder))?;
            succeeded(Command::new("chmod").arg("755").arg(scratch.path("")))?;
        }
        let program = |name: &str| {
            let path = programs.join(name);
            let mut command = match is_root {
                true => Command::new("setpriv"),
                false => Command::new(&path),
            };
            if is_root {
                command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(&path);
            }
            command.current_dir(&folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        let data = folder.join("data");
        succeeded(program("initdb").arg("-D").arg(&data).args(["-A", "trust", "-U", "bench", "-E", "UTF8"]))?;
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).map_err(|e| e.to_string())?.port();
        let settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "synchronous_commit=off"];
        let mut server = program("postgres");
        server.arg("-D").arg(&data).args(["-c", &format!("port={port}")]);
        server.args(settings.iter().flat_map(|setting| ["-c", setting]));
        let server = server.spawn().map_err(|error| format!("postgres does not start: {error}"))?;
        let mut stop = program("pg_ctl");
        stop.arg("-D").arg(&data).args(["stop", "-m", "immediate"]);
        let client =
            Some(programs.join("psql")).filter(|path| Disk.stamp(path).is_ok()).unwrap_or_else(|| "psql".into());
        let mut started = Postgres { server, stop, client, port, version: String::new(), _scratch: scratch };
        started.wait()?;
        started.version = started.asked("SHOW server_version")?.0.trim().to_owned();
        started.asked(ROUTINES)?;
        Ok(started)
    }

    fn wait(&self) -> Result<(), String> {
        let mut reason = String::new();
        for _ in 0..100 {
            match self.asked("SELECT 1") {
                Ok(_) => return Ok(()),
                Err(error) => reason = error,
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err(reason)
    }

    /// Runs a script; its rows, and its notices.
    fn asked(&self, script: &str) -> Result<(String, String), String> {
        let port = self.port.to_string();
        let mut command = Command::new(&self.client);
        command.args([
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            "127.0.0.1",
            "-U",
            "bench",
            "-d",
            "postgres",
        ]);
        command.args(["-p", &port, "-f", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("psql does not start: {error}"))?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(script.as_bytes()).map_err(|error| error.to_string())?;
        }
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        let [rows, notices] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        if output.status.success() { Ok((rows, notices)) } else { Err(notices) }
    }

    fn times(&self, procedure: &Procedure, call: &Call, repeats: usize) -> Result<Vec<Duration>, Judgement> {
        let empty = filled(procedure).map_or(String::new(), |table| format!("TRUNCATE TABLE {table};"));
        let (rows, _) = self.asked(&format!("{empty} {}", call.shown)).map_err(Judgement::Failed)?;
        let wanted = expected(procedure);
        if rows.trim_end() != wanted.trim_end() {
            return Err(Judgement::Wrong(format!("{rows} and not {wanted}")));
        }
        let script = format!(
            "DO $$ DECLARE begun timestamptz; number int; amount numeric; BEGIN FOR run IN 0..{repeats} LOOP {empty} COMMIT; \
             begun := clock_timestamp(); FOR i IN 1..{CALLS} LOOP {}; END LOOP; \
             RAISE NOTICE 'took %', EXTRACT(EPOCH FROM clock_timestamp() - begun) * 1e6; END LOOP; END $$",
            call.in_loop
        );
        let (_, notices) = self.asked(&script).map_err(Judgement::Failed)?;
        let microseconds = notices.lines().filter_map(|line| line.split_once("took ")?.1.trim().parse::<f64>().ok());
        // The first run makes the plans.
        Ok(microseconds.skip(1).map(|time| Duration::from_secs_f64(time / 1e6)).collect())
    }
}

/// The folder of PostgreSQL's programs.
fn programs() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os(SETTING) {
        return Ok(named.into());
    }
    let version = |path: &Path| path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
    let folders = Disk.list(Path::new(FOLDERS)).unwrap_or_default();
    let newest = folders.iter().filter_map(|entry| Some((version(&entry.path)?, entry.path.join("bin")))).max();
    newest.map(|(_, folder)| folder).ok_or(format!("it is not installed ({SETTING} names the folder of its programs)"))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn succeeded(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program}: {status}")),
        Err(error) => Err(format!("{program}: {error}")),
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A server that does not stop is killed, with files left in the temporary folder.
        if succeeded(&mut self.stop).is_err() {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}

impl System for Postgres {
    fn name(&self) -> &str {
        "PostgreSQL"
    }

    fn description(&self) -> String {
        format!(
            "PostgreSQL {}, the procedures in PL/pgSQL, called in a loop of the server; synchronous_commit = off",
            self.version
        )
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let procedure = PROCEDURES.get(row)?;
        let call = call_of(procedure)?;
        Some(measured(self.times(procedure, &call, repeats)))
    }
}
