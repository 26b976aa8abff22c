//! The command line. Every flag is defined here and nowhere else; `mainstay --help` is generated from it.

use crate::csv_arguments::Csv;
use crate::exit::Exit;
use crate::output::Format;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use mainstay_engine::{Durability, Options};
use mainstay_tsql_runtime::CodePage;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  mainstay shop                       open the folder and type statements
  mainstay shop/customers.dbf         open one file; its table is called customers
  mainstay shop -c \"SELECT city, COUNT(*) FROM customers GROUP BY city\"
  mainstay shop -f month.sql --format csv --output month.csv
  echo \"SELECT * FROM orders\" | mainstay shop --format ndjson
  mainstay check shop                 look for damage in every file
  mainstay check shop/programs        list what is wrong or not supported in Business BASIC programs
  mainstay assess shop scripts.sql    say what keeps an application from moving here
  mainstay check shop --repair        make damaged tables anew, in shop/repaired
  mainstay backup shop shop.bak       copy all files and tables of shop into one file
  mainstay tds://ann@db:1433/shop     the same prompt on a running server, in T-SQL
  mainstay restore shop.bak new       make a folder of such a file
  mainstay user add ann --folder shop make a user of the server of shop
  mainstay who shop                   list who works with shop, and what is locked
  mainstay run shop/programs/menu.bas run a Business BASIC program over the files of shop
  mainstay bench xbase                measure this machine

Every DBF, ADT, CSV and Parquet file of the folder is a table named after the file. Nothing is
imported: INSERT, UPDATE and DELETE change DBF and ADT files where they are; the others are only
read. CREATE TABLE makes tables of its own beside them, in .mainstay.";

const TEMPLATE: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}\n";

/// Answers SQL over a folder of DBF, ADT, CSV and Parquet files, in place
#[derive(Debug, Parser)]
#[command(
    name = "mainstay",
    bin_name = "mainstay",
    version,
    before_help = EXAMPLES,
    help_template = TEMPLATE,
    args_conflicts_with_subcommands = true,
    subcommand_help_heading = "Other commands",
    max_term_width = 100
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) action: Option<Action>,

    /// The folder to open, or one file, or a server: tds://USER@HOST:PORT/DATABASE?encrypt=on|off|strict&trust=FILE|yes
    /// [default: the current folder]
    #[arg(value_name = "FOLDER|FILE|SERVER")]
    pub(crate) path: Option<PathBuf>,

    /// Run these statements, then end; may be given more than once
    #[arg(short, long, value_name = "SQL", help_heading = "Statements")]
    pub(crate) command: Vec<String>,

    /// Run the statements in this file (- for standard input), then end; -c and -f run in their order
    #[arg(short, long, value_name = "FILE", help_heading = "Statements")]
    pub(crate) file: Vec<PathBuf>,

    /// Read them as T-SQL, in batches that end at lines with GO; .explain NAME shows what a procedure is compiled to
    #[arg(
        long,
        help_heading = "Statements",
        conflicts_with_all = ["format", "no_header", "null", "max_rows", "echo", "timer"]
    )]
    pub(crate) tsql: bool,

    /// Read them as Informix SQL, as dbaccess does, with LOAD and UNLOAD
    #[arg(
        long,
        help_heading = "Statements",
        conflicts_with_all = ["tsql", "format", "no_header", "null", "max_rows", "echo", "timer"]
    )]
    pub(crate) informix: bool,

    /// Print the definitions of the database, or of this table, as a script of Informix SQL
    #[arg(
        long,
        value_name = "TABLE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        requires = "informix",
        conflicts_with_all = ["command", "file"],
        help_heading = "Statements"
    )]
    pub(crate) schema: Option<String>,

    /// A variable of T-SQL scripts, which $(NAME) stands for; scripts set others with :setvar
    #[arg(short = 'v', long = "variable", value_name = "NAME=VALUE", requires = "tsql", help_heading = "Statements")]
    pub(crate) variables: Vec<String>,

    /// The code page of T-SQL scripts and procedures without a byte order mark, such as 850 or 1251 [default: UTF-8, else
    /// 1252]
    #[arg(
        long,
        value_name = "NUMBER",
        value_parser = parse_script_page,
        requires = "tsql",
        help_heading = "Statements"
    )]
    pub(crate) script_codepage: Option<CodePage>,

    /// A value that statements name $1, the next one $2 and so on (@p1, @p2 on a server); may be given more than once.
    /// text:VALUE is a text in any case
    #[arg(
        long = "param",
        value_name = "VALUE",
        allow_hyphen_values = true,
        conflicts_with = "tsql",
        help_heading = "Statements"
    )]
    pub(crate) parameters: Vec<String>,

    /// Run this file before everything else [default: ~/.config/mainstay/init.sql at the prompt, if it is there]
    #[arg(long, value_name = "FILE", conflicts_with = "tsql", help_heading = "Statements")]
    pub(crate) init: Option<PathBuf>,

    /// Let statements change nothing but temporary tables
    #[arg(long, help_heading = "Statements")]
    pub(crate) read_only: bool,

    /// Go on after a statement that failed; the exit code still says that one did
    #[arg(long, help_heading = "Statements")]
    pub(crate) continue_on_error: bool,

    /// Print each statement before its result
    #[arg(long, help_heading = "Statements")]
    pub(crate) echo: bool,

    /// Print how long each statement took
    #[arg(long, help_heading = "Statements")]
    pub(crate) timer: bool,

    #[command(flatten)]
    pub(crate) output: Output,

    #[command(flatten)]
    pub(crate) engine: Engine,
}

/// How results are written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
pub(crate) struct Output {
    /// How results are written [default: as the ending of --output says, or table]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,

    /// Write results to this file instead of the screen
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Leave out the names of the columns (table, csv, tsv)
    #[arg(long)]
    pub(crate) no_header: bool,

    /// The text for NULL (table, csv, tsv, markdown, line)
    #[arg(long, value_name = "TEXT")]
    pub(crate) null: Option<String>,

    /// Show at most this many rows of a table, the first and the last ones
    #[arg(long, value_name = "ROWS")]
    pub(crate) max_rows: Option<usize>,

    #[command(flatten)]
    pub(crate) csv: Csv,
}

/// How the data is read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct Engine {
    /// The code page of xBase files, whatever their own byte says, such as 437, 850, 852, 866, 1250, 1252
    #[arg(long, value_name = "NAME")]
    pub(crate) codepage: Option<String>,

    /// Show deleted records of xBase tables too
    #[arg(long)]
    pub(crate) show_deleted: bool,

    /// Memory that statements may use, such as 512MB or 4GB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory_limit: Option<u64>,

    /// Cancel a statement, or a batch of T-SQL, that runs longer, such as 500ms, 30s or 5m; not a program of
    /// Business BASIC
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) timeout: Option<Duration>,

    /// The event that a commit of native tables waits for: full (on the disk), os (with the system) or none [default: full]
    #[arg(long, value_name = "HOW", value_parser = str::parse::<Durability>)]
    pub(crate) durability: Option<Durability>,

    /// Read what is left of damaged tables in .mainstay, and change nothing in there
    #[arg(long)]
    pub(crate) salvage: bool,

    /// Threads that a statement may use [default: one for each core]
    #[arg(long, value_name = "NUMBER", value_parser = parse_threads)]
    pub(crate) threads: Option<usize>,
}

impl Engine {
    /// The options as the engine takes them.
    pub(crate) fn options(&self) -> Options {
        Options {
            code_page: self.codepage.clone(),
            memory_limit_bytes: self.memory_limit,
            threads: self.threads,
            durability: self.durability,
            statement_timeout: self.timeout,
            show_deleted: self.show_deleted,
            salvage: self.salvage,
            ..Options::default()
        }
    }
}

/// How `check` writes findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FindingFormat {
    /// A finding a line.
    Text,
    /// One JSON object.
    Json,
}

/// The dialect of the scripts that `assess` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ScriptDialect {
    /// For each script the dialect whose parser reads most of it.
    Auto,
    /// T-SQL.
    Tsql,
    /// Advantage SQL.
    Ads,
    /// Informix SQL and SPL.
    Informix,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Look for damage in files or in all files of a folder, and for errors and items that are not supported in Business
    /// BASIC programs, and report every finding
    Check {
        /// Files and folders
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,

        /// Look at the tables of all folders below, too
        #[arg(short, long)]
        recursive: bool,

        /// Show every finding, and not a few of each kind
        #[arg(long)]
        verbose: bool,

        /// Make each damaged DBF or ADT table, and each whose indexes do not agree with it or are missing, anew in the folder
        /// `repaired` beside it. The old files stay, and what is lost is told
        #[arg(long)]
        repair: bool,

        /// Put the new files of --repair into this folder
        #[arg(long, value_name = "FOLDER", requires = "repair")]
        into: Option<PathBuf>,

        /// Put the new files in the place of the old ones, which go to a folder with the date in its name
        #[arg(long, requires = "repair", conflicts_with = "into")]
        replace: bool,

        /// How findings are written: text or json
        #[arg(
            long,
            value_enum,
            hide_possible_values = true,
            value_name = "FORMAT",
            default_value = "text",
            hide_default_value = true,
            conflicts_with = "repair"
        )]
        format: FindingFormat,

        #[command(flatten)]
        engine: Engine,
    },
    /// Assess an application before it moves: an inventory of its tables, and what its scripts and programs use that is not
    /// supported here, ignored, or different
    Assess {
        /// Folders, tables, scripts, programs, SQL Server project files
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,

        /// Write the report as JSON to this file, too (- for standard output, in place of the text)
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,

        /// Write the report as one page of HTML to this file, too
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,

        /// The dialect of the scripts: auto, tsql, ads or informix
        #[arg(
            long,
            value_enum,
            hide_possible_values = true,
            value_name = "DIALECT",
            default_value = "auto",
            hide_default_value = true
        )]
        dialect: ScriptDialect,
    },
    /// Copy everything that a folder is into one file, while programs that share it go on: DBF, ADT, CSV and Parquet
    /// files, native tables, procedures, programs and settings
    Backup {
        /// The folder
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,

        /// The file, which replaces an earlier backup of its name
        #[arg(value_name = "FILE")]
        file: PathBuf,

        /// Copy the native tables alone
        #[arg(long)]
        native_only: bool,

        /// Wait this long for the locks of each DBF or ADT table, such as 30s or 10m [default: 30s]
        #[arg(long, value_name = "TIME", value_parser = parse_time)]
        wait: Option<Duration>,
    },
    /// Verify a backup and make a folder of it
    Restore {
        /// The backup
        file: PathBuf,

        /// The folder: a new one, or one that has none of the backup's files
        #[arg(value_name = "FOLDER", required_unless_present = "verify")]
        folder: Option<PathBuf>,

        /// Verify the backup and list its files, and write nothing
        #[arg(long, conflicts_with = "folder")]
        verify: bool,
    },
    /// List the sessions and locks of the server that has a folder open, and the processes that have files of it open
    Who {
        /// The folder
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// The users who may log in at `mainstay serve`, in the folder's mainstay.toml
    User {
        /// The folder [default: the current folder]
        #[arg(long, value_name = "FOLDER", global = true, default_value = ".", hide_default_value = true)]
        folder: PathBuf,

        #[command(subcommand)]
        action: UserAction,
    },
    /// Open the folder for SQL Server's clients, until SIGTERM or Ctrl-C; [server] of mainstay.toml has more settings
    Serve {
        /// The folder [default: the current folder]
        #[arg(value_name = "FOLDER")]
        path: Option<PathBuf>,

        /// The address for SQL Server's clients (TDS) [default: 127.0.0.1:1433]
        #[arg(long, value_name = "ADDRESS:PORT")]
        tds: Option<std::net::SocketAddr>,

        /// The address for metrics and health
        #[arg(long, value_name = "ADDRESS:PORT")]
        http: Option<std::net::SocketAddr>,

        /// The address for remote ACE clients (tcp://host:port/)
        #[arg(long, value_name = "ADDRESS:PORT")]
        navigator: Option<std::net::SocketAddr>,

        /// The address for Informix clients (SQLI)
        #[arg(long, value_name = "ADDRESS:PORT")]
        sqli: Option<std::net::SocketAddr>,

        /// The address for browsers that run the programs in the folder `programs`
        #[arg(long, value_name = "ADDRESS:PORT")]
        console: Option<std::net::SocketAddr>,

        /// The code page of procedures in files without a byte order mark, such as 850 or 1251 [default: UTF-8, else 1252]
        #[arg(long, value_name = "NUMBER", value_parser = parse_script_page)]
        script_codepage: Option<CodePage>,

        /// Memory that a Business BASIC program may hold, such as 512MB [default: that of the settings, or 1GB]
        #[arg(long, value_name = "SIZE", value_parser = parse_size)]
        program_memory: Option<u64>,

        #[command(flatten)]
        engine: Engine,
    },
    /// Run a Business BASIC program
    Run {
        /// The program: text in lines with or without numbers
        #[arg(value_name = "FILE")]
        file: PathBuf,

        /// The folder of its files [default: the database that the program is in]
        #[arg(long, value_name = "FOLDER")]
        folder: Option<PathBuf>,

        /// Memory that a Business BASIC program may hold, such as 512MB [default: 1GB]
        #[arg(long, value_name = "SIZE", value_parser = parse_size)]
        program_memory: Option<u64>,

        #[command(flatten)]
        engine: Engine,

        /// Stay at a prompt when the program stops by an error or ends; it runs line by line, without a full screen
        #[arg(long)]
        console: bool,

        /// Arguments of the program, which ARG() gives it
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Make keyed files of Business BASIC from text that was exported on another system
    Import {
        /// The folder of the database
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,

        /// Descriptions of exported files (NAME.desc), as the export program writes them
        #[arg(required = true, value_name = "DESCRIPTION")]
        descriptions: Vec<PathBuf>,

        /// Erase a file of the same name first
        #[arg(long)]
        replace: bool,

        #[command(flatten)]
        engine: Engine,
    },
    /// Business BASIC at a prompt: enter, load, run, step and look at programs
    Basic {
        /// The folder of the programs and their files
        #[arg(value_name = "FOLDER", default_value = ".")]
        folder: PathBuf,

        /// Memory that a Business BASIC program may hold, such as 512MB [default: 1GB]
        #[arg(long, value_name = "SIZE", value_parser = parse_size)]
        program_memory: Option<u64>,

        #[command(flatten)]
        engine: Engine,
    },
    /// Measure this machine and compare with published figures; `mainstay bench --help` says more
    #[command(disable_help_flag = true)]
    Bench {
        /// Suites and flags of the benchmark
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "SUITE")]
        arguments: Vec<OsString>,
    },
}

/// An action on users.
#[derive(Debug, Subcommand)]
pub(crate) enum UserAction {
    /// Add a user; the password is asked for, or is the first line of standard input
    Add {
        /// The name; its case does not count
        name: String,

        /// Let the user change nothing but temporary tables
        #[arg(long)]
        read_only: bool,
    },
    /// Change the password of a user
    Passwd {
        /// The name
        name: String,
    },
    /// List the users
    List,
    /// Remove a user
    Remove {
        /// The name
        name: String,
    },
}

/// Statements from the command line, in the order they were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    /// The text itself.
    Text(String),
    /// The file that holds it; `-` is standard input.
    File(PathBuf),
}

/// Reads the command line, or ends the process with what is wrong with it.
pub(crate) fn parse() -> (Arguments, Vec<Script>) {
    match try_parse(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(error) => error.exit(),
    }
}

fn try_parse(words: impl Iterator<Item = OsString>) -> Result<(Arguments, Vec<Script>), clap::Error> {
    let matches = command().try_get_matches_from(words)?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    let scripts = scripts(&matches, &arguments);
    Ok((arguments, scripts))
}

fn command() -> clap::Command {
    let mut after = String::from("Formats:\n");
    for format in <Format as clap::ValueEnum>::value_variants() {
        let Some(value) = clap::ValueEnum::to_possible_value(format) else { continue };
        let _ = writeln!(
            after,
            "  {:<10}{}",
            value.get_name(),
            value.get_help().map(ToString::to_string).unwrap_or_default()
        );
    }
    after.push_str("\nExit codes:\n");
    for (exit, meaning) in Exit::MEANINGS {
        let _ = writeln!(after, "  {:<10}{meaning}", *exit as u8);
    }
    after.push_str("\nAt the prompt, .help lists its commands.");
    Arguments::command().after_help(after)
}

/// `-c` and `-f` in the order in which they stand.
fn scripts(matches: &ArgMatches, arguments: &Arguments) -> Vec<Script> {
    let indices = |name: &str| matches.indices_of(name).into_iter().flatten().collect::<Vec<usize>>();
    let texts = indices("command").into_iter().zip(arguments.command.iter().cloned().map(Script::Text));
    let files = indices("file").into_iter().zip(arguments.file.iter().cloned().map(Script::File));
    let mut all: Vec<(usize, Script)> = texts.chain(files).collect();
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, script)| script).collect()
}

/// The number and the unit after it.
fn number_and_unit(text: &str) -> Option<(f64, String)> {
    let text = text.trim();
    let end = text.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim().to_ascii_lowercase()))
}

fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || "a size is a number with kB, MB, GB or TB (thousands), or KiB, MiB, GiB (of 1,024)".to_owned();
    let (number, unit) = number_and_unit(text).ok_or_else(wrong)?;
    let bytes = match unit.as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    let size = number * bytes;
    if size >= 1.0 && size < u64::MAX as f64 { Ok(size as u64) } else { Err(wrong()) }
}

fn parse_time(text: &str) -> Result<Duration, String> {
    let wrong = || "a time is a number with ms, s, m or h".to_owned();
    let (number, unit) = number_and_unit(text).ok_or_else(wrong)?;
    let seconds = match unit.as_str() {
        "ms" => number / 1e3,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero()).ok_or_else(wrong)
}

fn parse_script_page(text: &str) -> Result<CodePage, String> {
    let known = "437, 850, 874, 932, 936, 949, 950, 1250 to 1258, or 65001 for UTF-8";
    text.parse().ok().and_then(CodePage::from_number).ok_or_else(|| format!("a code page is one of {known}"))
}

fn parse_threads(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|threads| (1..=1024).contains(threads)).ok_or_else(|| "a number from 1 to 1024".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &str) -> Result<(Arguments, Vec<Script>), clap::Error> {
        try_parse(std::iter::once("mainstay").chain(words.split_whitespace()).map(OsString::from))
    }

    #[test]
    fn the_definitions_agree_with_each_other() {
        command().debug_assert();
    }

    #[test]
    fn scripts_keep_their_order() {
        let (arguments, scripts) = parsed("shop -c A -f b.sql -c C").unwrap();
        assert_eq!(arguments.path, Some(PathBuf::from("shop")));
        let text = |text: &str| Script::Text(text.to_owned());
        assert_eq!(scripts, [text("A"), Script::File("b.sql".into()), text("C")]);
    }

    #[test]
    fn bench_takes_its_own_flags() {
        let (arguments, _) = parsed("bench xbase --json out.json --check").unwrap();
        let Some(Action::Bench { arguments }) = arguments.action else { panic!("not bench") };
        assert_eq!(arguments, ["xbase", "--json", "out.json", "--check"]);
        let (arguments, _) = parsed("bench --help").unwrap();
        assert!(matches!(arguments.action, Some(Action::Bench { arguments }) if arguments == ["--help"]));
    }

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!(parse_size("512MB"), Ok(512_000_000));
        assert_eq!(parse_size("1.5 GiB"), Ok(1_610_612_736));
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "x", "0", "-1", "5 apples", "1e9"] {
            assert!(parse_size(wrong).is_err() && parse_time(wrong).is_err(), "{wrong}");
        }
        assert!(parse_time("0ms").is_err() && parse_time("99999999999999999999h").is_err());
    }

    #[test]
    fn the_help_text_is_as_its_golden_file() {
        let help = command().term_width(100).render_help().to_string();
        crate::golden::check("arguments.golden.txt", help.as_bytes());
    }
}
