//! Random files against a naive reader: character by character, everything in memory.

mod common;

use common::{Cell, Random, lines, memory, open, open_in, rows};
use mainstay_columnar::Table;
use mainstay_csv::CsvOptions;

/// The rows of a text with commas and double quotes; each value with whether it was quoted.
fn naive(text: &str) -> Vec<Vec<(String, bool)>> {
    let chars: Vec<char> = text.chars().collect();
    naive_from(&chars, usize::MAX).unwrap_or_else(|open| naive_from(&chars, open).expect("no quote opens any more"))
}

/// Fails with the place of a quote that is never closed.
fn naive_from(chars: &[char], quotes_until: usize) -> Result<Vec<Vec<(String, bool)>>, usize> {
    let (mut rows, mut row, mut at) = (Vec::new(), Vec::new(), 0);
    while at < chars.len() {
        if row.is_empty() && matches!(chars[at], '\r' | '\n') {
            at += 1;
            continue;
        }
        let (mut value, mut quoted) = (String::new(), false);
        if chars[at] == '"' && at < quotes_until {
            let open = at;
            quoted = true;
            at += 1;
            loop {
                match (chars.get(at), chars.get(at + 1)) {
                    (None, _) => return Err(open),
                    (Some('"'), Some('"')) => {
                        value.push('"');
                        at += 2;
                    }
                    (Some('"'), _) => {
                        at += 1;
                        break;
                    }
                    (Some(&other), _) => {
                        value.push(other);
                        at += 1;
                    }
                }
            }
        }
        while at < chars.len() && !matches!(chars[at], ',' | '\r' | '\n') {
            value.push(chars[at]);
            at += 1;
        }
        row.push((value, quoted));
        match chars.get(at) {
            Some(',') => {
                at += 1;
                // A delimiter at the very end has an empty field behind it.
                if matches!(chars.get(at), None | Some('\r' | '\n')) {
                    row.push((String::new(), false));
                    at += usize::from(chars[at..].starts_with(&['\r', '\n'])) + 1;
                    rows.push(std::mem::take(&mut row));
                }
            }
            _ => {
                at += usize::from(chars[at.min(chars.len())..].starts_with(&['\r', '\n'])) + 1;
                rows.push(std::mem::take(&mut row));
            }
        }
    }
    Ok(rows)
}

fn expected(text: &str, columns: usize) -> Vec<Vec<Cell>> {
    let cell = |field: Option<&(String, bool)>| match field {
        Some((value, quoted)) if *quoted || !value.is_empty() => Some(value.clone()),
        _ => None,
    };
    naive(text).iter().map(|row| (0..columns).map(|column| cell(row.get(column))).collect()).collect()
}

fn plain() -> CsvOptions {
    CsvOptions { delimiter: Some(b','), quote: Some(b'"'), header: Some(false), ..CsvOptions::default() }
}

#[test]
fn any_sequence_of_the_characters_that_matter() {
    let mut random = Random(2024);
    for case in 0..4_000 {
        let len = random.below(60);
        let text: String =
            (0..len).map(|_| random.pick(&["x", "7", ",", ",", "\"", "\"", "\n", "\r", "\r\n", "é"])).collect();
        let table = open_in(memory(text.clone()), plain()).unwrap();
        assert_eq!(rows(&table), expected(&text, table.schema().fields().len()), "case {case}: {text:?}");
    }
}

#[test]
fn values_written_by_the_rules_come_back() {
    let mut random = Random(7);
    for case in 0..1_500 {
        let (columns, count) = (random.below(5) + 1, random.below(20) + 1);
        let end = random.pick(&["\n", "\r\n", "\r"]);
        let mut text: String = (0..columns).map(|column| format!("name{column},")).collect();
        text.replace_range(text.len() - 1.., end);
        let mut written = Vec::new();
        for _ in 0..count {
            let mut row: Vec<Cell> = Vec::new();
            for column in 0..columns {
                let value = random.pick(&["", "a", "b c", "a,b", "say \"x\"", "two\nlines", "\r\n", "tail ", "äöü"]);
                // A lone empty value would be a blank line.
                let quoted = value.contains([',', '"', '\n', '\r']) || random.below(4) == 0 || columns == 1;
                row.push((quoted || !value.is_empty()).then(|| value.to_owned()));
                let value = if quoted { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.to_owned() };
                text.push_str(&value);
                text.push_str(if column + 1 < columns { "," } else { end });
            }
            written.push(row);
        }
        let options = CsvOptions { header: Some(true), ..plain() };
        let table = open_in(memory(text.clone()), options).unwrap();
        assert_eq!(rows(&table), written, "case {case}: {text:?}");
        assert!(table.findings().is_empty());
    }
}

#[test]
fn typed_values_come_back_whatever_the_types() {
    let mut random = Random(99);
    for _ in 0..300 {
        let mut text = String::from("id;amount;day;flag;code\n");
        let mut written = Vec::new();
        for row in 0..random.below(40) + 1 {
            let cents = random.below(10_000_000) as i64 - 5_000_000;
            let sign = if cents < 0 { "-" } else { "" };
            let (whole, part) = (cents.abs() / 100, cents.abs() % 100);
            let (month, day) = (random.below(12) + 1, random.below(28) + 1);
            let flag = row % 3 == 0;
            text.push_str(&format!("{row};{sign}{whole},{part:02};{day}.{month}.1999;{flag};{row:04}\r\n"));
            written.push(format!("{row}|{sign}{whole}.{part:02}|1999-{month:02}-{day:02}|{flag}|{row:04}"));
        }
        assert_eq!(lines(&open(text)), written);
    }
}

#[test]
fn large_files_cross_chunks_and_groups() {
    let mut random = Random(5);
    let mut text = String::from("id,note,town\n");
    let mut id = 0;
    while text.len() < 3_500_000 {
        id += 1;
        let note = match random.below(6) {
            0 => "\"one, \"\"two\"\"\r\nthree\"".to_owned(),
            1 => String::new(),
            2 => "\"\"".to_owned(),
            _ => format!("note {}", random.below(100_000)),
        };
        let town = random.pick(&["Hamburg", "Bremen", "Kiel", ""]);
        text.push_str(&format!("{id},{note},{town}{}", random.pick(&["\n", "\r\n"])));
    }
    // And one value longer than a chunk.
    text.push_str(&format!("{},\"{}\",Kiel\n", id + 1, "long, \n".repeat(400_000)));
    let table = open(text.clone());
    let snapshot = table.snapshot().unwrap();
    assert!(snapshot.groups() > 1);
    assert_eq!(snapshot.group(1).start, 65_536);
    let all = expected(&text, 3).split_off(1);
    assert!(rows(&table) == all, "the rows differ");

    let wanted: Vec<u32> = (0..500).map(|_| random.below(all.len()) as u32).collect();
    let (vectors, kept) = snapshot.fetch(&wanted, &[2, 0, 1], true).unwrap();
    assert_eq!(kept, wanted);
    let texts: Vec<Vec<Cell>> = vectors.iter().map(common::text_of).collect();
    for (at, &row) in wanted.iter().enumerate() {
        let row = &all[row as usize];
        assert_eq!([&texts[0][at], &texts[1][at], &texts[2][at]], [&row[2], &row[0], &row[1]]);
    }
    assert!(snapshot.fetch(&[all.len() as u32], &[0], true).is_err());
}
