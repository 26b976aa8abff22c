//! Advantage tables with their indexes: read, maintained, created, dropped, rebuilt, shared, and interrupted at every
//! write.

mod adi_common;
mod indexed_common;

use adi_common::{bytes, key_lists, read_index, read_mended_index};
use indexed_common::{compare, options};
use mainstay_types::{Code, Date, Decimal, Result, Timestamp, Value, ValueRef};
use mainstay_vfs::{Fault, Faulty, FileSystem, Memory, Operation};
use mainstay_xbase::Severity;
use mainstay_xbase::dbf::OpenOptions;
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable, Transaction};
use mainstay_xbase::table;
use mainstay_xbase::writer::Access;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

fn path() -> &'static Path {
    Path::new("shop/t.adt")
}

/// The table of all types, with its memos and its index.
fn shop() -> Memory {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    for extension in ["adt", "adm", "adi"] {
        memory.write(path().with_extension(extension), bytes(&format!("own-alltypes.{extension}")));
    }
    memory
}

fn shared(memory: &Memory) -> Arc<dyn FileSystem> {
    Arc::new(memory.clone())
}

fn open(fs: &Arc<dyn FileSystem>, access: Access) -> IndexedTable {
    IndexedTable::open(Arc::clone(fs), path(), options(access)).unwrap()
}

/// No page of the index breaks a rule of the format, no key differs from its record, and an index made anew is the same.
fn assert_sound(memory: &Memory, what: &str) {
    let fs = shared(memory);
    let findings = table::check(&fs, path(), OpenOptions::default(), &[]);
    let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}");
    read_index(&memory.read(&path().with_extension("adi")).unwrap());
    assert_as_made_anew(memory, what);
}

/// The same without a look at the pages.
fn assert_as_made_anew(memory: &Memory, what: &str) {
    compare(&shared(memory), path(), &[]).unwrap_or_else(|complaint| panic!("{what}: {complaint}"));
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Values of the fields Name, Code, Qty, Small, Price, Rate, Born, Stamp and Ok; some of them NULL.
fn values(random: &mut Random) -> Vec<(usize, Value)> {
    let day = Date::from_julian(2_440_000 + random.below(9_000) as i32);
    let names = ["alpha", "Beta", "gamma", "Delta", "", "a name of more than its field"];
    let all = [
        (1, Value::Text(format!("{}{}", names[random.below(6) as usize], random.below(40)))),
        (2, Value::Text(format!("C{}", random.below(90)))),
        (3, Value::Integer(random.below(5_000) as i64 - 2_500)),
        (4, Value::Integer(random.below(600) as i64 - 300)),
        (5, Value::Decimal(Decimal::new(i128::from(random.below(1 << 30)) - (1 << 29), 4))),
        (6, Value::Float(random.below(1_000) as f64 / 8.0 - 60.0)),
        (9, Value::Date(day)),
        (11, Value::Timestamp(Timestamp::new(day, random.below(86_400_000) as u32))),
        (12, Value::Boolean(random.below(2) == 0)),
    ];
    all.into_iter().map(|(field, value)| (field, if random.below(9) == 0 { Value::Null } else { value })).collect()
}

fn change(table: &mut IndexedTable, random: &mut Random) -> Result<()> {
    let new = values(random);
    let mut new: Vec<(usize, ValueRef<'_>)> = new.iter().map(|(field, value)| (*field, value.as_ref())).collect();
    // A name that is too long is refused, which changes nothing.
    let text = "name";
    if matches!(new[0].1, ValueRef::Text(name) if name.len() > 12) {
        new[0].1 = ValueRef::Text(text);
    }
    let record = 1 + random.below(table.count()?);
    match random.below(4) {
        0 => table.append_some(&new).map(drop),
        1 => table.delete(record).map(drop),
        _ => {
            let mut bytes = Vec::new();
            table.read(record, &mut bytes)?;
            if bytes[0] & 1 != 0 { Ok(()) } else { table.update(record, &new).map(drop) }
        }
    }
}

#[test]
fn every_tag_is_understood_and_gives_the_keys_of_the_lists() {
    let memory = shop();
    let mut table = open(&shared(&memory), Access::Exclusive);
    let lists = key_lists("own-alltypes.keys.txt");
    let tags = table.tags();
    assert_eq!(tags.len(), lists.len());
    for tag in &tags {
        assert!(tag.refusal.is_none() && tag.key_type.is_some(), "{}: {:?}", tag.name, tag.refusal);
        let (mut own, mut record) = (Vec::new(), Vec::new());
        for number in 1..=table.count().unwrap() {
            table.read(number, &mut record).unwrap();
            if let Some(key) = table.key_of(tag.id, number, &record).unwrap() {
                own.push((key, number as u32));
            }
        }
        own.sort();
        assert!(own == lists[&tag.name], "{}", tag.name);
    }
    let text =
        |name: &str| tags.iter().find(|tag| tag.name == name).map(|tag| (tag.key.clone(), tag.condition.clone()));
    assert_eq!(text("UNAME"), Some(("UPPER(Name);Qty".into(), None)));
    assert_eq!(text("BORN"), Some(("Born".into(), Some("Born <> NULL".into()))));
    drop(table);
    assert_sound(&memory, "as it was");
}

#[test]
fn random_changes_leave_what_an_index_made_anew_would_be() {
    for access in [Access::Exclusive, Access::Shared] {
        let (memory, mut random) = (shop(), Random(5));
        for round in 0..4 {
            let mut table = open(&shared(&memory), access);
            for _ in 0..150 {
                change(&mut table, &mut random).unwrap();
            }
            table.close().unwrap();
            assert_sound(&memory, &format!("{access:?}, round {round}"));
        }
    }
}

#[test]
fn two_writers_beside_each_other_keep_the_index_together() {
    let (memory, mut random) = (shop(), Random(6));
    let (mut one, mut other) = (open(&shared(&memory), Access::Shared), open(&shared(&memory), Access::Shared));
    for _ in 0..300 {
        let table = if random.below(2) == 0 { &mut one } else { &mut other };
        change(table, &mut random).unwrap();
    }
    one.close().unwrap();
    other.close().unwrap();
    assert_sound(&memory, "two writers");
}

#[test]
fn tags_are_made_by_names_and_dropped() {
    let memory = shop();
    memory.remove(&path().with_extension("adi")).unwrap();
    let fs = shared(&memory);
    let mut table = open(&fs, Access::Exclusive);
    assert!(table.tags().is_empty());
    let when = |spec: IndexSpec, text: &str| IndexSpec { condition: Some(text.into()), ..spec };
    let specs = [
        IndexSpec::new("BY_NAME_AND_QUANTITY", "UPPER(Name);Qty"),
        IndexSpec::new("CODE", "code"),
        IndexSpec { descending: true, ..IndexSpec::new("PRICE", "Price") },
        when(IndexSpec::new("BORN", "Born"), "Born <> NULL"),
        when(IndexSpec::new("MANY", "Name+Code"), "Qty > 100 .AND. Ok"),
        IndexSpec { unique: true, ..IndexSpec::new("ID", "Id") },
        IndexSpec::new("EVERYTHING", "Ok;Stamp;Born;Price;Rate;Cur;Small;Ver;LOWER(Name);Code"),
    ];
    for spec in &specs {
        table.create_index(None, BagKind::Adi, spec, Building::default()).unwrap();
    }
    let refused = [
        IndexSpec::new("N", "Num"),
        IndexSpec::new("T", "At"),
        IndexSpec::new("R", "Raw3"),
        IndexSpec::new("X", "Nothing"),
    ];
    for spec in &refused {
        let error = table.create_index(None, BagKind::Adi, spec, Building::default()).unwrap_err();
        assert_eq!(error.code(), Code::Unsupported, "{}: {error}", spec.name);
    }
    table.close().unwrap();
    assert_sound(&memory, "made");
    let small = read_index(&memory.read(&path().with_extension("adi")).unwrap());
    let lists = key_lists("own-alltypes.keys.txt");
    assert!(small["BY_NAME_AND_QUANTITY"].entries == lists["UNAME"]);
    assert!(small["CODE"].entries == lists["CODE"] && small["BORN"].entries == lists["BORN"]);
    assert_eq!((small["MANY"].key.as_str(), small["MANY"].condition.as_str()), ("F2;F3", "F4 > 100 .AND. F13"));
    assert!(small["PRICE"].descending && small["PRICE"].entries == lists["PRICE"]);
    assert_eq!((small["ID"].options, small["BORN"].options), (0x61, 0x68));

    let mut table = open(&fs, Access::Exclusive);
    while let Some(tag) = table.tags().first() {
        let id = tag.id;
        table.drop_tag(id).unwrap();
    }
    table.close().unwrap();
    assert!(memory.read(&path().with_extension("adi")).is_err(), "the file goes with its last tag");
}

#[test]
fn a_second_record_with_a_unique_key_is_refused_and_changes_nothing() {
    let memory = shop();
    let mut table = open(&shared(&memory), Access::Exclusive);
    let unique = IndexSpec { unique: true, ..IndexSpec::new("U", "Name") };
    let error = table.create_index(None, BagKind::Adi, &unique, Building::default()).unwrap_err();
    assert_eq!(error.code(), Code::UniqueViolation, "several names are NULL: {error}");
    let unique = IndexSpec { condition: Some(b"Qty > 290000".to_vec()), ..unique };
    table.create_index(None, BagKind::Adi, &unique, Building::default()).unwrap();
    let new = [(1, ValueRef::Text("only one")), (3, ValueRef::Integer(290_001))];
    let first = table.append_some(&new).unwrap();
    let before = table.count().unwrap();
    assert_eq!(table.append_some(&new).unwrap_err().code(), Code::UniqueViolation);
    assert_eq!(table.count().unwrap(), before);
    // One that the condition leaves out may have the key.
    table.append_some(&[(1, ValueRef::Text("only one")), (3, ValueRef::Integer(1))]).unwrap();
    table.delete(first).unwrap();
    table.append_some(&new).unwrap();
    table.close().unwrap();
    assert_sound(&memory, "unique");
}

#[test]
fn a_table_whose_index_is_not_understood_is_read_and_not_written_to() {
    let memory = shop();
    let mut content = bytes("own-alltypes.adi");
    content[9 * 512 + 14] = 0x70;
    memory.write(path().with_extension("adi"), content.clone());
    let mut table = open(&shared(&memory), Access::Exclusive);
    let error = table.append_some(&[(3, ValueRef::Integer(1))]).unwrap_err();
    assert!(error.message().contains("full-text"), "{error}");
    table.close().unwrap();
    assert!(memory.read(&path().with_extension("adi")).unwrap() == content);
    let findings = table::check(&shared(&memory), path(), OpenOptions::default(), &[]);
    assert!(findings.iter().any(|finding| finding.message.contains("full-text")), "{findings:#?}");

    let openads = Memory::new();
    openads.create_folder(Path::new("shop")).unwrap();
    openads.write(path(), bytes("openads-leases.adt"));
    openads.write(path().with_extension("adi"), bytes("openads-leases.adi"));
    let findings = table::check(&shared(&openads), path(), OpenOptions::default(), &[]);
    assert!(findings.iter().any(|finding| finding.message.contains("Advantage's layout")), "{findings:#?}");
}

#[test]
fn a_damaged_index_is_found_and_mended_by_a_reindex() {
    let memory = shop();
    let mut content = bytes("own-alltypes.adi");
    // The second leaf of the tag NAME, and the header's word for the collation of a newer server.
    let root = u32::from_le_bytes(content[9 * 512..9 * 512 + 4].try_into().unwrap()) as usize * 512;
    let item = root + 12 + 20;
    let leaf = u32::from_be_bytes(content[item + 16..item + 20].try_into().unwrap()) as usize * 512;
    content[leaf + 500..leaf + 512].reverse();
    content[20..24].copy_from_slice(&0x2905_8C73u32.to_le_bytes());
    memory.write(path().with_extension("adi"), content.clone());
    let fs = shared(&memory);
    let findings = table::check(&fs, path(), OpenOptions::default(), &[]);
    let is_found =
        findings.iter().any(|finding| finding.severity == Severity::Error && finding.place.contains("page at"));
    assert!(is_found, "{findings:#?}");
    let mut table = open(&fs, Access::Exclusive);
    table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap();
    table.close().unwrap();
    assert_sound(&memory, "mended");
    let now = memory.read(&path().with_extension("adi")).unwrap();
    assert_eq!(now[4..1024], content[4..1024], "the header of the file stays");
    let lists = key_lists("own-alltypes.keys.txt");
    assert!(read_index(&now).iter().all(|(name, tag)| tag.entries == lists[name]));
}

#[test]
fn keys_that_need_longer_pages_get_them() {
    let memory = shop();
    memory.remove(&path().with_extension("adi")).unwrap();
    let mut table = open(&shared(&memory), Access::Exclusive);
    let long = IndexSpec::new("LONG", ["Name"; 30].join(";"));
    table.create_index(None, BagKind::Adi, &long, Building::default()).unwrap();
    table.create_index(None, BagKind::Adi, &IndexSpec::new("ID", "Id"), Building::default()).unwrap();
    table.close().unwrap();
    let content = memory.read(&path().with_extension("adi")).unwrap();
    // 360 bytes: two of them do not fit a branch of 512.
    assert_eq!((content[8], u16::from_le_bytes([content[18], content[19]])), (2, 1024));
    assert_sound(&memory, "long keys");
}

/// From some write on nothing reaches the disk any more, as after a kill: the next opening of the table finds the
/// transaction undone, and an index that is right or marked for rebuilding.
#[test]
fn a_transaction_can_be_cut_off_at_every_write() {
    let work = |fs: Arc<dyn FileSystem>| -> Result<()> {
        let mut random = Random(9);
        let mut table = IndexedTable::open(Arc::clone(&fs), path(), options(Access::Shared))?;
        let transaction = Transaction::begin(fs);
        table.enlist(&transaction)?;
        for _ in 0..5 {
            change(&mut table, &mut random)?;
        }
        transaction.rollback(&mut [&mut table])
    };
    let counting = Faulty::counting(shop());
    work(Arc::new(counting.clone())).unwrap();
    let records = |memory: &Memory| {
        let mut table = open(&shared(memory), Access::Shared);
        let mut bytes = Vec::new();
        let mut live = Vec::new();
        for record in 1..=table.count().unwrap() {
            table.read(record, &mut bytes).unwrap();
            // Rolled back counters stay raised, and deleted records may be linked in another order.
            if bytes[0] & 1 == 0 {
                live.push((record, bytes[5..].to_vec()));
            }
        }
        live
    };
    let before = records(&shop());
    let mut remade = 0;
    for call in 0..counting.calls(Operation::Write) {
        let memory = shop();
        let _ = work(Arc::new(Faulty::lasting(memory.clone(), Operation::Write, call, Fault::Error)));
        assert!(records(&memory) == before, "write {call}");
        let fs = shared(&memory);
        if compare(&fs, path(), &[]).is_err() {
            remade += 1;
            let mut table = open(&fs, Access::Exclusive);
            table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap();
            table.close().unwrap();
        }
        read_mended_index(&memory.read(&path().with_extension("adi")).unwrap());
        assert_as_made_anew(&memory, &format!("write {call}"));
    }
    assert!(remade < counting.calls(Operation::Write), "no index outlives a transaction that is cut off");
}
