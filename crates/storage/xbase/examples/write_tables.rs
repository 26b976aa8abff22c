//! Writes tables of every format for other programs to read: `write_tables FOLDER`.
//!
//! Beside each `NAME.dbf` it writes `NAME.expected.json`, the expected rows, in the form that `tests/interop/rows.py`
//! describes. `tests/interop/read_written.py` has other programs read them.

use mainstay_types::{Date, Decimal, Result, Timestamp, Value, ValueRef};
use mainstay_vfs::{Create, Disk, FileSystem};
use mainstay_xbase::dbf::{Field, FieldKind, FieldSpec, Format, TableSpec};
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

const RECORDS: usize = 60;

fn specs() -> Vec<(&'static str, TableSpec)> {
    let field = FieldSpec::new;
    let common = || {
        vec![
            field("name", b'C', 20, 0),
            field("amount", b'N', 12, 2),
            field("count", b'N', 5, 0),
            field("day", b'D', 0, 0),
            field("active", b'L', 0, 0),
            field("note", b'M', 0, 0),
        ]
    };
    let mut fox = common();
    fox.extend([
        field("i", b'I', 0, 0),
        field("b", b'B', 0, 4),
        field("y", b'Y', 0, 0),
        field("t", b'T', 0, 0),
        field("nothing", b'C', 5, 0).nullable(),
    ]);
    let spec = |format, language, fields| TableSpec { language, ..TableSpec::new(format, fields) };
    vec![
        ("w_dbase3", spec(Format::DbaseThree, 0x64, common())),
        ("w_dbase4", spec(Format::DbaseFour, 0x64, common())),
        ("w_fox2", spec(Format::FoxPro, 0xC8, common())),
        ("w_vfp", spec(Format::VisualFoxPro, 0xC8, fox)),
        ("w_plain", TableSpec::new(Format::DbaseThree, common().into_iter().take(5).collect())),
    ]
}

fn note(seed: usize) -> String {
    let letters = ['a', 'b', ' ', 'ż', 'é', '\n', 'z'];
    (0..seed * 53 % 700).map(|at| letters[(at * 5 + seed) % letters.len()]).chain(['.']).collect()
}

/// The value of a field in a record. The table in code page 437 gets no letters that it lacks.
fn value(field: &Field, number: usize, plain: bool) -> Result<Value> {
    let unscaled = number as i128 * 98_765 - 1_000_000;
    Ok(match (field.kind, field.name.as_str()) {
        (_, "NOTHING") if number.is_multiple_of(2) => Value::Null,
        (FieldKind::Character, _) if plain => Value::Text(format!("row {number}")),
        (FieldKind::Character, "NOTHING") => Value::Text("some".into()),
        (FieldKind::Character, _) => Value::Text(format!("Łódź é {number}")),
        (FieldKind::Numeric, _) if number.is_multiple_of(7) => Value::Null,
        (FieldKind::Numeric, "COUNT") => Value::Integer(number as i64 * 300 - 9_999),
        (FieldKind::Numeric, _) => Value::Decimal(Decimal::new(unscaled, 2)),
        (FieldKind::Date, _) if number.is_multiple_of(5) => Value::Null,
        (FieldKind::Date, _) => Value::Date(Date::from_julian(2_440_588 + number as i32 * 301)),
        (FieldKind::Logical, _) => Value::Boolean(number.is_multiple_of(3)),
        (FieldKind::Memo, _) => Value::Text(note(number)),
        (FieldKind::Integer, _) => Value::Integer(number as i64 * 33_333_333 - 1_000_000_000),
        (FieldKind::Double, _) => Value::Float(number as f64 * 1.375 - 20.0),
        (FieldKind::Currency, _) => Value::Decimal(Decimal::new(unscaled * 1_000_003, 4)),
        _ => Value::Timestamp(Timestamp::new(Date::from_julian(2_461_000 + number as i32), number as u32 * 1_000_000)),
    })
}

fn json(value: &Value, field: &Field) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"));
    match value {
        Value::Null if field.kind == FieldKind::Character => "[null, \"\"]".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Text(text) => quoted(text),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Decimal(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Date(value) => quoted(&value.to_string()),
        Value::Timestamp(value) => quoted(&value.display(0).to_string()),
        other => quoted(&format!("{other:?}")),
    }
}

fn write(folder: &Path, name: &str, spec: &TableSpec) -> Result<()> {
    let path = folder.join(format!("{name}.dbf"));
    let options = WriteOptions::new(Access::Exclusive);
    writer::create(&Disk, &path, spec, &options)?;
    let mut table = TableWriter::open(Arc::new(Disk), &path, options)?;
    let plain = name == "w_plain";
    let fields = table.fields().to_vec();
    for number in 0..RECORDS {
        let values = fields.iter().map(|field| value(field, number, plain)).collect::<Result<Vec<_>>>()?;
        let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        table.append(&values)?;
    }
    drop(table);
    // Beside others: notes that grow and shrink, so that blocks are given back and used again, and deletions.
    let mut table = TableWriter::open(Arc::new(Disk), &path, WriteOptions::new(Access::Shared))?;
    let mut notes: Vec<usize> = (0..RECORDS).collect();
    let memo = fields.iter().position(|field| field.kind == FieldKind::Memo);
    for (round, at) in (0..300).map(|round| (round, round * 7 % RECORDS)) {
        if let Some(memo) = memo {
            table.update(at as u64 + 1, &[(memo, ValueRef::Text(&note(round + 11)))])?;
            notes[at] = round + 11;
        }
    }
    for number in (0..RECORDS).step_by(10) {
        table.set_deleted(number as u64 + 1, true)?;
    }
    table.close()?;
    let mut text = String::from("[\n");
    for number in (0..RECORDS).filter(|number| !number.is_multiple_of(10)) {
        let mut cells = Vec::new();
        for field in &fields {
            let value = match field.kind {
                FieldKind::Memo => Value::Text(note(notes[number])),
                _ => value(field, number, plain)?,
            };
            cells.push(format!("\"{}\": {}", field.name, json(&value, field)));
        }
        let comma = if number + 1 == RECORDS { "" } else { "," };
        let _ = writeln!(text, "{{{}}}{comma}", cells.join(", "));
    }
    text.push_str("]\n");
    let expected = Disk.create(&folder.join(format!("{name}.expected.json")), Create::Truncate)?;
    expected.write_at(text.as_bytes(), 0)
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("write_tables FOLDER");
        return ExitCode::from(2);
    };
    for (name, spec) in specs() {
        if let Err(error) = write(Path::new(&folder), name, &spec) {
            eprintln!("{name}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
