//! Necessary conditions on the rows of a statement, for access by index.
//!
//! A [`Predicate`] is applied exactly, by kernels over columns and constants. An index may be ordered by more: by
//! `UPPER(NAME)`, by the first letters of a name, by a day written as eight digits. So the condition for an index is
//! about [`Term`]s, and only guarantees that every wanted row satisfies it: the executor applies the whole condition to
//! the rows.
//!
//! ```text
//!   WHERE upper(name) = 'ADAMS' AND born > ... AND f(x) = 1      Sought: And[ upper(name) = 'ADAMS', born > ..., Any ]
//! ```
//! A comparison is false where its term is NULL, and a term is NULL where its column is.

use crate::Predicate;
use crate::predicate::{Comparison, Name};
use mainstay_types::{Collation, Decimal, Value};
use std::fmt;

/// A column, or what is computed of columns.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A column of the table.
    Column(usize),
    /// A number that is written down.
    Number(Decimal),
    /// `upper(text)`
    Upper(Box<Term>),
    /// `lower(text)`
    Lower(Box<Term>),
    /// A text as it sorts if case does not count and accents stand behind the letters. A character that is no letter of
    /// ASCII and not behind `@` sorts before all letters so, too.
    Folded(Box<Term>),
    /// A run of characters.
    Part {
        /// Of this text.
        text: Box<Term>,
        /// So many are left out before it.
        start: usize,
        /// The number of characters; all that follow if it is `None`.
        length: Option<usize>,
    },
    /// A text without the blanks at its end, and at its beginning too.
    Trimmed {
        /// The text.
        text: Box<Term>,
        /// True if those at the beginning are cut off.
        start: bool,
    },
    /// A text with blanks at its end or without its end, so that it has this length.
    Padded {
        /// The text.
        text: Box<Term>,
        /// Its length.
        length: usize,
    },
    /// A number as digits, with blanks or zeros before them: `STR()`, `STRZERO()`.
    Digits {
        /// The number.
        number: Box<Term>,
        /// The length of the text; `None` where it depends on the number.
        width: Option<usize>,
        /// Digits after the point.
        decimals: usize,
        /// Zeros and not blanks.
        zeros: bool,
    },
    /// A day as eight digits, the year first.
    DayDigits(Box<Term>),
    /// The year of a day.
    Year(Box<Term>),
    /// The month of a day, from 1.
    Month(Box<Term>),
    /// The day of a month, from 1.
    Day(Box<Term>),
    /// A sum, a difference or a product.
    Arithmetic(Operation, Box<Term>, Box<Term>),
    /// A field of a record with separators, as text without blanks and $00$ at its end.
    Field {
        /// The bytes of the record.
        record: Box<Term>,
        /// The number of the field, from 1.
        number: u32,
        /// The byte behind each field.
        separator: u8,
    },
    /// All bytes of a column, as text of the code page of records.
    Characters(Box<Term>),
}

/// An operation with two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
}

impl Operation {
    /// As SQL writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Operation::Plus => "+",
            Operation::Minus => "-",
            Operation::Times => "*",
        }
    }
}

impl Term {
    /// The columns it is computed of.
    pub fn columns(&self) -> Vec<usize> {
        match self {
            Term::Column(column) => vec![*column],
            Term::Number(_) => Vec::new(),
            Term::Arithmetic(_, left, right) => [left.columns(), right.columns()].concat(),
            Term::Upper(inner) | Term::Lower(inner) | Term::Folded(inner) | Term::DayDigits(inner) => inner.columns(),
            Term::Year(inner) | Term::Month(inner) | Term::Day(inner) => inner.columns(),
            Term::Part { text, .. } | Term::Trimmed { text, .. } | Term::Padded { text, .. } => text.columns(),
            Term::Digits { number, .. } => number.columns(),
            Term::Field { record, .. } | Term::Characters(record) => record.columns(),
        }
    }
}

/// The condition on the value of a term.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// It stands so to this value, which is not NULL.
    Compare(Comparison, Value),
    /// It is one of these values.
    In(Vec<Value>),
    /// It is like this pattern, in which a backslash escapes: `LIKE`.
    Like(String),
    /// It is NULL.
    Null,
    /// It is not NULL.
    NotNull,
    /// It is true, or it is false.
    Truth(bool),
}

/// A condition that every row satisfies that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Sought {
    /// The condition on a term.
    Leaf(Term, Test),
    /// All of these.
    And(Vec<Sought>),
    /// Any of these.
    Or(Vec<Sought>),
    /// Nothing is known.
    Any,
}

impl Sought {
    /// Returns true if nothing in it can tell rows from others.
    pub fn is_any(&self) -> bool {
        match self {
            Sought::Leaf(..) => false,
            Sought::And(parts) => parts.iter().all(Sought::is_any),
            Sought::Or(parts) => parts.iter().any(Sought::is_any),
            Sought::Any => true,
        }
    }

    /// The conditions that all hold: those of a conjunction, and of the conjunctions in it.
    pub fn conjuncts(&self) -> Vec<&Sought> {
        match self {
            Sought::And(parts) => parts.iter().flat_map(Sought::conjuncts).collect(),
            Sought::Any => Vec::new(),
            other => vec![other],
        }
    }

    /// The condition as SQL, for plans; `names` are the table's columns.
    pub fn display<'a, N: AsRef<str>>(&'a self, names: &'a [N]) -> impl fmt::Display + 'a {
        Shown { sought: self, names }
    }
}

impl From<&Predicate> for Sought {
    fn from(predicate: &Predicate) -> Sought {
        let leaf = |column: &usize, test: Test| Sought::Leaf(Term::Column(*column), test);
        match predicate {
            Predicate::Compare { column, op, value } => leaf(column, Test::Compare(*op, value.clone())),
            Predicate::In { column, values, negated: false } => leaf(column, Test::In(values.clone())),
            Predicate::Like { column, pattern, escape: None, case_insensitive: false, negated: false } => {
                leaf(column, Test::Like(pattern.clone()))
            }
            Predicate::Null { column, negated: false } => leaf(column, Test::Null),
            Predicate::Null { column, negated: true } => leaf(column, Test::NotNull),
            Predicate::Truth { column, value } => leaf(column, Test::Truth(*value)),
            Predicate::And(parts) => Sought::And(parts.iter().map(Sought::from).collect()),
            Predicate::Or(parts) => Sought::Or(parts.iter().map(Sought::from).collect()),
            Predicate::Collated { collation: Collation::CaseInsensitive, leaf, .. } => without_case(leaf),
            Predicate::In { .. } | Predicate::Like { .. } | Predicate::Collated { .. } | Predicate::Constant(_) => {
                Sought::Any
            }
        }
    }
}

/// Necessary conditions for a comparison of a column that ignores case but not accents.
fn without_case(leaf: &Predicate) -> Sought {
    let (column, test) = match leaf {
        Predicate::Compare { column, op, value } => (column, Test::Compare(*op, value.clone())),
        Predicate::In { column, values, negated: false } => (column, Test::In(values.clone())),
        Predicate::Like { column, pattern, escape: None, case_insensitive: false, negated: false } => {
            (column, Test::Like(pattern.clone()))
        }
        _ => return Sought::Any,
    };
    Sought::without_case(Term::Column(*column), test)
}

impl Sought {
    /// Necessary conditions for a comparison of a text by keys that ignore case but not accents; the values of the test are keys.
    ///
    /// Keys of ASCII are those of texts whose capitals are the key's: those of letters beyond ASCII have their accents behind
    /// them. A text that is before or behind one without letters is so whatever its own case, for all letters are behind what
    /// is no letter and is not behind `@`.
    pub fn without_case(term: Term, test: Test) -> Sought {
        let is_printable = |text: &str| text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let has_no_letter = |text: &str| text.bytes().all(|byte| (b' '..=b'@').contains(&byte));
        let plain =
            |value: &Value| matches!(value, Value::Null) || matches!(value, Value::Text(key) if has_no_letter(key));
        let capitals = |value: &Value| match value {
            Value::Text(key) if is_printable(key) => Some(Value::Text(key.to_ascii_uppercase())),
            Value::Null => Some(Value::Null),
            _ => None,
        };
        let upper = |term: Term, test: Test| Sought::Leaf(Term::Upper(Box::new(term)), test);
        match test {
            Test::Compare(Comparison::Equal, value) if plain(&value) => {
                Sought::Leaf(term, Test::Compare(Comparison::Equal, value))
            }
            Test::Compare(Comparison::Equal, value) => match capitals(&value) {
                Some(value) => upper(term, Test::Compare(Comparison::Equal, value)),
                None => Sought::Any,
            },
            Test::Compare(op, value) if plain(&value) => {
                Sought::Leaf(Term::Folded(Box::new(term)), Test::Compare(op, value))
            }
            Test::In(values) if values.iter().all(plain) => Sought::Leaf(term, Test::In(values)),
            Test::In(values) => match values.iter().map(capitals).collect() {
                Some(values) => upper(term, Test::In(values)),
                None => Sought::Any,
            },
            Test::Like(pattern) if is_printable(&pattern) => upper(term, Test::Like(pattern.to_ascii_uppercase())),
            _ => Sought::Any,
        }
    }
}

struct Shown<'a, N> {
    sought: &'a Sought,
    names: &'a [N],
}

/// A term with the columns' names.
struct ShownTerm<'a, N>(&'a Term, &'a [N]);

impl<N: AsRef<str>> fmt::Display for ShownTerm<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |inner| ShownTerm(inner, self.1);
        match self.0 {
            Term::Column(column) => write!(f, "{}", Name(self.1.get(*column).map(AsRef::as_ref), *column)),
            Term::Number(number) => write!(f, "{number}"),
            Term::Upper(inner) => write!(f, "upper({})", of(inner)),
            Term::Lower(inner) => write!(f, "lower({})", of(inner)),
            Term::Folded(inner) => write!(f, "{}", of(inner)),
            Term::Part { text, start: 0, length: Some(length) } => write!(f, "left({}, {length})", of(text)),
            Term::Part { text, start, length: Some(length) } => {
                write!(f, "substr({}, {}, {length})", of(text), start + 1)
            }
            Term::Part { text, start, length: None } => write!(f, "substr({}, {})", of(text), start + 1),
            Term::Trimmed { text, start } => write!(f, "{}({})", if *start { "btrim" } else { "rtrim" }, of(text)),
            Term::Padded { text, length } => write!(f, "rpad({}, {length})", of(text)),
            Term::Digits { number, width, decimals, zeros } => {
                write!(f, "{}({}", if *zeros { "strzero" } else { "str" }, of(number))?;
                match width {
                    Some(width) => write!(f, ", {width}, {decimals})"),
                    None => f.write_str(")"),
                }
            }
            Term::DayDigits(inner) => write!(f, "dtos({})", of(inner)),
            Term::Year(inner) => write!(f, "year({})", of(inner)),
            Term::Month(inner) => write!(f, "month({})", of(inner)),
            Term::Day(inner) => write!(f, "day({})", of(inner)),
            Term::Field { record, number, .. } => write!(f, "field_text({}, {number})", of(record)),
            Term::Characters(bytes) => write!(f, "code_page_text({})", of(bytes)),
            Term::Arithmetic(operation, left, right) => {
                let enclosed = |term: &Term| match term {
                    Term::Arithmetic(..) => format!("({})", ShownTerm(term, self.1)),
                    _ => ShownTerm(term, self.1).to_string(),
                };
                write!(f, "{} {} {}", enclosed(left), operation.symbol(), enclosed(right))
            }
        }
    }
}

impl<N: AsRef<str>> Shown<'_, N> {
    fn joined(&self, f: &mut fmt::Formatter<'_>, parts: &[Sought], word: &str) -> fmt::Result {
        for (i, sought) in parts.iter().enumerate() {
            if i > 0 {
                write!(f, " {word} ")?;
            }
            let part = Shown { sought, names: self.names };
            match sought {
                Sought::And(inner) | Sought::Or(inner) if inner.len() > 1 => write!(f, "({part})")?,
                _ => write!(f, "{part}")?,
            }
        }
        Ok(())
    }
}

impl<N: AsRef<str>> fmt::Display for Shown<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sought {
            Sought::Leaf(term, test) => {
                let term = ShownTerm(term, self.names);
                match test {
                    Test::Compare(op, value) => write!(f, "{term} {} {value}", op.symbol()),
                    Test::In(values) => {
                        let values: Vec<String> = values.iter().map(Value::to_string).collect();
                        write!(f, "{term} IN ({})", values.join(", "))
                    }
                    Test::Like(pattern) => write!(f, "{term} LIKE {}", Value::Text(pattern.clone())),
                    Test::Null => write!(f, "{term} IS NULL"),
                    Test::NotNull => write!(f, "{term} IS NOT NULL"),
                    Test::Truth(true) => write!(f, "{term}"),
                    Test::Truth(false) => write!(f, "NOT {term}"),
                }
            }
            Sought::And(parts) => self.joined(f, parts, "AND"),
            Sought::Or(parts) => self.joined(f, parts, "OR"),
            Sought::Any => f.write_str("anything"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_shown_as_sql() {
        let upper = Term::Upper(Box::new(Term::Part { text: Box::new(Term::Column(0)), start: 0, length: Some(3) }));
        let product = Term::Arithmetic(Operation::Times, Box::new(Term::Column(1)), Box::new(Term::Column(2)));
        let sought = Sought::And(vec![
            Sought::Leaf(upper, Test::Like("AB%".into())),
            Sought::Or(vec![
                Sought::Leaf(product, Test::Compare(Comparison::Less, Value::Integer(5))),
                Sought::Leaf(Term::Column(3), Test::Truth(false)),
            ]),
        ]);
        let shown = sought.display(&["name", "qty", "Price", "sold"]).to_string();
        assert_eq!(shown, "upper(left(name, 3)) LIKE 'AB%' AND (qty * \"Price\" < 5 OR NOT sold)");
        assert_eq!(sought.conjuncts().len(), 2);
    }

    #[test]
    fn of_a_predicate_stays_what_an_index_may_know() {
        let leaf = |op| Predicate::Compare { column: 1, op, value: Value::Integer(1) };
        let both = Predicate::And(vec![leaf(Comparison::Equal), Predicate::Constant(true)]);
        let Sought::And(parts) = Sought::from(&both) else { panic!() };
        assert!(!parts[0].is_any() && parts[1].is_any() && !Sought::from(&both).is_any());
        assert!(Sought::from(&Predicate::Or(vec![leaf(Comparison::Less), Predicate::Constant(true)])).is_any());
    }
}
