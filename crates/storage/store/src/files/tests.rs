//! Round trips, every byte damaged, and vectors that are not copied.

use super::catalog::*;
use super::*;
use arrow_array::{Array, ArrayRef, BooleanArray, Decimal128Array, Int64Array, StringViewArray, UInt64Array};
use mainstay_types::{Code, Collation, SqlType};
use mainstay_vfs::{Disk, FileSystem, Memory};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn column(id: u64, name: &str, sql_type: SqlType) -> ColumnDefinition {
    ColumnDefinition {
        id,
        name: name.to_owned(),
        sql_type,
        declared: None,
        not_null: false,
        default: None,
        check: None,
        identity: None,
        computed: None,
    }
}

fn a_table() -> TableDefinition {
    let text = SqlType::VarChar { length: Some(20), collation: Collation::CaseAccentInsensitive };
    let key = |column| IndexColumn { column, descending: false };
    TableDefinition {
        id: 2,
        schema: 1,
        name: "Customers".to_owned(),
        columns: vec![
            ColumnDefinition {
                not_null: true,
                identity: Some(IdentityDefinition { sequence: 8, always: true }),
                ..column(3, "id", SqlType::BigInt)
            },
            ColumnDefinition { default: Some("'Malmö'".to_owned()), ..column(4, "city", text) },
            ColumnDefinition {
                check: Some("balance >= 0".to_owned()),
                ..column(5, "balance", SqlType::Decimal { precision: 12, scale: 2 })
            },
        ],
        primary_key: Some(KeyDefinition {
            id: 6,
            name: "pk".to_owned(),
            columns: vec![key(3)],
            nulls_not_distinct: false,
        }),
        unique: Vec::new(),
        checks: vec![CheckDefinition { name: "c".to_owned(), text: "id > 0".to_owned(), disabled: false }],
        foreign_keys: vec![ForeignKeyDefinition {
            name: "self".to_owned(),
            columns: vec![3],
            referenced_table: 2,
            referenced_columns: vec![3],
            on_delete: ReferentialAction::SetNull,
            on_update: ReferentialAction::NoAction,
            deferrable: Deferrable::InitiallyDeferred,
            match_full: true,
            disabled: false,
        }],
        indexes: vec![IndexDefinition {
            id: 7,
            name: "by_city".to_owned(),
            nulls_not_distinct: false,
            filter: vec![FilterDefinition { column: 3, test: FilterKind::Equal, values: vec!["5".to_owned()] }],
            unique: false,
            columns: vec![IndexColumn { column: 4, descending: true }],
        }],
    }
}

fn a_catalog() -> Catalog {
    let mut catalog = Catalog::new();
    let sequence = SequenceDefinition {
        id: 8,
        schema: 1,
        name: "s".to_owned(),
        start: 1,
        increment: 1,
        minimum: 1,
        maximum: i64::MAX,
        cycle: false,
        owned_by: Some(5),
        declared: Some("int".to_owned()),
    };
    let view =
        ViewDefinition { id: 9, schema: 1, name: "v".to_owned(), columns: Vec::new(), text: "SELECT 1".to_owned() };
    let changes = [
        CatalogChange::PutSchema(SchemaDefinition { id: 1, name: "main".to_owned() }),
        CatalogChange::PutTable(a_table()),
        CatalogChange::PutSequence(sequence),
        CatalogChange::PutView(view),
    ];
    for change in changes {
        let text = change.to_json().unwrap();
        assert_eq!(CatalogChange::from_json(&text).unwrap(), change);
        catalog.apply(change).unwrap();
    }
    catalog
}

fn a_manifest() -> Manifest {
    let group = |group, deleted: &[u32]| GroupImage {
        group,
        rows: 100,
        file: FileFacts { number: group + 1, length: 1000, checksum: 0xDEAD_BEEF, form: FileForm::Columns },
        deleted: deleted.to_vec(),
        row_ids: (group > 0).then_some(RowIdFacts { first: 100 * group, ..GroupRowIds::From(100 * group).facts(100) }),
        memory_bytes: 4000,
    };
    let each = GroupRowIds::Each(vec![7, 3, 900].into());
    let moved = GroupImage { rows: 3, row_ids: Some(each.facts(3)), ..group(2, &[]) };
    let groups = vec![group(0, &[]), group(1, &[]), moved, group(3, &[0, 1, 99])];
    let run = |number| {
        let file = FileFacts { number, length: 8192, checksum: 7, form: FileForm::Run };
        RunImage { file, entries: 300 }
    };
    let indexes = vec![
        IndexImage { key: "v1 Unique; 3+ BIGINT".to_owned(), runs: vec![run(9), run(8)] },
        IndexImage { key: "v1 NotUnique; 4-n TEXT".to_owned(), runs: Vec::new() },
    ];
    Manifest {
        checkpoint: 4,
        commit_number: 1 << 33,
        journal: 5,
        next_file: 17,
        catalog: a_catalog(),
        sequences: vec![(8, -3)],
        tables: vec![TableImage { table: 2, next_row_id: 205, next_group: 4, groups, indexes }],
    }
}

#[test]
fn a_catalog_comes_back_and_numbers_go_on() {
    let catalog = a_catalog();
    assert_eq!(catalog.next_id, 10);
    let text = catalog.to_json().unwrap();
    assert_eq!(Catalog::from_json(&text).unwrap(), catalog);
    assert!(text.contains(r#""type":"VARCHAR(20) COLLATE ci_ai""#), "{text}");
}

#[test]
fn changes_can_be_applied_again() {
    let mut catalog = a_catalog();
    let before = catalog.clone();
    catalog.apply(CatalogChange::PutTable(a_table())).unwrap();
    assert_eq!(catalog, before);
    let index = IndexDefinition {
        id: 12,
        name: "i".to_owned(),
        unique: true,
        columns: Vec::new(),
        nulls_not_distinct: true,
        filter: Vec::new(),
    };
    catalog.apply(CatalogChange::PutIndex { table: 2, index }).unwrap();
    assert_eq!((catalog.next_id, catalog.table(2).unwrap().indexes.len()), (13, 2));
    for _ in 0..2 {
        catalog.apply(CatalogChange::DropIndex { table: 2, index: 12 }).unwrap();
    }
    assert_eq!(catalog.tables, before.tables);
    catalog.apply(CatalogChange::DropTable(2)).unwrap();
    assert!(catalog.tables.is_empty());
    assert_eq!(catalog.apply(CatalogChange::DropIndex { table: 2, index: 7 }).unwrap_err().code(), Code::Damaged);
}

#[test]
fn a_catalog_of_the_future_is_refused_and_says_so() {
    let error = Catalog::from_json(r#"{"version":2,"next_id":1,"triggers":[]}"#).unwrap_err();
    assert_eq!(error.code(), Code::Unsupported);
    assert!(error.to_string().contains("version 2"), "{error}");
    let error = Catalog::from_json(r#"{"version":1,"next_id":1,"triggers":[]}"#).unwrap_err();
    assert_eq!(error.code(), Code::Unsupported);
    assert!(error.to_string().contains("triggers"), "{error}");
    assert_eq!(Catalog::from_json("{").unwrap_err().code(), Code::Damaged);
}

#[test]
fn a_catalog_that_refers_to_nothing_is_damaged() {
    let mut twice = a_catalog();
    twice.tables[0].columns[0].id = 4;
    let mut dangling = a_catalog();
    dangling.tables[0].indexes[0].columns[0].column = 99;
    let mut unborn = a_catalog();
    unborn.next_id = 5;
    for catalog in [twice, dangling, unborn] {
        let error = Catalog::from_json(&catalog.to_json().unwrap()).unwrap_err();
        assert_eq!(error.code(), Code::Damaged, "{error}");
    }
}

#[test]
fn a_manifest_comes_back_and_every_flipped_byte_is_noticed() {
    let manifest = a_manifest();
    let bytes = manifest.encode().unwrap();
    assert_eq!(Manifest::decode(&bytes).unwrap(), manifest);
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            assert_eq!(Manifest::decode(&damaged).unwrap_err().code(), Code::Damaged, "byte {at}");
        }
        assert_eq!(Manifest::decode(&bytes[..at]).unwrap_err().code(), Code::Damaged, "{at} bytes");
    }
}

#[test]
fn a_manifest_made_to_fit_its_checksum_never_panics() {
    let bytes = a_manifest().encode().unwrap();
    for at in 24..bytes.len() {
        for value in [0, 1, 0x22, 0x7F, 0x80, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            let checksum = crate::journal::checksum::crc32c(&[&damaged[..12], &damaged[16..]].concat());
            damaged[12..16].copy_from_slice(&checksum.to_le_bytes());
            drop(Manifest::decode(&damaged));
        }
    }
}

/// Columns in every form.
fn encoded_vectors() -> GroupVectors {
    let names = ["flag", "integer", "falling", "double", "odd doubles", "uuid", "city", "name"];
    let columns = columns_tests::encodable(70).into_iter().filter(|(name, _)| names.contains(name));
    columns_tests::group_of(70, columns.collect())
}

fn some_vectors() -> GroupVectors {
    let long = "a text that is longer than twelve bytes";
    let columns: Vec<(u64, ArrayRef)> = vec![
        (3, Arc::new(Int64Array::from(vec![Some(1), None, Some(-3)]))),
        (4, Arc::new(StringViewArray::from(vec![Some("short"), Some(long), None]))),
        (11, Arc::new(BooleanArray::from(vec![true, false, true]))),
        (5, Arc::new(Decimal128Array::from(vec![1, 2, 3]).with_precision_and_scale(19, 4).unwrap())),
    ];
    GroupVectors { group: 3, rows: 3, columns, row_ids: GroupRowIds::From(17) }
}

#[test]
fn vectors_come_back_from_the_mapped_file_without_a_copy() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = StoreFolder::new(Arc::new(Disk), temporary.path());
    let dense = some_vectors();
    let stamps = UInt64Array::from(vec![5, 9, 7]);
    let row_ids = GroupRowIds::Each(stamps);
    let moved = GroupVectors { row_ids, ..some_vectors() };
    let empty = GroupVectors { rows: 0, columns: Vec::new(), ..some_vectors() };
    for (number, vectors) in [dense, moved, empty].into_iter().enumerate() {
        for (is_encoded, number) in [(false, number * 2), (true, number * 2 + 1)] {
            let written = folder.write_group(number as u64, &vectors, is_encoded).unwrap();
            assert_eq!(folder.map_group(&written.file).unwrap(), vectors);
        }
    }
    let facts = folder.write_group(9, &some_vectors(), false).unwrap().file;
    let vectors = folder.map_group(&facts).unwrap();
    let addresses: Vec<usize> = vectors
        .columns
        .iter()
        .flat_map(|(_, column)| {
            column.to_data().buffers().iter().map(|buffer| buffer.as_ptr() as usize).collect::<Vec<_>>()
        })
        .collect();
    let (least, greatest) = (addresses.iter().min().unwrap(), addresses.iter().max().unwrap());
    assert!(greatest - least < facts.length as usize, "the vectors do not lie in one mapping: {addresses:?}");
}

#[test]
fn a_slice_of_a_long_text_vector_is_written_without_the_rest() {
    let long: Vec<String> = (0..1000).map(|n| format!("a text that is longer than twelve bytes, {n}")).collect();
    let texts: ArrayRef = Arc::new(StringViewArray::from_iter_values(&long).slice(10, 1));
    let vectors = GroupVectors { rows: 1, columns: vec![(1, texts)], ..some_vectors() };
    let (bytes, memory_bytes) = super::columns::encode(&vectors, false).unwrap();
    assert!(bytes.len() < 4096 && memory_bytes < 100, "{} bytes, {memory_bytes}", bytes.len());
}

#[test]
fn every_flipped_byte_of_a_group_file_is_noticed() {
    let memory = Memory::new();
    memory.create_folder(Path::new("db")).unwrap();
    let folder = StoreFolder::new(Arc::new(memory.clone()), "db");
    let facts = folder.write_group(1, &encoded_vectors(), true).unwrap().file;
    let path = folder.path_of(&facts);
    let bytes = memory.read(&path).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        memory.write(&path, damaged);
        assert_eq!(folder.map_group(&facts).unwrap_err().code(), Code::Damaged, "byte {at}");
    }
    for len in [0, 9, 10, bytes.len() - 1] {
        memory.write(&path, &bytes[..len]);
        assert_eq!(folder.map_group(&facts).unwrap_err().code(), Code::Damaged);
    }
    let missing = FileFacts { number: 2, ..facts };
    assert_eq!(folder.map_group(&missing).unwrap_err().code(), Code::Damaged);
}

#[test]
fn a_group_file_made_to_fit_its_checksum_is_read_or_refused() {
    let memory = Memory::new();
    memory.create_folder(Path::new("db")).unwrap();
    let folder = StoreFolder::new(Arc::new(memory.clone()), "db");
    let facts = folder.write_group(1, &encoded_vectors(), true).unwrap().file;
    let path = folder.path_of(&facts);
    let bytes = memory.read(&path).unwrap();
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7F, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            let facts = FileFacts { checksum: crate::journal::checksum::crc32c(&damaged), ..facts };
            memory.write(&path, damaged);
            match folder.map_group(&facts) {
                // Another value, name or number may come out of it.
                Ok(vectors) => assert!(vectors.columns.iter().all(|(_, column)| column.len() == vectors.rows)),
                Err(error) => {
                    let expected = if (8..12).contains(&at) { Code::Unsupported } else { Code::Damaged };
                    assert_eq!(error.code(), expected, "byte {at}: {error}");
                }
            }
        }
    }
}

#[test]
fn leftovers_go_and_strangers_stay() {
    let memory = Memory::new();
    let folder = StoreFolder::new(Arc::new(memory.clone()), "db");
    assert_eq!(folder.load().unwrap(), None);
    memory.create_folder(Path::new("db")).unwrap();
    let facts = folder.write_group(1, &some_vectors(), true).unwrap().file;
    folder.write_group(2, &some_vectors(), true).unwrap();
    for name in ["manifest.new", "journal-0000000000000001.log", "journal-0000000000000003.log", "notes.txt"] {
        memory.write(Path::new("db").join(name), b"x".to_vec());
    }
    let group = GroupImage { group: 3, rows: 3, file: facts, ..GroupImage::default() };
    let table = TableImage { table: 2, next_row_id: 20, next_group: 4, groups: vec![group], indexes: Vec::new() };
    let manifest = Manifest { journal: 2, next_file: 3, tables: vec![table], ..Manifest::default() };
    folder.save(&manifest).unwrap();
    assert_eq!(folder.load().unwrap().as_ref(), Some(&manifest));
    assert!(folder.check(&manifest).is_empty());
    let gone = folder.remove_leftovers(&manifest).unwrap();
    let gone: Vec<String> = gone.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(gone, ["group-0000000000000002.columns", "journal-0000000000000001.log"]);
    let left = memory.list(Path::new("db")).unwrap();
    assert_eq!(left.len(), 5, "{left:?}");
}

#[test]
fn files_without_their_manifest_are_not_a_new_database() {
    let memory = Memory::new();
    let folder = StoreFolder::new(Arc::new(memory.clone()), "db");
    let manifest = Manifest { journal: 1, ..Manifest::default() };
    let journal = folder.initialize(&manifest, 7).unwrap();
    memory.remove(Path::new("db/manifest")).unwrap();
    assert_eq!(folder.load().unwrap().as_ref(), Some(&manifest), "there is a copy");
    memory.remove(Path::new("db/manifest.copy")).unwrap();
    assert_eq!(folder.load().unwrap(), None, "a crash while it was made leaves an empty journal");
    let ticket = journal.append(b"something").unwrap();
    journal.wait(ticket, crate::journal::Durability::Full).unwrap();
    assert_eq!(folder.load().unwrap_err().code(), Code::Damaged);
}

/// A crash between the writing of both leaves a copy of the checkpoint before.
#[test]
fn a_manifest_and_its_copy_are_made_alike() {
    let memory = Memory::new();
    let folder = StoreFolder::new(Arc::new(memory.clone()), "db");
    let older = Manifest { journal: 1, ..Manifest::default() };
    folder.initialize(&older, 7).unwrap();
    let old_copy = memory.read(Path::new("db/manifest.copy")).unwrap();
    let newer = Manifest { journal: 2, checkpoint: 1, ..Manifest::default() };
    folder.save(&newer).unwrap();
    memory.write(PathBuf::from("db/manifest.copy"), old_copy);
    assert_eq!(folder.load().unwrap().as_ref(), Some(&newer));
    assert!(folder.check_manifest().is_empty());
    folder.complete(&newer).unwrap();
    memory.remove(Path::new("db/manifest")).unwrap();
    assert_eq!(folder.load().unwrap(), Some(newer));
}
