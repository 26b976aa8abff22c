//! Generates the seeds of the corpus from the fixtures: `cargo run -p mainstay-fuzzing --example seeds -- FOLDER`.
//!
//! Only small files are taken, and long ones are cut: a fuzzer tries thousands of changes of each byte it is given.

#![expect(clippy::disallowed_methods, reason = "writes the corpus, no stored data")]

use mainstay_fuzzing::table;
use mainstay_store::files::catalog::{
    CatalogChange, ColumnDefinition, IndexColumn, KeyDefinition, SchemaDefinition, TableDefinition,
};
use mainstay_store::journal::journal_path;
use mainstay_store::{Isolation, Store, StoreOptions};
use mainstay_types::{SqlType, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FOLDERS: [&str; 6] = ["", "more", "dbase4", "libreoffice", "expressions", "adt"];

/// Bytes of a DBF, a memo or an index that are kept.
const CUT: [usize; 3] = [6_000, 3_000, 12_288];

fn main() {
    let out = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "fuzz/corpus".into()));
    let fixtures = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures"));
    let files: Vec<PathBuf> = FOLDERS.iter().flat_map(|folder| listed(&fixtures.join(folder))).collect();
    for path in &files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().replace('.', "_");
        let content = fs::read(path).expect("a fixture can be read");
        for (number, (target, input)) in inputs(path, &content).into_iter().enumerate() {
            let folder = out.join(target);
            fs::create_dir_all(&folder).expect("the folder can be made");
            fs::write(folder.join(format!("seed_{name}_{number}")), input).expect("the seed can be written");
        }
    }
    for (number, input) in journals().into_iter().enumerate() {
        let folder = out.join("journal");
        fs::create_dir_all(&folder).expect("the folder can be made");
        fs::write(folder.join(format!("seed_{number:03}")), input).expect("the seed can be written");
    }
    let scripts = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../languages/tsql/syntax/tests/corpus"));
    for (target, inputs) in [("expression", expressions(fixtures)), ("tsql", batches(scripts))] {
        let folder = out.join(target);
        fs::create_dir_all(&folder).expect("the folder can be made");
        for (number, input) in inputs.into_iter().enumerate() {
            fs::write(folder.join(format!("seed_{number:03}")), input).expect("the seed can be written");
        }
    }
}

/// Journals of a store with a table, and a backup of it.
fn journals() -> Vec<Vec<u8>> {
    let memory = Memory::new();
    let options = StoreOptions { checkpoint_bytes: None, memory_bytes: None, ..StoreOptions::DEFAULT };
    let store = Store::open(Arc::new(memory.clone()), Path::new("db"), options).expect("a store can be made");
    let change = |change| {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        store.change_catalog(&mut transaction, change).expect("the catalog can be changed");
        transaction.commit().expect("the change can be committed");
    };
    let journal = |choice: u8| {
        let mut bytes = memory.read(&journal_path(Path::new("db"), 1)).expect("there is a journal");
        bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
        [&[choice][..], &bytes].concat()
    };
    let mut inputs = Vec::new();
    change(CatalogChange::PutSchema(SchemaDefinition { id: 1, name: "main".into() }));
    change(CatalogChange::PutTable(a_table()));
    inputs.extend([0, 1].map(journal));
    let table = store.table_of(10).expect("there is a table");
    let mut transaction = store.begin(Isolation::ReadCommitted);
    for id in 0..70 {
        let row = [ValueRef::Integer(id), ValueRef::Text("Malmö"), ValueRef::Null];
        table.insert(&mut transaction, &row[..]).expect("a row can be inserted");
    }
    transaction.commit().expect("rows can be committed");
    let mut transaction = store.begin(Isolation::ReadCommitted);
    for id in (0..70).step_by(3) {
        let view = transaction.begin_statement().expect("a statement can begin");
        let mut reader = table.reader(view);
        let found = reader.get(0, &[ValueRef::Integer(id)]).expect("a row can be found");
        let Some(position) = found.map(|row| row.position) else { continue };
        match id % 2 {
            0 => drop(table.delete(&mut transaction, position).expect("a row can be deleted")),
            _ => {
                let changes = [(2, ValueRef::Float(0.5))];
                table.update_columns(&mut transaction, position, &changes).expect("a row can be updated");
            }
        }
    }
    transaction.commit().expect("changes can be committed");
    inputs.extend([0, 1].map(journal));
    store.backup(Path::new("backup")).expect("a backup can be made");
    inputs.push([&[2][..], &memory.read(Path::new("backup")).expect("there is a backup")].concat());
    inputs
}

fn a_table() -> TableDefinition {
    let column = |id: u64, name: &str, sql_type| ColumnDefinition {
        id,
        name: name.into(),
        sql_type,
        declared: None,
        not_null: false,
        default: None,
        check: None,
        identity: None,
        computed: None,
    };
    let columns = vec![IndexColumn { column: 11, descending: false }];
    let primary_key = Some(KeyDefinition { id: 14, name: "pk".into(), columns, nulls_not_distinct: false });
    TableDefinition {
        id: 10,
        schema: 1,
        name: "t".into(),
        columns: vec![
            column(11, "id", SqlType::BigInt),
            column(12, "name", SqlType::TEXT),
            column(13, "amount", SqlType::Double),
        ],
        primary_key,
        unique: Vec::new(),
        checks: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
    }
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
}

/// The inputs that a fixture makes, with their targets.
fn inputs(path: &Path, content: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let cut = |length: usize| &content[..content.len().min(length)];
    let with = |choice: &[u8], length: usize| [choice, cut(length)].concat();
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "dbf" => vec![("dbf", cut(CUT[0]).to_vec()), ("table", whole_table(path, content))],
        "adt" => vec![("dbf", cut(CUT[0]).to_vec()), ("table", whole_adt(path, content))],
        "adm" => vec![("memo", with(b"\x06\x80\0\0\0\x10\0\0\0\0\0", CUT[1]))],
        "fpt" => vec![("memo", with(b"\x00\x08\0\0\0\0\0\0\0\0\0", CUT[1]))],
        "dbt" => vec![("memo", with(b"\x01         1", CUT[1])), ("memo", with(b"\x02         2", CUT[1]))],
        "smt" => vec![("memo", with(b"\x03\x01\0\x10\0\0\0\x20\0\0\0", CUT[1]))],
        "cdx" => vec![("index", with(b"\0", CUT[2]))],
        "ntx" => vec![("index", with(b"\x01", CUT[2]))],
        "adi" => vec![("index", with(b"\x03", CUT[2]))],
        "csv" => vec![("csv", with(b"\0", 1_500))],
        _ => Vec::new(),
    }
}

/// The table with the memo and the index of its name.
fn whole_table(path: &Path, content: &[u8]) -> Vec<u8> {
    let beside = |extensions: [&str; 3]| {
        let found = extensions.iter().position(|extension| path.with_extension(extension).is_file());
        let bytes = found.map(|at| fs::read(path.with_extension(extensions[at])).expect("a fixture can be read"));
        (found.unwrap_or(3) as u8, bytes.unwrap_or_default())
    };
    let ((memo_kind, memo), (index_kind, index)) = (beside(["fpt", "dbt", "smt"]), beside(["cdx", "ntx", "idx"]));
    // Cut, a table does not agree with its index any more: it is left whole if it is small.
    let length = if content.len() < 2 * CUT[0] { content.len() } else { CUT[0] };
    let cut = |bytes: &[u8], most: usize| bytes[..bytes.len().min(most)].to_vec();
    table::input(memo_kind | index_kind << 2, [&content[..length], &cut(&memo, CUT[1]), &cut(&index, CUT[2])])
}

/// The same of an ADT, whole, for its index names fields that a cut would take away.
fn whole_adt(path: &Path, content: &[u8]) -> Vec<u8> {
    let beside = |extension: &str| fs::read(path.with_extension(extension)).ok();
    let (memo, index) = (beside("adm"), beside("adi"));
    let choice = table::ADT | if memo.is_some() { 0 } else { 3 } | if index.is_some() { 0 } else { 3 << 2 };
    let cut = |bytes: Option<Vec<u8>>, most: usize| {
        let mut bytes = bytes.unwrap_or_default();
        bytes.truncate(most);
        bytes
    };
    let length = content.len().min(4 * CUT[0]);
    table::input(choice, [&content[..length], &cut(memo, CUT[1]), &cut(index, CUT[2])])
}

/// The expressions of the fixtures, each in one dialect or the other.
fn expressions(fixtures: &Path) -> Vec<Vec<u8>> {
    let text = fs::read(fixtures.join("expr/exprs.txt")).expect("a fixture can be read");
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && line[0] != b'#');
    let texts = lines.map(|line| line.split(|byte| *byte == b'\t').next().unwrap_or_default());
    texts.enumerate().map(|(number, text)| [&[(number % 8) as u8][..], text].concat()).collect()
}

/// The batches of the scripts of a folder.
fn batches(folder: &Path) -> Vec<Vec<u8>> {
    let texts = listed(folder).into_iter().map(|path| fs::read_to_string(path).expect("a script can be read"));
    let inputs = |text: String| {
        let texts =
            mainstay_tsql_syntax::batches(&text).into_iter().map(|batch| batch.text.to_owned()).collect::<Vec<_>>();
        texts.into_iter().map(|text| [b"\0", text.as_bytes()].concat())
    };
    texts.flat_map(inputs).collect()
}
