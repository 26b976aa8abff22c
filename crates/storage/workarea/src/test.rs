//! A condition prepared for evaluation over many records.
//!
//! Most filters compare fields with constants. Those are evaluated on the record's bytes, some nanoseconds each; other
//! forms are compiled expressions. Both give the same answer: the tests here compare them.

use crate::bits::Bits;
use crate::digits::digits;
use crate::words::{Texts, WordSearch};
use mainstay_types::{Code, Error, Result};
use mainstay_xbase::adt::{RecordLayout, Type};
use mainstay_xbase::dbf::{Field, FieldKind};
use mainstay_xbase::expr::{Compiled, Condition, Constant, Context, ExprValue, Expression, Kind, Relation, Scratch};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// Records that follow each other, as they are in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'b> {
    /// The number of the first.
    pub(crate) first: u32,
    /// The bytes of all of them.
    pub(crate) bytes: &'b [u8],
    /// The bytes of one; more than 0.
    pub(crate) length: usize,
}

impl<'b> Run<'b> {
    /// The bytes of one of them, from 0.
    #[inline]
    pub(crate) fn record(&self, at: usize) -> &'b [u8] {
        self.bytes.get(at * self.length..(at + 1) * self.length).unwrap_or_default()
    }
}

/// A condition that can be asked of a record.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// All of them hold.
    And(Vec<Test>),
    /// One of them holds.
    Or(Vec<Test>),
    /// A text field compared with a constant, by as many bytes as the constant has.
    Text { cell: Range<usize>, relation: Relation, constant: Vec<u8> },
    /// The same with a constant of so few bytes that it is a number, its first byte the highest, and is not longer than
    /// the field.
    ShortText { cell: Range<usize>, relation: Relation, constant: u64, length: u32 },
    /// A field of digits compared with a constant.
    Number { cell: Range<usize>, decimals: usize, scale: f64, relation: Relation, constant: f64, whole: Box<Compiled> },
    /// A field `YYYYMMDD` compared with a day.
    Date { cell: Range<usize>, relation: Relation, constant: [u8; 8], whole: Box<Compiled> },
    /// A logical field that must have this value.
    Flag { at: usize, value: bool },
    /// The mark of deletion must be there, or not.
    Deleted(RecordLayout, bool),
    /// A search for words, which must have this answer.
    Words(Arc<WordSearch>, bool),
    /// Anything else.
    Program(Box<Compiled>),
}

impl Test {
    /// Makes a test of a condition. Fails as the compiler does, and with `TypeMismatch` for what is no condition.
    pub(crate) fn new(expression: &Expression, context: &Context<'_>) -> Result<Test> {
        let compiled = expression.compile(context)?;
        check_logical(&compiled)?;
        from_condition(&expression.condition(), context, None)
    }

    /// The same of a condition with searches for words.
    ///
    /// Errors: those of the searches, too; `UnknownFunction` for a search that is an argument of a function.
    pub(crate) fn with_searches(expression: &Expression, context: &Context<'_>, texts: &Texts) -> Result<Test> {
        from_condition(&expression.condition(), context, Some(texts))
    }

    /// Returns true if the record passes the test.
    #[inline]
    pub(crate) fn passes(&self, scratch: &mut Scratch, recno: u32, record: &[u8]) -> Result<bool> {
        Ok(match self {
            Test::And(parts) => {
                for part in parts {
                    if !part.passes(scratch, recno, record)? {
                        return Ok(false);
                    }
                }
                true
            }
            Test::Or(parts) => {
                for part in parts {
                    if part.passes(scratch, recno, record)? {
                        return Ok(true);
                    }
                }
                false
            }
            Test::Text { cell, relation, constant } => {
                let text = record.get(cell.clone()).unwrap_or_default();
                holds(*relation, compare_text(text, constant))
            }
            Test::ShortText { cell, relation, constant, length } => {
                let word = match record.get(cell.start..).and_then(<[u8]>::first_chunk::<8>) {
                    Some(bytes) => u64::from_be_bytes(*bytes) >> (64 - 8 * length),
                    None => number_of(record.get(cell.clone()).unwrap_or_default(), *length as usize),
                };
                holds(*relation, word.cmp(constant))
            }
            Test::Number { cell, decimals, scale, relation, constant, whole } => {
                match digits(record.get(cell.clone()).unwrap_or_default(), *decimals) {
                    Some(number) => match (number as f64 / scale).partial_cmp(constant) {
                        Some(order) => holds(*relation, order),
                        None => false,
                    },
                    None => ask(whole, scratch, recno, record)?,
                }
            }
            Test::Date { cell, relation, constant, whole } => match record.get(cell.clone()) {
                Some(day) if day.iter().all(u8::is_ascii_digit) && is_day(day) => {
                    holds(*relation, day.cmp(&constant[..]))
                }
                _ => ask(whole, scratch, recno, record)?,
            },
            Test::Flag { at, value } => matches!(record.get(*at), Some(b'T' | b't' | b'Y' | b'y')) == *value,
            Test::Deleted(layout, value) => layout.is_deleted(record) == *value,
            Test::Words(search, wanted) => search.holds(scratch, recno, record)? == Some(*wanted),
            Test::Program(program) => ask(program, scratch, recno, record)?,
        })
    }
}

impl Test {
    /// Takes those records of a run out of `shown` that do not pass: the same as [`Test::passes`] of each. Short texts are
    /// compared in a loop of nothing else, so that the next records are fetched while this one is waited for.
    pub(crate) fn narrow(&self, scratch: &mut Scratch, run: &Run<'_>, shown: &mut Bits) -> Result<()> {
        match self {
            Test::And(parts) => parts.iter().try_for_each(|part| part.narrow(scratch, run, shown)),
            Test::ShortText { cell, relation, constant, length } => {
                let words = Words::of(*relation, *constant, *length);
                shown.retain(|at| {
                    let start = at * run.length + cell.start;
                    // Bytes behind the record do not matter: they are shifted out.
                    let word = match run.bytes.get(start..).and_then(<[u8]>::first_chunk::<8>) {
                        Some(bytes) => u64::from_be_bytes(*bytes) >> (64 - 8 * length),
                        None => number_of(run.record(at).get(cell.clone()).unwrap_or_default(), *length as usize),
                    };
                    words.has(word)
                });
                Ok(())
            }
            Test::Deleted(layout, value) => {
                let is_deleted = |at| run.bytes.get(at * run.length).is_some_and(|flag| layout.is_deleted_flag(*flag));
                shown.retain(|at| is_deleted(at) == *value);
                Ok(())
            }
            test => shown.try_retain(|at| test.passes(scratch, run.first + at as u32, run.record(at))),
        }
    }
}

/// The short texts, as numbers, for which a comparison holds.
#[derive(Clone, Copy, Debug)]
struct Words {
    least: u64,
    /// The number of further values.
    span: u64,
    /// All others are meant.
    others: bool,
}

impl Words {
    /// Those of texts of `length` bytes, from 1 to 8.
    fn of(relation: Relation, constant: u64, length: u32) -> Words {
        let most = u64::MAX >> (64 - 8 * length);
        let range = |least: u64, last: u64| Words { least, span: last - least, others: false };
        let beside = |words: Words| Words { others: true, ..words };
        match relation {
            Relation::Equal | Relation::ExactlyEqual => range(constant, constant),
            Relation::NotEqual => beside(range(constant, constant)),
            Relation::Less => beside(range(constant, most)),
            Relation::LessOrEqual => range(0, constant),
            Relation::Greater => beside(range(0, constant)),
            Relation::GreaterOrEqual => range(constant, most),
        }
    }

    #[inline]
    fn has(self, word: u64) -> bool {
        (word.wrapping_sub(self.least) <= self.span) != self.others
    }
}

/// Refuses an expression that is no condition.
pub(crate) fn check_logical(compiled: &Compiled) -> Result<()> {
    match compiled.result_type().kind {
        Kind::Logical => Ok(()),
        kind => {
            let message = format!("the expression is {}, and a condition is logical", kind.name());
            Err(Error::new(Code::TypeMismatch, message))
        }
    }
}

fn ask(program: &Compiled, scratch: &mut Scratch, recno: u32, record: &[u8]) -> Result<bool> {
    // A condition that is NULL does not hold.
    Ok(program.evaluate(scratch, record, recno)? == ExprValue::Logical(true))
}

fn from_condition(condition: &Condition, context: &Context<'_>, texts: Option<&Texts>) -> Result<Test> {
    let all =
        |parts: &[Condition]| parts.iter().map(|part| from_condition(part, context, texts)).collect::<Result<Vec<_>>>();
    Ok(match condition {
        Condition::And(parts) => Test::And(all(parts)?),
        Condition::Or(parts) => Test::Or(all(parts)?),
        Condition::Compare { subject, operator, constant, whole } => {
            let program = whole.compile(context)?;
            match field_of(subject, context).and_then(|field| compare(field, *operator, constant, &program, context)) {
                Some(test) => test,
                None => Test::Program(Box::new(program)),
            }
        }
        Condition::Flag { subject, value } => match (texts, subject.search()) {
            (Some(texts), Some(search)) => Test::Words(Arc::new(texts.ready(&search?)?), *value),
            _ => flag(subject, *value, context)?,
        },
        Condition::Other(whole) => Test::Program(Box::new(logical(whole, context)?)),
    })
}

fn logical(expression: &Expression, context: &Context<'_>) -> Result<Compiled> {
    let compiled = expression.compile(context)?;
    check_logical(&compiled)?;
    Ok(compiled)
}

fn flag(subject: &Expression, value: bool, context: &Context<'_>) -> Result<Test> {
    if subject.canonical() == "DELETED()" {
        return Ok(Test::Deleted(context.layout(), value));
    }
    match field_of(subject, context).filter(|field| field.kind == FieldKind::Logical && field.null_bit.is_none()) {
        Some(field) => Ok(Test::Flag { at: field.offset, value }),
        None => {
            let text = subject.canonical_bytes();
            let whole = if value { text } else { [b".NOT.(".as_slice(), &text, b")"].concat() };
            Ok(Test::Program(Box::new(logical(&Expression::parse(whole)?, context)?)))
        }
    }
}

/// The field that an expression is, if it is nothing else.
fn field_of<'f>(subject: &Expression, context: &Context<'f>) -> Option<&'f Field> {
    let name = subject.canonical();
    context.fields.iter().find(|field| field.name.eq_ignore_ascii_case(&name))
}

fn compare(
    field: &Field,
    relation: Relation,
    constant: &Constant,
    program: &Compiled,
    context: &Context<'_>,
) -> Option<Test> {
    let is_padded = matches!(field.adt, None | Some(Type::Character | Type::Numeric | Type::Raw));
    if field.null_bit.is_some() || field.varying_bit.is_some() || !is_padded {
        return None;
    }
    let cell = field.offset..field.offset + field.length;
    let whole = || Box::new(program.clone());
    match (field.kind, constant) {
        (FieldKind::Character, Constant::Text(text)) if !context.exact && relation != Relation::ExactlyEqual => {
            let length = text.len();
            Some(match (1..=cell.len().min(8)).contains(&length) {
                true => Test::ShortText { cell, relation, constant: number_of(text, length), length: length as u32 },
                false => Test::Text { cell, relation, constant: text.clone() },
            })
        }
        (FieldKind::Numeric, Constant::Number(number))
            if field.letter == b'N' && field.length <= 15 && field.decimals < 15 && number.abs() < 1e15 =>
        {
            let (decimals, scale) = (usize::from(field.decimals), 10f64.powi(i32::from(field.decimals)));
            Some(Test::Number { cell, decimals, scale, relation, constant: *number, whole: whole() })
        }
        (FieldKind::Date, Constant::Date(day)) if *day > 0 && field.length == 8 => {
            let (year, month, day) = mainstay_types::Date::from_julian(*day).ymd();
            let text = format!("{year:04}{month:02}{day:02}");
            let constant = <[u8; 8]>::try_from(text.as_bytes()).ok()?;
            Some(Test::Date { cell, relation, constant, whole: whole() })
        }
        _ => None,
    }
}

/// The first bytes of a text as a number, which compares as they do.
fn number_of(text: &[u8], length: usize) -> u64 {
    text.iter().take(length).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The order of texts with SET EXACT OFF: by the bytes of the right one; a left one that is shorter comes before.
#[inline]
fn compare_text(left: &[u8], right: &[u8]) -> Ordering {
    match left.get(..right.len()) {
        Some(head) => head.cmp(right),
        None => left.cmp(&right[..left.len()]).then(Ordering::Less),
    }
}

#[inline]
fn holds(relation: Relation, order: Ordering) -> bool {
    match relation {
        Relation::Equal | Relation::ExactlyEqual => order == Ordering::Equal,
        Relation::NotEqual => order != Ordering::Equal,
        Relation::Less => order == Ordering::Less,
        Relation::LessOrEqual => order != Ordering::Greater,
        Relation::Greater => order == Ordering::Greater,
        Relation::GreaterOrEqual => order != Ordering::Less,
    }
}

/// Returns true if eight digits can be compared as a day: invalid months and days are left to the full rule.
fn is_day(day: &[u8]) -> bool {
    let two = |at: usize| (day[at] - b'0') * 10 + (day[at + 1] - b'0');
    (1..=12).contains(&two(4)) && (1..=28).contains(&two(6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_xbase::dbf::{Dbf, FieldSpec, Format, OpenOptions, TableSpec};

    fn fields() -> Vec<Field> {
        let memory = mainstay_vfs::Memory::new();
        let fields = vec![
            FieldSpec::new("NAME", b'C', 6, 0),
            FieldSpec::new("AMT", b'N', 7, 2),
            FieldSpec::new("WHOLE", b'N', 5, 0),
            FieldSpec::new("BORN", b'D', 8, 0),
            FieldSpec::new("FLAG", b'L', 1, 0),
        ];
        let path = std::path::Path::new("t.dbf");
        let options = mainstay_xbase::writer::WriteOptions::new(mainstay_xbase::writer::Access::Exclusive);
        let spec = TableSpec::new(Format::DbaseThree, fields);
        mainstay_xbase::writer::create(&memory, path, &spec, &options).unwrap();
        let file = mainstay_vfs::FileSystem::open(&memory, path).unwrap();
        Dbf::open(file, OpenOptions::default()).unwrap().fields().to_vec()
    }

    #[test]
    fn the_quick_answer_is_that_of_the_compiled_expression() {
        let fields = fields();
        let context = Context::new(&fields);
        let names = ["ADAM  ", "AD    ", "      ", "ADAMS ", "adam  ", "\u{0}     "];
        let amounts =
            ["   1.50", "  -1.50", "       ", "1234.56", "   1.5 ", "*******", "    .50", "-999.99", "1e3    "];
        let wholes = ["    0", "   -7", "     ", "99999", " 12 3", "0007 "];
        let days = ["20000229", "20000230", "        ", "19991231", "20010101", "2000 1 1", "00000000"];
        let flags = ["T", "F", "y", " ", "?"];
        let sides = [
            ("NAME", vec!["'AD'", "''", "'ADAM'", "'ADAM  '", "'ADAM   '", "'a'"]),
            ("AMT", vec!["1.5", "-1.5", "0", "1234.56", "0.5", "1E3", "-1000"]),
            ("WHOLE", vec!["0", "-7", "99999", "123", "7.5"]),
            ("BORN", vec!["STOD('20000229')", "CTOD('')", "STOD('20001231')", "STOD('20000301')"]),
        ];
        let mut conditions =
            vec!["FLAG".to_owned(), ".NOT. FLAG".into(), "DELETED()".into(), "!DELETED() .AND. FLAG".into()];
        for (subject, constants) in &sides {
            for constant in constants {
                for operator in ["=", "==", "<>", "<", "<=", ">", ">="] {
                    conditions.push(format!("{subject} {operator} {constant}"));
                    conditions.push(format!(".NOT. ({constant} {operator} {subject}) .OR. FLAG"));
                }
            }
        }
        let (mut scratch, mut compared, mut quick) = (Scratch::new(), 0, 0);
        for condition in &conditions {
            let Ok(expression) = Expression::parse(condition) else { continue };
            let Ok(program) = expression.compile(&context) else { continue };
            let test = Test::new(&expression, &context).unwrap();
            quick += usize::from(!matches!(test, Test::Program(_)));
            let (mut all, mut passing) = (String::new(), Vec::new());
            for at in 0..names.len() * 15 {
                let part = |list: &[&str], step: usize| list[at * step % list.len()].to_owned();
                let mark = if at % 3 == 0 { "*" } else { " " };
                let record =
                    [mark, &part(&names, 1), &part(&amounts, 5), &part(&wholes, 7), &part(&days, 3), &part(&flags, 11)]
                        .concat();
                let wanted = ask(&program, &mut scratch, 1, record.as_bytes()).unwrap();
                let found = test.passes(&mut scratch, 1, record.as_bytes()).unwrap();
                assert_eq!(found, wanted, "{condition} of {record:?}");
                all.push_str(&record);
                passing.extend(found.then_some(at));
                compared += 1;
            }
            let length = all.len() / (names.len() * 15);
            let mut shown = Bits::filled(names.len() * 15, true);
            test.narrow(&mut scratch, &Run { first: 1, bytes: all.as_bytes(), length }, &mut shown).unwrap();
            assert_eq!(shown.ones_from(0).collect::<Vec<_>>(), passing, "{condition} of all at once");
        }
        assert!(compared > 20_000 && quick > 150, "{compared}, {quick}");
    }
}
