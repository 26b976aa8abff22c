//! The remote suite: a browse of a table of a server, 100 columns and 25 rows, in round trips.
//!
//! A door listens on loopback in this process, and a client of the navigator reads every column of every row of a
//! screen, as a browse does. A row of the table is one action of a user; its figure is the number of requests that were
//! answered for it, which does not depend on the machine. The time and the number of bytes are in the notes.
//!
//! The report is about times, so a count is stored as that many nanoseconds.

use crate::scratch::Scratch;
use crate::statistics::Statistics;
use crate::suite::{About, Bench, Judgement, Measured, Reference, Row, Settings, Suite, System, Unit};
use mainstay_navigator::client::{Address, Client, OpenHow, RemoteArea};
use mainstay_navigator::server::Service;
use mainstay_server::{Config, NavigatorDoor, Server};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::{Area, AreaOptions, Mode, NewOrder, SeekHow, SeekKey, WorkArea, untold};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows of a screen.
const ROWS: usize = 25;
/// Columns of the table.
const COLUMNS: usize = 100;
/// Records of the table.
const RECORDS: u32 = 2_000;

/// Actions of users: key, title, round trips that Advantage's own client is said to take, and the target.
const DEEDS: [(&str, &str, Option<f64>, f64); 5] = [
    ("remote_open", "remote browse: open the table", None, 1.0),
    ("remote_paint", "remote browse, 100 columns x 25 rows: paint the first screen in an order", Some(20.0), 2.0),
    ("remote_page", "remote browse, 100 columns x 25 rows: one page down", Some(20.0), 2.0),
    ("remote_seek", "remote browse, 100 columns x 25 rows: seek a key and paint", None, 2.0),
    ("remote_last", "remote browse, 100 columns x 25 rows: the last page", None, 2.0),
];

/// The suite.
pub struct Remote;

impl Suite for Remote {
    fn about(&self) -> About {
        const TRIPS: Unit = Unit { symbol: "trips", per_second: 1e9, work: 1.0, rate: false };
        About { part_of: Some("xbase"), ..About::new("remote", TRIPS, "OpenADS") }
    }

    fn title(&self, _: &Settings) -> String {
        "remote: a browse over a server on this machine, in round trips".to_owned()
    }

    fn rows(&self, _: &Settings) -> Vec<Row> {
        let row = |(key, title, published, target): &(&'static str, &str, Option<f64>, f64)| Row {
            key,
            title: (*title).to_owned(),
            text: "tcp://127.0.0.1/wide.dbf".to_owned(),
            published: published.map(|value| Reference { value, remark: "about" }),
            target_again: Some(*target),
            ..Row::default()
        };
        DEEDS.iter().map(row).collect()
    }

    fn start(&self, _: &Settings, _: &[usize]) -> Result<Bench> {
        let scratch = Scratch::new()?;
        let folder = scratch.folder("remote")?;
        make_table(&folder.join("wide.dbf"))?;
        let server = Server::new(Config::default(), &Disk, Box::new(std::io::sink()))?;
        let service = Arc::new(Service::new(Arc::new(Disk), &folder));
        let address = server.open(SocketAddr::from(([127, 0, 0, 1], 0)), NavigatorDoor::new(service))?;
        let name = format!("tcp://{address}");
        let address = Address::parse(&name).ok_or_else(|| Error::new(Code::Internal, "no address"))??;
        let client = Client::connect(&name, address, "bench", "", "mainstay bench")?;
        let subject = Subject { client, _server: server, _scratch: scratch, facts: Vec::new() };
        Ok(Bench { subject: Box::new(subject), peers: Vec::new(), absent: Vec::new(), facts: Vec::new() })
    }
}

/// Makes the table: every cell says where it is.
fn make_table(path: &Path) -> Result<()> {
    let fields = (1..=COLUMNS).map(|at| FieldSpec::new(&format!("COLUMN{at}"), b'C', 9, 0)).collect();
    let files: Arc<dyn FileSystem> = Arc::new(Disk);
    Area::create(&files, path, &TableSpec::new(Format::FoxPro, fields))?;
    let options = AreaOptions { mode: Mode::Exclusive, ..AreaOptions::default() };
    let mut area = Area::open(files, path, &options)?;
    area.create_order(&NewOrder::new("FIRST", "COLUMN1"), &mut untold)?;
    for number in 0..RECORDS {
        area.append_blank()?;
        for column in 0..COLUMNS {
            area.set_bytes(column, cell(number, column).as_bytes())?;
        }
    }
    area.close()
}

fn cell(number: u32, column: usize) -> String {
    format!("{number:05}{column:03}")
}

struct Subject {
    client: Arc<Client>,
    _server: Server,
    _scratch: Scratch,
    facts: Vec<(String, String)>,
}

impl Subject {
    fn open(&self) -> Result<RemoteArea> {
        let how =
            OpenHow { mode: Mode::Shared, scheme: None, open_structural: true, hide_deleted: false, exact: false };
        RemoteArea::open(&self.client, &[self.client.path(Path::new("wide.dbf"))], &how)
    }

    /// Does one thing once, with the table opened anew: round trips, bytes that came, the time.
    fn once(&self, deed: usize) -> Result<(u64, u64, Duration)> {
        if deed == 0 {
            let (before, began) = (self.client.traffic(), Instant::now());
            let area = self.open()?;
            let (after, took) = (self.client.traffic(), began.elapsed());
            Box::new(area).close()?;
            return Ok((after.round_trips - before.round_trips, after.received_bytes - before.received_bytes, took));
        }
        let mut area = self.open()?;
        let order = area.order_named("FIRST");
        if deed > 1 {
            area.set_order(order)?;
            area.go_top()?;
            paint(&mut area, 0)?;
        }
        let (before, began) = (self.client.traffic(), Instant::now());
        match deed {
            1 => {
                area.set_order(order)?;
                area.go_top()?;
                paint(&mut area, 0)?;
            }
            2 => paint(&mut area, ROWS as u32)?,
            3 => {
                if !area.seek(&SeekKey::Text(b"01234".to_vec()), SeekHow::default())? {
                    return Err(Error::new(Code::NotFound, "the key is not found"));
                }
                paint(&mut area, 1234)?;
            }
            _ => {
                area.go_bottom()?;
                area.skip(1 - ROWS as i64)?;
                paint(&mut area, RECORDS - ROWS as u32)?;
            }
        }
        let (after, took) = (self.client.traffic(), began.elapsed());
        Box::new(area).close()?;
        Ok((after.round_trips - before.round_trips, after.received_bytes - before.received_bytes, took))
    }
}

/// Reads what a screen shows from the current record on, which is to be this one.
fn paint(area: &mut RemoteArea, first: u32) -> Result<()> {
    for row in 0..ROWS as u32 {
        for column in 0..COLUMNS {
            let text = area.get_text(column)?;
            if text.trim_ascii_end() != cell(first + row, column).as_bytes() {
                return Err(Error::new(Code::Damaged, format!("row {row}, column {column} is another one")));
            }
        }
        area.skip(1)?;
    }
    Ok(())
}

impl System for Subject {
    fn name(&self) -> &str {
        "Mainstay"
    }

    fn description(&self) -> String {
        format!("{}, client and server in one process, over loopback", env!("CARGO_PKG_VERSION"))
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let (key, ..) = DEEDS.get(row)?;
        let (mut trips, mut least) = (Vec::new(), (u64::MAX, Duration::MAX));
        for _ in 0..repeats.max(5) {
            match self.once(row) {
                Ok((round_trips, bytes, took)) => {
                    trips.push(Duration::from_nanos(round_trips));
                    least = (least.0.min(bytes), least.1.min(took));
                }
                Err(error) => return Some(Measured::failed(error.to_string())),
            }
        }
        self.facts.push(((*key).to_owned(), format!("{} bytes, {} us at best", least.0, least.1.as_micros())));
        Some(Measured { first: None, again: Statistics::of(&trips), judgement: Judgement::Right })
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.facts.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browse_takes_as_many_round_trips_as_its_target_says() {
        let settings = Settings { rows: 100, repeats: 1, peers: false };
        let mut bench = Remote.start(&settings, &[]).unwrap();
        for (row, (key, _, _, target)) in DEEDS.iter().enumerate() {
            let measured = bench.subject.measure(row, 1).unwrap();
            assert_eq!(measured.judgement, Judgement::Right, "{key}");
            let trips = Remote.about().unit.of(measured.again.unwrap().max);
            assert!(trips >= 1.0 && trips <= *target || row == 2 && trips == 0.0, "{key}: {trips}");
        }
        assert_eq!(bench.subject.facts().len(), DEEDS.len());
    }
}
