//! The xbase suite: SQL over a DBF in place, beside OpenADS and three engines that load the table first.
//!
//! ```text
//!   data (generator) ──> plain/bench.dbf                    most rows
//!        │          └──> indexed/bench.dbf + bench.cdx      the rows that say "indexed"
//!        ├──> SQLite (linked in), DuckDB and Polars (Python), loaded once
//!        └──> the truth, for the checks (questions)
//! ```
//!
//! The CDX was written by Harbour (tags ID, TAG, AMT) and is shipped inside this crate, compressed; it is used only if
//! the records generated here have the fingerprint of those that it was built for. The other rows run on the bare DBF,
//! because their reference figures were taken before there was an index.

pub(crate) mod adt;
mod data;
mod python;
mod questions;
mod sqlite;
pub mod subject;

use crate::machine::today;
use crate::scratch::Scratch;
use crate::suite::{About, Bench, Row, Settings, Suite, System, Unit};
use data::fingerprint;
use mainstay_types::{Code, Error, Result};
use questions::questions;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use subject::{Engine, Mainstay, Subject};

pub(crate) use data::Data;
pub use data::MOST_ROWS;
pub(crate) use questions::STANDARD_ROWS;

/// The CDX of 100,000 rows, compressed.
const CDX: &[u8] = include_bytes!("../../assets/bench100k.cdx.zst");
/// Its length when not.
const CDX_LEN: usize = 1_675_264;
/// The fingerprint of the records that it was made for.
const CDX_RECORDS: u64 = 0xc413_4a47_29d6_c62b;

/// The suite, with the engine that answers.
pub struct Xbase {
    engine: fn() -> Box<dyn Engine>,
}

impl Xbase {
    /// The suite as users run it.
    pub const MAINSTAY: Xbase = Xbase { engine: || Box::new(Mainstay) };

    /// The suite with another engine, for tests of the suite itself.
    pub fn with_engine(engine: fn() -> Box<dyn Engine>) -> Xbase {
        Xbase { engine }
    }
}

impl Suite for Xbase {
    fn about(&self) -> About {
        About { has_first: true, ..About::new("xbase", Unit::MILLISECONDS, "OpenADS") }
    }

    fn title(&self, settings: &Settings) -> String {
        let rows = crate::output::thousands(settings.rows);
        format!("xbase: {rows}-row DBF (ID N(8,0), TAG C(4) of 26 values, AMT N(8,2)), in place")
    }

    fn rows(&self, settings: &Settings) -> Vec<Row> {
        questions(settings.rows).into_iter().map(|question| question.row).collect()
    }

    fn start(&self, settings: &Settings, selected: &[usize]) -> Result<Bench> {
        let data = Rc::new(Data::new(settings.rows));
        let questions = Rc::new(questions(settings.rows));
        let scratch = Scratch::new()?;
        let cdx = if settings.rows == STANDARD_ROWS { Some(shipped_cdx(&data)?) } else { None };
        let (plain, indexed) = write_dbf_folders(&scratch, &data, cdx.as_deref())?;
        let length = data.dbf(today(), false).len();
        let mut facts = vec![("bench.dbf".to_owned(), format!("{} bytes", crate::output::thousands(length)))];
        if let Some(cdx) = &cdx {
            facts.push(("bench.cdx".to_owned(), format!("{} bytes", crate::output::thousands(cdx.len()))));
        }
        let (peers, absent) =
            if settings.peers { start_peers(&scratch, &data, &questions)? } else { (Vec::new(), Vec::new()) };
        let subject = Subject {
            engine: (self.engine)(),
            scratch,
            plain,
            indexed,
            questions,
            data,
            upcoming: selected.to_vec(),
            copies: HashMap::new(),
        };
        Ok(Bench { subject: Box::new(subject), peers, absent, facts })
    }
}

/// Writes the bare DBF into one folder, and the DBF with its CDX into another.
fn write_dbf_folders(scratch: &Scratch, data: &Data, cdx: Option<&[u8]>) -> Result<(PathBuf, PathBuf)> {
    let (plain, indexed) = (scratch.path("plain"), scratch.path("indexed"));
    scratch.write(&plain.join("bench.dbf"), &data.dbf(today(), false))?;
    if let Some(cdx) = cdx {
        scratch.write(&indexed.join("bench.dbf"), &data.dbf(today(), true))?;
        scratch.write(&indexed.join("bench.cdx"), cdx)?;
    }
    Ok((plain, indexed))
}

/// The shipped index, once it is certain that it belongs to these rows.
pub(crate) fn shipped_cdx(data: &Data) -> Result<Vec<u8>> {
    if fingerprint(&data.records()) != CDX_RECORDS {
        return Err(Error::new(Code::Internal, "the generator's records are not those of the shipped index"));
    }
    let cdx = zstd::bulk::decompress(CDX, CDX_LEN)?;
    if cdx.len() != CDX_LEN {
        return Err(Error::new(Code::Internal, "the shipped index has another length than it should"));
    }
    Ok(cdx)
}

type Peers = (Vec<Box<dyn System>>, Vec<(String, String)>);

fn start_peers(scratch: &Scratch, data: &Rc<Data>, questions: &Rc<Vec<questions::Question>>) -> Result<Peers> {
    let (mut peers, mut absent): Peers = (Vec::new(), Vec::new());
    match sqlite::Sqlite::load(Rc::clone(data), Rc::clone(questions)) {
        Ok(sqlite) => peers.push(Box::new(sqlite)),
        Err(error) => absent.push(("SQLite".into(), error.to_string())),
    }
    let (script, csv) = (scratch.path("peers.py"), scratch.path("bench.csv"));
    scratch.write(&script, python::SCRIPT.as_bytes())?;
    scratch.write(&csv, data.csv().as_bytes())?;
    for name in ["DuckDB", "Polars"] {
        match python::Python::start(name, &script, &csv, Rc::clone(questions), Rc::clone(data)) {
            Ok(peer) => peers.push(Box::new(peer)),
            Err(reason) => absent.push((name.into(), reason)),
        }
    }
    Ok((peers, absent))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_index_is_the_one_that_harbour_wrote_for_these_rows() {
        let harbour = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/t11_bench100k.cdx");
        assert!(shipped_cdx(&Data::new(STANDARD_ROWS)).unwrap() == std::fs::read(harbour).unwrap());
        assert!(shipped_cdx(&Data::new(STANDARD_ROWS - 1)).is_err());
    }
}
