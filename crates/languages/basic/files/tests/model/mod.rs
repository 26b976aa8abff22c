//! Random operations on a keyed file against a list of records that is searched from its beginning.
//!
//! Used for files in memory here, and for native tables in the crate above.

#![allow(dead_code)]

use mainstay_basic_files::{
    EndMatch, FileDefinition, FileKind, KeyDefinitions, KeyFunction, Order, Place, ReadMode, ReadOptions, RecordFile,
    RecordFormat, RecordReference, ScanRange, WriteMode, WriteOptions,
};
use std::time::Duration;

/// Fields are ended by this.
pub const SEPARATOR: u8 = 0x8A;

/// An external key; the first field, with duplicates; the second one descending; the third one unique and left out when it
/// is blank.
pub const KEYS: &str = r#"5,["name":1:1:3],[2:1:2:"D"],[3:1:4:"UK:20"]"#;

/// The definition of the file.
pub fn definition() -> FileDefinition {
    let keys = KeyDefinitions::parse(KEYS).unwrap();
    FileDefinition::new(FileKind::Keyed, keys, RecordFormat::Variable(60))
}

/// A small generator of numbers that look random.
pub struct Random(pub u64);

impl Random {
    /// A number below the limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % limit
    }

    fn letters(&mut self, most: u64) -> Vec<u8> {
        let length = self.below(most + 1);
        (0..length).map(|_| b'A' + self.below(4) as u8).collect()
    }

    fn key(&mut self) -> Vec<u8> {
        format!("{:03}", self.below(150)).into_bytes()
    }

    fn record(&mut self) -> Vec<u8> {
        let mut record = Vec::new();
        for most in [4, 3] {
            record.extend(self.letters(most));
            record.push(SEPARATOR);
        }
        match self.below(3) {
            0 => record.extend(b"    "),
            1 => {}
            _ => record.extend(format!("{:04}", self.below(400)).bytes()),
        }
        record.push(SEPARATOR);
        record.extend(self.letters(20));
        record
    }
}

#[derive(Clone)]
struct Record {
    id: u64,
    key: Vec<u8>,
    data: Vec<u8>,
}

impl Record {
    fn field(&self, number: usize, length: usize) -> Vec<u8> {
        let field = self.data.split(|byte| *byte == SEPARATOR).nth(number).unwrap_or_default();
        field[..field.len().min(length)].to_vec()
    }

    /// As programs see it; `None` when it is not in the order.
    fn shown(&self, order: usize) -> Option<Vec<u8>> {
        match order {
            0 => Some(self.key.clone()),
            1 => Some(self.field(0, 3)),
            2 => Some(self.field(1, 2)),
            _ => Some(self.field(2, 4)).filter(|key| !key.iter().all(|byte| *byte == b' ')),
        }
    }

    fn place(&self, order: usize) -> Option<(Vec<u8>, u64)> {
        Some((sort_form(order, &self.shown(order)?), self.id))
    }
}

/// Bytes in the order of a key: those of the second one go down.
fn sort_form(order: usize, key: &[u8]) -> Vec<u8> {
    if order != 2 {
        return key.to_vec();
    }
    let mut padded = key.to_vec();
    padded.resize(2.max(key.len()), 0);
    padded.iter().map(|byte| 255 - byte).collect()
}

/// The same of a key that is sought: no key at all is before all keys, in a descending order, too.
fn sought_form(order: usize, key: &[u8]) -> Vec<u8> {
    if key.is_empty() { Vec::new() } else { sort_form(order, key) }
}

/// A list of records, and the state of a channel.
#[derive(Default)]
pub struct Model {
    records: Vec<Record>,
    next_id: u64,
    order: usize,
    spot: (usize, Vec<u8>, u64),
    current: Option<u64>,
    stays: bool,
    sought: bool,
    physical: u64,
}

type Outcome<T> = Result<T, u16>;

impl Model {
    fn entries(&self, order: usize) -> Vec<(Vec<u8>, u64)> {
        let mut entries: Vec<_> = self.records.iter().filter_map(|record| record.place(order)).collect();
        entries.sort();
        entries
    }

    fn record(&self, id: u64) -> &Record {
        self.records.iter().find(|record| record.id == id).unwrap()
    }

    fn enter(&mut self, order: usize) -> bool {
        if self.spot.0 != order {
            let place = self.current.and_then(|id| self.record(id).place(order));
            let (key, id) = place.clone().unwrap_or_default();
            (self.spot, self.sought) = ((order, key, id), false);
            return place.is_some();
        }
        self.current.is_some()
    }

    fn behind(&self, order: usize, key: &[u8], id: u64) -> Option<u64> {
        self.entries(order).into_iter().find(|entry| *entry > (key.to_vec(), id)).map(|entry| entry.1)
    }

    fn ahead(&self, order: usize, key: &[u8], id: u64) -> Option<u64> {
        self.entries(order).into_iter().rev().find(|entry| *entry < (key.to_vec(), id)).map(|entry| entry.1)
    }

    fn relative(&mut self, order: usize, distance: i64) -> Outcome<u64> {
        self.enter(order);
        let (_, key, id) = self.spot.clone();
        let again = distance > 0 && self.stays || distance == 0 && self.current.is_some();
        let mut place = (key, if again { id.saturating_sub(1) } else { id });
        let mut found = None;
        for _ in 0..distance.unsigned_abs().max(1) {
            let next =
                if distance < 0 { self.ahead(order, &place.0, place.1) } else { self.behind(order, &place.0, place.1) };
            let id = next.ok_or(2_u16)?;
            place = self.record(id).place(order).unwrap();
            found = Some(id);
        }
        found.ok_or(2)
    }

    fn settle(&mut self, order: usize, id: u64) {
        let (key, id) = self.record(id).place(order).unwrap();
        (self.spot, self.current, self.physical) = ((order, key, id), Some(id), id);
        (self.stays, self.sought) = (false, false);
    }

    /// READ, FIND, EXTRACT.
    fn read(&mut self, place: &Place<'_>, mode: ReadMode, order: Option<Order>) -> Outcome<Vec<u8>> {
        let before = (self.spot.clone(), self.current, self.sought, self.order);
        let is_physical = order == Some(Order::Physical);
        if let Some(Order::Key(number)) = order {
            self.order = number;
        }
        let number = self.order;
        let found = match place {
            Place::Next if is_physical => {
                let from =
                    if self.stays && self.current == Some(self.physical) { self.physical - 1 } else { self.physical };
                self.records.iter().map(|record| record.id).filter(|id| *id > from).min().ok_or(2)
            }
            Place::Next => self.relative(number, 1),
            Place::Relative(distance) => self.relative(number, *distance),
            Place::Key(key) => {
                let form = sought_form(number, key);
                let entry = self.entries(number).into_iter().find(|entry| entry.0 == form);
                if entry.is_none() && mode != ReadMode::Find {
                    (self.spot, self.current, self.sought) = ((number, form, 0), None, true);
                }
                entry.map(|entry| entry.1).ok_or(11)
            }
            Place::Number(record) => self.entries(number).get(*record as usize - 1).map(|entry| entry.1).ok_or(2),
            Place::Index(_) => Err(0),
        };
        self.stays = false;
        if found.is_err() && mode == ReadMode::Find {
            (self.spot, self.current, self.sought, self.order) = before;
        }
        let id = found?;
        self.settle(if is_physical { 0 } else { number }, id);
        self.stays = mode == ReadMode::Extract;
        Ok(self.record(id).data.clone())
    }

    fn write(&mut self, key: &[u8], data: &[u8], mode: WriteMode) -> Outcome<()> {
        if key.len() > 5 {
            return Err(46);
        }
        let existing = self.records.iter().position(|record| record.key == key);
        match (mode, existing) {
            (WriteMode::New, Some(_)) | (WriteMode::Existing, None) => return Err(11),
            _ => {}
        }
        if data.len() > 60 {
            return Err(1);
        }
        let id = existing.map_or(self.next_id + 1, |place| self.records[place].id);
        let record = Record { id, key: key.to_vec(), data: data.to_vec() };
        let third = record.shown(3);
        if third.is_some() && self.records.iter().any(|other| other.id != id && other.shown(3) == third) {
            return Err(11);
        }
        match existing {
            Some(place) => self.records[place] = record,
            None => {
                self.next_id += 1;
                self.records.push(record);
            }
        }
        if let Some((key, id)) = self.record(id).place(self.order) {
            (self.spot, self.current, self.sought) = ((self.order, key, id), Some(id), false);
        }
        self.stays = false;
        Ok(())
    }

    fn remove(&mut self, key: Option<&[u8]>) -> Outcome<()> {
        let place = match (key, self.current) {
            (Some(key), _) => self.records.iter().position(|record| record.key == key),
            (None, Some(id)) => self.records.iter().position(|record| record.id == id),
            (None, None) => None,
        };
        let record = self.records.remove(place.ok_or(11_u16)?);
        self.stays = false;
        match record.place(self.order) {
            Some((key, id)) => (self.spot, self.current, self.sought) = ((self.order, key, id), None, false),
            None if self.current == Some(record.id) => self.current = None,
            None => {}
        }
        Ok(())
    }

    fn key(&mut self, function: &KeyFunction<'_>, number: usize) -> Outcome<Vec<u8>> {
        let before = (self.spot.clone(), self.sought);
        let entries = self.entries(number);
        let found = match function {
            KeyFunction::First => entries.first().map(|entry| entry.1),
            KeyFunction::Last => entries.last().map(|entry| entry.1),
            KeyFunction::Next => self.relative(number, 1).ok(),
            KeyFunction::AfterNext => self.relative(number, 1).ok().and_then(|id| {
                let (key, id) = self.record(id).place(number).unwrap();
                self.behind(number, &key, id)
            }),
            KeyFunction::After(key) => self.behind(number, &sought_form(number, key), u64::MAX),
            KeyFunction::Before(key) => self.ahead(number, &sought_form(number, key), 0),
            KeyFunction::Previous => {
                self.enter(number);
                let (_, key, id) = self.spot.clone();
                self.ahead(number, &key, id)
            }
            KeyFunction::AtNumber(record) => entries.get(*record as usize - 1).map(|entry| entry.1),
            KeyFunction::Current | KeyFunction::AtIndex(_) => self.current.filter(|_| self.enter(number)),
        };
        (self.spot, self.sought) = before;
        found.map(|id| self.record(id).shown(number).unwrap()).ok_or(2)
    }

    fn range(&self, number: usize, begin: &[u8], end: &[u8], is_prefix: bool) -> Vec<Vec<u8>> {
        let inverted = |key: &[u8]| -> Vec<u8> {
            // Bounds are not filled up.
            if number == 2 { key.iter().map(|byte| 255 - byte).collect() } else { key.to_vec() }
        };
        let (begin, end) = (inverted(begin), inverted(end));
        let is_before_end =
            |key: &[u8]| if is_prefix { key[..key.len().min(end.len())] <= end[..] } else { *key <= end[..] };
        let entries = self.entries(number).into_iter().filter(|entry| entry.0 >= begin);
        entries.take_while(|entry| is_before_end(&entry.0)).map(|entry| self.record(entry.1).data.clone()).collect()
    }
}

fn number<T>(outcome: mainstay_basic_files::Result<T>) -> Outcome<T> {
    outcome.map_err(|error| error.number())
}

/// Does `steps` random operations on both; `again` may close the file and open it again now and then.
pub fn run(
    seed: u64,
    steps: usize,
    mut file: Box<dyn RecordFile>,
    mut again: impl FnMut(Box<dyn RecordFile>, usize) -> (Box<dyn RecordFile>, bool),
) -> Box<dyn RecordFile> {
    let (mut random, mut model) = (Random(seed * 0x9E37_79B9 + 1), Model::default());
    for step in 0..steps {
        let reopened;
        (file, reopened) = again(file, step);
        if reopened {
            model = Model { records: model.records, next_id: model.next_id, ..Model::default() };
        }
        one_step(&mut random, &mut model, file.as_mut(), &format!("seed {seed}, step {step}"));
    }
    file
}

fn one_step(random: &mut Random, model: &mut Model, file: &mut dyn RecordFile, place: &str) {
    let key = random.key();
    let alternate = random.letters(3);
    match random.below(20) {
        0..=5 => {
            let modes = [WriteMode::Replace, WriteMode::Replace, WriteMode::New, WriteMode::Existing];
            let (mode, data) = (modes[random.below(4) as usize], random.record());
            let data = if random.below(60) == 0 { vec![b'x'; 61] } else { data };
            let key = if random.below(60) == 0 { b"123456".to_vec() } else { key };
            let found = number(file.write(&data, &WriteOptions::key(&key).with_mode(mode)));
            assert_eq!(found, model.write(&key, &data, mode), "{place}: write {key:?} {mode:?}");
        }
        6 => {
            let key = (random.below(3) > 0).then_some(&key[..]);
            assert_eq!(number(file.remove(key, None, Duration::ZERO)), model.remove(key), "{place}: remove {key:?}");
        }
        7..=13 => {
            let order = match random.below(8) {
                0..=3 => None,
                4 => Some(Order::Physical),
                other => Some(Order::Key(other as usize - 4)),
            };
            let at = match random.below(10) {
                _ if order == Some(Order::Physical) => Place::Next,
                0..=4 => Place::Next,
                5 => Place::Relative(random.below(6) as i64 - 3),
                6 => Place::Number(random.below(60) as i64 + 1),
                7 => Place::Key(&alternate),
                _ => Place::Key(&key),
            };
            let mode = [ReadMode::Read, ReadMode::Read, ReadMode::Find, ReadMode::Extract][random.below(4) as usize];
            let options = ReadOptions { order, ..ReadOptions::new(mode) };
            let found = number(file.read(at, &options).map(<[u8]>::to_vec));
            assert_eq!(found, model.read(&at, mode, order), "{place}: {mode:?} {at:?} {order:?}");
        }
        14..=17 => {
            let functions = [
                KeyFunction::First,
                KeyFunction::Last,
                KeyFunction::Next,
                KeyFunction::AfterNext,
                KeyFunction::Previous,
                KeyFunction::After(&alternate),
                KeyFunction::Before(&alternate),
                KeyFunction::AtNumber(random.below(60) as i64 + 1),
            ];
            let (function, order) = (functions[random.below(8) as usize], random.below(4) as usize);
            let found = number(file.key(function, Some(order)));
            assert_eq!(found, model.key(&function, order), "{place}: {function:?} of key {order}");
        }
        18 => {
            let order = random.below(4) as usize;
            let found = number(file.record_number(RecordReference::Key(&alternate), Some(order)));
            let form = sought_form(order, &alternate);
            let expected = model.entries(order).iter().position(|entry| entry.0 == form).map(|at| at as u64 + 1);
            assert_eq!(found, expected.ok_or(11), "{place}: number of {alternate:?} in {order}");
            assert_eq!(file.information().unwrap().records, model.records.len() as u64, "{place}");
        }
        _ => scan(random, model, file, place),
    }
}

fn scan(random: &mut Random, model: &mut Model, file: &mut dyn RecordFile, place: &str) {
    let order = random.below(3) as usize;
    let mut bounds = if order == 0 { [random.key(), random.key()] } else { [random.letters(3), random.letters(3)] };
    bounds.sort();
    if order == 2 {
        bounds.reverse();
    }
    let [begin, end] = bounds;
    let end_match = if random.below(2) == 0 { EndMatch::Prefix } else { EndMatch::Whole };
    let range = ScanRange {
        order: Some(Order::Key(order)),
        begin: Some(&begin),
        end: Some(&end),
        end_match,
        ..ScanRange::default()
    };
    let mut scan = file.scan(&range).unwrap();
    let mut found = Vec::new();
    while let Some(record) = file.scan_next(&mut scan).unwrap() {
        found.push(record.data.to_vec());
    }
    let expected = model.range(order, &begin, &end, end_match == EndMatch::Prefix);
    assert_eq!(found, expected, "{place}: {order} from {begin:?} to {end:?}, {end_match:?}");
    (model.order, model.stays) = (order, false);
    if let Some(last) = expected.last() {
        let entries = model.entries(order);
        let ids = entries.iter().rev().map(|entry| entry.1);
        let last = ids.filter(|id| model.record(*id).data == *last).collect::<Vec<_>>();
        // Several records may have the same bytes: the one that the channel names is one of them.
        let current = file.key(KeyFunction::Current, Some(0)).unwrap();
        let id = last.into_iter().find(|id| model.record(*id).key == current);
        model.settle(order, id.unwrap_or_else(|| panic!("{place}: the record after the range is {current:?}")));
    }
}
