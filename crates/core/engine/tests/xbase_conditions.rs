//! Conditions of xBase: the SQL translation finds the records that the xBase evaluator finds.

#![allow(clippy::disallowed_methods)]

mod support;

use mainstay_engine::{Session, xbase_condition};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::dbf::{Dbf, Field, OpenOptions};
use mainstay_xbase::expr::{Context, ExprValue, Expression, Scratch};
use std::path::Path;
use support::{rows, session};

/// A table of the sample as files see it, with records of which some fields are blank.
struct Records {
    fields: Vec<Field>,
    records: Vec<Vec<u8>>,
}

impl Records {
    /// Copies `name` into the folder. Of every fifth record one field is blanked, another one each time.
    fn copied(folder: &Path, name: &str) -> Records {
        let sample = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../sample"));
        for entry in std::fs::read_dir(sample).unwrap() {
            let path = entry.unwrap().path();
            let is_memo = path.extension().is_some_and(|extension| extension == "fpt");
            if path.file_stem().unwrap() == name && (is_memo || path.extension().unwrap() == "dbf") {
                std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
            }
        }
        let path = folder.join(name).with_extension("dbf");
        let dbf = Dbf::open(Disk.open(&path).unwrap(), OpenOptions::default()).unwrap();
        let fields: Vec<Field> = dbf.fields().iter().filter(|field| field.letter != b'M').cloned().collect();
        let (header, length) = (dbf.header().header_length as usize, dbf.header().record_bytes());
        let mut bytes = std::fs::read(&path).unwrap();
        let mut records = Vec::new();
        for (number, record) in bytes[header..].chunks_exact_mut(length).enumerate() {
            if number % 5 == 0 {
                let field = &fields[number / 5 % fields.len()];
                record[field.offset..field.offset + field.length].fill(b' ');
            }
            records.push(record.to_vec());
        }
        std::fs::write(&path, &bytes).unwrap();
        Records { fields, records }
    }

    /// The numbers of the records that are not deleted for which xBase says that the condition is true.
    fn found(&self, condition: &str) -> Vec<usize> {
        let compiled = Expression::parse(condition).unwrap().compile(&Context::new(&self.fields)).unwrap();
        let mut scratch = Scratch::new();
        let mut is_true = |number: usize, record: &[u8]| match compiled.evaluate(&mut scratch, record, number as u32) {
            Ok(ExprValue::Logical(value)) => value,
            other => panic!("{condition}: {other:?}"),
        };
        let numbered = self.records.iter().enumerate().map(|(at, record)| (at + 1, record));
        numbered.filter(|(number, record)| record[0] == b' ' && is_true(*number, record)).map(|(at, _)| at).collect()
    }
}

fn found_by_sql(session: &mut Session, table: &str, condition: &str) -> Vec<usize> {
    let info = session.describe(table).unwrap();
    let sql = xbase_condition(&info, condition).unwrap_or_else(|error| panic!("{condition}: {error}"));
    let found = rows(session, &format!("SELECT _recno FROM {table} WHERE {sql} ORDER BY _recno"));
    found.iter().map(|row| row[0].parse().unwrap()).collect()
}

/// Both find the same; how many conditions found some records and left others out.
fn compare(table: &str, conditions: &[String]) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let records = Records::copied(folder.path(), table);
    let mut session = session(folder.path());
    let all = records.found(".T.").len();
    let mut tell_apart = 0;
    for condition in conditions {
        let (expected, found) = (records.found(condition), found_by_sql(&mut session, table, condition));
        let by_one = |one: &[usize], other: &[usize]| one.iter().find(|at| !other.contains(at)).copied();
        let first = (by_one(&expected, &found), by_one(&found, &expected));
        assert_eq!(first, (None, None), "{condition}: the first record that only xBase finds, and only SQL");
        tell_apart += usize::from(!expected.is_empty() && expected.len() < all);
    }
    tell_apart
}

/// Every comparison of a field with each of these values, and its opposite; of numbers and days also from the other side.
/// Texts of another length than the field are never `==` to it, nor equal from the other side: blanks count there in xBase.
fn comparisons(field: &str, values: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    for value in values {
        let is_text = value.starts_with('\'');
        for operator in ["=", "<>", "<", "<=", ">", ">=", "=="].iter().take(if is_text { 6 } else { 7 }) {
            all.push(format!("{field} {operator} {value}"));
            let opposite = format!(".NOT. {field} {operator} {value}");
            all.push(if is_text { opposite } else { format!("{value} {operator} {field} .AND. .T.") });
        }
    }
    all
}

#[test]
fn comparisons_mean_what_they_mean_in_xbase() {
    let of_customers = [
        comparisons("name", &["'K'", "'konditorei'", "''", "'%'"]),
        comparisons("city", &["'Graz'", "'Graz '", "'Grazer'", "' '"]),
        comparisons("balance", &["0", "-5", "4214.63", "credit / 2"]),
        comparisons("since", &["{}", "{^2020-10-20}", "{^1901-01-01}"]),
    ];
    let told_apart = compare("customers", &of_customers.concat());
    assert!(told_apart > 110, "{told_apart}");
    let told_apart = compare("orders", &comparisons("shipped", &["{}", "{^2023-01-09}", "orderdate + 3"]));
    assert!(told_apart > 30, "{told_apart}");
}

#[test]
fn functions_mean_what_they_mean_in_xbase() {
    let conditions = [
        "active",
        ".NOT. active .AND. balance > 0",
        "active .OR. credit = 500",
        "active = .T.",
        "!EMPTY(since) .AND. EMPTY(balance)",
        "EMPTY(city) .OR. EMPTY(active)",
        "'an' $ name",
        "'an' $ LOWER(name) .AND. LEN(TRIM(name)) > 12",
        "'' $ name .OR. id = 1448",
        "UPPER(city) = 'GRAZ'",
        "LEFT(name, 3) = 'Kon' .OR. RIGHT(country, 1) = 'K'",
        "SUBSTR(postcode, 2, 2) = '16'",
        "AT('den', name) > 4",
        "TRIM(city) + country = 'GrazAT'",
        "city + country = PADR('Graz', 20) + 'AT'",
        "LEN(name) = 32 .AND. LEN(ALLTRIM(city)) = 4",
        "ABS(balance) > 400 .AND. INT(balance / 10) = 48",
        "ROUND(balance, 0) = 480",
        "MAX(balance, credit) = credit",
        "balance / credit > 0.5",
        "balance % 2 > 1",
        "-balance < -4000",
        "id ^ 2 < 1500000",
        "YEAR(since) = 2020 .AND. MONTH(since) > 6",
        "DAY(since) = 0",
        "DOW(since) = 2",
        "DTOS(since) < '2015'",
        "DTOC(since) = '10/20/20'",
        "CDOW(since) = 'Monday' .OR. CMONTH(since) = 'May'",
        "STR(id, 6) = '  1448'",
        "STR(balance, 10, 2) = '   4214.63'",
        "STR(id, 3) = '***'",
        "IIF(active, credit, balance) > 5000",
        "BETWEEN(balance, 100, 500)",
        "INLIST(country, 'DK', 'SE')",
        "since + 30 > {^2023-01-01}",
        "since - 3 > {^2019-12-31}",
        "since - {^2020-01-01} > 365",
        ".NOT. since - {^2020-01-01} > 365",
        "RECNO() > 100 .AND. .NOT. DELETED()",
    ];
    let told_apart = compare("customers", &conditions.map(str::to_owned));
    assert!(told_apart >= conditions.len() - 3, "{told_apart}");
}
