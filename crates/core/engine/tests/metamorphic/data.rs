//! Random tables: few rows, many equal values and NULLs, so that conditions, groups and joins reach all their cases.

use crate::common::Random;
use crate::tree::Kind;

/// A table; its first column `id` has no equal values and no NULLs.
pub struct Table {
    pub name: String,
    pub columns: Vec<(String, Kind, &'static str)>,
    /// Literals, a row each.
    pub rows: Vec<Vec<String>>,
    /// Of native tables: a primary key, and indexes.
    has_key: bool,
    indexes: Vec<String>,
}

/// Columns that a table may have, beside `id`. Texts of `c` are CHAR.
const COLUMNS: [(&str, Kind, &str); 8] = [
    ("a", Kind::Whole, "INTEGER"),
    ("b", Kind::Whole, "BIGINT"),
    ("n", Kind::Decimal, "DECIMAL(8,2)"),
    ("x", Kind::Double, "DOUBLE PRECISION"),
    ("s", Kind::Text, "VARCHAR(10)"),
    ("c", Kind::Text, "CHAR(4)"),
    ("f", Kind::Flag, "BOOLEAN"),
    ("d", Kind::Date, "DATE"),
];

const ROWS: [usize; 6] = [0, 1, 4, 7, 9, 12];

impl Table {
    /// Some tables; `a` is in each.
    pub fn random_tables(random: &mut Random) -> Vec<Table> {
        (0..3 + random.below(2)).map(|number| Table::random(random, number)).collect()
    }

    fn random(random: &mut Random, number: usize) -> Table {
        let name = format!("t{number}");
        let mut columns = vec![("id".to_owned(), Kind::Whole, "INTEGER")];
        for (column, kind, sql_type) in COLUMNS {
            if column == "a" || random.below(3) > 0 {
                columns.push((column.to_owned(), kind, sql_type));
            }
        }
        let count = ROWS[if random.one_in(6) { random.below(2) } else { 2 + random.below(4) }];
        let row = |random: &mut Random, id: usize| {
            let values = columns[1..].iter().map(|(_, kind, _)| value(random, *kind));
            std::iter::once(id.to_string()).chain(values).collect()
        };
        let rows = (1..=count).map(|id| row(random, id)).collect();
        let indexes = (0..random.below(3)).map(|index| {
            let (first, second) = (random.pick_from(&columns), random.pick_from(&columns));
            let keys = match first.0 == second.0 {
                true => format!("{}{}", first.0, random.of(&["", " DESC"])),
                false => format!("{}, {}{}", first.0, second.0, random.of(&["", " DESC"])),
            };
            format!("CREATE INDEX {name}_{index} ON {name} ({keys})")
        });
        let indexes = indexes.collect();
        let has_key = random.below(3) > 0;
        Table { name, columns, rows, has_key, indexes }
    }

    /// The statements that make and fill the table as a native one.
    pub fn native(&self) -> Vec<String> {
        let key = if self.has_key { ", PRIMARY KEY (id)" } else { "" };
        let mut statements = vec![format!("CREATE TABLE {} ({}{key})", self.name, self.definitions())];
        statements.extend(self.indexes.iter().cloned());
        statements.extend(self.insert());
        statements
    }

    /// As a DBF. It has no field for 64 bits: one with so many digits is a DECIMAL, whose quotients have fractions.
    pub fn dbf(&self) -> Vec<String> {
        let definitions = self.definitions().replace("BIGINT", "INTEGER");
        let mut statements =
            vec![format!("CREATE TABLE {} ({definitions}) WITH (FORMAT = dbf, VERSION = vfp)", self.name)];
        statements.extend(self.insert());
        statements
    }

    pub fn sqlite(&self) -> Vec<String> {
        let definitions = self.definitions().replace("DOUBLE PRECISION", "REAL").replace(" BOOLEAN", " INTEGER");
        let definitions = definitions.replace(" DATE", " TEXT");
        let mut statements = vec![format!("CREATE TABLE {} ({definitions})", self.name)];
        statements.extend(self.insert().map(|insert| insert.replace("DATE '", "'")));
        statements
    }

    fn definitions(&self) -> String {
        let column = |(name, _, sql_type): &(String, Kind, &str)| format!("{name} {sql_type}");
        self.columns.iter().map(column).collect::<Vec<_>>().join(", ")
    }

    fn insert(&self) -> Option<String> {
        let rows: Vec<String> = self.rows.iter().map(|row| format!("({})", row.join(", "))).collect();
        (!rows.is_empty()).then(|| format!("INSERT INTO {} VALUES {}", self.name, rows.join(", ")))
    }
}

/// A value of a table, or NULL.
fn value(random: &mut Random, kind: Kind) -> String {
    if random.one_in(6) { "NULL".to_owned() } else { literal(random, kind) }
}

/// A literal of few different values. Fractions are quarters, which doubles hold exactly. No text is empty: a field of
/// a DBF without text is shown so or as NULL.
pub fn literal(random: &mut Random, kind: Kind) -> String {
    let number = random.below(8) as i64 - 2;
    match kind {
        Kind::Whole if number < 0 => format!("({number})"),
        Kind::Whole => number.to_string(),
        Kind::Decimal => random.of(&["0.25", "1.0", "2.5", "(-0.75)", "3.25", "0.0"]).to_owned(),
        Kind::Double => random.of(&["25e-2", "1e0", "15e-1", "(-75e-2)", "0e0", "4e0"]).to_owned(),
        Kind::Text => format!("'{}'", random.of(&["a", "b", "ab", "B", "ba", "a_c", "2", "1"])),
        Kind::Flag => random.of(&["TRUE", "FALSE"]).to_owned(),
        Kind::Date => format!("DATE '2024-0{}-1{}'", 1 + random.below(2), random.below(3)),
    }
}
