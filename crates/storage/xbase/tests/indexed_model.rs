//! Random changes of a table against a simple model: the records in a vector, the tags as lists that are sorted anew for
//! each comparison. `MAINSTAY_TEST_SEEDS` makes it longer.

mod indexed_common;

use indexed_common::{compare, create, index, options, refs, table_spec, tag_specs};
use mainstay_types::{Date, Decimal, Value, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::Format;
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{IndexedTable, Savepoint, TagInfo, Transaction};
use mainstay_xbase::writer::Access;
use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Seed(u64);

impl Seed {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

/// A record of the model.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    deleted: bool,
    name: String,
    hundredths: Option<i64>,
    born: Option<Date>,
    here: Option<bool>,
    note: String,
}

impl Row {
    fn blank() -> Row {
        Row { deleted: false, name: String::new(), hundredths: None, born: None, here: None, note: String::new() }
    }

    fn random(seed: &mut Seed) -> Row {
        let stems = ["Anna", "ANNA", "Bert", "", "Zoe Long Name", "annabel", "B"];
        let mut name = format!("{}{}", stems[seed.below(7)], seed.below(12));
        name.truncate(12);
        let day = Date::from_ymd(1900 + seed.below(120) as i32, 1 + seed.below(12) as u32, 1 + seed.below(28) as u32);
        Row {
            deleted: false,
            name: name.trim_end().to_owned(),
            hundredths: (seed.below(8) > 0).then(|| seed.below(200_000) as i64 - 99_999),
            born: day.filter(|_| seed.below(6) > 0),
            here: [Some(true), Some(false), None][seed.below(3)],
            note: "memo ".repeat(seed.below(40)).trim_end().to_owned(),
        }
    }

    fn values(&self) -> [Value; 5] {
        [
            Value::Text(self.name.clone()),
            self.hundredths.map_or(Value::Null, |number| Value::Decimal(Decimal::new(number.into(), 2))),
            self.born.map_or(Value::Null, Value::Date),
            self.here.map_or(Value::Null, Value::Boolean),
            Value::Text(self.note.clone()),
        ]
    }

    /// The parts of the key in a tag, each to be compared as text; nothing if the tag does not list the record.
    fn key(&self, tag: &str, record: usize) -> Option<String> {
        let day = self.born.map_or_else(
            || " ".repeat(8),
            |day| {
                let (year, month, day) = day.ymd();
                format!("{year:04}{month:02}{day:02}")
            },
        );
        let name = format!("{:12}", self.name);
        Some(match tag {
            "NAME" => name.to_uppercase(),
            // Shifted, so that the order of the texts is that of the numbers.
            "NUMBER" => format!("{:09}", self.hundredths.unwrap_or(0) + 10_000_000),
            "BORN" => format!("{day}{name}"),
            "HERE" => (self.here == Some(true) && !self.deleted).then_some(name)?,
            "FIRST" => name[..2].to_owned(),
            "RECENT" => format!("{record:7}"),
            "LIVE" => (!self.deleted).then_some(day)?,
            other => panic!("{other}"),
        })
    }
}

/// The model: records, and which record a unique tag lists under which key.
#[derive(Clone, Debug, Default)]
struct Model {
    rows: Vec<Row>,
    unique: Vec<(String, usize)>,
}

impl Model {
    fn change(&mut self, record: usize, row: Row) {
        let old = self.rows[record - 1].key("FIRST", record);
        let new = row.key("FIRST", record);
        if old != new {
            self.unique.retain(|(key, listed)| *listed != record || Some(key) != old.as_ref());
            self.list(record, new);
        }
        self.rows[record - 1] = row;
    }

    fn append(&mut self, row: Row) {
        let record = self.rows.len() + 1;
        self.list(record, row.key("FIRST", record));
        self.rows.push(row);
    }

    fn list(&mut self, record: usize, key: Option<String>) {
        if let Some(key) = key.filter(|key| self.unique.iter().all(|(known, _)| known != key)) {
            self.unique.push((key, record));
        }
    }

    fn rebuild(&mut self) {
        self.unique.clear();
        for (at, row) in self.rows.clone().into_iter().enumerate() {
            self.list(at + 1, row.key("FIRST", at + 1));
        }
    }

    /// The records in the order of a tag, with their keys.
    fn walk(&self, tag: &TagInfo, falling_file: bool) -> Vec<(String, usize)> {
        let mut entries: Vec<(String, usize)> = match &*tag.name {
            "FIRST" => self.unique.clone(),
            name => {
                let keys = self.rows.iter().enumerate();
                keys.filter_map(|(at, row)| Some((row.key(name, at + 1)?, at + 1))).collect()
            }
        };
        let by_key = |left: &(String, usize), right: &(String, usize)| left.0.as_bytes().cmp(right.0.as_bytes());
        entries.sort_by(|left, right| match (tag.descending, falling_file) {
            (false, _) => by_key(left, right).then(left.1.cmp(&right.1)),
            // A CDX is read backwards, so that equal keys come in falling order; an NTX is in falling order itself.
            (true, false) => by_key(right, left).then(right.1.cmp(&left.1)),
            (true, true) => by_key(right, left).then(left.1.cmp(&right.1)),
        });
        entries
    }
}

/// A transaction, the model as it was before, and as it was at its savepoints.
type Begun = (Transaction, Model, Vec<(Savepoint, Model)>);

/// The table, the model, and what they go through together.
struct Run {
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    files: Vec<PathBuf>,
    kind: BagKind,
    seed: Seed,
    table: Option<IndexedTable>,
    /// Another program, beside which the table is written.
    other: Option<IndexedTable>,
    alone: bool,
    model: Model,
    transaction: Option<Begun>,
}

impl Run {
    fn new(format: Format, kind: BagKind, seed: u64) -> Run {
        let memory = Memory::new();
        memory.create_folder(Path::new("shop")).unwrap();
        let fs: Arc<dyn FileSystem> = Arc::new(memory);
        let path = PathBuf::from("shop/t.dbf");
        create(&fs, &path, &table_spec(format));
        let mut table = indexed_common::open(&fs, &path, Access::Exclusive);
        let files = index(&mut table, kind, &tag_specs());
        let seed = Seed(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let (model, transaction) = (Model::default(), None);
        Run { fs, path, files, kind, seed, table: Some(table), other: None, alone: true, model, transaction }
    }

    /// The table whose turn it is.
    fn table(&mut self) -> &mut IndexedTable {
        match &mut self.other {
            Some(other) if self.transaction.is_none() && self.seed.below(3) == 0 => other,
            _ => self.table.as_mut().unwrap(),
        }
    }

    fn reopen(&mut self) {
        self.table.take().unwrap().close().unwrap();
        self.other.take().map_or(Ok(()), IndexedTable::close).unwrap();
        self.alone = self.seed.below(3) == 0;
        let access = if self.alone { Access::Exclusive } else { Access::Shared };
        let open = || {
            let mut table = IndexedTable::open(Arc::clone(&self.fs), &self.path, options(access)).unwrap();
            for file in &self.files {
                table.open_bag(file).unwrap();
            }
            table
        };
        self.table = Some(open());
        self.other = (!self.alone).then(open);
    }

    fn step(&mut self) {
        let count = self.model.rows.len();
        let record = 1 + self.seed.below(count.max(1));
        match self.seed.below(40) {
            0..=9 => {
                let row = Row::random(&mut self.seed);
                let appended = self.table().append(&refs(&row.values())).unwrap();
                assert_eq!(appended as usize, count + 1);
                self.model.append(row);
            }
            10 => {
                self.table().append_blank().unwrap();
                self.model.append(Row::blank());
            }
            11 => {
                let rows: Vec<Row> = (0..1 + self.seed.below(30)).map(|_| Row::random(&mut self.seed)).collect();
                let values: Vec<[Value; 5]> = rows.iter().map(Row::values).collect();
                let values: Vec<Vec<ValueRef<'_>>> = values.iter().map(|values| refs(values)).collect();
                self.table().append_many(values.iter().map(Vec::as_slice)).unwrap();
                rows.into_iter().for_each(|row| self.model.append(row));
            }
            12..=25 if count > 0 => self.update(record),
            26..=31 if count > 0 => {
                let deleted = self.seed.below(2) == 0;
                self.table().set_deleted(record as u64, deleted).unwrap();
                let row = Row { deleted, ..self.model.rows[record - 1].clone() };
                self.model.change(record, row);
            }
            32 => self.table().flush().unwrap(),
            39 if count > 0 => self.write_bytes(record),
            33..=36 => self.transact(),
            37 if self.transaction.is_none() => self.reopen(),
            38 if self.transaction.is_none() && self.alone => self.make_anew(),
            _ => {}
        }
    }

    fn update(&mut self, record: usize) {
        let (old, new) = (self.model.rows[record - 1].clone(), Row::random(&mut self.seed));
        let chosen: Vec<usize> = (0..5).filter(|_| self.seed.below(2) == 0).collect();
        let values = new.values();
        let changes: Vec<(usize, ValueRef<'_>)> = chosen.iter().map(|at| (*at, values[*at].as_ref())).collect();
        self.table().update(record as u64, &changes).unwrap();
        let mut row = old;
        for at in chosen {
            match at {
                0 => row.name = new.name.clone(),
                1 => row.hundredths = new.hundredths,
                2 => row.born = new.born,
                3 => row.here = new.here,
                _ => row.note = new.note.clone(),
            }
        }
        self.model.change(record, row);
    }

    /// The bytes of a record, changed, and those of a new one.
    fn write_bytes(&mut self, record: usize) {
        let row = Row { note: String::new(), deleted: false, ..Row::random(&mut self.seed) };
        let table = self.table();
        let mut bytes = Vec::new();
        table.read(record as u64, &mut bytes).unwrap();
        let name = table.fields()[0].clone();
        bytes[name.offset..name.offset + name.length].copy_from_slice(format!("{:12}", row.name).as_bytes());
        table.write_record(record as u64, &bytes).unwrap();
        let changed = Row { name: row.name, ..self.model.rows[record - 1].clone() };
        self.model.change(record, changed);
        if self.model.rows[record - 1].note.is_empty() {
            let appended = self.table().append_record(&bytes).unwrap() as usize;
            assert_eq!(appended, self.model.rows.len() + 1);
            let row = self.model.rows[record - 1].clone();
            self.model.append(row);
        }
    }

    fn transact(&mut self) {
        let Some((transaction, before, mut savepoints)) = self.transaction.take() else {
            let transaction = Transaction::begin(Arc::clone(&self.fs));
            self.table.as_mut().unwrap().enlist(&transaction).unwrap();
            self.transaction = Some((transaction, self.model.clone(), Vec::new()));
            return;
        };
        let mut table = self.table.take().unwrap();
        match self.seed.below(5) {
            0 | 1 => savepoints.push((transaction.savepoint(), self.model.clone())),
            2 if !savepoints.is_empty() => {
                savepoints.truncate(1 + self.seed.below(savepoints.len()));
                let (savepoint, model) = savepoints.last().unwrap();
                transaction.rollback_to(*savepoint, &mut [&mut table]).unwrap();
                self.model.clone_from(model);
                self.model.unique = unique_of(&mut table, &self.model);
            }
            3 => {
                transaction.rollback(&mut [&mut table]).unwrap();
                self.model = before.clone();
                self.model.unique = unique_of(&mut table, &self.model);
            }
            _ => transaction.commit(&mut [&mut table]).unwrap(),
        }
        self.table = Some(table);
        if !transaction.is_ended() {
            self.transaction = Some((transaction, before, savepoints));
        }
    }

    fn make_anew(&mut self) {
        let go_on = &mut |_, _| ControlFlow::Continue(());
        match self.seed.below(6) {
            0 => {
                self.table().zap().unwrap();
                self.model.rows.clear();
            }
            1..=3 => {
                self.table().pack(go_on).unwrap();
                self.model.rows.retain(|row| !row.deleted);
            }
            _ => self.table().reindex(go_on).unwrap(),
        }
        self.model.rebuild();
    }

    fn compare(&mut self, what: &str) {
        let falling_file = matches!(self.kind, BagKind::Ntx | BagKind::CompoundNtx);
        let table = self.table.as_mut().unwrap();
        assert_eq!(table.count().unwrap() as usize, self.model.rows.len(), "{what}");
        let mut bytes = Vec::new();
        for (at, row) in self.model.rows.iter().enumerate() {
            table.read(at as u64 + 1, &mut bytes).unwrap();
            assert_eq!(bytes[0] == b'*', row.deleted, "{what}: record {}", at + 1);
            let found: Vec<Value> = (0..5).map(|field| table.value(field, &bytes).unwrap()).collect();
            assert_eq!(found, row.values(), "{what}: record {}", at + 1);
        }
        for info in table.tags() {
            let wanted = self.model.walk(&info, falling_file);
            let tag = table.tag(info.id).unwrap();
            let mut cursor = tag.cursor();
            let mut found = Vec::new();
            let mut next = cursor.first().unwrap();
            while let Some(record) = next {
                found.push(record as usize);
                next = cursor.next().unwrap();
            }
            let records: Vec<usize> = wanted.iter().map(|(_, record)| *record).collect();
            assert_eq!(found, records, "{what}: tag {}", info.name);
            for (at, (key, _)) in wanted.iter().enumerate().step_by(wanted.len() / 10 + 1) {
                let record = records[at];
                table.read(record as u64, &mut bytes).unwrap();
                let stored = table.key_of(info.id, record as u64, &bytes).unwrap().unwrap();
                let tag = table.tag(info.id).unwrap();
                let seek = tag.cursor().seek(&stored, false, false).unwrap();
                let first = wanted.iter().find(|(other, _)| other.cmp(key) == Ordering::Equal).unwrap().1;
                assert_eq!(seek.record, Some(first as u32), "{what}: tag {}, key {key}", info.name);
            }
        }
    }
}

/// Undoing puts keys back into a unique tag if no other record has them by then; the model does not predict the listed
/// record, only that each key is there once and is its record's.
fn unique_of(table: &mut IndexedTable, model: &Model) -> Vec<(String, usize)> {
    let Some(id) = table.find_tag("FIRST") else { return Vec::new() };
    let mut found = Vec::new();
    for (_, record) in indexed_common::walk(&table.tag(id).unwrap()).unwrap() {
        let record = record as usize;
        let key = model.rows[record - 1].key("FIRST", record).unwrap();
        assert!(found.iter().all(|(known, _)| *known != key), "a unique tag lists {key} twice");
        found.push((key, record));
    }
    found
}

fn seeds() -> u64 {
    std::env::var("MAINSTAY_TEST_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

#[test]
fn random_changes_agree_with_the_model() {
    let formats =
        [Format::DbaseThree, Format::DbaseFour, Format::FoxPro, Format::Six, Format::VisualFoxPro, Format::Dbase7];
    let kinds = [BagKind::Cdx, BagKind::CompactIdx, BagKind::PlainIdx, BagKind::Ntx, BagKind::CompoundNtx];
    for format in formats {
        for kind in kinds {
            for seed in 1..=seeds() {
                let mut run = Run::new(format, kind, seed);
                for step in 0..160 {
                    run.step();
                    if step % 20 == 19 {
                        run.compare(&format!("{format:?} {kind:?} seed {seed} step {step}"));
                    }
                }
                if let Some((transaction, ..)) = run.transaction.take() {
                    transaction.commit(&mut [run.table.as_mut().unwrap()]).unwrap();
                }
                run.table.take().unwrap().close().unwrap();
                drop(run.other.take());
                let compared = compare(&run.fs, &run.path, &run.files);
                compared.unwrap_or_else(|complaint| panic!("{format:?} {kind:?} seed {seed}: {complaint}"));
            }
        }
    }
}
