//! The command line of `mainstay bench`.
//!
//! `--csv` and `--markdown` take a file or, without one, write to standard output in place of the table. The word after
//! them is a file unless it starts with `-` or is the name of a suite; `--csv=FILE` is unambiguous.

use crate::suite::{Settings, Suite};
use crate::xbase::MOST_ROWS;
use std::ffi::OsString;
use std::path::PathBuf;

/// The text of `--help`.
pub const HELP: &str = "\
Reproduces Mainstay's tables of figures on this machine: makes the data, checks every answer, times each
row, and prints minimum, median and maximum beside the published figures and beside every other system
that is installed (SQLite is built in; DuckDB and Polars when python3 can import them).

Usage: mainstay bench [SUITE...] [OPTIONS]

  --only ROW          only rows whose name contains ROW (may be repeated)
  --rows N            rows of the table (default: as published, xbase 100000, cloud 10000; other sizes
                      have no published figures)
  --scale S           the size of the tpch suites in place of --rows: 1 is 6,000,000 lines (default: tpch-parquet
                      and tpch-limit 1, tpch-native and tpch-dbf 0.1)
  --repeats N         the least number of runs of a row (default 7, at least 5)
  --format adt        the rows of xbase over an ADT, beside the DBF in the same run
  --door tds          call the procedures of tsql through a server's door, and not in process
  --no-peers          leave the other systems out
  --check             fail when a row misses its target or is slower than a peer in the same run
  --list              print the suites and their rows
  --json FILE         write everything as JSON
  --csv [FILE]        write the table as CSV
  --markdown [FILE]   write the table as Markdown
  --html FILE         write a page with charts
  -h, --help          print this

The suites tpch-parquet, tpch-native, tpch-dbf and tpch-limit take minutes and run only when they are named; tpch names
all four.

The suites informix and tpch run Python: MAINSTAY_BENCH_PYTHON names the interpreter (default python3) of an environment with
DuckDB for tpch, and for informix with the wheel mainstay_informix, and with informix-driver and pyarrow for their rows.

FILE may be - for standard output. Exit code: 0 in order, 1 a wrong or missing answer (with --check also a
missed target or a faster peer), 2 a mistake in the command line or no way to run.
";

/// Where a form of the table goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// In place of the table on standard output.
    Standard,
    /// To a file.
    File(PathBuf),
}

/// The options of the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The suites asked for; none means all.
    pub suites: Vec<String>,
    /// Parts of names of rows; none means all.
    pub only: Vec<String>,
    /// Rows of the tables; none means the size of each suite.
    pub rows: Option<usize>,
    /// The scale of the suites that have one.
    pub scale: Option<f64>,
    /// The least number of runs of a row.
    pub repeats: usize,
    /// True if other systems run too.
    pub peers: bool,
    /// `--check`.
    pub check: bool,
    /// `--list`.
    pub list: bool,
    /// `--help`.
    pub help: bool,
    /// `--json`.
    pub json: Option<Target>,
    /// `--csv`.
    pub csv: Option<Target>,
    /// `--markdown`.
    pub markdown: Option<Target>,
    /// `--html`.
    pub html: Option<Target>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            suites: Vec::new(),
            only: Vec::new(),
            rows: None,
            scale: None,
            repeats: 7,
            peers: true,
            check: false,
            list: false,
            help: false,
            json: None,
            csv: None,
            markdown: None,
            html: None,
        }
    }
}

impl Options {
    /// Reads the arguments; `suites` are the names that exist. The error is a sentence for the user.
    pub fn parse(arguments: Vec<OsString>, suites: &[&str]) -> Result<Options, String> {
        let mut options = Options::default();
        let (mut through_a_door, mut is_adt) = (false, false);
        let mut words = arguments.into_iter().peekable();
        while let Some(word) = words.next() {
            let word = word.into_string().map_err(|word| format!("not UTF-8: {}", word.display()))?;
            let (name, attached) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(OsString::from(value))),
                _ => (word.as_str(), None),
            };
            let attachable = [
                "--only",
                "--rows",
                "--scale",
                "--repeats",
                "--door",
                "--format",
                "--json",
                "--csv",
                "--markdown",
                "--html",
            ];
            if attached.is_some() && !attachable.contains(&name) {
                return Err(format!("{name} takes no value"));
            }
            let mut value = || attached.clone().or_else(|| words.next()).ok_or(format!("{name} needs a value"));
            match name {
                "--only" => options.only.push(utf8(value()?)?),
                "--rows" => options.rows = Some(number(name, value()?, 1, MOST_ROWS)?),
                "--scale" => options.scale = Some(scale(value()?)?),
                "--repeats" => options.repeats = number(name, value()?, 5, 1_000_000)?,
                "--door" => through_a_door = is_door(&utf8(value()?)?)?,
                "--format" => is_adt = is_advantage(&utf8(value()?)?)?,
                "--no-peers" => options.peers = false,
                "--check" => options.check = true,
                "--list" => options.list = true,
                "-h" | "--help" => options.help = true,
                "--json" => options.json = Some(target(value()?)),
                "--html" => options.html = Some(target(value()?)),
                "--csv" | "--markdown" => {
                    let file = attached.or_else(|| words.next_if(|next| is_file(next, suites)));
                    let target = Some(file.map_or(Target::Standard, target));
                    *(if name == "--csv" { &mut options.csv } else { &mut options.markdown }) = target;
                }
                _ if name.starts_with('-') => return Err(format!("unknown option {name}")),
                _ if suites.contains(&name) => options.suites.push(name.to_owned()),
                _ => return Err(format!("unknown suite {name}; there is {}", suites.join(", "))),
            }
        }
        if is_adt {
            options.suites.retain(|suite| suite != "xbase");
            options.suites.push("adt".to_owned());
        }
        if through_a_door {
            // The suite of the door takes the place of the one that calls in process.
            options.suites.retain(|suite| suite != "tsql");
            options.suites.push("tds".to_owned());
        }
        Ok(options)
    }

    /// The settings of a suite.
    pub fn settings(&self, suite: &dyn Suite) -> Settings {
        let about = suite.about();
        let scaled = self.scale.zip(about.rows_of_scale_1).map(|(scale, rows)| (scale * rows as f64).round() as usize);
        let rows = scaled.or(self.rows).unwrap_or(about.standard_rows);
        Settings { rows, repeats: self.repeats, peers: self.peers }
    }

    /// Returns true if a row of this key and title was asked for.
    pub fn wants(&self, key: &str, title: &str) -> bool {
        let (key, title) = (key.to_lowercase(), title.to_lowercase());
        let found = |part: &String| key.contains(&part.to_lowercase()) || title.contains(&part.to_lowercase());
        self.only.is_empty() || self.only.iter().any(found)
    }
}

fn is_door(name: &str) -> Result<bool, String> {
    if name == "tds" { Ok(true) } else { Err(format!("--door is tds, not {name}")) }
}

fn is_advantage(name: &str) -> Result<bool, String> {
    match name {
        "adt" => Ok(true),
        "dbf" => Ok(false),
        _ => Err(format!("--format is dbf or adt, not {name}")),
    }
}

fn is_file(word: &OsString, suites: &[&str]) -> bool {
    word.to_str().is_none_or(|word| word == "-" || !(word.starts_with('-') || suites.contains(&word)))
}

fn target(word: OsString) -> Target {
    if word == "-" { Target::Standard } else { Target::File(word.into()) }
}

fn utf8(word: OsString) -> Result<String, String> {
    word.into_string().map_err(|word| format!("not UTF-8: {}", word.display()))
}

/// A scale: from the least of which every table has rows to the most lines that a suite makes.
fn scale(word: OsString) -> Result<f64, String> {
    let word = utf8(word)?;
    let value = word.parse().ok().filter(|value| (0.001..=1.5).contains(value));
    value.ok_or(format!("--scale takes a number from 0.001 to 1.5, not {word}"))
}

fn number(name: &str, word: OsString, least: usize, most: usize) -> Result<usize, String> {
    let word = utf8(word)?;
    let plain = word.replace(['_', ','], "");
    let value = plain.parse().ok().filter(|value| (least..=most).contains(value));
    value.ok_or(format!("{name} takes a number from {least} to {most}, not {word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(OsString::from).collect(), &["xbase"])
    }

    #[test]
    fn options_are_read() {
        let options = parse("xbase --only tag --only=COUNT --rows 1_000 --repeats 9 --no-peers --check").unwrap();
        assert_eq!((options.rows, options.repeats, options.peers), (Some(1_000), 9, false));
        assert_eq!(options.settings(&crate::cloud::Cloud::MAINSTAY).rows, 1_000);
        assert_eq!(Options::default().settings(&crate::xbase::Xbase::MAINSTAY).rows, 100_000);
        assert_eq!(Options::default().settings(&crate::cloud::Cloud::MAINSTAY).rows, 10_000);
        assert!(options.check && options.wants("id_equal", "Count") && !options.wants("id_equal", "x"));
        assert_eq!(options.suites, ["xbase"]);
    }

    #[test]
    fn a_door_takes_the_place_of_calls_in_process() {
        let suites = |line: &str| {
            let arguments = line.split_whitespace().map(OsString::from).collect();
            Options::parse(arguments, &["xbase", "tsql", "tds"]).unwrap().suites
        };
        assert_eq!(suites("tsql --door tds"), ["tds"]);
        assert_eq!(suites("--door=tds tsql xbase"), ["xbase", "tds"]);
        assert!(parse("--door sqli").unwrap_err().contains("--door is tds"));
    }

    #[test]
    fn a_format_is_a_suite_of_its_own() {
        let suites = |line: &str| {
            let arguments = line.split_whitespace().map(OsString::from).collect();
            Options::parse(arguments, &["xbase", "adt"]).unwrap().suites
        };
        assert_eq!(suites("xbase --format adt"), ["adt"]);
        assert_eq!(suites("xbase --format=dbf"), ["xbase"]);
        assert!(parse("xbase --format csv").unwrap_err().contains("dbf or adt"));
    }

    #[test]
    fn a_file_is_optional_only_where_it_may_be() {
        assert_eq!(parse("--csv xbase").unwrap().csv, Some(Target::Standard));
        assert_eq!(parse("--csv a.csv xbase").unwrap().csv, Some(Target::File("a.csv".into())));
        assert_eq!(parse("--markdown --check").unwrap().markdown, Some(Target::Standard));
        assert_eq!(parse("--json -").unwrap().json, Some(Target::Standard));
        assert!(parse("--json").unwrap_err().contains("needs a value"));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, part) in [
            ("--repeats 4", "from 5"),
            ("--rows 0", "from 1"),
            ("--rows many", "not many"),
            ("--scale 0", "from 0.001"),
            ("--scale big", "not big"),
            ("--fast", "unknown option --fast"),
            ("tsql", "unknown suite tsql"),
            ("--check=1", "takes no value"),
        ] {
            assert!(parse(line).unwrap_err().contains(part), "{line}");
        }
    }
}
