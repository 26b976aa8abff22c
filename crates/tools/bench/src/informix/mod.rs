//! The informix suite: the Python driver `mainstay_informix`, its codec alone and through the door for Informix clients.
//!
//! ```text
//!   python (driver.py) ── loopback ──> mainstay serve --sqli, a process of its own
//!     ├ mainstay_informix   codec rows over recorded answers, door rows, memory
//!     └ informix-driver     the public driver, in the same process: rows that the two have in common
//! ```
//!
//! `MAINSTAY_BENCH_PYTHON` names the interpreter of an environment with the wheel; without the wheel each row reports
//! that it is missing. A run repeats its work until it takes milliseconds. Answers come back as counts, sums and last
//! rows, and are compared with the data of the script. Rows of memory have bytes in place of nanoseconds: the growth of
//! the largest resident set of the process.
//!
//! Limits: commits wait for the operating system. The public driver cannot be fed recorded answers, so its rows include the
//! server.

use crate::calibration::Calibration;
use crate::python_process::Process;
use crate::scratch::Scratch;
use crate::statistics::{AT_MOST, ENOUGH, Statistics};
use crate::suite::{About, Bench, Judgement, Measured, Reference, Row, Settings, Suite, System, Unit};
use crate::wire::round_trip::bare_round_trip;
use crate::wire::server::{self, Server};
use mainstay_types::{Code, Error, Result};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

const SCRIPT: &str = include_str!("driver.py");
/// The interpreter, if it is not `python3`.
const PYTHON: &str = "MAINSTAY_BENCH_PYTHON";
/// Time for the data, and for all runs of a row.
const PATIENCE: Duration = Duration::from_secs(600);
/// Parts of a run, as the script has them.
const CALLS: usize = 100_000;
const TRIPS: usize = 200;
const CONNECTS: usize = 20;
const ROWS_5: u64 = 20_000;
const ROWS_100: u64 = 2_000;
const STREAMED: u64 = 1_000_000;
const COLLECTED: u64 = 100_000;

/// A row: key, title, unit, published and replaced figure, floor, target, and the right answer.
struct Known {
    key: &'static str,
    title: &'static str,
    unit: Unit,
    published: Option<f64>,
    replaced: Option<f64>,
    floor: Option<f64>,
    target: f64,
    answer: fn() -> Value,
}

const fn nanoseconds(parts: usize) -> Unit {
    Unit { symbol: "ns", per_second: 1e9, work: parts as f64, rate: false }
}

const fn microseconds(parts: usize) -> Unit {
    Unit::microseconds_of_each(parts)
}

const fn milliseconds(parts: usize) -> Unit {
    Unit { work: parts as f64, ..Unit::MILLISECONDS }
}

/// Bytes, which stand in place of nanoseconds.
const MEGABYTES: Unit = Unit { symbol: "MB", per_second: 1e3, work: 1.0, rate: false };

/// The day of a row of the script: days from 2024-01-01 on, over and over for 365 days.
fn day(number: u64) -> String {
    let first = mainstay_types::Date::from_ymd(2024, 1, 1).unwrap_or(mainstay_types::Date(0));
    mainstay_types::Date(first.0 + i32::try_from(number % 365).unwrap_or(0)).to_string()
}

/// Count, sum of the identifiers, and the last row of the table of five columns with so many rows.
fn five_columns(rows: u64) -> Value {
    let (eighths, small) = (rows as f64 / 8.0, rows % 1000);
    json!([rows, rows * (rows + 1) / 2, format!("{rows}|value {rows}|{eighths:?}|{}|{small}", day(rows))])
}

fn hundred_columns() -> Value {
    let first = (ROWS_100 - 1) * 1000;
    let last: Vec<String> = (first..first + 100).map(|number| number.to_string()).collect();
    json!([ROWS_100, 1000 * ROWS_100 * (ROWS_100 - 1) / 2, last.join("|")])
}

/// Numbers of the table of five columns, repeated with other identifiers.
fn collected() -> Value {
    let last = (COLLECTED - 1) % ROWS_5 + 1;
    let (eighths, small) = (last as f64 / 8.0, last % 1000);
    let text = format!("{COLLECTED}|value {last}|{eighths:?}|{}|{small}", day(last));
    json!([COLLECTED, COLLECTED * (COLLECTED + 1) / 2, text])
}

impl Known {
    /// Codecs are bound by instructions, statements by their round trips; memory does not depend on speed.
    fn calibration(&self) -> Option<Calibration> {
        match self.unit.symbol {
            "MB" => None,
            "ns" => Some(Calibration::Loop),
            _ => Some(Calibration::RoundTrip),
        }
    }
}

const ROWS: [Known; 12] = [
    Known {
        key: "decode_int",
        title: "decode an INT, one call",
        unit: nanoseconds(CALLS),
        published: Some(181.0),
        replaced: Some(437.0),
        floor: Some(47.0),
        target: 60.0,
        answer: || json!(123_456),
    },
    Known {
        key: "row_5",
        title: "a row of 5 columns in a fetch loop",
        unit: nanoseconds(ROWS_5 as usize),
        published: Some(2870.0),
        replaced: Some(2017.0),
        floor: Some(70.0),
        target: 120.0,
        answer: || five_columns(ROWS_5),
    },
    Known {
        key: "encode_int",
        title: "encode an INT parameter, with the head of its BIND",
        unit: nanoseconds(CALLS),
        published: Some(103.0),
        replaced: Some(248.0),
        floor: Some(72.0),
        target: 90.0,
        answer: || json!("00050001000200000a000001e240"),
    },
    Known {
        key: "row_100",
        title: "a row of 100 INTs in a fetch loop",
        unit: nanoseconds(ROWS_100 as usize),
        published: Some(19_400.0),
        replaced: Some(19_200.0),
        floor: Some(3390.0),
        target: 4500.0,
        answer: hundred_columns,
    },
    Known {
        key: "row_100_arrow",
        title: "a row of 100 INTs as Arrow",
        unit: nanoseconds(ROWS_100 as usize),
        published: None,
        replaced: None,
        floor: None,
        target: 400.0,
        answer: hundred_columns,
    },
    Known {
        key: "select_1",
        title: "SELECT of one row, round trip",
        unit: microseconds(TRIPS),
        published: Some(177.0),
        replaced: None,
        floor: None,
        target: 60.0,
        answer: || json!(1),
    },
    Known {
        key: "pool_select",
        title: "connection of a pool, SELECT of one row",
        unit: microseconds(TRIPS),
        published: Some(295.0),
        replaced: None,
        floor: None,
        target: 80.0,
        answer: || json!(1),
    },
    Known {
        key: "connect",
        title: "connect and close",
        unit: milliseconds(CONNECTS),
        published: Some(11.2),
        replaced: None,
        floor: None,
        target: 1.0,
        answer: || json!(1),
    },
    Known {
        key: "select_1000",
        title: "SELECT of 1000 rows of 5 columns",
        unit: milliseconds(1),
        published: Some(1.56),
        replaced: None,
        floor: None,
        target: 0.4,
        answer: || five_columns(1000),
    },
    Known {
        key: "executemany",
        title: "executemany of 1000 INSERTs in one transaction, with its COMMIT",
        unit: milliseconds(1),
        published: Some(32.0),
        replaced: None,
        floor: None,
        target: 4.0,
        answer: || json!([1000, 499_500]),
    },
    Known {
        key: "stream_memory",
        title: "memory while 1,000,000 rows of 5 columns are read one by one",
        unit: MEGABYTES,
        published: None,
        replaced: None,
        floor: None,
        target: 4.0,
        answer: || json!([STREAMED, STREAMED * (STREAMED + 1) / 2]),
    },
    Known {
        key: "arrow_memory",
        title: "memory of 100,000 rows of 5 columns as Arrow",
        unit: MEGABYTES,
        published: Some(25.4),
        replaced: None,
        floor: None,
        target: 6.0,
        answer: collected,
    },
];

/// The suite.
pub struct Informix;

impl Suite for Informix {
    fn about(&self) -> About {
        About::new("informix", Unit::microseconds_of_each(1), "informix-driver")
    }

    fn title(&self, _: &Settings) -> String {
        "informix: the Python driver and the door for Informix clients".to_owned()
    }

    fn rows(&self, _: &Settings) -> Vec<Row> {
        let skipped = server::program().is_none().then(|| "there is no mainstay beside the benchmark".to_owned());
        let bare = bare_round_trip().map(|time| (time.as_secs_f64() * 1e7).round() / 10.0);
        let row = |known: &Known| Row {
            key: known.key,
            title: known.title.to_owned(),
            text: format!("driver.py: {}", known.key),
            unit: Some(known.unit),
            published: known.published.map(|value| Reference { value, remark: "" }),
            replaced: known.replaced.map(|value| Reference { value, remark: "" }),
            floor: if known.key == "select_1" { bare } else { known.floor },
            target_again: Some(known.target),
            calibration: known.calibration(),
            skipped: skipped.clone(),
            ..Row::default()
        };
        ROWS.iter().map(row).collect()
    }

    fn start(&self, settings: &Settings, _: &[usize]) -> Result<Bench> {
        start(settings).map_err(|error| Error::new(Code::Internal, error))
    }
}

fn start(settings: &Settings) -> std::result::Result<Bench, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let path = scratch.path("driver.py");
    scratch.write(&path, SCRIPT.as_bytes()).map_err(|error| error.to_string())?;
    let server = Server::start("sqli")?;
    let python = std::env::var_os(PYTHON).map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let (host, port) = (server.address.ip().to_string(), server.address.port().to_string());
    let started = Process::start(Command::new(&python).arg("-u").arg(&path).args([host, port]), PATIENCE);
    let hello = started.and_then(|mut process| process.next_line().map(|hello| (process, hello)));
    let (process, hello) = match hello {
        Ok((process, hello)) => (Ok(process), hello),
        Err(error) => (Err(error), Value::Null),
    };
    let text = |key: &str| hello[key].as_str().map(str::to_owned);
    let process = match (process, text("ready")) {
        (Ok(process), Some(_)) => Ok(process),
        (Ok(_), None) => Err(text("absent").unwrap_or_else(|| "the script said nothing about itself".to_owned())),
        (Err(error), _) => Err(error),
    };
    let failure = process.as_ref().err().map(|error| format!("{error} ({PYTHON}={})", python.display()));
    let shared = Rc::new(RefCell::new(process));
    let of = |who: &'static str, name: &'static str, description: String| Driver {
        who,
        name,
        description,
        process: Rc::clone(&shared),
        failure: failure.clone(),
    };
    let description = text("ready").unwrap_or_else(|| failure.clone().unwrap_or_default());
    let subject = Subject { driver: of("mainstay", "Mainstay", description), _server: server, _scratch: scratch };
    let (mut peers, mut absent) = (Vec::<Box<dyn System>>::new(), Vec::new());
    if settings.peers {
        match text("public") {
            Some(description) => peers.push(Box::new(of("public", "public", description))),
            None => {
                let reason = text("public_absent").or(failure).unwrap_or_default();
                absent.push(("informix-driver".to_owned(), reason));
            }
        }
    }
    Ok(Bench { subject: Box::new(subject), peers, absent, facts: Vec::new() })
}

type Shared = Rc<RefCell<std::result::Result<Process, String>>>;

/// A driver in the Python process.
struct Driver {
    who: &'static str,
    name: &'static str,
    description: String,
    process: Shared,
    failure: Option<String>,
}

impl Driver {
    fn measured(&self, known: &Known, repeats: usize) -> std::result::Result<Option<Measured>, String> {
        let request = json!({
            "who": self.who,
            "row": known.key,
            "repeats": repeats,
            "at_most": repeats * AT_MOST,
            "enough_ns": ENOUGH.as_nanos() as u64,
        });
        let mut process = self.process.borrow_mut();
        let Ok(process) = process.as_mut() else { return Err(self.failure.clone().unwrap_or_default()) };
        let reply = process.ask(&request)?;
        if reply["none"] == true {
            return Ok(None);
        }
        if let Some(error) = reply["error"].as_str() {
            return Err(error.to_owned());
        }
        let times = reply["times"].as_array().map(Vec::as_slice).unwrap_or_default();
        let times: Vec<Duration> = times.iter().filter_map(Value::as_u64).map(Duration::from_nanos).collect();
        let (found, wanted) = (&reply["answer"], (known.answer)());
        let judgement = match *found == wanted {
            true => Judgement::Right,
            false => Judgement::Wrong(format!("{found} and not {wanted}")),
        };
        Ok(Some(Measured { first: None, again: Statistics::of(&times), judgement }))
    }
}

impl System for Driver {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> String {
        self.description.clone()
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let known = ROWS.get(row)?;
        self.measured(known, repeats).unwrap_or_else(|error| Some(Measured::failed(error)))
    }
}

/// The driver of this repository, with the server that both talk to.
struct Subject {
    driver: Driver,
    _server: Server,
    _scratch: Scratch,
}

impl System for Subject {
    fn name(&self) -> &str {
        self.driver.name()
    }

    fn description(&self) -> String {
        self.driver.description()
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        self.driver.measure(row, repeats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_follow_from_the_data_of_the_script() {
        // 2024 has a 29th of February: the 59th day behind the first of January.
        assert_eq!(day(59), "2024-02-29");
        assert_eq!(five_columns(1000), json!([1000, 500_500, "1000|value 1000|125.0|2024-09-27|0"]));
        assert_eq!(hundred_columns()[1], json!(1_999_000_000));
        assert_eq!(collected()[2], json!("100000|value 20000|2500.0|2024-10-17|0"));
    }

    #[test]
    fn the_parts_of_a_run_are_those_of_the_script() {
        for (name, value) in
            [("CALLS", CALLS as u64), ("TRIPS", TRIPS as u64), ("ROWS_5", ROWS_5), ("ROWS_100", ROWS_100)]
        {
            let line = SCRIPT.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap_or_default();
            assert_eq!(line.replace('_', ""), format!("{name} = {value}").replace('_', ""));
        }
    }
}
