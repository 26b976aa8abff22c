//! Listings of tags with a FOR condition, and whether one contains all records that a statement wants.
//!
//! Such a tag lacks records. It may answer a statement only if it lists each record that the statement wants: if the
//! known facts about these records imply the condition. The implication is proven condition by condition:
//!
//! ```text
//!   FOR ACTIVE .AND. AMOUNT > 100        WHERE active AND amount >= 250 AND ...
//!       ACTIVE                                 active
//!       AMOUNT > 100                                      amount >= 250
//! ```
//! Values of SQL and of xBase expressions differ. A comparison of SQL is true of values only, while a field that is
//! NULL, blank or unreadable is the empty value to an expression; so the known facts must distinguish values from
//! these. Texts compare with blanks behind them, and `=` looks no further than its right side.

use crate::dbf::{Field, FieldKind};
use crate::expr::{Condition, Constant, Context, Expression, Relation, Subject};
use mainstay_columnar::{Comparison, Sought, Term, Test};
use mainstay_types::{Date, Decimal, Value};
use std::cmp::Ordering;

/// Of numbers with more digits, two may be one double.
const SURE_DIGITS: usize = 15;

/// The records that a tag lists.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Listing {
    /// Those that all of these list.
    All(Vec<Listing>),
    /// Those that any of these lists.
    Any(Vec<Listing>),
    /// Those that are not deleted.
    Live,
    /// Those in which a value stands so to a constant.
    Compare(Term, Comparison, Constant),
    /// Those in which a logical field has this value.
    Flag(usize, bool),
    /// Those in which a field is empty, or is not.
    Empty(usize, bool),
    /// Those in which a field is not NULL.
    HasValue(usize),
    /// Nobody knows.
    Unknown,
}

impl Listing {
    pub(crate) fn of(condition: &Condition, context: &Context<'_>) -> Listing {
        let all = |parts: &[Condition]| parts.iter().map(|part| Listing::of(part, context)).collect();
        match condition {
            Condition::And(parts) => Listing::All(all(parts)),
            Condition::Or(parts) => Listing::Any(all(parts)),
            Condition::Compare { subject, operator, constant, .. } => {
                let Some(subject) = subject.subject(context) else { return Listing::Unknown };
                match (subject, constant) {
                    (subject, Constant::Logical(value)) => match operator {
                        Relation::Equal | Relation::ExactlyEqual => Listing::flag(subject, *value),
                        Relation::NotEqual => Listing::flag(subject, !value),
                        _ => Listing::Unknown,
                    },
                    // To the last byte, with the blanks at the end.
                    (Subject::Term(_), Constant::Text(_)) if *operator == Relation::ExactlyEqual => Listing::Unknown,
                    (Subject::Term(term), constant) => Listing::Compare(term, comparison(*operator), constant.clone()),
                    _ => Listing::Unknown,
                }
            }
            Condition::Flag { subject, value } => match subject.subject(context) {
                Some(subject) => Listing::flag(subject, *value),
                None if !value => null_test(subject, context).map_or(Listing::Unknown, Listing::HasValue),
                None => Listing::Unknown,
            },
            Condition::Other(_) => Listing::Unknown,
        }
    }

    fn flag(subject: Subject, value: bool) -> Listing {
        match subject {
            Subject::Deleted if !value => Listing::Live,
            Subject::Term(Term::Column(column)) => Listing::Flag(column, value),
            Subject::Empty(Term::Column(column)) => Listing::Empty(column, value),
            _ => Listing::Unknown,
        }
    }

    /// Returns true if anything that is known of records can imply that they are listed.
    pub(crate) fn is_understood(&self) -> bool {
        match self {
            Listing::All(parts) => parts.iter().all(Listing::is_understood),
            Listing::Any(parts) => parts.iter().any(Listing::is_understood),
            Listing::Unknown => false,
            _ => true,
        }
    }

    /// Returns true if every record is listed of which all that is known holds. `deleted` is the number of the column
    /// that says whether a record is deleted; with `visible_only` such records are not wanted.
    pub(crate) fn has_all(&self, known: &[&Sought], fields: &[Field], deleted: usize, visible_only: bool) -> bool {
        match self {
            Listing::All(parts) => parts.iter().all(|part| part.has_all(known, fields, deleted, visible_only)),
            Listing::Live if visible_only => true,
            _ => known.iter().any(|known| self.is_implied(known, fields, deleted)),
        }
    }

    /// Returns true if a record is listed of which one condition holds.
    fn is_implied(&self, known: &Sought, fields: &[Field], deleted: usize) -> bool {
        match (self, known) {
            (Listing::All(parts), _) => parts.iter().all(|part| part.is_implied(known, fields, deleted)),
            (_, Sought::Or(any)) => !any.is_empty() && any.iter().all(|known| self.is_implied(known, fields, deleted)),
            (_, Sought::And(all)) if all.iter().any(|known| self.is_implied(known, fields, deleted)) => true,
            (_, Sought::Leaf(term, Test::In(values))) => {
                let equal = |value: &Value| Test::Compare(Comparison::Equal, value.clone());
                let mut each = values.iter().filter(|value| **value != Value::Null).map(equal).peekable();
                each.peek().is_some()
                    && each.all(|test| self.is_implied(&Sought::Leaf(term.clone(), test), fields, deleted))
            }
            (Listing::Any(parts), _) => parts.iter().any(|part| part.is_implied(known, fields, deleted)),
            (_, Sought::Leaf(term, test)) => self.is_implied_by(term, test, fields, deleted),
            _ => false,
        }
    }

    fn is_implied_by(&self, known: &Term, test: &Test, fields: &[Field], deleted: usize) -> bool {
        let Term::Column(column) = known else { return false };
        match self {
            Listing::Live => *column == deleted && *test == Test::Truth(false),
            Listing::Flag(of, value) => of == column && *test == Test::Truth(*value),
            Listing::Empty(of, value) => {
                let field = fields.get(*column).filter(|_| of == column);
                field.is_some_and(|field| if *value { is_empty(field, test) } else { is_not_empty(field, test) })
            }
            // A comparison is true of values only.
            Listing::HasValue(of) => of == column && !matches!(test, Test::Null | Test::In(_)),
            Listing::Compare(term, wanted, constant) => match fields.get(*column) {
                Some(field) => implies(field, *column, test, (term, *wanted, constant)),
                None => false,
            },
            _ => false,
        }
    }
}

/// The field of `ISNULL(field)`.
fn null_test(subject: &Expression, context: &Context<'_>) -> Option<usize> {
    let text = subject.canonical();
    let name = text.strip_prefix("ISNULL(")?.strip_suffix(')')?;
    context.fields.iter().position(|field| field.name.eq_ignore_ascii_case(name))
}

fn comparison(relation: Relation) -> Comparison {
    match relation {
        Relation::Equal | Relation::ExactlyEqual => Comparison::Equal,
        Relation::NotEqual => Comparison::NotEqual,
        Relation::Less => Comparison::Less,
        Relation::LessOrEqual => Comparison::LessOrEqual,
        Relation::Greater => Comparison::Greater,
        Relation::GreaterOrEqual => Comparison::GreaterOrEqual,
    }
}

/// Returns true if a value that stands so to one stands so to another, by how the first one stands to the other.
fn follows(known: Comparison, first_to_other: Ordering, wanted: Comparison) -> bool {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    // Where the value can be, seen from the other one.
    let (below, at, above) = match (known, first_to_other) {
        (Equal, Ordering::Less) | (Less, Ordering::Less | Ordering::Equal) | (LessOrEqual, Ordering::Less) => {
            (true, false, false)
        }
        (Equal, Ordering::Equal) => (false, true, false),
        (Equal, Ordering::Greater)
        | (Greater, Ordering::Greater | Ordering::Equal)
        | (GreaterOrEqual, Ordering::Greater) => (false, false, true),
        (LessOrEqual, Ordering::Equal) => (true, true, false),
        (GreaterOrEqual, Ordering::Equal) => (false, true, true),
        (NotEqual, Ordering::Equal) => (true, false, true),
        _ => (true, true, true),
    };
    match wanted {
        Equal => !below && !above,
        NotEqual => !at,
        Less => !at && !above,
        LessOrEqual => !above,
        Greater => !below && !at,
        GreaterOrEqual => !below,
    }
}

/// Returns true if what is known of a column implies a comparison with a constant.
fn implies(
    field: &Field,
    column: usize,
    test: &Test,
    (term, wanted, constant): (&Term, Comparison, &Constant),
) -> bool {
    match (term, test, constant) {
        (Term::Column(of), Test::Compare(known, value), Constant::Number(number)) if *of == column => {
            let Some(order) = value.as_decimal().and_then(|value| number_order(field, value, *number)) else {
                return false;
            };
            // A double may be nearer to a decimal number than SQL's exact comparison says.
            let is_exact = field.kind != FieldKind::Double || order.is_ne();
            is_exact && follows(*known, order, wanted)
        }
        // A day that is known is behind a blank one.
        (Term::Column(of), test, Constant::Date(0)) if *of == column && field.kind == FieldKind::Date => {
            matches!(wanted, Comparison::Greater | Comparison::GreaterOrEqual | Comparison::NotEqual)
                && is_not_empty(field, test)
        }
        (Term::Column(of), Test::Compare(known, Value::Date(day)), Constant::Date(other)) if *of == column => {
            field.kind == FieldKind::Date && follows(*known, day.cmp(&Date::from_julian(*other)), wanted)
        }
        (Term::DayDigits(of), Test::Compare(known, Value::Date(day)), Constant::Text(digits)) => {
            let is_of_day = **of == Term::Column(column) && digits.len() == 8 && digits.iter().all(u8::is_ascii_digit);
            let (year, month, day) = day.ymd();
            let known_digits = format!("{year:04}{month:02}{day:02}");
            is_of_day
                && (0..=9999).contains(&year)
                && follows(*known, known_digits.as_bytes().cmp(digits.as_slice()), wanted)
        }
        (Term::Column(of), test, Constant::Text(text)) if *of == column => implies_text(field, test, wanted, text),
        _ => false,
    }
}

/// The order of a number of SQL and one of xBase, if no value of such a field lies between them.
fn number_order(field: &Field, value: Decimal, number: f64) -> Option<Ordering> {
    let is_sure = |number: Decimal| {
        number.unscaled.unsigned_abs().to_string().trim_end_matches('0').len() <= SURE_DIGITS && number.scale <= 15
    };
    let fits = match field.kind {
        FieldKind::Numeric => field.length <= SURE_DIGITS,
        FieldKind::Integer | FieldKind::IntegerSortable | FieldKind::Double => true,
        _ => false,
    };
    let number: Decimal = format!("{number}").parse().ok()?;
    (fits && is_sure(value) && is_sure(number)).then(|| value.cmp(&number))
}

/// The same for a text, in which every byte of the constant is a printable one of ASCII, the last one no blank.
fn implies_text(field: &Field, test: &Test, wanted: Comparison, constant: &[u8]) -> bool {
    let is_plain = constant.iter().all(|byte| (b' '..=b'~').contains(byte)) && !constant.ends_with(b" ");
    let fits = (1..=field.length).contains(&constant.len());
    if field.kind != FieldKind::Character || field.varying_bit.is_some() || !fits || !is_plain {
        return false;
    }
    match test {
        Test::Compare(known, Value::Text(text)) => {
            let text = text.trim_end_matches([' ', '\0']).as_bytes();
            let order = text.cmp(constant);
            match (known, wanted) {
                (Comparison::Equal, Comparison::Equal) => text.starts_with(constant),
                (Comparison::Equal, Comparison::NotEqual) => !text.starts_with(constant),
                // It differs from the constant, which is as long as the field: it cannot begin with it.
                (Comparison::NotEqual, Comparison::NotEqual) => order.is_eq() && field.length == constant.len(),
                (Comparison::Equal | Comparison::Greater | Comparison::GreaterOrEqual, Comparison::GreaterOrEqual) => {
                    order.is_ge()
                }
                (Comparison::Equal, Comparison::Less) => order.is_lt(),
                (Comparison::Less, Comparison::Less) => order.is_le(),
                (Comparison::LessOrEqual, Comparison::Less) => order.is_lt(),
                (Comparison::Equal | Comparison::Less | Comparison::LessOrEqual, Comparison::LessOrEqual) => {
                    order.is_le()
                }
                _ => false,
            }
        }
        Test::Like(pattern) => {
            let head = pattern.find(['%', '_', '\\']).map_or(pattern.as_str(), |end| &pattern[..end]);
            wanted == Comparison::Equal && head.as_bytes().starts_with(constant)
        }
        _ => false,
    }
}

/// Returns true if EMPTY() is false for every value of which this is known.
fn is_not_empty(field: &Field, test: &Test) -> bool {
    let zero = Decimal::new(0, 0);
    match (field.kind, test) {
        (FieldKind::Numeric | FieldKind::Integer | FieldKind::Currency, Test::Compare(known, value)) => {
            value.as_decimal().is_some_and(|value| follows(*known, value.cmp(&zero), Comparison::NotEqual))
        }
        // A day that can be read is no blank one.
        (FieldKind::Date, Test::NotNull) => true,
        (FieldKind::Date, Test::Compare(_, Value::Date(_))) => true,
        (FieldKind::Logical, Test::Truth(value)) => *value,
        // Its first letter is no blank, tab or line end.
        (FieldKind::Character, Test::Compare(known, Value::Text(text))) => {
            matches!(known, Comparison::Equal | Comparison::Greater | Comparison::GreaterOrEqual)
                && text.starts_with(|first: char| first > ' ')
        }
        (FieldKind::Character, Test::Like(pattern)) => {
            pattern.starts_with(|first: char| first > ' ' && !matches!(first, '%' | '_' | '\\'))
        }
        _ => false,
    }
}

/// Returns true if EMPTY() is true for every value of which this is known.
fn is_empty(field: &Field, test: &Test) -> bool {
    match (field.kind, test) {
        (FieldKind::Numeric | FieldKind::Integer | FieldKind::Currency, Test::Compare(Comparison::Equal, value)) => {
            value.as_decimal() == Some(Decimal::new(0, 0))
        }
        (FieldKind::Logical, Test::Truth(value)) => !*value,
        _ => false,
    }
}
