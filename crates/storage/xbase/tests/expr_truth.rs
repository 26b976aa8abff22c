//! Expressions compared with Harbour's own results, record by record
//! (`tests/fixtures/expr/README.md`).

mod expr_files;

use expr_files::{Table, rows, shown};
use mainstay_xbase::expr::{Compiled, Context, ExprValue, Expression, Scratch};
use std::collections::{BTreeMap, BTreeSet};

fn compiled(text: &str, table: &Table, exact: bool) -> Result<Compiled, mainstay_types::Error> {
    Expression::parse(text)?.compile(&Context { exact, ..Context::new(&table.fields) })
}

/// An expression with the two that say what its number prints as.
struct Question {
    value: Result<Compiled, mainstay_types::Error>,
    decimals: Result<Compiled, mainstay_types::Error>,
    natural: Result<Compiled, mainstay_types::Error>,
}

fn trimmed(number: &str) -> String {
    let text = number.trim();
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    if text == "-0" { "0".into() } else { text.into() }
}

/// Functions that Harbour does not have.
const FOXPRO: &[&str] = &["HOUR(", "MINUTE(", "SEC(", "BETWEEN(", "{^"];

/// Expressions that Harbour evaluates and this crate refuses on purpose: memos, the state of a program, widths that
/// depend on the data - and TRANSFORM() with any picture but `@!`, which is not listed.
const REFUSED: &[&str] = &[
    "'memo'$M1",
    "0x1F",
    "BOF()",
    "D1+D2",
    "EMPTY(M1)",
    "EMPTY(NIL)",
    "EOF()",
    "EXP(1)",
    "HB_LEFTEQ(C1,'abc')",
    "HB_NTOS(N2)",
    "L1.AND.C1",
    "LASTREC()",
    "LEN(M1)",
    "LOG(0)",
    "LOG(ABS(N0)+1)",
    "M1",
    "M1=''",
    "M1='memo'",
    "M1>'memo 2'",
    "NIL",
    "PADR(L1,5)",
    "RECCOUNT()",
    "STR(MAX(N0,N2))",
    "STR(MIN(N0,0))",
    "STR(VAL('0012'))",
    "STR(VAL('1.'))",
    "STR(VAL('12.50'))",
    "STR(VAL('12345678901'))",
    "STR(VAL(CN))",
];

#[test]
fn harbour_agrees() {
    let table = Table::open("expr/truth.dbf");
    let mut questions: BTreeMap<(String, bool), Question> = BTreeMap::new();
    let mut scratch = Scratch::new();
    let (mut wrong, mut refused, mut compared) = (Vec::new(), BTreeMap::new(), 0);
    for row in rows("expr/expr_truth.csv") {
        let [text, recno, exact, date, kind, value, natural] = &row[..] else { panic!("{row:?}") };
        if date != "AMERICAN" {
            continue;
        }
        let exact = exact == "ON";
        let question = questions.entry((text.clone(), exact)).or_insert_with(|| Question {
            value: compiled(text, &table, exact),
            decimals: compiled(&format!("STR({text},40,10)"), &table, exact),
            natural: compiled(&format!("LTRIM(STR({text}))"), &table, exact),
        });
        let recno: u32 = recno.parse().unwrap();
        let record = table.record(recno);
        let program = match &question.value {
            Ok(program) => program,
            Err(error) => {
                refused.entry(text.clone()).or_insert_with(|| format!("{kind}: {error}"));
                continue;
            }
        };
        let mut text_of = |program: &Compiled| match program.evaluate(&mut scratch, record, recno) {
            Ok(ExprValue::Character(text)) => String::from_utf8_lossy(text).into_owned(),
            other => panic!("{other:?}"),
        };
        compared += 1;
        let numbers = question.decimals.as_ref().map(|program| trimmed(&text_of(program)));
        let printed = question.natural.as_ref().map(&mut text_of);
        let ours = match program.evaluate(&mut scratch, record, recno) {
            Ok(value) => shown(value),
            Err(error) => ('E', error.to_string()),
        };
        let ours = if ours.0 == 'N' { ('N', numbers.unwrap()) } else { ours };
        // Without an error handler that breaks, a division by zero is 0 (or, in MOD(), the dividend).
        let divided_by_zero = kind == "E" && (value.contains("/1340") || value.contains("/1341"));
        // FoxPro's literals and functions are understood in files of either family.
        let of_foxpro = kind == "E" && FOXPRO.iter().any(|name| text.contains(name));
        if !divided_by_zero && !of_foxpro && (ours.0.to_string() != *kind || ours.1 != *value) {
            wrong.push(format!("{text} [{recno}] exact {exact}: Harbour {kind} {value:?}, here {ours:?}"));
        } else if let (Ok(printed), "N") = (printed, kind.as_str())
            && printed.trim() != natural
        {
            wrong.push(format!("STR({text}) [{recno}]: Harbour {natural:?}, here {printed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 30_000, "{compared} values compared");
    let refused: BTreeSet<&str> =
        refused.iter().filter(|(_, reason)| !reason.starts_with('E')).map(|(text, _)| text.as_str()).collect();
    let refused: BTreeSet<&str> = refused.into_iter().filter(|text| !text.starts_with("TRANSFORM(")).collect();
    assert_eq!(refused, REFUSED.iter().copied().collect());
}
