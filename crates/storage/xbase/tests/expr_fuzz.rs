//! Broken expressions: thousands of seeded mutations of real ones go through parsing, compiling and
//! evaluating. Whatever the result, nothing may panic, and the printed form of a parsed expression must parse to the
//! same tree.

mod expr_files;

use expr_files::{Table, fixture, rows};
use mainstay_xbase::expr::{Compiled, Context, Dialect, Expression, Scratch};

/// Knuth's MMIX generator: the same sequence on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

fn corpus() -> Vec<Vec<u8>> {
    let lines = fixture("expr/exprs.txt");
    let expressions = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && line[0] != b'#');
    let mut corpus: Vec<Vec<u8>> =
        expressions.map(|line| line.split(|byte| *byte == b'\t').next().unwrap().to_vec()).collect();
    for name in ["t03_cdx_tags", "t05_ntx", "t07_vfp"] {
        for row in rows(&format!("{name}.orders.csv")) {
            corpus.extend([row[3].clone().into_bytes(), row[4].clone().into_bytes()]);
        }
    }
    corpus
}

fn mutated(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    const PIECES: &[&[u8]] = &[
        b"(",
        b")",
        b",",
        b"'",
        b".AND.",
        b"!",
        b"-",
        b"^",
        b"{^",
        b"99999999999999999999",
        b"-1",
        b"C1",
        b"->",
        b"[",
        b"\xE9",
    ];
    let mut text = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(6)).min(text.len());
        let inserted = match random.below(4) {
            0 => Vec::new(),
            1 => PIECES[random.below(PIECES.len())].to_vec(),
            2 => vec![random.below(256) as u8],
            _ => corpus[random.below(corpus.len())].clone(),
        };
        let end = if random.below(2) == 0 { at } else { end };
        text.splice(at..end, inserted);
    }
    text
}

#[test]
fn no_mutation_panics() {
    let (corpus, table) = (corpus(), Table::open("expr/truth.dbf"));
    let (mut random, mut scratch) = (Random(20_260), Scratch::new());
    let (mut parsed, mut evaluated) = (0, 0);
    for _ in 0..20_000 {
        let text = mutated(&mut random, &corpus);
        let Ok(expression) = Expression::parse(&text) else { continue };
        parsed += 1;
        let canonical = expression.canonical();
        if text.is_ascii() {
            let again = Expression::parse(&canonical).unwrap_or_else(|error| panic!("{canonical}: {error}"));
            assert_eq!(again.canonical(), canonical);
        }
        for dialect in [Dialect::Clipper, Dialect::FoxPro] {
            let exact = random.below(2) == 0;
            let Ok(compiled) = expression.compile(&Context { exact, dialect, ..Context::new(&table.fields) }) else {
                continue;
            };
            evaluated += 1;
            check(&compiled, &table, &mut scratch, &canonical);
        }
    }
    assert!(parsed > 3000 && evaluated > 2000, "{parsed} parsed, {evaluated} evaluated");
}

/// Every result is of the type and within the lengths that were promised.
fn check(compiled: &Compiled, table: &Table, scratch: &mut Scratch, canonical: &str) {
    use mainstay_xbase::expr::{ExprValue, Kind};
    let result = compiled.result_type();
    for recno in [1, 4, 7, 10, 33] {
        let Ok(value) = compiled.evaluate(scratch, table.record(recno), recno) else { continue };
        match (value, result.kind) {
            (ExprValue::Character(text), Kind::Character) => {
                assert!(text.len() <= result.max_length, "{canonical}: {} > {}", text.len(), result.max_length);
                assert!(result.length.is_none_or(|length| length == text.len()), "{canonical}: {}", text.len());
            }
            (ExprValue::Number(_), Kind::Numeric)
            | (ExprValue::Date(_), Kind::Date)
            | (ExprValue::Timestamp { .. }, Kind::Timestamp)
            | (ExprValue::Logical(_), Kind::Logical)
            | (ExprValue::Null, _) => {}
            (value, kind) => panic!("{canonical}: {value:?} is not {kind:?}"),
        }
    }
}
