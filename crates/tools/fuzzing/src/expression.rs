//! A key expression: parsed, printed, compiled against the fields of two tables, and evaluated over their records.
//!
//! Byte 0 is a set of flags: bit 0 the dialect (Clipper or FoxPro), bit 1 SET EXACT, bit 2 the table. The rest is the
//! text.

use mainstay_types::Code;
use mainstay_xbase::dbf::{Dbf, OpenOptions};
use mainstay_xbase::expr::{Compiled, Context, Dialect, ExprValue, Expression, Kind, Scratch};
use std::sync::OnceLock;

const TABLES: [&[u8]; 2] = [
    include_bytes!("../../../../tests/fixtures/expr/truth.dbf"),
    include_bytes!("../../../../tests/fixtures/t07_vfp.dbf"),
];

/// Records that are evaluated.
const MOST_RECORDS: u64 = 8;

/// The structure of a table, and the bytes of some of its records.
struct Fields {
    dbf: Dbf,
    records: Vec<Vec<u8>>,
}

/// The tables, opened once.
fn tables() -> &'static [Fields] {
    static TABLES_READ: OnceLock<Vec<Fields>> = OnceLock::new();
    TABLES_READ.get_or_init(|| TABLES.iter().filter_map(|bytes| fields(bytes)).collect())
}

fn fields(bytes: &[u8]) -> Option<Fields> {
    let dbf = Dbf::open(crate::file("t.dbf", bytes)?, OpenOptions::default()).ok()?;
    let count = dbf.read_count().ok()?.min(MOST_RECORDS);
    let mut buffer = Vec::new();
    let records = dbf.read_records(0..count, &mut buffer).ok()?.iter().map(<[u8]>::to_vec).collect();
    Some(Fields { dbf, records })
}

/// Reads the input as an expression.
pub fn run(input: &[u8]) {
    let (choice, text) = crate::selector(input);
    let Ok(expression) = Expression::parse(text) else { return };
    let canonical = expression.canonical();
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    if text[..end].is_ascii() && canonical.len() <= mainstay_xbase::expr::MAX_LENGTH {
        match Expression::parse(&canonical) {
            Ok(again) => assert_eq!(again.canonical(), canonical),
            // Parentheses that a text of many operators did not need count as levels.
            Err(error) if error.code() == Code::Unsupported && error.message().contains("levels deep") => {}
            Err(error) => panic!("{canonical}: {error}"),
        }
    }
    let _ = (expression.aliases(), expression.is_not_deleted());
    let tables = tables();
    assert_eq!(tables.len(), TABLES.len(), "the fixed tables can be read");
    let table = &tables[usize::from(choice >> 2 & 1)];
    let dialect = if choice & 1 == 0 { Dialect::Clipper } else { Dialect::FoxPro };
    let context = Context { exact: choice & 2 != 0, dialect, ..Context::new(table.dbf.fields()) };
    if let Ok(compiled) = expression.compile(&context) {
        let mut scratch = Scratch::new();
        for (row, record) in table.records.iter().enumerate() {
            evaluate(&compiled, &mut scratch, record, row as u32 + 1, &canonical);
        }
        let _ = compiled.evaluate(&mut scratch, b" ", 1).map(drop);
        let _ = (compiled.parts(), compiled.fields());
    }
}

/// The result is of the type and within the lengths that were promised.
fn evaluate(compiled: &Compiled, scratch: &mut Scratch, record: &[u8], recno: u32, canonical: &str) {
    let promised = compiled.result_type();
    let Ok(value) = compiled.evaluate(scratch, record, recno) else { return };
    match (value, promised.kind) {
        (ExprValue::Character(text), Kind::Character) => {
            assert!(text.len() <= promised.max_length, "{canonical}: {} > {}", text.len(), promised.max_length);
            assert!(promised.length.is_none_or(|length| length == text.len()), "{canonical}: {}", text.len());
        }
        (ExprValue::Number(_), Kind::Numeric)
        | (ExprValue::Date(_), Kind::Date)
        | (ExprValue::Timestamp { .. }, Kind::Timestamp)
        | (ExprValue::Logical(_), Kind::Logical)
        | (ExprValue::Null, _) => {}
        (value, kind) => panic!("{canonical}: {value:?} is not {kind:?}"),
    }
}
