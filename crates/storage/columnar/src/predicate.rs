//! Conditions on the columns of one table, in the form that scans and indexes understand.
//!
//! SQL's logic has three values, and a filter keeps a row only when its condition is *true*. NOT is the one
//! operator that turns "unknown" back into something a filter would have to tell from "false". So there is
//! no NOT here: [`Predicate::negate`] pushes it down to the leaves, and every leaf is simply *false* for a
//! row in which its column is NULL (`IS NULL` excepted). Two values are then enough everywhere below.
//!
//! ```text
//!   NOT (a = 1 AND b < 2)   becomes   a <> 1 OR b >= 2
//! ```
//!
//! Limits: a leaf compares one column with constants. The planner evaluates expressions and comparisons of columns.
//! Unknown as a constant is a comparison with [`Value::Null`], never `Constant(false)`, because only the former stays
//! unselected when it is negated.

use mainstay_types::{Collation, Value};
use std::collections::BTreeSet;
use std::fmt;

/// The operator of a comparison between a column and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// Returns true if it holds for values of which the left one stands so to the right one.
    #[inline]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }

    /// The one that says the same with the sides exchanged.
    pub fn mirrored(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            same => same,
        }
    }
}

impl Comparison {
    /// The comparison that holds exactly when this one does not, for values that are not NULL.
    pub fn negate(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::Less => Comparison::GreaterOrEqual,
            Comparison::LessOrEqual => Comparison::Greater,
            Comparison::Greater => Comparison::LessOrEqual,
            Comparison::GreaterOrEqual => Comparison::Less,
        }
    }

    /// As SQL writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "<>",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

/// A condition on the rows of one table. Columns are numbered from 0, as in the table's schema.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// `column op value`: numbers by their exact value whatever their types, text byte by byte.
    Compare {
        /// The column.
        column: usize,
        /// The operator.
        op: Comparison,
        /// The value; NULL selects nothing.
        value: Value,
    },
    /// `column [NOT] IN (values)`. A NULL among the values makes NOT IN select nothing; without values IN is
    /// false and NOT IN true even for NULL.
    In {
        /// The column.
        column: usize,
        /// The values.
        values: Vec<Value>,
        /// NOT IN.
        negated: bool,
    },
    /// `column IS [NOT] NULL`
    Null {
        /// The column.
        column: usize,
        /// IS NOT NULL.
        negated: bool,
    },
    /// `column [NOT] [I]LIKE pattern [ESCAPE escape]`; without `escape` a backslash escapes.
    Like {
        /// The column.
        column: usize,
        /// `%` is any text, `_` any one character.
        pattern: String,
        /// The character that makes the next one ordinary.
        escape: Option<char>,
        /// ILIKE.
        case_insensitive: bool,
        /// NOT LIKE.
        negated: bool,
    },
    /// A comparison or LIKE of a text column, by the sort keys of its values. The values that they are compared with are
    /// keys.
    Collated {
        /// Whose keys.
        collation: Collation,
        /// True if blanks at the ends of keys do not count; the values to compare with have none then.
        pads: bool,
        /// The comparison.
        leaf: Box<Predicate>,
    },
    /// A boolean column that has this value: `column`, or `NOT column`.
    Truth {
        /// The column.
        column: usize,
        /// The value to have.
        value: bool,
    },
    /// All of these; true for an empty list.
    And(Vec<Predicate>),
    /// Any of these; false for an empty list.
    Or(Vec<Predicate>),
    /// The same for every row.
    Constant(bool),
}

impl Predicate {
    /// The predicate that selects the rows for which this one is false (not unknown).
    pub fn negate(self) -> Predicate {
        match self {
            Predicate::Compare { column, op, value } => Predicate::Compare { column, op: op.negate(), value },
            Predicate::In { column, values, negated } => Predicate::In { column, values, negated: !negated },
            Predicate::Null { column, negated } => Predicate::Null { column, negated: !negated },
            Predicate::Like { column, pattern, escape, case_insensitive, negated } => {
                Predicate::Like { column, pattern, escape, case_insensitive, negated: !negated }
            }
            Predicate::Truth { column, value } => Predicate::Truth { column, value: !value },
            Predicate::Collated { collation, pads, leaf } => {
                Predicate::Collated { collation, pads, leaf: Box::new(leaf.negate()) }
            }
            Predicate::And(parts) => Predicate::Or(parts.into_iter().map(Predicate::negate).collect()),
            Predicate::Or(parts) => Predicate::And(parts.into_iter().map(Predicate::negate).collect()),
            Predicate::Constant(value) => Predicate::Constant(!value),
        }
    }

    /// The columns it looks at, each once, in ascending order.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns = BTreeSet::new();
        self.collect_columns(&mut columns);
        columns.into_iter().collect()
    }

    fn collect_columns(&self, columns: &mut BTreeSet<usize>) {
        match self {
            Predicate::Compare { column, .. }
            | Predicate::In { column, .. }
            | Predicate::Null { column, .. }
            | Predicate::Like { column, .. }
            | Predicate::Truth { column, .. } => {
                columns.insert(*column);
            }
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().for_each(|part| part.collect_columns(columns));
            }
            Predicate::Collated { leaf, .. } => leaf.collect_columns(columns),
            Predicate::Constant(_) => {}
        }
    }

    /// The predicate as SQL, for plans and messages; `names` are the table's columns.
    pub fn display<'a, N: AsRef<str>>(&'a self, names: &'a [N]) -> impl fmt::Display + 'a {
        Shown { predicate: self, names }
    }
}

struct Shown<'a, N> {
    predicate: &'a Predicate,
    names: &'a [N],
}

/// A column's name, quoted where SQL would otherwise fold its case or not take it for a name.
pub(crate) struct Name<'a>(pub(crate) Option<&'a str>, pub(crate) usize);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(name) = self.0 else { return write!(f, "#{}", self.1) };
        let plain = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            && name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
        if plain { f.write_str(name) } else { write!(f, "\"{}\"", name.replace('"', "\"\"")) }
    }
}

impl<N: AsRef<str>> Shown<'_, N> {
    fn name(&self, column: usize) -> Name<'_> {
        Name(self.names.get(column).map(AsRef::as_ref), column)
    }

    fn joined(&self, f: &mut fmt::Formatter<'_>, parts: &[Predicate], word: &str) -> fmt::Result {
        for (i, predicate) in parts.iter().enumerate() {
            if i > 0 {
                write!(f, " {word} ")?;
            }
            let part = Shown { predicate, names: self.names };
            match predicate {
                Predicate::And(inner) | Predicate::Or(inner) if inner.len() > 1 => write!(f, "({part})")?,
                _ => write!(f, "{part}")?,
            }
        }
        Ok(())
    }
}

impl<N: AsRef<str>> fmt::Display for Shown<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = |negated: &bool| if *negated { "NOT " } else { "" };
        match self.predicate {
            Predicate::Compare { column, op, value } => write!(f, "{} {} {value}", self.name(*column), op.symbol()),
            Predicate::In { column, values, negated } => {
                write!(f, "{} {}IN (", self.name(*column), not(negated))?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Predicate::Null { column, negated } => write!(f, "{} IS {}NULL", self.name(*column), not(negated)),
            Predicate::Like { column, pattern, escape, case_insensitive, negated } => {
                let word = if *case_insensitive { "ILIKE" } else { "LIKE" };
                let pattern = Value::Text(pattern.clone());
                write!(f, "{} {}{word} {pattern}", self.name(*column), not(negated))?;
                match escape {
                    Some(escape) => write!(f, " ESCAPE {}", Value::Text(escape.to_string())),
                    None => Ok(()),
                }
            }
            Predicate::Collated { collation, leaf, .. } => {
                let leaf = Shown { predicate: leaf, names: self.names };
                write!(f, "{leaf} COLLATE {}", collation.name())
            }
            Predicate::Truth { column, value } => write!(f, "{}{}", not(&!value), self.name(*column)),
            Predicate::And(parts) if parts.is_empty() => f.write_str("true"),
            Predicate::Or(parts) if parts.is_empty() => f.write_str("false"),
            Predicate::And(parts) => self.joined(f, parts, "AND"),
            Predicate::Or(parts) => self.joined(f, parts, "OR"),
            Predicate::Constant(value) => write!(f, "{value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Predicate {
        Predicate::And(vec![
            Predicate::Compare { column: 1, op: Comparison::Less, value: Value::Integer(5) },
            Predicate::Or(vec![
                Predicate::In { column: 0, values: vec![Value::Text("a'b".into()), Value::Null], negated: false },
                Predicate::Null { column: 2, negated: true },
            ]),
            Predicate::Truth { column: 2, value: true },
        ])
    }

    #[test]
    fn shown_as_sql() {
        let names = ["TAG", "amount"];
        assert_eq!(
            sample().display(&names).to_string(),
            r#"amount < 5 AND ("TAG" IN ('a''b', NULL) OR #2 IS NOT NULL) AND #2"#
        );
        let like = Predicate::Like {
            column: 1,
            pattern: "a!%%".into(),
            escape: Some('!'),
            case_insensitive: true,
            negated: true,
        };
        assert_eq!(like.display(&names).to_string(), "amount NOT ILIKE 'a!%%' ESCAPE '!'");
    }

    #[test]
    fn negation_reaches_the_leaves_and_comes_back() {
        let names = ["tag", "amount", "open"];
        assert_eq!(
            sample().negate().display(&names).to_string(),
            "amount >= 5 OR (tag NOT IN ('a''b', NULL) AND open IS NULL) OR NOT open"
        );
        assert_eq!(sample().negate().negate(), sample());
        assert_eq!(sample().columns(), [0, 1, 2]);
    }
}
