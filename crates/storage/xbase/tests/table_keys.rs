//! Ranges of keys give every record for which a condition is true, whatever the key expression is.
//!
//! Tables of random records, blank, odd and negative ones among them, have one tag each; random conditions about
//! computed values are answered by it. A second implementation of SQL's conditions, without keys, gives the expected
//! records. A range may contain more records than the condition; one that lacks a record is an error.

use mainstay_columnar::{Comparison, Operation, Predicate, RowSet, Sought, Table, Term, Test, VectorCache};
use mainstay_types::{Collation, Date, Decimal, Value};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::codepage::CodePage;
use mainstay_xbase::dbf::OpenOptions;
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::table::DbfTable;
use mainstay_xbase::writer::{Access, WriteOptions};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const RECORDS: usize = 120;
const CONDITIONS: usize = 150;
const SEEDS: u64 = 4;

/// The fields, with their types, lengths and decimals.
const FIELDS: [(&str, u8, usize, u8); 6] = [
    ("NAME", b'C', 8, 0),
    ("CODE", b'C', 2, 0),
    ("N", b'N', 6, 0),
    ("AMT", b'N', 8, 2),
    ("BORN", b'D', 8, 0),
    ("HERE", b'L', 1, 0),
];
const NAME: usize = 0;
const CODE: usize = 1;
const N: usize = 2;
const AMT: usize = 3;
const BORN: usize = 4;
const HERE: usize = 5;
/// The hidden column that says whether a record is deleted.
const DELETED: usize = 7;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }

    fn of<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len())]
    }
}

/// A record as SQL sees it.
struct Row {
    is_deleted: bool,
    values: Vec<Value>,
}

const NAMES: [&str; 26] = [
    "Adam", "ADAM", "adam", "Ada", "A", "", " Adam", "\tAdam", "Straße", "STRASSE", "Stra", "straps", "ß", "s", "SS",
    "st", "Müller", "müller", "Mull", "ad am", "Zoe", "Adamsons", "a\u{1}", "[x", "_x", "Österr",
];
const CODES: [&str; 9] = ["A", "AB", "a", "", "B", "ß", " A", "ZZ", "Ä"];
const NUMBERS: [&str; 20] = [
    "", "0", "5", "-5", "10", "50", "-50", "99999", "123456", "-99999", "7", "3", "1", "-1", "12", "100", "1000",
    "-1000", "2", "9",
];
const AMOUNTS: [&str; 20] = [
    "", "0.00", "0.05", "-0.05", "1.25", "-0.01", "99.95", "12345.67", "-1234.56", "5.00", "0.10", "0.30", "0.70",
    "2.50", "10.00", "-5.00", "1234567", "0.04", "9.96", "100.00",
];
const DAYS: [&str; 9] =
    ["", "20200101", "20191231", "20200615", "19991231", "20261126", "20200131", "20200201", "00991231"];

fn cell(text: &[u8], length: usize, right: bool) -> Vec<u8> {
    let mut cell = text[..text.len().min(length)].to_vec();
    let blanks = vec![b' '; length - cell.len()];
    if right { [blanks, cell].concat() } else { [std::mem::take(&mut cell), blanks].concat() }
}

/// A table of random records: its bytes, and its rows as SQL sees them.
fn table(random: &mut Random, page: CodePage, language: u8) -> (Vec<u8>, Vec<Row>) {
    let length: usize = 1 + FIELDS.iter().map(|field| field.2).sum::<usize>();
    let header = 32 + 32 * FIELDS.len() + 1;
    let mut bytes = vec![0u8; header];
    bytes[..4].copy_from_slice(&[3, 126, 11, 1]);
    bytes[4..8].copy_from_slice(&(RECORDS as u32).to_le_bytes());
    bytes[8..10].copy_from_slice(&(header as u16).to_le_bytes());
    bytes[10..12].copy_from_slice(&(length as u16).to_le_bytes());
    bytes[29] = language;
    for (place, (name, letter, length, decimals)) in FIELDS.iter().enumerate() {
        let field = &mut bytes[32 + 32 * place..][..32];
        field[..name.len()].copy_from_slice(name.as_bytes());
        (field[11], field[16], field[17]) = (*letter, *length as u8, *decimals);
    }
    bytes[header - 1] = 0x0D;
    let mut rows = Vec::new();
    for _ in 0..RECORDS {
        let is_deleted = random.below(6) == 0;
        bytes.push(if is_deleted { b'*' } else { b' ' });
        let mut values = Vec::new();
        for (place, (_, letter, length, decimals)) in FIELDS.iter().enumerate() {
            let text = match place {
                NAME => *random.of(&NAMES),
                CODE => *random.of(&CODES),
                N => *random.of(&NUMBERS),
                AMT => *random.of(&AMOUNTS),
                BORN => *random.of(&DAYS),
                _ => *random.of(&["T", "F", "?", " ", "y"]),
            };
            let mut cell = cell(&page.encode(text).unwrap(), *length, *letter == b'N');
            if *letter == b'C' && random.below(8) == 0 {
                // Some programs fill with NULs.
                let end = cell.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
                cell[end..].fill(0);
            }
            values.push(match letter {
                b'C' => {
                    let end = cell.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |last| last + 1);
                    Value::Text(page.decode(&cell[..end]).text.into_owned())
                }
                b'N' if text.is_empty() => Value::Null,
                b'N' => Value::Decimal(text.parse::<Decimal>().unwrap().rescale(*decimals).unwrap()),
                b'D' => day(text).map_or(Value::Null, Value::Date),
                _ => match text {
                    "T" | "y" => Value::Boolean(true),
                    "F" => Value::Boolean(false),
                    _ => Value::Null,
                },
            });
            bytes.extend(cell);
        }
        rows.push(Row { is_deleted, values });
    }
    bytes.push(0x1A);
    (bytes, rows)
}

fn day(text: &str) -> Option<Date> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse().ok();
    Date::from_ymd(number(0..4)?, number(4..6)? as u32, number(6..8)? as u32)
}

/// The value of a term.
fn value(term: &Term, row: &Row) -> Value {
    let text = |term: &Term, change: &dyn Fn(String) -> String| match value(term, row) {
        Value::Text(text) => Value::Text(change(text)),
        _ => Value::Null,
    };
    let of_day = |term: &Term, part: &dyn Fn(i32, u32, u32) -> Value| match value(term, row) {
        Value::Date(day) => {
            let (year, month, day) = day.ymd();
            part(year, month, day)
        }
        _ => Value::Null,
    };
    match term {
        Term::Column(DELETED) => Value::Boolean(row.is_deleted),
        Term::Column(column) => row.values[*column].clone(),
        Term::Number(number) => Value::Decimal(*number),
        Term::Upper(inner) => text(inner, &|text| text.to_uppercase()),
        Term::Lower(inner) => text(inner, &|text| text.to_lowercase()),
        Term::Folded(inner) => text(inner, &|text| Collation::CaseInsensitive.text_key(&text, true)),
        Term::Part { text: inner, start, length } => {
            text(inner, &|text| text.chars().skip(*start).take(length.unwrap_or(usize::MAX)).collect())
        }
        Term::Trimmed { text: inner, start } => text(inner, &|text| {
            let text = text.trim_end_matches(' ');
            if *start { text.trim_start_matches(' ') } else { text }.to_owned()
        }),
        Term::Padded { text: inner, length } => text(inner, &|text| {
            let short: String = text.chars().take(*length).collect();
            format!("{short:<length$}")
        }),
        Term::Digits { number, width, decimals, zeros } => match value(number, row).as_decimal() {
            Some(number) => {
                let digits = number.rescale(*decimals as u8).unwrap().to_string();
                let width = width.unwrap();
                Value::Text(match zeros {
                    _ if digits.len() > width => "*".repeat(width),
                    true => match digits.strip_prefix('-') {
                        Some(digits) => format!("-{digits:0>width$}", width = width - 1),
                        None => format!("{digits:0>width$}"),
                    },
                    false => format!("{digits:>width$}"),
                })
            }
            None => Value::Null,
        },
        Term::DayDigits(inner) => of_day(inner, &|y, m, d| Value::Text(format!("{y:04}{m:02}{d:02}"))),
        Term::Year(inner) => of_day(inner, &|year, _, _| Value::Integer(year.into())),
        Term::Month(inner) => of_day(inner, &|_, month, _| Value::Integer(month.into())),
        Term::Day(inner) => of_day(inner, &|_, _, day| Value::Integer(day.into())),
        Term::Field { .. } | Term::Characters(_) => panic!("keys of DBF tables have no fields of packed records"),
        Term::Arithmetic(operation, left, right) => {
            match (value(left, row).as_decimal(), value(right, row).as_decimal()) {
                (Some(left), Some(right)) => {
                    let of_scale = |scale: u8, number: Decimal| number.rescale(scale).unwrap().unscaled;
                    let scale = left.scale.max(right.scale);
                    Value::Decimal(match operation {
                        Operation::Plus => Decimal::new(of_scale(scale, left) + of_scale(scale, right), scale),
                        Operation::Minus => Decimal::new(of_scale(scale, left) - of_scale(scale, right), scale),
                        Operation::Times => Decimal::new(left.unscaled * right.unscaled, left.scale + right.scale),
                    })
                }
                _ => Value::Null,
            }
        }
    }
}

fn order(a: &Value, b: &Value) -> Option<Ordering> {
    Some(match (a, b) {
        (Value::Text(a), Value::Text(b)) => a.trim_end_matches(' ').cmp(b.trim_end_matches(' ')),
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (a, b) => a.as_decimal()?.cmp(&b.as_decimal()?),
    })
}

/// Returns true if a condition is true of a record.
fn is_true(sought: &Sought, row: &Row) -> bool {
    match sought {
        Sought::And(parts) => parts.iter().all(|part| is_true(part, row)),
        Sought::Or(parts) => parts.iter().any(|part| is_true(part, row)),
        Sought::Any => true,
        Sought::Leaf(term, test) => {
            let value = value(term, row);
            match test {
                Test::Compare(op, other) => order(&value, other).is_some_and(|order| op.holds(order)),
                Test::In(values) => values.iter().any(|other| order(&value, other).is_some_and(Ordering::is_eq)),
                Test::Like(pattern) => {
                    let head = pattern.strip_suffix('%').unwrap();
                    matches!(&value, Value::Text(text) if text.starts_with(head))
                }
                Test::Null => value == Value::Null,
                Test::NotNull => value != Value::Null,
                Test::Truth(wanted) => value == Value::Boolean(*wanted),
            }
        }
    }
}

/// Conditions about the fields of a table.
struct Writer<'r>(&'r mut Random);

impl Writer<'_> {
    fn text_term(&mut self) -> Term {
        let column = *self.0.of(&[NAME, NAME, NAME, CODE]);
        let mut term = Term::Column(column);
        for _ in 0..self.0.below(3) {
            let text = Box::new(term);
            term = match self.0.below(9) {
                0..=2 => Term::Upper(text),
                3 => Term::Lower(text),
                4 => Term::Part { text, start: 0, length: Some(1 + self.0.below(5)) },
                5 => Term::Part { text, start: 1, length: Some(3) },
                6 => Term::Trimmed { text, start: self.0.below(2) == 0 },
                7 => Term::Padded { text, length: 3 + self.0.below(8) },
                _ => *text,
            };
        }
        term
    }

    fn number_term(&mut self) -> Term {
        let number = |text: &str| Box::new(Term::Number(text.parse().unwrap()));
        let column = |column: usize| Box::new(Term::Column(column));
        match self.0.below(10) {
            0..=3 => Term::Column(N),
            4..=6 => Term::Column(AMT),
            7 => Term::Arithmetic(Operation::Times, column(N), column(AMT)),
            8 => Term::Arithmetic(Operation::Minus, column(N), column(AMT)),
            _ => {
                let twice = Term::Arithmetic(Operation::Times, column(AMT), number("2"));
                Term::Arithmetic(Operation::Plus, column(N), Box::new(twice))
            }
        }
    }

    fn compared(&mut self, value: impl Fn(&mut Self) -> Value) -> Test {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        match self.0.below(8) {
            0 => Test::In((0..1 + self.0.below(3)).map(|_| value(self)).collect()),
            1..=3 => Test::Compare(Equal, value(self)),
            _ => Test::Compare(*self.0.of(&[Less, LessOrEqual, Greater, GreaterOrEqual, NotEqual]), value(self)),
        }
    }

    fn text(&mut self) -> String {
        let text = (*self.0.of(&NAMES)).to_owned();
        match self.0.below(6) {
            0 => text.to_uppercase(),
            1 => text.chars().take(2).collect(),
            2 => text.to_uppercase().chars().take(1 + self.0.below(3)).collect(),
            3 => text.to_lowercase(),
            _ => text,
        }
    }

    fn leaf(&mut self) -> Sought {
        let born = || Box::new(Term::Column(BORN));
        let (term, test) = match self.0.below(14) {
            0..=3 => (self.text_term(), self.compared(|it| Value::Text(it.text()))),
            4 => (self.text_term(), Test::Like(format!("{}%", self.text()))),
            5 => (Term::Column(CODE), self.compared(|it| Value::Text((*it.0.of(&CODES)).to_owned()))),
            6..=8 => {
                let number = |it: &mut Self| {
                    let text = [*it.0.of(&NUMBERS), *it.0.of(&AMOUNTS)][it.0.below(2)];
                    text.parse().map_or(Value::Integer(0), Value::Decimal)
                };
                (self.number_term(), self.compared(number))
            }
            9 | 10 => (
                Term::Column(BORN),
                self.compared(|it| day(it.0.of::<&str>(&DAYS[1..])).map_or(Value::Null, Value::Date)),
            ),
            11 => match self.0.below(4) {
                0 => (Term::DayDigits(born()), Test::Like(format!("{}%", &self.0.of(&DAYS[1..])[..6]))),
                1 => (Term::DayDigits(born()), self.compared(|it| Value::Text((*it.0.of(&DAYS)).to_owned()))),
                2 => (Term::Column(BORN), self.0.of(&[Test::Null, Test::NotNull]).clone()),
                _ => (Term::Year(born()), self.compared(|it| Value::Integer(*it.0.of(&[99, 1999, 2019, 2020, 2026])))),
            },
            12 => {
                let zeros = self.0.below(2) == 0;
                let number = Box::new(Term::Column(N));
                let term = Term::Digits { number, width: Some(6), decimals: 0, zeros };
                let digits = |it: &mut Self| {
                    let number = *it.0.of(&NUMBERS);
                    Value::Text(if zeros { format!("{number:0>6}") } else { format!("{number:>6}") })
                };
                (term, self.compared(digits))
            }
            _ => match self.0.below(3) {
                0 => (Term::Column(DELETED), Test::Truth(false)),
                _ => (Term::Column(HERE), Test::Truth(self.0.below(2) == 0)),
            },
        };
        Sought::Leaf(term, test)
    }

    fn condition(&mut self, depth: usize) -> Sought {
        match self.0.below(if depth == 0 { 1 } else { 4 }) {
            0 => self.leaf(),
            1 => Sought::Or((0..2).map(|_| self.condition(depth - 1)).collect()),
            _ => Sought::And((0..2 + self.0.below(2)).map(|_| self.condition(depth - 1)).collect()),
        }
    }
}

const KEYS: [&str; 38] = [
    "NAME",
    "UPPER(NAME)",
    "LOWER(NAME)",
    "LEFT(NAME,3)",
    "UPPER(LEFT(NAME,3))",
    "LEFT(UPPER(NAME),2)+CODE",
    "SUBSTR(NAME,2,3)",
    "UPPER(SUBSTR(NAME,2,3))",
    "PADR(NAME,10)",
    "PADR(NAME,4)+CODE",
    "ALLTRIM(NAME)",
    "UPPER(ALLTRIM(NAME))",
    "LTRIM(NAME)",
    "TRIM(NAME)",
    "TRIM(NAME)+CODE",
    "RTRIM(UPPER(NAME))+STR(N,6)",
    "CODE+DTOS(BORN)",
    "CODE+NAME",
    "UPPER(CODE)+UPPER(NAME)",
    "UPPER(CODE)+STR(N,6)",
    "STR(N,6)",
    "STR(N,4)",
    "STR(N)+CODE",
    "STR(N,6)+DTOS(BORN)+CODE",
    "STRZERO(N,6)",
    "STRZERO(N,4)+CODE",
    "STR(AMT,9,1)+CODE",
    "STRZERO(AMT,10,2)",
    "DTOS(BORN)",
    "DTOS(BORN)+STR(AMT,8,2)",
    "LEFT(DTOS(BORN),6)",
    "YEAR(BORN)",
    "N*AMT",
    "N-AMT",
    "N+AMT*2",
    "HERE",
    "BORN",
    "AMT",
];

const CONDITIONS_OF_TAGS: [&str; 18] = [
    "",
    "",
    "",
    "",
    ".NOT. DELETED()",
    "HERE",
    ".NOT. HERE .AND. N<=50",
    "N>5",
    "N>=5 .AND. AMT<100",
    "N<>0",
    "CODE=\"A\"",
    "CODE<>\"AB\"",
    "NAME<\"M\"",
    "NAME>=\"B\" .AND. .NOT. DELETED()",
    ".NOT. EMPTY(BORN)",
    "DTOS(BORN)>\"20200101\"",
    ".NOT. EMPTY(NAME) .OR. N=3",
    "!EMPTY(CODE) .AND. !EMPTY(AMT)",
];

/// A table of random records with one tag.
fn tagged(
    random: &mut Random,
    (page, language): (CodePage, u8),
    kind: BagKind,
    key: &str,
    condition: &str,
) -> (DbfTable, Vec<Row>) {
    let memory = Memory::new();
    let (bytes, rows) = table(random, page, language);
    memory.write("t.dbf", bytes);
    let files: Arc<dyn FileSystem> = Arc::new(memory);
    let mut writer =
        IndexedTable::open(Arc::clone(&files), Path::new("t.dbf"), WriteOptions::new(Access::Exclusive)).unwrap();
    let spec = IndexSpec {
        condition: (!condition.is_empty()).then(|| condition.as_bytes().to_vec()),
        descending: random.below(4) == 0,
        ..IndexSpec::new("T", key)
    };
    let path = (kind != BagKind::Cdx).then(|| PathBuf::from("t.ntx"));
    writer.create_index(path.as_deref(), kind, &spec, Building::default()).unwrap();
    writer.close().unwrap();
    let file = path.unwrap_or_else(|| PathBuf::from("t.cdx"));
    let table =
        DbfTable::open(files, Path::new("t.dbf"), "t", OpenOptions::default(), VectorCache::new(1 << 20), &[file])
            .unwrap();
    let unusable = table.indexes()[0].unusable.clone();
    assert_eq!(unusable, None, "{key} FOR {condition}");
    (table, rows)
}

/// The records, by their places, that a way into the table gives.
fn found_by(table: &DbfTable, access: &mainstay_columnar::Access) -> Vec<u32> {
    match table.snapshot().unwrap().rows(access, usize::MAX).unwrap().unwrap() {
        RowSet::List(rows) => rows,
        RowSet::Bitmap(bits) => bits.set_indices_u32().collect(),
    }
}

/// The table with one tag, and what it is asked.
fn check(random: &mut Random, page: (CodePage, u8), kind: BagKind, key: &str, condition: &str) -> (usize, usize) {
    let (table, rows) = tagged(random, page, kind, key, condition);
    let (mut used, mut narrowed) = (0, 0);
    for _ in 0..CONDITIONS {
        let sought = Writer(random).condition(2);
        let visible_only = random.below(2) == 0;
        let Some(access) = table.access_of(&sought, visible_only) else { continue };
        used += 1;
        let found = found_by(&table, &access);
        narrowed += usize::from(found.len() < RECORDS / 2);
        for (place, row) in rows.iter().enumerate() {
            let is_wanted = is_true(&sought, row) && !(visible_only && row.is_deleted);
            let names: Vec<&str> = FIELDS.iter().map(|field| field.0).chain(["_recno", "_deleted"]).collect();
            assert!(
                !is_wanted || found.contains(&(place as u32)),
                "record {} is missing: {:?}\n{key} FOR {condition}\n{}\n{access}",
                place + 1,
                row.values,
                sought.display(&names)
            );
        }
    }
    (used, narrowed)
}

#[test]
fn ranges_have_every_record_of_a_condition() {
    let (mut all_used, mut all_narrowed) = (0, 0);
    let pages = [(CodePage::from_number(437).unwrap(), 1), (CodePage::from_number(1252).unwrap(), 3)];
    for seed in 0..std::env::var("MAINSTAY_SEEDS").map_or(SEEDS, |seeds| seeds.parse().unwrap()) {
        let mut random = Random(seed);
        for key in KEYS {
            let (mut used, mut narrowed) = (0, 0);
            for _ in 0..3 {
                let condition = *random.of(&CONDITIONS_OF_TAGS);
                let kind = *random.of(&[BagKind::Cdx, BagKind::Cdx, BagKind::Ntx]);
                // The digits of keys in files of the other kind are not enough for every number.
                let is_number = ["N*AMT", "N-AMT", "N+AMT*2", "AMT"].contains(&key);
                let kind = if is_number { BagKind::Cdx } else { kind };
                let page = pages[random.below(2)];
                let counts = check(&mut random, page, kind, key, condition);
                (used, narrowed) = (used + counts.0, narrowed + counts.1);
            }
            (all_used, all_narrowed) = (all_used + used, all_narrowed + narrowed);
        }
    }
    // Ranges are worth something: without any, or with whole tags only, nothing would be shown.
    assert!(all_used > 2_000 && all_narrowed * 2 > all_used, "{all_used} used, {all_narrowed} narrowed");
}

/// Conditions under which case does not count, as other dialects have them of all texts.
#[test]
fn ranges_have_every_record_whatever_its_case() {
    let pages = [(437, 1), (1252, 3)].map(|(number, language)| (CodePage::from_number(number).unwrap(), language));
    let (mut used, mut narrowed) = (0, 0);
    for seed in 0..SEEDS * 4 {
        let mut random = Random(seed);
        for key in ["NAME", "CODE", "UPPER(NAME)", "CODE+NAME", "LEFT(NAME,3)", "LOWER(CODE)+STR(N,6)"] {
            let page = *random.of(&pages);
            let kind = *random.of(&[BagKind::Cdx, BagKind::Ntx]);
            let (table, rows) = tagged(&mut random, page, kind, key, "");
            for _ in 0..CONDITIONS {
                let column = *random.of(&[NAME, CODE]);
                let mut literal = || match random.below(3) {
                    0 => (*random.of(&["", "[x", "_x", "12", "@", " ", "5 "])).to_owned(),
                    _ => (*random.of(&NAMES)).to_owned(),
                };
                let (text, other) = (literal(), literal());
                let of = |text: &str, pads| Collation::CaseInsensitive.text_key(text, pads);
                let key = |text: &str| Value::Text(of(text, true));
                let op = *random.of(&[
                    Comparison::Equal,
                    Comparison::Equal,
                    Comparison::Less,
                    Comparison::LessOrEqual,
                    Comparison::Greater,
                    Comparison::GreaterOrEqual,
                ]);
                let (leaf, pads) = match random.below(4) {
                    0 => (Predicate::In { column, values: vec![key(&text), key(&other)], negated: false }, true),
                    1 if !text.contains(['_', '%', '\\']) => {
                        let pattern = format!("{}%", of(&text, false));
                        let (escape, case_insensitive, negated) = (None, false, false);
                        (Predicate::Like { column, pattern, escape, case_insensitive, negated }, false)
                    }
                    _ => (Predicate::Compare { column, op, value: key(&text) }, true),
                };
                let predicate =
                    Predicate::Collated { collation: Collation::CaseInsensitive, pads, leaf: Box::new(leaf.clone()) };
                let Some(access) = table.access_of(&Sought::from(&predicate), false) else { continue };
                used += 1;
                let found = found_by(&table, &access);
                narrowed += usize::from(found.len() < RECORDS / 2);
                for (place, row) in rows.iter().enumerate() {
                    let Value::Text(own) = &row.values[column] else { continue };
                    let own = of(own, pads);
                    let is_wanted = match &leaf {
                        Predicate::In { .. } => own == of(&text, true) || own == of(&other, true),
                        Predicate::Like { .. } => own.starts_with(&of(&text, false)),
                        _ => op.holds(own.cmp(&of(&text, true))),
                    };
                    let is_there = found.contains(&(place as u32));
                    assert!(!is_wanted || is_there, "{own:?} {predicate:?} {access}");
                }
            }
        }
    }
    assert!(used > 2_000 && narrowed * 2 > used, "{used} used, {narrowed} narrowed");
}

/// Three times a tenth is 0.30000000000000004 to a key, and 0.3 to SQL.
#[test]
fn the_value_of_every_record_finds_it() {
    let column = |column: usize| Box::new(Term::Column(column));
    for (key, operation) in [("N*AMT", Operation::Times), ("N-AMT", Operation::Minus), ("N+AMT", Operation::Plus)] {
        let mut random = Random(7);
        let (bytes, rows) = table(&mut random, CodePage::from_number(437).unwrap(), 1);
        let memory = Memory::new();
        memory.write("t.dbf", bytes);
        let files: Arc<dyn FileSystem> = Arc::new(memory);
        let options = WriteOptions::new(Access::Exclusive);
        let mut writer = IndexedTable::open(Arc::clone(&files), Path::new("t.dbf"), options).unwrap();
        writer.create_index(None, BagKind::Cdx, &IndexSpec::new("T", key), Building::default()).unwrap();
        writer.close().unwrap();
        let (cache, index) = (VectorCache::new(1 << 20), [PathBuf::from("t.cdx")]);
        let table = DbfTable::open(files, Path::new("t.dbf"), "t", OpenOptions::default(), cache, &index).unwrap();
        let term = Term::Arithmetic(operation, column(N), column(AMT));
        for (place, row) in rows.iter().enumerate() {
            let wanted = value(&term, row);
            if wanted == Value::Null {
                continue;
            }
            let test = Test::Compare(Comparison::Equal, wanted.clone());
            let access = table.access_of(&Sought::Leaf(term.clone(), test), false).unwrap();
            let found = match table.snapshot().unwrap().rows(&access, usize::MAX).unwrap().unwrap() {
                RowSet::List(rows) => rows.contains(&(place as u32)),
                RowSet::Bitmap(bits) => bits.value(place),
            };
            assert!(found, "{key} = {wanted}: record {}", place + 1);
        }
    }
}
