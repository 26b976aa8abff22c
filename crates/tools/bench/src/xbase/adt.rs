//! The rows of the xbase suite over an ADT, beside the same rows over a DBF in the same run.
//!
//! ```text
//!   data (generator) ──> plain/bench.adt                    ID Integer, TAG Character(4), AMT Money
//!        │          └──> indexed/bench.adt + bench.adi      tags ID, TAG, AMT
//!        └─────────────> the DBF files of the xbase suite   the peer "DBF"
//! ```
//! The types are the usual ones of an Advantage table for these values; a DBF stores them as digits. The table and its
//! index are created by CREATE TABLE and CREATE INDEX.

use super::data::Data;
use super::questions::{STANDARD_ROWS, questions};
use super::subject::{Engine, Mainstay, Subject};
use super::{shipped_cdx, write_dbf_folders};
use crate::scratch::Scratch;
use crate::suite::{About, Bench, Measured, Ratio, Row, Settings, Suite, System, Unit};
use mainstay_types::{Decimal, Result, Value, ValueRef};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::adt::{Type, field_of_type};
use mainstay_xbase::dbf::{Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// The suite.
pub struct Adt;

/// A row over an ADT may take this many times of what it takes over the DBF.
const BESIDE_DBF: f64 = 1.2;

impl Suite for Adt {
    fn about(&self) -> About {
        About { has_first: true, ..About::new("adt", Unit::MILLISECONDS, "OpenADS") }
    }

    fn title(&self, settings: &Settings) -> String {
        let rows = crate::output::thousands(settings.rows);
        format!("xbase over ADT: {rows}-row table (ID Integer, TAG Character(4), AMT Money), in place, beside the DBF")
    }

    /// Figures and targets are those of the DBF; here the peer is the measure.
    fn rows(&self, settings: &Settings) -> Vec<Row> {
        let plain = |row: Row| Row {
            published: None,
            replaced: None,
            elsewhere: Vec::new(),
            floor: None,
            target_first: None,
            target_again: None,
            calibration: None,
            ratio: Some(Ratio { first: None, again: Some(BESIDE_DBF) }),
            ..row
        };
        questions(settings.rows).into_iter().map(|question| plain(question.row)).collect()
    }

    fn start(&self, settings: &Settings, selected: &[usize]) -> Result<Bench> {
        let data = Rc::new(Data::new(settings.rows));
        let scratch = Scratch::new()?;
        let (plain, indexed) = (scratch.path("adt"), scratch.path("adt-indexed"));
        let mut facts = Vec::new();
        write_adt(&plain, &data, false)?;
        facts.push(size_of(&plain.join("bench.adt"))?);
        if settings.rows == STANDARD_ROWS {
            write_adt(&indexed, &data, true)?;
            facts.push(size_of(&indexed.join("bench.adi"))?);
        }
        let mut peers: Vec<Box<dyn System>> = Vec::new();
        if settings.peers {
            let scratch = Scratch::new()?;
            let cdx = if settings.rows == STANDARD_ROWS { Some(shipped_cdx(&data)?) } else { None };
            let (plain, indexed) = write_dbf_folders(&scratch, &data, cdx.as_deref())?;
            let subject = subject(scratch, (plain, indexed), Rc::clone(&data), settings.rows, selected);
            peers.push(Box::new(Dbf(subject)));
        }
        let subject = subject(scratch, (plain, indexed), data, settings.rows, selected);
        Ok(Bench { subject: Box::new(subject), peers, absent: Vec::new(), facts })
    }
}

fn subject(
    scratch: Scratch,
    (plain, indexed): (std::path::PathBuf, std::path::PathBuf),
    data: Rc<Data>,
    rows: usize,
    selected: &[usize],
) -> Subject {
    Subject {
        engine: Box::new(Mainstay),
        scratch,
        plain,
        indexed,
        questions: Rc::new(questions(rows)),
        data,
        upcoming: selected.to_vec(),
        copies: HashMap::new(),
    }
}

/// The same engine over the DBF.
struct Dbf(Subject);

impl System for Dbf {
    fn name(&self) -> &str {
        "DBF"
    }

    fn description(&self) -> String {
        format!("{}, the same rows as a DBF", Mainstay.description())
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        self.0.measure(row, repeats)
    }
}

fn size_of(path: &Path) -> Result<(String, String)> {
    let bytes = usize::try_from(Disk.stamp(path)?.len).unwrap_or(usize::MAX);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok((name, format!("{} bytes", crate::output::thousands(bytes))))
}

/// Makes the table in a folder of its own.
fn write_adt(folder: &Path, data: &Data, is_indexed: bool) -> Result<()> {
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    fs.create_folder(folder)?;
    let path = folder.join("bench.adt");
    let fields = vec![
        field_of_type("ID", Type::Integer, 0, 0),
        field_of_type("TAG", Type::Character, 4, 0),
        field_of_type("AMT", Type::Money, 0, 0),
    ];
    let options = WriteOptions::new(Access::Exclusive);
    writer::create(&*fs, &path, &TableSpec::new(Format::Advantage, fields), &options)?;
    let mut table = IndexedTable::open(Arc::clone(&fs), &path, options)?;
    for (id, cents) in (1..).zip(data.all_cents()) {
        let tag = Value::Text(Data::tag(id));
        let amount = Decimal::new(i128::from(*cents) * 100, 4);
        let id = ValueRef::Integer(i64::try_from(id).unwrap_or(i64::MAX));
        table.append(&[id, tag.as_ref(), ValueRef::Decimal(amount)])?;
    }
    if is_indexed {
        for tag in ["ID", "TAG", "AMT"] {
            let spec = IndexSpec::new(tag, tag.as_bytes().to_vec());
            table.create_index(None, BagKind::Adi, &spec, Building::default())?;
        }
    }
    table.close()
}
