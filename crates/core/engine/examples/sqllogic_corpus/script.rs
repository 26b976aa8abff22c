//! Scripts of sqllogictest, as SQLite's and DuckDB's corpora have them: text to records, loops unrolled.

/// The expectation of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// `statement ok`; with `maybe`, an error is as good.
    Done { maybe: bool },
    /// `statement error`.
    Failure,
    /// `query`: letters of the types, how rows are sorted, and the lines behind `----`.
    Rows { types: String, sort: Sort, lines: Vec<String> },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sort {
    No,
    Rows,
    Values,
}

#[derive(Clone, Debug)]
pub struct Record {
    /// Line of the script, from 1.
    pub line: usize,
    pub sql: String,
    pub connection: String,
    pub expected: Expected,
}

/// A script to run, or the reason why not.
#[derive(Debug, Default)]
pub struct Script {
    pub records: Vec<Record>,
    /// A requirement of the script that is not met: everything behind it is left out.
    pub needs: Option<String>,
    /// Records that are for other databases.
    pub left_out: usize,
}

/// Records of one script, loops included; more are left out.
const MOST_RECORDS: usize = 60_000;

/// The records of a script.
pub fn parse(text: &str) -> Script {
    let lines: Vec<(usize, &str)> = text.lines().enumerate().map(|(number, line)| (number + 1, line)).collect();
    let mut script = Script::default();
    block(&lines, &[], &mut script);
    script
}

/// Reads lines with values for the variables of the loops around them.
fn block(lines: &[(usize, &str)], variables: &[(String, String)], script: &mut Script) {
    let mut at = 0;
    let mut is_for_others = false;
    while at < lines.len() && script.needs.is_none() && script.records.len() < MOST_RECORDS {
        let (number, line) = lines[at];
        let line = substituted(line, variables);
        let words: Vec<&str> = line.split_whitespace().collect();
        at += 1;
        match words.as_slice() {
            [] => {}
            [word, ..] if word.starts_with('#') => {}
            ["halt", ..] => script.needs = Some("halt".to_owned()),
            ["require", what, ..]
                if !["vector_size", "skip_reload", "noforcestorage", "no_extension_autoloading"].contains(what) =>
            {
                script.needs = Some(format!("require {what}"));
            }
            ["require-env", ..] | ["include", ..] | ["unzip", ..] => script.needs = Some(words[0].to_owned()),
            ["mode", "skip", ..] => {
                while at < lines.len() && lines[at].1.trim() != "mode unskip" {
                    at += 1;
                }
            }
            ["skipif", "mainstay", ..] => is_for_others = true,
            ["onlyif", who, ..] => is_for_others = *who != "mainstay",
            ["loop" | "foreach" | "concurrentloop" | "concurrentforeach", ..] => {
                let end = end_of_loop(lines, at);
                for values in values_of_loop(&words) {
                    let inner: Vec<(String, String)> = variables.iter().cloned().chain(values).collect();
                    block(&lines[at..end], &inner, script);
                }
                at = end + 1;
            }
            ["statement" | "query", ..] => {
                let record = record(lines, &mut at, number, &words, variables);
                match std::mem::take(&mut is_for_others) {
                    true => script.left_out += 1,
                    false => script.records.push(record),
                }
            }
            _ => {}
        }
    }
}

/// The line of `endloop` that belongs to the loop whose lines begin here.
fn end_of_loop(lines: &[(usize, &str)], start: usize) -> usize {
    let mut depth = 0;
    for (place, (_, line)) in lines.iter().enumerate().skip(start) {
        match line.split_whitespace().next() {
            Some("loop" | "foreach" | "concurrentloop" | "concurrentforeach") => depth += 1,
            Some("endloop") if depth == 0 => return place,
            Some("endloop") => depth -= 1,
            _ => {}
        }
    }
    lines.len()
}

/// The variables of each turn of a loop.
fn values_of_loop(words: &[&str]) -> Vec<Vec<(String, String)>> {
    let one = |name: &str, value: String| vec![(name.to_owned(), value)];
    match words {
        ["loop" | "concurrentloop", name, start, end, ..] => {
            let (start, end) = (start.parse::<i64>().unwrap_or(0), end.parse::<i64>().unwrap_or(0));
            (start..end).map(|value| one(name, value.to_string())).collect()
        }
        [_, name, values @ ..] => {
            let values = values.iter().flat_map(|value| expanded(value));
            let names: Vec<&str> = name.split(',').collect();
            let turn = |value: String| match names.len() {
                1 => one(name, value),
                _ => names.iter().map(|name| (*name).to_owned()).zip(value.split(',').map(str::to_owned)).collect(),
            };
            values.map(turn).collect()
        }
        _ => Vec::new(),
    }
}

/// Names of groups of types.
fn expanded(value: &str) -> Vec<String> {
    let names: &[&str] = match value {
        "<signed>" => &["tinyint", "smallint", "integer", "bigint", "hugeint"],
        "<unsigned>" => &["utinyint", "usmallint", "uinteger", "ubigint", "uhugeint"],
        "<integral>" => {
            &["tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint"]
        }
        "<numeric>" => &["tinyint", "smallint", "integer", "bigint", "hugeint", "float", "double"],
        "<alltypes>" => &["bool", "tinyint", "smallint", "integer", "bigint", "hugeint", "float", "double", "varchar"],
        other => return vec![other.to_owned()],
    };
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn substituted(line: &str, variables: &[(String, String)]) -> String {
    let mut line = line.to_owned();
    for (name, value) in variables {
        line = line.replace(&format!("${{{name}}}"), value);
    }
    line
}

fn record(
    lines: &[(usize, &str)],
    at: &mut usize,
    number: usize,
    words: &[&str],
    variables: &[(String, String)],
) -> Record {
    let mut sql: Vec<String> = Vec::new();
    let mut expected: Vec<String> = Vec::new();
    let mut is_result = false;
    while *at < lines.len() && !(lines[*at].1.trim().is_empty() && (is_result || !sql.is_empty())) {
        let line = substituted(lines[*at].1, variables);
        *at += 1;
        match line.trim_end() {
            "----" if !is_result => is_result = true,
            _ if is_result => expected.push(line),
            _ => sql.push(line),
        }
    }
    let is_connection = |word: &&&str| word.starts_with("con") && word.len() <= 5;
    let connection = words.iter().skip(2).find(is_connection).copied().unwrap_or_default();
    let expected = match words {
        ["statement", "ok", ..] => Expected::Done { maybe: false },
        ["statement", "error", ..] => Expected::Failure,
        ["statement", ..] => Expected::Done { maybe: true },
        [_, rest @ ..] => {
            let sort = match rest {
                rest if rest.contains(&"rowsort") => Sort::Rows,
                rest if rest.contains(&"valuesort") => Sort::Values,
                _ => Sort::No,
            };
            let types = rest.first().unwrap_or(&"").to_string();
            Expected::Rows { types, sort, lines: expected }
        }
        [] => Expected::Done { maybe: true },
    };
    let sql = sql.join("\n").trim_end().trim_end_matches(';').to_owned();
    Record { line: number, sql, connection: connection.to_owned(), expected }
}
