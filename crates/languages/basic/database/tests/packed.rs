//! Fields of keyed files changed by SQL, beside channels of programs. The rules are those of docs/basic-files.md.

use mainstay_basic_database::DatabaseVolume;
use mainstay_basic_files::{
    FileDefinition, FileKind, FolderVolume, KeyDefinitions, OpenMode, OpenOptions, Order, Place, ReadMode, ReadOptions,
    RecordFile, RecordFormat, SessionId, Volume, WriteOptions,
};
use mainstay_basic_tables::TableVolume;
use mainstay_engine::{Database, Session};
use mainstay_types::{Code, Error};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

struct Shop {
    database: Database,
    volume: DatabaseVolume,
    _folder: tempfile::TempDir,
}

impl Shop {
    fn new() -> Shop {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        let plain = Arc::new(FolderVolume::new(Arc::clone(database.files()), folder.path()));
        let keyed = Arc::new(TableVolume::new(database.native_store().unwrap(), plain, database.durability()));
        Shop { volume: DatabaseVolume::new(keyed, database.clone()), database, _folder: folder }
    }

    /// A keyed file with a layout, open.
    fn with(keys: &str, change: impl FnOnce(&mut FileDefinition), layout: &str) -> (Shop, Box<dyn RecordFile>) {
        let shop = Shop::new();
        let keys = KeyDefinitions::parse(keys).unwrap();
        let mut definition = FileDefinition::new(FileKind::Keyed, keys, RecordFormat::DEFAULT);
        change(&mut definition);
        shop.volume.create("items", &definition).unwrap();
        shop.volume.set_layout("items", Some(layout)).unwrap();
        let file = shop.open();
        (shop, file)
    }

    fn open(&self) -> Box<dyn RecordFile> {
        self.volume.open("items", &OpenOptions::new(SessionId(1), OpenMode::Shared)).unwrap()
    }
}

/// The rows of a query, or the number of changed rows.
fn run(session: &mut Session, text: &str) -> Result<Vec<String>, Error> {
    let mut answer = session.execute(text)?;
    let mut rows = Vec::new();
    while let Some(batch) = answer.next_batch()? {
        for row in 0..batch.num_rows() {
            let cell = |column: &arrow_array::ArrayRef| match mainstay_columnar::values::value_at(column, row).unwrap()
            {
                mainstay_types::Value::Text(text) => text,
                other => other.to_string(),
            };
            rows.push(batch.columns().iter().map(cell).collect::<Vec<_>>().join("|"));
        }
    }
    Ok(rows)
}

fn refused(session: &mut Session, text: &str) -> (Code, String) {
    let error = run(session, text).expect_err(text);
    (error.code(), error.to_string())
}

fn record(fields: &[&str]) -> Vec<u8> {
    fields.iter().flat_map(|field| field.bytes().chain([0x8A])).collect()
}

/// The records in the order of a key, with `|` for the separator.
fn in_order(file: &mut dyn RecordFile, key: usize) -> Vec<String> {
    let mut records = Vec::new();
    let mut place = Place::Number(1);
    let options = ReadOptions::in_order(Order::Key(key));
    while let Ok(bytes) = file.read(std::mem::replace(&mut place, Place::Next), &options) {
        records.push(bytes.iter().map(|byte| if *byte == 0x8A { '|' } else { char::from(*byte) }).collect());
    }
    records
}

#[test]
fn changed_rows_keep_all_keys() {
    let (shop, mut file) = Shop::with("[1:1:4],[\"name\":2:1:10]", |_| {}, "ID$,NAME$,OWED");
    let mut sql = shop.database.session();
    file.write(&record(&["0002", "Bob", "-3", "further"]), &WriteOptions::default()).unwrap();
    run(&mut sql, "INSERT INTO items_fields (id, name, owed) VALUES ('0003', 'Ann', 12.50), ('0001', 'Cy', NULL)")
        .unwrap();
    assert_eq!(in_order(file.as_mut(), 0), ["0001|Cy||", "0002|Bob|-3|further|", "0003|Ann|12.5|"]);
    assert_eq!(in_order(file.as_mut(), 1), ["0003|Ann|12.5|", "0002|Bob|-3|further|", "0001|Cy||"]);
    // Fields that are not assigned to stay, and those behind the layout too.
    run(&mut sql, "UPDATE items_fields SET name = 'Zoe', owed = owed + 1 WHERE id = '0002'").unwrap();
    run(&mut sql, "DELETE FROM items_fields WHERE name = 'Cy'").unwrap();
    assert_eq!(in_order(file.as_mut(), 1), ["0003|Ann|12.5|", "0002|Zoe|-2|further|"]);
    // The primary key changes like any field.
    let shown =
        run(&mut sql, "UPDATE items_fields SET id = '0000' WHERE name = 'Zoe' RETURNING id, name, owed").unwrap();
    assert_eq!(shown, ["0000|Zoe|-2"]);
    assert_eq!(in_order(file.as_mut(), 0), ["0000|Zoe|-2|further|", "0003|Ann|12.5|"]);
    // A record that a program adds has another number than those that SQL has added.
    file.write(&record(&["0009", "Dan", "1"]), &WriteOptions::default()).unwrap();
    run(&mut sql, "INSERT INTO items_fields (id) VALUES ('0008')").unwrap();
    let numbers = run(&mut sql, "SELECT COUNT(*), COUNT(DISTINCT record_index) FROM items_fields").unwrap();
    assert_eq!(numbers, ["4|4"]);
}

#[test]
fn keys_that_are_there_already_are_refused() {
    let (shop, mut file) = Shop::with("[1:1:4],[2:1:10:\"U\"],[3:1:2:\"K\"]", |_| {}, "ID$,NAME$,GROUP$");
    let mut sql = shop.database.session();
    run(&mut sql, "INSERT INTO items_fields (id, name, \"group\") VALUES ('1', 'Ann', 'A'), ('2', 'Bob', '')").unwrap();
    for statement in [
        "INSERT INTO items_fields (id, name) VALUES ('1', 'Cy')",
        "INSERT INTO items_fields (id, name) VALUES ('3', 'Ann')",
        "UPDATE items_fields SET name = 'Ann' WHERE id = '2'",
        "UPDATE items_fields SET id = '1'",
    ] {
        assert_eq!(refused(&mut sql, statement).0, Code::UniqueViolation, "{statement}");
    }
    // Keys are compared when the statement has ended: two rows swap theirs.
    run(&mut sql, "UPDATE items_fields SET name = CASE name WHEN 'Ann' THEN 'Bob' ELSE 'Ann' END").unwrap();
    assert_eq!(in_order(file.as_mut(), 1), ["2|Ann||", "1|Bob|A|"]);
    // Attribute K: a record with an empty segment is not in the order of the key.
    assert_eq!(in_order(file.as_mut(), 2), ["1|Bob|A|"]);
    run(&mut sql, "UPDATE items_fields SET \"group\" = CASE id WHEN '1' THEN NULL ELSE 'B' END").unwrap();
    assert_eq!(in_order(file.as_mut(), 2), ["2|Ann|B|"]);
}

#[test]
fn values_that_a_field_cannot_have_are_refused() {
    let limited = |definition: &mut FileDefinition| definition.format = RecordFormat::Variable(20);
    let layout = "field 1 id text(4), field 2 name text, field 3 owed decimal(9,2)";
    let (shop, mut file) = Shop::with("[1:1:4]", limited, layout);
    let mut sql = shop.database.session();
    run(&mut sql, "INSERT INTO items_fields (id, name, owed) VALUES ('1', 'Ann', 1)").unwrap();
    let long = refused(&mut sql, "UPDATE items_fields SET id = 'too long'");
    assert!(long.1.contains("column id"), "{long:?}");
    let separator = refused(&mut sql, "UPDATE items_fields SET name = 'a' || chr(138)");
    assert!(separator.0 == Code::InvalidValue && separator.1.contains("column name"), "{separator:?}");
    let letter = refused(&mut sql, "UPDATE items_fields SET name = '\u{4e2d}'");
    assert!(letter.0 == Code::InvalidValue && letter.1.contains("column name"), "{letter:?}");
    let record = refused(&mut sql, "UPDATE items_fields SET name = 'a name of 19 letters'");
    assert!(record.1.contains("the file allows 20"), "{record:?}");
    assert!(refused(&mut sql, "UPDATE items_fields SET owed = 'many'").1.contains("owed"));
    for statement in ["UPDATE items_fields SET record_index = 9", "INSERT INTO items_fields VALUES (9, '2', 'B', 1)"] {
        refused(&mut sql, statement);
    }
    let conflict = "INSERT INTO items_fields (id) VALUES ('1') ON CONFLICT DO NOTHING";
    assert_eq!(refused(&mut sql, conflict).0, Code::Unsupported);
    assert_eq!(in_order(file.as_mut(), 0), ["1|Ann|1|"]);
    // The raw table and views of something else stay read only.
    assert_eq!(refused(&mut sql, "UPDATE items SET record = record").0, Code::CheckViolation);
    run(&mut sql, "CREATE VIEW plain AS SELECT record_index FROM items").unwrap();
    assert_eq!(refused(&mut sql, "DELETE FROM plain").0, Code::ReadOnly);
}

#[test]
fn external_keys_separators_and_fixed_lengths() {
    let change = |definition: &mut FileDefinition| {
        definition.separator = b',';
        definition.format = RecordFormat::Fixed(12);
    };
    let (shop, mut file) = Shop::with("6,[1:1:5]", change, "NAME$,OWED");
    let mut sql = shop.database.session();
    run(&mut sql, "INSERT INTO items_fields (\"key\", name, owed) VALUES ('K1', 'Ann', 2.5)").unwrap();
    let text = |file: &mut dyn RecordFile, key: &[u8]| {
        String::from_utf8(file.read(Place::Key(key), &ReadOptions::default()).unwrap().to_vec()).unwrap()
    };
    assert_eq!(text(file.as_mut(), b"K1"), "Ann,2.5,\0\0\0\0");
    // The filling makes room, and comes back.
    run(&mut sql, "UPDATE items_fields SET name = 'Annabel'").unwrap();
    assert_eq!(text(file.as_mut(), b"K1"), "Annabel,2.5,");
    run(&mut sql, "UPDATE items_fields SET name = 'A', \"key\" = 'K2'").unwrap();
    assert_eq!(text(file.as_mut(), b"K2"), "A,2.5,\0\0\0\0\0\0");
    assert_eq!(run(&mut sql, "SELECT \"key\", name, owed FROM items_fields").unwrap(), ["K2|A|2.5"]);
    let missing = refused(&mut sql, "INSERT INTO items_fields (name) VALUES ('B')");
    assert!(missing.1.contains("which is missing"), "{missing:?}");
    let long = refused(&mut sql, "INSERT INTO items_fields (\"key\") VALUES ('1234567')");
    assert!(long.1.contains("column key"), "{long:?}");
    assert!(refused(&mut sql, "UPDATE items_fields SET name = 'Annabella'").1.contains("the file allows 12"));
}

#[test]
fn each_type_of_records_is_a_view_that_keeps_its_type() {
    let layout = "by field 1: \"H\" header(*,ID$,TOTAL), \"L\" line(*,ID$,ITEM$,QTY)";
    let (shop, mut file) = Shop::with("[1:1:1]+[2:1:6]", |_| {}, layout);
    let mut sql = shop.database.session();
    run(&mut sql, "INSERT INTO items_header (id, total) VALUES ('1', 7)").unwrap();
    run(&mut sql, "INSERT INTO items_line (id, item, qty) VALUES ('1', 'bolt', 3)").unwrap();
    assert_eq!(in_order(file.as_mut(), 0), ["H|1|7|", "L|1|bolt|3|"]);
    run(&mut sql, "UPDATE items_line SET qty = qty * 2").unwrap();
    run(&mut sql, "UPDATE items_header SET total = 8").unwrap();
    assert_eq!(in_order(file.as_mut(), 0), ["H|1|8|", "L|1|bolt|6|"]);
    assert_eq!(run(&mut sql, "SELECT record_type, id FROM items_fields ORDER BY 1").unwrap(), ["H|1", "L|1"]);
    // A view with the type as a column does not let rows leave it.
    let own = "CREATE VIEW headers AS SELECT field_text(record, 1) AS kind, field_text(record, 2) AS id \
               FROM items WHERE field_text(record, 1) = 'H'";
    run(&mut sql, own).unwrap();
    assert_eq!(refused(&mut sql, "UPDATE headers SET kind = 'L'").0, Code::CheckViolation);
    assert_eq!(refused(&mut sql, "INSERT INTO headers (kind, id) VALUES ('L', '2')").0, Code::CheckViolation);
    run(&mut sql, "DELETE FROM headers").unwrap();
    assert_eq!(in_order(file.as_mut(), 0), ["L|1|bolt|6|"]);
    // Another layout replaces the views.
    shop.volume.set_layout("items", Some("KIND$,ID$")).unwrap();
    assert_eq!(refused(&mut sql, "SELECT * FROM items_line").0, Code::UnknownTable);
    assert_eq!(run(&mut sql, "SELECT kind, id FROM items_fields").unwrap(), ["L|1"]);
}

#[test]
fn merge_queries_and_auto_increment() {
    let (shop, mut file) = Shop::with("[1:1:4:\"+\"],[2:1:9]", |_| {}, "ID$,NAME$,OWED");
    let mut sql = shop.database.session();
    run(&mut sql, "CREATE TABLE news (id VARCHAR(4), name VARCHAR(9), owed INTEGER)").unwrap();
    run(&mut sql, "INSERT INTO news VALUES ('0001', 'Ann', 1), ('0002', 'Bob', 2)").unwrap();
    run(&mut sql, "INSERT INTO items_fields (id, name, owed) SELECT id, name, owed FROM news WHERE owed = 1").unwrap();
    let merge = "MERGE INTO items_fields AS i USING news AS n ON i.id = n.id \
                 WHEN MATCHED THEN UPDATE SET owed = i.owed + n.owed \
                 WHEN NOT MATCHED THEN INSERT (id, name, owed) VALUES (n.id, n.name, n.owed)";
    run(&mut sql, merge).unwrap();
    assert_eq!(in_order(file.as_mut(), 0), ["0001|Ann|2|", "0002|Bob|2|"]);
    run(&mut sql, "UPDATE items_fields SET name = n.name || '!' FROM news n WHERE n.id = items_fields.id").unwrap();
    assert_eq!(in_order(file.as_mut(), 1), ["0001|Ann!|2|", "0002|Bob!|2|"]);
    // Records without a number get the next ones, within a statement too.
    run(&mut sql, "INSERT INTO items_fields (name) VALUES ('Cy'), ('Dan')").unwrap();
    assert_eq!(in_order(file.as_mut(), 0)[2..], ["0003|Cy||", "0004|Dan||"]);
}

#[test]
fn one_transaction_covers_fields_and_channels_wait_for_it() {
    let (shop, mut file) = Shop::with("[1:1:4],[2:1:9]", |_| {}, "ID$,NAME$");
    let mut sql = shop.database.session();
    file.write(&record(&["1", "Ann"]), &WriteOptions::default()).unwrap();
    run(&mut sql, "BEGIN").unwrap();
    run(&mut sql, "UPDATE items_fields SET name = 'Bob'").unwrap();
    run(&mut sql, "INSERT INTO items_fields (id, name) VALUES ('2', 'Cy')").unwrap();
    // Programs see what is committed, and cannot change the row: error 0.
    assert_eq!(in_order(file.as_mut(), 0), ["1|Ann|"]);
    let busy = file.write(&record(&["1", "Dan"]), &WriteOptions::default()).unwrap_err();
    assert_eq!(busy.number(), 0);
    run(&mut sql, "ROLLBACK").unwrap();
    assert_eq!(in_order(file.as_mut(), 0), ["1|Ann|"]);
    run(&mut sql, "BEGIN").unwrap();
    assert_eq!(run(&mut sql, "SELECT name FROM items_fields WHERE id = '1' FOR UPDATE").unwrap(), ["Ann"]);
    assert_eq!(file.write(&record(&["1", "Dan"]), &WriteOptions::default()).unwrap_err().number(), 0);
    run(&mut sql, "COMMIT").unwrap();
    // A record that is extracted is not changed by SQL until it is released.
    file.read(Place::Key(b"1"), &ReadOptions::new(ReadMode::Extract)).unwrap();
    run(&mut sql, "SET lock_timeout = '50ms'").unwrap();
    assert_eq!(refused(&mut sql, "UPDATE items_fields SET name = 'Eve'").0, Code::LockTimeout);
    file.release().unwrap();
    run(&mut sql, "UPDATE items_fields SET name = 'Eve'").unwrap();
    assert_eq!(in_order(file.as_mut(), 1), ["1|Eve|"]);
}

#[test]
fn columns_of_the_same_bytes_do_not_overwrite_each_other() {
    let (shop, mut file) = Shop::with("[1:1:4]", |_| {}, "ID$,NAME$");
    let mut sql = shop.database.session();
    let view = "CREATE VIEW raws AS SELECT field_text(record, 1) AS id, field_text(record, 2) AS name, \
                code_page_text(record) AS raw, field_text(record, 2) AS again FROM items";
    run(&mut sql, view).unwrap();
    run(&mut sql, "INSERT INTO raws (id, name) VALUES ('1', 'Ann')").unwrap();
    run(&mut sql, "INSERT INTO raws (raw) VALUES ('2' || chr(138) || 'Bob' || chr(138) || 'x')").unwrap();
    run(&mut sql, "INSERT INTO raws (name, raw) VALUES ('Eve', '3' || chr(138) || 'Cy' || chr(138))").unwrap();
    run(&mut sql, "INSERT INTO raws (id, again, name) VALUES ('4', 'Dan', 'Dan')").unwrap();
    let all = ["1|Ann|", "2|Bob|x", "3|Eve|", "4|Dan|"];
    assert_eq!(in_order(file.as_mut(), 0), all);
    for statement in
        ["INSERT INTO raws (id, name, again) VALUES ('5', 'Ann', 'Bob')", "UPDATE raws SET name = 'Ann', again = 'Bob'"]
    {
        let (code, text) = refused(&mut sql, statement);
        assert!(code == Code::InvalidValue && text.contains("the same field"), "{text}");
    }
    assert_eq!(in_order(file.as_mut(), 0), all);
    run(&mut sql, "UPDATE raws SET name = 'Zoe', raw = '1' || chr(138) || 'Yve' || chr(138) WHERE id = '1'").unwrap();
    assert_eq!(in_order(file.as_mut(), 0)[0], "1|Zoe|");
    // A field that would need gigabytes of separators before it has no inverse.
    run(
        &mut sql,
        "CREATE VIEW far AS SELECT field_text(record, 1) AS id, field_text(record, 4000000000) AS z FROM items",
    )
    .unwrap();
    run(&mut sql, "INSERT INTO far (id) VALUES ('6')").unwrap();
    refused(&mut sql, "UPDATE far SET z = 'x'");
    assert_eq!(in_order(file.as_mut(), 0)[4], "6|");
}

#[test]
fn statements_of_a_program_come_after_its_gathered_changes() {
    let (shop, file) = Shop::with("[1:1:4],[2:1:9]", |_| {}, "ID$,NAME$");
    drop(file);
    let mut file = shop.volume.open("items", &OpenOptions::new(SessionId(1), OpenMode::Lock)).unwrap();
    file.write(&record(&["1", "Ann"]), &WriteOptions::default()).unwrap();
    let mut statements = shop.volume.open("[ODB]shop;", &OpenOptions::new(SessionId(1), OpenMode::Shared)).unwrap();
    let update = b"UPDATE items_fields SET name = name || '!' WHERE id = '1'";
    statements.write(update, &WriteOptions::default()).unwrap();
    file.write(&record(&["2", "Bob"]), &WriteOptions::default()).unwrap();
    statements.write(update, &WriteOptions::default()).unwrap();
    assert_eq!(in_order(file.as_mut(), 0), ["1|Ann!!|", "2|Bob|"]);
}

/// A generator of numbers that is the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Random operations through SQL and through channels, against a sorted map from the primary key to name and amount.
#[test]
fn random_operations_agree_with_a_sorted_map() {
    let (shop, mut file) = Shop::with("[1:1:4],[2:1:6]+[1:1:4],[3:1:6:\"B\"]", |_| {}, "ID$,NAME$,OWED");
    let mut sql = shop.database.session();
    let mut model: BTreeMap<String, (String, i64)> = BTreeMap::new();
    let mut random = Random(20_261_128);
    for step in 0..600 {
        let id = format!("{:04}", random.below(40));
        let (name, owed) = (format!("n{}", random.below(9)), random.below(200) as i64 - 100);
        let is_there = model.contains_key(&id);
        match random.below(6) {
            0 => {
                let text = format!("INSERT INTO items_fields (id, name, owed) VALUES ('{id}', '{name}', {owed})");
                assert_eq!(run(&mut sql, &text).is_err(), is_there, "step {step}");
                model.entry(id).or_insert((name, owed));
            }
            1 => {
                let text = format!("UPDATE items_fields SET name = '{name}', owed = owed + 1 WHERE id = '{id}'");
                run(&mut sql, &text).unwrap();
                if let Some(row) = model.get_mut(&id) {
                    *row = (name, row.1 + 1);
                }
            }
            2 => {
                run(&mut sql, &format!("DELETE FROM items_fields WHERE id = '{id}'")).unwrap();
                model.remove(&id);
            }
            3 => {
                let to = format!("{:04}", random.below(40));
                let text = format!("UPDATE items_fields SET id = '{to}' WHERE id = '{id}'");
                let is_taken = is_there && to != id && model.contains_key(&to);
                assert_eq!(run(&mut sql, &text).is_err(), is_taken, "step {step}");
                if is_there && !is_taken {
                    let row = model.remove(&id).unwrap();
                    model.insert(to, row);
                }
            }
            4 => {
                file.write(&record(&[&id, &name, &owed.to_string()]), &WriteOptions::default()).unwrap();
                model.insert(id, (name, owed));
            }
            _ => {
                assert_eq!(file.remove(Some(id.as_bytes()), None, Duration::ZERO).is_ok(), is_there, "step {step}");
                model.remove(&id);
            }
        }
        if step % 20 == 0 {
            check(&model, file.as_mut(), &mut sql);
        }
    }
    check(&model, file.as_mut(), &mut sql);
}

fn check(model: &BTreeMap<String, (String, i64)>, file: &mut dyn RecordFile, sql: &mut Session) {
    let line = |(id, (name, owed)): (&String, &(String, i64))| format!("{id}|{name}|{owed}");
    let by_id: Vec<String> = model.iter().map(line).collect();
    let rows = run(sql, "SELECT id, name, owed FROM items_fields ORDER BY id").unwrap();
    assert_eq!(rows, by_id);
    let ended = |lines: Vec<String>| lines.into_iter().map(|line| line + "|").collect::<Vec<_>>();
    assert_eq!(in_order(file, 0), ended(by_id));
    let mut by_name: Vec<_> = model.iter().collect();
    by_name.sort_by(|one, other| (&one.1.0, one.0).cmp(&(&other.1.0, other.0)));
    assert_eq!(in_order(file, 1), ended(by_name.into_iter().map(line).collect()));
    let numbers = |record: &String| record.split('|').nth(2).unwrap().parse::<i64>().unwrap();
    let by_number: Vec<i64> = in_order(file, 2).iter().map(numbers).collect();
    assert!(by_number.len() == model.len() && by_number.is_sorted(), "{by_number:?}");
}

#[test]
fn conditions_on_fields_use_the_keys() {
    let (shop, mut file) = Shop::with("[1:1:4],[\"town\":2:1:6]+[1:1:4],[3:1:3:\"N\"]", |_| {}, "ID$,TOWN$,CODE$,OWED");
    for number in 0..2_000 {
        let (id, town) = (format!("{number:04}"), format!("Town{:02}", number % 50));
        let code = if number % 2 == 0 { String::new() } else { format!("C{}", number % 7) };
        file.write(&record(&[&id, &town, &code, "1"]), &WriteOptions::default()).unwrap();
    }
    let mut sql = shop.database.session();
    let mut plan = |condition: &str| {
        let plan = run(&mut sql, &format!("EXPLAIN SELECT id FROM items_fields WHERE {condition}")).unwrap().join(" ");
        let counted = format!("SELECT COUNT(*) FROM items_fields WHERE {condition}");
        let count: usize = run(&mut sql, &counted).unwrap()[0].parse().unwrap();
        let index =
            plan.split("index=").nth(1).map(|rest| rest.trim_start_matches('(').split(':').next().unwrap().to_owned());
        (index.unwrap_or_default(), count)
    };
    assert_eq!(plan("id = '0123'"), ("items_key_0".to_owned(), 1));
    assert_eq!(plan("town = 'Town07'"), ("items_key_1".to_owned(), 40));
    // A town that fills its segment, and a part of the next one.
    assert_eq!(plan("town = 'Town07' AND id >= '1000'"), ("items_key_1".to_owned(), 20));
    assert_eq!(plan("town LIKE 'Town0%' AND owed = 1"), ("items_key_1".to_owned(), 400));
    assert_eq!(plan("id IN ('0001', '1999', 'none')"), ("items_key_0".to_owned(), 2));
    assert_eq!(plan("id BETWEEN '0010' AND '0019'"), ("items_key_0".to_owned(), 10));
    assert_eq!(plan("id = '0001' OR town = 'Town02'"), ("items_key_0".to_owned(), 41));
    assert_eq!(plan("code = 'C3'"), ("items_key_2".to_owned(), 143));
    // Without case: a range for each way to write the letters; what has none is like any other text.
    assert_eq!(plan("town COLLATE ci_as = 'TOWN07'"), ("items_key_1".to_owned(), 40));
    assert_eq!(plan("town COLLATE ci_as LIKE 'tOWN0%'"), ("items_key_1".to_owned(), 400));
    assert_eq!(plan("id COLLATE ci_as >= '1990'"), ("items_key_0".to_owned(), 10));
    // Records with an empty code have no key of this number.
    assert_eq!(plan("code < 'C'"), (String::new(), 1_000));
    assert_eq!(plan("code = ''"), (String::new(), 1_000));
    run(&mut sql, "UPDATE items_fields SET owed = 5 WHERE id = '0123'").unwrap();
    assert_eq!(run(&mut sql, "SELECT id FROM items_fields WHERE owed = 5").unwrap(), ["0123"]);
}
